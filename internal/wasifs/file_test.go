package wasifs_test

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/toolrun/toolrun/internal/wasifs"
	"github.com/toolrun/toolrun/vfs"
)

// open opens a file, which must succeed.
func open(t *testing.T, s sys.FS, name string, flag sys.Oflag) sys.File {
	t.Helper()
	f, errno := s.OpenFile(name, flag, 0o644)
	require.Zero(t, errno)
	t.Cleanup(func() { require.Zero(t, f.Close()) })
	return f
}

func content(t *testing.T, files afero.Fs, name string) string {
	t.Helper()
	b, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(b)
}

// TestErrorsOfOpenFiles opens /f, which contains "0123456789".
func TestErrorsOfOpenFiles(t *testing.T) {
	buf := make([]byte, 4)
	const most = math.MaxInt64
	tests := []struct {
		name string
		flag sys.Oflag
		do   func(f sys.File) sys.Errno
		want sys.Errno
	}{
		{"reading", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Read(buf)) }, 0},
		{"reading nothing", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Read(nil)) }, 0},
		{"reading what is open for writing", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Read(buf)) }, sys.EBADF},
		{"reading nothing of that", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Read(nil)) }, sys.EBADF},
		{"reading there", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pread(buf, 2)) }, 0},
		{"reading nothing there", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pread(nil, 2)) }, 0},
		{"reading before the beginning", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pread(buf, -1)) }, sys.EINVAL},
		{"reading nothing before the beginning", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Pread(nil, -1))
		}, sys.EINVAL},
		{"reading far behind the end", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pread(buf, 1<<62)) }, 0},
		{"reading beyond all positions", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Pread(buf, most))
		}, sys.EINVAL},
		{"reading what is open for writing, there", sys.O_WRONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Pread(buf, 0))
		}, sys.EBADF},

		{"writing", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Write(buf)) }, 0},
		{"writing nothing", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Write(nil)) }, 0},
		{"writing to what is open for reading", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Write(buf)) }, sys.EBADF},
		{"writing nothing to that", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Write(nil)) }, sys.EBADF},
		{"writing to what is emptied for reading", sys.O_RDONLY | sys.O_TRUNC, func(f sys.File) sys.Errno {
			return errnoOf(f.Write(buf))
		}, sys.EBADF},
		{"writing to what appends for reading", sys.O_RDONLY | sys.O_APPEND, func(f sys.File) sys.Errno {
			return errnoOf(f.Write(buf))
		}, sys.EBADF},
		{"writing there", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pwrite(buf, 2)) }, 0},
		{"writing there to what appends", sys.O_WRONLY | sys.O_APPEND, func(f sys.File) sys.Errno {
			return errnoOf(f.Pwrite(buf, 2))
		}, 0},
		{"writing nothing there", sys.O_WRONLY, func(f sys.File) sys.Errno { return errnoOf(f.Pwrite(nil, 2)) }, 0},
		{"writing before the beginning", sys.O_RDWR, func(f sys.File) sys.Errno { return errnoOf(f.Pwrite(buf, -1)) }, sys.EINVAL},
		{"writing beyond all positions", sys.O_RDWR, func(f sys.File) sys.Errno {
			return errnoOf(f.Pwrite(buf, most-1))
		}, sys.EINVAL},
		{"writing there to what is open for reading", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Pwrite(buf, 0))
		}, sys.EBADF},

		{"seeking", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(4, io.SeekStart)) }, 0},
		{"seeking behind the end", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(1<<40, io.SeekEnd)) }, 0},
		{"seeking to the last position", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(most, io.SeekStart)) }, 0},
		{"seeking beyond it", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(most, io.SeekEnd)) }, sys.EINVAL},
		{"seeking before the beginning", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Seek(-1, io.SeekStart))
		}, sys.EINVAL},
		{"seeking back from the beginning", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Seek(-1, io.SeekCurrent))
		}, sys.EINVAL},
		{"seeking too far back from the end", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Seek(-11, io.SeekEnd))
		}, sys.EINVAL},
		{"seeking back as far as numbers go", sys.O_RDONLY, func(f sys.File) sys.Errno {
			return errnoOf(f.Seek(math.MinInt64, io.SeekEnd))
		}, sys.EINVAL},
		{"seeking from nowhere", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(0, 3)) }, sys.EINVAL},
		{"seeking from less than nowhere", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Seek(0, -1)) }, sys.EINVAL},

		{"truncating", sys.O_RDWR, func(f sys.File) sys.Errno { return f.Truncate(3) }, 0},
		{"truncating what appends", sys.O_RDWR | sys.O_APPEND, func(f sys.File) sys.Errno { return f.Truncate(3) }, 0},
		{"truncating to less than nothing", sys.O_RDWR, func(f sys.File) sys.Errno { return f.Truncate(-1) }, sys.EINVAL},
		{"truncating what is open for reading", sys.O_RDONLY, func(f sys.File) sys.Errno { return f.Truncate(3) }, sys.EINVAL},
		{"truncating what is emptied for reading", sys.O_RDONLY | sys.O_TRUNC, func(f sys.File) sys.Errno {
			return f.Truncate(3)
		}, sys.EINVAL},

		{"listing", sys.O_RDONLY, func(f sys.File) sys.Errno { return errnoOf(f.Readdir(-1)) }, sys.EBADF},
		{"syncing", sys.O_RDWR, sys.File.Sync, 0},
		{"syncing what is open for reading", sys.O_RDONLY, sys.File.Sync, 0},
		{"syncing the data", sys.O_WRONLY, sys.File.Datasync, 0},
		{"setting times", sys.O_RDONLY, func(f sys.File) sys.Errno { return f.Utimens(1, 2) }, 0},
		{"appending from now on", sys.O_RDWR, func(f sys.File) sys.Errno { return f.SetAppend(true) }, 0},
		{"appending no longer", sys.O_WRONLY | sys.O_APPEND, func(f sys.File) sys.Errno { return f.SetAppend(false) }, 0},
		{"appending to what is open for reading", sys.O_RDONLY, func(f sys.File) sys.Errno { return f.SetAppend(true) }, 0},
	}
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		s := wasifs.New(files)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				require.NoError(t, afero.WriteFile(files, "/f", []byte("0123456789"), 0o644))
				require.Equal(t, test.want.Error(), test.do(open(t, s, "f", test.flag)).Error())
			})
		}
	})
}

