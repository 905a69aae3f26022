package vfstest

import (
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

var renameRules = []rule{
	{"a file gets a new name", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		write(t, files, "a", "content")
		for _, step := range [][2]string{{"a", "b"}, {"b", "dir/c"}, {"dir/c", "dir/d"}, {"dir/d", "a"}} {
			require.NoError(t, files.Rename(step[0], step[1]))
			absent(t, files, step[0])
			require.Equal(t, "content", read(t, files, step[1]))
		}
		require.Equal(t, map[string]string{"/dir": "/", "/a": "content"}, tree(t, files))
	}},
	{"a file replaces a file", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		require.NoError(t, files.Rename("file", "dir/inside"))
		require.NoError(t, files.Rename("dir/inside", "other"))
		require.Equal(t, map[string]string{"/dir": "/", "/empty": "/", "/other": "content"}, tree(t, files))
	}},
	{"a directory gets a new name, with what is in it", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "a/sub/deep")
		mkdir(t, files, "b")
		write(t, files, "a/file", "1")
		write(t, files, "a/sub/file", "2")
		require.NoError(t, files.Rename("a", "b/new"))
		absent(t, files, "a")
		require.Equal(t, map[string]string{
			"/b": "/", "/b/new": "/", "/b/new/file": "1", "/b/new/sub": "/", "/b/new/sub/file": "2",
			"/b/new/sub/deep": "/",
		}, tree(t, files))
		require.NoError(t, files.Rename("b/new/sub", "a"), "the name is free")
		require.Equal(t, map[string]string{
			"/b": "/", "/b/new": "/", "/b/new/file": "1", "/a": "/", "/a/file": "2", "/a/deep": "/",
		}, tree(t, files))
	}},
	{"renaming onto the same name changes nothing", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		before := tree(t, files)
		require.NoError(t, files.Rename("file", "file"))
		require.NoError(t, files.Rename("dir/inside", "/dir/../dir/inside/"))
		_ = files.Rename("dir", "dir") // whether it is EEXIST or nothing is not settled
		require.Equal(t, before, tree(t, files))
	}},
	{"what cannot be renamed is not", func(t *testing.T, files afero.Fs) {
		checkFailures(t, files, renamings([]renaming{
			{"a file onto an empty directory", "file", "empty", syscall.EEXIST},
			{"a file onto a directory", "file", "dir", syscall.EEXIST},
			{"a file onto its own directory", "dir/inside", "dir", syscall.EEXIST},
			{"a directory onto an empty directory", "dir", "empty", syscall.EEXIST},
			{"a directory onto a directory", "empty", "dir", syscall.EEXIST},
			{"a directory onto a file", "dir", "file", syscall.ENOTDIR},
			{"an empty directory onto a file", "empty", "dir/inside", syscall.ENOTDIR},
			{"a directory into itself", "dir", "dir/new", syscall.EINVAL},
			{"a directory into itself, spelled otherwise", "./dir", "empty/..//dir/new", syscall.EINVAL},
			{"a directory onto its own file", "dir", "dir/inside", oneOf{syscall.EINVAL, syscall.ENOTDIR}},
			{"what is not there", "missing", "new", syscall.ENOENT},
			{"what is not there onto itself", "missing", "missing", syscall.ENOENT},
			{"what is not there onto a file", "missing", "file", syscall.ENOENT},
			{"from a directory that is not there", "no/file", "new", syscall.ENOENT},
			{"into a directory that is not there", "file", "no/new", syscall.ENOENT},
			{"a directory into one that is not there", "dir", "no/new", syscall.ENOENT},
			{"from below a file", "file/below", "new", syscall.ENOTDIR},
			{"to below a file", "dir/inside", "file/below", syscall.ENOTDIR},
			{"to below itself", "file", "file/below", syscall.ENOTDIR},
			{"a directory to below a file", "dir", "file/below", syscall.ENOTDIR},
		}))
	}},
	{"names that begin alike are not below each other", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		require.NoError(t, files.Rename("dir", "dir2"))
		mkdir(t, files, "dir")
		require.NoError(t, files.Rename("dir", "dir2/dir"))
		require.NoError(t, files.Rename("dir2/dir", "dir22"))
		require.Equal(t, map[string]string{"/dir2": "/", "/dir22": "/"}, tree(t, files))
	}},
	{"a directory with too much in it is not moved deeper", func(t *testing.T, files afero.Fs) {
		for _, part := range []string{"x", strings.Repeat("x", 250)} {
			// Each is allowed, but both together are not.
			parts := min(vfs.MaxDepth, vfs.MaxPath/len(part))/2 + 1
			from, onto := "/"+part, strings.Repeat("/"+strings.ToUpper(part)[1:]+"y", parts)
			bottom := strings.Repeat("/"+part, parts)
			mkdir(t, files, bottom)
			mkdir(t, files, onto)
			to := onto + "/new"
			fails(t, files.Rename(from, to), syscall.ENAMETOOLONG, from, to)
			require.True(t, stat(t, files, bottom).IsDir())
			require.Empty(t, list(t, files, onto))
		}
	}},
}

// A renaming is one that fails.
type renaming struct {
	name     string
	from, to string
	want     error
}

func renamings(all []renaming) (failures []failure) {
	for _, one := range all {
		failures = append(failures, failure{one.name, func(files afero.Fs) error {
			return files.Rename(one.from, one.to)
		}, one.want, []string{one.from, one.to}})
	}
	return failures
}
