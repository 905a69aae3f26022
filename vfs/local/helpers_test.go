package local_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// stores are the kinds of stores, each made anew.
var stores = map[string]func(t *testing.T, options *vfs.Options) vfs.Store{
	"memory": func(_ *testing.T, options *vfs.Options) vfs.Store { return local.NewMemoryStore(options) },
	"disk": func(t *testing.T, options *vfs.Options) vfs.Store {
		store, err := local.OpenStore(t.TempDir(), options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	},
}

func openProject(t *testing.T, store vfs.Store, id string) vfs.Project {
	t.Helper()
	p, err := store.Open(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// forEachStore runs a test on a project of each kind of store.
func forEachStore(t *testing.T, options *vfs.Options, test func(t *testing.T, p vfs.Project)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { test(t, openProject(t, open(t, options), "project")) })
	}
}

func read(t *testing.T, files afero.Fs, name string) string {
	t.Helper()
	data, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(data)
}

func write(t *testing.T, files afero.Fs, name, text string) {
	t.Helper()
	require.NoError(t, vfs.WriteFile(context.Background(), files, name, []byte(text)))
}

// snapshot is all that a file system has: directories, and files with their content.
func snapshot(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			all[name] = "directory"
			return err
		}
		all[name] = read(t, files, name)
		return nil
	}))
	return all
}
