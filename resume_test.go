package toolrun_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/runs"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// mail counts what is sent and looked at, in the world outside.
type mail struct {
	mu     sync.Mutex
	sent   []string
	looked int
	before func() // is called when something is sent; nil is nothing
}

func (m *mail) tools() []registry.Tool {
	type in struct {
		To string `json:"to"`
	}
	return []registry.Tool{
		registry.Func(registry.Spec{Name: "send", Description: "Sends.",
			Annotations: registry.Annotations{Destructive: true}},
			func(_ context.Context, in in, _ registry.Env) (string, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				if m.before != nil {
					m.before()
				}
				m.sent = append(m.sent, in.To)
				return "sent to " + in.To, nil
			}),
		registry.Func(registry.Spec{Name: "look", Description: "Looks.",
			Annotations: registry.Annotations{ReadOnly: true}},
			func(_ context.Context, in in, _ registry.Env) (string, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.looked++
				return fmt.Sprint("looked at ", in.To, " ", m.looked), nil
			}),
	}
}

// office is a process with the mail's tools on a store.
func office(t *testing.T, store vfs.Store, m *mail, o toolrun.SessionOptions) *toolrun.Session {
	t.Helper()
	runner := open(t, toolrun.Options{Store: store, Tools: m.tools()})
	o.Select = choosesSend
	session, err := runner.Session(t.Context(), "p", &o)
	require.NoError(t, err)
	return session
}

// choosesSend asks for what is sent, and lets code call tools.
func choosesSend(s registry.Selection) registry.Selection {
	s.Ask = []string{"send"}
	return s.WithOption(javascript.Name, javascript.OptionToolCalls, true)
}

func ask(t testing.TB, s *toolrun.Session, tool string, input any) registry.Result {
	t.Helper()
	data, err := json.Marshal(input)
	require.NoError(t, err)
	results, err := s.DispatchAll(t.Context(), []registry.Call{{ID: "call_1", Tool: tool, Input: data}})
	require.NoError(t, err)
	return results[0]
}

func codeInput(text string) map[string]string { return map[string]string{"code": text} }

// waiting returns the ids of calls that wait.
func waiting(t *testing.T, r *runs.Runs, token string) (ids []string) {
	t.Helper()
	run, err := r.Get(t.Context(), token)
	require.NoError(t, err)
	for _, c := range run.Waiting() {
		ids = append(ids, c.ID)
	}
	return ids
}

func approve(ids ...string) map[string]registry.Decision {
	all := map[string]registry.Decision{}
	for _, id := range ids {
		all[id] = registry.Decision{Approved: true, By: "ada"}
	}
	return all
}

func TestACallWaitsAndGoesOn(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mail{}
	first := office(t, store, m, toolrun.SessionOptions{Chat: "c"})
	result := ask(t, first, "send", map[string]string{"to": "ada"})
	require.Equal(t, registry.CodePending, result.Code)
	require.Empty(t, m.sent)
	token := result.Pending.Token
	require.Contains(t, result.Text(), "The call has not been made yet: it waits for the approval of a person ("+token+
		", until ")

	second := office(t, store, m, toolrun.SessionOptions{}) // another process
	again, err := second.Resume(t.Context(), token, nil)
	require.NoError(t, err)
	require.Equal(t, registry.CodePending, again.Code, "nobody has decided")
	r := runsOf(t, store)
	require.Equal(t, []string{"call_1"}, waiting(t, r, token))
	done, err := second.Resume(t.Context(), token, approve("call_1"))
	require.NoError(t, err)
	require.Equal(t, "sent to ada", done.Text())
	require.Equal(t, "ada", done.Approval.By)
	done, err = first.Resume(t.Context(), token, approve("call_1"))
	require.NoError(t, err)
	require.Equal(t, "sent to ada", done.Text(), "the same, and not again")
	require.Equal(t, []string{"ada"}, m.sent)
}

func runsOf(t *testing.T, store vfs.Store) *runs.Runs {
	r, err := runs.New(store.(vfs.RecordStore), nil)
	require.NoError(t, err)
	return r
}

