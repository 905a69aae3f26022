package filesystem_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestNativeTools(t *testing.T) {
	inputs := map[string][]string{
		"str_replace_based_edit_tool": {`{"command":"view","path":"/f"}`,
			`{"command":"str_replace","path":"/f","old_str":"b","new_str":"x"}`},
		"apply_patch": {`{"input":"*** Begin Patch\n*** Update File: f\n-b\n+x\n*** End Patch"}`},
		"read":        {`{"file_path":"/f","view_range":[1,0]}`},
		"write":       {`{"file_path":"/g","content":"x"}`},
		"edit":        {`{"file_path":"/f","old_string":"b","new_string":"x","replace_all":true}`},
		"glob":        {`{"pattern":"**"}`},
		"grep":        {`{"pattern":"a"}`},
	}
	for _, native := range filesystem.Native() {
		t.Run(native.Spec().Name, func(t *testing.T) {
			require.Contains(t, inputs, native.Spec().Name)
			registrytest.TestTool(t, native, &registrytest.Options{Inputs: inputs[native.Spec().Name],
				Prepare: func(files afero.Fs) error { return afero.WriteFile(files, "/f", []byte("a\nb\n"), 0o600) }})
		})
	}
}

// as is a selection with the tool in a form.
func as(form string) registry.Selection {
	return registry.Selection{}.WithOption("filesystem", "form", form)
}

func TestForms(t *testing.T) {
	tools := withNative(t)
	names := func(selection registry.Selection) (names []string) {
		for _, spec := range tools.Enabled(selection) {
			names = append(names, spec.Name)
		}
		return names
	}
	require.Equal(t, []string{"filesystem"}, names(registry.Selection{}))
	require.Equal(t, []string{"filesystem"}, names(as("")))
	require.Equal(t, []string{"str_replace_based_edit_tool"}, names(as("text_editor")))
	require.Equal(t, []string{"read", "write", "edit", "glob", "grep"}, names(as("agent_toolset")))
	require.Equal(t, []string{"filesystem_view", "apply_patch"}, names(as("apply_patch")))
	require.Equal(t, []string{"str_replace_based_edit_tool"},
		names(as("text_editor").WithOption("filesystem", "split", true)), "the form goes before split")
	off := as("agent_toolset")
	off.Enable = map[string]bool{"write": false, "edit": false}
	require.Equal(t, []string{"read", "glob", "grep"}, names(off))
	off.Enable = map[string]bool{"filesystem": false}
	require.Empty(t, names(off))
	require.Equal(t, []string{"filesystem"}, names(registry.Selection{}.Only("filesystem")))
	require.Equal(t, []string{"grep"}, names(registry.Selection{}.Only("grep")))

	alone, err := registry.New(slices.Concat([]tool.Tool{filesystem.New()}, filesystem.Parts())...)
	require.NoError(t, err)
	require.Len(t, alone.Enabled(as("text_editor")), 1, "a registry without the form's tools offers the tool itself")
	_, err = tools.Definitions(tool.Anthropic, as("emacs"))
	require.ErrorContains(t, err, "emacs")
}

// TestFormsAreApproved checks that a person who is asked for the tool is asked for what takes its place.
func TestFormsAreApproved(t *testing.T) {
	tools := withNative(t)
	for form, calls := range map[string]map[string]string{
		"text_editor":   {"str_replace_based_edit_tool": `{"command":"view","path":"/"}`},
		"apply_patch":   {"apply_patch": `{"input":""}`},
		"agent_toolset": {"write": `{"file_path":"/a","content":""}`, "glob": `{"pattern":"*"}`},
	} {
		for name, input := range calls {
			selection := as(form)
			selection.Ask = []string{"filesystem"}
			result := tools.Dispatch(t.Context(), tool.Call{Tool: name, Input: json.RawMessage(input)},
				registry.Env{Selection: selection, Files: tooltest.InMemory(t, nil)})
			require.Equal(t, tool.CodeNeedsApproval, result.Code, "%s: %s", name, result.Text())
		}
	}
}

