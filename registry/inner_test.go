package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// calling returns a tool that calls another one, and returns the text of its result.
func calling(name, other string, change ...func(*tool.Spec)) tool.Tool {
	return doing(name, func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
		result := env.Dispatch(ctx, tool.Call{ID: "forged", Parent: "forged", Tool: other, Input: call.Input})
		return tool.Text(strings.TrimSpace(fmt.Sprintf("%s(%s) %s", result.CallID, result.Text(), result.Code))),
			nil
	}, change...)
}

// whoami returns a tool whose result identifies its call.
func whoami(name string) tool.Tool {
	return doing(name, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		return tool.Text(call.ID + " of " + call.Parent), nil
	})
}

func TestToolsCallTools(t *testing.T) {
	for _, c := range []struct {
		why   string
		tools []tool.Tool
		env   registry.Env
		want  string
	}{
		{"with ids of their own", []tool.Tool{calling("a", "b"), whoami("b")}, registry.Env{},
			"call-1.1(call-1.1 of call-1)"},
		{"through others", []tool.Tool{calling("a", "b"), calling("b", "c"), whoami("c")}, registry.Env{},
			"call-1.1(call-1.1.1(call-1.1.1 of call-1.1))"},
		{"that are not there", []tool.Tool{calling("a", "b")}, registry.Env{},
			"call-1.1(Unknown tool: b) unknown_tool"},
		{"that are off", []tool.Tool{calling("a", "b"), whoami("b")},
			registry.Env{Selection: registry.Selection{Enable: map[string]bool{"b": false}}},
			"call-1.1(Unknown tool: b) tool_disabled"},
		{"that are not for this mode", []tool.Tool{calling("a", "b"), named("b", func(s *tool.Spec) {
			s.Modes = []tool.Mode{tool.ModeMCP}
		})},
			registry.Env{Selection: registry.Selection{Mode: tool.ModeHistory}},
			"call-1.1(Unknown tool: b) tool_disabled"},
		{"that may not do what they do", []tool.Tool{calling("a", "b"), named("b", func(s *tool.Spec) {
			s.Requires = []tool.Capability{tool.CapabilityNetwork}
		})},
			registry.Env{}, "call-1.1(permission denied for tool: b) permission_denied"},
		{"that have been granted what they do", []tool.Tool{calling("a", "b"), named("b", func(s *tool.Spec) {
			s.Requires = []tool.Capability{tool.CapabilityNetwork}
		})},
			registry.Env{Selection: registry.Selection{Grants: []tool.Capability{tool.CapabilityNetwork}}},
			"call-1.1(done)"},
		{"that need a project", []tool.Tool{calling("a", "b"), named("b", func(s *tool.Spec) {
			s.NeedsProject = true
		})},
			registry.Env{}, "call-1.1(Unknown tool: b) tool_disabled"},
		{"that are themselves", []tool.Tool{calling("a", "a")}, registry.Env{},
			"call-1.1(Tool a cannot be called by itself.) nested_call"},
		{"that are themselves, through others", []tool.Tool{calling("a", "b"), calling("b", "a")}, registry.Env{},
			"call-1.1(call-1.1.1(Tool a cannot be called by itself.) nested_call)"},
		{"that panic", []tool.Tool{calling("a", "b"),
			doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) { panic("oh") })},
			registry.Env{}, "call-1.1(Tool execution failed: panic: oh) tool_failed"},
		{"that get their own options", []tool.Tool{calling("a", "b"),
			doing("b", func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
				return tool.Text(env.Options.Text("o")), nil
			}, func(s *tool.Spec) { s.Options = []tool.Option{{ID: "o", Type: tool.OptionText}} })},
			registry.Env{Selection: registry.Selection{Options: map[string]map[string]any{"b": {"o": "set"}}}},
			"call-1.1(set)"},
		{"with results that models would get as files", []tool.Tool{calling("a", "b"),
			doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
				return tool.Text(strings.Repeat("long\n", 20)), nil
			})}, registry.Env{Limits: registry.Limits{Inline: 150}}, "call-1.1(" + strings.Repeat("long\n", 20) + ")"},
	} {
		t.Run(c.why, func(t *testing.T) {
			result := newRegistry(t, c.tools...).Dispatch(t.Context(), call("a", ""), c.env)
			require.Equal(t, c.want, result.Text())
		})
	}
}

