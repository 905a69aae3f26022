package module_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/tools/module"
)

const wasi = "wasi_snapshot_preview1"

// program is a module whose _start has the code that build returns, and what it writes in its data.
func program(build func(m *asm.Module) []byte) []byte {
	m := &asm.Module{}
	body := build(m)
	m.Export("_start", m.Func(":", "i", body))
	m.Memory(2)
	return m.Bytes()
}

// echo copies its input to its output.
func echo() []byte {
	return program(func(m *asm.Module) []byte {
		read, write := m.Import(wasi, "fd_read", "iiii:i"), m.Import(wasi, "fd_write", "iiii:i")
		return asm.Code(
			asm.I32(0), asm.I32(1000), asm.Store(), asm.I32(4), asm.I32(60000), asm.Store(),
			asm.I32(0), asm.I32(0), asm.I32(1), asm.I32(4), asm.Call(read), asm.Drop,
			asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop)
	})
}

// printing writes texts to descriptors, and then runs more code.
func printing(texts map[int32]string, exit func(m *asm.Module) []byte) []byte {
	return program(func(m *asm.Module) []byte {
		after := exit(m)
		write := m.Import(wasi, "fd_write", "iiii:i")
		var code []byte
		at := int32(1000)
		for fd := int32(1); fd <= 2; fd++ {
			text := texts[fd]
			m.Data(at, text)
			code = append(code, asm.Code(asm.I32(0), asm.I32(at), asm.Store(), asm.I32(4), asm.I32(int32(len(text))),
				asm.Store(),
				asm.I32(fd), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop)...)
			at += 10_000
		}
		return append(code, after...)
	})
}

func exits(status int32) func(m *asm.Module) []byte {
	return func(m *asm.Module) []byte {
		return asm.Code(asm.I32(status), asm.Call(m.Import(wasi, "proc_exit", "i:")))
	}
}

func does(code ...any) func(*asm.Module) []byte {
	return func(*asm.Module) []byte { return asm.Code(code...) }
}

// add adds a module to a new store, with what build changes of the manifest.
func add(t testing.TB, code []byte, grants module.Grants, build func(m *module.Manifest)) *module.Installed {
	t.Helper()
	m := &module.Manifest{Name: "thing", Description: "Does a thing."}
	if build != nil {
		build(m)
	}
	installed, err := module.OpenStore(t.TempDir()).Add(m, code, module.AddOptions{Grants: grants})
	require.NoError(t, err)
	return installed
}

// tools returns a registry with the tool of a module.
func tools(t testing.TB, installed *module.Installed) *registry.Registry {
	t.Helper()
	engine, err := sandbox.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	r, err := registry.New(module.New(installed, engine))
	require.NoError(t, err)
	return r
}

func call(t testing.TB, r *registry.Registry, input string) tool.Result {
	t.Helper()
	return r.Dispatch(t.Context(), tool.Call{Tool: "thing", Input: json.RawMessage(input)}, registry.Env{})
}

