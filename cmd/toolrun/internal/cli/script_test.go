package cli_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
)

// TestTranscripts runs commands as the files in testdata/script say, in this process. With UPDATE_SCRIPTS the expected
// output is rewritten.
func TestTranscripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "..", "..", "testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"toolrun": runScripted, "status": wantStatus,
			"first": setFirst,
			"ls":    listDirs, "mode": printMode, "wasm": writeModule, "web": serveWeb},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "TOOLRUN_DATA="+filepath.Join(env.WorkDir, ".data"), "PYTHON_FILE="+
				os.Getenv(pythontest.Variable))
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

// exitStatus is a variable of scripts: the status of the last command.
const exitStatus = "EXIT_STATUS"

// runScripted runs the command. A last argument <FILE is a file for its standard input, as in a shell; <stdout is what
// the last command has printed.
func runScripted(ts *testscript.TestScript, neg bool, args []string) {
	host := &cli.Host{Stdin: strings.NewReader(""), Stdout: ts.Stdout(), Stderr: ts.Stderr(), Dir: ts.MkAbs("."),
		Program:   "/usr/bin/toolrun",
		Engine:    engine(),
		LookupEnv: func(name string) (string, bool) { return ts.Getenv(name), ts.Getenv(name) != "" }}
	if n := len(args) - 1; n >= 0 {
		if file, ok := strings.CutPrefix(args[n], "<"); ok {
			host.Stdin, args = strings.NewReader(ts.ReadFile(file)), args[:n]
		}
	}
	status := cli.Run(context.Background(), host, args)
	ts.Setenv(exitStatus, strconv.Itoa(status))
	if failed := status != 0; failed != neg {
		ts.Fatalf("toolrun: exit status %d", status)
	}
}

// wantStatus checks the exit status of the last command.
func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	if is := ts.Getenv(exitStatus); is != args[0] {
		ts.Fatalf("the exit status is %s, and not %s", is, args[0])
	}
}

// setFirst sets a variable to the first word that the last command has printed.
func setFirst(ts *testscript.TestScript, _ bool, args []string) {
	words := strings.Fields(ts.ReadFile("stdout"))
	if len(words) == 0 {
		ts.Fatalf("nothing was printed")
	}
	ts.Setenv(args[0], words[0])
}

// listDirs lists directories, as ls -A does.
func listDirs(ts *testscript.TestScript, _ bool, dirs []string) {
	for i, dir := range dirs {
		if len(dirs) > 1 {
			fmt.Fprintf(ts.Stdout(), "%s%s:\n", strings.Repeat("\n", min(i, 1)), dir)
		}
		entries, err := os.ReadDir(ts.MkAbs(dir))
		ts.Check(err)
		for _, entry := range entries {
			fmt.Fprintln(ts.Stdout(), entry.Name())
		}
	}
}

// printMode prints the permissions of a file.
func printMode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%o\n", info.Mode().Perm())
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
