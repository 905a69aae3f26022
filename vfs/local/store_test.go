package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestProjectIDs(t *testing.T) {
	for _, id := range []string{"a", "default", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "V1StGXR8_Z5jdHi6B-myT", "-",
		"_",
		"com10", strings.Repeat("x", 128)} {
		require.NoError(t, vfs.CheckID(id), id)
		require.True(t, vfs.IsPlainID(id), id)
	}
	for _, id := range []string{".", "..", "a/b", `a\b`, "../a", "a.b", "a b", "a:b", "é", "con", "NUL", "Aux", "com1",
		"LPT9",
		"~", "a%2fb", "*", ".toolrun"} {
		require.NoError(t, vfs.CheckID(id), id)
		require.False(t, vfs.IsPlainID(id), id)
	}
	for _, id := range []string{"", "a\x00", "a\n", "\u0085", strings.Repeat("x", 129), "\xff"} {
		require.ErrorAs(t, vfs.CheckID(id), new(*vfs.InvalidIDError), id)
		require.ErrorIs(t, vfs.CheckID(id), fs.ErrInvalid)
	}
}

// TestEncodedIDs checks that ids which cannot be names lead to directories in the store and nowhere else.
func TestEncodedIDs(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "store")
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	long := strings.Repeat("é", 64)
	for _, id := range []string{"../other", "..", "/etc", "alice@example.com", "con", long} {
		write(t, openProject(t, store, id), "/file", id)
	}
	names := func(dir string) (names []string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	require.Equal(t, []string{"store"}, names(outer))
	found := 0
	for _, name := range names(dir) {
		if strings.HasPrefix(name, "~") {
			require.Regexp(t, "^~[0-9A-V]+$", name)
			found++
		}
	}
	require.Equal(t, 6, found)
	// Directories with names that only look like encoded ids are no projects.
	for _, name := range []string{"~", "~x", "~c8======", "~" + strings.Repeat("0", 8) + "1", "~C5"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	ids, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"../other", "..", "/etc", "alice@example.com", "con", long}, ids)
	require.NoError(t, store.Discard(t.Context(), long))
	require.NoError(t, store.Recover(t.Context(), long, "short/er"))
	require.Equal(t, long, read(t, openProject(t, store, "short/er"), "/file"))
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

// TestOpensShareTheirState opens a project several times. All see one limit of open files, and each is closed by
// itself.
func TestOpensShareTheirState(t *testing.T) {
	store, err := local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true, OpenFiles: 2})
	require.NoError(t, err)
	defer store.Close()
	first, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	second, err := store.OpenExisting(t.Context(), "p")
	require.NoError(t, err)
	require.True(t, local.SameCore(first, second))

	kept, err := first.Create("/first")
	require.NoError(t, err)
	ended, err := second.Create("/second")
	require.NoError(t, err)
	_, err = first.Create("/third")
	require.ErrorIs(t, err, syscall.EMFILE)

	require.NoError(t, second.Close())
	require.ErrorIs(t, second.Close(), fs.ErrClosed)
	_, err = ended.WriteString("text")
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, second.Mkdir("/d", 0o755), fs.ErrClosed)
	_, err = kept.WriteString("text")
	require.NoError(t, err)
	require.NoError(t, kept.Close())
	require.Equal(t, "text", read(t, first, "/first"))
	_, err = first.Stat("/second")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, first.Close())

	// One that waits does not keep another from being closed, nor is it woken by that.
	first, err = store.Open(t.Context(), "p")
	require.NoError(t, err)
	second, err = store.Open(t.Context(), "p")
	require.NoError(t, err)
	third, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	waiting := make(chan error, 2)
	require.NoError(t, first.Exclusively(t.Context(), func(files afero.Fs) error {
		go func() { waiting <- second.Mkdir("/waits", 0o755) }()
		go func() { waiting <- third.Mkdir("/is-closed", 0o755) }()
		require.NoError(t, third.Close())
		require.ErrorIs(t, <-waiting, fs.ErrClosed)
		return files.Mkdir("/mine", 0o755)
	}))
	require.NoError(t, <-waiting)
	require.NoError(t, errors.Join(first.Close(), second.Close()))

	// A project that is deleted and made anew is another one, for those that open it then.
	old, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	require.NoError(t, store.Delete(t.Context(), "p"))
	fresh, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	require.False(t, local.SameCore(old, fresh))
	write(t, fresh, "/file", "text")
	require.ErrorIs(t, old.Mkdir("/d", 0o755), vfs.ErrDeleted)
	require.NoError(t, old.Close())
	require.Equal(t, "text", read(t, fresh, "/file"))
	require.NoError(t, fresh.Close())
}
