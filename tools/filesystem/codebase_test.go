package filesystem_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

// codebase calls tools on a project with some files.
func codebase(t *testing.T) (b *tooltest.Bench, call func(name, input string) tool.Result) {
	tools, err := registry.New(filesystem.Codebase()...)
	require.NoError(t, err)
	b = &tooltest.Bench{T: t, Tools: tools, Files: tooltest.InMemory(t, nil)}
	b.Put(map[string]string{
		"/a.go": "package a\n\nfunc A() {}\n", "/d/b.go": "package b\n\nfunc B() { a.A() }", "/d/b.go:1-2": "odd",
		"/bin": "\x00",
		"/u16": "\xff\xfeh\x00i\x00", "/latin1": "caf\xe9\nth\xe9\n",
		"/.hidden": "func", "/node_modules/x.js": "func", "/empty/": "",
	})
	return b, func(name, input string) tool.Result {
		return tools.Dispatch(t.Context(), tool.Call{Tool: name, Input: json.RawMessage(input)},
			registry.Env{Project: "test", Files: b.Files, Selection: registry.Selection{}.Only(name)})
	}
}

func TestReadFiles(t *testing.T) {
	b, call := codebase(t)
	for input, want := range map[string]struct {
		text, status string
		code         tool.Code
	}{
		`{"paths":["/a.go:1-1","d/b.go"]}`: {"Successfully loaded the following file(s):\n>>>>> FILE: " +
			"/a.go:1-1\npackage a\n<<<<< END FILE\n>>>>> FILE: /d/b.go\npackage b\n\nfunc B() { a.A() }\n<<<<< END " +
			"FILE",
			"Successfully loaded 2 file(s)", ""},
		`{"project":"test","paths":["/a.go:3","/no.go","/a.go:3-"]}`: {"Failed to load '/no.go' in project 'test': " +
			"there is no such file\nSuccessfully loaded the following file(s):\n" +
			">>>>> FILE: /a.go:3\nfunc A() {}\n<<<<< END FILE\n>>>>> FILE: /a.go:3-\nfunc A() {}\n<<<<< END FILE",
			"Loaded 2 file(s), failed to load 1 file(s)", ""},
		`{"paths":["/a.go:-1"]}`: {"Successfully loaded the following file(s):\n>>>>> FILE: /a.go:-1\npackage " +
			"a\n<<<<< END FILE", "Successfully loaded 1 file(s)", ""},
		`{"paths":["/d/b.go:1-2"]}`: {"Successfully loaded the following file(s):\n>>>>> FILE: " +
			"/d/b.go:1-2\nodd\n<<<<< END FILE", "Successfully loaded 1 file(s)", ""},
		`{"paths":["/a.go:4-9","/a.go:0-1","/a.go:99999999999999999999","/bin","/d","../\n"]}`: {
			"Failed to load '/a.go:4-9' in project 'test': it has no lines 4-9; there are lines 1 to 3\n" +
				"Failed to load '/a.go:0-1' in project 'test': it has no lines 0-1; there are lines 1 to 3\n" +
				"Failed to load '/a.go:99999999999999999999' in project 'test': " +
				"it has no lines 99999999999999999999; " +
				"there are lines 1 to 3\n" +
				"Failed to load '/bin' in project 'test': it is a binary file (application/octet-stream)\n" +
				"Failed to load '/d' in project 'test': it is a directory, not a file\n" +
				"Failed to load '/' in project 'test': it is a directory, not a file",
			"Loaded 0 file(s), failed to load 6 file(s)", tool.CodeTool},
		`{"paths":["/a.go:3-9","/a.go:-99999999999999999999","/a.go:1-3"]}`: {"Note on '/a.go:3-9': The file ends at " +
			"line 3.\nNote on '/a.go:-99999999999999999999': The file ends at line 3.\n" +
			"Successfully loaded the following file(s):\n>>>>> FILE: /a.go:3-9\nfunc A() {}\n<<<<< END FILE\n>>>>> " +
			"FILE: /a.go:-99999999999999999999\npackage a\n\nfunc A() {}\n<<<<< END FILE\n" +
			">>>>> FILE: /a.go:1-3\npackage a\n\nfunc A() {}\n<<<<< END FILE", "Successfully loaded 3 file(s)", ""},
		`{"paths":["/u16","/latin1:2-5"]}`: {"Note on '/u16': Decoded from UTF-16LE; edits keep this encoding.\nNote " +
			"on '/latin1:2-5': The file ends at line 2. Decoded from Latin-1; edits keep this encoding.\n" +
			"Successfully loaded the following file(s):\n>>>>> FILE: /u16\nhi\n<<<<< END FILE\n>>>>> FILE: " +
			"/latin1:2-5\nthé\n<<<<< END FILE", "Successfully loaded 2 file(s)", ""},
		`{"paths":[]}`: {"Error: paths array is required and must not be empty.", "",
			tool.CodeTool},
		`{"project":"other","paths":["/a.go"]}`: {"Error: There is no project 'other'; list_projects names the " +
			"projects.", "", tool.CodeTool},
	} {
		result := call("read_files", input)
		require.Equal(t, want.text, result.Text(), input)
		require.Equal(t, want.status, result.Status, input)
		require.Equal(t, want.code, result.Code, input)
	}

	// A file that is too long to be shown is not kept in another one.
	b.Put(map[string]string{"/long:1": strings.Repeat("x\n", 40<<10)})
	for _, input := range []string{`{"paths":["/long:1"]}`, `{"paths":["/long:1:7-"]}`} {
		long := call("read_files", input)
		require.Contains(t, long.Text(), "It is in the file /long:1; ")
		require.Contains(t, long.Text(), "Read on with the read_files tool and a range of lines.")
		require.Equal(t, "/long:1", long.InFile)
	}

	// The transcript shows each content once, in the newest result.
	first := call("read_files", `{"paths":["/a.go","/d/b.go"]}`)
	b.Put(map[string]string{"/d/b.go": "package c"})
	rendered := provider.ShowOnce([]tool.Result{first,
		call("read_files", `{"paths":["/a.go","/d/b.go"]}`)})
	require.Equal(t, "Successfully loaded the following file(s):\n>>>>> FILE: /a.go (content shown in another tool "+
		"invocation)\n<<<<< END FILE\n"+
		">>>>> FILE: /d/b.go\npackage b\n\nfunc B() { a.A() }\n<<<<< END FILE", rendered[0].Text())
}

