package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/internal/enginetest"
	"github.com/toolrun/toolrun/internal/pythontest"
)

func TestMain(m *testing.M) {
	// The test binary is also the command: for transcripts, and for tests that need a process of their own.
	if os.Getenv("TOOLRUN_TEST_COMMAND") != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	flag.Parse()
	// Tests that are parallel wait for other processes.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"toolrun": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// cacheEnv makes the command keep its compiled engine where all tests keep it.
func cacheEnv() []string {
	return []string{"XDG_CACHE_HOME=" + enginetest.CacheDir(), "HOME=" + enginetest.CacheDir(),
		"LocalAppData=" + enginetest.CacheDir()}
}

// TestTranscripts runs the command as the files in testdata/script say. With -update the expected output is rewritten.
func TestTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("..", "..", "..", "..", "testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(append(env.Vars, cacheEnv()...), "TOOLRUN_DATA="+filepath.Join(env.WorkDir, ".data"),
				"PYTHON_FILE="+os.Getenv(pythontest.Variable))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "python" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return os.Getenv(pythontest.Variable) != "", nil
		},
	})
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), cacheEnv()...), "TOOLRUN_TEST_COMMAND=1", "TOOLRUN_PYTHON=",
		"TOOLRUN_DATA="+filepath.Join(enginetest.CacheDir(), "data"))
	return cmd
}

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	for name, args := range map[string][]string{
		"a running script": {"js", "--root", ".", "-e", `await fs.writeFile('started', ''); for (;;);`},
		"a waiting script": {"js", "--root", ".", "-e",
			`await fs.writeFile('started', ''); await new Promise((r) => setTimeout(r, 1e9))`},
		"a wait for the input": {"js", "-"},
		"a wait for entries":   {"repl", "--root", "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(args...)
			cmd.Dir = t.TempDir()
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			require.NoError(t, cmd.Start())
			if args[0] == "repl" || args[1] == "-" {
				// More than a pipe holds: what has read some of it has its handler in place.
				_, err := stdin.Write(bytes.Repeat([]byte("\n"), 1<<20))
				require.NoError(t, err)
			} else {
				require.Eventually(t, func() bool {
					_, err := os.Stat(filepath.Join(cmd.Dir, "started"))
					return err == nil
				}, time.Minute, 10*time.Millisecond)
			}
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			_ = cmd.Wait()
			require.Equal(t, 130, cmd.ProcessState.ExitCode())
		})
	}
}
