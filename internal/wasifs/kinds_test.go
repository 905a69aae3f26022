package wasifs_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasifs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// Short names for tables.
type (
	FS    = *wasifs.FS
	File  = wasifs.File
	Errno = wasifs.Errno
)

// A kind is a kind of file system with which the adapter is tested.
type kind struct {
	name string
	make func(t *testing.T) afero.Fs
}

var kinds = []kind{
	{"a project in memory", func(t *testing.T) afero.Fs { return inMemory(t, nil) }},
	{"a project in a directory", func(t *testing.T) afero.Fs { return inDirectory(t, t.TempDir()) }},
	{"a view of a project", func(t *testing.T) afero.Fs { return vfs.Sub(inMemory(t, nil), "/sub") }},
	{"a directory without a project", func(t *testing.T) afero.Fs {
		return afero.NewBasePathFs(afero.NewOsFs(), t.TempDir())
	}},
}

func inMemory(t *testing.T, options *vfs.Options) vfs.Project {
	t.Helper()
	store := local.NewMemoryStore(options)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	project, err := store.Open(t.Context(), "project")
	require.NoError(t, err)
	return project
}

func inDirectory(t *testing.T, dir string) vfs.Project {
	t.Helper()
	project, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, project.Close()) })
	return project
}

func forEachKind(t *testing.T, test func(t *testing.T, files afero.Fs)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.make(t)) })
	}
}
