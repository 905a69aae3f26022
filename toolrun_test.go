package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// open opens a runner whose engine starts fast.
func open(t testing.TB, options toolrun.Options) *toolrun.Runner {
	t.Helper()
	options.EngineOptions.CacheDir = enginetest.CacheDir()
	runner, err := toolrun.Open(context.Background(), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	return runner
}

func openSession(t testing.TB, runner *toolrun.Runner, project string,
	options *toolrun.SessionOptions) *toolrun.Session {
	t.Helper()
	session, err := runner.Session(t.Context(), project, options)
	require.NoError(t, err)
	return session
}

// nothing is a tool.
func nothing(name string) tool.Tool {
	return tool.JSONFunc(tool.Spec{Name: name, Description: "Does nothing."},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("nothing"), nil
		})
}

func TestOpenRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, test := range map[string]struct {
		options toolrun.Options
		check   func(t *testing.T, err error)
	}{
		"a tool that is none": {toolrun.Options{Tools: []tool.Tool{nil}}, requireToolError("")},
		"two tools of one name": {toolrun.Options{Tools: []tool.Tool{nothing("a"), nothing("a")}},
			requireToolError("a")},
		"a directory that is a file": {toolrun.Options{DataDir: file}, func(t *testing.T, err error) {
			require.ErrorContains(t, err, "file")
		}},
		"an engine that cannot be": {toolrun.Options{EngineOptions: sandbox.EngineOptions{MaxIdle: -1}},
			func(t *testing.T, err error) {
				require.ErrorContains(t, err, "MaxIdle")
			}},
		"two stores": {toolrun.Options{DataDir: t.TempDir(), Store: local.NewMemoryStore(nil)},
			func(t *testing.T, err error) {
				require.ErrorContains(t, err, "both a Store and a DataDir")
			}},
		"a database that it cannot open": {toolrun.Options{DataDir: "postgres://u:secret@db.example.com/toolrun"},
			func(t *testing.T, err error) {
				require.ErrorIs(t, err, errors.ErrUnsupported)
				require.ErrorContains(t, err, "postgres://")
				require.NotContains(t, err.Error(), "secret")
			}},
		"a server that is none": {toolrun.Options{DataDir: t.TempDir(),
			Servers: mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"x": {}}}},
			func(t *testing.T, err error) {
				var problem *mcpclient.ConfigError
				require.ErrorAs(t, err, &problem)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			before := leakcheck.Take()
			runner, err := toolrun.Open(t.Context(), &test.options)
			require.Nil(t, runner)
			test.check(t, err)
			before.Require(t, leakcheck.Growth{Mappings: 50})
		})
	}
}

func requireToolError(tool string) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		var problem *registry.ToolError
		require.ErrorAs(t, err, &problem)
		require.Equal(t, tool, problem.Tool)
	}
}

func TestSessionsRefuse(t *testing.T) {
	runner := open(t, toolrun.Options{})
	_, err := runner.Session(t.Context(), "a\x00", nil)
	var invalid *vfs.InvalidIDError
	require.ErrorAs(t, err, &invalid)
	openSession(t, runner, "notes", nil)
	_, err = runner.Session(t.Context(), "Notes", nil)
	var conflict *vfs.NameConflictError
	require.ErrorAs(t, err, &conflict)
	_, err = runner.DirSession(filepath.Join(t.TempDir(), "missing"), nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestDataDir keeps projects from one runner to the next, where the command finds them.
func TestDataDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	options := toolrun.Options{DataDir: dir, Projects: vfs.Options{Quota: vfs.Quota{FileSize: 10}, NoSync: true}}
	runner := open(t, options)
	session := openSession(t, runner, "notes", nil)
	require.Equal(t, "File created successfully at: /a.txt",
		do(t, session, "filesystem", `{"command":"create","path":"/a.txt","file_text":"hello"}`))
	require.Contains(t, do(t, session, "filesystem", `{"command":"create","path":"/b.txt","file_text":"hello hello"}`),
		"10")
	require.NoError(t, runner.Close())

	text, err := os.ReadFile(filepath.Join(dir, "projects", "notes", "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "hello", string(text))
	runner = open(t, options)
	require.Equal(t, "hello", do(t, openSession(t, runner, "notes", nil), "javascript",
		`{"code":"return fs.readFile('/a.txt', 'utf8')"}`))
	ids, err := runner.Store().List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"notes"}, ids)
}

// TestNamesOfDirectories has directories whose paths do not end in their names.
func TestNamesOfDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	require.NoError(t, os.Mkdir(dir, 0o700))
	t.Chdir(dir)
	runner := open(t, toolrun.Options{})
	for _, path := range []string{".", "./", "../reports", dir + "/"} {
		session, err := runner.DirSession(path, nil)
		require.NoError(t, err)
		env, err := session.Env(t.Context())
		require.NoError(t, err)
		require.Equal(t, "reports", env.Project, path)
	}
}

