package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// A backend is where the files of one project are: a plain tree that knows neither quotas nor history nor staging.
// Names are as [vfs.Clean] gives them. Errors are *fs.PathError or bare error numbers; the project puts the caller's
// path into them.
//
// All methods are safe for concurrent use. No method follows symbolic links, in any part of a name; an attempt is
// fsys.ErrNotFollowed. A part of a name that is a file, but not the last, is fsys.ErrNotDir.
type backend interface {
	// lstat describes what a name stands for.
	lstat(name string) (fs.FileInfo, error)
	// open opens a regular file for reading, or with os.O_RDWR for both. With os.O_CREATE it creates an empty file
	// if none exists; with os.O_EXCL none may exist. A directory is EISDIR, anything else fsys.ErrNotFollowed.
	open(name string, flag int, perm fs.FileMode) (node, error)
	// readDir describes what a directory contains, sorted by name.
	readDir(name string) ([]fs.FileInfo, error)
	// mkdir makes one directory.
	mkdir(name string, perm fs.FileMode) error
	// link gives a file another name, which must not exist.
	link(old, name string) error
	// rename moves a file or a directory with all that it contains, and replaces a file that is in the way.
	rename(old, name string) error
	// remove removes a file, a link or an empty directory (or else ENOTEMPTY).
	remove(name string) error
	// removeAll removes a file, or a directory with all that it contains, or nothing.
	removeAll(name string) error
	// chmod changes the permission bits, and no others.
	chmod(name string, mode fs.FileMode) error
	chtimes(name string, atime, mtime time.Time) error
	// twin returns the name in a directory, which must be there, that differs from the given one in case or Unicode
	// form only, or "".
	twin(dir, base string) (string, error)
	// same reports whether two descriptions, by lstat or a node's Stat, are of the same file.
	same(a, b fs.FileInfo) bool
	// linked reports whether a regular file has other names, perhaps outside of the project.
	linked(name string) (bool, error)
	// sync makes what has been made, renamed and removed in a directory durable.
	sync(dir string) error

	// lock keeps other processes from holding the lock until unlock is called. It is not called twice without that.
	// If wait is false, it gives up with errLocked.
	lock(wait bool) (unlock func(), err error)
	// readState fills buf with the state. It fails if there is no state of that length.
	readState(buf []byte) error
	writeState(buf []byte) error

	// claim makes a file that says that this process is alive, until release is called or the process ends.
	claim(name string) (release func(), err error)
	// alive reports whether some process claims a file.
	alive(name string) (bool, error)

	close() error
}

// A node is an open regular file. It stays usable when its name is moved or removed.
type node interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	// Sync makes the content durable.
	Sync() error
}

// openNew opens a new file for writing.
const openNew = os.O_RDWR | os.O_CREATE | os.O_EXCL

// errLocked means that another process holds the lock.
var errLocked = errors.New("another process holds the lock")
