package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestClosing closes under calls that go on for ever, and one that is not done by then.
func TestClosing(t *testing.T) {
	for name, closes := range map[string]func(*toolrun.Runner, *toolrun.Session) error{
		"session": func(_ *toolrun.Runner, s *toolrun.Session) error { return s.Close() },
		"runner":  func(r *toolrun.Runner, _ *toolrun.Session) error { return r.Close() },
		"several at once": func(r *toolrun.Runner, s *toolrun.Session) error {
			var group sync.WaitGroup
			var errs [6]error
			for i := range errs {
				group.Go(func() {
					if errs[i] = s.Close(); i%2 == 0 {
						errs[i] = r.Close()
					}
				})
			}
			group.Wait()
			return errors.Join(errs[:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			running, release := make(chan struct{}, 2), make(chan struct{})
			stubborn := tool.JSONFunc(tool.Spec{Name: "stubborn", Description: "Goes on.",
				Timeout: tool.NoTimeout},
				func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
					running <- struct{}{}
					<-release
					return tool.Text("done"), nil
				})
			starting := func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
					if call.ID == "loop" {
						running <- struct{}{}
					}
					return next(ctx, call, env)
				}
			}
			runner := open(t, toolrun.Options{Tools: []tool.Tool{stubborn},
				Middleware: []registry.Middleware{starting}})
			defer close(release)
			session := openSession(t, runner, "p", nil)
			var group sync.WaitGroup
			for id, calls := range map[string]string{
				"loop":     `{"type":"tool_use","id":"loop","name":"javascript","input":{"code":"for (;;) {}"}}`,
				"stubborn": `{"type":"tool_use","id":"stubborn","name":"stubborn","input":{}}`,
			} {
				group.Go(func() {
					next := `{"type":"tool_use","id":"next","name":"filesystem",` +
						`"input":{"command":"create","path":"/next","file_text":""}}`
					messages, err := session.Do(context.Background(), tool.Anthropic,
						[]byte("["+calls+","+next+"]"))
					assert.NoError(t, err)
					var list []struct {
						Content []struct {
							ID      string `json:"tool_use_id"`
							IsError bool   `json:"is_error"`
						}
					}
					assert.NoError(t, json.Unmarshal(messages, &list))
					if assert.Len(t, list, 1) && assert.Len(t, list[0].Content, 2) {
						for i, id := range []string{id, "next"} {
							assert.Equal(t, id, list[0].Content[i].ID)
							assert.True(t, list[0].Content[i].IsError)
						}
					}
				})
			}
			<-running
			<-running
			require.NoError(t, closes(runner, session))
			group.Wait()
			requireClosed(t, session)
			if name != "session" {
				_, err := runner.Session(t.Context(), "p", nil)
				require.ErrorIs(t, err, toolrun.ErrClosed)
				_, err = runner.DirSession(t.TempDir(), nil)
				require.ErrorIs(t, err, toolrun.ErrClosed)
				return
			}
			again := openSession(t, runner, "p", nil)
			require.Equal(t, "42", do(t, again, "javascript", `{"code":"return 42"}`))
			_, err := again.Project().Stat("/next")
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
}

// TestProjectOfAClosedRunner: ProjectSession closes the project that it was given, whether it returns a session or not.
func TestProjectOfAClosedRunner(t *testing.T) {
	store, err := local.OpenStore(t.TempDir(), nil)
	require.NoError(t, err)
	defer store.Close()
	runner := open(t, toolrun.Options{})
	require.NoError(t, runner.Close())
	project, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	_, err = runner.ProjectSession("p", project, nil)
	require.ErrorIs(t, err, toolrun.ErrClosed)
	_, err = project.Create("/file")
	require.ErrorIs(t, err, fs.ErrClosed)
}

func requireClosed(t *testing.T, session *toolrun.Session) {
	t.Helper()
	_, err := session.Do(t.Context(), tool.Anthropic, []byte(turns[tool.Anthropic].response))
	require.ErrorIs(t, err, toolrun.ErrClosed)
	_, err = session.DispatchAll(t.Context(), nil)
	require.ErrorIs(t, err, toolrun.ErrClosed)
	_, err = session.Definitions(t.Context(), tool.Anthropic, nil)
	require.ErrorIs(t, err, toolrun.ErrClosed)
	_, err = session.SystemPrompt(t.Context(), tool.Anthropic)
	require.ErrorIs(t, err, toolrun.ErrClosed)
	_, err = session.Env(t.Context())
	require.ErrorIs(t, err, toolrun.ErrClosed)
}

// TestClosedByATool closes the runner from inside of a call, which must not wait for itself for ever.
func TestClosedByATool(t *testing.T) {
	var runner *toolrun.Runner
	closed := make(chan error, 1)
	suicidal := tool.JSONFunc(tool.Spec{Name: "close", Description: "Closes."},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			closed <- runner.Close()
			return tool.Text("closed"), nil
		})
	runner = open(t, toolrun.Options{Tools: []tool.Tool{suicidal}})
	results, err := openSession(t, runner, "p", nil).DispatchAll(t.Context(), []tool.Call{{ID: "1", Tool: "close"}})
	require.NoError(t, err)
	require.Equal(t, tool.CodeCanceled, results[0].Code)
	require.ErrorIs(t, results[0].Err, registry.ErrAbandoned)
	require.NoError(t, <-closed)
}

// TestOpeningWhileClosing races for sessions of a runner that is being closed: none is left open.
func TestOpeningWhileClosing(t *testing.T) {
	for range 10 {
		runner := open(t, toolrun.Options{DataDir: t.TempDir(), Projects: vfs.Options{NoSync: true}})
		var sessions [50]*toolrun.Session
		var group sync.WaitGroup
		for i := range sessions {
			group.Go(func() {
				session, err := runner.Session(t.Context(), fmt.Sprint("p", i), nil)
				if err != nil {
					assert.ErrorIs(t, err, toolrun.ErrClosed)
					return
				}
				sessions[i] = session
				if _, err = session.Do(context.Background(), tool.Anthropic,
					[]byte(`{"type":"tool_use","id":"1","name":"memory"}`)); err != nil {
					assert.ErrorIs(t, err, toolrun.ErrClosed)
				}
			})
			if i == len(sessions)/2 {
				group.Go(func() { assert.NoError(t, runner.Close()) })
			}
		}
		group.Wait()
		for _, session := range sessions {
			if session != nil {
				_, err := session.Env(t.Context())
				require.ErrorIs(t, err, toolrun.ErrClosed)
				_, err = session.Project().Stat("/")
				require.ErrorIs(t, err, fs.ErrClosed)
			}
		}
	}
}

// waitingSettings are a project whose settings are not to be had until the caller gives up.
type waitingSettings struct {
	vfs.Project
	asked chan struct{}
}

func (w waitingSettings) Settings(ctx context.Context) ([]byte, error) {
	close(w.asked)
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestClosedWhileSettingsAreRead closes a session before its first call knows what is enabled.
func TestClosedWhileSettingsAreRead(t *testing.T) {
	runner := open(t, toolrun.Options{})
	project, err := runner.Store().Open(t.Context(), "p")
	require.NoError(t, err)
	waiting := waitingSettings{project, make(chan struct{})}
	session, err := runner.ProjectSession("p", waiting, nil)
	require.NoError(t, err)
	failed := make(chan error)
	go func() {
		_, err := session.Env(t.Context())
		failed <- err
	}()
	<-waiting.asked
	require.NoError(t, session.Close())
	require.ErrorIs(t, <-failed, toolrun.ErrClosed)
}