func TestResults(t *testing.T) {
	t.Parallel()
	output := func(m *module.Manifest) { m.OutputSchema = json.RawMessage(`{"type":"object"}`) }
	for _, c := range []struct {
		why    string
		module []byte
		build  func(m *module.Manifest)
		text   string
		data   string
		code   tool.Code
	}{
		{"the input as it was sent", echo(), nil, `{"a":[1,2.5e3,"é"]}`, `{"a":[1,2.5e3,"é"]}`, ""},
		{"a text", printing(map[int32]string{1: "forty-two\n", 2: "a log"}, exits(0)), nil, "forty-two", "", ""},
		{"nothing", printing(nil, does()), nil, tool.EmptyResult, "", ""},
		{"what is not UTF-8", printing(map[int32]string{1: "a\xffb"}, does()), nil, "a\uFFFDb", "", ""},
		{"an error that it writes itself", printing(map[int32]string{1: "no such city\n", 2: ""}, exits(1)), nil,
			"no such city",
			`{"error":{"kind":"exit","message":"The tool thing failed with exit status 1.","status":1}}`,
			tool.CodeTool},
		{"an error with a log", printing(map[int32]string{2: "cannot read x\nis it there?\n"}, exits(3)), nil,
			"The tool thing failed with exit status 3.\n=== End of the tool's log ===\ncannot read x\nis it there?",
			"-", tool.CodeTool},
		{"a crash", printing(map[int32]string{1: "half a res", 2: "panic: oh"}, does(asm.Unreachable)), nil,
			"The tool thing has crashed (unreachable). That is a fault of the tool; other input may work.\n" +
				"=== End of the tool's log ===\npanic: oh", "-", tool.CodeTool},
		{"a time limit", program(does(asm.Forever())), func(m *module.Manifest) {
			m.Limits.Time = module.Duration(30 * time.Millisecond)
		},
			"The tool thing was stopped after its time limit of 30ms. Ask for less at a time.", "-",
			tool.CodeTimeout},
		{"a work limit", program(does(asm.Forever())), func(m *module.Manifest) { m.Limits.Work = 1000 },
			"The tool thing was stopped at its work limit of 1000 units. Ask for less at a time.", "-",
			tool.CodeTool},
		{"a memory limit", program(does(asm.Forever(asm.I32(1), asm.MemoryGrow, 0, asm.I32(-1), 0x46, asm.If, asm.Empty,
			asm.Unreachable, asm.End))),
			func(m *module.Manifest) { m.Limits.Memory = 4 },
			"The tool thing was stopped at its memory limit of 4 MiB. Ask for less at a time.", "-", tool.CodeTool},
		{"a recursion limit", program(does(asm.Call(0))), nil,
			"The tool thing was stopped because it recursed too deeply. Give it input that is nested less deeply.", "-",
			tool.CodeTool},
		{"an output limit", printing(map[int32]string{1: "0123456789"}, does()), func(m *module.Manifest) {
			m.Limits.Output = 4
		},
			"0123\n[6 bytes of the result were left out: it is longer than the tool's limit.]", "", ""},
		{"an object that was promised", printing(map[int32]string{1: " {\"n\": 1}\n"}, does()), output, " {\"n\": 1}",
			`{"n": 1}`, ""},
		{"a text where an object was promised", printing(map[int32]string{1: "text"}, does()), output,
			"the tool thing has failed: its output is not the JSON object that it promises", "", tool.CodeTool},
		{"a long object that was promised", printing(map[int32]string{1: `{"a":1}`}, does()), func(m *module.Manifest) {
			output(m)
			m.Limits.Output = 4
		},
			"the result of thing is longer than 4 bytes. Ask for less at a time", "", tool.CodeTool},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			r := tools(t, add(t, c.module, module.Grants{}, c.build))
			for range 2 {
				result := call(t, r, `{"a":[1,2.5e3,"é"]}`)
				require.Equal(t, c.text, result.Text())
				require.Equal(t, c.code, result.Code)
				if c.data == "" {
					require.Nil(t, result.Data)
				} else if c.data != "-" {
					require.JSONEq(t, c.data, string(result.Data.(json.RawMessage)))
				}
			}
		})
	}
}

