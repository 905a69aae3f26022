package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

func TestToolsThatCannotBeCalled(t *testing.T) {
	r := newRegistry(t,
		named("off", func(s *registry.Spec) { s.OffByDefault = true }),
		named("agent", func(s *registry.Spec) { s.Modes = []registry.Mode{registry.ModeHistory} }),
		named("files", func(s *registry.Spec) { s.NeedsProject = true }),
		named("hidden", func(s *registry.Spec) { s.Internal = true }),
		named("net", func(s *registry.Spec) {
			s.Requires = []registry.Capability{registry.CapabilityProcess, registry.CapabilityNetwork}
		}),
		named("set", func(s *registry.Spec) { s.Options = []registry.Option{{ID: "a", Type: registry.OptionBool}} }),
	)
	project := newProject(t)
	for _, c := range []struct {
		tool string
		env  registry.Env
		code registry.Code
		text string
	}{
		{"nothing", registry.Env{}, registry.CodeUnknownTool, "Unknown tool: nothing"},
		{"", registry.Env{}, registry.CodeUnknownTool, "Unknown tool: "},
		{"off", registry.Env{}, registry.CodeDisabled, "Unknown tool: off"},
		{"off", registry.Env{Selection: registry.Selection{Enable: map[string]bool{"off": true}}}, "", "done"},
		{"agent", registry.Env{Selection: registry.Selection{Mode: registry.ModeMCP}}, registry.CodeDisabled, "Unknown tool: agent"},
		{"agent", registry.Env{Selection: registry.Selection{Mode: registry.ModeHistory}}, "", "done"},
		{"agent", registry.Env{}, "", "done"},
		{"files", registry.Env{}, registry.CodeDisabled, "Unknown tool: files"},
		{"files", registry.Env{Files: project, Selection: registry.Selection{NoProject: true}}, registry.CodeDisabled, "Unknown tool: files"},
		{"files", registry.Env{Files: project}, "", "done"},
		{"hidden", registry.Env{}, registry.CodeUnknownTool, "Unknown tool: hidden"},
		{"hidden", registry.Env{Selection: registry.Selection{Enable: map[string]bool{"hidden": true}}}, registry.CodeUnknownTool, "Unknown tool: hidden"},
		{"hidden", registry.Env{Selection: registry.Selection{Internal: true}}, "", "done"},
		{"net", registry.Env{}, registry.CodeDenied, "permission denied for tool: net"},
		{"net", registry.Env{Selection: registry.Selection{Grants: []registry.Capability{registry.CapabilityNetwork}}}, registry.CodeDenied, "permission denied for tool: net"},
		{"net", registry.Env{Selection: registry.Selection{Grants: []registry.Capability{registry.CapabilityNetwork, registry.CapabilityProcess}}}, "", "done"},
		{"set", registry.Env{Selection: registry.Selection{Options: map[string]map[string]any{"set": {"a": 1}}}}, registry.CodeOptions,
			`Tool set cannot be used, since it is set up wrongly: option "a": want bool, got number`},
		{"set", registry.Env{Selection: registry.Selection{Settings: registry.Settings{ToolOptions: map[string]map[string]any{"set": {"a": 1}}}}}, "", "done"},
		{"set", registry.Env{Selection: registry.Selection{Options: map[string]map[string]any{"set": {"unknown": 1}, "gone": {"a": 2}}}}, "", "done"},
	} {
		t.Run(fmt.Sprint(c.tool, " ", c.code), func(t *testing.T) {
			result := r.Dispatch(t.Context(), call(c.tool, "{}"), c.env)
			require.Equal(t, c.code, result.Code)
			require.Equal(t, c.text, result.Text())
			require.Equal(t, "call-1", result.CallID)
			require.Equal(t, c.tool, result.Tool)
		})
	}
	require.Equal(t, "Unknown tool: a\uFFFD[31m\uFFFD", r.Dispatch(t.Context(), call("a\x1b[31m\xff", "{}"), registry.Env{}).Text())
	require.Less(t, len(r.Dispatch(t.Context(), call(strings.Repeat("x", 1<<20), "{}"), registry.Env{}).Text()), 1000)

	result := r.Dispatch(t.Context(), call("net", `{"bad"`), registry.Env{})
	require.Equal(t, registry.CodeInvalidInput, result.Code, "validation comes before permission")
}

