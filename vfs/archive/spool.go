package archive

import (
	"io"
	"os"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// spoolMemory is how many bytes a spool keeps in memory.
const spoolMemory = 4 << 20

// A spool keeps what an import has read until it is put into the project. What is large goes to a temporary file of
// the host.
type spool struct {
	memory []byte
	file   *os.File // nil while everything is in memory
	named  bool     // the file still has a name
	size   int64
}

// Write implements [io.Writer]: it appends.
func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.size+int64(len(b)) <= spoolMemory {
		s.memory = append(s.memory, b...)
		s.size += int64(len(b))
		return len(b), nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "toolrun-import-*")
		if err != nil {
			return 0, fsys.Bare(err)
		}
		s.file, s.named = f, os.Remove(f.Name()) != nil // Windows does not remove open files
		if _, err := f.Write(s.memory); err != nil {
			return 0, fsys.Bare(err)
		}
		s.memory = nil
	}
	n, err := s.file.WriteAt(b, s.size)
	s.size += int64(n)
	return n, fsys.Bare(err)
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(b []byte, offset int64) (int, error) {
	if s.file == nil {
		n := copy(b, s.memory[min(offset, s.size):])
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

// section returns a reader of size bytes from an offset.
func (s *spool) section(offset, size int64) *io.SectionReader {
	return io.NewSectionReader(s, offset, size)
}

// close drops everything.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.named {
		_ = os.Remove(s.file.Name())
	}
}
