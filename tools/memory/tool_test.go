package memory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/tooltest"
)

func TestViewOfTheMemory(t *testing.T) {
	const header = "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and " +
		"node_modules:\n"
	onBoth(t, func(b *bench) {
		// There need not be anything, and looking makes nothing.
		for _, path := range []string{"/memories", "/memories/", "/", "memories"} {
			do(b, step{object{"command": "view", "path": path}, fmt.Sprintf(header, "/memories") +
				"4.0K\t/memories", ""})
		}
		require.Empty(b.T, b.Tree())
		b.Put(map[string]string{
			"/memories/b/deep/down/x":    "",
			"/memories/b/a.md":           strings.Repeat("x", 1536),
			"/memories/a.md":             strings.Repeat("x", 1023),
			"/memories/c.md":             strings.Repeat("x", 1024),
			"/memories/.hidden":          "",
			"/memories/b/.hidden/x":      "",
			"/memories/node_modules/x":   "",
			"/memories/b/node_modules/x": "",
			"/memories/empty/":           "",
			"/outside":                   "",
		})
		do(b,
			step{object{"command": "view", "path": "/memories"}, fmt.Sprintf(header, "/memories") + text(
				"4.0K\t/memories",
				"1023\t/memories/a.md",
				"4.0K\t/memories/b",
				"1.5K\t/memories/b/a.md",
				"4.0K\t/memories/b/deep",
				"1.0K\t/memories/c.md",
				"4.0K\t/memories/empty",
			), ""},
			step{object{"command": "view", "path": "b"}, fmt.Sprintf(header, "/memories/b") + text(
				"4.0K\t/memories/b",
				"1.5K\t/memories/b/a.md",
				"4.0K\t/memories/b/deep",
				"4.0K\t/memories/b/deep/down",
			), ""},
			step{object{"command": "view", "path": "/memories/empty"}, fmt.Sprintf(header, "/memories/empty") +
				"4.0K\t/memories/empty", ""},
			step{object{"command": "view", "path": "/memories/no"},
				"The path /memories/no does not exist. Please provide a valid path.", failed},
			step{object{"command": "view", "path": "/outside"},
				"The path /memories/outside does not exist. Please provide a valid path.", failed},
		)
	})
}

