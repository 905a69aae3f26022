package fsys

import (
	"io"
	"os"
)

// A Spool is a content that is being written: in memory, or in a temporary file of the host if it has more than Memory
// bytes. It is not safe for concurrent use.
type Spool struct {
	Memory int64

	content []byte
	file    *os.File // nil while everything is in memory
	named   bool     // the file still has a name
	size    int64
}

// Size is the size of the content in bytes.
func (s *Spool) Size() int64 { return s.size }

// InMemory returns the content, if all of it is in memory.
func (s *Spool) InMemory() (content []byte, ok bool) { return s.content, s.file == nil }

func (s *Spool) toFile() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp("", "toolrun-file-*")
	if err != nil {
		return Bare(err)
	}
	s.file, s.named = f, os.Remove(f.Name()) != nil // Windows does not remove open files
	_, err = f.WriteAt(s.content, 0)
	s.content = nil
	return Bare(err)
}

// Write implements [io.Writer]: it appends.
func (s *Spool) Write(b []byte) (int, error) { return s.WriteAt(b, s.size) }

// WriteAt implements [io.WriterAt].
func (s *Spool) WriteAt(b []byte, offset int64) (int, error) {
	if end := offset + int64(len(b)); s.file == nil && end <= s.Memory {
		if end > s.size {
			s.resize(end)
		}
		return copy(s.content[offset:], b), nil
	}
	if err := s.toFile(); err != nil {
		return 0, err
	}
	n, err := s.file.WriteAt(b, offset)
	s.size = max(s.size, offset+int64(n))
	return n, Bare(err)
}

// resize changes the size of what is in memory.
func (s *Spool) resize(size int64) {
	if size > int64(cap(s.content)) {
		grown := make([]byte, size, max(size, min(s.Memory, int64(cap(s.content))*2)))
		copy(grown, s.content)
		s.content = grown
	} else {
		old := len(s.content)
		s.content = s.content[:size]
		clear(s.content[min(old, int(size)):])
	}
	s.size = size
}

// Truncate changes the size.
func (s *Spool) Truncate(size int64) error {
	if s.file == nil && size <= s.Memory {
		s.resize(size)
		return nil
	}
	if err := s.toFile(); err != nil {
		return err
	}
	if err := s.file.Truncate(size); err != nil {
		return Bare(err)
	}
	s.size = size
	return nil
}

// ReadAt implements [io.ReaderAt].
func (s *Spool) ReadAt(b []byte, offset int64) (int, error) {
	if s.file == nil {
		n := copy(b, s.content[min(offset, int64(len(s.content))):])
		if n < len(b) {
			return n, io.EOF
		}
		return n, nil
	}
	n, err := s.file.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		err = Bare(err)
	}
	return n, err
}

// Close drops the content.
func (s *Spool) Close() {
	if s.file != nil {
		_ = s.file.Close()
		if s.named {
			_ = os.Remove(s.file.Name())
		}
		s.file = nil
	}
	s.content = nil
}
