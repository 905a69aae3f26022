// Package wasifs lets WebAssembly programs that use WASI work on the files of a project: it turns an [afero.Fs]
// into the file system that wazero serves.
//
//	mount := wasifs.New(project)
//	config := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(mount, "/")
//
// The guest can reach what the afero.Fs holds and nothing else. This package only calls the afero.Fs, with absolute
// paths in which ".." is resolved; keeping the files inside is up to the afero.Fs.
//
// # Deviations from POSIX
//
//   - Links cannot be made: EPERM, as on Linux file systems without links. Links that the afero.Fs lists have their
//     own type, and are not followed if it does not follow them.
//   - For times, directories and switching O_APPEND, an open handle stands for its path: after a rename these fail,
//     or affect another file that has got that path.
//   - Serial numbers of files derive from their paths, so they change when a file is renamed, or named in another
//     Unicode form.
//   - WASI has no permissions. wazero makes files with 0600 and directories with 0700.
//   - Access times and times of status changes are the times of modification. Setting the access time does nothing.
//   - Unlink and Rmdir check the kind of a file before they remove it. If an empty directory replaces the file at
//     that moment, Unlink removes it.
//   - Renaming a directory to an empty one removes that one first, in a separate step.
//   - A directory listing is a snapshot from when reading began or was restarted.
//   - wazero lacks some error numbers. No space, quotas and files that are too large are EIO; writing to a file
//     that somebody else has replaced (ESTALE) is EBADF; a busy file is EPERM; a rename between file systems is
//     ENOTSUP.
package wasifs

import (
	"io/fs"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"
	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// New returns files as a file system for WASI. It and its open files are safe for concurrent use if files is.
//
// The paths given to files are absolute, cleaned and separated by slashes, but may contain any byte. Remove and
// Rename of files must not affect directories that are not empty, and files must limit the sizes of files itself.
// afero.MemMapFs does neither: do not use it for untrusted guests.
func New(files afero.Fs) sys.FS {
	return &fileSystem{files: files, dev: devices.Add(1)}
}

// devices counts file systems, so that files of different ones are never taken for the same.
var devices atomic.Uint64

type fileSystem struct {
	sys.UnimplementedFS
	files afero.Fs
	dev   uint64
}

// resolve returns the absolute form of a path from the guest, and whether it can only be that of a directory.
func resolve(guest string) (name string, isDir bool) {
	return path.Clean("/" + guest), strings.HasSuffix(guest, "/") || strings.HasSuffix(guest, "/.")
}

// root is the resolved path of what is mounted. Removing and renaming it is refused here, since not every afero.Fs
// does.
const root = "/"

// Stat implements [sys.FS].
func (s *fileSystem) Stat(guest string) (wazerosys.Stat_t, sys.Errno) {
	return s.stat(guest, s.files.Stat)
}

// Lstat implements [sys.FS].
func (s *fileSystem) Lstat(guest string) (wazerosys.Stat_t, sys.Errno) {
	return s.stat(guest, s.lstat)
}

func (s *fileSystem) stat(guest string, look func(string) (fs.FileInfo, error)) (wazerosys.Stat_t, sys.Errno) {
	name, isDir := resolve(guest)
	info, err := look(name)
	switch {
	case err != nil:
		return wazerosys.Stat_t{}, toErrno(err)
	case isDir && !info.IsDir():
		return wazerosys.Stat_t{}, sys.ENOTDIR
	}
	return describe(s.dev, inode(name), info), 0
}

// lstat describes a file without following links, if the afero.Fs knows a way.
func (s *fileSystem) lstat(name string) (fs.FileInfo, error) {
	if looker, ok := s.files.(afero.Lstater); ok {
		info, _, err := looker.LstatIfPossible(name)
		return info, err
	}
	return s.files.Stat(name)
}

// Mkdir implements [sys.FS].
func (s *fileSystem) Mkdir(guest string, perm fs.FileMode) sys.Errno {
	name, _ := resolve(guest)
	if name == root {
		return sys.EEXIST
	}
	return toErrno(s.files.Mkdir(name, perm.Perm()))
}

// Chmod implements [sys.FS]. WASI has no call for it.
func (s *fileSystem) Chmod(guest string, perm fs.FileMode) sys.Errno {
	name, _ := resolve(guest)
	return toErrno(s.files.Chmod(name, perm.Perm()))
}

// Rmdir implements [sys.FS].
func (s *fileSystem) Rmdir(guest string) sys.Errno {
	name, _ := resolve(guest)
	info, err := s.lstat(name)
	switch {
	case err != nil:
		return toErrno(err)
	case !info.IsDir():
		return sys.ENOTDIR
	case name == root:
		return sys.EPERM
	}
	return toErrno(s.files.Remove(name))
}

// Unlink implements [sys.FS].
func (s *fileSystem) Unlink(guest string) sys.Errno {
	name, isDir := resolve(guest)
	info, err := s.lstat(name)
	switch {
	case err != nil:
		return toErrno(err)
	case info.IsDir():
		return sys.EISDIR
	case isDir:
		return sys.ENOTDIR
	}
	return toErrno(s.files.Remove(name))
}

// Link implements [sys.FS]; there are no links.
func (s *fileSystem) Link(string, string) sys.Errno { return sys.EPERM }

// Symlink implements [sys.FS]; there are no links.
func (s *fileSystem) Symlink(string, string) sys.Errno { return sys.EPERM }

// Readlink implements [sys.FS]. It tells what is no link from what cannot be read.
func (s *fileSystem) Readlink(guest string) (string, sys.Errno) {
	stat, errno := s.Lstat(guest)
	switch {
	case errno != 0:
		return "", errno
	case stat.Mode&fs.ModeSymlink != 0:
		return "", sys.EACCES
	}
	return "", sys.EINVAL
}

// Utimens implements [sys.FS].
func (s *fileSystem) Utimens(guest string, atim, mtim int64) sys.Errno {
	name, isDir := resolve(guest)
	if isDir || mtim == sys.UTIME_OMIT {
		stat, errno := s.Stat(guest)
		switch {
		case errno != 0:
			return errno
		case mtim == sys.UTIME_OMIT:
			mtim = stat.Mtim
		}
	}
	if atim == sys.UTIME_OMIT {
		atim = mtim // nothing reports it
	}
	return toErrno(s.files.Chtimes(name, time.Unix(0, atim), time.Unix(0, mtim)))
}
