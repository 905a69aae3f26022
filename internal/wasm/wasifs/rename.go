package wasifs

import "strings"

// Rename moves a file or directory. File systems of Go, and Go's own package os, refuse to replace directories whatever
// is to go there (EEXIST). POSIX tells cases apart, and puts a directory in the place of an empty one.
func (s *FS) Rename(guestFrom, guestTo string) Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, fromIsDir := resolve(guestFrom)
	to, toIsDir := resolve(guestTo)
	for _, errno := range []Errno{
		dots(guestFrom, EBUSY, EBUSY), dots(guestTo, EBUSY, EBUSY), s.settle(from), s.settle(to),
	} {
		if errno != 0 {
			return errno
		}
	}
	if from == root || to == root {
		return EPERM
	}
	// A file by a name that ends in a slash, and what is to stay where it is, need a look at it; and so does a
	// directory that is to move into itself, which not every afero.Fs notices.
	inside := strings.HasPrefix(to, from+"/")
	if fromIsDir || toIsDir || from == to || inside {
		info, err := s.files.Lstat(from)
		switch {
		case err != nil:
			return toErrno(err)
		case (fromIsDir || toIsDir || inside) && !info.IsDir():
			return ENOTDIR
		case inside:
			return EINVAL
		case from == to:
			return 0
		}
	}
	orphans := s.opened(to)
	errno := toErrno(s.files.Rename(from, to))
	switch errno {
	case EEXIST, ENOTEMPTY, EISDIR, ENOTDIR:
		errno = s.renameOver(from, to, errno)
	}
	if errno == 0 {
		s.orphan(orphans)
		delete(s.locks, from)
		for _, f := range s.open {
			f.renamed(from, to)
		}
	}
	return errno
}

// renameOver finishes a rename that was refused because of what is in its way.
func (s *FS) renameOver(from, to string, refusal Errno) Errno {
	source, err := s.files.Lstat(from)
	if err != nil {
		return refusal
	}
	target, err := s.files.Lstat(to)
	switch {
	case err != nil: // what is in the way has another name, or is a file on the way to it
		return refusal
	case source.IsDir() && !target.IsDir():
		return ENOTDIR
	case !source.IsDir() && target.IsDir():
		return EISDIR
	case !source.IsDir():
		return refusal
	}
	if err := s.files.Remove(to); err != nil {
		return toErrno(err)
	}
	return toErrno(s.files.Rename(from, to))
}
