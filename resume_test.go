package toolrun_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// office is a process with the mail's tools on a store.
func office(t *testing.T, store vfs.Store, m *mailtest.Mail, o toolrun.SessionOptions) *toolrun.Session {
	t.Helper()
	runner := open(t, toolrun.Options{Store: store, Tools: m.Tools()})
	o.Select = mailtest.Choose
	session, err := runner.Session(t.Context(), "p", &o)
	require.NoError(t, err)
	return session
}

// idsOf returns the ids of calls that wait.
func idsOf(t *testing.T, r *waiting.Store, token string) (ids []string) {
	t.Helper()
	run, err := r.Get(t.Context(), token)
	require.NoError(t, err)
	for _, c := range run.Waiting() {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestACallWaitsAndGoesOn(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mailtest.Mail{}
	first := office(t, store, m, toolrun.SessionOptions{Chat: "c"})
	result := mailtest.Ask(t, first, "send", map[string]string{"to": "ada"})
	require.Equal(t, tool.CodePending, result.Code)
	require.Empty(t, m.Sent)
	token := result.Pending.Token
	require.Contains(t, result.Text(), "The call has not been made yet: it waits for the approval of a person ("+token+
		", until ")

	second := office(t, store, m, toolrun.SessionOptions{}) // another process
	again, err := second.Resume(t.Context(), token, nil)
	require.NoError(t, err)
	require.Equal(t, tool.CodePending, again.Code, "nobody has decided")
	r := runsOf(t, store)
	require.Equal(t, []string{"call_1"}, idsOf(t, r, token))
	done, err := second.Resume(t.Context(), token, mailtest.Approve("call_1"))
	require.NoError(t, err)
	require.Equal(t, "sent to ada", done.Text())
	require.Equal(t, "ada", done.Approval.By)
	done, err = first.Resume(t.Context(), token, mailtest.Approve("call_1"))
	require.NoError(t, err)
	require.Equal(t, "sent to ada", done.Text(), "the same, and not again")
	require.Equal(t, []string{"ada"}, m.Sent)
}

func runsOf(t *testing.T, store vfs.Store) *waiting.Store {
	r, err := waiting.New(store, nil)
	require.NoError(t, err)
	return r
}

// TestCodeGoesOnWithItsOptions has another process, which chooses nothing, go on with code that may call tools.
func TestCodeGoesOnWithItsOptions(t *testing.T) {
	store, m := local.NewMemoryStore(nil), &mailtest.Mail{}
	first := office(t, store, m, toolrun.SessionOptions{})
	result := mailtest.Ask(t, first, "javascript",
		mailtest.Code(`return [await tools.send({to: 'a'}), await tools.send({to: 'b'})]`))
	require.NotNil(t, result.Pending, result.Text())
	runner := open(t, toolrun.Options{Store: store, Tools: m.Tools()})
	second, err := runner.Session(t.Context(), "p",
		&toolrun.SessionOptions{Select: func(s registry.Selection) registry.Selection {
			s.Ask = []string{"send"}
			return s
		}})
	require.NoError(t, err)
	token := result.Pending.Token
	for range 2 { // the second time, it has been kept by the process that went on
		env, err := second.Env(t.Context())
		require.NoError(t, err)
		runs := runsOf(t, store)
		result, err = runs.In(waiting.ProjectScope("p")).ResumeFor(t.Context(), runner.Registry(), env, token,
			mailtest.Approve(idsOf(t, runs, token)...))
		require.NoError(t, err)
	}
	require.Empty(t, result.Code, result.Text())
	require.Equal(t, []string{"a", "b"}, m.Sent)
}

func TestCodeWaitsAndGoesOn(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mailtest.Mail{}
	first := office(t, store, m, toolrun.SessionOptions{Chat: "c"})
	result := mailtest.Ask(t, first, "javascript", mailtest.Code(`
		const seen = [await tools.look({to: 'a'})];
		fs.appendFileSync('/log', 'before ');
		console.log('before');
		const [x, y] = await Promise.all(
			[tools.send({to: 'x'}), tools.send({to: 'y'}).catch((e) => e.code + ' ' + e.message)]);
		fs.appendFileSync('/log', 'between ');
		seen.push(x, y, await tools.look({to: 'b'}));
		fs.appendFileSync('/log', 'after');
		return seen.join()`))
	require.Equal(t, tool.CodePending, result.Code, result.Text())
	token := result.Pending.Token
	require.Contains(t, result.Text(), "its calls of send wait for the approval of a person")
	require.Equal(t, 1, m.Looked)
	r := runsOf(t, store)
	ids := idsOf(t, r, token)
	require.ElementsMatch(t, []string{"call_1.2", "call_1.3"}, ids)

	_, err := r.Decide(t.Context(), token, mailtest.Approve(ids[0]))
	require.NoError(t, err)
	second := office(t, store, m, toolrun.SessionOptions{})
	result, err = second.Resume(t.Context(), token, nil)
	require.NoError(t, err)
	require.Equal(t, tool.CodePending, result.Code, "the other call has no decision")
	result, err = second.Resume(t.Context(), token, map[string]registry.Decision{ids[1]: {Reason: "no", By: "ada"}})
	require.NoError(t, err)
	require.Equal(t, "=== Console output ===\n[LOG] before\n=== Result ===\nlooked at a 1,sent to x,refused A person "+
		"has refused the "+
		"call of send: no. Do not repeat it as it was.,looked at b 2\nTool calls: look 2, send 2 (1 failed)\nFiles: "+
		"created /log", result.Text())
	require.Equal(t, []string{"x"}, m.Sent)
	log, err := afero.ReadFile(second.Project(), "/log")
	require.NoError(t, err)
	require.Equal(t, "before between after", string(log))
	_, err = r.Get(t.Context(), token)
	require.ErrorIs(t, err, waiting.ErrNone)
}

// A model that is told to make the call again gets the result.
func TestTheSameCallAgain(t *testing.T) {
	store := local.NewMemoryStore(nil)
	m := &mailtest.Mail{}
	s := office(t, store, m, toolrun.SessionOptions{Chat: "c", Client: "k"})
	script := mailtest.Code(`/* <&> */ return await tools.send({to: 'x<&>'})`)
	token := mailtest.Ask(t, s, "javascript", script).Pending.Token
	require.Equal(t, token, mailtest.Ask(t, s, "javascript", script).Pending.Token,
		"it still waits, and there is no second one")
	other := office(t, store, m, toolrun.SessionOptions{Chat: "other", Client: "k"})
	require.NotEqual(t, token, mailtest.Ask(t, other, "javascript", script).Pending.Token, "of another conversation")
	_, err := runsOf(t, store).Decide(t.Context(), token, mailtest.Approve("call_1.1"))
	require.NoError(t, err)
	result := mailtest.Ask(t, s, "javascript", script)
	require.Regexp(t,
		`^\[This is the result of the same call, which had to wait for approval: run-[a-z0-9]*, `+
			`ended [^]]*\]\nsent to x<&>`,
		result.Text())
	require.Equal(t, []string{"x<&>"}, m.Sent)
	require.NotEqual(t, token, mailtest.Ask(t, s, "javascript", script).Pending.Token, "a new call")
}
