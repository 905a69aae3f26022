package vfstest

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var dirRules = []rule{
	{"Mkdir makes a directory", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Mkdir("dir", 0o755))
		require.NoError(t, files.Mkdir("/dir/sub/", 0o755))
		require.Equal(t, map[string]string{"/dir": "/", "/dir/sub": "/"}, tree(t, files))
	}},
	{"MkdirAll makes all that are missing", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.MkdirAll("a/b/c", 0o755))
		write(t, files, "a/b/file", "content")
		for _, name := range []string{"a", "a/b", "/a/b/c/", "a/b/../b/c", "a/b/d/e"} {
			for range 2 {
				require.NoError(t, files.MkdirAll(name, 0o755), name)
			}
		}
		require.Equal(t, map[string]string{
			"/a": "/", "/a/b": "/", "/a/b/c": "/", "/a/b/d": "/", "/a/b/d/e": "/", "/a/b/file": "content",
		}, tree(t, files))
	}},
	{"what cannot be made is not", func(t *testing.T, files afero.Fs) {
		mkdirFails := func(name, path string, want error) failure {
			return failure{"Mkdir " + name, func(files afero.Fs) error {
				return files.Mkdir(path, 0o755)
			}, want, []string{path}}
		}
		mkdirAllFails := func(name, path string, want error) failure {
			return failure{"MkdirAll " + name, func(files afero.Fs) error {
				return files.MkdirAll(path, 0o755)
			}, want, []string{path}}
		}
		checkFailures(t, files, []failure{
			mkdirFails("where a directory is", "dir", syscall.EEXIST),
			mkdirFails("where an empty directory is", "empty/", syscall.EEXIST),
			mkdirFails("where a file is", "file", syscall.EEXIST),
			mkdirFails("where a file is in a directory", "dir/inside", syscall.EEXIST),
			mkdirFails("in a directory that is not there", "no/new", syscall.ENOENT),
			mkdirFails("two at once", "dir/new/newer", syscall.ENOENT),
			mkdirFails("below a file", "file/new", syscall.ENOTDIR),
			mkdirFails("far below a file", "dir/inside/new/newer", syscall.ENOTDIR),
			mkdirAllFails("where a file is", "file", syscall.ENOTDIR),
			mkdirAllFails("where a file is in a directory", "dir/inside", syscall.ENOTDIR),
			mkdirAllFails("below a file", "file/new", syscall.ENOTDIR),
			mkdirAllFails("far below a file", "dir/inside/new/newer", syscall.ENOTDIR),
		})
	}},
	{"Remove removes a file or an empty directory", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		for _, name := range []string{"file", "empty/", "/dir/inside", "dir", "./other"} {
			require.NoError(t, files.Remove(name))
			fails(t, files.Remove(name), syscall.ENOENT, name)
		}
		require.Empty(t, tree(t, files))
	}},
	{"what cannot be removed is not", func(t *testing.T, files afero.Fs) {
		removeFails := func(name, path string, want error) failure {
			return failure{"Remove " + name, func(files afero.Fs) error {
				return files.Remove(path)
			}, want, []string{path}}
		}
		checkFailures(t, files, []failure{
			removeFails("what is not there", "missing", syscall.ENOENT),
			removeFails("in a directory that is not there", "no/missing", syscall.ENOENT),
			removeFails("below a file", "file/below", syscall.ENOTDIR),
			removeFails("a directory with something in it", "dir", syscall.ENOTEMPTY),
			removeFails("such a directory, spelled otherwise", "./empty/../dir//", syscall.ENOTEMPTY),
		})
	}},
	{"RemoveAll removes a tree", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		mkdir(t, files, "dir/sub/deep")
		put(t, files, "dir/sub/deep/file", "x")
		mkdir(t, files, "dirt")
		for _, name := range []string{"dir", "empty/", "/file"} {
			require.NoError(t, files.RemoveAll(name))
		}
		require.Equal(t, map[string]string{"/other": "another", "/dirt": "/"}, tree(t, files))
	}},
	{"RemoveAll does not mind if there is nothing", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		before := tree(t, files)
		for _, name := range []string{"missing", "no/missing", "dir/missing/"} {
			require.NoError(t, files.RemoveAll(name), name)
		}
		require.Equal(t, before, tree(t, files))
	}},
	{"a name can be used again for something else", func(t *testing.T, files afero.Fs) {
		for range 3 {
			write(t, files, "name", "content")
			require.NoError(t, files.Remove("name"))
			mkdir(t, files, "name/sub")
			put(t, files, "name/file", "content")
			require.NoError(t, files.RemoveAll("name"))
		}
		require.Empty(t, tree(t, files))
	}},
	{"a directory can be removed while it is open", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		f := openFile(t, files, "dir", os.O_RDONLY)
		require.NoError(t, files.Remove("dir"))
		_, _ = f.Readdirnames(-1) // an error or nothing
		closeNow(t, f)
		absent(t, files, "dir")
	}},
	{"trees can be deep", func(t *testing.T, files afero.Fs) {
		deep := strings.Repeat("/d", 20)
		require.NoError(t, files.MkdirAll(deep, 0o755))
		put(t, files, deep+"/file", "content")
		require.Len(t, tree(t, files), 21)
		require.NoError(t, files.Rename("/d", "/e"))
		require.Equal(t, "content", read(t, files, strings.Replace(deep, "d", "e", 1)+"/file"))
		require.NoError(t, files.RemoveAll("/e"))
		require.Empty(t, tree(t, files))
	}},
}
