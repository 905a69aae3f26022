package wasifs_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/toolrun/toolrun/internal/wasifs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// faults is a file system in which one operation fails, or does only half of its work.
type faults struct {
	afero.Fs
	op  string
	err error

	atime time.Time // the last one set
}

func (f *faults) fail(op string) error {
	if op == f.op {
		return f.err
	}
	return nil
}

func (f *faults) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if err := f.fail("open"); err != nil {
		return nil, err
	}
	file, err := f.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faults) Open(name string) (afero.File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

func (f *faults) Stat(name string) (os.FileInfo, error) {
	if err := f.fail("stat"); err != nil {
		return nil, err
	}
	return f.Fs.Stat(name)
}

func (f *faults) Rename(from, to string) error {
	if err := f.fail("rename"); err != nil {
		return err
	}
	return f.Fs.Rename(from, to)
}

func (f *faults) Remove(name string) error {
	if err := f.fail("remove"); err != nil {
		return err
	}
	return f.Fs.Remove(name)
}

func (f *faults) Chtimes(name string, atime, mtime time.Time) error {
	f.atime = atime
	return f.Fs.Chtimes(name, atime, mtime)
}

type faultyFile struct {
	afero.File
	faults *faults
}

func (f *faultyFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.faults.fail("read"); err != nil {
		n, _ := f.File.ReadAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.ReadAt(b, off)
}

func (f *faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if f.faults.op == "write" {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, f.faults.err
	}
	return f.File.WriteAt(b, off)
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if f.faults.op == "write" {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, f.faults.err
	}
	return f.File.Write(b)
}

func (f *faultyFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.faults.fail("seek"); err != nil {
		return 0, err
	}
	return f.File.Seek(offset, whence)
}

func (f *faultyFile) Readdir(n int) ([]fs.FileInfo, error) {
	if err := f.faults.fail("readdir"); err != nil {
		return nil, err
	}
	return f.File.Readdir(n)
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.faults.fail("fstat"); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.faults.fail("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync() error  { return errors.Join(f.faults.fail("sync"), f.File.Sync()) }
func (f *faultyFile) Close() error { return errors.Join(f.faults.fail("close"), f.File.Close()) }

func TestFaultsOfTheFileSystem(t *testing.T) {
	const appends = sys.O_RDWR | sys.O_APPEND
	six := []byte("abcdef")
	for _, test := range []struct {
		name, op string
		err      error
		flag     sys.Oflag
		do       func(t *testing.T, f sys.File) (int, sys.Errno)
		n        int
		want     sys.Errno
		position int64
	}{
		{"reading half", "read", syscall.EIO, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Read(make([]byte, 6)) }, 3, sys.EIO, 3},
		{"reading half there", "read", syscall.EIO, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Pread(make([]byte, 6), 1) }, 3, sys.EIO, 0},
		{"writing half", "write", syscall.ENOSPC, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Write(six) }, 3, sys.EIO, 3},
		{"writing half and saying nothing", "write", nil, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Write(six) }, 3, sys.EIO, 3},
		{"writing half there", "write", syscall.ESTALE, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Pwrite(six, 2) }, 3, sys.EBADF, 0},
		{"appending half", "write", syscall.ENOSPC, appends,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Write(six) }, 3, sys.EIO, 15},
		{"not finding the end", "seek", syscall.EIO, appends,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Write(six) }, 0, sys.EIO, 0},
		{"not opening it again", "open", syscall.EACCES, appends,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Pwrite(six, 0) }, 0, sys.EACCES, 0},
		{"not appending from now on", "open", syscall.EACCES, sys.O_RDWR,
			func(t *testing.T, f sys.File) (int, sys.Errno) {
				errno := f.SetAppend(true)
				require.False(t, f.IsAppend())
				return 0, errno
			}, 0, sys.EACCES, 0},
		{"not syncing what is written", "sync", syscall.EIO, sys.O_RDWR | sys.O_SYNC,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return f.Write(six) }, 6, sys.EIO, 6},
		{"not syncing what is truncated", "sync", syscall.EIO, sys.O_RDWR | sys.O_DSYNC,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return 0, f.Truncate(12) }, 0, sys.EIO, 0},
		{"not syncing", "sync", syscall.EIO, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return 0, f.Sync() }, 0, sys.EIO, 0},
		{"syncing what is open for reading", "sync", syscall.EIO, sys.O_RDONLY,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return 0, f.Sync() }, 0, 0, 0},
		{"not truncating", "truncate", syscall.EROFS, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return 0, f.Truncate(1) }, 0, sys.EROFS, 0},
		{"not knowing the size", "fstat", syscall.EIO, sys.O_RDWR,
			func(_ *testing.T, f sys.File) (int, sys.Errno) { return 0, errnoOf(f.Seek(0, io.SeekEnd)) }, 0, sys.EIO, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := &faults{Fs: inMemory(t, nil)}
			fill(t, files)
			f := open(t, wasifs.New(files), "hello.txt", test.flag)
			files.op, files.err = test.op, test.err
			n, errno := test.do(t, f)
			files.op = ""
			require.Equal(t, test.n, n)
			require.Equal(t, test.want, errno)
			require.Equal(t, test.position, must(f.Seek(0, io.SeekCurrent)))
		})
	}
}

