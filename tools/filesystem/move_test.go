package filesystem_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDelete(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f": "f", "/d/e/g": "g", "/stays": "s"})
		do(b,
			step{object{"command": "delete", "path": "/f"}, "Successfully deleted /f", ""},
			step{object{"command": "delete", "path": "/f"}, "Error: The path /f does not exist", failed},
			step{object{"command": "delete", "path": "/d"}, "Successfully deleted /d", ""},
			step{object{"command": "delete", "path": "/d/e/g"}, "Error: The path /d/e/g does not exist", failed},
			step{object{"command": "delete", "path": "/stays/x"}, "Error: The path /stays/x does not exist", failed},
			step{object{"command": "delete", "path": "/"}, "Error: Cannot delete root directory.", failed},
			step{object{"command": "delete", "path": "/stays/../.."}, "Error: Cannot delete root directory.", failed},
		)
		require.Equal(b.T, map[string]string{"/stays": "s"}, b.Tree())
	})
}

func TestMkdir(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f": "f"})
		do(b,
			step{object{"command": "mkdir", "path": "/d/e"}, "Directory created successfully at: /d/e", ""},
			step{object{"command": "mkdir", "path": "/d/e"}, "Error: Directory /d/e already exists", failed},
			step{object{"command": "mkdir", "path": "/d"}, "Error: Directory /d already exists", failed},
			step{object{"command": "mkdir", "path": "/f"}, "Error: A file already exists at /f", failed},
			step{object{"command": "mkdir", "path": "/f/d/e"},
				"Error: The path /f/d/e cannot be used: /f is a file, not a directory.", failed},
			step{object{"command": "mkdir", "path": "/"}, "Error: Cannot create directory at the root path.", failed},
		)
		require.Equal(b.T, map[string]string{"/d/": "", "/d/e/": "", "/f": "f"}, b.Tree())
	})
}

// TestRenameAndCopy covers what both have in common.
func TestRenameAndCopy(t *testing.T) {
	for _, command := range []string{"rename", "copy"} {
		verb := map[string]string{"rename": "move", "copy": "copy"}[command]
		move := func(from, to string, overwrite bool) object {
			input := object{"command": command, "old_path": from, "new_path": to}
			if overwrite {
				input["overwrite"] = true
			}
			return input
		}
		t.Run(command, func(t *testing.T) {
			onBoth(t, func(b *bench) {
				b.Put(map[string]string{"/f": "f", "/g": "g", "/d/e/h": "h", "/empty/": ""})
				before := b.Tree()
				for _, overwrite := range []bool{false, true} {
					do(b,
						step{move("/no", "/x", overwrite), "Error: The path /no does not exist", failed},
						step{move("/no", "/g", overwrite), "Error: The path /no does not exist", failed},
						step{move("/f", "/d", overwrite), "Error: The destination /d is a directory.", failed},
						step{move("/d", "/empty", overwrite), "Error: The destination /empty is a directory.", failed},
						step{move("/d/e/h", "/d", overwrite), "Error: The destination /d is a directory.", failed},
						step{move("/d", "/d/e/x", overwrite), "Error: Cannot " + verb +
							" /d into itself: /d/e/x is inside of it.", failed},
						step{move("/d", "/d/e", overwrite), "Error: Cannot " + verb +
							" /d into itself: /d/e is inside of it.", failed},
						step{move("/f", "/f", overwrite), "Error: /f is both the source and the destination.", failed},
						step{move("/d", "/d/", overwrite), "Error: /d is both the source and the destination.", failed},
						step{move("/f", "/g/x/y", overwrite),
							"Error: The path /g/x/y cannot be used: /g is a file, not a directory.", failed},
						step{move("/f", "/f/x", overwrite),
							"Error: The path /f/x cannot be used: /f is a file, not a directory.", failed},
					)
				}
				do(b,
					step{move("/f", "/g", false), "Error: The destination /g already exists. Set overwrite to true " +
						"to replace.", failed},
					step{move("/d", "/g", false), "Error: The destination /g already exists. Set overwrite to true " +
						"to replace.", failed},
					step{move("/d", "/g", true), "Error: The destination /g is a file, which a directory cannot " +
						"replace.", failed},
				)
				require.Equal(b.T, before, b.Tree())
			})
		})
	}
}

