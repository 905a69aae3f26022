package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestProjectIDs(t *testing.T) {
	for _, id := range []string{"a", "default", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "V1StGXR8_Z5jdHi6B-myT", "-", "_", "com10", strings.Repeat("x", 128)} {
		require.NoError(t, vfs.CheckID(id), id)
	}
	for _, id := range []string{
		"", ".", "..", "a/b", `a\b`, "../a", "a.b", "a b", "a:b", "é", "a\x00", "a\n", "con", "NUL", "Aux", "com1", "LPT9", "~", "a%2fb", "*",
		strings.Repeat("x", 129), ".toolrun", "\xff",
	} {
		var invalid *vfs.InvalidIDError
		require.ErrorAs(t, vfs.CheckID(id), &invalid, id)
		require.ErrorIs(t, vfs.CheckID(id), fs.ErrInvalid)
		for _, open := range stores {
			store := open(t, nil)
			_, err := store.Open(t.Context(), id)
			require.ErrorAs(t, err, &invalid, id)
			require.ErrorAs(t, store.Delete(t.Context(), id), &invalid, id)
			_, err = vfs.StoreUsage(t.Context(), store, id)
			require.ErrorAs(t, err, &invalid, id)
		}
	}
}

func TestStore(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			store := open(t, nil)
			ids, err := store.List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Empty(t, ids)

			one, two := openProject(t, store, "one"), openProject(t, store, "two")
			write(t, one, "/file", "1")
			write(t, two, "/dir/file", "22")
			require.Equal(t, map[string]string{"/": "directory", "/file": "1"}, snapshot(t, one), "projects see only their own files")
			again := openProject(t, store, "one")
			require.Equal(t, "1", read(t, again, "/file"))

			ids, err = store.List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Equal(t, []string{"one", "two"}, ids)
			usage, err := vfs.StoreUsage(t.Context(), store, "two")
			require.NoError(t, err)
			require.EqualValues(t, 2, usage.Bytes)
			require.EqualValues(t, 2, usage.Files)

			_, err = store.Open(t.Context(), "ONE")
			var conflict *vfs.NameConflictError
			require.ErrorAs(t, err, &conflict)

			require.NoError(t, store.Delete(t.Context(), "one"))
			require.ErrorIs(t, store.Delete(t.Context(), "one"), fs.ErrNotExist)
			_, err = vfs.StoreUsage(t.Context(), store, "one")
			require.ErrorIs(t, err, fs.ErrNotExist)
			_, err = again.Open("/file")
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorIs(t, afero.WriteFile(again, "/file", nil, 0o600), fs.ErrNotExist)
			fresh := openProject(t, store, "one")
			require.Equal(t, map[string]string{"/": "directory"}, snapshot(t, fresh))
			ids, err = store.List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Equal(t, []string{"one", "two"}, ids)
		})
	}
}

func TestOpenStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	write(t, openProject(t, store, "one"), "/file", "1")

	// What is not a project is none.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".hidden"), 0o700))
	ids, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"one"}, ids)
	_, err = store.Open(t.Context(), "file")
	require.Error(t, err)

	// Another opening of the store has the same projects.
	other, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer other.Close()
	require.Equal(t, "1", read(t, openProject(t, other, "one"), "/file"))

	_, err = local.OpenStore(filepath.Join(dir, "file"), nil)
	require.Error(t, err)
	_, err = local.OpenDir(filepath.Join(dir, "missing"), nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestOpenDirLeavesNothingBehindAsLongAsNothingIsChanged(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	require.Equal(t, "text", read(t, p, "file"))
	_, err = p.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)

	require.ErrorIs(t, afero.WriteFile(p, "file", nil, 0o600), fs.ErrClosed)
	_, err = p.Open("file")
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, p.Close(), fs.ErrClosed)
}
