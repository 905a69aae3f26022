package toolrun_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// chooseMain lets code run in the session main, and asks for what it sends.
func chooseMain(s registry.Selection) registry.Selection {
	s = mailtest.Choose(s)
	s.Session = "main"
	return s
}

// TestCodeOfASessionWaits suspends code in a session. Its variables are kept when it has gone on to its end, unless the
// session has been used meanwhile: the result says so then.
func TestCodeOfASessionWaits(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile, then, after string
	}{
		"nobody has used the session": {"", "12\nTool calls: send 1", "12"},
		"somebody has": {`return n += 100`,
			"12\nTool calls: send 1\nError: the code ran, but its variables could not be kept: " +
				"the session has been changed meanwhile. The session's variables are as they were before the call.",
			"101"},
	} {
		t.Run(name, func(t *testing.T) {
			store, m := vfs.Store(local.NewMemoryStore(nil)), &mailtest.Mail{}
			process := func() *toolrun.Session {
				runner := open(t, toolrun.Options{Store: store, Tools: m.Tools()})
				session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Select: chooseMain})
				require.NoError(t, err)
				return session
			}
			first := process()
			require.Equal(t, "undefined", mailtest.Ask(t, first, "javascript", mailtest.Code(`let n = 1`)).Text())
			result := mailtest.Ask(t, first, "javascript",
				mailtest.Code(`n++; await tools.send({to: 'x'}); return n += 10`))
			require.Equal(t, tool.CodePending, result.Code, result.Text())
			if test.meanwhile != "" {
				require.Equal(t, "101", mailtest.Ask(t, first, "javascript", mailtest.Code(test.meanwhile)).Text(),
					"the variables of before")
			}
			second := process() // another process
			token := result.Pending.Token
			done, err := second.Resume(t.Context(), token, mailtest.Approve(idsOf(t, runsOf(t, store), token)...))
			require.NoError(t, err)
			require.Equal(t, test.then, done.Text())
			require.Equal(t, []string{"x"}, m.Sent)
			require.Equal(t, test.after, mailtest.Ask(t, second, "javascript", mailtest.Code(`return n`)).Text())
		})
	}
}
