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

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
	"github.com/toolrun/toolrun/vfs"
)

// open opens a file, which must succeed.
func open(t *testing.T, s *wasifs.FS, name string, flag wasifs.Flag) wasifs.File {
	t.Helper()
	f, errno := s.Open(name, flag)
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
		flag wasifs.Flag
		do   func(f File) Errno
		want wasifs.Errno
	}{
		{"reading", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Read(buf)) }, 0},
		{"reading nothing", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Read(nil)) }, 0},
		{"reading what is open for writing", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Read(buf)) },
			wasifs.EBADF},
		{"reading nothing of that", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Read(nil)) }, wasifs.EBADF},
		{"reading there", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Pread(buf, 2)) }, 0},
		{"reading nothing there", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Pread(nil, 2)) }, 0},
		{"reading before the beginning", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Pread(buf, -1)) },
			wasifs.EINVAL},
		{"reading nothing before the beginning", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Pread(nil, -1))
		}, wasifs.EINVAL},
		{"reading far behind the end", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Pread(buf, 1<<62)) }, 0},
		{"reading beyond all positions", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Pread(buf, most))
		}, wasifs.EINVAL},
		{"reading what is open for writing, there", wasifs.O_WRONLY, func(f File) Errno {
			return errnoOf(f.Pread(buf, 0))
		}, wasifs.EBADF},

		{"writing", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Write(buf)) }, 0},
		{"writing nothing", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Write(nil)) }, 0},
		{"writing to what is open for reading", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Write(buf)) },
			wasifs.EBADF},
		{"writing nothing to that", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Write(nil)) }, wasifs.EBADF},
		{"writing to what is emptied for reading", wasifs.O_RDONLY | wasifs.O_TRUNC, func(f File) Errno {
			return errnoOf(f.Write(buf))
		}, wasifs.EBADF},
		{"writing to what appends for reading", wasifs.O_RDONLY | wasifs.O_APPEND, func(f File) Errno {
			return errnoOf(f.Write(buf))
		}, wasifs.EBADF},
		{"writing there", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Pwrite(buf, 2)) }, 0},
		{"writing there to what appends", wasifs.O_WRONLY | wasifs.O_APPEND, func(f File) Errno {
			return errnoOf(f.Pwrite(buf, 2))
		}, 0},
		{"writing nothing there", wasifs.O_WRONLY, func(f File) Errno { return errnoOf(f.Pwrite(nil, 2)) }, 0},
		{"writing before the beginning", wasifs.O_RDWR, func(f File) Errno { return errnoOf(f.Pwrite(buf, -1)) },
			wasifs.EINVAL},
		{"writing beyond all positions", wasifs.O_RDWR, func(f File) Errno {
			return errnoOf(f.Pwrite(buf, most-1))
		}, wasifs.EINVAL},
		{"writing there to what is open for reading", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Pwrite(buf, 0))
		}, wasifs.EBADF},

		{"seeking", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Seek(4, io.SeekStart)) }, 0},
		{"seeking behind the end", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(1<<40, io.SeekEnd))
		}, 0},
		{"seeking to the last position", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(most, io.SeekStart))
		}, 0},
		{"seeking beyond it", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Seek(most, io.SeekEnd)) },
			wasifs.EINVAL},
		{"seeking before the beginning", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(-1, io.SeekStart))
		}, wasifs.EINVAL},
		{"seeking back from the beginning", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(-1, io.SeekCurrent))
		}, wasifs.EINVAL},
		{"seeking too far back from the end", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(-11, io.SeekEnd))
		}, wasifs.EINVAL},
		{"seeking back as far as numbers go", wasifs.O_RDONLY, func(f File) Errno {
			return errnoOf(f.Seek(math.MinInt64, io.SeekEnd))
		}, wasifs.EINVAL},
		{"seeking from nowhere", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Seek(0, 3)) }, wasifs.EINVAL},
		{"seeking from less than nowhere", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.Seek(0, -1)) },
			wasifs.EINVAL},

		{"truncating", wasifs.O_RDWR, func(f File) Errno { return f.Truncate(3) }, 0},
		{"truncating what appends", wasifs.O_RDWR | wasifs.O_APPEND, func(f File) Errno { return f.Truncate(3) }, 0},
		{"truncating to less than nothing", wasifs.O_RDWR, func(f File) Errno { return f.Truncate(-1) }, wasifs.EINVAL},
		{"truncating what is open for reading", wasifs.O_RDONLY, func(f File) Errno {
			return f.Truncate(3)
		}, wasifs.EINVAL},
		{"truncating what is emptied for reading", wasifs.O_RDONLY | wasifs.O_TRUNC, func(f File) Errno {
			return f.Truncate(3)
		}, wasifs.EINVAL},

		{"listing", wasifs.O_RDONLY, func(f File) Errno { return errnoOf(f.List()) }, wasifs.ENOTDIR},
		{"syncing", wasifs.O_RDWR, wasifs.File.Sync, 0},
		{"syncing what is open for reading", wasifs.O_RDONLY, wasifs.File.Sync, 0},
		{"setting times", wasifs.O_RDONLY, func(f File) Errno { return f.Utimens(1, 2) }, 0},
		{"appending from now on", wasifs.O_RDWR, func(f File) Errno { return f.SetAppend(true) }, 0},
		{"appending no longer", wasifs.O_WRONLY | wasifs.O_APPEND, func(f File) Errno { return f.SetAppend(false) }, 0},
		{"appending to what is open for reading", wasifs.O_RDONLY, func(f File) Errno { return f.SetAppend(true) }, 0},
	}
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		s := wasifs.New(files, 1<<20)
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
	files := wasifstest.InMemory(t, nil)
	wasifstest.Fill(t, files)
	s := wasifs.New(files, 1<<20)
	for _, name := range []string{"hello.txt", "docs", "."} {
		flag := wasifs.O_RDWR
		if name != "hello.txt" {
			flag = wasifs.O_RDONLY
		}
		f, errno := s.Open(name, flag)
		require.Zero(t, errno)
		require.Zero(t, f.Close())
		require.Zero(t, f.Close(), "closing again does nothing")
		for what, errno := range map[string]wasifs.Errno{
			"stat":       errnoOf(f.Stat()),
			"read":       errnoOf(f.Read(buf)),
			"pread":      errnoOf(f.Pread(buf, 0)),
			"seek":       errnoOf(f.Seek(0, io.SeekStart)),
			"readdir":    errnoOf(f.List()),
			"write":      errnoOf(f.Write(buf)),
			"pwrite":     errnoOf(f.Pwrite(buf, 0)),
			"truncate":   f.Truncate(0),
			"sync":       f.Sync(),
			"set sync":   f.SetSync(true),
			"utimens":    f.Utimens(1, 1),
			"set append": f.SetAppend(true),
		} {
			require.Equal(t, wasifs.EBADF, errno, "%s of %s", what, name)
		}
	}
	require.Equal(t, "hello, world", content(t, files, "/hello.txt"))
}

