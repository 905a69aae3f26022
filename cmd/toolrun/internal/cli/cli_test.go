package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	asm "github.com/toolrun/toolrun/internal/wasmasm"
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
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"wasm": writeModule, "web": serveWeb},
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

// writeModule writes a WebAssembly module that does what its first argument says, into the file of the second: "echo"
// its input, "loop", or "browser", which imports what only a browser has.
func writeModule(ts *testscript.TestScript, _ bool, args []string) {
	const wasi = "wasi_snapshot_preview1"
	m := &asm.Module{}
	read, write := m.Import(wasi, "fd_read", "iiii:i"), m.Import(wasi, "fd_write", "iiii:i")
	var body []byte
	switch args[0] {
	case "echo":
		body = asm.Code(asm.I32(0), asm.I32(1000), asm.Store(), asm.I32(4), asm.I32(60000), asm.Store(),
			asm.I32(0), asm.I32(0), asm.I32(1), asm.I32(4), asm.Call(read), asm.Drop,
			asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop)
	case "loop":
		body = asm.Forever()
	case "browser":
		m.Import("env", "document_write", "i:")
	}
	m.Export("_start", m.Func(":", "", body))
	m.Memory(1)
	m.Custom = asm.Section(0, asm.Name("debugging"))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), m.Bytes(), 0o666))
}

// serveWeb starts a server that says what it is asked, and puts its address into the variable WEB.
func serveWeb(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"method": %q, "path": %q, "key": %q, "body": %q}`, r.Method, r.URL.Path,
			r.Header.Get("X-Key"), body)
	}))
	ts.Defer(server.Close)
	ts.Setenv("WEB", server.URL)
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
