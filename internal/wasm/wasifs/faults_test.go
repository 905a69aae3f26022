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

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
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
	const appends = wasifs.O_RDWR | wasifs.O_APPEND
	six := []byte("abcdef")
	for _, test := range []struct {
		name, op string
		err      error
		flag     wasifs.Flag
		do       func(t *testing.T, f File) (int, Errno)
		n        int
		want     wasifs.Errno
		position int64
	}{
		{"reading half", "read", syscall.EIO, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return f.Read(make([]byte, 6)) }, 3, wasifs.EIO, 3},
		{"reading half there", "read", syscall.EIO, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return f.Pread(make([]byte, 6), 1) }, 3, wasifs.EIO, 0},
		{"writing half", "write", syscall.ENOSPC, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return f.Write(six) }, 3, wasifs.ENOSPC, 3},
		{"writing half and saying nothing", "write", nil, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return f.Write(six) }, 3, wasifs.EIO, 3},
		{"writing half there", "write", syscall.ESTALE, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return f.Pwrite(six, 2) }, 3, wasifs.ESTALE, 0},
		{"appending half", "write", syscall.ENOSPC, appends,
			func(_ *testing.T, f File) (int, Errno) { return f.Write(six) }, 3, wasifs.ENOSPC, 15},
		{"not finding the end", "seek", syscall.EIO, appends,
			func(_ *testing.T, f File) (int, Errno) { return f.Write(six) }, 0, wasifs.EIO, 0},
		{"not opening it again", "open", syscall.EACCES, appends,
			func(_ *testing.T, f File) (int, Errno) { return f.Pwrite(six, 0) }, 0, wasifs.EACCES, 0},
		{"not appending from now on", "open", syscall.EACCES, wasifs.O_RDWR,
			func(t *testing.T, f File) (int, Errno) {
				errno := f.SetAppend(true)
				require.False(t, f.IsAppend())
				return 0, errno
			}, 0, wasifs.EACCES, 0},
		{"not syncing what is written", "sync", syscall.EIO, wasifs.O_RDWR | wasifs.O_SYNC,
			func(_ *testing.T, f File) (int, Errno) { return f.Write(six) }, 6, wasifs.EIO, 6},
		{"not syncing what is truncated", "sync", syscall.EIO, wasifs.O_RDWR | wasifs.O_SYNC,
			func(_ *testing.T, f File) (int, Errno) { return 0, f.Truncate(12) }, 0, wasifs.EIO, 0},
		{"not syncing", "sync", syscall.EIO, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return 0, f.Sync() }, 0, wasifs.EIO, 0},
		{"syncing what is open for reading", "sync", syscall.EIO, wasifs.O_RDONLY,
			func(_ *testing.T, f File) (int, Errno) { return 0, f.Sync() }, 0, 0, 0},
		{"not truncating", "truncate", syscall.EROFS, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return 0, f.Truncate(1) }, 0, wasifs.EROFS, 0},
		{"not knowing the size", "fstat", syscall.EIO, wasifs.O_RDWR,
			func(_ *testing.T, f File) (int, Errno) { return 0, errnoOf(f.Seek(0, io.SeekEnd)) }, 0, wasifs.EIO, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := &faults{Fs: wasifstest.InMemory(t, nil)}
			wasifstest.Fill(t, files)
			f := open(t, wasifs.New(files, 1<<20), "hello.txt", test.flag)
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
	files := &faults{Fs: wasifstest.InMemory(t, nil)}
	wasifstest.Fill(t, files)
	f, errno := wasifs.New(files, 1<<20).Open("hello.txt", wasifs.O_RDWR)
	require.Zero(t, errno)
	require.Zero(t, f.SetAppend(true))
	files.op, files.err = "close", syscall.ENOSPC
	require.Equal(t, wasifs.ENOSPC, f.Close())
	require.Zero(t, f.Close(), "the file is closed")
	require.Equal(t, wasifs.EBADF, f.Sync())
}

func TestOpeningThatFails(t *testing.T) {
	for _, test := range []struct {
		op, name string
		flag     wasifs.Flag
	}{
		{"open", "hello.txt", wasifs.O_RDONLY},
		{"fstat", "hello.txt", wasifs.O_RDONLY},
		{"stat", "docs", wasifs.O_DIRECTORY},
	} {
		t.Run(test.op, func(t *testing.T) {
			files := &faults{Fs: wasifstest.InMemory(t, nil)}
			wasifstest.Fill(t, files)
			files.op, files.err = test.op, syscall.EIO
			f, errno := wasifs.New(files, 1<<20).Open(test.name, test.flag)
			require.Equal(t, wasifs.EIO, errno)
			require.Nil(t, f)
		})
	}
}

