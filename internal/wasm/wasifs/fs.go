// Package wasifs is what WASI's calls on files do, on an [afero.Fs]: package runtime serves these calls with it.
//
// A guest can reach what the afero.Fs holds and nothing else. This package only calls the afero.Fs, with absolute
// paths in which ".." is resolved; keeping the files inside is up to the afero.Fs.
//
// # Replacing files
//
// A file opened with O_TRUNC is passed on with that flag, which to package vfs means that the new content replaces the
// old one as a whole when the file is synced or closed. So that the guest sees what POSIX promises, its own first look
// at the path ends that: from then on, the file has the new content and is written in place. A guest that opens,
// writes and closes replaces the file atomically.
//
// # Scratch files
//
// A guest has /tmp in memory, and /dev/null: see package scratch. Whoever has a file open that is moved between /tmp
// and the afero.Fs still has the old one.
//
// # Deviations from POSIX
//
//   - Links cannot be made: EPERM, as on Linux file systems without links. Links that the afero.Fs lists have their
//     own type, and are not followed if it does not follow them.
//   - For times, directories and switching O_APPEND, an open handle stands for its path: after somebody else has
//     renamed it these fail, or affect another file that has got that path.
//   - Serial numbers of files derive from their paths, so they change when a file is renamed.
//   - WASI has no permissions. Files are made with 0644 and directories with 0755.
//   - Access times and times of status changes are the times of modification. Setting the access time does nothing.
//   - Unlink and Rmdir check the kind of a file before they remove it. If an empty directory replaces the file at
//     that moment, Unlink removes it.
//   - A file that the guest itself removes or replaces while it has it open for writing lives on in memory, up to a
//     limit. Writing to one that somebody else removes or replaces is ESTALE.
//   - Renaming a directory to an empty one removes that one first, in a separate step.
//   - A directory NAME.lock that the guest has made is removed when the guest ends while it has NAME open: SQLite locks
//     files so, and the locks of a process end with it. While it holds
//     such a lock of a database, looking for it is ENOENT, which SQLite needs to undo unfinished transactions.
//   - A directory listing is a snapshot from when reading began or was restarted.
package wasifs

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/internal/wasm/scratch"
)

// An FS is the files of one guest, and what it has open of them. It is safe for concurrent use.
type FS struct {
	// Now is the clock of files in memory: those in /tmp, and removed ones that are still open. New sets time.Now.
	Now func() time.Time

	files *scratch.FS
	spare int64 // how many bytes removed files that are still open may have together

	mu   sync.Mutex // held during each operation, also of open files
	open []File
	// locks are the times of directories that the guest has made and that may be locks, by their names.
	locks map[string]int64
}

// New returns files as WASI shows them. Removed files that are still open may take spare bytes of memory, and so may
// those in /tmp.
//
// The paths given to files are absolute, cleaned and separated by slashes, but may contain any byte of UTF-8. Remove
// and Rename of files must not affect directories that are not empty, and files must limit the sizes of files itself.
// afero.MemMapFs does neither: do not use it for untrusted guests.
func New(files afero.Fs, spare int64) *FS {
	s := &FS{Now: time.Now, spare: spare}
	s.files = scratch.New(files, spare, func() time.Time { return s.Now() })
	return s
}

// HasDevices reports whether /dev is the guest's own, and not the project's. It may ask the project.
func (s *FS) HasDevices() bool { return s.files.Has("/dev") }

// Copied returns how many bytes have been copied since its last call, to move files between /tmp and the project.
func (s *FS) Copied() int { return s.files.Copied() }

// IsClean reports whether the guest has nothing in /tmp.
func (s *FS) IsClean() bool { return s.files.IsEmpty() }

// IsIdle reports whether Close has nothing to do and would not wait: no regular file is open, and no operation is in
// progress.
func (s *FS) IsIdle() bool {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	return !slices.ContainsFunc(s.open, func(f File) bool { return !f.IsDir() })
}

// Close closes everything that is open. Replacements of files that are not finished take effect if finish is set;
// otherwise they are dropped. Directories that the guest has made as locks of open files are removed. The error is that
// of the first file whose changes may be lost.
func (s *FS) Close(finish bool) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.release(s.held())
	for len(s.open) > 0 {
		last := s.open[len(s.open)-1]
		if f, ok := last.(*file); ok && !finish {
			f.discard()
		} else if failed := last.close(); err == nil {
			err = failed
		}
	}
	return err
}

// forget takes a closed file off the list of open ones.
func (s *FS) forget(f File) {
	if i := slices.Index(s.open, f); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
}

// opened returns the open regular files at a path.
func (s *FS) opened(name string) (files []*file) {
	for _, o := range s.open {
		if f, ok := o.(*file); ok && f.name == name {
			files = append(files, f)
		}
	}
	return files
}

// settle makes what the guest is about to look at, or to change, what it must be by POSIX: see the package.
func (s *FS) settle(name string) Errno {
	for _, o := range s.open {
		f, ok := o.(*file)
		if !ok || !f.staged || !within(f.name, name) && !within(name, f.name) {
			continue
		}
		if errno := f.settle(); errno != 0 {
			return errno
		}
	}
	return 0
}

// within reports whether a path is that of a directory, or below it.
func within(name, dir string) bool {
	return name == dir || dir == root || strings.HasPrefix(name, dir) && name[len(dir)] == '/'
}

