package vfstest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// An opener returns one new project after the other. All are in the same place, which is removed at the end: removing
// each by itself takes more time than all else.
type opener func(t *testing.T) vfs.Project

func inMemory(t *testing.T, options *vfs.Options) opener {
	return inStore(t, local.NewMemoryStore(options))
}

func onDisk(t *testing.T, options *vfs.Options) opener {
	store, err := local.OpenStore(t.TempDir(), options)
	require.NoError(t, err)
	return inStore(t, store)
}

func inStore(t *testing.T, store vfs.Store) opener {
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	n := 0
	return func(t *testing.T) vfs.Project {
		n++
		return closing(t)(store.Open(t.Context(), fmt.Sprint("project", n)))
	}
}

func inDirectory(t *testing.T, options *vfs.Options) opener {
	parent, n := t.TempDir(), 0
	return func(t *testing.T) vfs.Project {
		n++
		dir := filepath.Join(parent, fmt.Sprint("directory", n))
		require.NoError(t, os.Mkdir(dir, 0o700))
		return closing(t)(local.OpenDir(dir, options))
	}
}

func inLayer(t *testing.T, options *vfs.Options) opener {
	parent, n := t.TempDir(), 0
	return func(t *testing.T) vfs.Project {
		n++
		dir := filepath.Join(parent, fmt.Sprint("directory", n))
		require.NoError(t, os.Mkdir(dir, 0o700))
		project, err := local.OpenLayer(dir, dir+".layer", options)
		return closing(t)(project, err)
	}
}

func inDirectoryApart(t *testing.T, options *vfs.Options) opener {
	parent, n := t.TempDir(), 0
	return func(t *testing.T) vfs.Project {
		n++
		dir := filepath.Join(parent, fmt.Sprint("directory", n))
		require.NoError(t, os.Mkdir(dir, 0o700))
		return closing(t)(local.OpenDirApart(dir, dir+".own", options))
	}
}

func closing(t *testing.T) func(project vfs.Project, err error) vfs.Project {
	return func(project vfs.Project, err error) vfs.Project {
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, project.Close()) })
		return project
	}
}

// A view is what a project can be seen through.
type view func(t *testing.T, project vfs.Project) afero.Fs

func itself(_ *testing.T, project vfs.Project) afero.Fs { return project }

func oneCall(_ *testing.T, project vfs.Project) afero.Fs { return project.WithCall("call") }

func subtree(t *testing.T, project vfs.Project) afero.Fs {
	require.NoError(t, project.MkdirAll("/some/dir", 0o755))
	return vfs.Sub(project, "/some/dir")
}

func missingSubtree(_ *testing.T, project vfs.Project) afero.Fs {
	return vfs.Sub(project, "/some/dir")
}

func besideReadOnly(t *testing.T, project vfs.Project) afero.Fs {
	require.NoError(t, afero.WriteFile(project, "file", nil, 0o644))
	return vfs.Sub(vfs.Sub(vfs.ReadOnly(project, "/file", "/some/other"), "some"), "dir")
}

func TestProjects(t *testing.T) {
	without := vfs.HistoryOptions{Off: true}
	for _, test := range []struct {
		name    string
		in      func(t *testing.T, options *vfs.Options) opener
		options vfs.Options
		view    view
	}{
		{"in memory without history", inMemory, vfs.Options{History: without}, itself},
		{"a call in memory", inMemory, vfs.Options{}, oneCall},
		{"a subtree in memory", inMemory, vfs.Options{}, subtree},
		{"a subtree in memory without history", inMemory, vfs.Options{History: without}, subtree},
		{"a subtree that is not there yet", inMemory, vfs.Options{}, missingSubtree},
		{"a subtree beside what is read-only", inMemory, vfs.Options{}, besideReadOnly},
		// On disk things take their time, so each is tried with some of the others.
		{"a subtree on disk without history", onDisk, vfs.Options{History: without, NoSync: true}, subtree},
		{"a layer without history", inLayer, vfs.Options{History: without, NoSync: true}, itself},
		{"a directory with its history apart", inDirectoryApart, vfs.Options{NoSync: true}, itself},
		{"a subtree of a directory", inDirectory, vfs.Options{NoSync: true}, subtree},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			open := test.in(t, &test.options)
			vfstest.TestFs(t, func(t *testing.T) afero.Fs { return test.view(t, open(t)) })
		})
	}
}

func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) vfs.Store{
		"in memory": func(*testing.T) vfs.Store { return local.NewMemoryStore(nil) },
		"on disk": func(t *testing.T) vfs.Store {
			store, err := local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vfstest.TestStore(t, open)
		})
	}
}