func TestTextEditorDefinitions(t *testing.T) {
	tools := withNative(t)
	definitions := func(api tool.API, selection registry.Selection) string {
		data, err := provider.Definitions(tools, api, selection, nil)
		require.NoError(t, err)
		return string(data)
	}
	const name = "str_replace_based_edit_tool"
	require.Equal(t, `[{"type":"text_editor_20250728","name":"`+name+`"}]`,
		definitions(tool.Anthropic, as("text_editor")))
	require.Equal(t, `[{"type":"text_editor_20250728","name":"`+name+`","max_characters":1000}]`,
		definitions(tool.Anthropic, as("text_editor").WithOption(name, "maxCharacters", 1000)))
	for api, marker := range map[tool.API]string{tool.OpenAIResponses: `"parameters"`,
		tool.Gemini:  `"parametersJsonSchema"`,
		tool.Bedrock: `"toolSpec"`, tool.OpenAIChat: `"function"`} {
		text := definitions(api, as("text_editor"))
		require.Contains(t, text, marker)
		require.Contains(t, text, `"name":"`+name+`"`)
	}
	require.Contains(t, definitions(tool.Anthropic, as("text_editor").WithOption(name, "asFunction", true)),
		`"input_schema"`)
	spec, _ := tools.Spec(name)
	require.NotContains(t, spec.Description, "delete")
	require.Equal(t, 4, strings.Count(spec.Description, "\n- `"))
}

// TestNativeEdits makes one change after the other.
func TestNativeEdits(t *testing.T) {
	steps := []struct{ form, tool, input, want string }{
		{"text_editor", "str_replace_based_edit_tool", `{"command":"create","path":"a.txt","file_text":"one\ntwo\n"}`,
			"File created successfully at: /a.txt"},
		{"text_editor", "str_replace_based_edit_tool", `{"command":"create","path":"/a.txt","file_text":""}`,
			"Error: File /a.txt already exists. Set overwrite to true to replace."},
		{"text_editor", "str_replace_based_edit_tool", `{"command":"view","path":"/a.txt","view_range":[2,-1]}`,
			"Here's the content of /a.txt with line numbers:\n     2\ttwo"},
		{"text_editor", "str_replace_based_edit_tool",
			`{"command":"str_replace","path":"/a.txt","old_str":"two","new_str":"2"}`,
			"The file has been edited.\n     1\tone\n     2\t2"},
		{"text_editor", "str_replace_based_edit_tool",
			`{"command":"insert","path":"/a.txt","insert_line":0,"insert_text":"zero"}`,
			"The file /a.txt has been edited."},
		{"text_editor", "str_replace_based_edit_tool", `{"command":"undo_edit","path":"/a.txt"}`,
			"Unknown str_replace_based_edit_tool command: undo_edit. " +
				"The commands are view, create, str_replace, insert."},
		{"text_editor", "str_replace_based_edit_tool", `{"command":"create","path":"/memories/x","file_text":"x"}`,
			"Error: Cannot write to readonly path /memories/x. The /memories directory is managed by the memory tool."},
		{"text_editor", "filesystem", `{"command":"view","path":"/"}`, "Unknown tool: filesystem"},

		{"agent_toolset", "read", `{"file_path":"a.txt"}`, "zero\none\n2\n"},
		{"agent_toolset", "read", `{"file_path":"/a.txt","view_range":[2,2]}`, "one"},
		{"agent_toolset", "read", `{"file_path":"/a.txt","view_range":[0,-1]}`, "zero\none\n2"},
		{"agent_toolset", "read", `{"file_path":"/a.txt","view_range":[7,9]}`,
			"Error: Cannot read /a.txt: it has no lines 7-9; there are lines 1 to 3"},
		{"agent_toolset", "read", `{"file_path":"/a.txt","view_range":[1]}`,
			"Error: view_range must be [start_line, end_line]"},
		{"agent_toolset", "read", `{"file_path":"/"}`, "Error: The path / does not exist or is not a file."},
		{"agent_toolset", "read", `{"file_path":"/b"}`, "Error: The path /b does not exist or is not a file."},
		{"agent_toolset", "write", `{"file_path":"/d/b.txt","content":"x x\r\ny x\r\n"}`,
			"File created successfully at: /d/b.txt"},
		{"agent_toolset", "write", `{"file_path":"/a.txt","content":"new"}`, "File created successfully at: /a.txt"},
		{"agent_toolset", "write", `{"file_path":"/d","content":"new"}`,
			"Error: The path /d is a directory, not a file."},
		{"agent_toolset", "edit", `{"file_path":"/d/b.txt","old_string":"x","new_string":"z"}`,
			"No replacement was performed. Multiple occurrences of old_string `x` in lines: 1, 2. " +
				"Please ensure it is unique"},
		{"agent_toolset", "edit", `{"file_path":"/d/b.txt","old_string":"x\ny","new_string":"z\nz","replace_all":true}`,
			"The file has been edited.\n1 replacement"},
		{"agent_toolset", "edit", `{"file_path":"/d/b.txt","old_string":"q","new_string":"z","replace_all":true}`,
			"No replacement was performed, old_string `q` did not appear verbatim in /d/b.txt."},
		{"agent_toolset", "edit", `{"file_path":"/d/b.txt","old_string":"","new_string":"z"}`,
			"Error: old_string is required; to make a file, use write"},
		{"agent_toolset", "edit", `{"file_path":"/memories/x","old_string":"q","new_string":"z"}`,
			"Error: Cannot write to readonly path /memories/x. The /memories directory is managed by the memory tool."},
		{"agent_toolset", "grep", `{"pattern":"^z","path":"d"}`, "/d/b.txt:2:z x"},
		{"agent_toolset", "grep", `{"pattern":"nowhere"}`, "no matches"},
		{"agent_toolset", "grep", `{"pattern":"("}`,
			"Error: The regular expression cannot be used: error parsing regexp: missing closing ): `(`"},
	}
	for name, project := range map[string]vfs.Project{
		"in memory": tooltest.InMemory(t, nil), "in a directory": tooltest.InDirectory(t, t.TempDir(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range steps {
				require.Equal(t, step.want, nativeCall(t, project, step.form, step.tool, step.input).Text(), step.input)
			}
			content, err := afero.ReadFile(project, "/d/b.txt")
			require.NoError(t, err)
			require.Equal(t, "x z\r\nz x\r\n", string(content), "lines end as before")
			// Everything can be undone, the last change first.
			for range 6 {
				_, err := project.Undo(t.Context(), "")
				require.NoError(t, err)
			}
			require.Equal(t, []string{}, names(t, project))
		})
	}
}

