// Package storetest has what the tests of vfs and of the packages below it have in common.
package storetest

import (
	"context"
	"io/fs"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// Stores are the kinds of stores; those in a database are among them if [pgtest.Everywhere] says so. Each function
// makes a new store.
var Stores = map[string]func(t testing.TB, options *vfs.Options) vfs.Store{
	"memory": func(_ testing.TB, options *vfs.Options) vfs.Store { return local.NewMemoryStore(options) },
	"disk": func(t testing.TB, options *vfs.Options) vfs.Store {
		store, err := local.OpenStore(t.TempDir(), options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	},
}

func init() {
	if pgtest.Everywhere() {
		Stores["database"] = OpenDatabase
	}
}

// OpenDatabase makes a store in a database. The tests' TestMain must be [pgtest.Main].
func OpenDatabase(t testing.TB, options *vfs.Options) vfs.Store {
	store, err := postgres.Open(t.Context(), pgtest.URL(t), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// OpenDatabaseAt opens the store at a URL. The caller closes it.
func OpenDatabaseAt(t testing.TB, url string, options *vfs.Options) (vfs.Store, error) {
	return postgres.Open(t.Context(), url, options)
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