func TestCommands(t *testing.T) {
	onBoth(t, func(b *bench) {
		do(b,
			step{object{"command": "create", "path": "/memories/notes.txt", "file_text": "Hello World\nThis is line " +
				"two\n"}, "File created successfully at: /memories/notes.txt", ""},
			step{object{"command": "create", "path": "/memories/notes.txt", "file_text": "x"},
				"Error: File /memories/notes.txt already exists. Set overwrite to true to replace.", failed},
			step{object{"command": "create", "path": "people/ada.md", "file_text": "a"},
				"File created successfully at: /memories/people/ada.md", ""},
			step{object{"command": "create", "path": "people/ada.md", "file_text": "Ada", "overwrite": true},
				"File created successfully at: /memories/people/ada.md", ""},
			step{object{"command": "create", "path": "/dot.gif", "file_text": "data:image/gif;base64,R0lGODlhAA=="},
				"Binary file created successfully at: /memories/dot.gif", ""},
			step{object{"command": "create", "path": "/memories", "file_text": "x"},
				"Error: Cannot create a file at the root path.", failed},
			step{object{"command": "create", "path": "/memories/people", "file_text": "x", "overwrite": true},
				"Error: The path /memories/people is a directory, not a file.", failed},
			step{object{"command": "create", "path": "/memories/notes.txt/x", "file_text": "x"},
				"Error: The path /memories/notes.txt/x cannot be used: /memories/notes.txt is a file, not a directory.",
				failed},

			step{object{"command": "view", "path": "/memories/notes.txt"}, "Here's the content of " +
				"/memories/notes.txt with line numbers:\n     1\tHello World\n     2\tThis is line two", ""},
			step{object{"command": "view", "path": "/memories/notes.txt", "view_range": []int{2, -1}},
				"Here's the content of /memories/notes.txt with line numbers:\n     2\tThis is line two", ""},
			step{object{"command": "view", "path": "/dot.gif"},
				"Binary file /memories/dot.gif (image/gif):\ndata:image/gif;base64,R0lGODlhAA==", ""},

			step{object{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "World",
				"new_str": "there"}, "The memory file has been edited.\n     1\tHello there\n     2\tThis is line two",
				""},
			step{object{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "World", "new_str": "x"},
				"No replacement was performed, old_str `World` did not appear verbatim in /memories/notes.txt.",
				failed},
			step{object{"command": "str_replace", "path": "/memories/notes.txt", "old_str": "e", "new_str": "x"},
				"No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 2. Please ensure it " +
					"is unique", failed},
			step{object{"command": "str_replace", "path": "/memories/no.txt", "old_str": "e"},
				"Error: The path /memories/no.txt does not exist. Please provide a valid path.", failed},
			step{object{"command": "str_replace", "path": "/memories/people", "old_str": "e"},
				"Error: The path /memories/people does not exist. Please provide a valid path.", failed},
			step{object{"command": "str_replace", "path": "/memories", "old_str": "e"},
				"Error: The path /memories is a directory, not a file.", failed},
			step{object{"command": "str_replace", "path": "/memories/dot.gif", "old_str": "e"},
				"Error: Cannot use str_replace on binary file /memories/dot.gif. Use create command with dataUrl to " +
					"overwrite.", failed},

			step{object{"command": "insert", "path": "/memories/notes.txt", "insert_line": 1,
				"insert_text": "between\n"}, "The file /memories/notes.txt has been edited.", ""},
			step{object{"command": "insert", "path": "/memories/notes.txt", "insert_line": 4, "insert_text": "x"},
				"Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
				failed},
			step{object{"command": "insert", "path": "/memories/no.txt", "insert_line": 0, "insert_text": "x"},
				"Error: The path /memories/no.txt does not exist", failed},
			step{object{"command": "insert", "path": "/memories/people", "insert_line": 0, "insert_text": "x"},
				"Error: The path /memories/people does not exist", failed},
			step{object{"command": "insert", "path": "/memories/dot.gif", "insert_line": 0, "insert_text": "x"},
				"Error: Cannot use insert on binary file /memories/dot.gif. Use create command with dataUrl to " +
					"overwrite.", failed},

			step{object{"command": "rename", "old_path": "/memories/notes.txt", "new_path": "/memories/old/notes.txt"},
				"Successfully renamed /memories/notes.txt to /memories/old/notes.txt", ""},
			step{object{"command": "rename", "old_path": "/memories/no.txt", "new_path": "/memories/x"},
				"Error: The path /memories/no.txt does not exist", failed},
			step{object{"command": "rename", "old_path": "/memories/dot.gif", "new_path": "/memories/old/notes.txt",
				"overwrite": false}, "Error: The destination /memories/old/notes.txt already exists. Set overwrite " +
				"to true to replace.", failed},
			step{object{"command": "rename", "old_path": "/memories/dot.gif", "new_path": "/memories/old"},
				"Error: The destination /memories/old already exists", failed},
			step{object{"command": "rename", "old_path": "/memories/dot.gif", "new_path": "/memories"},
				"Error: The destination /memories already exists", failed},
			step{object{"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
				"Error: Cannot rename root directory.", failed},
			step{object{"command": "rename", "old_path": "/memories/old", "new_path": "/memories/old/x"},
				"Error: Cannot move /memories/old into itself: /memories/old/x is inside of it.", failed},

			step{object{"command": "delete", "path": "/memories/dot.gif"}, "Successfully deleted /memories/dot.gif",
				""},
			step{object{"command": "delete", "path": "/memories/dot.gif"},
				"Error: The path /memories/dot.gif does not exist", failed},
			step{object{"command": "delete", "path": "/memories/people"}, "Successfully deleted /memories/people", ""},
			step{object{"command": "delete", "path": "/memories"}, "Error: Cannot delete root directory.", failed},
			step{object{"command": "delete", "path": "/"}, "Error: Cannot delete root directory.", failed},
		)
		require.Equal(b.T, map[string]string{
			"/memories/": "", "/memories/old/": "",
			"/memories/old/notes.txt": "Hello there\nbetween\nThis is line two\n",
		}, b.Tree())
	})
}

// TestLaterCommands is about those that Anthropic's tool does not have.
func TestLaterCommands(t *testing.T) {
	onBoth(t, func(b *bench) {
		const more = "/memories/more"
		do(b,
			step{object{"command": "append", "path": "/memories/log.md", "file_text": "a\n"},
				"File created successfully at: /memories/log.md", ""},
			step{object{"command": "append", "path": "log.md", "file_text": "b\n"},
				"Content appended to /memories/log.md", ""},
			step{object{"command": "append", "path": "log.md"},
				"Content appended to /memories/log.md (nothing, since no text was given)", ""},
			step{object{"command": "append", "path": "/memories", "file_text": "b\n"},
				"Error: Cannot append to the root path.", failed},
			step{object{"command": "create", "path": "empty"}, "File created successfully at: /memories/empty", ""},
			step{object{"command": "insert", "path": "log.md", "insert_line": 1},
				"The file /memories/log.md has been edited. (Nothing was inserted, since no text was given.)", ""},
			step{object{"command": "mkdir", "path": more}, "Directory created successfully at: /memories/more", ""},
			step{object{"command": "mkdir", "path": more}, "Error: Directory /memories/more already exists", failed},
			step{object{"command": "mkdir", "path": "log.md"}, "Error: A file already exists at /memories/log.md",
				failed},
			step{object{"command": "mkdir", "path": "/memories"}, "Error: Cannot create directory at the root path.",
				failed},
			step{object{"command": "append", "path": more, "file_text": "x"},
				"Error: /memories/more is a directory, not a file.", failed},
			step{object{"command": "copy", "old_path": "log.md", "new_path": "more/log.md"},
				"Successfully copied /memories/log.md to /memories/more/log.md", ""},
			step{object{"command": "copy", "old_path": "empty", "new_path": "more/log.md"},
				"Error: The destination /memories/more/log.md already exists. Set overwrite to true to replace.",
				failed},
			step{object{"command": "copy", "old_path": "empty", "new_path": "more/log.md", "overwrite": true},
				"Successfully copied /memories/empty to /memories/more/log.md", ""},
			step{object{"command": "copy", "old_path": "empty", "new_path": "/memories"},
				"Error: Cannot copy to the root path.", failed},
			step{object{"command": "copy", "old_path": "no", "new_path": "x"},
				"Error: The path /memories/no does not exist", failed},
			step{object{"command": "rename", "old_path": "log.md", "new_path": more, "overwrite": true},
				"Error: The destination /memories/more is a directory.", failed},
			step{object{"command": "rename", "old_path": "log.md", "new_path": "/memories", "overwrite": true},
				"Error: The destination /memories already exists", failed},
			step{object{"command": "rename", "old_path": "log.md", "new_path": "more/log.md", "overwrite": true},
				"Successfully renamed /memories/log.md to /memories/more/log.md", ""},
			step{object{"command": "view-all", "paths": []string{"more/log.md", "../x", more, "no"}}, text(
				"=== /memories/more/log.md ===",
				"Here's the content of /memories/more/log.md with line numbers:",
				"     1\ta",
				"     2\tb",
				"",
				"=== ../x [ERROR] ===",
				`Error: The path "../x" cannot be used: "." and ".." `+
					`are not allowed. All paths are inside of /memories.`,
				"",
				"=== /memories/more ===",
				"Here're the files and directories up to 2 levels deep in /memories/more, excluding hidden items and "+
					"node_modules:",
				"4.0K\t/memories/more",
				"4\t/memories/more/log.md",
				"",
				"=== /memories/no [ERROR] ===",
				"The path /memories/no does not exist. Please provide a valid path.",
			), ""},
		)
		require.Equal(b.T, map[string]string{"/memories/": "", "/memories/empty": "", "/memories/more/": "",
			"/memories/more/log.md": "a\nb\n"}, b.Tree())
	})
}

func TestMissingParameters(t *testing.T) {
	b := newBench(t, tooltest.InMemory(t, nil))
	for _, test := range []struct{ input, want string }{
		{`{}`, "Error: command is required"},
		{`{"command":"explode"}`, "Unknown memory command: explode. The commands are view, view-all, create, " +
			"str_replace, insert, append, mkdir, delete, rename, copy."},
		{`{"command":"read","path":"/memories/a"}`, "Unknown memory command: read. Did you mean view? The commands " +
			"are view, view-all, create, str_replace, insert, append, mkdir, delete, rename, copy."},
		{`{"command":"view"}`, "Error: path is required for view command"},
		{`{"command":"create","path":"/x","content":"x"}`, "Error: file_text is required for create command. The " +
			"argument content is unknown; did you mean file_text?"},
		{`{"command":"mkdir"}`, "Error: path is required for mkdir command"},
		{`{"command":"append","path":" "}`, "Error: path is required for append command"},
		{`{"command":"copy","old_path":"/x"}`, "Error: old_path and new_path are required for copy command"},
		{`{"command":"view-all","paths":[]}`, "Error: paths array is required and must not be empty."},
		{`{"command":"str_replace","path":"/x"}`, "Error: old_str is required for str_replace command"},
		{`{"command":"insert","path":"/x","insert_text":"x"}`,
			"Error: insert_line (number) is required for insert command"},
		{`{"command":"delete"}`, "Error: path is required for delete command"},
		{`{"command":"rename","old_path":"/x"}`, "Error: old_path and new_path are required for rename command"},
	} {
		result := b.Call(json.RawMessage(test.input))
		require.Equal(t, test.want, result.Text(), test.input)
		require.Equal(t, tool.CodeInvalidInput, result.Code, test.input)
	}
}

func TestPathsMeanTheSame(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/memories/x": "a", "/memories/memories/x": "b"})
		for path, shown := range map[string]string{
			"  /memories/x \n": "/memories/x", " x": "/memories/x",
			"x": "/memories/x", "/x": "/memories/x", "/memories/x": "/memories/x", "memories/x": "/memories/x",
			"//memories//x/":       "/memories/x",
			"/memories/memories/x": "/memories/memories/x",
		} {
			result := b.Call(object{"command": "view", "path": path})
			require.Contains(b.T, result.Text(), "Here's the content of "+shown+" with line numbers:\n", path)
		}
	})
}

