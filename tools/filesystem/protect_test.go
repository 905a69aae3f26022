package filesystem_test

import (
	"testing"

	"github.com/stretchr/testify/require"
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
					step{object{"command": "delete", "path": path}, "Error: Cannot delete readonly path " + path + "." + managed, failed},
					step{object{"command": "rename", "old_path": path, "new_path": "/x"}, "Error: Cannot move from readonly path " + path + "." + managed, failed},
					step{object{"command": "rename", "old_path": "/f", "new_path": path}, "Error: Cannot move to readonly path " + path + "." + managed, failed},
					step{object{"command": "rename", "old_path": "/f", "new_path": path, "overwrite": true}, "Error: Cannot move to readonly path " + path + "." + managed, failed},
					step{object{"command": "copy", "old_path": "/f", "new_path": path}, to, failed},
					step{object{"command": "copy", "old_path": "/f", "new_path": path, "overwrite": true}, to, failed},
				)
			}
			require.Equal(b.T, before, b.Tree())
		}
		do(b, step{object{"command": "create", "path": "/MEMORIES/x", "file_text": "x"}, "Error: Cannot write to readonly path /MEMORIES/x." + managed, failed})
		do(b, step{object{"command": "view", "path": "/memories/m.md"}, "Here's the content of /memories/m.md with line numbers:\n     1\tm", ""})
	})
}