func TestInputs(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"text":{"type":"string"},"n":{"type":"integer"},"x":{"type":"number"},"on":{"type":"boolean"},
		"list":{"type":"array","items":{"type":"integer"}},"map":{"type":"object","additionalProperties":{"type":"boolean"}},
		"maybe":{"type":["integer","null"]},"either":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},
		"textOrN":{"type":["string","integer"]},"ref":{"$ref":"#/$defs/a~1b"},"free":{},"kind":{"enum":["a","b"]}
	},"required":["text"],"additionalProperties":false,"$defs":{"a/b":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	r := newRegistry(t, echo(schema))
	for _, c := range []struct{ why, input, want string }{
		{"what is right stays as it is", `{ "text" : "x", "n":9007199254740993, "x": 1e+0400}`, `{ "text" : "x", "n":9007199254740993, "x": 1e+0400}`},
		{"every digit is kept", `{"text":"x","free":[9007199254740993,0.1000000000000000000001,-0,1E+2]}`, `{"text":"x","free":[9007199254740993,0.1000000000000000000001,-0,1E+2]}`},
		{"also of what is coerced", `{"text":"x","n":"9007199254740993","x":" 0.1000000000000000000001 "}`, `{"n":9007199254740993,"text":"x","x":0.1000000000000000000001}`},
		{"a number in quotes", `{"text":"x","n":"-12"}`, `{"n":-12,"text":"x"}`},
		{"an integer with a point", `{"text":"x","n":"2.0"}`, `{"n":2.0,"text":"x"}`},
		{"booleans in quotes", `{"text":"x","on":"true"}`, `{"on":true,"text":"x"}`},
		{"a scalar where an array is wanted", `{"text":"x","list":3}`, `{"list":[3],"text":"x"}`},
		{"a scalar in quotes where an array is wanted", `{"text":"x","list":"3"}`, `{"list":[3],"text":"x"}`},
		{"an array as text", `{"text":"x","list":"[1, \"2\"]"}`, `{"list":[1,2],"text":"x"}`},
		{"an object as text", `{"text":"x","map":"{\"a\":\"false\"}"}`, `{"map":{"a":false},"text":"x"}`},
		{"null in quotes", `{"text":"x","maybe":"null"}`, `{"maybe":null,"text":"x"}`},
		{"null where it is allowed", `{"text":"x","maybe":null}`, `{"text":"x","maybe":null}`},
		{"null for what need not be there", `{"text":"x","n":null,"list":null,"ref":null,"kind":null}`, `{"text":"x"}`},
		{"null where anything is allowed", `{"text":"x","free":null}`, `{"text":"x","free":null}`},
		{"alternatives", `{"text":"x","either":"true"}`, `{"either":true,"text":"x"}`},
		{"text stays text where that is allowed", `{"text":"12","textOrN":"12"}`, `{"text":"12","textOrN":"12"}`},
		{"through references", `{"text":"x","ref":{"n":"1"}}`, `{"ref":{"n":1},"text":"x"}`},
		{"characters stay what they are", `{"text":"<a&b>","n":"1"}`, `{"n":1,"text":"<a&b>"}`},

		{"no JSON", `{"text":`, "invalid tool call: the arguments are not valid JSON: unexpected end of JSON input"},
		{"something behind it", `{"text":"x"}}`, "invalid tool call: the arguments are not valid JSON: invalid character '}' after top-level value"},
		{"a number that takes forever to compute with", `{"text":"x","n":[1e99999999]}`, "invalid tool call: the arguments cannot be used: the number 1e99999999 is too large, too small or too long"},
		{"one that is close to nothing", `{"text":"x","free":-1.0E-1000}`, "invalid tool call: the arguments cannot be used: the number -1.0E-1000 is too large, too small or too long"},
		{"one that is long", `{"text":"x","free":{"a":` + strings.Repeat("1", 1001) + `}}`, "invalid tool call: the arguments cannot be used: the number " + strings.Repeat("1", 30) + "... is too large, too small or too long"},
		{"a name twice", `{"text":"x","free":{"a":1,"\u0061":2}}`, "invalid tool call: the arguments cannot be used: the name \"a\" is in an object twice"},
		{"an argument twice", `{"text":"x","text":"x"}`, "invalid tool call: the arguments cannot be used: the name \"text\" is in an object twice"},
		{"too many values", `{"text":"x","list":[` + strings.Repeat(`"",`, 100_000) + `1]}`,
			"invalid tool call: the arguments cannot be used: it consists of more than 100000 values. Pass less, for example the name of a file"},
		{"one in quotes", `{"text":"x","n":"1e99999999"}`, "invalid tool call: the arguments do not fit the schema of echo:\n/n: got string, want integer"},
		{"an array", `["x"]`, "invalid tool call: the arguments must be a JSON object, not an array"},
		{"text", `"x"`, "invalid tool call: the arguments must be a JSON object, not text"},
		{"a number", ` 1 `, "invalid tool call: the arguments must be a JSON object, not a number"},
		{"nothing at all", ``, "invalid tool call: the arguments do not fit the schema of echo:\nmissing property 'text'"},
		{"null", `null`, "invalid tool call: the arguments do not fit the schema of echo:\nmissing property 'text'"},
		{"all that is wrong, in order", `{"n":"x","on":1,"list":["a"],"other":1}`, "invalid tool call: the arguments do not fit the schema of echo:\n" +
			"/list/0: got string, want integer\n/n: got string, want integer\n/on: got number, want boolean\n" +
			"additional properties 'other' not allowed\nmissing property 'text'"},
		{"numbers that are none", `{"text":"x","x":"0x10","n":"1_000"}`, "invalid tool call: the arguments do not fit the schema of echo:\n" +
			"/n: got string, want integer\n/x: got string, want number"},
		{"a fraction where an integer is wanted", `{"text":"x","n":1.5}`, "invalid tool call: the arguments do not fit the schema of echo:\n/n: got number, want integer"},
		{"no number becomes text", `{"text":12}`, "invalid tool call: the arguments do not fit the schema of echo:\n/text: got number, want string"},
		{"none of the values", `{"text":"x","kind":"c"}`, "invalid tool call: the arguments do not fit the schema of echo:\n/kind: value must be one of 'a', 'b'"},
	} {
		t.Run(c.why, func(t *testing.T) {
			result := r.Dispatch(t.Context(), call("echo", c.input), registry.Env{})
			require.Equal(t, c.want, result.Text())
			require.Equal(t, strings.HasPrefix(c.want, "invalid"), result.Code == registry.CodeInvalidInput)
		})
	}
	require.Contains(t, r.Dispatch(t.Context(), call("echo", `{"text":"xyz"}`), registry.Env{Limits: registry.Limits{Input: 13}}).Text(), "have 14 bytes, and may have 13")
	many := r.Dispatch(t.Context(), call("echo", `{"text":"x","list":["`+strings.Repeat(`a","`, 5000)+`"]}`), registry.Env{}).Text()
	require.Less(t, len(many), 2000)
	require.Contains(t, many, "and 4981 more")
	deep := r.Dispatch(t.Context(), call("echo", strings.Repeat(`{"free":`, 20000)+"1"+strings.Repeat(`}`, 20000)), registry.Env{})
	require.Equal(t, registry.CodeInvalidInput, deep.Code)
}

