package vfs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestRevert(t *testing.T) {
	write := func(name, text string) func(p vfs.Project) error {
		return func(p vfs.Project) error { return vfs.WriteFile(t.Context(), p, name, []byte(text)) }
	}
	rename := func(from, to string) func(p vfs.Project) error {
		return func(p vfs.Project) error { return p.Rename(from, to) }
	}
	remove := func(name string) func(p vfs.Project) error {
		return func(p vfs.Project) error { return p.RemoveAll(name) }
	}
	undo := func(p vfs.Project) error { _, err := p.Undo(t.Context(), ""); return err }
	type changes []func(p vfs.Project) error
	for name, test := range map[string]struct {
		changes changes
		id      int64
		to      string
		did     string // or an error
		files   string
	}{
		"a content": {changes{write("/a", "1"), write("/a", "2"), write("/a", "3")}, 2, "", "restored /a",
			"/a=1"},
		"a content elsewhere": {changes{write("/a", "1"), write("/a", "2")}, 2, "b", "restored /b", "/a=2 /b=1"},
		"a content after a rename": {
			changes{write("/a", "1"), write("/a", "2"), rename("/a", "/b"), write("/a", "new")}, 2, "", "restored /b",
			"/a=new /b=1",
		},
		"a removal":           {changes{write("/a", "1"), remove("/a")}, 2, "", "restored /a", "/a=1"},
		"a removed directory": {changes{write("/d/a", "1"), remove("/d")}, 3, "", "restored /d", "/d/ /d/a=1"},
		"a rename":            {changes{write("/a", "1"), rename("/a", "/b")}, 2, "", "moved /b back to /a", "/a=1"},
		"a rename, moved on": {
			changes{write("/a", "1"), rename("/a", "/b"), rename("/b", "/c")}, 2, "", "moved /c back to /a", "/a=1",
		},
		"a rename over a file": {
			changes{write("/a", "1"), write("/b", "2"), rename("/a", "/b")}, 3, "",
			"moved /b back to /a, and restored /b", "/a=1 /b=2",
		},
		"a rename out of what is gone": {
			changes{write("/d/a", "1"), rename("/d/a", "/b"), remove("/d")}, 3, "", "moved /b back to /d/a",
			"/d/ /d/a=1",
		},
		"a rename, removed since": {
			changes{write("/a", "1"), rename("/a", "/b"), remove("/b")}, 2, "",
			"change 2: /b has been removed or replaced since", "",
		},
		"a creation": {changes{write("/a", "1")}, 1, "", "removed /a, which did not exist before change 1", ""},
		"a creation, moved with its directory": {
			changes{write("/d/a", "1"), rename("/d", "/e"), rename("/e/a", "/e/b")}, 2, "",
			"removed /e/b, which did not exist before change 2", "/e/",
		},
		"a creation, replaced since": {
			changes{write("/a", "1"), write("/b", "2"), rename("/b", "/a")}, 1, "",
			"change 1: /a has been removed or replaced since", "/a=2",
		},
		"a creation, made anew since": {
			changes{write("/a", "1"), remove("/a"), write("/a", "2")}, 1, "",
			"change 1: /a has been removed or replaced since", "/a=2",
		},
		"a creation, back by undoing": {
			changes{write("/a", "1"), remove("/a"), undo}, 1, "", "removed /a, which did not exist before change 1", "",
		},
		"an undoing": {changes{write("/a", "1"), undo}, 3, "", "redid #1", "/a=1"},
		"a creation elsewhere": {changes{write("/a", "1")}, 1, "/b",
			"change 1: nothing to put at another path: not in the history", "/a=1"},
		"too large": {
			changes{write("/a", string(bytes.Repeat([]byte("x"), 100<<10))), write("/a", "1")}, 2, "",
			"change 2: what was there was too large to keep: not in the history", "/a=1",
		},
		"unknown": {changes{write("/a", "1")}, 9, "", "change 9: not in the history", "/a=1"},
		"a wrong path": {changes{write("/a", "1"), write("/a", "2")}, 2, `b\c`,
			"invalid path: it contains a backslash; names are separated by \"/\"", "/a=2"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := local.NewMemoryStore(&vfs.Options{History: vfs.HistoryOptions{Bytes: 64 << 10}}).Open(t.Context(),
				"p")
			require.NoError(t, err)
			for _, change := range test.changes {
				require.NoError(t, change(p))
			}
			did, err := vfs.Revert(t.Context(), p, test.id, test.to)
			if err != nil {
				did = err.Error()
			}
			require.Equal(t, test.did, did)
			files := ""
			require.NoError(t, afero.Walk(p, "/", func(name string, info fs.FileInfo, err error) error {
				if err != nil || name == "/" {
					return err
				}
				if info.IsDir() {
					files += " " + name + "/"
					return nil
				}
				text, err := afero.ReadFile(p, name)
				files += fmt.Sprintf(" %s=%s", name, text)
				return err
			}))
			require.Equal(t, test.files, strings.TrimSpace(files))
		})
	}
}

// A change is one of the project's own, whatever is mounted over it since.
func TestRevertUnderAMount(t *testing.T) {
	store := local.NewMemoryStore(nil)
	_, err := store.Open(t.Context(), "team")
	require.NoError(t, err)
	own, err := store.Open(t.Context(), "a")
	require.NoError(t, err)
	require.NoError(t, vfs.WriteFile(t.Context(), own, "/sharerw/x", []byte("own")))
	require.NoError(t, own.Rename("/sharerw/x", "/y"))
	p := mountedIn(t, store, "a", vfs.Mount{Path: "/sharerw", Project: "team"})
	did, err := vfs.Revert(t.Context(), p, 3, "")
	require.NoError(t, err)
	require.Equal(t, "moved /y back to /sharerw/x", did)
	text, err := afero.ReadFile(own, "/sharerw/x")
	require.NoError(t, err)
	require.Equal(t, "own", string(text))
	_, err = p.Stat("/sharerw/x")
	require.ErrorIs(t, err, fs.ErrNotExist, "it is not the team's")
}
