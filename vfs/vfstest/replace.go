package vfstest

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

const replacing = os.O_RDWR | os.O_CREATE | os.O_TRUNC

var replaceRules = []rule{
	{"the old content stays until the handle is closed", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "the old content")
		for _, flag := range []int{
			os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_TRUNC | os.O_CREATE, os.O_RDWR | os.O_TRUNC | os.O_APPEND,
		} {
			write(t, files, "file", "the old content")
			f := openFile(t, files, "file", flag)
			require.Equal(t, "the old content", read(t, files, "file"))
			writeTo(t, f, "new")
			require.Equal(t, "the old content", read(t, files, "file"))
			require.Equal(t, int64(15), stat(t, files, "file").Size())
			require.Equal(t, []string{"file"}, list(t, files, "/"))
			closeNow(t, f)
			require.Equal(t, "new", read(t, files, "file"))
			require.Equal(t, []string{"file"}, list(t, files, "/"))
		}
	}},
	{"a new file appears when the handle is closed", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		f := openFile(t, files, "dir/file", replacing)
		absent(t, files, "dir/file")
		writeTo(t, f, "new")
		absent(t, files, "dir/file")
		require.Empty(t, list(t, files, "dir"))
		require.Equal(t, []string{"dir"}, list(t, files, "/"))
		closeNow(t, f)
		require.Equal(t, map[string]string{"/dir": "/", "/dir/file": "new"}, tree(t, files))
	}},
	{"a new file appears when the handle is synced", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "file", replacing)
		writeTo(t, f, "first")
		absent(t, files, "file")
		require.NoError(t, f.Sync())
		require.Equal(t, "first", read(t, files, "file"))
		require.Equal(t, []string{"file"}, list(t, files, "/"))
	}},
	{"after Sync writes go to the file in place", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "the old content")
		f := openFile(t, files, "file", replacing)
		writeTo(t, f, "first")
		require.NoError(t, f.Sync())
		other := openFile(t, files, "file", os.O_RDWR)
		writeTo(t, f, " second")
		require.Equal(t, "first second", contentOf(t, other))
		require.Equal(t, "first second", read(t, files, "file"))
		writeTo(t, other, "FIRST")
		require.Equal(t, "FIRST second", contentOf(t, f))
		require.NoError(t, f.Truncate(5))
		require.Equal(t, "FIRST", read(t, files, "file"))
		require.NoError(t, f.Sync())
		closeNow(t, f)
		require.Equal(t, "FIRST", read(t, files, "file"))
		writeTo(t, other, "!")
		closeNow(t, other)
		require.Equal(t, "FIRST!", read(t, files, "file"))
	}},
	{"closing without having written leaves an empty file", func(t *testing.T, files afero.Fs) {
		write(t, files, "old", "the old content")
		for _, name := range []string{"old", "new"} {
			closeNow(t, openFile(t, files, name, replacing))
			require.Equal(t, "", read(t, files, name))
		}
	}},
	{"of two handles that replace, the last to be closed wins", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "old")
		one, two := openFile(t, files, "file", replacing), openFile(t, files, "file", replacing)
		writeTo(t, one, "one, and this is rather long")
		writeTo(t, two, "two")
		require.Equal(t, "one, and this is rather long", contentOf(t, one))
		require.Equal(t, "two", contentOf(t, two))
		closeNow(t, one)
		require.Equal(t, "one, and this is rather long", read(t, files, "file"))
		require.Equal(t, "two", contentOf(t, two))
		closeNow(t, two)
		require.Equal(t, "two", read(t, files, "file"))

		one, two = openFile(t, files, "new", replacing), openFile(t, files, "new", replacing)
		writeTo(t, one, "one")
		closeNow(t, two)
		closeNow(t, one)
		require.Equal(t, "one", read(t, files, "new"))
	}},
	{"the handle sees what it has written", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "the old content")
		f := openFile(t, files, "file", replacing)
		require.Equal(t, "", contentOf(t, f))
		writeTo(t, f, "0123456789")
		info, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, "file", info.Name())
		require.Equal(t, int64(10), info.Size())
		require.True(t, info.Mode().IsRegular())
		seek(t, f, 4, io.SeekStart)
		rest, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "456789", string(rest))
		require.NoError(t, f.Truncate(2))
		require.Equal(t, "01", contentOf(t, f))
	}},
	{"who has the old file open goes on reading it", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "the old content")
		reader := openFile(t, files, "file", os.O_RDONLY)
		write(t, files, "file", "new")
		require.Equal(t, "the old content", contentOf(t, reader))
		require.Equal(t, "new", read(t, files, "file"))
	}},
	{"removing the file meanwhile does not matter", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "old")
		f := openFile(t, files, "file", os.O_WRONLY|os.O_TRUNC)
		writeTo(t, f, "new")
		require.NoError(t, files.Remove("file"))
		absent(t, files, "file")
		closeNow(t, f)
		require.Equal(t, "new", read(t, files, "file"))
	}},
	{"others can remove a new file's directory, and closing says so", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir/sub")
		f := openFile(t, files, "dir/sub/file", replacing)
		writeTo(t, f, "new")
		require.NoError(t, files.RemoveAll("dir"))
		fails(t, f.Close(), syscall.ENOENT, "dir/sub/file")
		fails(t, f.Close(), fs.ErrClosed, "dir/sub/file")
		require.Empty(t, tree(t, files))
	}},
	{"nor is it made below a file", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		f := openFile(t, files, "dir/file", replacing)
		require.NoError(t, files.Remove("dir"))
		write(t, files, "dir", "a file now")
		fails(t, f.Close(), syscall.ENOTDIR, "dir/file")
		require.Equal(t, map[string]string{"/dir": "a file now"}, tree(t, files))
	}},
	{"it does not replace a directory that others have made", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "name", replacing)
		mkdir(t, files, "name/inside")
		fails(t, f.Close(), oneOf{syscall.EISDIR, syscall.EEXIST}, "name")
		require.Equal(t, map[string]string{"/name": "/", "/name/inside": "/"}, tree(t, files))
	}},
	{"it is not made beside a name that differs in case", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "name", replacing)
		write(t, files, "NAME", "first")
		conflicts(t, f.Close(), "name", "NAME", "name")
		require.Equal(t, map[string]string{"/NAME": "first"}, tree(t, files))
	}},
	{"Sync says so as well, and nothing has happened", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "name", replacing)
		mkdir(t, files, "name")
		fails(t, f.Sync(), oneOf{syscall.EISDIR, syscall.EEXIST}, "name")
		require.Equal(t, map[string]string{"/name": "/"}, tree(t, files))
	}},
	{"a file that others have made meanwhile is replaced", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "name", replacing)
		writeTo(t, f, "mine")
		write(t, files, "name", "theirs")
		closeNow(t, f)
		require.Equal(t, "mine", read(t, files, "name"))
	}},
}