// Join returns the path that a guest means by a path relative to a directory. It ends in a slash if it can only be that
// of a directory. A path that leads out of the directory is EPERM, as an absolute path is.
func Join(dir, guest string) (string, Errno) {
	switch {
	case guest == "":
		return "", ENOENT
	case len(guest) > MaxPath:
		return "", ENAMETOOLONG
	case !utf8.ValidString(guest):
		return "", EILSEQ
	case guest[0] == '/':
		return "", EPERM
	}
	depth := 0
	for part := range strings.SplitSeq(guest, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return "", EPERM
			}
		default:
			depth++
		}
	}
	return dir + "/" + guest, 0
}

// MaxPath is the longest path that a guest may use, in bytes.
const MaxPath = 4096

// resolve returns the absolute form of a path from the guest, and whether it can only be that of a directory.
func resolve(guest string) (name string, isDir bool) {
	isDir = strings.HasSuffix(guest, "/") || strings.HasSuffix(guest, "/.") || strings.HasSuffix(guest, "/..")
	return norm.NFC.String(path.Clean("/" + guest)), isDir
}

// dots returns the error for removing or renaming what a path names by "." or "..", as Linux has it, or zero.
func dots(guest string, self, above Errno) Errno {
	switch path.Base(guest) {
	case ".":
		return self
	case "..":
		return above
	}
	return 0
}

// root is the resolved path of what is mounted. Removing and renaming it is refused here, since not every afero.Fs
// does.
const root = "/"

// Stat describes a file or directory.
func (s *FS) Stat(guest string) (Stat, Errno) { return s.look(guest, s.files.Stat) }

// Lstat is Stat, but describes a link itself.
func (s *FS) Lstat(guest string) (Stat, Errno) { return s.look(guest, s.files.Lstat) }

func (s *FS) look(guest string, look func(string) (fs.FileInfo, error)) (Stat, Errno) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, _ := resolve(guest); s.hides(name) {
		return Stat{}, ENOENT
	}
	return s.stat(guest, look)
}

func (s *FS) stat(guest string, look func(string) (fs.FileInfo, error)) (Stat, Errno) {
	name, isDir := resolve(guest)
	if errno := s.settle(name); errno != 0 {
		return Stat{}, errno
	}
	info, err := look(name)
	switch {
	case err != nil:
		return Stat{}, toErrno(err)
	case isDir && !info.IsDir():
		return Stat{}, ENOTDIR
	}
	return describe(inode(name), info), 0
}

// Mkdir makes a directory.
func (s *FS) Mkdir(guest string) Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, _ := resolve(guest)
	if name == root {
		return EEXIST
	}
	if errno := s.settle(name); errno != 0 {
		return errno
	}
	errno := toErrno(s.files.Mkdir(name, dirMode))
	if errno == 0 {
		s.madeDir(name)
	}
	return errno
}

// The permissions that files and directories are made with.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// Rmdir removes an empty directory.
func (s *FS) Rmdir(guest string) Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, _ := resolve(guest)
	if errno := dots(guest, EINVAL, ENOTEMPTY); errno != 0 {
		return errno
	}
	if errno := s.settle(name); errno != 0 {
		return errno
	}
	info, err := s.files.Lstat(name)
	switch {
	case err != nil:
		return toErrno(err)
	case !info.IsDir():
		return ENOTDIR
	case name == root:
		return EPERM
	}
	errno := toErrno(s.files.Remove(name))
	if errno == 0 {
		delete(s.locks, name)
	}
	return errno
}

// Unlink removes a file.
func (s *FS) Unlink(guest string) Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, isDir := resolve(guest)
	if errno := s.settle(name); errno != 0 {
		return errno
	}
	info, err := s.files.Lstat(name)
	switch {
	case err != nil:
		return toErrno(err)
	case info.IsDir():
		return EISDIR
	case isDir:
		return ENOTDIR
	}
	orphans := s.opened(name)
	if err := s.files.Remove(name); err != nil {
		return toErrno(err)
	}
	s.orphan(orphans)
	return 0
}

// Link would make a link; there are none.
func (s *FS) Link(from, to string) Errno {
	info, errno := s.Lstat(from)
	switch {
	case errno != 0:
		return errno
	case info.Mode.IsDir():
		return EPERM
	}
	return s.Symlink(to)
}

// Symlink would make a symbolic link; there are none. It tells a name that is in use.
func (s *FS) Symlink(guest string) Errno {
	if _, errno := s.Lstat(guest); errno == 0 {
		return EEXIST
	}
	if _, isDir := resolve(guest); isDir {
		return ENOENT
	}
	return EPERM
}

// Readlink tells what is no link (EINVAL) from what cannot be read (EACCES).
func (s *FS) Readlink(guest string) Errno {
	stat, errno := s.Lstat(guest)
	switch {
	case errno != 0:
		return errno
	case stat.Mode&fs.ModeSymlink != 0:
		return EACCES
	}
	return EINVAL
}

// OmitTime as a time leaves it as it is.
const OmitTime = -1 << 63

// Utimens sets the times of a file or directory, in nanoseconds.
func (s *FS) Utimens(guest string, atim, mtim int64) Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.utimens(guest, atim, mtim)
}

func (s *FS) utimens(guest string, atim, mtim int64) Errno {
	name, isDir := resolve(guest)
	if errno := s.settle(name); errno != 0 {
		return errno
	}
	if isDir || mtim == OmitTime {
		stat, errno := s.stat(guest, s.files.Stat)
		switch {
		case errno != 0:
			return errno
		case mtim == OmitTime:
			mtim = stat.Mtim
		}
	}
	if atim == OmitTime {
		atim = mtim // nothing reports it
	}
	errno := toErrno(s.files.Chtimes(name, time.Unix(0, atim), time.Unix(0, mtim)))
	s.touched(name)
	return errno
}
