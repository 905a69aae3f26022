//go:build systemtest

package replicas_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
)

// TestTheFirstDecisionCounts has two who share a database decide otherwise on the same call at once, and go on with it.
func TestTheFirstDecisionCounts(t *testing.T) {
	t.Parallel()
	m, data := &mailtest.Mail{}, pgtest.URL(t)
	var runners [2]*toolrun.Runner
	var sessions [2]*toolrun.Session
	for n := range runners {
		runners[n] = open(t, toolrun.Options{DataDir: data, Tools: m.Tools()})
		sessions[n] = openSession(t, runners[n], "p", &toolrun.SessionOptions{Select: mailtest.Choose})
	}
	for i := range 10 {
		to := strconv.Itoa(i)
		token := mailtest.Ask(t, sessions[0], "send", map[string]string{"to": to}).Pending.Token
		decisions := []map[string]registry.Decision{mailtest.Approve("call_1"), {"call_1": {By: "bob"}}}
		var errs [2]error
		var deciding sync.WaitGroup
		for n := range errs {
			deciding.Go(func() {
				if _, errs[n] = runners[n].Waiting().Decide(t.Context(), token, decisions[n]); errs[n] == nil {
					_, errs[n] = sessions[n].Resume(t.Context(), token, nil)
				}
			})
		}
		deciding.Wait()
		first := 0
		if errs[0] != nil {
			first = 1
		}
		require.NoError(t, errs[first])
		told, ok := errors.AsType[*waiting.UndecidableError](errs[1-first])
		require.True(t, ok, "%v", errs[1-first])
		require.Equal(t, first == 0, told.Decision.Approved)
		require.Equal(t, decisions[first]["call_1"].By, told.Decision.By)
		require.Equal(t, first == 0, len(m.Sent) == 1 && m.Sent[0] == to, "%v", m.Sent)
		m.Sent = nil
	}
}