// choosy has words of its own for what is wrong.
type choosy struct{ registry.Tool }

func (choosy) CheckInput(input map[string]any) error {
	if _, ok := input["code"].(string); !ok {
		return registry.Errorf("Error: code parameter is required and must be a string")
	}
	return nil
}

func TestAToolsOwnWordsComeFirst(t *testing.T) {
	r := newRegistry(t, choosy{echo(`{"type":"object","properties":{"code":{"type":"string"},"n":{"type":"integer"}},"required":["code"]}`)})
	result := r.Dispatch(t.Context(), call("echo", `{"n":"x"}`), registry.Env{})
	require.Equal(t, "Error: code parameter is required and must be a string", result.Text())
	require.Equal(t, registry.CodeInvalidInput, result.Code)
	require.Contains(t, r.Dispatch(t.Context(), call("echo", `{"code":"","n":"x"}`), registry.Env{}).Text(), "/n: got string")
	require.False(t, r.Dispatch(t.Context(), call("echo", `{"code":"","n":"1"}`), registry.Env{}).IsError())
}

func TestWhatIsCheckedIsWhatIsExecuted(t *testing.T) {
	spec := registry.Spec{Name: "echo", Description: "Echoes.", Schema: json.RawMessage(
		`{"type":"object","properties":{"command":{"enum":["view"]},"name":{},"Name":{}},"required":["command"]}`)}
	type in struct{ Command, Name string }
	open := newRegistry(t, registry.Func(spec, func(_ context.Context, in in, _ registry.Env) (string, error) { return in.Command, nil }))
	for _, input := range []string{`{"command":"view","COMMAND":"delete"}`, `{"COMMAND":"delete","command":"view"}`, `{"command":"view","\u0043ommand":"delete"}`} {
		result := open.Dispatch(t.Context(), call("echo", input), registry.Env{})
		require.Equal(t, registry.CodeInvalidInput, result.Code, input)
		require.Regexp(t, `^invalid tool call: there is no argument "(COMMAND|Command)". Do you mean "command"\?$`, result.Text())
	}
	for _, input := range []string{`{"command":"view","name":"a","Name":"b"}`, `{"command":"view","other":1}`} {
		require.Equal(t, "view", open.Dispatch(t.Context(), call("echo", input), registry.Env{}).Text())
	}
}