func TestReadingAndWritingMoveOn(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		f := open(t, wasifs.New(files, 1<<20), "f", wasifs.O_RDWR|wasifs.O_CREAT)
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

// TestReplacingFiles opens files with O_TRUNC. The guest sees at once what it has written, whoever else looks after
// that.
func TestReplacingFiles(t *testing.T) {
	flags := []wasifs.Flag{
		wasifs.O_RDWR | wasifs.O_TRUNC, wasifs.O_WRONLY | wasifs.O_CREAT | wasifs.O_TRUNC,
		wasifs.O_WRONLY | wasifs.O_APPEND | wasifs.O_TRUNC,
		wasifs.O_TRUNC | wasifs.O_CREAT | wasifs.O_EXCL | wasifs.O_RDWR,
	}
	looks := map[string]func(t *testing.T, s *wasifs.FS){
		"stat": func(_ *testing.T, s *wasifs.FS) { must(s.Stat("a/f")) },
		"open": func(_ *testing.T, s *wasifs.FS) { must(s.Open("a/f", wasifs.O_RDONLY)) },
		"look below": func(t *testing.T, s *wasifs.FS) {
			require.Equal(t, wasifs.ENOTDIR, errnoOf(s.Stat("a/f/g")))
		},
		"list": func(_ *testing.T, s *wasifs.FS) { must(must(s.Open("a", wasifs.O_RDONLY)).List()) },
		"rename": func(t *testing.T, s *wasifs.FS) {
			require.Zero(t, s.Rename("a/f", "a/g"))
			require.Zero(t, s.Rename("a/g", "a/f"))
		},
		"rename what it is in": func(t *testing.T, s *wasifs.FS) {
			require.Zero(t, s.Rename("a", "b"))
			require.Zero(t, s.Rename("b", "a"))
		},
		"close": func(t *testing.T, s *wasifs.FS) { require.NoError(t, s.Close(true)) },
	}
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		_, atomic := files.(vfs.Project)
		require.NoError(t, files.MkdirAll("/a", 0o755))
		for what, look := range looks {
			for _, flag := range flags {
				old := "old"
				if flag&wasifs.O_EXCL != 0 {
					old = ""
					require.NoError(t, files.RemoveAll("/a/f"))
				} else {
					require.NoError(t, afero.WriteFile(files, "/a/f", []byte("old"), 0o644))
				}
				s := wasifs.New(files, 1<<20)
				f, errno := s.Open("a/f", flag)
				require.Zero(t, errno)
				require.Zero(t, must(f.Stat()).Size)
				require.Equal(t, 5, must(f.Write([]byte("bytes"))))
				require.EqualValues(t, 5, must(f.Stat()).Size)
				if atomic && flag&wasifs.O_EXCL == 0 {
					require.Equal(t, old, content(t, files, "/a/f"))
				}
				look(t, s)
				require.Equal(t, "bytes", content(t, files, "/a/f"), what)
				if what != "close" {
					require.Equal(t, 2, must(f.Write([]byte("+2"))))
					require.Equal(t, "bytes+2", content(t, files, "/a/f"), "then in place")
				}
				require.NoError(t, s.Close(true))
			}
		}
	})
}

