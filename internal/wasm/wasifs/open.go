package wasifs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// A Flag says how a guest opens a file. Without O_WRONLY and O_RDWR it is opened for reading.
type Flag uint16

// The flags of opening a file.
const (
	O_WRONLY Flag = 1 << iota
	O_RDWR
	O_APPEND
	O_CREAT
	O_DIRECTORY
	O_EXCL
	O_NOFOLLOW
	O_SYNC // each write is made durable
	O_TRUNC

	O_RDONLY Flag = 0
)

// A File is an open file or directory. It is safe for concurrent use. After Close everything is EBADF.
type File interface {
	// Name returns the resolved path of the file, as far as that is known.
	Name() string
	IsDir() bool
	// IsAppend reports whether writing goes to the end of the file, and SetAppend changes that.
	IsAppend() bool
	SetAppend(bool) Errno
	SetSync(bool) Errno
	Stat() (Stat, Errno)
	Read(b []byte) (int, Errno)
	Pread(b []byte, off int64) (int, Errno)
	Write(b []byte) (int, Errno)
	Pwrite(b []byte, off int64) (int, Errno)
	// Seek moves to a position. io.SeekEnd asks the afero.Fs; the others do not.
	Seek(offset position, whence int) (int64, Errno)
	Truncate(size int64) Errno
	Sync() Errno
	Utimens(atim, mtim int64) Errno
	// List returns what is in a directory. The result must not be changed.
	List() ([]Entry, Errno)
	// Close closes the file. The error means that something written may be lost. Closing again does nothing.
	Close() Errno

	close() error            // with FS.mu held
	renamed(from, to string) // what was at from is now at to; with FS.mu held
}

// position keeps go vet from taking Seek for the method of io.Seeker.
type position = int64

// Open opens a file or directory.
func (s *FS) Open(guest string, flag Flag) (File, Errno) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, errno := s.openAny(guest, flag)
	if errno != 0 {
		return nil, errno
	}
	s.open = append(s.open, f)
	return f, 0
}

func (s *FS) openAny(guest string, flag Flag) (File, Errno) {
	name, isDir := resolve(guest)
	for _, excluded := range []Flag{O_RDWR | O_WRONLY, O_CREAT | O_DIRECTORY} {
		if flag&excluded == excluded {
			return nil, EINVAL
		}
	}
	if name == root && flag&^(O_DIRECTORY|O_NOFOLLOW) == 0 {
		return newDir(s, name), 0 // whatever state the afero.Fs is in
	}
	if errno := s.settle(name); errno != 0 {
		return nil, errno
	}
	if flag&O_NOFOLLOW != 0 {
		if info, err := s.files.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, ELOOP
		}
	}
	if isDir || flag&O_DIRECTORY != 0 {
		return s.openDir(name, flag)
	}
	return s.openFile(name, flag)
}

// openDir opens what can only be a directory.
func (s *FS) openDir(name string, flag Flag) (File, Errno) {
	info, err := s.files.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag&O_CREAT != 0:
		return nil, EISDIR
	case err != nil:
		return nil, toErrno(err)
	case !info.IsDir():
		return nil, ENOTDIR
	case flag&(O_RDWR|O_WRONLY|O_CREAT|O_TRUNC) != 0:
		return nil, EISDIR
	}
	return newDir(s, name), 0
}

// openFile opens what is a file unless it turns out to be a directory.
func (s *FS) openFile(name string, flag Flag) (File, Errno) {
	f := &file{
		handle:   handle{fs: s, name: name},
		readable: flag&O_WRONLY == 0,
		writable: flag&(O_RDWR|O_WRONLY) != 0,
		durable:  flag&O_SYNC != 0,
		appends:  flag&O_APPEND != 0,
	}
	f.firstAppends = f.appends && f.writable
	truncate := flag&O_TRUNC != 0
	// A replacement would not be the file that other handles have open.
	f.staged = truncate && len(s.opened(name)) == 0
	first, err := s.files.OpenFile(name, f.openFlag(flag, truncate), fileMode)
	if err != nil {
		return nil, toErrno(err)
	}
	f.first = first
	info, err := first.Stat()
	switch {
	case err == nil && info.IsDir() && flag&(O_RDWR|O_WRONLY|O_CREAT|O_TRUNC) != 0:
		err = syscall.EISDIR
	case err == nil && info.IsDir():
		_ = first.Close()
		return newDir(s, name), 0
	case err == nil && truncate && !f.staged:
		err = first.Truncate(0)
	}
	if err != nil {
		f.discard()
		return nil, toErrno(err)
	}
	return f, 0
}

// openFlag returns the flags that package os has for those that the guest opens a file with.
func (f *file) openFlag(flag Flag, truncate bool) int {
	var out int
	switch {
	case f.readable && (f.writable || truncate):
		out = os.O_RDWR
	case f.writable:
		out = os.O_WRONLY
	default:
		out = os.O_RDONLY
	}
	if f.firstAppends {
		out |= os.O_APPEND
	}
	if f.staged {
		out |= os.O_TRUNC
	}
	if flag&O_CREAT != 0 {
		out |= os.O_CREATE
		if flag&O_EXCL != 0 { // which means nothing alone
			out |= os.O_EXCL
		}
	}
	return out
}