// TestDirSessionRunsNoLibraries: what lies in lib is run when the host asks for it, and not because it is there.
func TestDirSessionRunsNoLibraries(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "lib"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lib", "x.js"), []byte("console.log('ran'); globalThis.x = 1"),
		0o600))
	runner := open(t, toolrun.Options{})
	for name, test := range map[string]struct {
		choose func(registry.Selection) registry.Selection
		want   string
	}{
		"nothing chosen": {nil, "undefined"},
		"another option chosen": {func(s registry.Selection) registry.Selection {
			s.Options = map[string]map[string]any{"javascript": {"memory": 32}}
			return s
		}, "undefined"},
		"asked for": {func(s registry.Selection) registry.Selection {
			return s.WithOption("javascript", "loadLib", true)
		},
			"=== Output of library x.js ===\n[LOG] ran\n=== Result ===\nnumber"},
	} {
		t.Run(name, func(t *testing.T) {
			session, err := runner.DirSession(dir, &toolrun.SessionOptions{Select: test.choose})
			require.NoError(t, err)
			require.Equal(t, test.want, do(t, session, "javascript", `{"code":"return typeof x"}`))
		})
	}
}

// TestDirSession works on a directory of somebody else, who has nothing to say about what is allowed.
func TestDirSession(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".toolrun"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".toolrun", "settings.json"),
		[]byte(`{"enabledTools":["filesystem"]}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large"), make([]byte, 100), 0o600))
	runner := open(t, toolrun.Options{Projects: vfs.Options{Quota: vfs.Quota{Bytes: 50}}})
	session, err := runner.DirSession(dir, nil)
	require.NoError(t, err)
	require.Equal(t, "large\nFiles: created /a.txt",
		do(t, session, "javascript",
			`{"code":"await fs.writeFile('/a.txt', 'x'.repeat(40)); return (await fs.readdir('/'))[1]"}`))
	require.Contains(t, do(t, session, "javascript", `{"code":"await fs.writeFile('/b.txt', 'x'.repeat(40))"}`),
		"ENOSPC")
	text, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	require.Len(t, text, 40)
	env, err := session.Env(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Base(dir), env.Project)
	require.NoError(t, session.Close())
	_, err = session.Project().Stat("/large")
	require.ErrorIs(t, err, fs.ErrClosed)
}

// TestEngine runs a script of the host's own.
func TestEngine(t *testing.T) {
	runner := open(t, toolrun.Options{})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := runner.Interpreter(canceled, "javascript")
	require.ErrorIs(t, err, context.Canceled)
	engine, err := runner.Interpreter(t.Context(), "javascript")
	require.NoError(t, err)
	result, err := engine.Run(t.Context(), "return 6 * 7", &code.Run{})
	require.NoError(t, err)
	require.Equal(t, "42", result.Text)
	require.NoError(t, runner.Close())
	_, err = engine.Run(t.Context(), "return 6 * 7", &code.Run{})
	require.ErrorIs(t, err, sandbox.ErrClosed)

	runner = open(t, toolrun.Options{})
	require.NoError(t, runner.Close())
	_, err = runner.Interpreter(t.Context(), "javascript")
	require.ErrorIs(t, err, toolrun.ErrClosed)
}

// TestRunnersShareWhatTheyAreGiven closes a runner, and goes on with what it has used.
func TestRunnersShareWhatTheyAreGiven(t *testing.T) {
	engine := enginetest.New(sandbox.EngineOptions{})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	store := local.NewMemoryStore(nil)
	for i, want := range []string{"1", "2", "3"} {
		runner := open(t, toolrun.Options{Engine: engine.Engine(), Store: store})
		require.Same(t, engine.Engine(), runner.Engine())
		got, err := runner.Interpreter(t.Context(), "javascript")
		require.NoError(t, err)
		require.Same(t, engine.Engine(), got.(javascript.Interpreter).Engine())
		session := openSession(t, runner, "counted", nil)
		require.Contains(t, do(t, session, "javascript",
			`{"code":"const n = 1 + ((await fs.exists('/n')) ? +await `+
				`fs.readFile('/n', 'utf8') : 0); await fs.writeFile('/n', '' + n); return n"}`),
			want, i)
		require.NoError(t, runner.Close())
	}
	require.NoError(t, store.Close())
}

