package local_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/progress/progresstest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestClosingDoesNotWaitForOtherProcesses(t *testing.T) {
	dir := t.TempDir()
	open := func() vfs.Project { // two openings of a directory are like two processes
		p, err := local.OpenDir(dir, nil)
		require.NoError(t, err)
		return p
	}
	holder, p := open(), open()
	defer holder.Close()
	require.NoError(t, holder.Exclusively(context.Background(), func(afero.Fs) error {
		written, ctx := make(chan error), asked{t.Context(), make(chan struct{}, 100)}
		go func() { written <- vfs.WriteFile(ctx, p, "/f", nil) }()
		<-ctx.asked // whether it may still wait
		require.NoError(t, p.Close())
		require.ErrorIs(t, <-written, fs.ErrClosed)
		return nil
	}))
	require.NoError(t, afero.WriteFile(holder, "/f", nil, 0o600), "the lock is free again")
}

// asked is a context that tells whenever something wants to know of its end.
type asked struct {
	context.Context
	asked chan struct{}
}

func (a asked) Done() <-chan struct{} {
	a.asked <- struct{}{}
	return a.Context.Done()
}

func TestAHandleDoesNotFollowItsFileToWhereItsCallMustNotWrite(t *testing.T) {
	forEachStore(t, nil, func(t *testing.T, p vfs.Project) {
		files := vfs.ReadOnly(p.WithCall("script"), "/memories")
		write(t, files, "/draft", "fine")
		require.NoError(t, p.Mkdir("/memories", 0o700))
		f, err := files.OpenFile("/draft", os.O_RDWR, 0)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, p.WithCall("host").Rename("/draft", "/memories/rules"))
		_, err = f.WriteAt([]byte("evil"), 0)
		require.ErrorIs(t, err, syscall.ESTALE)
		require.Equal(t, "fine", read(t, p, "/memories/rules"))
	})
}

func TestReadOnlyKeepsFilesFromTheWayToWhatItProtects(t *testing.T) {
	files := vfs.ReadOnly(openProject(t, local.NewMemoryStore(nil), "project"), "/memories/sub")
	require.ErrorIs(t, afero.WriteFile(files, "/memories", nil, 0o600), syscall.EROFS)
	require.NoError(t, files.Mkdir("/memories", 0o700))
}

func TestTimesDoNotHideEditsFromOutside(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	write(t, p.WithCall("A"), "/x", "by the script")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte("by the user, and longer"), 0o600))
	require.NoError(t, p.WithCall("B").Chtimes("/x", time.Unix(1, 0), time.Unix(1, 0)))
	_, err = p.Undo(ctx, "A")
	require.ErrorContains(t, err, "/x has been changed since from outside")

	// Writing it once more in the same call keeps what the user has written.
	call := p.WithCall("C")
	write(t, call, "/y", "by the script")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y"), []byte("by the user, and longer"), 0o600))
	write(t, call, "/y", "by the script again")
	changes, err := p.Changes(t.Context(), "/y")
	require.NoError(t, err)
	require.Equal(t, "by the user, and longer", version(t, p, changes[0].ID))
}

func TestWhatACallHasMadeAndLostIsNoLoss(t *testing.T) {
	ctx := context.Background()
	forEachStore(t, &vfs.Options{History: vfs.HistoryOptions{Bytes: 100 << 10}}, func(t *testing.T, p vfs.Project) {
		write(t, p, "/notes", "important")
		call := p.WithCall("script")
		require.NoError(t, call.Remove("/notes"))
		write(t, call, "/d/large", string(make([]byte, 200<<10)))
		require.NoError(t, call.RemoveAll("/d"))
		_, err := p.Undo(ctx, "script")
		require.NoError(t, err)
		require.Equal(t, map[string]string{"/": "directory", "/notes": "important"}, snapshot(t, p))
	})
}

func TestDirectoriesTooDeepForPaths(t *testing.T) {
	dir := t.TempDir()
	at := dir
	for range 100 {
		at = filepath.Join(at, strings.Repeat("d", 20))
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Skip(err)
	}
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, afero.WriteFile(p, "/f", nil, 0o600))
	u, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, vfs.MaxDepth+1, u.Files)
	deepest := ""
	require.NoError(t, afero.Walk(p, "/", func(name string, _ fs.FileInfo, err error) error {
		deepest = name
		return err
	}))
	require.Equal(t, "/f", deepest)
	top := "/" + strings.Repeat("d", 20)
	require.ErrorAs(t, p.RemoveAll(top), new(*vfs.ProtectedError), "nobody knows what is in it")
	open, err := local.OpenDir(dir, &vfs.Options{Unprotect: []string{"*"}})
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, open.RemoveAll(top))
}

func TestInterruptedDeletionIsCompleted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".old.deleted", "d"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".old.ABC.deleted", "d"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".other"), 0o700))
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	defer store.Close()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, "[d .other/]", fmt.Sprint(entries))
}

// TestTreesThatCannotBeRemoved is about directories that their owner must not change. Root may do all, so it says
// nothing as root.
func TestTreesThatCannotBeRemoved(t *testing.T) {
	for name, options := range map[string]*vfs.Options{
		"kept":     {History: vfs.HistoryOptions{Bytes: 64 << 10}},
		"not kept": {History: vfs.HistoryOptions{Off: true}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cache := filepath.Join(dir, "cache", "module")
			require.NoError(t, os.MkdirAll(cache, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(cache, "f"), nil, 0o400))
			require.NoError(t, os.Chmod(cache, 0o500))
			p, err := local.OpenDir(dir, options)
			require.NoError(t, err)
			require.NoError(t, p.RemoveAll("/cache"))
			for i := range 40 {
				require.NoError(t, p.Mkdir(fmt.Sprint("/", i), 0o700))
			}
			require.NoError(t, p.Close())
			if p, err = local.OpenDir(dir, options); err == nil {
				require.NoError(t, p.Mkdir("/more", 0o700))
				require.NoError(t, p.Close())
			}
		})
	}
}

func TestFilesThatGiveNothing(t *testing.T) {
	files := progresstest.Stuck{Fs: afero.NewMemMapFs()}
	require.NoError(t, afero.WriteFile(files, "/a", []byte("text"), 0o644))
	nothing := func(content []byte) ([]byte, error) { return content, nil }
	require.ErrorIs(t, vfs.Edit(t.Context(), files, "/a", nothing), io.ErrNoProgress)
	require.ErrorIs(t, vfs.Append(t.Context(), files, "/a", []byte("more")), io.ErrNoProgress)
	require.ErrorIs(t, vfs.Copy(t.Context(), files, "/a", "/b"), io.ErrNoProgress)
	content, err := afero.ReadFile(files.Fs, "/a")
	require.NoError(t, err)
	require.Equal(t, "text", string(content))
}

// Removing what somebody else has made since the files were counted makes no history doubtful.
func TestRemovingWhatWasNeverCounted(t *testing.T) {
	dir := t.TempDir()
	p := openDir(t, dir, &vfs.Options{NoSync: true, History: vfs.HistoryOptions{Bytes: 64 << 10}})
	write(t, p, "/own", "own")
	for range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "large"), make([]byte, 100<<10), 0o644))
		require.NoError(t, p.Remove("/large")) // too large to keep
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large"), nil, 0o644))
	write(t, p, "/own2", "own")
	changes, err := p.Changes(t.Context(), "/large")
	require.NoError(t, err)
	require.Len(t, changes, 3)
	requireExactUsage(t, p)
}
