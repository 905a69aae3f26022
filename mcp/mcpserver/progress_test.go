package mcpserver_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// listening returns options of a client that passes on what it hears of progress.
func listening() (*sdk.ClientOptions, chan *sdk.ProgressNotificationParams) {
	heard := make(chan *sdk.ProgressNotificationParams, 1000)
	return &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		n *sdk.ProgressNotificationClientRequest) {
		heard <- n.Params
	}}, heard
}

// TestHeartbeat has calls that say nothing for a long time, by a clock that does not wait.
func TestHeartbeat(t *testing.T) {
	for name, test := range map[string]struct {
		token  any
		report func(env tool.Env)
		want   []string
	}{
		"a call without a token": {nil, nil, nil},
		"a call with a token": {"t", nil, []string{"0: slow has been running for 5s",
			"1: slow has been running for 10s"}},
		"a call that has counted": {"t", func(env tool.Env) { env.Report("half", 1, 2) }, []string{"1: half",
			"1.0: slow has been running for 5s", "1.0: slow has been running for 10s"}},
		"a call that ended at once": {"t", func(env tool.Env) { env.Report("all", 2, 2) }, []string{"2: all",
			"3: slow has been running for 5s", "4: slow has been running for 10s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := tool.Func(tool.Spec{Name: "slow", Description: "Takes its time.", Timeout: time.Minute},
					func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
						if test.report != nil {
							test.report(env)
						}
						time.Sleep(12 * time.Second)
						return "done", nil
					})
				tools, err := registry.New(slow)
				require.NoError(t, err)
				server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), nil)
				require.NoError(t, err)
				options, heard := listening()
				session := connect(t, overStdio(t, server), "2025-11-25", options)
				params := &sdk.CallToolParams{Name: "slow"}
				if test.token != nil {
					params.SetProgressToken(test.token)
				}
				_, err = session.CallTool(t.Context(), params)
				require.NoError(t, err)
				var got []string
				last := -1.0
				for range len(heard) {
					n := <-heard
					require.Greater(t, n.Progress, last)
					last = n.Progress
					number := fmt.Sprint(n.Progress)
					if strings.HasPrefix(number, "1.0") {
						number = "1.0" // a little more
					}
					got = append(got, number+": "+n.Message)
				}
				require.Equal(t, test.want, got)
				require.NoError(t, session.Close())
				require.NoError(t, server.Shutdown(t.Context()))
			})
		})
	}
}

// TestCallsEndBeforeTheClientsPatience has tools that take as long as they may, and clients that wait for a minute,
// with or without a token, by a clock that does not wait.
func TestCallsEndBeforeTheClientsPatience(t *testing.T) {
	for name, test := range map[string]struct {
		own, set time.Duration // the tool's limit, and the call's
		want     time.Duration // when the call ends; 0 means too late for the client
	}{
		"a tool with the limit of code":       {time.Minute, 0, 50 * time.Second},
		"a tool whose limit is little more":   {51 * time.Second, 0, 50 * time.Second},
		"a tool with a short limit":           {30 * time.Second, 0, 30 * time.Second},
		"a tool without a limit of its own":   {0, 0, 10 * time.Second},
		"a tool with a long limit":            {5 * time.Minute, 0, 0},
		"a tool that is not limited":          {tool.NoTimeout, 0, 0},
		"a longer limit of the operator":      {time.Minute, 2 * time.Minute, 0},
		"a shorter limit of the operator":     {time.Minute, 5 * time.Second, 5 * time.Second},
		"the operator's limit of a long tool": {5 * time.Minute, 55 * time.Second, 55 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			for _, token := range []any{nil, "t"} {
				for _, keeps := range []bool{false, true} {
					synctest.Test(t, func(t *testing.T) {
						slow := tool.JSONFunc(tool.Spec{Name: "slow", Description: "Takes its time.",
							Timeout: test.own, KeepsTime: keeps},
							func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
								if keeps && env.Timeout > 0 {
									select {
									case <-time.After(env.Timeout):
									case <-ctx.Done():
									}
									return tool.Failure(tool.CodeTimeout, "stopped by itself"), nil
								}
								<-ctx.Done()
								return tool.Result{}, ctx.Err()
							})
						tools, err := registry.New(slow)
						require.NoError(t, err)
						env := registry.Env{Limits: registry.Limits{Timeout: test.set}}
						server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env), nil)
						require.NoError(t, err)
						options, heard := listening()
						session := connect(t, overStdio(t, server), "2025-11-25", options)
						params := &sdk.CallToolParams{Name: "slow"}
						if token != nil {
							params.SetProgressToken(token)
						}
						ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
						defer cancel()
						began := time.Now()
						result, err := session.CallTool(ctx, params)
						took := time.Since(began)
						if test.want == 0 {
							require.Equal(t, time.Minute, took)
							require.ErrorIs(t, err, context.DeadlineExceeded)
						} else {
							require.NoError(t, err)
							require.GreaterOrEqual(t, took, test.want)
							require.Less(t, took, test.want+2*time.Second)
							require.True(t, result.IsError)
							text := result.Content[0].(*sdk.TextContent).Text
							if keeps {
								require.Equal(t, "stopped by itself", text)
							} else {
								require.Equal(t, fmt.Sprintf("Tool execution timed out after %dms.",
									test.want.Milliseconds()), text)
							}
						}
						if token != nil {
							require.GreaterOrEqual(t, len(heard), int(took/(5*time.Second))-1,
								"a client that counts from the last progress waits on")
						}
						synctest.Wait() // until the server knows that the client has given up
						require.NoError(t, session.Close())
						require.NoError(t, server.Shutdown(t.Context()))
					})
				}
			}
		})
	}
}