var nativeTools = sync.OnceValues(func() (*registry.Registry, error) {
	return registry.New(slices.Concat([]tool.Tool{filesystem.New()}, filesystem.Parts(), filesystem.Native())...)
})

func withNative(t testing.TB) *registry.Registry {
	tools, err := nativeTools()
	require.NoError(t, err)
	return tools
}

func nativeCall(t testing.TB, files vfs.Project, form, name, input string) tool.Result {
	return withNative(t).Dispatch(t.Context(), tool.Call{Tool: name, Input: json.RawMessage(input)},
		registry.Env{Project: "test", Files: files, Selection: as(form)})
}

func TestMaxCharacters(t *testing.T) {
	project := tooltest.InMemory(t, nil)
	require.NoError(t, afero.WriteFile(project, "/a", []byte("äne\ntwo\nthree\n"), 0o600))
	const name, head = "str_replace_based_edit_tool", "Here's the content of /a with line numbers:\n"
	for _, test := range []struct {
		most  int
		lines string
		want  string
	}{
		{0, "[1,3]", "     1\täne\n     2\ttwo\n     3\tthree"},
		{100, "[1,3]", "     1\täne\n     2\ttwo\n     3\tthree"},
		{22, "[1,3]", "     1\täne\n     2\ttwo\n" +
			"[Line 3 and what follows are beyond the limit of characters. Use view_range to see them.]"},
		{9, "[1,3]", "     1\tän\n[The rest of this line is beyond the limit of characters.]"},
		{9, "[3,3]", "     3\tth\n[The rest of this line is beyond the limit of characters.]"},
	} {
		result := withNative(t).Dispatch(t.Context(), tool.Call{Tool: name,
			Input: json.RawMessage(`{"command":"view","path":"/a","view_range":` + test.lines + `}`)},
			registry.Env{Files: project, Selection: as("text_editor").WithOption(name, "maxCharacters", test.most)})
		require.Equal(t, head+test.want, result.Text(), "%d %s", test.most, test.lines)
	}
}