func TestNothingLeadsOut(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/x": "out", "/secret/x": "out", "/memoriesfoo": "out", "/memories/m": "in",
			"/Memories2/x": "out"})
		for _, path := range []string{
			"/memories/../x", "/memories/.", "/memories/..", "..", ".", "../x", "/../x", "/..", "/./x", "./x",
			"/memories/m/..", "/memories/m/../../x",
			"memories/../../x", "/memories/./m", "/memories/..//x", "/x/../../x",
		} {
			refused := fmt.Sprintf(
				`Error: The path %q cannot be used: "." and ".." are not allowed. All paths are inside of /memories.`,
				path,
			)
			attempt(b, path, refused)
		}
		for _, path := range []string{`/memories/..\x`, "/memories/\x00", `\x`, "/memories/.toolrun/x",
			"/memories/\nx"} {
			attempt(b, path, "")
		}
		before := b.Tree()
		// These mean something inside, where nothing is.
		for _, path := range []string{"/memoriesfoo", "/secret/x", "/x", "x", "/%2e%2e/x", "/memories/...",
			"/memories/%2e%2e/x", "/Memories2/x", "~/x", "C:/x", "file:///x"} {
			for _, command := range []string{"view", "delete"} {
				result := b.Call(object{"command": command, "path": path})
				require.Contains(b.T, result.Text(), " does not exist", path)
				require.Contains(b.T, result.Text(), "The path /memories/", path)
			}
			result := b.Call(object{"command": "rename", "old_path": path, "new_path": "/memories/y"})
			require.Equal(b.T, failed, result.Code, path)
		}
		require.Equal(b.T, before, b.Tree())
		do(b, step{object{"command": "create", "path": "/memoriesfoo", "file_text": "in"},
			"File created successfully at: /memories/memoriesfoo", ""})
		before["/memories/memoriesfoo"] = "in"
		require.Equal(b.T, before, b.Tree())
	})
}

