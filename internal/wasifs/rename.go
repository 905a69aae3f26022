package wasifs

import (
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// Rename implements [sys.FS]. File systems of Go, and Go's own package os, refuse to replace directories whatever is to
// go there (EEXIST). POSIX tells cases apart, and puts a directory in the place of an empty one.
func (s *fileSystem) Rename(guestFrom, guestTo string) sys.Errno {
	from, fromIsDir := resolve(guestFrom)
	to, toIsDir := resolve(guestTo)
	if from == root || to == root {
		return sys.EPERM
	}
	// A file by a name that ends in a slash, and what is to stay where it is, need a look at it; and so does a
	// directory that is to move into itself, which not every afero.Fs notices.
	inside := strings.HasPrefix(to, from+"/")
	if fromIsDir || toIsDir || from == to || inside {
		info, err := s.lstat(from)
		switch {
		case err != nil:
			return toErrno(err)
		case (fromIsDir || toIsDir || inside) && !info.IsDir():
			return sys.ENOTDIR
		case inside:
			return sys.EINVAL
		case from == to:
			return 0
		}
	}
	errno := toErrno(s.files.Rename(from, to))
	switch errno {
	case sys.EEXIST, sys.ENOTEMPTY, sys.EISDIR, sys.ENOTDIR:
		return s.renameOver(from, to, errno)
	}
	return errno
}

// renameOver finishes a rename that was refused because of what is in its way.
func (s *fileSystem) renameOver(from, to string, refusal sys.Errno) sys.Errno {
	source, err := s.lstat(from)
	if err != nil {
		return refusal
	}
	target, err := s.lstat(to)
	switch {
	case err != nil: // what is in the way has another name, or is a file on the way to it
		return refusal
	case source.IsDir() && !target.IsDir():
		return sys.ENOTDIR
	case !source.IsDir() && target.IsDir():
		return sys.EISDIR
	case !source.IsDir():
		return refusal
	}
	if err := s.files.Remove(to); err != nil {
		return toErrno(err)
	}
	return toErrno(s.files.Rename(from, to))
}
