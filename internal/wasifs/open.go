package wasifs

import (
	"io/fs"
	"os"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// OpenFile implements [sys.FS]. O_NONBLOCK and O_RSYNC have no effect.
func (s *fileSystem) OpenFile(guest string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	name, isDir := resolve(guest)
	for _, excluded := range []sys.Oflag{sys.O_RDWR | sys.O_WRONLY, sys.O_CREAT | sys.O_DIRECTORY} {
		if flag&excluded == excluded {
			return nil, sys.EINVAL
		}
	}
	if name == root && flag&^(sys.O_DIRECTORY|sys.O_NOFOLLOW|sys.O_NONBLOCK) == 0 {
		// wazero opens the root in the middle of other calls, and panics if that fails for whatever reason.
		return newDir(s, name), 0
	}
	if flag&sys.O_NOFOLLOW != 0 {
		if info, err := s.lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, sys.ELOOP
		}
	}
	if isDir || flag&sys.O_DIRECTORY != 0 {
		return s.openDir(name, flag)
	}
	return s.openFile(name, flag, perm)
}

// openDir opens what can only be a directory.
func (s *fileSystem) openDir(name string, flag sys.Oflag) (sys.File, sys.Errno) {
	info, err := s.files.Stat(name)
	switch {
	case err != nil:
		return nil, toErrno(err)
	case !info.IsDir():
		return nil, sys.ENOTDIR
	case flag&(sys.O_RDWR|sys.O_WRONLY|sys.O_CREAT|sys.O_TRUNC) != 0:
		return nil, sys.EISDIR
	}
	return newDir(s, name), 0
}

// openFile opens what is a file unless it turns out to be a directory.
func (s *fileSystem) openFile(name string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	f := &file{
		fs:       s,
		name:     name,
		readable: flag&sys.O_WRONLY == 0,
		writable: flag&(sys.O_RDWR|sys.O_WRONLY) != 0,
		durable:  flag&(sys.O_SYNC|sys.O_DSYNC) != 0,
		appends:  flag&sys.O_APPEND != 0,
	}
	f.firstAppends = f.appends && f.writable

	// O_TRUNC is not passed on. An afero.Fs may take it to mean that what is written replaces the file as a whole when
	// the handle is closed; package vfs does. Programs that expect POSIX count on the file being empty at once, and on
	// what they write being there for others, and for other handles of their own, before they close it.
	truncate := flag&sys.O_TRUNC != 0
	first, err := s.files.OpenFile(name, f.openFlag(flag, truncate), perm.Perm())
	if err != nil {
		return nil, toErrno(err)
	}
	info, err := first.Stat()
	switch {
	case err == nil && info.IsDir() && flag&(sys.O_RDWR|sys.O_WRONLY|sys.O_CREAT|sys.O_TRUNC) != 0:
		err = sys.EISDIR
	case err == nil && info.IsDir():
		_ = first.Close()
		return newDir(s, name), 0
	case err == nil && truncate:
		err = first.Truncate(0)
	}
	if err != nil {
		_ = first.Close()
		return nil, toErrno(err)
	}
	f.first = first
	return f, 0
}

// openFlag returns the flags that package os has for those that the guest opens a file with.
func (f *file) openFlag(flag sys.Oflag, truncate bool) int {
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
	if flag&sys.O_CREAT != 0 {
		out |= os.O_CREATE
		if flag&sys.O_EXCL != 0 { // which means nothing alone
			out |= os.O_EXCL
		}
	}
	return out
}