func TestRename(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f": "f", "/g": "g", "/d/e/h": "h", "/readme.md": "r"})
		rename := func(from, to string) object { return object{"command": "rename", "old_path": from, "new_path": to} }
		over := rename("/f", "/g")
		over["overwrite"] = true
		do(b,
			step{over, "Successfully renamed /f to /g", ""},
			step{rename("g", "new/dir/f"), "Successfully renamed /g to /new/dir/f", ""},
			step{rename("/d", "/new/d"), "Successfully renamed /d to /new/d", ""},
			step{rename("/readme.md", "/README.md"), "Successfully renamed /readme.md to /README.md", ""},
			step{rename("/", "/x"), "Error: Cannot rename root directory.", failed},
			step{rename("/", "/"), "Error: Cannot rename root directory.", failed},
			step{rename("/", "/memories/x"), "Error: Cannot rename root directory.", failed},
			step{rename("/new", "/"), "Error: The destination / is a directory.", failed},
		)
		require.Equal(b.T, map[string]string{
			"/README.md": "r", "/new/": "", "/new/dir/": "", "/new/dir/f": "f", "/new/d/": "", "/new/d/e/": "",
			"/new/d/e/h": "h",
		}, b.Tree())
	})
}

func TestCopy(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/f": "f", "/g": "g", "/d/e/h": "h", "/bin": "\x00", "/memories/m": "m"})
		copied := func(from, to string) object { return object{"command": "copy", "old_path": from, "new_path": to} }
		over := copied("/f", "/g")
		over["overwrite"] = true
		do(b,
			step{over, "Successfully copied /f to /g", ""},
			step{copied("/d", "/new/d"), "Successfully copied /d to /new/d", ""},
			step{copied("/bin", "/new/bin"), "Successfully copied /bin to /new/bin", ""},
			step{copied("/memories", "/m"), "Successfully copied /memories to /m", ""},
			step{copied("/memories/m", "/f2"), "Successfully copied /memories/m to /f2", ""},
			step{copied("/f", "/"), "Error: Cannot copy to the root path.", failed},
			step{copied("/", "/x"), "Error: Cannot copy / into itself: /x is inside of it.", failed},
		)
		require.Equal(b.T, map[string]string{
			"/f": "f", "/g": "f", "/d/": "", "/d/e/": "", "/d/e/h": "h", "/bin": "\x00", "/memories/": "",
			"/memories/m": "m",
			"/new/":       "", "/new/d/": "", "/new/d/e/": "", "/new/d/e/h": "h", "/new/bin": "\x00", "/m/": "",
			"/m/m": "m", "/f2": "m",
		}, b.Tree())
	})
}

func TestPathsThatCannotBe(t *testing.T) {
	onBoth(t, func(b *bench) {
		b.Put(map[string]string{"/Readme.md": "r"})
		long := strings.Repeat("n", 256)
		for path, want := range map[string]string{
			`/a\b`: `Error: The path "/a\\b" cannot be used: it contains a backslash; ` +
				`names are separated by "/".`,
			"/a\nb":             `Error: The path "/a\nb" cannot be used: it contains a control character.`,
			"/.toolrun/history": `Error: The path "/.toolrun/history" cannot be used: .toolrun is reserved.`,
			"/x/.TOOLRUN":       `Error: The path "/x/.TOOLRUN" cannot be used: .toolrun is reserved.`,
			"/" + long: `Error: The path "/` + long[:199] +
				`..." cannot be used: a name in it is too long.`,
			strings.Repeat("d/", 100): `Error: The path "` + strings.Repeat("d/", 100) +
				`" cannot be used: it is nested too deep.`,
			"/README.md": `Error: The path /README.md cannot be used: there is "Readme.md" already, ` +
				`which differs in upper and lower case or the form of letters only. Use that name or a different one.`,
		} {
			do(b, step{object{"command": "create", "path": path, "file_text": "x"}, want, failed})
			do(b, step{object{"command": "copy", "old_path": "/Readme.md", "new_path": path}, want, failed})
			if path != "/README.md" {
				do(b, step{object{"command": "view", "path": path}, want, failed})
				do(b, step{object{"command": "rename", "old_path": path, "new_path": "/x"}, want, failed})
			}
		}
		require.Equal(b.T, map[string]string{"/Readme.md": "r"}, b.Tree())
	})
}