// attempt tries everything with a path, none of which may succeed. want is the text, if not "".
func attempt(b *bench, path, want string) {
	b.T.Helper()
	before := b.Tree()
	for _, input := range []object{
		{"command": "view", "path": path},
		{"command": "create", "path": path, "file_text": "x", "overwrite": true},
		{"command": "str_replace", "path": path, "old_str": "out", "new_str": "x"},
		{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
		{"command": "delete", "path": path},
		{"command": "append", "path": path, "file_text": "x"},
		{"command": "mkdir", "path": path},
		{"command": "view-all", "paths": []string{path}},
		{"command": "copy", "old_path": path, "new_path": "/memories/y"},
		{"command": "copy", "old_path": "/memories/m", "new_path": path, "overwrite": true},
		{"command": "rename", "old_path": path, "new_path": "/memories/y"},
		{"command": "rename", "old_path": "/memories/m", "new_path": path, "overwrite": true},
	} {
		result := b.Call(input)
		require.Equal(b.T, failed, result.Code, "%v: %s", input, result.Text())
		if want != "" {
			require.Equal(b.T, want, strings.TrimPrefix(result.Text(), "=== "+path+" [ERROR] ===\n"), "%v", input)
		}
	}
	require.Equal(b.T, before, b.Tree())
}

func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("out"), 0o600))
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "memories"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("out"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "memories", "m"), []byte("in"), 0o600))
	for link, to := range map[string]string{"up": "..", "x": filepath.Join("..", "x"), "dir": outside,
		"file": filepath.Join(outside, "secret")} {
		if err := os.Symlink(to, filepath.Join(dir, "memories", link)); err != nil {
			t.Skip("there are no links here:", err)
		}
	}
	b := newBench(t, tooltest.InDirectory(t, dir, nil))
	before := b.Tree()
	for _, path := range []string{"up", "x", "dir", "file", "up/x", "dir/secret"} {
		for _, input := range []object{
			{"command": "view", "path": path},
			{"command": "create", "path": path, "file_text": "x", "overwrite": true},
			{"command": "create", "path": path + "/new", "file_text": "x"},
			{"command": "str_replace", "path": path, "old_str": "out", "new_str": "x"},
			{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
			{"command": "rename", "old_path": "/memories/m", "new_path": path},
		} {
			result := b.Call(input)
			require.Equal(t, failed, result.Code, "%v: %s", input, result.Text())
			require.NotContains(t, result.Text(), outside)
		}
	}
	require.Equal(t, before, b.Tree())
	content, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	require.Equal(t, "out", string(content))
}

