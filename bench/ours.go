package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/bench/protocol"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs/local"
)

// The limits of engines that have any, for programs. The time is never reached.
const (
	memoryLimit = 512 << 20 // bytes
	timeLimit   = 10 * time.Minute
)

// newEngine returns an engine without a limit on concurrent runs.
func newEngine() (*runtime.Engine, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	return runtime.New(&runtime.EngineOptions{CacheDir: filepath.Join(dir, "compiled"), MaxRuns: runtime.Unlimited})
}

func newInterpreter() (*js.Interpreter, error) {
	engine, err := newEngine()
	if err != nil {
		return nil, err
	}
	return js.New(context.Background(), engine)
}

// ours is this project's sandbox.
func ours() (protocol.Engine, error) {
	engine, err := newInterpreter()
	if err != nil {
		return protocol.Engine{}, err
	}
	return protocol.Engine{
		Version: version("github.com/tetratelabs/wazero", "wazero "),
		Call: func(body, library string) (string, error) {
			if library != "" {
				return "", errors.New("libraries are for the registry")
			}
			result, err := engine.Run(context.Background(), body, nil)
			if err != nil {
				return "", err
			}
			return result.Text, nil
		},
		Hold: func(body string) (func(), error) { return holdOurs(engine, body) },
		Program: func(sources []string, expression string, warm, count int) ([]time.Duration, string, error) {
			return programOurs(engine, sources, expression, warm, count)
		},
	}, nil
}

// holdOurs leaves a run in a call of a Go function. There are no sandboxes that do not run anything.
func holdOurs(engine *js.Interpreter, body string) (release func(), err error) {
	if body == "" {
		body = "await wait()"
	}
	return hold(func(wait func()) error {
		function := js.Function{Name: "wait", Async: true, Call: func(context.Context, []any) (any, error) {
			wait()
			return nil, nil
		}}
		_, err := engine.Run(context.Background(), body, &js.RunOptions{Functions: []js.Function{function}})
		return err
	})
}

// hold begins a run, and returns when it waits. Release ends it.
func hold(run func(wait func()) error) (release func(), err error) {
	waits, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- run(func() {
			close(waits)
			<-end
		})
	}()
	select {
	case err := <-ended:
		return nil, fmt.Errorf("the run has ended: %w", err)
	case <-waits:
		return func() { close(end); <-ended }, nil
	}
}

// programOurs takes the time between two calls of a Go function, between which the expression is evaluated. Scripts
// are there as libraries, since these are evaluated in global scope and not in strict mode.
func programOurs(engine *js.Interpreter, sources []string, expression string,
	warm, count int) (times []time.Duration, text string, err error) {
	files := afero.NewMemMapFs()
	for i, source := range sources {
		if err := afero.WriteFile(files, fmt.Sprintf("/lib/%d.js", i), []byte(source), 0o600); err != nil {
			return nil, "", err
		}
	}
	var at []time.Time
	options := &js.RunOptions{Files: files, Libraries: []string{"/lib"}, Limits: runtime.Limits{Time: timeLimit,
		Memory: memoryLimit}, Functions: []js.Function{{
		Name: "mark",
		Call: func(context.Context, []any) (any, error) {
			at = append(at, time.Now())
			return nil, nil
		},
	}}}
	for i := range warm + count {
		at = at[:0]
		result, err := engine.Run(context.Background(),
			"mark(); const value = "+expression+"; mark(); return value", options)
		if err != nil {
			return nil, "", fmt.Errorf("%w %v", err, result.Console)
		}
		if i >= warm {
			times = append(times, at[1].Sub(at[0]))
		}
		text = result.Text
	}
	return times, text, nil
}

// registryOfOurs has the javascript tool.
func registryOfOurs() (*registry.Registry, error) {
	interpreter, err := newInterpreter()
	if err != nil {
		return nil, err
	}
	return registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) { return interpreter, nil }, nil))
}

// oursRegistry is the javascript tool, called through a registry for a project whose files are in memory.
func oursRegistry() (protocol.Engine, error) {
	tools, err := registryOfOurs()
	if err != nil {
		return protocol.Engine{}, err
	}
	store := local.NewMemoryStore(nil)
	projects := map[string]afero.Fs{}
	call := func(body, library string) (string, error) {
		project, known := projects[library]
		if !known {
			opened, err := store.Open(context.Background(), fmt.Sprint("project-", len(projects)))
			if err != nil {
				return "", err
			}
			if library != "" {
				if err := opened.MkdirAll("/lib", 0o700); err != nil {
					return "", err
				}
				if err := afero.WriteFile(opened, "/lib/lodash.js", []byte(library), 0o600); err != nil {
					return "", err
				}
			}
			project = opened
			projects[library] = project
		}
		input, err := json.Marshal(map[string]string{"code": body})
		if err != nil {
			return "", err
		}
		result := tools.Dispatch(context.Background(), tool.Call{ID: "call", Tool: javascript.Name, Input: input},
			registry.Env{Files: project})
		if result.IsError() {
			return "", errors.New(result.Text())
		}
		return result.Text(), nil
	}
	return protocol.Engine{Version: version("github.com/tetratelabs/wazero", "wazero "), Call: call}, nil
}