func TestClosedFilesAndDirectoriesAreOfNoUse(t *testing.T) {
	buf := make([]byte, 4)
	files := inMemory(t, nil)
	fill(t, files)
	s := wasifs.New(files)
	for _, name := range []string{"hello.txt", "docs", "."} {
		flag := sys.O_RDWR
		if name != "hello.txt" {
			flag = sys.O_RDONLY
		}
		f, errno := s.OpenFile(name, flag, 0)
		require.Zero(t, errno)
		require.Zero(t, f.Close())
		require.Zero(t, f.Close(), "closing again does nothing")
		for what, errno := range map[string]sys.Errno{
			"stat":       errnoOf(f.Stat()),
			"read":       errnoOf(f.Read(buf)),
			"pread":      errnoOf(f.Pread(buf, 0)),
			"seek":       errnoOf(f.Seek(0, io.SeekStart)),
			"readdir":    errnoOf(f.Readdir(-1)),
			"write":      errnoOf(f.Write(buf)),
			"pwrite":     errnoOf(f.Pwrite(buf, 0)),
			"truncate":   f.Truncate(0),
			"sync":       f.Sync(),
			"datasync":   f.Datasync(),
			"utimens":    f.Utimens(1, 1),
			"set append": f.SetAppend(true),
		} {
			require.Equal(t, sys.EBADF, errno, "%s of %s", what, name)
		}
	}
	require.Equal(t, "hello, world", content(t, files, "/hello.txt"))
}

