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

var closedRules = []rule{
	{"nothing works on a closed handle", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		mkdir(t, files, "dir")
		for _, kind := range []struct {
			what, path string
			flag       int
		}{
			{"a file for reading", "./file", os.O_RDONLY},
			{"a file for writing", "./file", os.O_WRONLY},
			{"a file for both", "./file", os.O_RDWR},
			{"a file for appending", "./file", os.O_RDWR | os.O_APPEND},
			{"a file that was replaced", "./file", os.O_RDWR | os.O_TRUNC},
			{"a new file", "./new", os.O_RDWR | os.O_CREATE | os.O_TRUNC},
			{"a new file that was made at once", "./exclusive", os.O_RDWR | os.O_CREATE | os.O_EXCL},
			{"a directory", "dir/", os.O_RDONLY},
		} {
			t.Run(kind.what, func(t *testing.T) {
				f := openFile(t, files, kind.path, kind.flag)
				closeNow(t, f)
				before := tree(t, files)
				checkClosed(t, f)
				require.Equal(t, kind.path, f.Name(), "the name is still known")
				require.Equal(t, before, tree(t, files))
			})
		}
	}},
	{"closing twice does not replace twice", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "file", replacing)
		writeTo(t, f, "first")
		closeNow(t, f)
		write(t, files, "file", "second")
		fails(t, f.Close(), fs.ErrClosed, "file")
		require.Equal(t, "second", read(t, files, "file"))
	}},
	{"closing one handle leaves the others", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "content")
		one, two, anew := openFile(t, files, "file", os.O_RDWR), openFile(t, files, "file", os.O_RDWR),
			openFile(t, files, "new", replacing)
		closeNow(t, one)
		writeTo(t, two, "CON")
		writeTo(t, anew, "new")
		require.Equal(t, "CONtent", contentOf(t, two))
		closeNow(t, two)
		require.Equal(t, "new", contentOf(t, anew))
	}},
	{"closing is no error where nothing has been written", func(t *testing.T, files afero.Fs) {
		populate(t, files)
		before := tree(t, files)
		for _, flag := range []int{
			os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_CREATE,
		} {
			f := openFile(t, files, "file", flag)
			require.NoError(t, f.Sync())
			closeNow(t, f)
		}
		require.Equal(t, before, tree(t, files))
	}},
}

// checkClosed tries everything with a closed handle.
func checkClosed(t *testing.T, f afero.File) {
	buf := make([]byte, 1)
	for _, attempt := range []struct {
		what string
		do   func() error
	}{
		{"Read", func() error { _, err := f.Read(buf); return err }},
		{"ReadAt", func() error { _, err := f.ReadAt(buf, 0); return err }},
		{"Write", func() error { _, err := f.Write(buf); return err }},
		{"WriteAt", func() error { _, err := f.WriteAt(buf, 0); return err }},
		{"WriteString", func() error { _, err := f.WriteString("x"); return err }},
		{"Seek", func() error { _, err := f.Seek(0, io.SeekStart); return err }},
		{"Truncate", func() error { return f.Truncate(0) }},
		{"Sync", func() error { return f.Sync() }},
		{"Stat", func() error { _, err := f.Stat(); return err }},
		{"Close", func() error { return f.Close() }},
		{"Close once more", func() error { return f.Close() }},
	} {
		t.Run(attempt.what, func(t *testing.T) { fails(t, attempt.do(), fs.ErrClosed, f.Name()) })
	}
	// That a file is no directory is true even if it is closed.
	listing := oneOf{fs.ErrClosed, syscall.ENOTDIR}
	_, err := f.Readdir(-1)
	fails(t, err, listing, f.Name())
	_, err = f.Readdirnames(1)
	fails(t, err, listing, f.Name())
}
