package vfstest

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

var flagRules = []rule{
	{"each combination opens what it should", func(t *testing.T, files afero.Fs) {
		mkdir(t, files, "dir")
		write(t, files, "file", "content")
		for i, flag := range flags() {
			t.Run(flagNames(flag), func(t *testing.T) { checkFlag(t, files, flag, i) })
		}
		require.Equal(t, "content", read(t, files, "file"))
		require.Empty(t, list(t, files, "dir"))
	}},
	{"what makes no sense is invalid", func(t *testing.T, files afero.Fs) {
		var failures []failure
		for name, flag := range map[string]int{
			"O_WRONLY and O_RDWR":           os.O_WRONLY | os.O_RDWR,
			"O_WRONLY, O_RDWR and O_CREATE": os.O_WRONLY | os.O_RDWR | os.O_CREATE,
			"O_TRUNC for reading":           os.O_RDONLY | os.O_TRUNC,
			"O_TRUNC for a new file":        os.O_RDONLY | os.O_TRUNC | os.O_CREATE,
			"an unknown flag":               os.O_RDONLY | 1<<30,
			"an unknown flag for writing":   os.O_RDWR | os.O_CREATE | 1<<29,
			"a negative number":             -1,
		} {
			for _, path := range []string{"file", "missing", "dir"} {
				failures = append(failures, failure{name + " with " + path, func(files afero.Fs) error {
					return opened(files.OpenFile(path, flag, 0o644))
				}, syscall.EINVAL, []string{path}})
			}
		}
		checkFailures(t, files, failures)
	}},
	{"O_RDONLY with O_CREATE makes an empty file at once", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "new", os.O_RDONLY|os.O_CREATE)
		require.Equal(t, int64(0), stat(t, files, "new").Size())
		n, err := f.Read(make([]byte, 1))
		require.Equal(t, 0, n)
		require.Equal(t, io.EOF, err)
		_, err = f.Write([]byte("x"))
		fails(t, err, wrongWay, "new")
		closeNow(t, f)
		require.Equal(t, "", read(t, files, "new"))
	}},
	{"O_EXCL makes the file at once, even with O_TRUNC", func(t *testing.T, files afero.Fs) {
		for i, flag := range []int{
			os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_TRUNC | os.O_APPEND,
		} {
			name := "new" + strconv.Itoa(i)
			f := openFile(t, files, name, flag|os.O_CREATE|os.O_EXCL)
			require.Equal(t, int64(0), stat(t, files, name).Size())
			writeTo(t, f, "seen")
			require.Equal(t, "seen", read(t, files, name))
			closeNow(t, f)
			fails(t, opened(files.OpenFile(name, flag|os.O_CREATE|os.O_EXCL, 0o644)), syscall.EEXIST, name)
			require.Equal(t, "seen", read(t, files, name))
		}
	}},
	{"O_SYNC changes nothing that one can see", func(t *testing.T, files afero.Fs) {
		f := openFile(t, files, "file", os.O_RDWR|os.O_CREATE|os.O_SYNC)
		writeTo(t, f, "content")
		require.Equal(t, "content", read(t, files, "file"))
		closeNow(t, f)
		require.Equal(t, "content", read(t, files, "file"))
	}},
	{"Create replaces, for reading and writing", func(t *testing.T, files afero.Fs) {
		write(t, files, "file", "a long old content")
		f, err := files.Create("file")
		require.NoError(t, err)
		writeTo(t, f, "new")
		seek(t, f, 0, io.SeekStart)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "new", string(content))
		require.Equal(t, "a long old content", read(t, files, "file"))
		closeNow(t, f)
		require.Equal(t, "new", read(t, files, "file"))
	}},
}

// flags returns all combinations of flags that make sense.
func flags() (all []int) {
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		for _, create := range []int{0, os.O_CREATE, os.O_CREATE | os.O_EXCL} {
			for _, how := range []int{0, os.O_APPEND, os.O_TRUNC, os.O_APPEND | os.O_TRUNC} {
				if access != os.O_RDONLY || how == 0 {
					all = append(all, access|create|how)
				}
			}
		}
	}
	return all
}

