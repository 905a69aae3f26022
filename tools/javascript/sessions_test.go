package javascript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// inSession returns an Env of a project whose calls are in a session.
func inSession(t testing.TB, store vfs.Store, project, session string) registry.Env {
	t.Helper()
	p, err := store.Open(t.Context(), project)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return registry.Env{
		Project: project, Files: p, Selection: registry.Selection{Session: session},
		SealKey: func(ctx context.Context) ([]byte, error) { return vfs.SealKey(ctx, store) },
	}
}

func requireRun(t *testing.T, r *registry.Registry, env registry.Env, code, want string) {
	t.Helper()
	require.Equal(t, want, run(t, r, env, code).Text())
}

const failedNote = "\nNote: the call failed, so the session's variables are as they were before it."

func TestSessions(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	env := inSession(t, store, "p", "main")
	requireRun(t, r, env, `let n = 1; const add = (x) => n += x`, "undefined")
	requireRun(t, r, env, `return add(2)`, "3")

	// Each session, and each project, has its own; without a session there are none.
	requireRun(t, r, inSession(t, store, "p", "other"), `return typeof n`, "undefined")
	requireRun(t, r, inSession(t, store, "q", "main"), `return typeof n`, "undefined")
	requireRun(t, r, inSession(t, store, "p", ""), `return typeof n`, "undefined")

	// Another engine, as in another process, goes on with it.
	requireRun(t, newRegistry(t), env, `return add(1)`, "4")

	// What fails, is stopped or ends early changes nothing.
	requireRun(t, r, env, `add(10); throw new Error('no')`, "Error: no\n    at <anonymous> (script-4.js:1:20)"+
		failedNote)
	stopped := env
	stopped.Limits.Timeout = 50 * time.Millisecond
	require.Contains(t, run(t, r, stopped, `add(10); for (;;);`).Text(), failedNote)
	requireRun(t, r, env, `add(10); process.exit(0)`,
		"undefined\nNote: the code ended early, or with calls still under way, so the session's variables are as "+
			"they were before the call.")
	requireRun(t, r, env, `return n`, "4")

	// Undoing a call undoes its variables.
	result := r.Dispatch(t.Context(), tool.Call{ID: "last", Tool: "javascript",
		Input: json.RawMessage(`{"code": "add(100); fs.writeFileSync('/f', 'x')"}`)}, env)
	require.False(t, result.IsError(), result.Text())
	_, err := env.Files.(vfs.Project).Undo(t.Context(), "last")
	require.NoError(t, err)
	requireRun(t, r, env, `return n + String(fs.existsSync('/f'))`, "4false")
}

func TestSessionsThatCannotBeUsed(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	for name, c := range map[string]struct {
		session string
		change  func(env *registry.Env)
		want    string
	}{
		"the name": {
			session: "../x",
			want: `Error: code cannot run: invalid argument: the session name ` +
				`"../x" has other characters: use up to 64 lower-case letters, digits, - and _, as in main or chat-7`,
		},
		"no files": {session: "main", change: func(env *registry.Env) { env.Files = nil },
			want: "Error: code cannot run in the session main: only a project that can be changed keeps sessions."},
		"a part of the project": {session: "main", change: func(env *registry.Env) {
			env.Files = vfs.Sub(env.Files,
				"/dir")
		},
			want: "Error: code cannot run in the session main: only a project that can be changed keeps sessions."},
	} {
		t.Run(name, func(t *testing.T) {
			env := inSession(t, store, "p", c.session)
			if c.change != nil {
				c.change(&env)
			}
			requireRun(t, r, env, `return 1`, c.want)
		})
	}

	// The number of sessions is bounded, but those that are there can be used.
	p, err := store.Open(t.Context(), "full")
	require.NoError(t, err)
	defer p.Close()
	states, _ := vfs.StatesOf(p)
	for i := range 99 {
		require.NoError(t, states.WriteState(t.Context(), vfs.StateID{Session: fmt.Sprint("s", i), Tool: "javascript"},
			nil, vfs.StateInfo{}))
	}
	requireRun(t, r, inSession(t, store, "full", "last"), `let n = 1`, "undefined")
	requireRun(t, r, inSession(t, store, "full", "more"), `let n = 1`, "Error: code cannot run in the session more: "+
		"the project has 100 sessions, and can have no more. Tell the user to delete some with `toolrun session "+
		"delete`.")
	requireRun(t, r, inSession(t, store, "full", "last"), `return n`, "1")

	// So is their size, by that of a state and by the project's quota.
	small := local.NewMemoryStore(&vfs.Options{Quota: vfs.Quota{Bytes: 100_000}})
	env := inSession(t, small, "p", "main")
	requireRun(t, r, env, `let n = 1`, "undefined")
	text := run(t, r, env,
		`n = 2; const noise = crypto.getRandomValues(new Uint8Array(60_000));
			const more = crypto.getRandomValues(new Uint8Array(60_000)); return 'ran'`).Text()
	require.Regexp(
		t, `^ran\nError: the code ran, `+
			`but its variables could not be kept: .*quota.* The session's variables are as they were before the call.$`,
		text,
	)
	requireRun(t, r, env, `return n`, "1")
}