// TestNothingThatIsNotGranted: a module that asks for the time, randomness and an environment has what was granted.
func TestNothingThatIsNotGranted(t *testing.T) {
	asking := func(m *module.Manifest) {
		m.Asks = module.Asks{Clock: true, Random: true, Env: []string{"TOKEN", "OTHER"}}
	}
	printed := func(what func(m *asm.Module) []byte, size int32) []byte { // of what it writes to 100
		return program(func(m *asm.Module) []byte {
			code := what(m)
			write := m.Import(wasi, "fd_write", "iiii:i")
			return asm.Code(code, asm.I32(0), asm.I32(100), asm.Store(), asm.I32(4), asm.I32(size), asm.Store(),
				asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop)
		})
	}
	digits := asm.Code() // of the 8 bytes at 80, in base 16, but with letters from a to p; not all bytes are text
	for i := range int32(16) {
		// load8_u, shr_u, and
		digits = asm.Code(digits, asm.I32(100+i), asm.I32(80+i/2), 0x2d, 0, 0, asm.I32(4*(i%2)), 0x76,
			asm.I32(15), 0x71,
			asm.I32('a'), 0x6a, 0x3a, 0, 0) // add, store8
	}
	clock := printed(func(m *asm.Module) []byte {
		return asm.Code(asm.I32(0), 0x42, 0, asm.I32(80), asm.Call(m.Import(wasi, "clock_time_get", "iIi:i")),
			asm.Drop, digits)
	}, 16)
	random := printed(func(m *asm.Module) []byte {
		return asm.Code(asm.I32(80), asm.I32(8), asm.Call(m.Import(wasi, "random_get", "ii:i")), asm.Drop, digits)
	}, 16)
	env := printed(func(m *asm.Module) []byte {
		return asm.Code(asm.I32(10), asm.I32(100), asm.Call(m.Import(wasi, "environ_get", "ii:i")), asm.Drop)
	}, 12)
	run := func(code []byte, grants module.Grants) (first, second string) {
		r := tools(t, add(t, code, grants, asking))
		return call(t, r, `{}`).Text(), call(t, r, `{}`).Text()
	}

	first, second := run(clock, module.Grants{Random: true})
	require.Equal(t, first, second, "every run begins at the same time")
	first, second = run(clock, module.Grants{Clock: true})
	require.NotEqual(t, first, second)
	first, second = run(random, module.Grants{Clock: true})
	require.Equal(t, first, second, "every run gets the same numbers")
	first, second = run(random, module.Grants{Random: true})
	require.NotEqual(t, first, second)
	t.Setenv("OTHER", "of the host")
	first, _ = run(env, module.Grants{})
	require.Equal(t, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", first)
	first, _ = run(env, module.Grants{Env: map[string]string{"TOKEN": "secret"}})
	require.Equal(t, "TOKEN=secret", first)
}

func TestStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "modules")
	store := module.OpenStore(dir)
	list, err := store.List()
	require.NoError(t, err)
	require.Empty(t, list)

	m := &module.Manifest{Name: "thing", Description: "Does a thing.", Asks: module.Asks{Files: module.AccessWrite,
		Clock: true}}
	withNames := append(echo(), asm.Section(0, asm.Code(asm.Name("name"), []byte("debugging")))...)
	installed, err := store.Add(m, withNames, module.AddOptions{Grants: module.Grants{Files: module.AccessRead},
		From: "here"})
	require.NoError(t, err)
	require.Equal(t, module.AccessRead, installed.Grants.Files)
	require.NotEqual(t, installed.Original, installed.Manifest.SHA256)
	code, err := installed.Read()
	require.NoError(t, err)
	require.Equal(t, echo(), code, "custom sections are left out")
	info, err := os.Stat(filepath.Join(dir, "thing", "installed.json"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "it can have secrets")

	_, err = store.Add(m, echo(), module.AddOptions{})
	require.ErrorIs(t, err, module.ErrExists)
	installed, err = store.Add(m, echo(), module.AddOptions{Replace: true})
	require.NoError(t, err)
	require.Empty(t, installed.Grants.Files)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left of the old one")

	// Somebody changes the module.
	file := filepath.Join(dir, "thing", "module.wasm")
	require.NoError(t, os.WriteFile(file, append(echo(), 0, 1, 0), 0o600))
	_, err = installed.Read()
	var changed *module.ChangedError
	require.ErrorAs(t, err, &changed)
	result := call(t, tools(t, installed), `{}`)
	require.Contains(t, result.Text(), "has been changed since it was added")

	manifest := filepath.Join(dir, "thing", "tool.json")
	require.NoError(t, os.WriteFile(manifest, []byte("{"), 0o600))
	list, err = store.List()
	require.ErrorContains(t, err, "module thing: manifest")
	require.NotContains(t, err.Error(), "made it", "this version has")
	require.Empty(t, list)

	// A later version adds a module that this one does not understand.
	require.NoError(t, os.WriteFile(manifest, []byte(`{"name": "thing", "later": true}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thing", "installed.json"),
		[]byte(`{"grants": {}, "later": true, "toolrun": "v9.0.0"}`), 0o600))
	_, err = store.Get("thing")
	require.ErrorContains(t, err, "later")
	require.ErrorContains(t, err, ": toolrun v9.0.0 made it, and this is ")
	require.NoError(t, store.Remove("thing"))
	require.ErrorIs(t, store.Remove("thing"), module.ErrNotFound)
	_, err = store.Get("thing")
	require.ErrorIs(t, err, module.ErrNotFound)
	for _, name := range []string{"", "..", "../x", "a/b", "/etc"} {
		_, err := store.Get(name)
		require.Error(t, err)
		require.Error(t, store.Remove(name))
	}
}

// TestAManifestNeverGrants, whatever a publisher writes into it.
func TestAManifestNeverGrants(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"name":"thing","description":"d","grants":{"files":"write"}}`,
		`{"name":"thing","description":"d","asks":{"files":"write","granted":true}}`,
	} {
		_, err := module.ParseManifest([]byte(text))
		require.ErrorContains(t, err, "unknown field")
	}
	m, err := module.ParseManifest([]byte(`{"name":"thing","description":"d","asks":{"files":"write","clock":true},
		"limits":{"time":"1h","memory":1024,"output":100000000}}`))
	require.NoError(t, err)
	installed, err := module.OpenStore(t.TempDir()).Add(m, echo(), module.AddOptions{})
	require.NoError(t, err)
	require.Equal(t, module.Grants{}, installed.Grants)
	spec := module.New(installed, nil).Spec()
	require.Equal(t, module.DefaultTime, spec.Timeout)
	require.EqualValues(t, module.DefaultMemory, spec.Options[0].Default)
	require.Equal(t, "none", spec.Options[1].Default)
	installed.Grants.Limits = true
	require.Equal(t, time.Hour, module.New(installed, nil).Spec().Timeout)
}

func TestManifestsAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                                           "cannot unmarshal",
		`{"name":"a b","description":"d"}`:             `name "a b"`,
		`{"name":"a","description":" "}`:               "description is missing",
		`{"name":"a","description":"d"} {}`:            "behind the object",
		`{"name":"a","description":"d","sha256":"12"}`: "sha256",
		`{"name":"a","description":"d","inputSchema":{"type":"string"}}`:       "inputSchema",
		`{"name":"a","description":"d","outputSchema":{"type":7}}`:             "outputSchema",
		`{"name":"a","description":"d","limits":{"time":"-1s"}}`:               "time",
		`{"name":"a","description":"d","limits":{"memory":1}}`:                 "memory",
		`{"name":"a","description":"d","limits":{"work":-1}}`:                  "work",
		`{"name":"a","description":"d","asks":{"files":"all"}}`:                "files",
		`{"name":"a","description":"d","asks":{"folder":"/x"}}`:                "folder",
		`{"name":"a","description":"d","asks":{"files":"read","folder":".."}}`: "folder",
		`{"name":"a","description":"d","asks":{"env":["A=B"]}}`:                "env",
	} {
		_, err := module.ParseManifest([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	m := &module.Manifest{Name: "thing", Description: "d", SHA256: "00"}
	store := module.OpenStore(t.TempDir())
	_, err := store.Add(m, echo(), module.AddOptions{})
	require.Error(t, err)
	m.SHA256 = "0000000000000000000000000000000000000000000000000000000000000000"
	_, err = store.Add(m, echo(), module.AddOptions{})
	require.ErrorContains(t, err, "its manifest says 0000")
	m.SHA256 = ""
	for _, grants := range []module.Grants{
		{Files: module.AccessRead}, {Files: "all"}, {Clock: true}, {Random: true}, {Env: map[string]string{"A": "b"}},
	} {
		_, err = store.Add(m, echo(), module.AddOptions{Grants: grants})
		require.ErrorContains(t, err, "grant", "%v", grants)
	}
	_, err = store.Add(m, []byte("\x00asm\x0d\x00\x01\x00"), module.AddOptions{})
	var refused *command.RefusedError
	require.ErrorAs(t, err, &refused)
}

// TestFilesAreThoseThatAreGranted: a module makes a directory, and exits with WASI's error number.
func TestFilesAreThoseThatAreGranted(t *testing.T) {
	t.Parallel()
	making := func(name string) []byte {
		return program(func(m *asm.Module) []byte {
			make, exit := m.Import(wasi, "path_create_directory", "iii:i"), m.Import(wasi, "proc_exit", "i:")
			m.Data(100, name)
			return asm.Code(asm.I32(3), asm.I32(100), asm.I32(int32(len(name))), asm.Call(make), asm.Call(exit))
		})
	}
	for _, c := range []struct {
		why, name, folder string
		granted           module.Access
		made              string // or nothing
	}{
		{"write", "new", "", module.AccessWrite, "/new"},
		{"write in a folder", "new", "/data", module.AccessWrite, "/data/new"},
		{"write out of a folder", "../new", "/data", module.AccessWrite, ""},
		{"write to a memory", "memories/new", "", module.AccessWrite, ""},
		{"write to a memory that is the folder", "new", "/memories", module.AccessWrite, ""},
		{"read", "new", "", module.AccessRead, ""},
		{"read in a folder", "new", "/data", module.AccessRead, ""},
		{"nothing", "new", "", module.AccessNone, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			files := tooltest.InMemory(t, nil)
			for _, dir := range []string{"/data", "/memories"} {
				require.NoError(t, files.Mkdir(dir, 0o755))
			}
			r := tools(t, add(t, making(c.name), module.Grants{Files: c.granted}, func(m *module.Manifest) {
				m.Asks = module.Asks{Files: module.AccessWrite, Folder: c.folder}
			}))
			result := r.Dispatch(t.Context(), tool.Call{Tool: "thing", Input: json.RawMessage(`{}`)},
				registry.Env{Project: "p", Files: files})
			require.Equal(t, c.made == "", result.IsError(), result.Text())
			if c.made != "" {
				info, err := files.Stat(c.made)
				require.NoError(t, err)
				require.True(t, info.IsDir())
				require.Contains(t, result.Text(), "Files: created "+c.made+"/")
				return
			}
			for _, dir := range []string{"/new", "/data/new", "/memories/new"} {
				_, err := files.Stat(dir)
				require.Error(t, err, dir)
			}
		})
	}
}
