package cachedir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Reader reads a file of an entry. Instead of io.EOF it returns an error that is [ErrDamaged] if what it has read is
// not what was written. Do not use anything of it before the end.
type Reader struct {
	entry *Entry
	file  *os.File
	want  file
	size  int64
	sum   uint32
}

// Open opens a file of an existing entry, by its path with slashes. The error is an fs.ErrNotExist if no such file was
// written. The caller closes the reader.
func (e *Entry) Open(name string) (*Reader, error) {
	want, ok := e.content[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := os.Open(e.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, e.Damaged()
	}
	if err != nil {
		return nil, err
	}
	return &Reader{entry: e, file: f, want: want}, nil
}

func (e *Entry) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

// Damaged removes an existing entry, so that it can be made again, and returns [ErrDamaged]. Call it if what was
// written is of no use.
func (e *Entry) Damaged() error {
	return errors.Join(fmt.Errorf("%s: %w", e.dir, ErrDamaged), remove(e.dir))
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.size += int64(n)
	r.sum = crc32.Update(r.sum, castagnoli, p[:n])
	if r.size > r.want.size || err == io.EOF && (file{r.size, r.sum}) != r.want {
		err = r.entry.Damaged()
	}
	return n, err
}

// File returns the file that is read. Use nothing of it before Read has found its end without an error.
func (r *Reader) File() *os.File { return r.file }

// Close implements [io.Closer].
func (r *Reader) Close() error { return r.file.Close() }

// Read returns the content of a file of an existing entry. The error is [ErrDamaged] if it is not what was written.
func (e *Entry) Read(name string) ([]byte, error) {
	r, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, r.want.size+1) // with room for finding the end
	n, err := io.ReadFull(r, data)
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return data[:n], nil
}

// Guard calls a function that reads files of an existing entry by their paths. The error is [ErrDamaged] if the
// function may have read anything else than what was written.
func (e *Entry) Guard(use func() error, names ...string) error {
	var readers []*Reader
	defer func() {
		for _, r := range readers {
			r.Close()
		}
	}()
	for _, name := range names {
		r, err := e.Open(name)
		if err != nil {
			return err
		}
		readers = append(readers, r)
	}
	checked := make(chan error, 1)
	go func() {
		var err error
		for _, r := range readers {
			_, damage := copyAll(io.Discard, r)
			err = errors.Join(err, damage)
		}
		checked <- err
	}()
	used := use()
	if err := <-checked; err != nil {
		return err
	}
	// Nothing changes a file of an entry, but another process may have removed the entry, and the function may have
	// made the file anew, as a compiler does that finds no compiled code.
	for i, r := range readers {
		info, err := r.file.Stat()
		if err != nil {
			return err
		}
		if now, err := os.Stat(e.path(names[i])); err != nil || !os.SameFile(info, now) {
			return e.Damaged()
		}
	}
	return used
}
