package toolrun_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
)

// TestGates: sessions of a project share connections and the requests of a minute, and no two projects do.
func TestGates(t *testing.T) {
	var mu sync.Mutex
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			"answer")
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	rule, err := network.ParseRule(server.URL)
	require.NoError(t, err)
	var records []network.Record
	r, err := toolrun.Open(t.Context(), &toolrun.Options{
		Network: &network.Policy{Rules: []network.Rule{rule}, Limits: network.Limits{PerMinute: 5}},
		NetworkAudit: func(r network.Record) {
			mu.Lock()
			defer mu.Unlock()
			records = append(records, r)
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	env := func(s *toolrun.Session, err error) registry.Env {
		require.NoError(t, err)
		env, err := s.Env(t.Context())
		require.NoError(t, err)
		return env
	}
	get := func(env registry.Env) error {
		response, err := env.Selection.Network.Run("").Do(t.Context(), &network.Request{URL: server.URL})
		if err == nil {
			_, err = response.Body.Read(make([]byte, 100))
			_, _ = response.Body.Read(make([]byte, 100))
			require.NoError(t, response.Body.Close())
		}
		if err != nil && err.Error() != "EOF" {
			return err
		}
		return nil
	}
	one, again, other := env(r.Session(t.Context(), "one", nil)), env(r.Session(t.Context(), "one", nil)),
		env(r.Session(t.Context(), "other", nil))
	dir := t.TempDir()
	first, second := env(r.DirSession(dir, nil)), env(r.DirSession(dir, nil))
	for _, e := range []registry.Env{one, one, again, again, again} {
		require.NoError(t, get(e))
	}
	require.Equal(t, int64(1), connections.Load())
	require.ErrorContains(t, get(one), "there were 5 requests in a minute")
	for n, e := range []registry.Env{other, first, second} {
		require.NoError(t, get(e))
		require.Equal(t, int64(n+2), connections.Load())
	}
	require.Equal(t, "one", records[0].Project)

	// A project's own rules.
	session, err := r.Session(t.Context(), "own", nil)
	require.NoError(t, err)
	require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
		return []byte(`{"network": {"allow": ["https://example.com"]}}`), nil
	}))
	policy := env(session, nil).Selection.Network.Policy()
	require.Len(t, policy.Rules, 2)
	require.Len(t, one.Selection.Network.Policy().Rules, 1)
	ignoring := env(r.Session(t.Context(), "own", &toolrun.SessionOptions{IgnoreSettings: true}))
	require.Len(t, ignoring.Selection.Network.Policy().Rules, 1)
	require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
		return []byte(`{"network": {"allow": ["example.com"]}}`), nil
	}))
	_, err = session.Env(t.Context())
	require.ErrorContains(t, err,
		`project own: the settings' network: the network rule "example.com": write it with its scheme`)

	_, err = toolrun.Open(t.Context(), &toolrun.Options{Network: &network.Policy{Rules: []network.Rule{{}}}})
	require.Error(t, err)
}

// Requests that need approval cannot wait, other than calls: code that waited for a call goes on, and makes its
// requests if somebody is there who approves them. What was approved before says nothing about them.
func TestRequestsOfCodeThatWaited(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "answer ", requests.Add(1))
	}))
	t.Cleanup(server.Close)
	rule, err := network.ParseRule(server.URL)
	require.NoError(t, err)
	var mu sync.Mutex
	var records []network.Record
	runner := open(t, toolrun.Options{Tools: (&mailtest.Mail{}).Tools(),
		Network: &network.Policy{Rules: []network.Rule{rule}}, NetworkAudit: func(r network.Record) {
			mu.Lock()
			defer mu.Unlock()
			records = append(records, r)
		}})
	code := fmt.Sprintf(`await tools.send({to: 'x'});
		const get = async (path) => {
			try { return await (await fetch('%s' + path)).text() } catch (e) { return e.message } };
		return [await get('/1'), await get('/2')].join('\n')`, server.URL)
	choose := func(s registry.Selection) registry.Selection {
		s = mailtest.Choose(s)
		s.Ask = append(s.Ask, registry.NetworkTool)
		return s
	}
	for name, c := range map[string]struct {
		approve registry.Approver
		want    string
		made    int64
		logged  []string // who has decided what
	}{
		"nobody": {nil, "needs the approval of a person, and there is nobody here who could give it", 0, nil},
		"later": {func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
			return registry.Decision{Later: true}, nil
		}, "needs the approval of a person, and there is nobody here who could give it", 0, nil},
		"refused": {func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
			return registry.Decision{Reason: "not there", By: "ann"}, nil
		}, "a person has refused the request GET ", 0, []string{"ann refused /1", "ann refused /2"}},
		"the second": {func(_ context.Context, r registry.ApprovalRequest) (registry.Decision, error) {
			return registry.Decision{Later: !strings.Contains(string(r.Call.Input), "/2"),
				Approved: strings.Contains(string(r.Call.Input), "/2"), By: "bob"}, nil
		}, "answer", 1, []string{"bob approved /2"}},
		"approved": {always, "answer", 2, []string{"ada approved /1", "ada approved /2"}},
	} {
		t.Run(name, func(t *testing.T) {
			requests.Store(0)
			records = nil
			place := "project of " + name
			session := openSession(t, runner, place, &toolrun.SessionOptions{Select: choose})
			pending := mailtest.Ask(t, session, "javascript", mailtest.Code(code))
			require.NotNil(t, pending.Pending, pending.Text())
			going := openSession(t, runner, place, &toolrun.SessionOptions{Approve: c.approve, Select: choose})
			result, err := going.Resume(t.Context(), pending.Pending.Token, mailtest.Approve("call_1.1"))
			require.NoError(t, err)
			require.Contains(t, result.Text(), c.want)
			require.Equal(t, c.made, requests.Load())
			mu.Lock()
			defer mu.Unlock()
			var logged []string
			for _, r := range records {
				require.Equal(t, registry.NetworkTool, r.Approval.Rule)
				require.False(t, r.Approval.Time.IsZero())
				did := map[bool]string{true: "approved", false: "refused"}[r.Approval.Refusal == ""]
				logged = append(logged, r.Approval.By+" "+did+" "+r.Path)
			}
			require.Equal(t, c.logged, logged)
		})
	}
}