// TestApprovalsEndBeforeTheClientsPatience has a user who does not answer. The client waits for a minute, and for
// longer only if it hears of progress.
func TestApprovalsEndBeforeTheClientsPatience(t *testing.T) {
	for _, test := range []struct {
		token any
		set   time.Duration
		want  time.Duration
	}{{nil, 0, 50 * time.Second}, {"t", 0, 2 * time.Minute}, {nil, 90 * time.Second, 90 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			send := tool.Func(tool.Spec{Name: "send", Description: "Sends."},
				func(context.Context, struct{}, tool.Env) (string, error) { return "sent", nil })
			tools, err := registry.New(send)
			require.NoError(t, err)
			env := registry.Env{Selection: registry.Selection{Ask: []string{"send"}}}
			server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env),
				&mcpserver.Options{ApprovalTime: test.set})
			require.NoError(t, err)
			options, _ := listening()
			options.ElicitationHandler = func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			session := connect(t, overStdio(t, server), "2025-11-25", options)
			params := &sdk.CallToolParams{Name: "send"}
			if test.token != nil {
				params.SetProgressToken(test.token)
			}
			began := time.Now()
			result, err := session.CallTool(t.Context(), params)
			require.NoError(t, err)
			require.True(t, result.IsError)
			require.Contains(t, result.Content[0].(*sdk.TextContent).Text, "approv")
			require.InDelta(t, test.want.Seconds(), time.Since(began).Seconds(), 2)
			require.NoError(t, session.Close())
			require.NoError(t, server.Shutdown(t.Context()))
		})
	}
}

// TestHeartbeatOfWaitingCalls has a call that waits for another one before it runs for long itself.
func TestHeartbeatOfWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tool.Func(tool.Spec{Name: "slow", Description: "Takes its time.", Timeout: time.Minute},
			func(context.Context, struct{}, tool.Env) (string, error) {
				time.Sleep(7 * time.Second)
				return "done", nil
			})
		tools, err := registry.New(slow)
		require.NoError(t, err)
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), nil)
		require.NoError(t, err)
		options, heard := listening()
		session := connect(t, overStdio(t, server), "2025-11-25", options)
		first := make(chan error, 1)
		go func() {
			_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "slow"})
			first <- err
		}()
		synctest.Wait()
		params := &sdk.CallToolParams{Name: "slow"}
		params.SetProgressToken("t")
		_, err = session.CallTool(t.Context(), params)
		require.NoError(t, err)
		require.NoError(t, <-first)
		synctest.Wait() // an answer can overtake what was told before it
		require.Len(t, heard, 2)
		require.Equal(t, "waiting for earlier calls", (<-heard).Message)
		require.Equal(t, "slow has been running for 3s", (<-heard).Message)
		require.NoError(t, session.Close())
		require.NoError(t, server.Shutdown(t.Context()))
	})
}

// TestConsoleIsSentWhileCodeRuns runs code that is ended by a client that has heard what it printed.
func TestConsoleIsSentWhileCodeRuns(t *testing.T) {
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		release := make(chan struct{})
		hold := tool.Func(tool.Spec{Name: "hold", Description: "Waits."},
			func(ctx context.Context, _ struct{}, env tool.Env) (string, error) {
				env.Report("holding", 0, 0)
				select {
				case <-release:
				case <-ctx.Done():
				}
				return "released", nil
			})
		tools := builtIn(t, hold)
		env := registry.Env{Project: "notes", Files: newProject(t)}
		env.Selection.Options = map[string]map[string]any{"javascript": {"toolCalls": true}}
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env), nil)
		require.NoError(t, err)
		options, heard := listening()
		session := connect(server, options)
		params := &sdk.CallToolParams{Name: "javascript", Arguments: map[string]any{
			"code": `console.log('one\ntwo'); console.error('three'); return await tools.hold({})`,
		}}
		params.SetProgressToken("p")
		ended := make(chan string, 1)
		go func() {
			result, err := session.CallTool(t.Context(), params)
			if err != nil {
				ended <- err.Error()
				return
			}
			ended <- result.Content[0].(*sdk.TextContent).Text
		}()
		var text []string
		for !strings.Contains(strings.Join(text, "\n"), "holding") || !strings.Contains(strings.Join(text, "\n"),
			"three") {
			text = append(text, (<-heard).Message)
		}
		require.Contains(t, strings.Join(text, "\n"), "[LOG] one\ntwo")
		require.Contains(t, strings.Join(text, "\n"), "[ERROR] three", "before or after what the tool says")
		close(release)
		require.Contains(t, <-ended, "=== Result ===\nreleased")
	})
}

