package filesystem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

func TestMemoriesAreReadOnly(t *testing.T) {
	const managed = " The /memories directory is managed by the memory tool."
	onBoth(t, func(b *bench) {
		for _, exists := range []bool{false, true} {
			if exists {
				b.Put(map[string]string{"/memories/m.md": "m\n", "/memories/d/n": "n"})
			}
			b.Put(map[string]string{"/f": "f"})
			before := b.Tree()
			for _, path := range []string{"/memories", "/memories/m.md", "/memories/d", "/memories/new/x"} {
				to := "Error: Cannot write to readonly path " + path + "." + managed
				do(b,
					step{object{"command": "create", "path": path, "file_text": "x"}, to, failed},
					step{object{"command": "create", "path": path, "file_text": "x", "overwrite": true}, to, failed},
					step{object{"command": "str_replace", "path": path, "old_str": "m", "new_str": "x"}, to, failed},
					step{object{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"}, to, failed},
					step{object{"command": "append", "path": path, "file_text": "x"}, to, failed},
					step{object{"command": "mkdir", "path": path}, to, failed},
					step{object{"command": "delete", "path": path}, "Error: Cannot delete readonly path " + path + "." +
						managed, failed},
					step{object{"command": "rename", "old_path": path, "new_path": "/x"},
						"Error: Cannot move from readonly path " + path + "." + managed, failed},
					step{object{"command": "rename", "old_path": "/f", "new_path": path},
						"Error: Cannot move to readonly path " + path + "." + managed, failed},
					step{object{"command": "rename", "old_path": "/f", "new_path": path, "overwrite": true},
						"Error: Cannot move to readonly path " + path + "." + managed, failed},
					step{object{"command": "copy", "old_path": "/f", "new_path": path}, to, failed},
					step{object{"command": "copy", "old_path": "/f", "new_path": path, "overwrite": true}, to, failed},
				)
			}
			require.Equal(b.T, before, b.Tree())
		}
		do(b, step{object{"command": "create", "path": "/MEMORIES/x", "file_text": "x"},
			"Error: Cannot write to readonly path /MEMORIES/x." + managed, failed})
		do(b, step{object{"command": "view", "path": "/memories/m.md"},
			"Here's the content of /memories/m.md with line numbers:\n     1\tm", ""})
	})
}

// TestNoSpellingReachesMemories tries what is not written as the texts expect, but may be taken for the same by some
// system.
func TestNoSpellingReachesMemories(t *testing.T) {
	spellings := []string{
		"memories", "//memories", "/./memories", "/x/../memories", "/../memories", "/../../memories/../memories",
		"memories/", "/memories/.",
		"/memories/d/..", "/Memories", "/MEMORIES", "/memorie\u017f", "/\u200cmemories", "/mem\u200dories",
		"/memories\ufeff",
		"/memories\x00", `\memories`, `/x\..\memories`, "/memories\n", "/memor\u0131es/../memories",
	}
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/memories/m.md": "m\n", "/memories/d/n": "n", "/f": "f", "/d/memories": "x"})
		before := b.Tree()
		for _, spelling := range spellings {
			for _, below := range []string{"", "/m.md", "/d", "/d/n", "/new", "/new/x"} {
				path := spelling + below
				for _, input := range []object{
					{"command": "create", "path": path, "file_text": "x", "overwrite": true},
					{"command": "str_replace", "path": path, "old_str": "m", "new_str": "x"},
					{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
					{"command": "append", "path": path, "file_text": "x"},
					{"command": "mkdir", "path": path},
					{"command": "delete", "path": path},
					{"command": "rename", "old_path": path, "new_path": "/x", "overwrite": true},
					{"command": "rename", "old_path": "/f", "new_path": path, "overwrite": true},
					{"command": "rename", "old_path": "/d", "new_path": path, "overwrite": true},
					{"command": "copy", "old_path": "/f", "new_path": path, "overwrite": true},
					{"command": "copy", "old_path": "/d", "new_path": path, "overwrite": true},
				} {
					result := b.Call(input)
					require.Equal(b.T, tool.CodeTool, result.Code, "%v: %s", input, result.Text())
				}
			}
		}
		for _, path := range []string{"/", "..", "/memories/..", "/memories/../"} {
			require.True(b.T, b.Call(object{"command": "delete", "path": path}).IsError())
			require.True(b.T, b.Call(object{"command": "rename", "old_path": path, "new_path": "/x"}).IsError())
			require.True(b.T, b.Call(object{"command": "copy", "old_path": "/d", "new_path": path,
				"overwrite": true}).IsError())
		}
		require.Equal(b.T, before, b.Tree())

		// The guard does not stop what is something else.
		for _, path := range []string{"/memoriesfoo", "/d/memories", "/memories2/m.md", "/.memories"} {
			require.False(b.T, b.Call(object{"command": "create", "path": path, "file_text": "x",
				"overwrite": true}).IsError(), path)
		}
	})
}