func TestClosingThatFails(t *testing.T) {
	files := &faults{Fs: inMemory(t, nil)}
	fill(t, files)
	f, errno := wasifs.New(files).OpenFile("hello.txt", sys.O_RDWR, 0)
	require.Zero(t, errno)
	require.Zero(t, f.SetAppend(true))
	files.op, files.err = "close", syscall.ENOSPC
	require.Equal(t, sys.EIO, f.Close())
	require.Zero(t, f.Close(), "the file is closed")
	require.Equal(t, sys.EBADF, f.Sync())
}

func TestOpeningThatFails(t *testing.T) {
	for _, test := range []struct {
		op, name string
		flag     sys.Oflag
	}{
		{"open", "hello.txt", sys.O_RDONLY},
		{"fstat", "hello.txt", sys.O_RDONLY},
		{"truncate", "hello.txt", sys.O_RDWR | sys.O_TRUNC},
		{"stat", "docs", sys.O_DIRECTORY},
	} {
		t.Run(test.op, func(t *testing.T) {
			files := &faults{Fs: inMemory(t, nil)}
			fill(t, files)
			files.op, files.err = test.op, syscall.EIO
			f, errno := wasifs.New(files).OpenFile(test.name, test.flag, 0)
			require.Equal(t, sys.EIO, errno)
			require.Nil(t, f)
		})
	}
}

func TestListingThatFails(t *testing.T) {
	files := &faults{Fs: inMemory(t, nil)}
	fill(t, files)
	f := open(t, wasifs.New(files), ".", sys.O_RDONLY)
	files.op, files.err = "readdir", syscall.EIO
	require.Equal(t, sys.EIO, errnoOf(f.Readdir(-1)))
	files.op = ""
	require.Len(t, must(f.Readdir(-1)), 4, "and can be tried again")
}

func TestRenamingThatFails(t *testing.T) {
	for _, test := range []struct {
		name, op string
		err      error
		from, to string
		want     sys.Errno
	}{
		{"a file that is refused to be replaced", "rename", syscall.EEXIST, "hello.txt", "docs/a.md", sys.EEXIST},
		{"a directory that cannot be removed", "remove", syscall.EACCES, "docs", "empty", sys.EACCES},
		{"a directory that does not move even so", "rename", syscall.EEXIST, "docs", "empty", sys.EEXIST},
		{"a read-only view", "rename", syscall.EROFS, "docs", "empty", sys.EROFS},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := &faults{Fs: inMemory(t, nil)}
			fill(t, files)
			before := contents(t, files)
			files.op, files.err = test.op, test.err
			require.Equal(t, test.want, wasifs.New(files).Rename(test.from, test.to))
			files.op = ""
			if test.op == "rename" && test.err == syscall.EEXIST && test.to == "empty" {
				delete(before, "/empty") // a separate step
			}
			require.Equal(t, before, contents(t, files))
		})
	}
}

func TestTimesOfAccessAreNeverMadeUp(t *testing.T) {
	files := &faults{Fs: inMemory(t, nil)}
	fill(t, files)
	s := wasifs.New(files)
	require.Zero(t, s.Utimens("hello.txt", 1, 2))
	require.EqualValues(t, 1, files.atime.UnixNano())
	require.Zero(t, s.Utimens("hello.txt", sys.UTIME_OMIT, 2))
	require.EqualValues(t, 2, files.atime.UnixNano())
}

// TestRootCanAlwaysBeOpened matters because wazero panics otherwise.
func TestRootCanAlwaysBeOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	files := &faults{Fs: inMemory(t, nil), op: "stat", err: syscall.EIO}
	root := open(t, wasifs.New(files), ".", sys.O_RDONLY)
	require.Equal(t, sys.EIO, errnoOf(root.Stat()))

	project, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	fill(t, project)
	s := wasifs.New(project)
	require.NoError(t, project.Close())
	root = open(t, s, ".", sys.O_RDONLY)
	require.Equal(t, sys.EBADF, errnoOf(root.Readdir(-1)))
	require.Equal(t, sys.EBADF, s.Mkdir("new", 0o755))
	requireReport(t, "closed.txt", walk(t, project, "closed"))
}

// linking is a file system that has symbolic links, and follows them.
type linking struct{ afero.Fs }

type linkInfo struct{ fs.FileInfo }

func (linkInfo) Mode() fs.FileMode  { return fs.ModeSymlink | 0o777 }
func (linkInfo) IsDir() bool        { return false }
func (linkInfo) Size() int64        { return 9 }
func (linkInfo) ModTime() time.Time { return time.Unix(1, 0) }

func (l linking) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	info, err := l.Stat(name)
	if name == "/hello.txt" || name == "/docs" {
		info = linkInfo{info}
	}
	return info, true, err
}

func TestLinksOfAnotherFileSystem(t *testing.T) {
	files := inMemory(t, nil)
	fill(t, files)
	s := wasifs.New(linking{files})
	require.Zero(t, must(s.Stat("hello.txt")).Mode.Type())
	require.Equal(t, fs.ModeSymlink, must(s.Lstat("hello.txt")).Mode.Type())
	require.Zero(t, opening(s, "hello.txt", sys.O_RDONLY))
	require.Equal(t, sys.ELOOP, opening(s, "hello.txt", sys.O_RDONLY|sys.O_NOFOLLOW))
	require.Equal(t, sys.ELOOP, opening(s, "docs", sys.O_DIRECTORY|sys.O_NOFOLLOW))
	require.Equal(t, sys.EACCES, errnoOf(s.Readlink("hello.txt")))
	require.Equal(t, sys.ENOTDIR, s.Rmdir("docs"))
	require.Equal(t, sys.ENOTDIR, s.Unlink("docs/"))
	require.Zero(t, s.Unlink("hello.txt"))
}