// TestCodeGoesOnWithItsOptions has another process, which chooses nothing, go on with code that may call tools.
func TestCodeGoesOnWithItsOptions(t *testing.T) {
	store, m := local.NewMemoryStore(nil), &mail{}
	first := office(t, store, m, toolrun.SessionOptions{})
	result := ask(t, first, "javascript",
		codeInput(`return [await tools.send({to: 'a'}), await tools.send({to: 'b'})]`))
	require.NotNil(t, result.Pending, result.Text())
	runner := open(t, toolrun.Options{Store: store, Tools: m.tools()})
	second, err := runner.Session(t.Context(), "p",
		&toolrun.SessionOptions{Select: func(s registry.Selection) registry.Selection {
			s.Ask = []string{"send"}
			return s
		}})
	require.NoError(t, err)
	token := result.Pending.Token
	for range 2 { // the second time, it has been kept by the process that went on
		result, err = second.ResumeFor(t.Context(), token, approve(waiting(t, runsOf(t, store), token)...))
		require.NoError(t, err)
	}
	require.Empty(t, result.Code, result.Text())
	require.Equal(t, []string{"a", "b"}, m.sent)
}

func TestCodeWaitsAndGoesOn(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mail{}
	first := office(t, store, m, toolrun.SessionOptions{Chat: "c"})
	result := ask(t, first, "javascript", codeInput(`
		const seen = [await tools.look({to: 'a'})];
		fs.appendFileSync('/log', 'before ');
		console.log('before');
		const [x, y] = await Promise.all([tools.send({to: 'x'}), tools.send({to: 'y'}).catch((e) => e.code + ' ' + e.message)]);
		fs.appendFileSync('/log', 'between ');
		seen.push(x, y, await tools.look({to: 'b'}));
		fs.appendFileSync('/log', 'after');
		return seen.join()`))
	require.Equal(t, registry.CodePending, result.Code, result.Text())
	token := result.Pending.Token
	require.Contains(t, result.Text(), "its calls of send wait for the approval of a person")
	require.Equal(t, 1, m.looked)
	r := runsOf(t, store)
	ids := waiting(t, r, token)
	require.ElementsMatch(t, []string{"call_1.2", "call_1.3"}, ids)

	_, err := r.Decide(t.Context(), token, approve(ids[0]))
	require.NoError(t, err)
	second := office(t, store, m, toolrun.SessionOptions{})
	result, err = second.Resume(t.Context(), token, nil)
	require.NoError(t, err)
	require.Equal(t, registry.CodePending, result.Code, "the other call has no decision")
	result, err = second.Resume(t.Context(), token, map[string]registry.Decision{ids[1]: {Reason: "no", By: "ada"}})
	require.NoError(t, err)
	require.Equal(t, "=== Console output ===\n[LOG] before\n=== Result ===\nlooked at a 1,sent to x,refused A person "+
		"has refused the "+
		"call of send: no. Do not repeat it as it was.,looked at b 2\nTool calls: look 2, send 2 (1 failed)\nFiles: "+
		"created /log", result.Text())
	require.Equal(t, []string{"x"}, m.sent)
	log, err := afero.ReadFile(second.Project(), "/log")
	require.NoError(t, err)
	require.Equal(t, "before between after", string(log))
	_, err = r.Get(t.Context(), token)
	require.ErrorIs(t, err, runs.ErrNone)
}

// A model that is told to make the call again gets the result.
func TestTheSameCallAgain(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mail{}
	s := office(t, store, m, toolrun.SessionOptions{Chat: "c", Client: "k"})
	script := codeInput(`/* <&> */ return await tools.send({to: 'x<&>'})`)
	token := ask(t, s, "javascript", script).Pending.Token
	require.Equal(t, token, ask(t, s, "javascript", script).Pending.Token, "it still waits, and there is no second one")
	other := office(t, store, m, toolrun.SessionOptions{Chat: "other", Client: "k"})
	require.NotEqual(t, token, ask(t, other, "javascript", script).Pending.Token, "of another conversation")
	_, err := runsOf(t, store).Decide(t.Context(), token, approve("call_1.1"))
	require.NoError(t, err)
	result := ask(t, s, "javascript", script)
	require.Regexp(t, `^\[This is the result of the same call, which had to wait for approval: run-[a-z0-9]*, ended [^]]*\]\nsent to x<&>`, result.Text())
	require.Equal(t, []string{"x<&>"}, m.sent)
	require.NotEqual(t, token, ask(t, s, "javascript", script).Pending.Token, "a new call")
}