func TestReadingAndWritingMoveOn(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		f := open(t, wasifs.New(files), "f", sys.O_RDWR|sys.O_CREAT)
		require.Equal(t, 10, must(f.Write([]byte("0123456789"))))
		require.Equal(t, 2, must(f.Pwrite([]byte("ab"), 4)), "which does not")
		require.EqualValues(t, 10, must(f.Seek(0, io.SeekCurrent)))
		require.EqualValues(t, 3, must(f.Seek(-7, io.SeekCurrent)))
		buf := make([]byte, 4)
		require.Equal(t, 4, must(f.Read(buf)))
		require.Equal(t, "3ab6", string(buf))
		require.Equal(t, 2, must(f.Pread(buf[:2], 0)), "which does not")
		require.Equal(t, "01", string(buf[:2]))
		require.Equal(t, 3, must(f.Read(buf)), "what is left")
		require.Equal(t, 0, must(f.Read(buf)), "the end")
		require.EqualValues(t, 12, must(f.Seek(2, io.SeekEnd)))
		require.Equal(t, 0, must(f.Read(buf)), "behind the end")
		require.Equal(t, 1, must(f.Write([]byte("x"))))
		require.Equal(t, "0123ab6789\x00\x00x", content(t, files, "/f"))
		require.Zero(t, f.Truncate(3))
		require.EqualValues(t, 13, must(f.Seek(0, io.SeekCurrent)), "truncating leaves the position")
		require.EqualValues(t, 3, must(f.Stat()).Size)
	})
}

func TestChangesAreVisibleAtOnce(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		fill(t, files)
		s := wasifs.New(files)
		for _, flag := range []sys.Oflag{
			sys.O_RDWR | sys.O_TRUNC, sys.O_WRONLY | sys.O_CREAT | sys.O_TRUNC, sys.O_WRONLY | sys.O_APPEND | sys.O_TRUNC,
			sys.O_RDWR | sys.O_TRUNC | sys.O_SYNC, sys.O_RDWR | sys.O_TRUNC | sys.O_DSYNC,
		} {
			f := open(t, s, "hello.txt", flag)
			require.Empty(t, content(t, files, "/hello.txt"))
			require.Equal(t, 5, must(f.Write([]byte("bytes"))))
			require.Equal(t, "bytes", content(t, files, "/hello.txt"))
			require.Zero(t, f.Close())
		}
		open(t, s, "hello.txt", sys.O_TRUNC)
		require.Empty(t, content(t, files, "/hello.txt"), "even if the file is opened for reading")
		open(t, s, "new", sys.O_WRONLY|sys.O_CREAT|sys.O_EXCL|sys.O_TRUNC)
		require.Empty(t, content(t, files, "/new"))
	})
}

func TestSizesThatNoFileHas(t *testing.T) {
	for _, kind := range kinds {
		if kind.name == "a directory without a project" {
			continue // the host decides
		}
		t.Run(kind.name, func(t *testing.T) {
			files := kind.make(t)
			fill(t, files)
			f := open(t, wasifs.New(files), "hello.txt", sys.O_RDWR)
			for _, size := range []int64{1 << 40, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
				require.Equal(t, sys.EIO, f.Truncate(size))
				require.Equal(t, sys.EIO, errnoOf(f.Pwrite([]byte("x"), size-1)))
				require.Equal(t, size, must(f.Seek(size, io.SeekStart)))
				require.NotZero(t, errnoOf(f.Write([]byte("x"))))
				require.Zero(t, must(f.Read(nil)))
			}
			require.Equal(t, "hello, world", content(t, files, "/hello.txt"))
		})
	}
}

func TestQuotas(t *testing.T) {
	files := inMemory(t, &vfs.Options{Quota: vfs.Quota{Bytes: 10, Files: 2}})
	s := wasifs.New(files)
	f := open(t, s, "f", sys.O_RDWR|sys.O_CREAT)
	require.Equal(t, 8, must(f.Write([]byte("01234567"))))
	n, errno := f.Write([]byte("89a"))
	require.Zero(t, n)
	require.Equal(t, sys.EIO, errno)
	require.Equal(t, 2, must(f.Write([]byte("89"))), "the position is where it was")
	require.Equal(t, "0123456789", content(t, files, "/f"))
	require.Zero(t, s.Mkdir("d", 0o755))
	require.Equal(t, sys.EIO, s.Mkdir("e", 0o755))
	require.Equal(t, sys.EIO, opening(s, "g", sys.O_RDWR|sys.O_CREAT))
}