func TestReplacingWhatIsOpen(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		wasifstest.Fill(t, files)
		s := wasifs.New(files, 1<<20)
		before := open(t, s, "hello.txt", wasifs.O_RDWR)
		f := open(t, s, "hello.txt", wasifs.O_WRONLY|wasifs.O_TRUNC)
		require.Zero(t, must(before.Stat()).Size)
		must(f.Write([]byte("anew")))
		must(before.Pwrite([]byte("A"), 0))
		require.Equal(t, "Anew", content(t, files, "/hello.txt"), "both have the same file")
	})
}

func TestReplacementsThatAreDropped(t *testing.T) {
	files := wasifstest.InMemory(t, nil)
	wasifstest.Fill(t, files)
	before := wasifstest.Contents(t, files)
	s := wasifs.New(files, 1<<20)
	for _, name := range []string{"hello.txt", "docs/new"} {
		f := open(t, s, name, wasifs.O_WRONLY|wasifs.O_CREAT|wasifs.O_TRUNC)
		must(f.Write([]byte("half of it")))
	}
	must(s.Open("docs", wasifs.O_RDONLY)) // settles what is below
	must(s.Open("hello.txt", wasifs.O_WRONLY|wasifs.O_TRUNC))
	require.NoError(t, s.Close(false))
	before["/docs/new"] = "half of it"
	before["/hello.txt"] = "" // it was open, so the second time it was emptied in place
	require.Equal(t, before, wasifstest.Contents(t, files))
}

// TestRemovedFilesLiveOn uses temporary files in the way that is common on POSIX: they are removed while they are open.
func TestRemovedFilesLiveOn(t *testing.T) {
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		s := wasifs.New(files, 100)
		f := open(t, s, "f", wasifs.O_RDWR|wasifs.O_CREAT|wasifs.O_EXCL)
		must(f.Write([]byte("0123456789")))
		reader := open(t, s, "f", wasifs.O_RDONLY)
		require.Zero(t, s.Unlink("f"))
		require.Equal(t, wasifs.ENOENT, errnoOf(s.Stat("f")))
		must(f.Write([]byte("ab")))
		must(f.Pwrite([]byte("x"), 20))
		buf := make([]byte, 30)
		require.Equal(t, "0123456789ab\x00\x00\x00\x00\x00\x00\x00\x00x", string(buf[:must(reader.Pread(buf, 0))]))
		require.Zero(t, f.SetAppend(true))
		must(f.Write([]byte("end")))
		require.EqualValues(t, 24, must(reader.Stat()).Size)
		require.Zero(t, f.Truncate(2))
		require.Zero(t, f.Truncate(4))
		require.Equal(t, "01\x00\x00", string(buf[:must(reader.Pread(buf, 0))]))
		require.Zero(t, f.Sync())
		require.Zero(t, f.Utimens(1, 2))
		require.Equal(t, wasifs.ENOSPC, f.Truncate(101))
		require.Equal(t, wasifs.ENOSPC, errnoOf(f.Pwrite([]byte("x"), math.MaxInt64-1)))

		other := open(t, s, "f", wasifs.O_RDWR|wasifs.O_CREAT)
		must(other.Write([]byte("other")))
		must(f.Pwrite([]byte("mine"), 0))
		require.Equal(t, "other", content(t, files, "/f"), "it is another file")
		third := open(t, s, "g", wasifs.O_RDWR|wasifs.O_CREAT)
		require.Zero(t, s.Rename("g", "f"))
		must(other.Write([]byte(" one")))
		require.Equal(t, "other one", string(buf[:must(other.Pread(buf, 0))]), "a replaced file, too")
		require.Zero(t, must(third.Stat()).Size)
		require.Empty(t, content(t, files, "/f"))

		require.Equal(t, wasifs.ENOSPC, f.Truncate(95), "the limit is for all of them")
		require.Zero(t, other.Close())
		require.Zero(t, f.Truncate(95))
	})
}