func TestFailures(t *testing.T) {
	host := errors.New("the disk is on fire")
	for _, c := range []struct {
		why  string
		do   do
		code registry.Code
		text string
	}{
		{"an unexpected error", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, host
		}, registry.CodeFailed, "Tool execution failed: the disk is on fire"},
		{"an error for the model", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, fmt.Errorf("wrapped: %w", registry.Errorf("Error: no such city: %w", host))
		}, registry.CodeTool, "Error: no such city: the disk is on fire"},
		{"an error result", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Failure("city_unknown", "no such city"), nil
		}, "city_unknown", "no such city"},
		{"a panic", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			panic(host)
		}, registry.CodeFailed, "Tool execution failed: panic: the disk is on fire"},
		{"a bug", func(_ context.Context, c registry.Call, _ registry.Env) (registry.Result, error) {
			var none []string
			return registry.Text(none[len(c.ID)]), nil
		}, registry.CodeFailed, "Tool execution failed: panic: runtime error: index out of range [6] with length 0"},
		{"the end of its goroutine", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			runtime.Goexit()
			return registry.Result{}, nil
		}, registry.CodeFailed, "Tool execution failed: the tool has ended its goroutine"},
		{"an error that panics", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, (*badError)(nil)
		}, registry.CodeFailed, "Tool execution failed: panic: runtime error: invalid memory address or nil pointer dereference"},
		{"nothing", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, nil
		}, "", `{"message":"Tool executed but returned no result","status":"empty"}`},
		{"an empty text", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Text(""), nil
		}, "", `{"message":"Tool executed but returned no result","status":"empty"}`},
		{"an error without a text", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Failure(registry.CodeTool, ""), nil
		}, registry.CodeTool, "Tool execution failed."},
		{"data alone", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{Data: map[string]int{"<n>": 1}}, nil
		}, "", `{"<n>":1}`},
		{"data that is no JSON", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{Content: []registry.Part{{Text: "text"}}, Data: func() {}}, nil
		}, "", "text"},
		{"data that panics", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{Data: bomb{}}, nil
		}, registry.CodeFailed, "Tool execution failed: panic: bomb"},
		{"text that is no UTF-8", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Text("a\xffb"), nil
		}, "", "a\uFFFDb"},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := newRegistry(t, doing("x", c.do))
			result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
			require.Equal(t, c.text, result.Text())
			require.Equal(t, c.code, result.Code)
			require.Equal(t, "call-1", result.CallID)
			if strings.Contains(c.text, host.Error()) && c.why != "a panic" {
				require.ErrorIs(t, result.Err, host, "the host learns the cause")
			}
		})
	}
	var panicked *registry.PanicError
	r := newRegistry(t, doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) { panic("oh") }))
	require.ErrorAs(t, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Err, &panicked)
	require.Contains(t, string(panicked.Stack), "dispatch_test.go")
}

