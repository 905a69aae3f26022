package filesystem_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
	"github.com/toolrun/toolrun/vfs"
)

func TestMissingParameters(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	const all = " The commands are view, view-all, create, str_replace, insert, append, mkdir, delete, rename, copy."
	for _, test := range []struct{ input, want string }{
		{`{}`, "Error: command is required"},
		{`null`, "Error: command is required"},
		{`{"command":""}`, "Error: command is required"},
		{`{"command":7}`, "Error: command is required"},
		{`{"command":null}`, "Error: command is required"},
		{`{"path":"/x"}`, "Error: command is required"},
		{`{"command":"explode"}`, "Unknown filesystem command: explode." + all},
		{`{"command":"View","path":"/"}`, "Unknown filesystem command: View. Did you mean view?" + all},
		{`{"command":"write","path":"/x","content":"x"}`, "Unknown filesystem command: write. Did you mean create?" +
			all},
		{`{"command":"view_all","paths":["/x"]}`, "Unknown filesystem command: view_all. Did you mean view-all?" + all},
		{`{"command":"str-replace","path":"/x"}`, "Unknown filesystem command: str-replace. Did you mean str_replace?" +
			all},
		{`{"command":"read_file","path":"/x"}`, "Unknown filesystem command: read_file. Did you mean view?" + all},
		{`{"command":"list files","path":"/x"}`, "Unknown filesystem command: list files. Did you mean view?" + all},
		{`{"command":" Delete ","path":"/x"}`, "Unknown filesystem command:  Delete . Did you mean delete?" + all},
		{`{"command":"view"}`, "Error: path is required for view command"},
		{`{"command":"view","path":""}`, "Error: path is required for view command"},
		{`{"command":"view","path":["/"]}`, "Error: path is required for view command"},
		{`{"command":"create","file_text":"x"}`, "Error: path is required for create command"},
		{`{"command":"create","path":"/x","content":"x"}`, "Error: file_text is required for create command. The " +
			"argument content is unknown; did you mean file_text?"},
		{`{"command":"create","file_path":"/x","file_text":"x"}`,
			"Error: path is required for create command. The argument file_path is unknown; did you mean path?"},
		{`{"command":"rename","from":"/x","to":"/y"}`,
			"Error: old_path and new_path are required for rename command. The arguments from, to are unknown."},
		{`{"command":"rename","old_path":"/x","to":"/y"}`, "Error: old_path and new_path are required for rename " +
			"command. The argument to is unknown; did you mean new_path?"},
		{`{"command":"view-all","files":["/x"]}`,
			"Error: paths array is required and must not be empty. The argument files is unknown; did you mean paths?"},
		{`{"action":"view","path":"/x"}`,
			"Error: command is required. The argument action is unknown; did you mean command?"},
		{`{"command":"str_replace","path":"/x","old_text":"x","new_text":"y"}`, "Error: old_str is required for " +
			"str_replace command. The arguments new_text, old_text are unknown; did you mean old_str?"},
		{`{"command":"create","path":"/x.json","file_text":{"a":1}}`,
			"Error: file_text is required for create command, as a string: pass the text itself, also if it is JSON"},
		{`{"command":"str_replace","old_str":"x"}`, "Error: path is required for str_replace command"},
		{`{"command":"str_replace","path":"/x"}`, "Error: old_str is required for str_replace command"},
		{`{"command":"str_replace","path":"/x","old_str":""}`, "Error: old_str is required for str_replace command"},
		{`{"command":"str_replace","path":"/x","old_str":{}}`, "Error: old_str is required for str_replace command"},
		{`{"command":"insert"}`, "Error: path is required for insert command"},
		{`{"command":"insert","path":"/x","insert_text":"x"}`,
			"Error: insert_line (number) is required for insert command"},
		{`{"command":"insert","path":"/x","insert_line":"one"}`,
			"Error: insert_line (number) is required for insert command"},
		{`{"command":"insert","path":"/x","insert_line":1,"text":"x"}`,
			"Error: insert_text is required for insert command. The argument text is unknown; did you mean " +
				"insert_text?"},
		{`{"command":"append","path":"/x","new_str":"x"}`, "Error: file_text is required for append command"},
		{`{"command":"view","path":"  "}`, "Error: path is required for view command"},
		{`{"command":"rename","old_path":"\t","new_path":"/y"}`,
			"Error: old_path and new_path are required for rename command"},
		{`{"command":"append"}`, "Error: path is required for append command"},
		{`{"command":"mkdir"}`, "Error: path is required for mkdir command"},
		{`{"command":"delete"}`, "Error: path is required for delete command"},
		{`{"command":"rename","old_path":"/x"}`, "Error: old_path and new_path are required for rename command"},
		{`{"command":"rename","path":"/x","new_path":"/y"}`,
			"Error: old_path and new_path are required for rename command"},
		{`{"command":"copy","new_path":"/x","old_path":1}`, "Error: old_path and new_path are required for copy " +
			"command"},
		{`{"command":"view-all"}`, "Error: paths array is required and must not be empty."},
		{`{"command":"view-all","paths":[]}`, "Error: paths array is required and must not be empty."},
		{`{"command":"view-all","path":"/x"}`, "Error: paths array is required and must not be empty."},
	} {
		result := b.Call(json.RawMessage(test.input))
		require.Equal(t, test.want, result.Text(), test.input)
		require.Equal(t, tool.CodeInvalidInput, result.Code, test.input)
	}
	require.Empty(t, b.Tree())
}

