package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func openApart(t *testing.T, dir, own string) vfs.Project {
	t.Helper()
	p, err := local.OpenDirApart(dir, own, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// What is the project's own leaves no trace in the directory, and is found again.
func TestDirectoryWithItsHistoryApart(t *testing.T) {
	dir, own := layeredDir(t), filepath.Join(t.TempDir(), "own")
	p := openApart(t, dir, own)
	original := snapshot(t, p)
	require.NoError(t, p.EditSettings(t.Context(), func([]byte) ([]byte, error) { return []byte("settings"), nil }))
	changeLayer(t, p.WithCall("call"))
	write(t, p, "/mine/a", "a")
	requireExactUsage(t, p)
	other := openApart(t, dir, own)
	write(t, other, "/mine/a", "b")
	require.NoError(t, p.Close())
	write(t, other, "/mine/a", "c")
	require.NoError(t, other.Close())
	_, err := os.Lstat(filepath.Join(dir, vfs.Reserved))
	require.ErrorIs(t, err, fs.ErrNotExist)

	p = openApart(t, dir, own)
	settings, err := p.Settings(t.Context())
	require.NoError(t, err)
	require.Equal(t, "settings", string(settings))
	changes, err := p.Changes(t.Context(), "/mine/a")
	require.NoError(t, err)
	require.Len(t, changes, 3)
	require.NoError(t, p.Restore(t.Context(), changes[0].ID, ""))
	require.Equal(t, "b", read(t, p, "/mine/a"))
	require.NoError(t, p.RemoveAll("/mine"))
	_, err = p.Undo(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "b", read(t, p, "/mine/a"))
	require.NoError(t, p.RemoveAll("/mine"))
	_, err = p.Undo(t.Context(), "call")
	require.NoError(t, err)
	require.Equal(t, original, snapshot(t, p))
	requireExactUsage(t, p)
	require.NoError(t, p.Close())
	entries, err := os.ReadDir(filepath.Join(own, vfs.Reserved, "tmp"))
	require.NoError(t, err)
	require.Empty(t, entries)
}

// A process that was killed leaves temporary files, which the next one removes.
func TestDirectoryWithLeftovers(t *testing.T) {
	dir, own := layeredDir(t), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, vfs.Reserved, "tmp"), 0o700))
	for _, name := range []string{"dead-1", "dead.lock", "moved"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, vfs.Reserved, "tmp", name), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, vfs.Reserved, ".gitignore"), []byte("*\n"), 0o600))
	require.False(t, local.KeepsOwn(dir))
	p := openApart(t, dir, own)
	write(t, p, "/x", "x")
	require.NoError(t, p.Close())
	_, err := os.Lstat(filepath.Join(dir, vfs.Reserved))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestReadOnlyApart(t *testing.T) {
	dir, own := layeredDir(t), filepath.Join(t.TempDir(), "own")
	before := filesOfTheHost(t, dir)
	for range 2 {
		p, err := local.OpenDirApart(dir, own, &vfs.Options{ReadOnly: true})
		require.NoError(t, err)
		require.Equal(t, "a", read(t, p, "/a.txt"))
		require.Error(t, p.Mkdir("/d", 0o755))
		require.NoError(t, p.Close())
		_, err = os.Lstat(filepath.Join(own, vfs.Reserved))
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.NoError(t, os.MkdirAll(own, 0o700))
	}
	require.Equal(t, before, filesOfTheHost(t, dir))

	// Not even what another process has left is tidied up.
	p := openApart(t, dir, own)
	write(t, p, "/x", "x")
	require.NoError(t, p.Close())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, vfs.Reserved, "tmp"), 0o700))
	before = filesOfTheHost(t, dir)
	p, err := local.OpenDirApart(dir, own, &vfs.Options{ReadOnly: true})
	require.NoError(t, err)
	require.Equal(t, "x", read(t, p, "/x"))
	require.NoError(t, p.Close())
	require.Equal(t, before, filesOfTheHost(t, dir))
}

// Code cannot reach the history, whichever way its directory is named.
func TestHistoryApartIsOutside(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	inside := []string{dir, filepath.Join(dir, "a", "b"), filepath.Join(dir, "..", filepath.Base(dir), "x")}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(dir, filepath.Join(elsewhere, "link")))
		inside = append(inside, filepath.Join(elsewhere, "link"), filepath.Join(elsewhere, "link", "a", "b"))
	}
	for _, readOnly := range []bool{false, true} {
		for _, own := range inside {
			_, err := local.OpenDirApart(dir, own, &vfs.Options{ReadOnly: readOnly})
			require.ErrorContains(t, err, "is inside of the directory", own)
		}
	}
	require.Len(t, filesOfTheHost(t, dir), 1)

	// Nor does anybody get to work on a history, or on a layer.
	require.NoError(t, openApart(t, dir, elsewhere).Mkdir("/made", 0o755))
	for _, kept := range []string{vfs.Reserved, filepath.Join(vfs.Reserved, "history")} {
		_, err := local.OpenDirApart(filepath.Join(elsewhere, kept), elsewhere, nil)
		require.ErrorContains(t, err, "is inside of the directory", kept)
	}
	layer := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(layer, "sub"), 0o755))
	_, err := local.OpenLayer(filepath.Join(layer, "sub"), layer, nil)
	require.ErrorContains(t, err, "is inside of the directory")
	within := filepath.Join(elsewhere, "files") // as a host may arrange them
	require.NoError(t, os.Mkdir(within, 0o755))
	require.NoError(t, openApart(t, within, elsewhere).Mkdir("/made", 0o755))
}

func TestKeepsOwn(t *testing.T) {
	dir := t.TempDir()
	require.False(t, local.KeepsOwn(dir))
	require.NoError(t, os.Mkdir(filepath.Join(dir, vfs.Reserved), 0o700))
	require.True(t, local.KeepsOwn(dir), "it has been made for that")
	write(t, openDir(t, dir, nil), "/f", "x")
	require.True(t, local.KeepsOwn(dir))
}

// A process can be killed when the history has what is removed already, and the directory still has it, too.
func TestRemovalsApartThatHaveNotHappened(t *testing.T) {
	for _, removed := range []string{"/a.txt", "/dir"} {
		t.Run(removed[1:], func(t *testing.T) {
			dir, own := layeredDir(t), t.TempDir()
			p := openApart(t, dir, own)
			write(t, p, "/new", "x")
			before := snapshot(t, p)
			require.NoError(t, p.RemoveAll(removed))
			changes, err := p.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.NoError(t, local.PutBack(p, changes[0].ID, removed))
			require.NoError(t, p.Close())

			p = openApart(t, dir, own)
			require.Equal(t, before, snapshot(t, p))
			requireExactUsage(t, p)
			after, err := p.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.Equal(t, changes[1:], after)
			write(t, p, removed+"2", "x")
			_, err = p.Undo(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, before, snapshot(t, p))

			// What somebody else has made since is another matter.
			require.NoError(t, p.RemoveAll(removed))
			require.NoError(t, p.Close())
			require.NoError(t, os.WriteFile(filepath.Join(dir, removed), []byte("theirs"), 0o644))
			p = openApart(t, dir, own)
			requireExactUsage(t, p)
			after, err = p.Changes(t.Context(), removed)
			require.NoError(t, err)
			require.Equal(t, vfs.OpRemove, after[0].Op)
		})
	}
}