// TestForgedStates puts all kinds of bytes where the state of a session is. None of them is taken for one.
func TestForgedStates(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	env := inSession(t, store, "p", "main")
	requireRun(t, r, env, `let secret = 'mine'`, "undefined")
	states, _ := vfs.StatesOf(env.Files)
	id := vfs.StateID{Session: "main", Tool: "javascript"}
	sealed, _, err := states.ReadState(t.Context(), id)
	require.NoError(t, err)
	strange := inSession(t, local.NewMemoryStore(nil), "p", "main") // with another key
	requireRun(t, r, strange, `let secret = 'forged'`, "undefined")
	strangeStates, _ := vfs.StatesOf(strange.Files)
	forged, _, err := strangeStates.ReadState(t.Context(), id)
	require.NoError(t, err)
	changed := bytes.Clone(sealed)
	changed[len(changed)-1]++
	for name, c := range map[string]struct {
		project, session string
		data             []byte
		reason           string
	}{
		"empty": {"a", "main", nil, "it is no state"},
		"text": {"b", "main", []byte(strings.Repeat("toolrun state 1\n", 100)),
			"it was changed, or sealed with another key"},
		"changed":            {"c", "main", changed, "it was changed, or sealed with another key"},
		"of another key":     {"p", "main", forged, "it was changed, or sealed with another key"},
		"of another project": {"d", "main", sealed, "it was changed, or sealed with another key"},
		"of another session": {"p", "other", sealed, "it was changed, or sealed with another key"},
		"cut":                {"e", "main", sealed[:len(sealed)-10], "it was changed, or sealed with another key"},
		"its head with another": {"f", "main", append(bytes.Clone(sealed[:64]), forged[64:]...),
			"it was changed, or sealed with another key"},
	} {
		t.Run(name, func(t *testing.T) {
			env := inSession(t, store, c.project, c.session)
			states, _ := vfs.StatesOf(env.Files)
			id := vfs.StateID{Session: c.session, Tool: "javascript"}
			_, before, _ := states.ReadState(t.Context(), id)
			require.NoError(t, states.WriteState(t.Context(), id, c.data, before))
			note := "\nNote: the variables of earlier calls could not be used: " + c.reason +
				". The call began without any. Declare again what you need."
			text := run(t, r, env, `return secret`).Text()
			require.Contains(t, text, "ReferenceError: secret is not defined\n")
			require.Contains(t, text, note+failedNote)
			requireRun(t, r, env, `let secret = 'new'; return typeof secret`, "string"+note)
			requireRun(t, r, env, `return secret`, "new")
		})
	}
}