// TestLinesThatGrow has code that writes a line bit by bit. Clients show the latest message, which has all of the line.
func TestLinesThatGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dots := tool.Func(tool.Spec{Name: "dots", Description: "Prints."},
			func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
				for _, e := range []tool.ConsoleEntry{
					{Text: ".", Unfinished: true}, {Text: ".", Unfinished: true}, {Text: " done"},
					{Text: "next", Unfinished: true},
					{Text: "bad", Level: "WARN"}, {Text: "so lo", Unfinished: true}, {Text: strings.Repeat("g", 1e5),
						Unfinished: true}, {},
				} {
					e.Level = cmp.Or(e.Level, "LOG")
					env.Print(e)
					time.Sleep(time.Second)
				}
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: "told at once"})
				time.Sleep(time.Millisecond) // what follows is told together, later
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: "a", Unfinished: true})
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: "b", Library: "x.js"})
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: "at the", Unfinished: true})
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: " end", Unfinished: true})
				return "done", nil
			})
		tools, err := registry.New(dots)
		require.NoError(t, err)
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), nil)
		require.NoError(t, err)
		options, heard := listening()
		session := connect(t, overStdio(t, server), "2025-11-25", options)
		params := &sdk.CallToolParams{Name: "dots"}
		params.SetProgressToken("t")
		_, err = session.CallTool(t.Context(), params)
		require.NoError(t, err)
		synctest.Wait() // an answer can overtake what was told before it
		var got []string
		for range len(heard) {
			if n := <-heard; !strings.Contains(n.Message, "running for") {
				got = append(got, strings.ReplaceAll(n.Message, strings.Repeat("g", 4084), "(4084 g)"))
			}
		}
		const long = "[LOG] so lo(4084 g)\u2026"
		require.Equal(t, []string{"[LOG] .", "[LOG] ..", "[LOG] .. done", "[LOG] next", "[WARN] bad", "[LOG] so lo",
			long, long, "[LOG] told at once",
			"[LOG] a\n[LOG] b\n[LOG] at the end"}, got)
		require.NoError(t, session.Close())
		require.NoError(t, server.Shutdown(t.Context()))
	})
}

// TestConsoleFlood prints without end for clients that read, and for one that does not.
func TestConsoleFlood(t *testing.T) {
	const code = `for (let i = 0;; i++) console.log('line ' + i)`
	env := registry.Env{Project: "notes", Files: newProject(t),
		Limits: registry.Limits{Timeout: 300 * time.Millisecond}}
	newFlooded := func(t *testing.T) (*mcpserver.Server, chan tool.Result) {
		results := make(chan tool.Result, 1)
		tools := builtIn(t).Using(func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
				result := next(ctx, call, env)
				results <- result
				return result
			}
		})
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env), nil)
		require.NoError(t, err)
		return server, results
	}
	t.Run("for a client that reads", func(t *testing.T) {
		server, _ := newFlooded(t)
		options, heard := listening()
		session := connect(t, overStdio(t, server), "2025-11-25", options)
		params := &sdk.CallToolParams{Name: "javascript", Arguments: map[string]any{"code": code}}
		params.SetProgressToken(1)
		start := time.Now()
		_, err := session.CallTool(t.Context(), params)
		require.NoError(t, err)
		require.NotEmpty(t, heard)
		require.LessOrEqual(t, len(heard), 3+int(time.Since(start)/(50*time.Millisecond)))
		for range len(heard) {
			require.Less(t, len((<-heard).Message), 5000)
		}
	})
	t.Run("for a client that does not read", func(t *testing.T) {
		server, results := newFlooded(t)
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() { _ = server.ServeStdio(context.Background(), in, out) }()
		go func() {
			_, _ = io.WriteString(toServer,
				initialize+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"javascript",`+
					`"arguments":{"code":"`+code+`"},"_meta":{"progressToken":1}}}`+"\n")
		}()
		_, err := bufio.NewReaderSize(fromServer, 16).ReadString('\n') // and no more
		require.NoError(t, err)
		result := <-results
		require.Equal(t, tool.CodeTimeout, result.Code)
		require.NoError(t, fromServer.Close())
		require.NoError(t, toServer.Close())
	})
}