func TestListingThatFails(t *testing.T) {
	files := &faults{Fs: wasifstest.InMemory(t, nil)}
	wasifstest.Fill(t, files)
	f := open(t, wasifs.New(files, 1<<20), ".", wasifs.O_RDONLY)
	files.op, files.err = "readdir", syscall.EIO
	require.Equal(t, wasifs.EIO, errnoOf(f.List()))
	files.op = ""
	require.Len(t, must(f.List()), 4, "and can be tried again")
}

func TestRenamingThatFails(t *testing.T) {
	for _, test := range []struct {
		name, op string
		err      error
		from, to string
		want     wasifs.Errno
	}{
		{"a file that is refused to be replaced", "rename", syscall.EEXIST, "hello.txt", "docs/a.md", wasifs.EEXIST},
		{"a directory that cannot be removed", "remove", syscall.EACCES, "docs", "empty", wasifs.EACCES},
		{"a directory that does not move even so", "rename", syscall.EEXIST, "docs", "empty", wasifs.EEXIST},
		{"a read-only view", "rename", syscall.EROFS, "docs", "empty", wasifs.EROFS},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := &faults{Fs: wasifstest.InMemory(t, nil)}
			wasifstest.Fill(t, files)
			before := wasifstest.Contents(t, files)
			files.op, files.err = test.op, test.err
			require.Equal(t, test.want, wasifs.New(files, 1<<20).Rename(test.from, test.to))
			files.op = ""
			if test.op == "rename" && test.err == syscall.EEXIST && test.to == "empty" {
				delete(before, "/empty") // a separate step
			}
			require.Equal(t, before, wasifstest.Contents(t, files))
		})
	}
}

func TestTimesOfAccessAreNeverMadeUp(t *testing.T) {
	files := &faults{Fs: wasifstest.InMemory(t, nil)}
	wasifstest.Fill(t, files)
	s := wasifs.New(files, 1<<20)
	require.Zero(t, s.Utimens("hello.txt", 1, 2))
	require.EqualValues(t, 1, files.atime.UnixNano())
	require.Zero(t, s.Utimens("hello.txt", wasifs.OmitTime, 2))
	require.EqualValues(t, 2, files.atime.UnixNano())
}

// TestRootCanAlwaysBeOpened also if nothing can be done with it.
func TestRootCanAlwaysBeOpened(t *testing.T) {
	files := &faults{Fs: wasifstest.InMemory(t, nil), op: "stat", err: syscall.EIO}
	root := open(t, wasifs.New(files, 1<<20), ".", wasifs.O_RDONLY)
	require.Equal(t, wasifs.EIO, errnoOf(root.Stat()))

	project, err := local.OpenDir(t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	wasifstest.Fill(t, project)
	s := wasifs.New(project, 1<<20)
	require.NoError(t, project.Close())
	root = open(t, s, ".", wasifs.O_RDONLY)
	require.Equal(t, wasifs.EBADF, errnoOf(root.List()))
	require.Equal(t, wasifs.EBADF, s.Mkdir("new"))
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
	files := wasifstest.InMemory(t, nil)
	wasifstest.Fill(t, files)
	s := wasifs.New(linking{files}, 1<<20)
	require.Zero(t, must(s.Stat("hello.txt")).Mode.Type())
	require.Equal(t, fs.ModeSymlink, must(s.Lstat("hello.txt")).Mode.Type())
	require.Zero(t, opening(s, "hello.txt", wasifs.O_RDONLY))
	require.Equal(t, wasifs.ELOOP, opening(s, "hello.txt", wasifs.O_RDONLY|wasifs.O_NOFOLLOW))
	require.Equal(t, wasifs.ELOOP, opening(s, "docs", wasifs.O_DIRECTORY|wasifs.O_NOFOLLOW))
	require.Equal(t, wasifs.EACCES, s.Readlink("hello.txt"))
	require.Equal(t, wasifs.ENOTDIR, s.Rmdir("docs"))
	require.Equal(t, wasifs.ENOTDIR, s.Unlink("docs/"))
	require.Zero(t, s.Unlink("hello.txt"))
}
