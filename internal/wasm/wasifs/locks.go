package wasifs

import (
	"io"
	"strings"
)

// Programs lock a file NAME by making a directory NAME.lock, where there are no other locks: SQLite does. A guest that
// is stopped, or ends without closing the file, would leave the directory behind, and so lock out all that come after
// it. The locks of a process end with it, and so do these.

const lockSuffix = ".lock"

// maxLocks is how many directories are watched at the same time.
const maxLocks = 1000

// madeDir watches a directory that the guest has made and that may be a lock.
func (s *FS) madeDir(name string) {
	if strings.HasSuffix(name, lockSuffix) && len(s.locks) < maxLocks {
		if s.locks == nil {
			s.locks = map[string]int64{}
		}
		s.locks[name] = 0
		s.touched(name)
	}
}

// touched notes the time of a directory that is watched. By it, it is told from one that somebody else has made in its
// place.
func (s *FS) touched(name string) {
	if _, ok := s.locks[name]; !ok {
		return
	}
	info, err := s.files.Lstat(name)
	if err != nil {
		delete(s.locks, name)
		return
	}
	s.locks[name] = nanoseconds(info.ModTime())
}

// held returns the locks of files that the guest has open.
func (s *FS) held() (names []string) {
	for name := range s.locks {
		if len(s.opened(strings.TrimSuffix(name, lockSuffix))) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// hides reports whether the guest is not to see a lock of its own: SQLite takes it for somebody else's when it looks
// whether a transaction that was not finished is to be undone, and then would never undo one. This holds for databases
// alone: files that are empty or begin as they do.
func (s *FS) hides(name string) bool {
	if _, ok := s.locks[name]; !ok {
		return false
	}
	file := strings.TrimSuffix(name, lockSuffix)
	if len(s.opened(file)) == 0 {
		return false
	}
	f, err := s.files.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(databaseHead)]byte
	n, err := io.ReadFull(f, head[:])
	return n == 0 && err == io.EOF || string(head[:]) == databaseHead
}

// databaseHead is how each database of SQLite begins. See https://www.sqlite.org/fileformat.html.
const databaseHead = "SQLite format 3\x00"

// release removes locks, unless they are somebody else's by now.
func (s *FS) release(names []string) {
	for _, name := range names {
		info, err := s.files.Lstat(name)
		if err == nil && info.IsDir() && nanoseconds(info.ModTime()) == s.locks[name] {
			_ = s.files.Remove(name) // which fails if there is something in it
		}
	}
	s.locks = nil
}