// TestServers adds the tools of a server that is one of this module's own.
func TestServers(t *testing.T) {
	echo := openSession(t, open(t, toolrun.Options{Tools: []tool.Tool{nothing("nothing")}}), "served", nil)
	server, err := mcpserver.New(t.Context(), echo.Source, nil)
	require.NoError(t, err)
	web := httptest.NewServer(mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) {
		return server,
			nil
	}, nil))
	defer web.Close()
	var warnings []error
	runner := open(t, toolrun.Options{
		Servers: mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"near": {URL: web.URL},
			"far": {URL: "http://127.0.0.1:1/"}}},
		Warn: func(err error) { warnings = append(warnings, err) },
	})
	require.Len(t, warnings, 1)
	require.ErrorContains(t, warnings[0], "far")
	require.Len(t, runner.Servers(), 2)
	session := openSession(t, runner, "a", nil)
	require.Equal(t, "nothing", do(t, session, "near_nothing", `{}`))
	changed := runner.Changed()
	require.NoError(t, runner.Close())
	<-changed
	require.NoError(t, server.Shutdown(t.Context()))
}

// TestUnknownRules: a rule for approvals that is for nothing is an error of the program that knows its tools, and
// otherwise a warning.
func TestUnknownRules(t *testing.T) {
	far := mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"mail": {URL: "http://127.0.0.1:1/"}}}
	for name, test := range map[string]struct {
		ask, stored []string
		servers     mcpclient.Config
		err         string
		warnings    []string
	}{
		"known": {ask: []string{"javascript", "all", "network", "source:here"}, stored: []string{"memory"}},
		"misspelt": {ask: []string{"javascirpt"},
			err: `toolrun: Selection.Ask: unknown approval rule "javascirpt": did you mean javascript?`},
		"unknown source": {ask: []string{"source:nosuch"},
			err: `toolrun: Selection.Ask: unknown approval rule "source:nosuch": ` +
				`there are all, writes, destructive, external, source:SOURCE, and the names of tools`},
		"of another session": {ask: []string{"greet_all_of_them", "send"},
			warnings: []string{`unknown approval rule "greet_all_of_them"`, `unknown approval rule "send"`}},
		"no rule": {ask: []string{"*"}, err: `"*" is no rule for approvals`, servers: far},
		"of the project": {stored: []string{"send_mial", "memroy"},
			warnings: []string{`project p: unknown approval rule "send_mial"`,
				`project p: unknown approval rule "memroy": did you mean memory?`}},
		"with servers": {ask: []string{"mail_send", "source:mail", "source:mial"}, servers: far,
			warnings: []string{`unknown approval rule "mail_send"`,
				`unknown approval rule "source:mial"`}},
	} {
		t.Run(name, func(t *testing.T) {
			var warnings []string
			here := tool.Func(tool.Spec{Name: "greet", Source: "here", Description: "Greets."},
				func(context.Context, struct{}, tool.Env) (string, error) { return "hello", nil })
			runner := open(t, toolrun.Options{Servers: test.servers, Tools: []tool.Tool{here},
				Warn: func(err error) { warnings = append(warnings, err.Error()) }})
			warnings = nil // of the server
			session := openSession(t, runner, "p",
				&toolrun.SessionOptions{Select: func(s registry.Selection) registry.Selection {
					s.Ask = test.ask
					return s
				}})
			settings, err := json.Marshal(registry.Settings{Ask: test.stored})
			require.NoError(t, err)
			require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
				return settings, nil
			}))
			for range 3 {
				_, err := session.Env(t.Context())
				if test.err != "" {
					require.ErrorContains(t, err, test.err)
					continue
				}
				require.NoError(t, err)
			}
			require.Len(t, warnings, len(test.warnings), "once: %s", warnings)
			for i, want := range test.warnings {
				require.Contains(t, warnings[i], want)
			}
		})
	}
}