// TestStatesAreOutOfReach lets code, the tool for files and archives try to get at the state of a session.
func TestStatesAreOutOfReach(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	env := inSession(t, store, "p", "main")
	requireRun(t, r, env, `let secret = 'mine'`, "undefined")
	states, _ := vfs.StatesOf(env.Files)
	id := vfs.StateID{Session: "main", Tool: "javascript"}
	sealed, info, err := states.ReadState(t.Context(), id)
	require.NoError(t, err)
	name := id.Path()

	script := inSession(t, store, "p", "")
	require.NoError(t, afero.WriteFile(env.Files, "/mine.txt", []byte("x"), 0o644))
	for _, code := range []string{
		`return fs.readFileSync(path)`, `fs.writeFileSync(path, 'x')`, `fs.appendFileSync(path, 'x')`,
		`fs.unlinkSync(path)`, `fs.statSync(path)`,
		`fs.renameSync(path, '/stolen')`, `fs.renameSync('/mine.txt', path)`, `fs.copyFileSync(path, '/stolen')`,
		`fs.copyFileSync('/mine.txt', path)`,
		`return fs.readdirSync(require('path').dirname(path))`, `return fs.readdirSync('/.toolrun')`,
		`fs.cpSync('/.toolrun', '/stolen', {recursive: true})`,
		`fs.rmSync('/.toolrun', {recursive: true})`, `require(path)`, `await import(path)`, `fs.openSync(path, 'r+')`,
		`fs.truncateSync(path)`,
		`fs.symlinkSync(path, '/stolen')`, `fs.linkSync(path, '/stolen')`, `fs.utimesSync(path, 1, 1)`,
		`fs.mkdirSync(path, {recursive: true})`,
	} {
		result := run(t, r, script, fmt.Sprintf("const path = %q; %s", name, code))
		require.True(t, result.IsError(), code)
		require.NotContains(t, result.Text(), "main\n", code)
	}
	requireRun(t, r, script, `return fs.readdirSync('/', {recursive: true}).join()`, "mine.txt")
	for _, input := range []map[string]any{
		{"command": "view", "path": name}, {"command": "create", "path": name, "file_text": "x"}, {"command": "delete",
			"path": name},
		{"command": "rename", "old_path": name, "new_path": "/stolen"}, {"command": "rename", "old_path": "/mine.txt",
			"new_path": name},
		{"command": "insert", "path": name, "insert_line": 0, "insert_text": "x"},
		{"command": "view", "path": "/.toolrun"},
	} {
		text, err := json.Marshal(input)
		require.NoError(t, err)
		result := r.Dispatch(t.Context(), tool.Call{ID: "file", Tool: "filesystem", Input: text}, script)
		require.True(t, result.IsError(), "%s: %s", text, result.Text())
	}

	// An archive does not contain it, and cannot bring one.
	var exported bytes.Buffer
	err = archive.Export(t.Context(), env.Files, &exported, archive.Tar)
	require.NoError(t, err)
	require.False(t, bytes.Contains(exported.Bytes(), sealed[:64]))
	require.False(t, bytes.Contains(exported.Bytes(), []byte("sessions")))

	now, nowInfo, err := states.ReadState(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, sealed, now)
	require.Equal(t, info, nowInfo)
	requireRun(t, r, env, `return secret`, "mine")
}

// TestOldSessionsAreDropped has sessions that nobody has used for a long time.
func TestOldSessionsAreDropped(t *testing.T) {
	dir := t.TempDir()
	store, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	defer store.Close()
	r := newRegistry(t)
	age := func(session string, days float64) {
		when := time.Now().Add(-time.Duration(days * float64(24*time.Hour)))
		require.NoError(t, os.Chtimes(filepath.Join(dir, "p", vfs.Reserved, "sessions", "javascript-"+session),
			when, when))
	}
	for _, session := range []string{"a", "b", "c"} {
		requireRun(t, r, inSession(t, store, "p", session), `let n = 1`, "undefined")
	}
	age("a", 29)
	requireRun(t, r, inSession(t, store, "p", "a"), `return n`, "1")
	age("a", 31)
	requireRun(t, r, inSession(t, store, "p", "a"), `return typeof n`,
		"undefined\nNote: the session's variables were dropped, because no call had used them for 30 days. The call "+
			"began without any.")
	age("b", 31)
	age("c", 29)
	env := inSession(t, store, "p", "d")
	requireRun(t, r, env, `return 1`, "1")
	states, _ := vfs.StatesOf(env.Files)
	all, err := states.ListStates(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, "c", all[1].Session)
	env = inSession(t, store, "p", "c")
	env.Selection = env.Selection.WithOption("javascript", code.OptionSessionDays, 10)
	require.Contains(t, run(t, r, env, `return typeof n`).Text(), "for 10 days")
}

