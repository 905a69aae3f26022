package vfstest

import (
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var ioRules = []rule{
	{"an empty one passes the test of package fstest", func(t *testing.T, files afero.Fs) {
		require.NoError(t, fstest.TestFS(afero.NewIOFS(files)))
	}},
	{"one with files passes the test of package fstest", func(t *testing.T, files afero.Fs) {
		expected := plant(t, files)
		var io fs.FS = afero.NewIOFS(files)
		if runtime.GOOS == "windows" {
			io = opener{io} // afero's Glob and Sub make paths with backslashes there
		}
		require.NoError(t, fstest.TestFS(io, expected...))
	}},
	{"walking it meets every file once, in order", func(t *testing.T, files afero.Fs) {
		expected := plant(t, files)
		var found []string
		require.NoError(t, fs.WalkDir(afero.NewIOFS(files), ".", func(name string, entry fs.DirEntry, err error) error {
			if name != "." {
				found = append(found, name)
			}
			return err
		}))
		// Of names that begin alike the directory's comes before what is in it, whatever the next letter is.
		slices.SortFunc(expected, func(a, b string) int {
			return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
		})
		require.Equal(t, expected, found)
	}},
}

// An opener has the one method that file systems must have, so that everything else is made of it.
type opener struct{ files fs.FS }

func (o opener) Open(name string) (fs.File, error) { return o.files.Open(name) }

// plant makes files and directories of all sorts and returns their names, as package io/fs writes them.
func plant(t *testing.T, files afero.Fs) (names []string) {
	t.Helper()
	planted := map[string]string{
		"empty.txt":                     "",
		"a.txt":                         "alpha",
		"dir/b.txt":                     "beta",
		"dir/b/c.txt":                   "gamma",
		"dir/sub/deep/er/d.txt":         "delta",
		"dir-2/.hidden":                 "seen",
		"with space/and one more .txt":  "blank",
		"été/naïve €😀.txt":              "letters",
		"日本/語":                          "more letters",
		"big.bin":                       strings.Repeat("0123456789abcdef", 1<<12),
		"dir/[brackets]/{braces}-~.txt": "signs",
	}
	all := map[string]bool{"void": true, "dir/void/void": true}
	for _, dir := range []string{"void", "dir/void/void"} {
		mkdir(t, files, dir)
	}
	for name, content := range planted {
		mkdir(t, files, path.Dir(name))
		write(t, files, name, content)
		all[name] = true
	}
	for name := range all {
		for name != "." {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			name = path.Dir(name)
		}
	}
	slices.Sort(names)
	return names
}