// TestReplacementsThatGrow has a text in place of many that are smaller: 64 GiB.
func TestReplacementsThatGrow(t *testing.T) {
	project := tooltest.InMemory(t, nil)
	require.NoError(t, afero.WriteFile(project, "/a", []byte(strings.Repeat("a", 1<<16)), 0o600))
	input := `{"file_path":"/a","old_string":"a","new_string":"` + strings.Repeat("b", 1<<20) + `","replace_all":true}`
	require.Equal(t, "No replacement was performed: with 65536 replacements, /a would have more than the 33554432 "+
		"bytes that a file can have.", nativeCall(t, project, "agent_toolset", "edit", input).Text())
}

// TestPatchesOfMuch change the first line of large files, all of which would be in memory at once.
func TestPatchesOfMuch(t *testing.T) {
	project := tooltest.InMemory(t, nil)
	patch := "*** Begin Patch\n"
	for i := range 3 {
		name := fmt.Sprintf("/%d", i)
		require.NoError(t, afero.WriteFile(project, name, []byte("a\n"+strings.Repeat("b", 30<<20)), 0o600))
		patch += "*** Update File: " + name + "\n-a\n+b\n"
	}
	input, _ := json.Marshal(map[string]string{"input": patch + "*** End Patch"})
	require.Equal(t, "Error: The files that the patch changes have more than 67108864 bytes together. "+
		"Send a patch for each. Nothing has been changed.",
		nativeCall(t, project, "apply_patch", "apply_patch", string(input)).Text())
}

func TestGlob(t *testing.T) {
	project := tooltest.InMemory(t, nil)
	for _, name := range []string{"/a.go", "/b.ts", "/src/a.go", "/src/x/b.go", "/src/x/c.ts", "/.hidden/d.go",
		"/node_modules/e.go", "/src/.f.go"} {
		require.NoError(t, project.MkdirAll(path.Dir(name), 0o755))
		require.NoError(t, afero.WriteFile(project, name, nil, 0o600))
		require.NoError(t, project.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)))
	}
	require.NoError(t, project.Chtimes("/src/x/b.go", time.Unix(9, 0), time.Unix(9, 0)))
	for _, test := range []struct{ pattern, path, want string }{
		{"**/*.go", "", "/src/x/b.go /a.go /src/a.go"},
		{"/**/**/*.go", "/", "/src/x/b.go /a.go /src/a.go"},
		{"*.go", "", "/a.go"},
		{"*.go", "src", "/src/a.go"},
		{"src/*/?.{go,ts}", "", "/src/x/b.go /src/x/c.ts"},
		{"{a,b}.{go,ts}", "", "/a.go /b.ts"},
		{"**/x/**/c.*", "", "/src/x/c.ts"},
		{"**/.*.go", "", "/src/.f.go"},
		{".hidden/*", "", "/.hidden/d.go"},
		{"*.go", "/node_modules", "/node_modules/e.go"},
		{"node_modules/*", "", "/node_modules/e.go"},
		{"[ab].ts", "", "/b.ts"},
		{"nothing", "", "no matches"},
		{"../*", "", `Error: The pattern "../*" cannot be used: it is a path in which * and ? match within a name, ` +
			`** any directories, and {a,b} either. It has no "." and "..".`},
		{"*", "/a.go", "Error: The path /a.go cannot be used: / is a file, not a directory."},
		{"*", "/none", "Error: The path /none does not exist"},
	} {
		input, _ := json.Marshal(map[string]string{"pattern": test.pattern, "path": test.path})
		got := nativeCall(t, project, "agent_toolset", "glob", string(input)).Text()
		if !strings.HasPrefix(got, "Error") && got != "no matches" {
			got = strings.ReplaceAll(got, "\n", " ")
		}
		require.Equal(t, test.want, got, test.pattern)
	}
	for _, pattern := range []string{"", "/", "[", strings.Repeat("{a,b}", 30), strings.Repeat("**/", 300),
		"{" + strings.Repeat(",", 1<<20) + "}" + strings.Repeat("a", 1<<20)} {
		input, _ := json.Marshal(map[string]string{"pattern": pattern})
		require.Contains(t, nativeCall(t, project, "agent_toolset", "glob", string(input)).Text(), "cannot be used",
			pattern)
	}
	for i := range 2110 {
		require.NoError(t, afero.WriteFile(project, fmt.Sprintf("/many%d", i), nil, 0o600))
	}
	require.NoError(t, project.Chtimes("/many7", time.Unix(1<<40, 0), time.Unix(1<<40, 0)))
	text := nativeCall(t, project, "agent_toolset", "glob", `{"pattern":"many*"}`).Text()
	require.Equal(t, 200, strings.Count(text, "\n"))
	require.Contains(t, text, "[1910 older ones are left out. Use a narrower pattern or path.]")
	require.True(t, strings.HasPrefix(text, "/many7\n"), "the newest is the first")
}