func TestSizesThatNoFileHas(t *testing.T) {
	for _, kind := range wasifstest.Kinds {
		if kind.Name == "a directory without a project" {
			continue // the host decides
		}
		t.Run(kind.Name, func(t *testing.T) {
			files := kind.Make(t)
			wasifstest.Fill(t, files)
			f := open(t, wasifs.New(files, 1<<20), "hello.txt", wasifs.O_RDWR)
			for _, size := range []int64{1 << 40, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
				require.Equal(t, wasifs.ENOSPC, f.Truncate(size))
				require.Equal(t, wasifs.ENOSPC, errnoOf(f.Pwrite([]byte("x"), size-1)))
				require.Equal(t, size, must(f.Seek(size, io.SeekStart)))
				require.NotZero(t, errnoOf(f.Write([]byte("x"))))
				require.Zero(t, must(f.Read(nil)))
			}
			require.Equal(t, "hello, world", content(t, files, "/hello.txt"))
		})
	}
}

func TestQuotas(t *testing.T) {
	files := wasifstest.InMemory(t, &vfs.Options{Quota: vfs.Quota{Bytes: 10, Files: 2}})
	s := wasifs.New(files, 1<<20)
	f := open(t, s, "f", wasifs.O_RDWR|wasifs.O_CREAT)
	require.Equal(t, 8, must(f.Write([]byte("01234567"))))
	n, errno := f.Write([]byte("89a"))
	require.Zero(t, n)
	require.Equal(t, wasifs.ENOSPC, errno)
	require.Equal(t, 2, must(f.Write([]byte("89"))), "the position is where it was")
	require.Equal(t, "0123456789", content(t, files, "/f"))
	require.Zero(t, s.Mkdir("d"))
	require.Equal(t, wasifs.ENOSPC, s.Mkdir("e"))
	require.Equal(t, wasifs.ENOSPC, opening(s, "g", wasifs.O_RDWR|wasifs.O_CREAT))
}

// TestAppendingGetsInNobodysWay appends from the start with half of the handles, and later with the others.
func TestAppendingGetsInNobodysWay(t *testing.T) {
	const writers, lines = 8, 40
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		var wait sync.WaitGroup
		for i := range writers {
			flag := wasifs.O_WRONLY | wasifs.O_CREAT
			if i%2 == 0 {
				flag |= wasifs.O_APPEND
			}
			f := open(t, wasifs.New(files, 1<<20), "log", flag)
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
	wasifstest.ForEachKind(t, func(t *testing.T, files afero.Fs) {
		require.NoError(t, afero.WriteFile(files, "/f", []byte("0123456789"), 0o644))
		f := open(t, wasifs.New(files, 1<<20), "f", wasifs.O_RDWR)
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
	project := wasifstest.InMemory(t, nil)
	wasifstest.Fill(t, project)
	s := wasifs.New(project, 1<<20)

	f := open(t, s, "hello.txt", wasifs.O_RDWR)
	require.NoError(t, project.Rename("/hello.txt", "/moved.txt"))
	require.Equal(t, 4, must(f.Write([]byte("HELL"))))
	require.Equal(t, "HELLo, world", content(t, project, "/moved.txt"))
	require.Equal(t, wasifs.ENOENT, f.SetAppend(true))
	require.False(t, f.IsAppend())
	require.Equal(t, wasifs.ENOENT, f.Utimens(1, 1))

	require.NoError(t, afero.WriteFile(project, "/moved.txt", []byte("replaced"), 0o644))
	require.Equal(t, wasifs.ESTALE, errnoOf(f.Write([]byte("x"))))
	buf := make([]byte, 4)
	require.Equal(t, 4, must(f.Pread(buf, 0)))
	require.Equal(t, "HELL", string(buf), "what was there can still be read")
	require.Equal(t, "replaced", content(t, project, "/moved.txt"))
}

// TestOneFileForMany is for the race detector.
func TestOneFileForMany(t *testing.T) {
	files := wasifstest.InMemory(t, nil)
	wasifstest.Fill(t, files)
	s := wasifs.New(files, 1<<20)
	for _, name := range []string{"hello.txt", "docs"} {
		flag := wasifs.O_RDWR
		if name == "docs" {
			flag = wasifs.O_RDONLY
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
					_, _ = f.List()
					_ = f.SetAppend(!f.IsAppend())
					_ = f.Truncate(int64(i))
					_, _ = f.Stat()
					_ = f.Name()
					_ = f.Sync()
					_ = f.Utimens(1, 1)
				}
				_ = f.Close()
			})
		}
		wait.Wait()
	}
}