func TestResultsForToolsAreLimited(t *testing.T) {
	var got tool.Result
	r := newRegistry(t, doing("a", func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result,
		error) {
		got = env.Dispatch(ctx, tool.Call{Tool: "b"})
		return tool.Text("done"), nil
	}), doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		return tool.Text(strings.Repeat("long\n", 1<<20)), nil
	}))
	project := newProject(t)
	r.Dispatch(t.Context(), call("a", ""), registry.Env{Files: project})
	require.Contains(t, got.Text(), "It is in the file /.tool-output/call-1_1-")
	require.Less(t, len(got.Text()), 1<<20)
	r.Dispatch(t.Context(), call("a", ""), registry.Env{Limits: registry.Limits{Output: 1 << 10}})
	require.Contains(t, got.Text(), "bytes of the result have been dropped: it was larger than 1024 bytes")
}

func TestCallsAreNotNestedWithoutEnd(t *testing.T) {
	var tools []tool.Tool
	for i := range registry.MaxNesting + 2 {
		tools = append(tools, calling(fmt.Sprint("t", i), fmt.Sprint("t", i+1)))
	}
	result := newRegistry(t, tools...).Dispatch(t.Context(), call("t0", ""), registry.Env{})
	require.Contains(t, result.Text(), "call-1.1.1.1.1.1(Tool t5 cannot be called here: calls are nested 4 deep, and "+
		"may not be nested deeper.) nested_call")
}

func TestOnlyRunningCallsMakeCalls(t *testing.T) {
	require.Equal(t, tool.CodeNested, tool.Env{}.Dispatch(t.Context(), call("b", "")).Code)
	require.Nil(t, tool.Env{}.Tools())
	var kept tool.Env
	r := newRegistry(t, named("b"), doing("a", func(_ context.Context, _ tool.Call,
		env tool.Env) (tool.Result, error) {
		kept = env
		return tool.Text("done"), nil
	}))
	r.Dispatch(t.Context(), call("a", ""), registry.Env{})
	result := kept.Dispatch(t.Context(), call("b", ""))
	require.Equal(t, tool.CodeCanceled, result.Code)
	require.Equal(t, "Tools cannot be called any more: the call that makes this one has ended.", result.Text())
}

func TestCallsWithoutAnID(t *testing.T) {
	r := newRegistry(t, calling("a", "b"), whoami("b"))
	require.Regexp(t, `^(call-[a-z0-9]+)\.1\(call-[a-z0-9]+\.1 of call-[a-z0-9]+\)$`,
		r.Dispatch(t.Context(), tool.Call{Tool: "a"}, registry.Env{}).Text())
}

func TestCallsEndWithTheOneThatMakesThem(t *testing.T) {
	for why, honours := range map[string]bool{"and stop": true, "or are left behind": false} {
		t.Run(why, func(t *testing.T) {
			project := newProject(t)
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var ended []string
				note := func(next registry.Handler) registry.Handler {
					return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
						result := next(ctx, call, env)
						mu.Lock()
						defer mu.Unlock()
						ended = append(ended, fmt.Sprint(call.ID, " ", result.Code))
						return result
					}
				}
				late := make(chan error, 1)
				started := make(chan struct{})
				r := newRegistry(t, doing("a", func(_ context.Context, _ tool.Call,
					env tool.Env) (tool.Result, error) {
					go env.Dispatch(context.Background(), tool.Call{Tool: "b"})
					<-started
					return tool.Text("done"), nil
				}), doing("b", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
					close(started)
					<-ctx.Done()
					if !honours {
						time.Sleep(time.Hour)
					}
					late <- afero.WriteFile(env.Files, "/late", nil, 0o600)
					return tool.Result{}, ctx.Err()
				})).Using(note)
				require.Equal(t, "done", r.Dispatch(t.Context(), call("a", ""), registry.Env{Files: project}).Text())
				mu.Lock()
				require.Equal(t, []string{"call-1.1 canceled", "call-1 "}, ended,
					"it has ended when the other one does")
				mu.Unlock()
				if err := <-late; !honours {
					require.ErrorIs(t, err, fs.ErrClosed)
				}
			})
		})
	}
}

