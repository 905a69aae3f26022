package project

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// A Backend is where the files of one project are: a plain tree that knows neither quotas nor history nor staging.
// Names are as [vfs.Clean] gives them. Errors are *fs.PathError or bare error numbers; the project puts the caller's
// path into them.
//
// All methods are safe for concurrent use. No method follows symbolic links, in any part of a name; an attempt is
// fsys.ErrNotFollowed. A part of a name that is a file, but not the last, is fsys.ErrNotDir.
type Backend interface {
	// Lstat describes what a name stands for.
	Lstat(name string) (fs.FileInfo, error)
	// Open opens a regular file for reading, or with os.O_RDWR for both. With os.O_CREATE it creates an empty file
	// if none exists; with os.O_EXCL none may exist. A directory is EISDIR, anything else fsys.ErrNotFollowed.
	Open(name string, flag int, perm fs.FileMode) (Node, error)
	// ReadDir describes what a directory contains, sorted by name.
	ReadDir(name string) ([]fs.FileInfo, error)
	// Mkdir makes one directory.
	Mkdir(name string, perm fs.FileMode) error
	// Link gives a file another name, which must not exist.
	Link(old, name string) error
	// Rename moves a file or a directory with all that it contains, and replaces a file that is in the way.
	Rename(old, name string) error
	// Remove removes a file, a link or an empty directory (or else ENOTEMPTY).
	Remove(name string) error
	// RemoveAll removes a file, or a directory with all that it contains, or nothing.
	RemoveAll(name string) error
	// Chmod changes the permission bits, and no others.
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, atime, mtime time.Time) error
	// Twin returns the name in a directory, which must be there, that differs from the given one in case or Unicode
	// form only, or "".
	Twin(dir, base string) (string, error)
	// Same reports whether two descriptions, by lstat or a node's Stat, are of the same file.
	Same(a, b fs.FileInfo) bool
	// Linked reports whether a regular file has other names, perhaps outside of the project.
	Linked(name string) (bool, error)
	// Sync makes what has been made, renamed and removed in a directory durable.
	Sync(dir string) error

	// Lock keeps other processes from holding the lock until unlock is called. It is not called twice without that.
	// If wait is false, it gives up with errLocked.
	Lock(wait bool) (unlock func(), err error)
	// ReadState fills buf with the state. It fails if there is no state of that length.
	ReadState(buf []byte) error
	WriteState(buf []byte) error

	// Claim makes a file that says that this process is alive, until release is called or the process ends.
	Claim(name string) (release func(), err error)
	// Alive reports whether some process claims a file.
	Alive(name string) (bool, error)

	Close() error
}

// A Node is an open regular file. It stays usable when its name is moved or removed.
type Node interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	// Sync makes the content durable.
	Sync() error
}

// OpenNew opens a new file for writing.
const OpenNew = os.O_RDWR | os.O_CREATE | os.O_EXCL

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("another process holds the lock")
