// Package storetest has what tests of stores and projects have in common.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// Stores are the kinds of stores. In builds with the tag systemtest, and with the URL of a database for [pgtest], that
// is the only one. Each function makes a new store. Nobody waits until files are on the disk.
var Stores = map[string]func(t testing.TB, options *vfs.Options) vfs.Store{
	"memory": func(_ testing.TB, options *vfs.Options) vfs.Store { return local.NewMemoryStore(options) },
	"disk": func(t testing.TB, options *vfs.Options) vfs.Store {
		o := vfs.Options{}
		if options != nil {
			o = *options
		}
		o.NoSync = true
		store, err := local.OpenStore(t.TempDir(), &o)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	},
}

// Open opens a project until the end of the test.
func Open(t testing.TB, store vfs.Store, id string) vfs.Project {
	t.Helper()
	p, err := store.Open(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// Each runs a test on a new project of each kind of store.
func Each(t *testing.T, options *vfs.Options, test func(t *testing.T, p vfs.Project)) {
	for name, open := range Stores {
		t.Run(name, func(t *testing.T) { test(t, Open(t, open(t, options), "project")) })
	}
}

// Read returns the content of a file.
func Read(t testing.TB, files afero.Fs, name string) string {
	t.Helper()
	data, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(data)
}

// Write writes a file, and makes its parents.
func Write(t testing.TB, files afero.Fs, name, text string) {
	t.Helper()
	require.NoError(t, vfs.WriteFile(context.Background(), files, name, []byte(text)))
}

// Hear waits until a watch has told of one project, or of "", and passes over others.
func Hear(t testing.TB, told <-chan string, want string) {
	t.Helper()
	for late := time.After(time.Minute); ; {
		select {
		case id := <-told:
			if id == want {
				return
			}
		case <-late:
			require.FailNow(t, "not told", "%q", want)
		}
	}
}

// Snapshot returns the content of all files, and "directory" for each directory.
func Snapshot(t testing.TB, files afero.Fs) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			all[name] = "directory"
			return err
		}
		all[name] = Read(t, files, name)
		return nil
	}))
	return all
}

// OpenIn opens the project of a store as if nobody in this process had opened it before.
func OpenIn(t testing.TB, dir string, options *vfs.Options) vfs.Project {
	store, err := local.OpenStore(dir, options)
	require.NoError(t, err)
	project, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	return project
}

// Recount finds out by itself what usage should say.
func Recount(files afero.Fs) (found vfs.Usage, err error) {
	err = afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err == nil && name != "/" {
			found.Files++
			if !info.IsDir() {
				found.Bytes += info.Size()
			}
		}
		return err
	})
	return found, err
}

// RequireExactUsage checks what usage says before somebody tidies up, and after that.
func RequireExactUsage(t testing.TB, project vfs.Project) {
	t.Helper()
	for range 2 {
		usage, err := project.Usage(t.Context())
		require.NoError(t, err)
		found, err := Recount(project)
		require.NoError(t, err)
		found.HistoryBytes, found.Quota = usage.HistoryBytes, usage.Quota
		require.Equal(t, found, usage)
		require.NoError(t, project.MkdirAll("/", 0o755)) // takes the lock
	}
}

// RequireWaits checks that the lock cannot be had, and that waiting for it ends with the context.
func RequireWaits(t testing.TB, project vfs.Project) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	err := vfs.Exclusively(ctx, project, func(afero.Fs) error { return errors.New("it has not waited") })
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, vfs.Append(ctx, project, "/waiting", []byte("x")), context.DeadlineExceeded)
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = project.Undo(ctx, "")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// FilesOfTheHost describes all files below a directory: content, and when it was changed.
func FilesOfTheHost(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			content, err = os.ReadFile(name)
		}
		all[name] = fmt.Sprintf("%s %x %s", info.Mode(), content, info.ModTime().Format(time.RFC3339Nano))
		return err
	}))
	return all
}
