package vfstest_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// projects are the ways to have one.
var projects = map[string]func(t *testing.T, options *vfs.Options) *vfs.Project{
	"memory": func(t *testing.T, options *vfs.Options) *vfs.Project {
		return inStore(t, vfs.NewMemoryStore(options))
	},
	"store": func(t *testing.T, options *vfs.Options) *vfs.Project {
		store, err := vfs.OpenStore(t.TempDir(), options)
		require.NoError(t, err)
		return inStore(t, store)
	},
	"directory": func(t *testing.T, options *vfs.Options) *vfs.Project {
		project, err := vfs.OpenDir(t.TempDir(), options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, project.Close()) })
		return project
	},
}

func inStore(t *testing.T, store *vfs.Store) *vfs.Project {
	project, err := store.Open("project")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, project.Close())
		require.NoError(t, store.Close())
	})
	return project
}

// views are what a project can be seen through.
var views = map[string]func(t *testing.T, project *vfs.Project) afero.Fs{
	"itself":   func(t *testing.T, project *vfs.Project) afero.Fs { return project },
	"one call": func(t *testing.T, project *vfs.Project) afero.Fs { return project.WithCall("call") },
	"a directory": func(t *testing.T, project *vfs.Project) afero.Fs {
		require.NoError(t, project.MkdirAll("/some/dir", 0o755))
		return vfs.Sub(project, "/some/dir")
	},
	"a directory that is not there yet": func(t *testing.T, project *vfs.Project) afero.Fs {
		return vfs.Sub(project, "/some/dir")
	},
	"a directory beside what is read-only": func(t *testing.T, project *vfs.Project) afero.Fs {
		require.NoError(t, afero.WriteFile(project, "file", nil, 0o644))
		return vfs.Sub(vfs.Sub(vfs.ReadOnly(project, "/file", "/some/other"), "some"), "dir")
	},
}

var (
	withHistory    = vfs.HistoryOptions{}
	withoutHistory = vfs.HistoryOptions{Off: true}
)

// Everything is tried in memory.
func TestMemory(t *testing.T) {
	for name := range views {
		t.Run(name+"/with history", func(t *testing.T) { check(t, "memory", name, vfs.Options{History: withHistory}) })
		t.Run(name+"/without history", func(t *testing.T) { check(t, "memory", name, vfs.Options{History: withoutHistory}) })
	}
}

// On disk things take their time, so each kind of project, each view and each option is tried with one or two of the others.
func TestStore(t *testing.T) {
	t.Run("itself/with history", func(t *testing.T) { check(t, "store", "itself", vfs.Options{History: withHistory}) })
	t.Run("a directory/without history", func(t *testing.T) {
		check(t, "store", "a directory", vfs.Options{History: withoutHistory, NoSync: true})
	})
}

func TestDirectory(t *testing.T) {
	t.Run("itself/without history", func(t *testing.T) {
		check(t, "directory", "itself", vfs.Options{History: withoutHistory, NoSync: true})
	})
	t.Run("a directory/with history", func(t *testing.T) {
		check(t, "directory", "a directory", vfs.Options{History: withHistory, NoSync: true})
	})
}

func check(t *testing.T, project, view string, options vfs.Options) {
	t.Parallel()
	vfstest.TestFs(t, func(t *testing.T) afero.Fs { return views[view](t, projects[project](t, &options)) })
}