type badError struct{ text string }

func (e *badError) Error() string { return e.text }

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("bomb") }

func TestTimeouts(t *testing.T) {
	// Time passes as soon as everybody waits.
	waits := func(ctx context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
		<-ctx.Done()
		return registry.Result{}, fmt.Errorf("%w: %w", ctx.Err(), context.Cause(ctx))
	}
	timeout := func(d time.Duration) func(*registry.Spec) { return func(s *registry.Spec) { s.Timeout = d } }
	for _, c := range []struct {
		why   string
		tool  registry.Tool
		env   registry.Env
		after time.Duration
		text  string
	}{
		{"the default", doing("x", waits), registry.Env{}, 10 * time.Second, "Tool execution timed out after 10000ms."},
		{"the tool's", doing("x", waits, timeout(3*time.Second)), registry.Env{}, 3 * time.Second, "Tool execution timed out after 3000ms."},
		{"the call's", doing("x", waits, timeout(3*time.Second)), registry.Env{Limits: registry.Limits{Timeout: time.Second}}, time.Second, "Tool execution timed out after 1000ms."},
		{"a tool that keeps the time", doing("x", func(ctx context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
			select {
			case <-time.After(env.Limits.Timeout):
				return registry.Failure(registry.CodeTimeout, "I have stopped."), nil
			case <-ctx.Done():
				return registry.Text("too late"), nil
			}
		}, func(s *registry.Spec) { s.KeepsTime, s.Timeout = true, 2*time.Second }), registry.Env{}, 2 * time.Second, "I have stopped."},
		{"a tool that keeps the time badly", doing("x", waits, func(s *registry.Spec) { s.KeepsTime = true }), registry.Env{}, 11 * time.Second, "Tool execution timed out after 10000ms."},
		{"success at the last moment", doing("x", func(ctx context.Context, _ registry.Call, _ registry.Env) (registry.Result, error) {
			<-ctx.Done()
			return registry.Text("all is done"), nil
		}), registry.Env{}, 10 * time.Second, "all is done"},
		{"no limit", doing("x", func(ctx context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
			time.Sleep(time.Hour)
			return registry.Text(fmt.Sprint(env.Limits.Timeout)), ctx.Err()
		}, timeout(registry.NoTimeout)), registry.Env{}, time.Hour, "-1ns"},
		{"a tool that does not stop", doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			time.Sleep(time.Hour)
			panic("nobody is there to see this")
		}), registry.Env{}, 10500 * time.Millisecond, "Tool execution timed out after 10000ms."},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, c.tool)
				start := time.Now()
				result := r.Dispatch(t.Context(), call("x", ""), c.env)
				defer time.Sleep(2 * time.Hour) // for what has been left behind
				require.Equal(t, c.after, time.Since(start))
				require.Equal(t, c.text, result.Text())
				if strings.Contains(c.text, "timed out") {
					require.Equal(t, registry.CodeTimeout, result.Code)
					require.ErrorIs(t, result.Err, context.DeadlineExceeded)
					require.Equal(t, strings.Contains(c.why, "does not stop"), errors.Is(result.Err, registry.ErrAbandoned))
				}
			})
		})
	}
}