func TestSearchFiles(t *testing.T) {
	b, call := codebase(t)
	const skipped = "\n[Not searched: /bin (binary).]"
	for input, want := range map[string]string{
		`{"regex":"func [AB]"}`: "Found 2 line(s) in 2 file(s):\n/a.go:3: func A() {}\n/d/b.go:3: " +
			"func B() { a.A() }" + skipped,
		`{"regex":"^(HI|thé)$|^hi"}`:            "Found 2 line(s) in 2 file(s):\n/latin1:2: thé\n/u16:1: hi" + skipped,
		`{"regex":"(?i)PACKAGE","path":" /d "}`: "Found 1 line(s) in 1 file(s):\n/d/b.go:1: package b",
		`{"regex":"odd$","path":"/d/b.go:1-2"}`: "Found 1 line(s) in 1 file(s):\n/d/b.go:1-2:1: odd",
		`{"regex":"nothing"}`:                   "Found nothing." + skipped,
		`{"regex":"("}`: "Error: The regular expression cannot be used: error parsing " +
			"regexp: missing closing ): `(`",
		`{"regex":""}`: "Error: The regular expression cannot be used: " +
			"a pattern is required, with at most 10240 bytes",
		`{"regex":"x","path":"/no"}`: "Error: The path /no does not exist",
	} {
		require.Equal(t, want, call("search_files", input).Text(), input)
	}
	long := strings.Repeat("x", 500) + " needle " + strings.Repeat("y", 500)
	b.Put(map[string]string{"/long": long, "/large": "\xff\xfe" + strings.Repeat("n\x00", 2<<20)})
	require.Equal(t, "Found 1 line(s) in 1 file(s):\n/long:1: ..."+long[426:726]+
		"...\n[Not searched: /bin (binary), /large (UTF-16, larger than 4 MiB).]",
		call("search_files", `{"regex":"needle"}`).Text())
	for i := range 30 {
		b.Put(map[string]string{fmt.Sprintf("/pictures/%02d", i): "\x00"})
	}
	require.Contains(t, call("search_files", `{"regex":"needle"}`).Text(),
		"/pictures/17 (binary) and 12 more.]")
	b.Put(map[string]string{"/many": strings.Repeat("match\n", 300)})
	require.Contains(t, call("search_files", `{"regex":"match"}`).Text(),
		"/many:200: match\n[There may be more: these are the first 200 lines.")
}

// TestProjectsThatAreMounted: a call reads its own project, and those that are mounted in it.
func TestProjectsThatAreMounted(t *testing.T) {
	b, call := codebase(t)
	require.Equal(t, "Projects:\n- test", call("list_projects", `{}`).Text())
	lib := tooltest.InMemory(t, nil)
	require.NoError(t, vfs.WriteFile(t.Context(), lib, "/d/x", []byte("found")))
	mounts := []vfs.Mount{{Path: "/share", Project: "lib", ReadOnly: true}}
	mounted, err := vfs.OpenMounts(b.Files, "test", mounts, func(vfs.Mount) (vfs.Project, error) { return lib, nil })
	require.NoError(t, err)
	settings, _, err := registry.ParseSettings([]byte(`{"mounts":[{"path":"/share","project":"lib","readOnly":true},
		{"path":"/d","project":"secret"}]}`))
	require.NoError(t, err)
	selection := registry.Selection{Settings: settings}.Only("list_projects", "read_files", "search_files")
	for input, want := range map[string]string{
		`list_projects {}`: "Projects:\n- test\n- lib: also at /share",
		`search_files {"project":"lib","regex":"fo+"}`: "Found 1 line(s) in 1 file(s):\n/d/x:1: found",
		`search_files {"path":"/share","regex":"fo+"}`: "Found 1 line(s) in 1 file(s):\n/share/d/x:1: found",
		`read_files {"project":"lib","paths":["../d/x"]}`: "Successfully loaded the following file(s):\n" +
			">>>>> FILE: /d/x\nfound\n<<<<< END FILE",
		`read_files {"project":"lib","paths":["/a.go"]}`: "Failed to load '/a.go' in project 'lib': " +
			"there is no such file",
		`search_files {"project":"lib","regex":"x","path":"/d/x/y"}`: "Error: The path /d/x/y cannot be used: " +
			"/d/x is a file, not a directory.",
		`read_files {"project":"secret","paths":["/b.go"]}`: "Error: There is no project 'secret'; " +
			"list_projects names the projects.",
	} {
		one, arguments, _ := strings.Cut(input, " ")
		result := b.Tools.Dispatch(t.Context(), tool.Call{Tool: one, Input: json.RawMessage(arguments)},
			registry.Env{Project: "test", Files: mounted, Selection: selection})
		require.Equal(t, want, result.Text(), input)
	}
}