func TestCallsHaveTheTimeOfTheOneThatMakesThem(t *testing.T) {
	for _, c := range []struct {
		why          string
		outer, inner time.Duration
		want         string
	}{
		{"their own is shorter", time.Minute, time.Second, "call-1.1(Tool execution timed out after 1000ms.) timeout"},
		{"their own is longer", time.Second, time.Minute, "Tool execution timed out after 1000ms."},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRegistry(t, calling("a", "b", func(s *tool.Spec) { s.Timeout = c.outer }),
					doing("b", func(ctx context.Context, _ tool.Call, _ tool.Env) (tool.Result, error) {
						<-ctx.Done()
						time.Sleep(time.Hour)
						return tool.Result{}, nil
					}, func(s *tool.Spec) { s.Timeout = c.inner }))
				start := time.Now()
				require.Contains(t, r.Dispatch(t.Context(), call("a", ""), registry.Env{}).Text(), c.want)
				require.LessOrEqual(t, time.Since(start), 2*time.Second)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

func TestCallsThatAreStuckInMiddlewareAreNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		r := newRegistry(t, doing("a", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result,
			error) {
			go env.Dispatch(ctx, tool.Call{Tool: "b"})
			<-started
			return tool.Text("done"), nil
		}), doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			panic("it must not begin any more")
		})).Using(func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
				if call.Tool == "b" {
					close(started)
					time.Sleep(time.Hour)
				}
				result := next(ctx, call, env)
				if call.Tool == "b" {
					require.Equal(t, tool.CodeCanceled, result.Code)
				}
				return result
			}
		})
		start := time.Now()
		require.Equal(t, "done", r.Dispatch(t.Context(), call("a", ""), registry.Env{}).Text())
		require.Less(t, time.Since(start), 5*time.Second)
		time.Sleep(2 * time.Hour)
	})
}

func TestCallsHaveTheirOwnViewOfTheFiles(t *testing.T) {
	for why, view := range map[string]func(afero.Fs) afero.Fs{
		"of a project":           func(files afero.Fs) afero.Fs { return files },
		"of a view of a project": func(files afero.Fs) afero.Fs { return vfs.ReadOnly(files, "/protected") },
	} {
		t.Run(why, func(t *testing.T) {
			project := newProject(t)
			r := newRegistry(t, doing("a", func(ctx context.Context, _ tool.Call,
				env tool.Env) (tool.Result, error) {
				own := vfs.ReadOnly(env.Files, "/memories") // a tool may pass this to code
				if err := afero.WriteFile(own, "/a", nil, 0o600); err != nil {
					return tool.Result{}, err
				}
				return env.Dispatch(ctx, tool.Call{Tool: "b"}), nil
			}), doing("b", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
				if err := vfs.WriteFile(ctx, env.Files, "/memories/b", nil); err != nil {
					return tool.Result{}, err
				}
				return tool.Text(fmt.Sprint(vfs.WriteFile(ctx, env.Files, "/protected", nil))), nil
			}))
			result := r.Dispatch(t.Context(), call("a", ""), registry.Env{Files: view(project)})
			require.Empty(t, result.Code, result.Text())
			if strings.Contains(why, "view of a") {
				require.Contains(t, result.Text(), "read-only file system",
					"what the host protects is protected from all")
			}
			changes, err := project.Changes(t.Context(), "/")
			require.NoError(t, err)
			by := map[string]string{}
			for _, c := range changes {
				by[c.Path] = c.Call
			}
			require.Equal(t, "call-1", by["/a"])
			require.Equal(t, "call-1.1", by["/memories/b"])
			_, err = project.Undo(t.Context(), "call-1.1")
			require.NoError(t, err)
			_, err = project.Stat("/a")
			require.NoError(t, err)
		})
	}
}

