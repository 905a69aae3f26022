package codebase_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/registry/transcript"
	"github.com/toolrun/toolrun/tools/codebase"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

func newBench(t *testing.T, options *codebase.Options) *tooltest.Bench {
	tools, err := registry.New(codebase.New(options)...)
	require.NoError(t, err)
	b := &tooltest.Bench{T: t, Tools: tools, Files: tooltest.InMemory(t, nil)}
	b.Put(map[string]string{
		"/a.go": "package a\n\nfunc A() {}\n", "/d/b.go": "package b\n\nfunc B() { a.A() }", "/d/b.go:1-2": "odd",
		"/bin": "\x00",
		"/u16": "\xff\xfeh\x00i\x00", "/latin1": "caf\xe9\nth\xe9\n",
		"/.hidden": "func", "/node_modules/x.js": "func", "/empty/": "",
	})
	return b
}

func TestReadFiles(t *testing.T) {
	b := newBench(t, nil)
	for input, want := range map[string]struct {
		text, status string
		code         registry.Code
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
			"Loaded 0 file(s), failed to load 6 file(s)", registry.CodeTool},
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
			registry.CodeTool},
		`{"project":"other","paths":["/a.go"]}`: {"Error: There is no project 'other'; list_projects names the " +
			"projects.", "", registry.CodeTool},
	} {
		result := b.CallTool("read_files", json.RawMessage(input))
		require.Equal(t, want.text, result.Text(), input)
		require.Equal(t, want.status, result.Status, input)
		require.Equal(t, want.code, result.Code, input)
	}

	// The transcript shows each content once, in the newest result.
	first := b.CallTool("read_files", json.RawMessage(`{"paths":["/a.go","/d/b.go"]}`))
	b.Put(map[string]string{"/d/b.go": "package c"})
	rendered := transcript.Render([]registry.Result{first,
		b.CallTool("read_files", json.RawMessage(`{"paths":["/a.go","/d/b.go"]}`))})
	require.Equal(t, "Successfully loaded the following file(s):\n>>>>> FILE: /a.go (content shown in another tool "+
		"invocation)\n<<<<< END FILE\n"+
		">>>>> FILE: /d/b.go\npackage b\n\nfunc B() { a.A() }\n<<<<< END FILE", rendered[0].Text())
}

func TestSearchFiles(t *testing.T) {
	b := newBench(t, nil)
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
		`{"regex":""}`:               "Error: regex is required, with at most 10240 bytes.",
		`{"regex":"x","path":"/no"}`: "Error: The path /no does not exist",
	} {
		require.Equal(t, want, b.CallTool("search_files", json.RawMessage(input)).Text(), input)
	}
	long := strings.Repeat("x", 500) + " needle " + strings.Repeat("y", 500)
	b.Put(map[string]string{"/long": long, "/large": "\xff\xfe" + strings.Repeat("n\x00", 2<<20)})
	require.Equal(t, "Found 1 line(s) in 1 file(s):\n/long:1: ..."+long[426:726]+
		"...\n[Not searched: /bin (binary), /large (UTF-16, larger than 4 MiB).]",
		b.CallTool("search_files", json.RawMessage(`{"regex":"needle"}`)).Text())
	for i := range 30 {
		b.Put(map[string]string{fmt.Sprintf("/pictures/%02d", i): "\x00"})
	}
	require.Contains(t, b.CallTool("search_files", json.RawMessage(`{"regex":"needle"}`)).Text(),
		"/pictures/17 (binary) and 12 more.]")
	b.Put(map[string]string{"/many": strings.Repeat("match\n", 300)})
	require.Contains(t, b.CallTool("search_files", json.RawMessage(`{"regex":"match"}`)).Text(),
		"/many:200: match\n[There may be more: these are the first 200 lines.")
}

func TestProjects(t *testing.T) {
	b := newBench(t, nil)
	require.Equal(t, "Projects:\n- test", b.CallTool("list_projects", json.RawMessage(`{}`)).Text())

	other := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(other, "/x", []byte("found"), 0o644))
	var fail error
	b = newBench(t, &codebase.Options{Projects: func(_ context.Context, env registry.Env) ([]codebase.Project, error) {
		return []codebase.Project{{Name: "test", Files: env.Files}, {Name: "lib", Description: "what all share",
			Files: other}}, fail
	}})
	require.Equal(t, "Projects:\n- test\n- lib: what all share", b.CallTool("list_projects",
		json.RawMessage(`{}`)).Text())
	require.Equal(t, "Found 1 line(s) in 1 file(s):\n/x:1: found", b.CallTool("search_files",
		json.RawMessage(`{"project":"lib","regex":"fo+"}`)).Text())
	require.Contains(t, b.CallTool("read_files", json.RawMessage(`{"paths":["a.go"]}`)).Text(), "package a")
	fail = fmt.Errorf("no connection")
	require.Equal(t, registry.CodeFailed, b.CallTool("list_projects", json.RawMessage(`{}`)).Code)
}

func TestConformance(t *testing.T) {
	inputs := map[string][]string{
		"list_projects": {`{}`}, "read_files": {`{"paths":["/f","/f:1"]}`},
		"search_files": {`{"regex":"a","path":"/"}`},
	}
	for _, tool := range codebase.New(nil) {
		registrytest.TestTool(t, tool, &registrytest.Options{Inputs: inputs[tool.Spec().Name],
			Prepare: func(files afero.Fs) error {
				return vfs.WriteFile(context.Background(), files, "/f", []byte("a\nb\n"))
			}})
	}
}
