package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolrun/toolrun/bench/protocol"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// shellID is what other shells are compared with.
const shellID = "shell"

// pipelines are of five commands each, over a log of 1 MB. The first script has no pipeline.
var pipelines = []struct{ name, script string }{
	{"echo", `echo hi`},
	{"count", `cat log | grep ERROR | cut -d ' ' -f 3 | sort | uniq -c`},
	{"top", `cat log | cut -d ' ' -f 4 | sort | uniq -c | sort -rn`},
	{"edit", `cat log | sed 's/user/USER/' | tr a-z A-Z | grep -v DEBUG | wc -l`},
	{"awk", `grep -v DEBUG log | awk '{n[$3] += $5} END {for (k in n) print k, n[k]}' | sort | head -n 3 | tail -n 1`},
	{"words", `cat log | tr -cs a-z '\n' | sort -u | grep -c . | cat`},
}

// aLog returns lines of a log, 1 MB together, the same each time.
func aLog() string {
	r := rand.New(rand.NewPCG(1, 1))
	services := []string{"auth", "billing", "search", "mail", "files", "jobs"}
	levels := []string{"INFO", "INFO", "INFO", "WARN", "ERROR", "DEBUG"}
	var text strings.Builder
	for day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); text.Len() < 1e6; day = day.Add(7 * time.Second) {
		fmt.Fprintf(&text, "%s %s %s user%d %d request done\n", day.Format(time.RFC3339), levels[r.IntN(6)],
			services[r.IntN(6)], r.IntN(1000), r.IntN(5000))
	}
	return text.String()
}

// addShells adds shells. This project's is built.
func (f *field) addShells(self string) error {
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared",
		"-o", shellFile(f.cacheDir), ".")
	build.Dir = "../guest/shell"
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the shell: %w\n%s", err, out)
	}
	f.contestants = append(f.contestants, &contestant{
		id: shellID, name: "toolrun, shell", about: "this project: the module of `guest/shell`, with its commands, " +
			"for a project whose files are in memory",
		tables: "shells", command: []string{self, "-serve", shellID},
	})
	if f.node {
		f.contestants = append(f.contestants, &contestant{
			id: "just-bash", name: "just-bash", about: "`new Bash` for each call: a shell in JavaScript, with its " +
				"commands, in the memory of Node",
			tables: "shells", command: f.nodeCommand("just-bash"),
		})
	}
	for _, name := range []string{"dash", "bash"} {
		if _, err := exec.LookPath(name); err == nil {
			f.contestants = append(f.contestants, &contestant{id: name, name: name + ", native",
				about:  "a process for each call, and one for each command, of this machine. No sandbox",
				tables: "shells", command: []string{self, "-serve", name}})
		}
	}
	return nil
}

// shellFile is what this project's shell is built into, in the directory that keeps what takes long to make.
func shellFile(cacheDir string) string { return filepath.Join(cacheDir, "shell.wasm") }

// oursShell is this project's shell.
func oursShell() (protocol.Engine, error) {
	ctx := context.Background()
	dir, err := cacheDir()
	if err != nil {
		return protocol.Engine{}, err
	}
	module, err := os.ReadFile(shellFile(dir))
	if err != nil {
		return protocol.Engine{}, err
	}
	engine, err := newEngine()
	if err != nil {
		return protocol.Engine{}, err
	}
	shell, err := command.Load(ctx, engine, module, &command.Options{Name: "bash", Files: true})
	if err != nil {
		return protocol.Engine{}, err
	}
	project, err := local.NewMemoryStore(nil).Open(ctx, "project")
	if err != nil {
		return protocol.Engine{}, err
	}
	there := ""
	return protocol.Engine{
		Version: version("github.com/tetratelabs/wazero", "wazero "),
		Call: func(script, log string) (string, error) {
			if log != there {
				if err := vfs.WriteFile(ctx, project, "/log", []byte(log)); err != nil {
					return "", err
				}
				there = log
			}
			input, err := json.Marshal(map[string]any{"command": script, "separate": true})
			if err != nil {
				return "", err
			}
			result, err := shell.RunWith(ctx, runtime.RunOptions{Stdin: input, Files: project.WithCall("bench"),
				Limits: runtime.Limits{Time: time.Minute}}, command.Host{})
			if err != nil {
				return "", err
			}
			return string(result.Output), nil
		},
	}, nil
}

// nativeShell is a shell of this machine.
func nativeShell(name string) func() (protocol.Engine, error) {
	return func() (protocol.Engine, error) {
		dir, err := cacheDir()
		if err != nil {
			return protocol.Engine{}, err
		}
		dir = filepath.Join(dir, "log")
		return protocol.Engine{Call: func(script, log string) (string, error) {
			file := filepath.Join(dir, "log")
			if info, err := os.Stat(file); err != nil || info.Size() != int64(len(log)) {
				if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(file, []byte(log), 0o600)); err != nil {
					return "", err
				}
			}
			process := exec.Command(name, "-c", script)
			process.Dir, process.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
			out, err := process.Output()
			return string(out), err
		}}, nil
	}
}

// shells is the table of shells. What they print has to be what this machine's do.
func (f *field) shells() (*table, error) {
	t := &table{
		id: "shells", title: "Shells", base: shellID, mean: true, format: formatTime, rounds: 3,
		about: "The time of a script in a fresh shell: `echo hi`, and pipelines of five commands over a log of 1 MB, " +
			"with `cut`, `sort` and `uniq`, `sed` and `tr`, `awk`, and `tr` and `sort -u`. All must print the same.",
	}
	log := aLog()
	file := filepath.Join(f.cacheDir, "log.txt")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		return nil, err
	}
	bash, err := nativeShell("bash")()
	if err != nil {
		return nil, err
	}
	for _, pipeline := range pipelines {
		want, err := bash.Call(pipeline.script, log)
		if err != nil {
			f.notes = append(f.notes, "No bash prints what shells have to print, so they are left out.")
			t.columns = nil
			return t, nil
		}
		request := protocol.Request{Op: protocol.OpCall, Body: pipeline.script, Want: want, Library: file}
		t.columns = append(t.columns, &column{name: pipeline.name, values: times,
			warm: withCount(request, f.much(2, 1)), request: withCount(request, f.much(10, 1))})
	}
	return t, nil
}