func TestMemoriesThatLeadElsewhere(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "README.md"), []byte("out"), 0o600))
	if err := os.Symlink(outside, filepath.Join(dir, "memories")); err != nil {
		t.Skip("there are no links here:", err)
	}
	b := newBench(t, tooltest.InDirectory(t, dir, nil))
	for _, path := range []string{"/memories", "README.md"} {
		for _, input := range []object{
			{"command": "view", "path": path},
			{"command": "create", "path": path, "file_text": "x", "overwrite": true},
			{"command": "delete", "path": path},
			{"command": "rename", "old_path": path, "new_path": "/memories/x"},
		} {
			require.Equal(t, failed, b.Call(input).Code, "%v", input)
		}
	}
	require.NotContains(t, promptOf(b, tool.MCP, nil), "out\n")
	content, err := os.ReadFile(filepath.Join(outside, "README.md"))
	require.NoError(t, err)
	require.Equal(t, "out", string(content))
}

// TestMemoriesThatAreNoDirectory is about what hosts may have there.
func TestMemoriesThatAreNoDirectory(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/memories": "a file"})
		do(b,
			step{object{"command": "create", "path": "/memories/x", "file_text": "x"},
				"Error: The path /memories/x cannot be used: /memories is a file, not a directory.", failed},
			step{object{"command": "delete", "path": "/memories"}, "Error: Cannot delete root directory.", failed},
		)
		require.Equal(b.T, map[string]string{"/memories": "a file"}, b.Tree())
	})
}
