package vfstest

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// gone are ways in which "dir/file" ceases to be what its handles are on.
var gone = []struct {
	name string
	do   func(t *testing.T, files afero.Fs)
}{
	{"removed", func(t *testing.T, files afero.Fs) { require.NoError(t, files.Remove("dir/file")) }},
	{"removed with its directory", func(t *testing.T, files afero.Fs) { require.NoError(t, files.RemoveAll("dir")) }},
	{"removed and made again", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Remove("dir/file"))
		put(t, files, "dir/file", "new")
	}},
	{"replaced", func(t *testing.T, files afero.Fs) { write(t, files, "dir/file", "new") }},
	{"replaced with the same content", func(t *testing.T, files afero.Fs) { write(t, files, "dir/file", "content") }},
	{"replaced by another file", func(t *testing.T, files afero.Fs) {
		write(t, files, "other", "new")
		require.NoError(t, files.Rename("other", "dir/file"))
	}},
	{"replaced by a directory", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Remove("dir/file"))
		mkdir(t, files, "dir/file/inside")
	}},
	{"removed after it was renamed", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Rename("dir/file", "renamed"))
		require.NoError(t, files.Remove("renamed"))
	}},
	{"replaced after its directory was renamed", func(t *testing.T, files afero.Fs) {
		require.NoError(t, files.Rename("dir", "renamed"))
		write(t, files, "renamed/file", "new")
	}},
}

var staleRules = []rule{
	{"what is gone can be read by who has it open, but not written", func(t *testing.T, files afero.Fs) {
		for _, gone := range gone {
			t.Run(gone.name, func(t *testing.T) { checkStale(t, files, gone.do) })
			require.NoError(t, files.RemoveAll("dir"))
			require.NoError(t, files.RemoveAll("renamed"))
		}
	}},
	{"writing goes on under the new name of a file", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		f := openFile(t, files, "dir/old", replacing)
		writeTo(t, f, "content")
		require.NoError(t, f.Sync())
		seek(t, f, 0, io.SeekStart)
		end := openFile(t, files, "dir/old", os.O_WRONLY|os.O_APPEND)
		require.NoError(t, files.Rename("dir/old", "new"))
		writeTo(t, f, "CON")
		writeTo(t, end, "!")
		require.Equal(t, "CONtent!", read(t, files, "new"))

		write(t, files, "dir/old", "another file by the old name")
		writeTo(t, f, "T")
		require.NoError(t, f.Truncate(7))
		require.Equal(t, "CONTent", read(t, files, "new"))
		require.Equal(t, "another file by the old name", read(t, files, "dir/old"))

		require.NoError(t, files.Rename("new", "dir/old"))
		writeTo(t, end, "?")
		require.NoError(t, f.Sync())
		closeNow(t, f)
		closeNow(t, end)
		require.Equal(t, map[string]string{"/dir": "/", "/dir/old": "CONTent?"}, tree(t, files))
	}},
	{"writing goes on when the case of the name has changed", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		f := openFile(t, files, "file", os.O_RDWR)
		require.NoError(t, files.Rename("file", "FILE"))
		writeTo(t, f, "CON")
		closeNow(t, f)
		require.Equal(t, "CONtent", read(t, files, "FILE"))
	}},
	{"writing goes on under the new name of a directory", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir/sub")
		mkdir(t, files, "dirt")
		write(t, files, "dir/sub/file", "content")
		write(t, files, "dirt/file", "content")
		f, other := openFile(t, files, "dir/sub/file", os.O_RDWR), openFile(t, files, "dirt/file", os.O_RDWR)
		require.NoError(t, files.Rename("dir", "moved"))
		writeTo(t, f, "CON")
		writeTo(t, other, "con")
		require.Equal(t, "CONtent", read(t, files, "moved/sub/file"))
		require.NoError(t, files.Rename("moved/sub", "dirt/sub"))
		writeTo(t, f, "T")
		writeTo(t, other, "T")
		require.Equal(t, map[string]string{
			"/moved": "/", "/dirt": "/", "/dirt/file": "conTent", "/dirt/sub": "/", "/dirt/sub/file": "CONTent",
		}, tree(t, files))
	}},
	{"renaming a file onto itself leaves its handles", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		f := openFile(t, files, "file", os.O_RDWR)
		require.NoError(t, files.Rename("file", "./file"))
		writeTo(t, f, "CON")
		require.Equal(t, "CONtent", read(t, files, "file"))
	}},
}

// checkStale opens "dir/file" in all ways, makes it go and sees what its handles can still do.
func checkStale(t *testing.T, files afero.Fs, do func(t *testing.T, files afero.Fs)) {
	const name = "./dir/file"
	mkdir(t, files, "dir")
	synced := openFile(t, files, name, replacing)
	writeTo(t, synced, "old")
	require.NoError(t, synced.Sync())
	reader, writer := openFile(t, files, name, os.O_RDONLY), openFile(t, files, name, os.O_RDWR)
	end, unused := openFile(t, files, name, os.O_WRONLY|os.O_APPEND), openFile(t, files, name, os.O_RDWR)
	writeTo(t, writer, "content")
	do(t, files)
	before := tree(t, files)

	for _, f := range []afero.File{writer, end, synced} {
		_, err := f.Write([]byte("x"))
		fails(t, err, syscall.ESTALE, name)
		_, err = f.WriteString("x")
		fails(t, err, syscall.ESTALE, name)
		fails(t, f.Truncate(0), syscall.ESTALE, name)
		fails(t, f.Truncate(100), syscall.ESTALE, name)
	}
	_, err := writer.WriteAt([]byte("x"), 0)
	fails(t, err, syscall.ESTALE, name)
	for _, f := range []afero.File{reader, writer, synced, unused} {
		require.Equal(t, "content", contentOf(t, f))
		info, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, "file", info.Name())
		require.Equal(t, name, f.Name())
	}
	for _, f := range []afero.File{reader, writer, end, synced, unused} {
		closeNow(t, f)
	}
	require.Equal(t, before, tree(t, files))
}
