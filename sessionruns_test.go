package toolrun_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/enginetest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// chooseMain lets code run in the session main, and asks for what it sends.
func chooseMain(s registry.Selection) registry.Selection {
	s = choosesSend(s)
	s.Session = "main"
	return s
}

// sessionVariable has the directory of data for a process whose call of a session is killed.
const sessionVariable = "TOOLRUN_TEST_SESSION"

// TestSessionProcess is the process that is killed.
func TestSessionProcess(t *testing.T) {
	dir := os.Getenv(sessionVariable)
	if dir == "" {
		t.Skip("is for TestAKilledCallOfASession")
	}
	session := sessionIn(t, dir, func(p registry.Progress) {
		if p.Console != nil {
			_, _ = fmt.Println("running")
		}
	})
	ask(t, session, "javascript", codeInput(`n = 2; fs.writeFileSync('/f', 'x'); console.log('now'); for (;;);`))
}

func sessionIn(t *testing.T, dir string, progress func(registry.Progress)) *toolrun.Session {
	t.Helper()
	options := toolrun.Options{DataDir: dir}
	options.EngineOptions.CacheDir = enginetest.CacheDir()
	runner, err := toolrun.Open(t.Context(), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{
		Select: chooseMain, Progress: progress, Limits: registry.Limits{Timeout: registry.NoTimeout},
	})
	require.NoError(t, err)
	return session
}

// TestAKilledCallOfASession kills a process whose call has a session and has changed its variables. The next call gets
// the session, with the variables of before.
func TestAKilledCallOfASession(t *testing.T) {
	dir := t.TempDir()
	session := sessionIn(t, dir, nil)
	require.Equal(t, "undefined", ask(t, session, "javascript", codeInput(`let n = 1`)).Text())
	child := exec.Command(os.Args[0], "-test.run=^TestSessionProcess$")
	child.Env = append(os.Environ(), sessionVariable+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "running\n", line)
	waits := make(chan registry.Result)
	go func() { waits <- ask(t, session, "javascript", codeInput(`return n++`)) }()
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Equal(t, "1", (<-waits).Text())
	require.Equal(t, "2", ask(t, session, "javascript", codeInput(`return n`)).Text())
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
			store, m := vfs.Store(local.NewMemoryStore(nil)), &mail{}
			process := func() *toolrun.Session {
				runner := open(t, toolrun.Options{Store: store, Tools: m.tools()})
				session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Select: chooseMain})
				require.NoError(t, err)
				return session
			}
			first := process()
			require.Equal(t, "undefined", ask(t, first, "javascript", codeInput(`let n = 1`)).Text())
			result := ask(t, first, "javascript", codeInput(`n++; await tools.send({to: 'x'}); return n += 10`))
			require.Equal(t, registry.CodePending, result.Code, result.Text())
			if test.meanwhile != "" {
				require.Equal(t, "101", ask(t, first, "javascript", codeInput(test.meanwhile)).Text(),
					"the variables of before")
			}
			second := process() // another process
			token := result.Pending.Token
			done, err := second.Resume(t.Context(), token, approve(waiting(t, runsOf(t, store), token)...))
			require.NoError(t, err)
			require.Equal(t, test.then, done.Text())
			require.Equal(t, []string{"x"}, m.sent)
			require.Equal(t, test.after, ask(t, second, "javascript", codeInput(`return n`)).Text())
		})
	}
}
