// Package commandtest runs the toolrun command in processes of its own, for the tests of systemtest:
//
//	func TestMain(m *testing.M) { commandtest.Main(m) }
package commandtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// bin is the variable of the environment that names the directory of the command, which Main builds. Test binaries that
// tests start need not build it again.
const bin = "TOOLRUN_TEST_BIN"

// Main builds the command, runs the tests, and exits. With GOCOVERDIR, the command measures what is covered.
func Main(m interface{ Run() int }) { os.Exit(run(m)) }

func run(m interface{ Run() int }) int {
	if os.Getenv(bin) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "toolrun-command-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv(bin, dir); err != nil {
		panic(err)
	}
	args := []string{"build", "-o", Path()}
	if race.Enabled {
		args = append(args, "-race")
	}
	if os.Getenv("GOCOVERDIR") != "" {
		args = append(args, "-cover", "-coverpkg=github.com/toolrun/toolrun/...")
	}
	out, err := exec.Command("go", append(args, "github.com/toolrun/toolrun/cmd/toolrun")...).CombinedOutput()
	if err != nil {
		panic(fmt.Sprintf("building the command: %v\n%s", err, out))
	}
	return m.Run()
}

// Path is the program.
func Path() string { return filepath.Join(os.Getenv(bin), "toolrun.exe") }

// Env is the environment of a command: that of the test, with the directory of compiled code that all tests share, and
// data that no other command needs.
func Env() []string {
	return append(append(os.Environ(), Caches()...), "TOOLRUN_PYTHON=",
		"TOOLRUN_DATA="+filepath.Join(enginetest.Home(), "data"))
}

// Caches are the variables of the environment by which a command finds the directory of compiled code.
func Caches() []string {
	cache := enginetest.CacheDir()
	return []string{"XDG_CACHE_HOME=" + cache, "LocalAppData=" + cache, "HOME=" + enginetest.Home()}
}

// Command is the command with arguments, to be started.
func Command(args ...string) *exec.Cmd {
	cmd := exec.Command(Path(), args...)
	cmd.Env = Env()
	return cmd
}

// Shell is a line of a shell, sh or bash, in which toolrun is the command.
func Shell(t testing.TB, shell string, args ...string) *exec.Cmd {
	dir := t.TempDir()
	require.NoError(t, os.Symlink(Path(), filepath.Join(dir, "toolrun")))
	cmd := exec.Command(shell, args...)
	cmd.Env = append(Env(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

// A Server is toolrun mcp --http in a process of its own.
type Server struct {
	*toolruntest.Server
	Cmd *exec.Cmd
	// End is closed when all of the log is there.
	End chan struct{}
}

// StartMCP starts toolrun mcp on a directory of data or a database, and waits until it serves. It is killed at the end
// of the test.
func StartMCP(t testing.TB, data string, args ...string) *Server {
	t.Helper()
	cmd := Command(append([]string{"mcp", "--log-format", "json"}, args...)...)
	cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
	return StartServer(t, cmd)
}

// StartServer starts a command that is toolrun mcp --http --log-format json, as [StartMCP] does.
func StartServer(t testing.TB, cmd *exec.Cmd) *Server {
	t.Helper()
	s := &Server{Cmd: cmd, End: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.End
		_ = cmd.Wait()
	})
	log := new(toolruntest.Log)
	go func() {
		defer close(s.End)
		defer log.Close()
		_, _ = io.Copy(log, stderr)
	}()
	s.Server = toolruntest.Started(t, log)
	return s
}