func TestInputsAreTakenLeniently(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	for _, input := range []string{
		`{"command":"create","path":"/f","file_text":"a\n","reason":"to see"}`,
		`{"command":"create","path":"/f","file_text":"a\n","overwrite":"true"}`,
		`{"command":"insert","path":"/f","insert_line":"1","new_str":"b"}`,
		`{"command":"append","path":"/f","insert_text":"c\n"}`,
		`{"command":"view","path":"/f","view_range":"[1,2]","old_str":"","insert_line":0}`,
	} {
		require.Empty(t, b.Call(json.RawMessage(input)).Code, input)
	}
	require.Equal(t, map[string]string{"/f": "a\nb\nc\n"}, b.Tree())
}

func TestPathsAreTrimmed(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	do(b,
		step{object{"command": "create", "path": " /a b/c d \n", "file_text": "x"},
			"File created successfully at: /a b/c d", ""},
		step{object{"command": "rename", "old_path": " /a b/c d", "new_path": "\t/e "},
			"Successfully renamed /a b/c d to /e", ""},
		step{object{"command": "view-all", "paths": []string{" /e "}},
			"=== /e ===\nHere's the content of /e with line numbers:\n     1\tx", ""},
		step{object{"command": "create", "path": " /memories/x", "file_text": "x"},
			"Error: Cannot write to readonly path /memories/x. The /memories directory is managed by the memory tool.",
			failed},
	)
	require.Equal(t, map[string]string{"/a b/": "", "/e": "x"}, b.Tree())
}

func TestEmptyFiles(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	do(b,
		step{object{"command": "create", "path": "/a"}, "File created successfully at: /a", ""},
		step{object{"command": "create", "path": "/b", "file_text": ""}, "File created successfully at: /b", ""},
		step{object{"command": "append", "path": "/c"}, "File created successfully at: /c", ""},
		step{object{"command": "create", "path": "/d", "file_text": "x"}, "File created successfully at: /d", ""},
		step{object{"command": "append", "path": "/d"}, "Content appended to /d (nothing, since no text was given)",
			""},
		step{object{"command": "append", "path": "/d", "file_text": ""}, "Content appended to /d", ""},
		step{object{"command": "insert", "path": "/d", "insert_line": 1},
			"The file /d has been edited. (Nothing was inserted, since no text was given.)", ""},
		step{object{"command": "insert", "path": "/d", "insert_line": 2},
			"Error: Invalid `insert_line` parameter: 2. It should be within the range of lines of the file: [0, 1]",
			failed},
		step{object{"command": "insert", "path": "/no", "insert_line": 0},
			"Error: The path /no does not exist or is not a file.", failed},
		step{object{"command": "str_replace", "path": "/d", "old_str": "x"}, "The file has been edited.\n", ""},
	)
	require.Equal(t, map[string]string{"/a": "", "/b": "", "/c": "", "/d": ""}, b.Tree())
}

func TestInputsForPeople(t *testing.T) {
	tools, err := registry.New(filesystem.New())
	require.NoError(t, err)
	for input, want := range map[string]string{
		`{"command":"view","path":"/f"}`:                                         "view /f",
		`{"command":"view","path":"/f","view_range":[2,-1]}`:                     "view /f, lines 2 to -1",
		`{"command":"view-all","paths":["/f","/g"]}`:                             "view-all /f /g",
		`{"command":"create","path":"/f","file_text":"a\nb\n","overwrite":true}`: "create /f, overwriting\n+ a\n+ b",
		`{"command":"str_replace","path":"/f","old_str":"a\nb","new_str":"c"}`:   "str_replace /f\n- a\n- b\n+ c",
		`{"command":"insert","path":"/f","insert_line":3,"insert_text":"x"}`:     "insert /f, after line 3\n+ x",
		`{"command":"copy","old_path":"/f","new_path":"/g"}`:                     "copy /f to /g",
		`{"command":3}`: `{"command":3}`,
		`nonsense`:      `nonsense`,
	} {
		require.Equal(t, want, tools.RenderInput(tool.Call{Tool: "filesystem", Input: json.RawMessage(input)}))
	}
}