// TestAppendingGetsInNobodysWay appends from the start with half of the handles, and later with the others.
func TestAppendingGetsInNobodysWay(t *testing.T) {
	const writers, lines = 8, 40
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		var wait sync.WaitGroup
		for i := range writers {
			flag := sys.O_WRONLY | sys.O_CREAT
			if i%2 == 0 {
				flag |= sys.O_APPEND
			}
			f := open(t, wasifs.New(files), "log", flag)
			if i%2 == 1 {
				require.Zero(t, f.SetAppend(true))
			}
			require.True(t, f.IsAppend())
			wait.Go(func() {
				for line := range lines {
					_, _ = f.Write(fmt.Appendf(nil, "%d %d\n", i, line))
				}
			})
		}
		wait.Wait()
		next := [writers]int{}
		for line := range strings.Lines(content(t, files, "/log")) {
			var i, n int
			_, err := fmt.Sscanf(line, "%d %d\n", &i, &n)
			require.NoError(t, err, line)
			require.Equal(t, next[i], n)
			next[i]++
		}
		for _, n := range next {
			require.Equal(t, lines, n)
		}
	})
}

func TestAppendingCanBeTurnedOnAndOff(t *testing.T) {
	forEachKind(t, func(t *testing.T, files afero.Fs) {
		require.NoError(t, afero.WriteFile(files, "/f", []byte("0123456789"), 0o644))
		f := open(t, wasifs.New(files), "f", sys.O_RDWR)
		require.False(t, f.IsAppend())
		must(f.Write([]byte("a")))
		require.Zero(t, f.SetAppend(true))
		require.True(t, f.IsAppend())
		must(f.Write([]byte("b")))
		require.EqualValues(t, 11, must(f.Seek(0, io.SeekCurrent)), "appending goes on from the end")
		must(f.Seek(2, io.SeekStart))
		buf := make([]byte, 1)
		must(f.Read(buf))
		require.Equal(t, "2", string(buf), "reading does not")
		must(f.Write([]byte("c")))
		must(f.Pwrite([]byte("d"), 4))
		require.Zero(t, f.SetAppend(false))
		require.False(t, f.IsAppend())
		must(f.Seek(6, io.SeekStart))
		must(f.Write([]byte("e")))
		require.Zero(t, f.Sync())
		require.Equal(t, "a123d5e789bc", content(t, files, "/f"))
	})
}

func TestFilesThatSomebodyElseMovesOrRemoves(t *testing.T) {
	project := inMemory(t, nil)
	fill(t, project)
	s := wasifs.New(project)

	f := open(t, s, "hello.txt", sys.O_RDWR)
	require.NoError(t, project.Rename("/hello.txt", "/moved.txt"))
	require.Equal(t, 4, must(f.Write([]byte("HELL"))))
	require.Equal(t, "HELLo, world", content(t, project, "/moved.txt"))
	require.Equal(t, sys.ENOENT, f.SetAppend(true))
	require.False(t, f.IsAppend())
	require.Equal(t, sys.ENOENT, f.Utimens(1, 1))

	require.NoError(t, afero.WriteFile(project, "/moved.txt", []byte("replaced"), 0o644))
	require.Equal(t, sys.EBADF, errnoOf(f.Write([]byte("x"))))
	buf := make([]byte, 4)
	require.Equal(t, 4, must(f.Pread(buf, 0)))
	require.Equal(t, "HELL", string(buf), "what was there can still be read")
	require.Equal(t, "replaced", content(t, project, "/moved.txt"))
}

// TestOneFileForMany is for the race detector.
func TestOneFileForMany(t *testing.T) {
	files := inMemory(t, nil)
	fill(t, files)
	s := wasifs.New(files)
	for _, name := range []string{"hello.txt", "docs"} {
		flag := sys.O_RDWR
		if name == "docs" {
			flag = sys.O_RDONLY
		}
		f := open(t, s, name, flag)
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				buf := make([]byte, 8)
				for range 20 {
					_, _ = f.Write(buf)
					_, _ = f.Read(buf)
					_, _ = f.Pwrite(buf, int64(i))
					_, _ = f.Pread(buf, int64(i))
					_, _ = f.Seek(0, io.SeekStart)
					_, _ = f.Readdir(1)
					_ = f.SetAppend(!f.IsAppend())
					_ = f.Truncate(int64(i))
					_, _ = f.Stat()
					_, _ = f.Ino()
					_ = f.Sync()
					_ = f.Utimens(1, 1)
				}
				_ = f.Close()
			})
		}
		wait.Wait()
	}
}