func TestCallsDoNotWaitForTheLockOfTheOneThatMakesThem(t *testing.T) {
	for why, view := range map[string]func(afero.Fs) afero.Fs{
		"a project": func(files afero.Fs) afero.Fs { return files },
		"a view":    func(files afero.Fs) afero.Fs { return vfs.ReadOnly(files, "/memories") },
		"a folder":  func(files afero.Fs) afero.Fs { return vfs.Sub(files, "/folder") },
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel() // waiting for the lock takes a second
			project := newProject(t)
			require.NoError(t, project.Mkdir("/folder", 0o755))
			b := doing("b", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
				return tool.Text("done"), vfs.WriteFile(ctx, env.Files, "/b", nil)
			})
			env := registry.Env{Files: view(project)}
			result := newRegistry(t, b, doing("a", func(ctx context.Context, _ tool.Call,
				env tool.Env) (result tool.Result, err error) {
				err = vfs.Exclusively(ctx, env.Files, func(afero.Fs) error {
					result = env.Dispatch(ctx, tool.Call{Tool: "b"})
					return nil
				})
				return result, err
			})).Dispatch(t.Context(), call("a", ""), env)
			require.Equal(t, tool.CodeNested, result.Code)
			require.Contains(t, result.Text(), "keeps others from changing")

			// A lock that is held only for a moment does not matter.
			result = newRegistry(t, b, doing("a", func(ctx context.Context, _ tool.Call,
				env tool.Env) (result tool.Result, err error) {
				held, made := make(chan struct{}), make(chan tool.Result)
				go func() {
					<-held
					made <- env.Dispatch(ctx, tool.Call{Tool: "b"})
				}()
				err = vfs.Exclusively(ctx, env.Files, func(afero.Fs) error {
					close(held)
					return nil
				})
				return <-made, err
			})).Dispatch(t.Context(), call("a", ""), env)
			require.Equal(t, "done", result.Text())
		})
	}
}

func TestMiddlewareSeesCallsThatToolsMake(t *testing.T) {
	var seen []string
	r := newRegistry(t, calling("a", "b"), whoami("b")).Using(func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			seen = append(seen, fmt.Sprintf("begin %s of %q for %s", call.ID, call.Parent, env.Project))
			result := next(ctx, call, env)
			seen = append(seen, "end "+call.ID)
			return result
		}
	})
	r.Dispatch(t.Context(), call("a", ""), registry.Env{Project: "p"})
	require.Equal(t, []string{`begin call-1 of "" for p`, `begin call-1.1 of "call-1" for p`, "end call-1.1",
		"end call-1"}, seen)
}

func TestManyCallsAtOnce(t *testing.T) {
	const many = 50
	var here sync.WaitGroup
	here.Add(many)
	r := newRegistry(t, doing("a", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result,
		error) {
		results := make([]tool.Result, many)
		var group sync.WaitGroup
		for i := range many {
			group.Go(func() { results[i] = env.Dispatch(ctx, tool.Call{Tool: "b"}) })
		}
		group.Wait()
		var ids []string
		for _, r := range results {
			ids = append(ids, r.CallID)
		}
		slices.Sort(ids)
		return tool.Text(fmt.Sprint(len(slices.Compact(ids)))), nil
	}), doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		here.Done()
		here.Wait() // until all are here
		return tool.Text("done"), nil
	}))
	require.Equal(t, "50", r.Dispatch(t.Context(), call("a", ""), registry.Env{}).Text())
}

func TestCallsOfAToolThatIsNotForManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		most, now := 0, 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			most = max(most, now)
		}
		many := func(ctx context.Context, env tool.Env) (texts []string) {
			results := make([]tool.Result, 10)
			var group sync.WaitGroup
			for i := range results {
				group.Go(func() { results[i] = env.Dispatch(ctx, tool.Call{Tool: "b"}) })
			}
			group.Wait()
			for _, r := range results {
				texts = append(texts, string(r.Code))
			}
			slices.Sort(texts)
			return slices.Compact(texts)
		}
		r := newRegistry(t, doing("a", func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result,
			error) {
			return tool.Text(fmt.Sprint(many(ctx, env))), nil
		}), doing("b", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			count(1)
			defer count(-1)
			time.Sleep(time.Second)
			return tool.Text("done"), nil
		}, func(s *tool.Spec) { s.AtOnce = 3 }))
		start := time.Now()
		require.Equal(t, "[]", r.Dispatch(t.Context(), call("a", ""), registry.Env{}).Text())
		require.Equal(t, 4*time.Second, time.Since(start))
		require.Equal(t, 3, most)

		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		require.Equal(t, tool.CodeTimeout, r.Dispatch(ctx, call("a", ""), registry.Env{}).Code)
		time.Sleep(time.Minute)
		count(0)
		require.Zero(t, now)
	})
	_, err := registry.New(named("x", func(s *tool.Spec) { s.AtOnce = -1 }))
	require.ErrorContains(t, err, "the number of calls at once is negative: -1")
}

func TestAParentIsNotForModels(t *testing.T) {
	var c tool.Call
	require.NoError(t, json.Unmarshal([]byte(`{"id":"1","tool":"a","Parent":"x","parent":"x"}`), &c))
	require.Empty(t, c.Parent)
}
