//go:build systemtest

package replicas_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// sessionVariable has the directory of data for a process whose call of a session is killed.
const sessionVariable = "TOOLRUN_TEST_SESSION"

// TestSessionProcess is the process that is killed.
func TestSessionProcess(t *testing.T) {
	dir := os.Getenv(sessionVariable)
	if dir == "" {
		t.Skip("is for TestAKilledCallOfASession")
	}
	session := sessionIn(t, dir, func(p tool.Progress) {
		if p.Console != nil {
			_, _ = fmt.Println("running")
		}
	})
	mailtest.Ask(t, session, "javascript",
		mailtest.Code(`n = 2; fs.writeFileSync('/f', 'x'); console.log('now'); for (;;);`))
}

func sessionIn(t *testing.T, dir string, progress func(tool.Progress)) *toolrun.Session {
	t.Helper()
	return openSession(t, open(t, toolrun.Options{DataDir: dir}), "p", &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection {
			s.Session = "main"
			return s
		}, Progress: progress, Limits: registry.Limits{Timeout: tool.NoTimeout},
	})
}

// TestAKilledCallOfASession kills a process whose call has a session and has changed its variables. The next call gets
// the session, with the variables of before.
func TestAKilledCallOfASession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	session := sessionIn(t, dir, nil)
	require.Equal(t, "undefined", mailtest.Ask(t, session, "javascript", mailtest.Code(`let n = 1`)).Text())
	child := exec.Command(os.Args[0], "-test.run=^TestSessionProcess$")
	child.Env = append(os.Environ(), sessionVariable+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "running\n", line)
	waits := make(chan tool.Result)
	go func() { waits <- mailtest.Ask(t, session, "javascript", mailtest.Code(`return n++`)) }()
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.Equal(t, "1", (<-waits).Text())
	require.Equal(t, "2", mailtest.Ask(t, session, "javascript", mailtest.Code(`return n`)).Text())
}