// checkFlag opens with the flags whatever a path can lead to. i makes names that nobody else has used.
func checkFlag(t *testing.T, files afero.Fs, flag, i int) {
	create, exclusive := flag&os.O_CREATE != 0, flag&os.O_EXCL != 0
	open := func(name string) (afero.File, error) { return files.OpenFile(name, flag, 0o644) }
	t.Run("a file", func(t *testing.T) {
		name := "existing" + strconv.Itoa(i)
		put(t, files, name, "0123456789")
		f, err := open(name)
		if exclusive {
			fails(t, opened(f, err), syscall.EEXIST, name)
			require.Equal(t, "0123456789", read(t, files, name))
			return
		}
		require.NoError(t, err)
		checkOpened(t, files, f, flag, "0123456789")
	})
	t.Run("nothing", func(t *testing.T) {
		name := "missing" + strconv.Itoa(i)
		f, err := open(name)
		if !create {
			fails(t, opened(f, err), syscall.ENOENT, name)
			absent(t, files, name)
			return
		}
		require.NoError(t, err)
		checkOpened(t, files, f, flag, "")
	})
	t.Run("a directory", func(t *testing.T) {
		f, err := open("dir")
		switch {
		case exclusive:
			fails(t, opened(f, err), oneOf{syscall.EEXIST, syscall.EISDIR}, "dir")
		case create || access(flag) != os.O_RDONLY:
			fails(t, opened(f, err), syscall.EISDIR, "dir")
		default:
			require.NoError(t, opened(f, err))
		}
		require.True(t, stat(t, files, "dir").IsDir())
	})
	t.Run("below a file", func(t *testing.T) {
		fails(t, opened(open("file/below")), syscall.ENOTDIR, "file/below")
		fails(t, opened(open("file/further/below")), syscall.ENOTDIR, "file/further/below")
	})
	t.Run("in a directory that is not there", func(t *testing.T) {
		fails(t, opened(open("no/file")), syscall.ENOENT, "no/file")
		absent(t, files, "no")
	})
}

// checkOpened checks what can be done with a file that was opened with the flags, and what becomes of its content.
func checkOpened(t *testing.T, files afero.Fs, f afero.File, flag int, before string) {
	t.Helper()
	name, want := f.Name(), before
	if flag&os.O_TRUNC != 0 {
		want = ""
	}
	buf := make([]byte, 100)
	n, err := f.Read(buf)
	switch {
	case access(flag) == os.O_WRONLY:
		fails(t, err, wrongWay, name)
		_, err = f.ReadAt(buf, 0)
		fails(t, err, wrongWay, name)
	case want == "":
		require.Equal(t, io.EOF, err)
	default:
		require.NoError(t, err)
	}
	if access(flag) != os.O_WRONLY {
		require.Equal(t, want, string(buf[:n]))
	}
	seek(t, f, 0, io.SeekStart)

	n, err = f.Write([]byte("ab"))
	switch {
	case access(flag) == os.O_RDONLY:
		fails(t, err, wrongWay, name)
		_, err = f.WriteString("ab")
		fails(t, err, wrongWay, name)
		_, err = f.WriteAt([]byte("ab"), 0)
		fails(t, err, wrongWay, name)
		// POSIX has EINVAL for this.
		fails(t, f.Truncate(0), append(oneOf{syscall.EINVAL}, wrongWay...), name)
	case flag&os.O_APPEND != 0:
		want += "ab"
	default:
		want = "ab" + strings.TrimPrefix(want, "01")
	}
	if access(flag) != os.O_RDONLY {
		require.NoError(t, err)
		require.Equal(t, 2, n)
	}
	closeNow(t, f)
	require.Equal(t, want, read(t, files, name))
}
