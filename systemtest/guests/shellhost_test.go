//go:build systemtest

package guests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	js "github.com/toolrun/toolrun/runtime/javascript"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestShellUsesTheHost has the commands that need more than the sandbox: other languages, tools and the network.
func TestShellUsesTheHost(t *testing.T) {
	shell := loadShell(t)
	engine := newEngine(t, sandbox.EngineOptions{})
	scripts, err := js.New(t.Context(), engine)
	require.NoError(t, err)
	tools := []tool.Tool{
		javascript.New(func(context.Context) (*js.Interpreter, error) { return scripts, nil }, nil),
		tool.Func(tool.Spec{Name: "greet", Description: "Greets."}, func(_ context.Context, in struct {
			Name string `json:"name,omitempty"`
		}, _ tool.Env) (string, error) {
			if in.Name == "" {
				return "", errors.New("nobody to greet")
			}
			return "hello " + in.Name, nil
		}),
	}
	build := os.Getenv("TOOLRUN_PYTHON")
	if build != "" {
		module, err := os.ReadFile(build)
		require.NoError(t, err)
		interpreter, err := py.New(t.Context(), engine, py.FromBytes(module))
		require.NoError(t, err)
		load := func(context.Context) (*py.Interpreter, error) { return interpreter, nil }
		tools = append(tools, python.New(load, nil))
	}
	calls, err := registry.New(tools...)
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, _ := io.ReadAll(r.Body); r.URL.Path {
		case "/slow":
			_, _ = io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x\n", 1<<20))
		case "/redirect":
			http.Redirect(w, r, "/a", http.StatusFound)
		default:
			fmt.Fprintf(w, "%s %s %s\n", r.Method, r.URL, body)
		}
	}))
	t.Cleanup(server.Close)
	rule, err := network.ParseRule("* " + server.URL)
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule}}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	store := local.NewMemoryStore(&vfs.Options{})
	defer func() { require.NoError(t, store.Close()) }()
	for _, c := range []struct {
		why, script string
		want        shellResult
	}{
		{"a tool", `toolrun-call greet '{"name": "ada"}' | tr a-z A-Z`, shellResult{Stdout: "HELLO ADA\n"}},
		{"input from a pipe", `echo '{"name": "ada"}' | toolrun-call greet -`, shellResult{Stdout: "hello ada\n"}},
		{"a tool that fails", `toolrun-call greet`,
			shellResult{Stderr: "toolrun-call: greet: Tool execution failed: nobody to greet", Status: 1}},
		{"no such tool", `toolrun-call none`, shellResult{Stderr: "toolrun-call: none: ", Status: 1}},
		{"JavaScript", `X=3 node -e 'console.log(process.env.X, process.argv.slice(1)); process.stdout.write("a")' b c`,
			shellResult{Stdout: "3 [ 'b', 'c' ]\na"}},
		{"its value", `node -p '6 * 7'`, shellResult{Stdout: "42\n"}},
		{"its errors", `js -e 'console.error("e"); process.exit(3)'`, shellResult{Stderr: "e", Status: 3}},
		{"its exceptions", `node -e 'console.log(1); throw new TypeError("no")'`,
			shellResult{Stdout: "1\n", Stderr: "Uncaught TypeError: no", Status: 1}},
		{"later exceptions", `node -e 'setTimeout(() => { throw new Error("late") }, 1)'`,
			shellResult{Stderr: "Uncaught Error: late", Status: 1}},
		{"its input", `seq 3 | node -e 'let s = 0; process.stdin.on("data", (d) => s += d)
process.stdin.on("end", () => console.log(s))'`, shellResult{Stdout: "01\n2\n3\n\n"}},
		{"its input at once", `seq 3 | node -e 'console.log(require("fs").readFileSync(0, "utf8").length)' | cat`,
			shellResult{Stdout: "6\n"}},
		{"input of others", `seq 3 | while read x; do node -e 'console.log(1)'; done`,
			shellResult{Stdout: "1\n1\n1\n"}},
		{"a file", `mkdir d; echo 'console.log(require("./m").x, __filename, process.argv[2])' >d/a.js
echo 'exports.x = process.cwd()' >d/m.js; cd d; node a.js b`, shellResult{Stdout: "/d /d/a.js b\n"}},
		{"modules", `echo 'import {x} from "./m.mjs"; console.log(x); await 1; process.exitCode = 2' >a.mjs
echo 'export const x = 5' >m.mjs; node a.mjs; echo $?; echo 'const x: number = 6; console.log(x)' >t.ts; node t.ts`,
			shellResult{Stdout: "5\n2\n6\n"}},
		{"code from a pipe", `echo 'console.log(7)' | node`, shellResult{Stdout: "7\n"}},
		{"no such file", `node none.js`,
			shellResult{Stderr: "node: can't open file '/none.js': No such file or directory", Status: 1}},
		{"a request", `curl -s -d a=b ` + server.URL + `/a`, shellResult{Stdout: "POST /a a=b\n"}},
		{"a redirect", `curl -sL ` + server.URL + `/redirect; wget -qO- ` + server.URL + `/redirect`,
			shellResult{Stdout: "GET /a \nGET /a \n"}},
		{"a large response", `curl -s ` + server.URL + `/large | wc -c`, shellResult{Stdout: "2097152\n"}},
		{"a response without an end", `curl -s -m 0.2 ` + server.URL + `/slow; echo " $?"`,
			shellResult{Stdout: "some 28\n"}},
		{"requests at once", `for i in 1 2 3; do curl -s ` + server.URL + `/$i & done | sort; wait`,
			shellResult{Stdout: "GET /1 \nGET /2 \nGET /3 \n"}},
		{"what no rule allows", `curl -s https://example.com/; echo $?`, shellResult{Stdout: "7\n"}},
		{"Python", `X=3 python3 -c 'import os, sys; print(os.environ["X"], sys.argv)' a b`,
			shellResult{Stdout: "3 ['-c', 'a', 'b']\n"}},
		{"Python's errors", `python3 -c 'import sys; print("o"); print("e", file=sys.stderr); sys.exit(3)'`,
			shellResult{Stdout: "o\n", Stderr: "e", Status: 3}},
		{"Python's exceptions", `python3 -c '1/0' 2>&1`, shellResult{Stdout: `Traceback (most recent call last):
  File "<string>", line 1, in <module>
ZeroDivisionError: division by zero
`, Status: 1}},
		{"Python's syntax", `python3 -c '1 +' 2>&1`, shellResult{Stdout: `  File "<string>", line 1
    1 +
       ^
SyntaxError: invalid syntax
`, Status: 1}},
		{"Python's input", `printf 'a\xff' | python3 -c 'import sys; print(len(sys.stdin.buffer.read()))'`,
			shellResult{Stdout: "2\n"}},
		{"Python's bytes", `python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)))' | sha256sum`,
			shellResult{Stdout: "40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880  -\n"}},
		{"a file of Python", `mkdir d; echo 'import m, sys; print(m.x, __file__, __name__, sys.argv)' >d/a.py
echo 'import os; x = os.getcwd()' >d/m.py; cd d; python a.py b`,
			shellResult{Stdout: "/d /d/a.py __main__ ['a.py', 'b']\n"}},
		{"modules of Python", `echo '{"b":1,"a":[]}' | python3 -m json.tool --compact`,
			shellResult{Stdout: "{\"b\":1,\"a\":[]}\n"}},
		{"Python from a pipe", `echo 'print(7)' | python3 -`, shellResult{Stdout: "7\n"}},
		{"Python and files", `python3 -c 'open("f", "w").write("x")'; cat f; rm f`, shellResult{Stdout: "x"}},
		{"much of Python's output", `python3 -c 'for i in range(9000): print("x" * 100)' 2>&1 | tail -n 1`,
			shellResult{Stdout: "python3: output was cut off: it may have 1 MiB here; write more into a file\n"}},
		{"SQLite", `sqlite3 db 'create table t(a, b); insert into t values (1, "x"), (2, null)'
sqlite3 -header -csv db 'select * from t'; sqlite3 -json db 'select * from t'; echo 'select b from t;' | sqlite3 db
sqlite3 db .tables; sqlite3 -column db 'select * from t'; sqlite3 db 'select * from none'`,
			shellResult{Stdout: "a,b\r\n1,x\r\n2,\r\n[{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":null}]\nx\n\n" +
				"t\na  b\n-  -\n1  x\n2   \n",
				Stderr: "Error: in prepare, no such table: none", Status: 1}},
		{"a database from CSV", `printf 'n,m\n1,x\n2,"y z"\n' >f.csv
sqlite3 :memory: -cmd '.mode csv' -cmd '.import f.csv t' 'select sum(n), max(m) from t'
printf '.mode line\nselect 1 as a,\n  2 as bc;\n' | sqlite3`,
			shellResult{Stdout: "3,\"y z\"\r\n a = 1\nbc = 2\n"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if build == "" && regexp.MustCompile(`\b(python3?|sqlite3) `).MatchString(c.script) {
				t.Skip("TOOLRUN_PYTHON does not name a build of CPython")
			}
			project, err := store.Open(t.Context(), strings.ReplaceAll(c.why, " ", "-"))
			require.NoError(t, err)
			got, err := runShell(t, shell, project, c.script, command.Host{
				Network: gate.Run("test"),
				Call: func(ctx context.Context, name string, input []byte) ([]byte, error) {
					result := calls.Dispatch(ctx, tool.Call{ID: "call", Tool: name, Input: input},
						registry.Env{Project: "test", Files: project})
					if result.IsError() {
						return nil, errors.New(result.Text())
					}
					return []byte(result.Text()), nil
				},
			})
			require.NoError(t, err)
			if c.why == "no such tool" {
				require.Contains(t, got.Stderr, c.want.Stderr)
				got.Stderr = c.want.Stderr
			}
			require.Equal(t, c.want, got)
		})
	}
}