func names(t testing.TB, files afero.Fs) []string {
	infos, err := afero.ReadDir(files, "/")
	require.NoError(t, err)
	list := []string{}
	for _, info := range infos {
		list = append(list, info.Name())
	}
	return list
}

func patchInput(lines ...string) string {
	input, _ := json.Marshal(map[string]string{
		"input": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"})
	return string(input)
}

func TestApplyPatch(t *testing.T) {
	tooltest.OnBoth(t, newBench, func(b *bench) {
		b.Put(map[string]string{"/a.txt": "one\r\ntwo\r\nthree\r\n", "/b.py": "def f():\n\treturn 1\n", "/c": "c\n",
			"/bin": "\x00", "/d/": "", "/utf16": "\xff\xfea\x00\n\x00", "/memories/m": "m\n", "/quotes": "“x”\n"})
		before := b.Tree()
		patch := func(id string, lines ...string) tool.Result {
			return withNative(t).Dispatch(t.Context(), tool.Call{ID: id, Tool: "apply_patch",
				Input: json.RawMessage(patchInput(lines...))}, registry.Env{Files: b.Files,
				Selection: as("apply_patch")})
		}
		for want, lines := range map[string][]string{
			"The path /none does not exist or is not a file.":              {"*** Delete File: /none"},
			"The path /d does not exist or is not a file.":                 {"*** Delete File: /d"},
			"File /c already exists. Use *** Update File to change it.":    {"*** Add File: c", "+x"},
			"File /b.py already exists. Use *** Update File to change it.": {"*** Update File: c", "*** Move to: b.py"},
			"The path /d is a directory, not a file.":                      {"*** Add File: d"},
			"The patch has /c twice. Put all that it changes in a file behind one line *** Update File, " +
				"with @@ between the places.": {"*** Update File: c", "-c", "*** Delete File: /c"},
			"Cannot use apply_patch on binary file /bin.": {"*** Update File: bin", "-x"},
			"Cannot write to readonly path /memories/m. The /memories directory is managed by the memory tool.": {
				"*** Delete File: memories/m"},
			"The lines from line 6 of the patch on are not in /quotes. Apart from curly or straight quotes it is " +
				"there: line 1 has “ (U+201C) where the patch has \". View the file, and give its lines as they are.": {
				"*** Update File: quotes", "@@", "-\"x\""},
			"The lines from line 7 of the patch on are in /b.py only above line 3, where the place before them ends. " +
				"Give the places in the order of the file.": {
				"*** Update File: b.py", "-\treturn 1", "@@", "-def f():"},
			`Line 5 of the patch is "x": each line of an added file begins with +.`: {"*** Add File: x", "x"},
		} {
			// What is before and behind does not happen, either.
			result := patch("", slices.Concat([]string{"*** Add File: new", "+x"}, lines)...)
			require.Contains(t, result.Text(), strings.TrimSuffix(want, "."), "%q", lines)
			require.Equal(t, failed, result.Code)
			first, _, _ := strings.Cut(result.Text(), "\n")
			require.True(t, strings.HasSuffix(first, ". Nothing has been changed."), first)
			require.Equal(t, before, b.Tree())
		}
		result := patch("call", "*** Update File: a.txt", "@@ one", "-two", "+2", "+2.5", " three",
			"*** Update File: b.py", "*** Move to: /src/b.py", "-\treturn 1", "+\treturn 2", "*** Delete File: c",
			"*** Add File: x/y.md", "+# x", "*** Update File: utf16", "-a", "+ä")
		require.Equal(t, "Success. Updated the following files:\nM /a.txt\nM /b.py -> /src/b.py\nD /c\nA "+
			"/x/y.md\nM /utf16",
			result.Text())
		require.Equal(t, map[string]string{"/a.txt": "one\r\n2\r\n2.5\r\nthree\r\n", "/src/": "",
			"/src/b.py": "def f():\n\treturn 2\n", "/bin": "\x00", "/d/": "", "/utf16": "\xff\xfe\xe4\x00\n\x00",
			"/memories/": "", "/memories/m": "m\n", "/quotes": "“x”\n", "/x/": "", "/x/y.md": "# x\n"}, b.Tree())
		_, err := b.Files.Undo(t.Context(), "call")
		require.NoError(t, err)
		require.Equal(t, before, b.Tree(), "one call is undone as a whole")
	})
}

func TestApplyPatchDefinitions(t *testing.T) {
	for api, want := range map[tool.API]string{tool.OpenAIResponses: `{"type":"apply_patch"}`,
		tool.OpenAIChat: `"name":"apply_patch"`, tool.Anthropic: `"name":"apply_patch"`, tool.MCP: `"inputSchema"`} {
		definitions, err := provider.Definitions(withNative(t), api, as("apply_patch"), nil)
		require.NoError(t, err)
		require.Contains(t, string(definitions), want)
	}
	definitions, err := provider.Definitions(withNative(t), tool.OpenAIResponses,
		as("apply_patch").WithOption("apply_patch", "asFunction", true), &provider.Options{Strict: true})
	require.NoError(t, err)
	require.Contains(t, string(definitions), `"required":["input"],"additionalProperties":false},"strict":true}`)
	require.Equal(t, "*** Begin Patch\nx\n*** End Patch", withNative(t).RenderInput(
		tool.Call{Tool: "apply_patch", Input: json.RawMessage(patchInput("x"))}))
}

// TestPatchesOfProtectedFiles checks that what no tool can change is not changed by a patch either, and that what a
// patch has changed before is undone then.
func TestPatchesOfProtectedFiles(t *testing.T) {
	project, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	defer project.Close()
	require.NoError(t, afero.WriteFile(project, "/a", []byte("a\n"), 0o600))
	for _, input := range []string{
		patchInput("*** Update File: a", "-a", "+b", "*** Add File: new/x", "+x", "*** Add File: "+
			".git/hooks/post-commit", "+x"),
		patchInput("*** Update File: a", "*** Move to: .vscode/settings.json", "-a", "+b"),
	} {
		result := nativeCall(t, project, "apply_patch", "apply_patch", input)
		require.Contains(t, result.Text(), "is protected, because other programs may execute it")
		require.Contains(t, result.Text(), "Note: all changes that the call made to files were undone.")
		content, err := afero.ReadFile(project, "/a")
		require.NoError(t, err)
		require.Equal(t, "a\n", string(content))
		require.Equal(t, []string{"a"}, names(t, project))
	}
	for name, input := range map[string]string{"write": `{"file_path":".git/hooks/x","content":""}`,
		"edit": `{"file_path":".git/hooks/x","old_string":"a","new_string":"b"}`} {
		require.True(t, nativeCall(t, project, "agent_toolset", name, input).IsError(), name)
	}
}