// TestSessionWithoutFiles enables what needs none.
func TestSessionWithoutFiles(t *testing.T) {
	session, err := open(t, toolrun.Options{}).ProjectSession("none", nil, nil)
	require.NoError(t, err)
	require.Nil(t, session.Project())
	require.Equal(t, "42", do(t, session, "javascript", `{"code":"return 42"}`))
	require.Contains(t, do(t, session, "memory", `{"command":"view","path":"/memories"}`), "Unknown tool: memory")
	definitions, err := session.Definitions(t.Context(), tool.OpenAIChat, nil)
	require.NoError(t, err)
	require.NotContains(t, string(definitions), `"name":"memory"`)
	require.NoError(t, session.Close())
}

// TestStores has a store that is no directory, in which there are no modules.
func TestStores(t *testing.T) {
	t.Chdir(t.TempDir())
	store := local.NewMemoryStore(nil)
	options := toolrun.Options{DataDir: "elsewhere", Projects: vfs.Options{Quota: vfs.Quota{Files: 7}},
		Stores: []vfs.Opener{{
			Opens: func(place string) bool { return place == "another place" },
		}, {
			Opens: func(place string) bool { return place == "elsewhere" },
			Open: func(_ context.Context, place string, options *vfs.Options) (vfs.Store, error) {
				require.Equal(t, "elsewhere", place)
				require.Equal(t, int64(7), int64(options.Quota.Files))
				return store, nil
			},
		}}}
	require.Same(t, store, open(t, options).Store())
	require.NoFileExists(t, "elsewhere")
}

// TestNothingIsLeft opens and closes runners, some without their sessions being closed.
func TestNothingIsLeft(t *testing.T) {
	cycle := func(dir string) {
		runner := open(t, toolrun.Options{DataDir: dir, Projects: vfs.Options{NoSync: true}})
		for _, id := range []string{"a", "b", "c"} {
			session := openSession(t, runner, id, nil)
			do(t, session, "javascript", `{"code":"await fs.writeFile('/a.txt', 'x'); setTimeout(() => {}, 1)"}`)
			do(t, session, "nobody", `{}`)
			if id == "b" {
				require.NoError(t, session.Close())
				require.NoError(t, session.Close())
			}
		}
		require.NoError(t, runner.Close())
		require.NoError(t, runner.Close())
	}
	dir := t.TempDir()
	for range 2 {
		cycle(dir)
		cycle("")
	}
	before := leakcheck.Take()
	for range 5 {
		cycle(dir)
		cycle("")
	}
	before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 32 << 20})
}

// TestClosedSessionsAreForgotten is for servers, which open one for each of their users.
func TestClosedSessionsAreForgotten(t *testing.T) {
	runner := open(t, toolrun.Options{DataDir: t.TempDir()})
	cycle := func(n int) {
		for range n {
			session := openSession(t, runner, "a", &toolrun.SessionOptions{Chat: string(make([]byte, 64<<10))})
			require.NoError(t, session.Close())
		}
	}
	cycle(10)
	before := leakcheck.Take()
	cycle(1000)
	before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 16 << 20})
}

// TestCallsThatHaveEndedAreForgotten is for sessions that last as long as the process.
func TestCallsThatHaveEndedAreForgotten(t *testing.T) {
	session := openSession(t, open(t, toolrun.Options{}), "a", nil)
	before := leakcheck.Take()
	for range 100_000 {
		_, err := session.Env(t.Context())
		require.NoError(t, err)
	}
	before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 8 << 20})
}

// do does one call, and returns what the model gets.
func do(t testing.TB, session *toolrun.Session, name, input string) string {
	t.Helper()
	results, err := session.DispatchAll(context.Background(),
		[]tool.Call{{ID: "call", Tool: name, Input: []byte(input)}})
	require.NoError(t, err)
	require.Len(t, results, 1)
	return results[0].Text()
}

// write writes a file into a project, past all tools.
func write(t testing.TB, session *toolrun.Session, name, text string) {
	t.Helper()
	require.NoError(t, afero.WriteFile(session.Project(), name, []byte(text), 0o644))
}
