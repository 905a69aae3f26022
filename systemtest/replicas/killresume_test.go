//go:build systemtest

package replicas_test

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// resumeVariable has what a process of its own is to go on with: a directory, its store and a token, a line each.
const resumeVariable = "TOOLRUN_TEST_RESUME"

// sendsTo returns tools whose sent letters are lines of a file, which is not the project's.
func sendsTo(file string) []tool.Tool {
	m := &mailtest.Mail{Send: func(to string) error {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(to + "\n")
		return errors.Join(err, f.Close())
	}}
	return m.Tools()
}

func officeIn(ctx context.Context, dir, data string) (*toolrun.Runner, *toolrun.Session, error) {
	options := toolrun.Options{DataDir: data, Tools: sendsTo(filepath.Join(dir, "sent")),
		Waiting: waiting.Options{Lease: 50 * time.Millisecond}}
	options.EngineOptions.CacheDir = enginetest.CacheDir()
	options.Stores = []vfs.Opener{postgres.Opener(nil)}
	runner, err := toolrun.Open(ctx, &options)
	if err != nil {
		return nil, nil, err
	}
	session, err := runner.Session(ctx, "p", &toolrun.SessionOptions{Select: mailtest.Choose})
	return runner, session, err
}

// TestResumeProcess is the process that is killed.
func TestResumeProcess(t *testing.T) {
	lines := strings.Split(os.Getenv(resumeVariable), "\n")
	if len(lines) != 3 {
		t.Skip("is for TestProcessesAreKilled")
	}
	dir, data, token := lines[0], lines[1], lines[2]
	runner, session, err := officeIn(t.Context(), dir, data)
	require.NoError(t, err)
	defer runner.Close()
	_, err = runner.Interpreter(t.Context(), "javascript")
	require.NoError(t, err)
	_, _ = os.Stdout.WriteString("ready\n")
	run, err := runner.Waiting().Get(t.Context(), token)
	if errors.Is(err, waiting.ErrNone) {
		return
	}
	require.NoError(t, err)
	decisions := map[string]registry.Decision{}
	for _, c := range run.Waiting() {
		decisions[c.ID] = registry.Decision{Approved: true, Always: true, By: "ada"}
	}
	for {
		_, err := session.Resume(t.Context(), token, decisions)
		if !errors.Is(err, waiting.ErrBusy) {
			require.NoError(t, err)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Processes are killed at any time while they go on with code that waited, again and again, until one gets to the end.
func TestProcessesAreKilled(t *testing.T) {
	kills := 4
	if *soak {
		kills = 150
	}
	for _, store := range []string{"directory", "database"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			data := func(dir string) string { return filepath.Join(dir, "data") }
			if store == "database" {
				data = func(string) string { return pgtest.URL(t) }
			}
			made := make(chan bool, kills)
			for len(made) < kills {
				dir := t.TempDir()
				killUntilTheEnd(t, dir, data(dir), made, kills)
			}
		})
	}
}

func killUntilTheEnd(t *testing.T, dir, data string, made chan bool, kills int) {
	runner, session, err := officeIn(t.Context(), dir, data)
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	token := mailtest.Ask(t, session, "javascript", mailtest.Code(mailtest.Steps)).Pending.Token
	for {
		child := exec.Command(os.Args[0], "-test.run=^TestResumeProcess$")
		child.Env = append(os.Environ(), resumeVariable+"="+dir+"\n"+data+"\n"+token)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		if len(made) >= kills {
			require.NoError(t, child.Wait())
			break
		}
		time.Sleep(rand.N(60 * time.Millisecond))
		killed := child.Process.Kill() == nil
		if child.Wait() == nil {
			break // it was faster
		}
		if killed {
			select {
			case made <- true:
			default:
			}
		}
	}
	result, err := session.Resume(t.Context(), token, nil)
	require.NoError(t, err)
	require.Empty(t, result.Code, result.Text())
	log, err := afero.ReadFile(session.Project(), "/log")
	require.NoError(t, err)
	sent, err := os.ReadFile(filepath.Join(dir, "sent"))
	require.NoError(t, err)
	mailtest.CheckSteps(t, result.Text(), string(log), strings.Fields(string(sent)))
}