func TestAToolThatIsLeftBehindHasNothing(t *testing.T) {
	project := newProject(t)
	require.NoError(t, afero.WriteFile(project, "/file", []byte("1"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		var reports atomic.Int32
		var errs [4]error
		left := make(chan struct{})
		r := newRegistry(t, doing("x", func(ctx context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
			defer close(left)
			f, err := env.Files.Create("/file")
			if err != nil {
				return registry.Result{}, err
			}
			env.Report("working", 1, 2)
			time.Sleep(time.Hour)
			env.Report("still working", 2, 2)
			_, errs[0] = f.WriteString("2")
			errs[1] = f.Close()
			errs[2] = afero.WriteFile(env.Files, "/other", nil, 0o600)
			_, errs[3] = env.Files.Stat("/file")
			return registry.Result{}, nil
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: project, Progress: func(p registry.Progress) {
			require.Equal(t, registry.Progress{CallID: "call-1", Tool: "x", Message: "working", Done: 1, Total: 2}, p)
			reports.Add(1)
		}})
		require.ErrorIs(t, result.Err, registry.ErrAbandoned)
		<-left
		for _, err := range errs {
			require.ErrorIs(t, err, fs.ErrClosed)
		}
		require.EqualValues(t, 1, reports.Load())
		data, err := afero.ReadFile(project, "/file")
		require.NoError(t, err)
		require.Equal(t, "1", string(data))
	})
}

func TestCanceling(t *testing.T) {
	for _, honours := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("the user has gone")
			r := newRegistry(t, doing("x", func(ctx context.Context, _ registry.Call, _ registry.Env) (registry.Result, error) {
				cancel(why)
				if !honours {
					time.Sleep(time.Minute)
				}
				<-ctx.Done()
				return registry.Result{}, context.Cause(ctx)
			}))
			result := r.Dispatch(ctx, call("x", ""), registry.Env{})
			require.Equal(t, registry.CodeCanceled, result.Code)
			require.Equal(t, "Tool execution was canceled.", result.Text())
			require.ErrorIs(t, result.Err, why)
			time.Sleep(time.Minute)

			deadline, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			result = newRegistry(t, doing("x", func(ctx context.Context, _ registry.Call, _ registry.Env) (registry.Result, error) {
				<-ctx.Done()
				return registry.Result{}, ctx.Err()
			})).Dispatch(deadline, call("x", ""), registry.Env{})
			require.Equal(t, registry.CodeTimeout, result.Code)
			require.ErrorIs(t, result.Err, context.DeadlineExceeded)
		})
	}
}

func TestWhatAToolSaysWhenItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(t, doing("x", func(ctx context.Context, _ registry.Call, _ registry.Env) (registry.Result, error) {
			<-ctx.Done()
			return registry.Failure(registry.CodeTool, "Stopped; 17 files are done."), nil
		}))
		result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
		require.Equal(t, "Stopped; 17 files are done.", result.Text())
		require.Equal(t, registry.CodeTimeout, result.Code)
		require.ErrorIs(t, result.Err, context.DeadlineExceeded)
	})
}

func TestCanceledCallsAreNotExecuted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	executed := 0
	r := newRegistry(t, doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
		executed++
		cancel()
		return registry.Text("done"), nil
	}))
	results := r.DispatchAll(ctx, []registry.Call{call("x", ""), call("x", ""), call("y", "")}, registry.Env{})
	require.Equal(t, 1, executed)
	require.Equal(t, registry.CodeCanceled, results[1].Code)
	require.Equal(t, registry.CodeUnknownTool, results[2].Code)
}

func TestAToolThatWaitsForTheLockIsLeftBehind(t *testing.T) {
	for why, view := range map[string]func(*vfs.Project) afero.Fs{
		"a project": func(p *vfs.Project) afero.Fs { return p },
		"a view":    func(p *vfs.Project) afero.Fs { return vfs.ReadOnly(p, "/memories") },
	} {
		t.Run(why, func(t *testing.T) {
			project := newProject(t)
			require.NoError(t, afero.WriteFile(project, "/old", nil, 0o600))
			left := make(chan error, 3)
			r := newRegistry(t, doing("x", func(_ context.Context, _ registry.Call, env registry.Env) (registry.Result, error) {
				left <- env.Files.Remove("/old")
				left <- afero.WriteFile(env.Files, "/new", nil, 0o600)
				_, err := env.Files.Stat("/old")
				left <- err
				return registry.Result{}, nil
			}))
			require.NoError(t, project.Exclusively(t.Context(), func(afero.Fs) error {
				result := r.Dispatch(t.Context(), call("x", ""), registry.Env{Files: view(project), Limits: registry.Limits{Timeout: 50 * time.Millisecond}})
				require.Equal(t, registry.CodeTimeout, result.Code)
				return nil
			}))
			for range 3 {
				require.ErrorIs(t, <-left, fs.ErrClosed)
			}
			_, err := project.Stat("/old")
			require.NoError(t, err)
		})
	}
}