// TestCallsOfASession runs several calls of one session at once: each sees what all before it have done.
func TestCallsOfASession(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	env := inSession(t, store, "p", "main")
	requireRun(t, r, env, `let n = 0`, "undefined")
	results := make(chan string)
	for range 8 {
		go func() {
			results <- run(t, r, env,
				`const before = n; await new Promise((r) => setTimeout(r, 1)); return n = before + 1`).Text()
		}()
	}
	seen := map[string]bool{}
	for range 8 {
		seen[<-results] = true
	}
	require.Len(t, seen, 8)
	requireRun(t, r, env, `return n`, "8")

	// Who waits too long is told so.
	states, _ := vfs.StatesOf(env.Files)
	unlock, err := states.LockSession(t.Context(), "main")
	require.NoError(t, err)
	defer unlock()
	env.Limits.Timeout = 20 * time.Millisecond
	requireRun(t, r, env, `return n`, "Error: nothing was run: another call has been using the session for 20ms. "+
		"Wait for it to end, and call again.")
}

// TestCallsByToolsHaveNoSession has a tool that runs code. That begins anew and leaves nothing, and does not wait for
// the session, which who calls the tool may have.
func TestCallsByToolsHaveNoSession(t *testing.T) {
	relay := tool.Func(tool.Spec{Name: "relay", Description: "Runs code."}, func(ctx context.Context,
		in struct {
			Code string `json:"code"`
		}, env tool.Env) (string, error) {
		input, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		return env.Dispatch(ctx, tool.Call{Tool: "javascript", Input: input}).Text(), nil
	})
	r, err := newRegistry(t).With(relay)
	require.NoError(t, err)
	env := inSession(t, local.NewMemoryStore(nil), "p", "main")
	requireRun(t, r, env, `let n = 1`, "undefined")
	states, _ := vfs.StatesOf(env.Files)
	unlock, err := states.LockSession(t.Context(), "main")
	require.NoError(t, err)
	result := r.Dispatch(t.Context(), tool.Call{ID: "1", Tool: "relay",
		Input: json.RawMessage(`{"code": "globalThis.m = 2; return typeof n"}`)}, env)
	require.Equal(t, "undefined", result.Text())
	unlock()
	requireRun(t, r, env, `return typeof m + n`, "undefined1")
}

// TestToolCallsInSessions has code call tools by functions that it has declared in an earlier call.
func TestToolCallsInSessions(t *testing.T) {
	r, store := newRegistry(t), local.NewMemoryStore(nil)
	env := inSession(t, store, "p", "main")
	env.Selection = env.Selection.WithOption("javascript", "toolCalls", true)
	requireRun(
		t, r, env, `const view = (path) => tools.filesystem({command: 'view', path}); fs.writeFileSync('/a', 'text')`,
		"undefined\nFiles: created /a",
	)
	require.Contains(t, run(t, r, env, `return await view('/a')`).Text(), "text\nTool calls: filesystem 1")
	env.Selection = env.Selection.WithOption("javascript", "toolCalls", false)
	require.Contains(t, run(t, r, env, `return await view('/a')`).Text(), "is not there any more")
}

// BenchmarkSessionCalls compares calls of the tool in fresh sandboxes and in sessions, with all that they do to a
// project in memory.
func BenchmarkSessionCalls(b *testing.B) {
	r, store := newRegistry(b), local.NewMemoryStore(nil)
	const list = `const list = Array.from({ length: 12_000 }, (_, i) => ({ id: i, name: 'name ' + i }))`
	const change = `for (const one of list) one.id++; `
	for _, c := range []struct{ name, session, begin, code string }{
		{"fresh", "", `return 1`, `return 1`},
		{"session", "small", `let n = 1; function f() { return n }`, `return 1`},
		{"session of 2 MB", "large", list, `return 1`},
		{"session whose 2 MB change", "changing", list, change + `return 1`},
		// what the script itself takes
		{"session whose 2 MB change twice", "twice", list, change + change + `return 1`},
	} {
		env := inSession(b, store, "p", c.session)
		require.False(b, run(b, r, env, c.begin).IsError())
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if result := run(b, r, env, c.code); result.IsError() {
					b.Fatal(result.Text())
				}
			}
		})
	}
}
