package postgres

import (
	"io"
	"os"
	"syscall"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// partSize is how much of a content one part has, but for the last one.
const partSize = 1 << 20

// maxContent is the most bytes that a file can have: its digests are in one row.
const maxContent = 64 << 30

// A spool is what is being written: in memory, or in a temporary file of the host if there is more than one part. It is
// not safe for concurrent use.
type spool struct {
	memory []byte
	file   *os.File // nil while everything is in memory
	named  bool     // the file still has a name
	size   int64
}

func (s *spool) toFile() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp("", "toolrun-file-*")
	if err != nil {
		return fsys.Bare(err)
	}
	s.file, s.named = f, os.Remove(f.Name()) != nil // Windows does not remove open files
	_, err = f.WriteAt(s.memory, 0)
	s.memory = nil
	return fsys.Bare(err)
}

func (s *spool) writeAt(b []byte, offset int64) (int, error) {
	end := offset + int64(len(b))
	if offset > maxContent-int64(len(b)) {
		return 0, syscall.EFBIG
	}
	if s.file == nil && end <= partSize {
		if end > s.size {
			s.resize(end)
		}
		return copy(s.memory[offset:], b), nil
	}
	if err := s.toFile(); err != nil {
		return 0, err
	}
	n, err := s.file.WriteAt(b, offset)
	s.size = max(s.size, offset+int64(n))
	return n, fsys.Bare(err)
}

// resize changes the size of what is in memory.
func (s *spool) resize(size int64) {
	if size > int64(cap(s.memory)) {
		grown := make([]byte, size, max(size, min(partSize, int64(cap(s.memory))*2)))
		copy(grown, s.memory)
		s.memory = grown
	} else {
		old := len(s.memory)
		s.memory = s.memory[:size]
		clear(s.memory[min(old, int(size)):])
	}
	s.size = size
}

func (s *spool) truncate(size int64) error {
	switch {
	case size > maxContent:
		return syscall.EFBIG
	case s.file == nil && size <= partSize:
		s.resize(size)
		return nil
	}
	if err := s.toFile(); err != nil {
		return err
	}
	if err := s.file.Truncate(size); err != nil {
		return fsys.Bare(err)
	}
	s.size = size
	return nil
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(b []byte, offset int64) (int, error) {
	if s.file == nil {
		n := 0
		if offset < s.size {
			n = copy(b, s.memory[offset:])
		}
		if n < len(b) {
			return n, io.EOF
		}
		return n, nil
	}
	n, err := s.file.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		err = fsys.Bare(err)
	}
	return n, err
}

// close drops everything.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		if s.named {
			_ = os.Remove(s.file.Name())
		}
		s.file = nil
	}
	s.memory = nil
}