func TestRetries(t *testing.T) {
	busy := errors.New("busy")
	for _, c := range []struct {
		why              string
		retries, failing int
		mark             func(error) error
		attempts         int
		text             string
	}{
		{"until it works", 3, 2, registry.Retryable, 3, "done"},
		{"not more often than it may be", 2, 5, registry.Retryable, 3, "Tool execution failed: busy"},
		{"not unless the tool says so", 3, 1, func(err error) error { return err }, 1, "Tool execution failed: busy"},
		{"never by default", 0, 1, registry.Retryable, 1, "Tool execution failed: busy"},
		{"marked inside of other errors", 1, 1, func(err error) error { return fmt.Errorf("x: %w", registry.Retryable(err)) }, 2, "done"},
		{"an error for the model", 1, 5, func(err error) error { return registry.Retryable(registry.Errorf("Please wait: %w", err)) }, 2, "Please wait: busy"},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				r := newRegistry(t, doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
					if attempts++; attempts <= c.failing {
						return registry.Result{}, c.mark(busy)
					}
					return registry.Text("done"), nil
				}, func(s *registry.Spec) { s.Retries = c.retries }))
				result := r.Dispatch(t.Context(), call("x", ""), registry.Env{})
				require.Equal(t, c.text, result.Text())
				require.Equal(t, c.attempts, attempts)
				if result.IsError() {
					require.ErrorIs(t, result.Err, busy)
				}
			})
		})
	}
	require.NoError(t, registry.Retryable(nil))
	synctest.Test(t, func(t *testing.T) { // the time is for all attempts together
		r := newRegistry(t, doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, registry.Retryable(busy)
		}, func(s *registry.Spec) { s.Retries, s.Timeout = 1<<30, time.Minute }))
		start := time.Now()
		require.Equal(t, registry.CodeTimeout, r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Code)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestWhatAToolGets(t *testing.T) {
	project := newProject(t)
	var got registry.Env
	r := newRegistry(t, doing("x", func(ctx context.Context, c registry.Call, env registry.Env) (registry.Result, error) {
		got = env
		f, err := env.Files.Create("/left-open")
		if err != nil {
			return registry.Result{}, err
		}
		_, err = f.WriteString("never finished")
		return registry.Text("done"), errors.Join(err, afero.WriteFile(env.Files, "/file", []byte("x"), 0o600))
	}, func(s *registry.Spec) {
		s.Options = []registry.Option{
			{ID: "on", Type: registry.OptionBool, Default: true}, {ID: "n", Type: registry.OptionNumber, Default: 3},
			{ID: "text", Type: registry.OptionText}, {ID: "pick", Type: registry.OptionSelect, Choices: []registry.Choice{{Value: "a"}, {Value: "b"}}},
		}
	}))
	env := registry.Env{Project: "p", Chat: "c", Files: project, Selection: registry.Selection{
		Settings: registry.Settings{ToolOptions: map[string]map[string]any{"x": {"n": json.Number("1.5"), "text": "stored", "old": 1}}},
		Options:  map[string]map[string]any{"x": {"text": "given"}},
	}}
	require.Equal(t, "done", r.Dispatch(t.Context(), call("x", ""), env).Text())
	require.Equal(t, map[string]any{"on": true, "n": 1.5, "text": "given", "pick": "a"}, got.Options.Map())
	require.True(t, got.Options.Bool("on"))
	require.Equal(t, 1.5, got.Options.Number("n"))
	require.Equal(t, "given", got.Options.Text("text"))
	require.Zero(t, got.Options.Text("none")+got.Options.Text("n"))
	require.Equal(t, "p", got.Project)
	require.Equal(t, "c", got.Chat)
	got.Report("after the end", 0, 0)

	changes, err := project.Changes("/")
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, "call-1", changes[0].Call, "what a call changes can be undone together")
	_, err = project.Stat("/left-open")
	require.ErrorIs(t, err, fs.ErrNotExist)
	got.Options.Map()["on"] = false
	require.True(t, got.Options.Bool("on"))
}

