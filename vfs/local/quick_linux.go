package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A quick finds files below a directory in one system call, however deep they are, where os.Root takes two for each
// name in the path. The kernel sees to it that the way leads through real directories only, and not out. What it does
// not answer, and errors but ENOENT, are left to os.Root.
type quick struct {
	once sync.Once
	dir  *os.File
	// useless says that the kernel does not have the call, or is not allowed to have it.
	useless atomic.Bool
}

func (q *quick) openat2(root *os.Root, name string, flags int) (fd int, err error) {
	if strings.Count(name, "/") < 2 || q.useless.Load() {
		return -1, errors.ErrUnsupported // os.Root is as good
	}
	q.once.Do(func() { q.dir, _ = root.Open(".") })
	if q.dir == nil {
		return -1, errors.ErrUnsupported
	}
	conn, err := q.dir.SyscallConn()
	if err != nil {
		return -1, err
	}
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	}
	if err := conn.Control(func(dir uintptr) { fd, err = unix.Openat2(int(dir), name[1:], &how) }); err != nil {
		return -1, err
	}
	if err == unix.ENOSYS || err == unix.EPERM {
		q.useless.Store(true)
	}
	return fd, err
}

// links gives files of a directory other names in another one, the same as they have, and returns how many, up to the
// first failure.
func (q *quick) links(root *os.Root, old, name string, files []string) int {
	from, err := q.openDir(root, old)
	if err != nil {
		return 0
	}
	defer from.Close()
	to, err := q.openDir(root, name)
	if err != nil {
		return 0
	}
	defer to.Close()
	for done, file := range files {
		if unix.Linkat(int(from.Fd()), file, int(to.Fd()), file, 0) != nil {
			return done
		}
	}
	return len(files)
}

func (q *quick) openDir(root *os.Root, name string) (*os.File, error) {
	fd, err := q.openat2(root, name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return root.OpenFile(local(name), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	}
	return os.NewFile(uintptr(fd), path.Base(name)), nil
}

// lstat describes what a name stands for, or says for certain that there is nothing, or that it is not known.
func (q *quick) lstat(root *os.Root, name string) (info fs.FileInfo, known bool, err error) {
	fd, err := q.openat2(root, name, unix.O_PATH)
	if err != nil {
		return nil, err == unix.ENOENT, err
	}
	f := os.NewFile(uintptr(fd), path.Base(name))
	defer f.Close()
	info, err = f.Stat()
	return info, err == nil, err
}

// open opens a regular file for reading.
func (q *quick) open(root *os.Root, name string) (*os.File, bool) {
	fd, err := q.openat2(root, name, unix.O_PATH) // which does nothing to a device
	if err != nil {
		return nil, false
	}
	var stat unix.Stat_t
	err = unix.Fstat(fd, &stat)
	_ = unix.Close(fd)
	if err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, false
	}
	if fd, err = q.openat2(root, name, unix.O_RDONLY|nonblocking); err != nil {
		return nil, false
	}
	f := os.NewFile(uintptr(fd), path.Base(name))
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, false
	}
	return f, true
}

func (q *quick) close() {
	q.once.Do(func() {})
	if q.dir != nil {
		_ = q.dir.Close()
	}
}