func TestStatus(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	for _, test := range []struct {
		input object
		want  string
	}{
		{object{"command": "create", "path": "/f", "file_text": "a\n"}, "File created successfully at: /f"},
		{object{"command": "str_replace", "path": "/f", "old_str": "a"}, "Edited /f"},
		{object{"command": "view", "path": "/f"}, "Viewed /f"},
		{object{"command": "view-all", "paths": []string{"/f", "/"}}, "Viewed 2 paths"},
		{object{"command": "copy", "old_path": "/f", "new_path": "/g"}, "Successfully copied /f to /g"},
	} {
		require.Equal(t, test.want, b.Call(test.input).Status)
	}
}

func TestOtherFileSystems(t *testing.T) {
	tools, err := registry.New(filesystem.New())
	require.NoError(t, err)
	files := wrapfs.Foreign(afero.NewMemMapFs())
	call := func(files afero.Fs, input string) tool.Result {
		return tools.Dispatch(context.Background(), tool.Call{Tool: "filesystem", Input: json.RawMessage(input)},
			registry.Env{Files: files})
	}
	create := `{"command":"create","path":"/d/f","file_text":"a"}`
	require.Equal(t, "File created successfully at: /d/f", call(files, create).Text())
	require.Equal(t, "The file has been edited.\n     1\tb", call(files,
		`{"command":"str_replace","path":"/d/f","old_str":"a","new_str":"b"}`).Text())
	require.Equal(t, "Error: Cannot write to readonly path /memories/x. The /memories directory is managed by the "+
		"memory tool.",
		call(files, `{"command":"create","path":"/memories/x","file_text":"a"}`).Text())

	// A host may make everything read-only.
	readOnly := vfs.ReadOnly(tooltest.InMemory(t, nil), "/")
	require.Equal(t, "Error: The path /d/f is read-only.", call(readOnly, create).Text())
	require.Equal(t, tool.CodeTool, call(readOnly, create).Code)

	// Or a part of it. What cannot be used is named, also where there are two paths.
	project := tooltest.InMemory(t, nil)
	require.NoError(t, afero.WriteFile(project, "/f", []byte("a"), 0o600))
	require.NoError(t, afero.WriteFile(project, "/g", []byte("b"), 0o600))
	partly := vfs.ReadOnly(project, "/f")
	for input, want := range map[string]string{
		`{"command":"rename","old_path":"/f","new_path":"/x"}`:                  "Error: The path /f is read-only.",
		`{"command":"rename","old_path":"/f","new_path":"/g","overwrite":true}`: "Error: The path /f is read-only.",
		`{"command":"rename","old_path":"/g","new_path":"/f","overwrite":true}`: "Error: The path /f is read-only.",
		`{"command":"copy","old_path":"/g","new_path":"/f","overwrite":true}`:   "Error: The path /f is read-only.",
	} {
		require.Equal(t, want, call(partly, input).Text(), input)
	}

	// Without a project there is nothing to work on.
	require.Equal(t, "Unknown tool: filesystem", call(nil, create).Text())
}

func TestCallsThatAreCanceled(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	b.Put(map[string]string{"/d/f": "a"})
	before := b.Tree()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, input := range []string{
		`{"command":"view","path":"/"}`,
		`{"command":"view-all","paths":["/","/d"]}`,
		`{"command":"copy","old_path":"/d","new_path":"/e"}`,
		`{"command":"delete","path":"/d"}`,
	} {
		result := b.Tools.Dispatch(ctx, tool.Call{Tool: "filesystem", Input: json.RawMessage(input)},
			registry.Env{Files: b.Files})
		require.Equal(t, tool.CodeCanceled, result.Code, input)
	}
	require.Equal(t, before, b.Tree())
}

// A failing file system cannot remove or read anything.
type failing struct{ afero.Fs }

func (failing) RemoveAll(string) error {
	return &fs.PathError{Op: "remove", Path: "/x", Err: syscall.EIO}
}

func (failing) OpenFile(name string, _ int, _ fs.FileMode) (afero.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EIO}
}

func TestFailuresOfTheHost(t *testing.T) {
	b := newBench(t, nil)
	memory := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(memory, "/f", []byte("a"), 0o644))
	files := wrapfs.Foreign(failing{memory})
	for _, test := range []struct {
		input, want string
		code        tool.Code
	}{
		{`{"command":"delete","path":"/f"}`, "Error: The path /f could not be deleted", failed},
		{`{"command":"view","path":"/f"}`, "Tool execution failed: open /f: input/output error", tool.CodeFailed},
	} {
		result := b.Tools.Dispatch(context.Background(), tool.Call{Tool: "filesystem",
			Input: json.RawMessage(test.input)}, registry.Env{Files: files})
		require.Equal(t, test.want, result.Text())
		require.Equal(t, test.code, result.Code)
		require.ErrorIs(t, result.Err, syscall.EIO)
	}
}
