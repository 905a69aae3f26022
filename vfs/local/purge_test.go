package local_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// inDir reports whether a text is in any file of a directory.
func inDir(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		found = found || bytes.Contains(data, []byte(text))
		return err
	}))
	return found
}

func TestPurge(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		vfstest.TestPurge(t, func(t *testing.T) (vfs.Store, func(*testing.T, string) bool) {
			store := local.NewMemoryStore(nil)
			return store, func(t *testing.T, text string) bool {
				return local.InMemory(openProject(t, store, "p"), text)
			}
		})
	})
	t.Run("on disk", func(t *testing.T) {
		vfstest.TestPurge(t, func(t *testing.T) (vfs.Store, func(*testing.T, string) bool) {
			dir := t.TempDir()
			store, err := local.OpenStore(dir, nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			return store, func(t *testing.T, text string) bool { return inDir(t, dir, text) }
		})
	})
}

// TestPurgeInDirectories purges in a directory of the host, with its history inside, apart and in a layer.
func TestPurgeInDirectories(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, dir, own string) vfs.Project{
		"inside": func(t *testing.T, dir, _ string) vfs.Project {
			p, err := local.OpenDir(dir, nil)
			require.NoError(t, err)
			return p
		},
		"apart": func(t *testing.T, dir, own string) vfs.Project {
			p, err := local.OpenDirApart(dir, own, nil)
			require.NoError(t, err)
			return p
		},
		"layer": func(t *testing.T, dir, own string) vfs.Project {
			p, err := local.OpenLayer(dir, own, nil)
			require.NoError(t, err)
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "d", "f"), []byte("from the host"), 0o600))
			p := open(t, dir, own)
			defer p.Close()
			write(t, p, "/d/f", "secret one")
			write(t, p, "/d/f", "secret two")
			write(t, p, "/d/g", "other")
			require.NoError(t, p.RemoveAll("/d"))
			require.NoError(t, p.Restore(t.Context(), 4, ""))
			done, err := p.Purge(t.Context(), "/d/f", &vfs.PurgeOptions{Remove: true})
			require.NoError(t, err)
			require.Equal(t, 3, done.Versions)
			_, err = p.Stat("/d/f")
			require.ErrorIs(t, err, fs.ErrNotExist)
			for _, secret := range []string{"secret one", "secret two"} {
				require.False(t, inDir(t, dir, secret), secret)
				if name != "inside" {
					require.False(t, inDir(t, own, secret), secret)
				}
			}
			// The files below a layer are not its to change.
			require.Equal(t, name == "layer", inDir(t, dir, "from the host"))
			require.NoError(t, p.RemoveAll("/d"))
			require.NoError(t, p.Restore(t.Context(), 4, ""))
			require.Equal(t, "other", read(t, p, "/d/g"))
		})
	}
}

func TestPurgeRefused(t *testing.T) {
	store := local.NewMemoryStore(nil)
	inner := openProject(t, store, "inner")
	write(t, inner, "/f", "one")
	write(t, inner, "/f", "two")
	outer, mounts := openProject(t, store, "outer"), []vfs.Mount{{Path: "/in", Project: "inner"}}
	mounted, err := vfs.OpenMounts(outer, "outer", mounts,
		func(vfs.Mount) (vfs.Project, error) { return store.OpenExisting(t.Context(), "inner") })
	require.NoError(t, err)
	for _, name := range []string{"/in", "/in/f", "/x/../in/f"} {
		_, err := mounted.Purge(t.Context(), name, &vfs.PurgeOptions{Remove: true})
		require.ErrorContains(t, err, "the history is that of the project inner", name)
	}
	_, err = mounted.Purge(t.Context(), "/IN/f", nil)
	require.ErrorAs(t, err, new(*vfs.NameConflictError))
	require.Equal(t, "two", read(t, inner, "/f"))

	dir := t.TempDir()
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	write(t, p, "/f", "one")
	write(t, p, "/f", "two")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".npmrc"), []byte("secret"), 0o600))
	require.NoError(t, p.Close())
	p, err = local.OpenDir(dir, &vfs.Options{ReadOnly: true})
	require.NoError(t, err)
	_, err = p.Purge(t.Context(), "/f", nil)
	require.ErrorIs(t, err, syscall.EROFS)
	require.True(t, inDir(t, dir, "one"))
	require.NoError(t, p.Close())

	// What is protected is not removed, and nothing is noted.
	p, err = local.OpenDir(dir, &vfs.Options{Protect: vfs.ProtectedNames()})
	require.NoError(t, err)
	_, err = p.Purge(t.Context(), "/.npmrc", &vfs.PurgeOptions{Remove: true})
	require.ErrorAs(t, err, new(*vfs.ProtectedError))
	require.True(t, inDir(t, dir, "secret"))
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.NoError(t, p.Close())

	// What an earlier history has left is purged also where none is kept any more.
	p, err = local.OpenDir(dir, &vfs.Options{History: vfs.HistoryOptions{Off: true}})
	require.NoError(t, err)
	done, err := p.Purge(t.Context(), "/f", &vfs.PurgeOptions{By: strings.Repeat("é", 200)})
	require.NoError(t, err)
	require.Equal(t, 1, done.Versions)
	require.Zero(t, done.Change)
	require.False(t, inDir(t, dir, "one"))
	require.NoError(t, p.Close())
}
