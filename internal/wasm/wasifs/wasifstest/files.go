// Package wasifstest has file systems for tests of package wasifs, and of guests that use it.
package wasifstest

import (
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A Kind is a kind of file system that a guest can be given.
type Kind struct {
	Name string
	Make func(t *testing.T) afero.Fs // returns an empty one
}

// Kinds are all of them.
var Kinds = []Kind{
	{"a project in memory", func(t *testing.T) afero.Fs { return InMemory(t, nil) }},
	{"a project in a directory", func(t *testing.T) afero.Fs { return InDirectory(t, t.TempDir()) }},
	{"a view of a project", func(t *testing.T) afero.Fs { return vfs.Sub(InMemory(t, nil), "/sub") }},
	{"a directory without a project", func(t *testing.T) afero.Fs {
		return afero.NewBasePathFs(afero.NewOsFs(), t.TempDir())
	}},
}

// ForEachKind tests one file system of each kind.
func ForEachKind(t *testing.T, test func(t *testing.T, files afero.Fs)) {
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) { test(t, kind.Make(t)) })
	}
}

// InMemory returns an empty project in memory.
func InMemory(t *testing.T, options *vfs.Options) vfs.Project {
	t.Helper()
	store := local.NewMemoryStore(options)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	project, err := store.Open(t.Context(), "project")
	require.NoError(t, err)
	return project
}

// InDirectory returns a project of a directory.
func InDirectory(t *testing.T, dir string) vfs.Project {
	t.Helper()
	project, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, project.Close()) })
	return project
}

// Fill creates some files: hello.txt, docs/a.md, etc/passwd, and an empty directory.
func Fill(t *testing.T, files afero.Fs) {
	t.Helper()
	for _, dir := range []string{"/docs", "/empty", "/etc"} {
		require.NoError(t, files.Mkdir(dir, 0o755))
	}
	for name, content := range map[string]string{
		"/hello.txt":  "hello, world",
		"/docs/a.md":  "# a",
		"/etc/passwd": "the project's own",
	} {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	require.NoError(t, files.Chtimes("/hello.txt", then, then))
}

// Contents maps all files to their contents, and directories to "a directory".
func Contents(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case info.IsDir():
			found[filepath.ToSlash(name)] = "a directory"
			return nil
		}
		content, err := afero.ReadFile(files, name)
		found[filepath.ToSlash(name)] = string(content)
		return err
	}))
	return found
}