func TestMiddleware(t *testing.T) {
	var seen []string
	note := func(name string) registry.Middleware {
		return func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c registry.Call, env registry.Env) registry.Result {
				seen = append(seen, name+" before "+c.Tool)
				r := next(ctx, c, env)
				seen = append(seen, name+" after "+string(r.Code))
				return r
			}
		}
	}
	inner := newRegistry(t, named("x")).Using(note("inner"))
	r := inner.Using(note("first"), note("second"))
	require.Equal(t, "done", r.Dispatch(t.Context(), call("x", ""), registry.Env{}).Text())
	require.Equal(t, []string{"first before x", "second before x", "inner before x", "inner after ", "second after ", "first after "}, seen)
	seen = nil
	more, err := inner.With(named("y"))
	require.NoError(t, err)
	more.Dispatch(t.Context(), call("nothing", ""), registry.Env{})
	require.Equal(t, []string{"inner before nothing", "inner after unknown_tool"}, seen, "every call is seen, also by what is made of a registry")

	bad := newRegistry(t, named("x")).Using(func(registry.Handler) registry.Handler {
		return func(context.Context, registry.Call, registry.Env) registry.Result { panic("middleware") }
	})
	result := bad.Dispatch(t.Context(), call("x", ""), registry.Env{})
	require.Equal(t, registry.CodeFailed, result.Code)
	require.Equal(t, "Tool execution failed: panic: middleware", result.Text())
	require.Equal(t, "call-1", result.CallID)
}

func TestLogging(t *testing.T) {
	var b strings.Builder
	r := newRegistry(t, doing("x", func(context.Context, registry.Call, registry.Env) (registry.Result, error) { panic("oh") }))
	r.Dispatch(t.Context(), call("x", ""), registry.Env{Logger: slog.New(slog.NewTextHandler(&b, nil))})
	require.Contains(t, b.String(), "tool panicked")
	require.Contains(t, b.String(), "dispatch_test.go")
}

func TestAllCallsOfATurn(t *testing.T) {
	readOnly := func(s *registry.Spec) { s.Annotations.ReadOnly = true }
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		var atOnce, most int
		step := func(name string) do {
			return func(_ context.Context, c registry.Call, _ registry.Env) (registry.Result, error) {
				mu.Lock()
				if atOnce++; atOnce > most {
					most = atOnce
				}
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				atOnce--
				log = append(log, name)
				mu.Unlock()
				return registry.Text(c.ID), nil
			}
		}
		r := newRegistry(t, doing("read", step("read"), readOnly), doing("write", step("write")))
		var calls []registry.Call
		for i, name := range strings.Fields("read read write write nothing read read read") {
			calls = append(calls, registry.Call{ID: fmt.Sprint(i), Tool: name})
		}
		start := time.Now()
		results := r.DispatchAll(t.Context(), calls, registry.Env{})
		require.Equal(t, 4*time.Second, time.Since(start), "what only reads runs at once, what writes alone")
		require.Equal(t, "read read write write read read read", strings.Join(log, " "))
		require.Equal(t, 3, most)
		require.Len(t, results, len(calls))
		for i, result := range results {
			require.Equal(t, fmt.Sprint(i), result.CallID)
			require.Equal(t, calls[i].Tool == "nothing", result.IsError())
		}

		most = 0
		r.DispatchAll(t.Context(), make([]registry.Call, 3), registry.Env{})
		calls = nil
		for range 20 {
			calls = append(calls, registry.Call{Tool: "read"})
		}
		r.DispatchAll(t.Context(), calls, registry.Env{})
		require.Equal(t, 8, most)
		require.Empty(t, r.DispatchAll(t.Context(), nil, registry.Env{}))
	})
}

func TestCallsShareNothingButFiles(t *testing.T) {
	r := newRegistry(t, registry.Func(registry.Spec{Name: "add", Description: "Adds to a file."},
		func(ctx context.Context, in struct {
			Name string `json:"name"`
			Text string `json:"text"`
		}, env registry.Env) (string, error) {
			err := vfs.Append(ctx, env.Files, in.Name, []byte(in.Text))
			return env.Options.Text("x") + env.Project, err
		}))
	project := newProject(t)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			env := registry.Env{Project: fmt.Sprint("p", i), Files: project}
			c := registry.Call{ID: fmt.Sprint("call-", i), Tool: "add", Input: json.RawMessage(`{"name":"/log","text":"x"}`)}
			result := r.Dispatch(t.Context(), c, env)
			require.Equal(t, env.Project, result.Text())
			require.Equal(t, c.ID, result.CallID)
		})
	}
	group.Wait()
	data, err := afero.ReadFile(project, "/log")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 50), string(data))
}
