package postgres

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math"
	"sync"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// freshFor is how long a handle takes what it knows of a file for what it is: others may write in place elsewhere.
const freshFor = 100 * time.Millisecond

// A live file is one that is open in this process. All handles on it share what is known of it.
type live struct {
	b       *backend
	ino     int64
	handles int // guarded by b.mu

	mu sync.Mutex // guards the following
	// now is the file as it is, and checked when that was looked up. Zero means that it has to be.
	now     entry
	checked time.Time
	// changed says that a transaction of this process has changed it that has not come to its end.
	changed bool
	// part is a part that has been read, by its digest.
	digest [sha256.Size]byte
	part   []byte
}

// set notes what a file is like now.
func (l *live) set(e *entry, changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now, l.checked, l.changed = *e, time.Now(), changed
	if e.first != nil && len(e.parts) == sha256.Size {
		l.digest, l.part = [sha256.Size]byte(e.parts), e.first
	}
	l.now.first = nil
}

// settled notes that the transaction which has changed the file has come to its end, and whether that is known to be
// good.
func (l *live) settled(good bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed = false
	if !good {
		l.checked = time.Time{}
	}
}

// fresh returns what the file is like now. If it is gone, that is what it was last.
func (l *live) fresh() (entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed || time.Since(l.checked) < freshFor {
		return l.now, nil
	}
	e, err := l.b.reader().byIno(l.ino)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return entry{}, err
	}
	if err == nil {
		l.now = *e
	}
	l.checked = time.Now()
	return l.now, nil
}

// read reads a part of the content that it had at one moment.
func (l *live) read(b []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, syscall.EINVAL
	}
	e, err := l.fresh()
	if err != nil {
		return 0, err
	}
	n := 0
	for n < len(b) && offset < e.size {
		part, err := l.partOf(&e, offset/partSize)
		if err == errDamaged && l.isGone(&e) {
			err = syscall.ESTALE
		}
		if err != nil {
			return n, err
		}
		from := offset % partSize
		if from >= int64(len(part)) {
			return n, errDamaged
		}
		copied := copy(b[n:], part[from:])
		n += copied
		offset += int64(copied)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// isGone reports whether the file no longer has a content: it was replaced or removed, so long ago that it was swept.
func (l *live) isGone(e *entry) bool {
	is, err := l.b.reader().byIno(l.ino)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(is.parts, e.parts)
}

// partOf returns a part of a content, and keeps it for the next time.
func (l *live) partOf(e *entry, index int64) ([]byte, error) {
	if int64(len(e.parts)) < (index+1)*sha256.Size {
		return nil, errDamaged
	}
	digest := [sha256.Size]byte(e.parts[index*sha256.Size:])
	l.mu.Lock()
	if l.part != nil && l.digest == digest {
		defer l.mu.Unlock()
		return l.part, nil
	}
	l.mu.Unlock()
	part, err := l.b.part(digest)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.digest, l.part = digest, part
	return part, nil
}

// A handle is a [project.Node]: an open file of the project, or a temporary one that has not been put into it.
type handle struct {
	b        *backend
	name     string
	writable bool

	mu sync.Mutex // guards the following
	// live is nil for a temporary file.
	live *live
	// spool, mode and changed are those of a temporary file. parts are its digests, if they are known.
	spool   *fsys.Spool
	mode    int32
	changed time.Time
	parts   []byte
	// closed says that it has been closed, removed that no name leads to it any more.
	closed, removed bool
}

var _ project.Node = (*handle)(nil)

// ReadAt implements [io.ReaderAt].
func (h *handle) ReadAt(b []byte, offset int64) (int, error) {
	h.mu.Lock()
	if h.live == nil {
		defer h.mu.Unlock()
		if offset < 0 {
			return 0, syscall.EINVAL
		}
		return h.spool.ReadAt(b, offset)
	}
	h.mu.Unlock()
	return h.live.read(b, offset)
}

// WriteAt implements [io.WriterAt].
func (h *handle) WriteAt(b []byte, offset int64) (int, error) {
	switch {
	case !h.writable:
		return 0, syscall.EBADF
	case offset < 0 || offset > math.MaxInt64-int64(len(b)):
		return 0, syscall.EINVAL
	case len(b) == 0:
		return 0, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live == nil {
		h.changed, h.parts = now(), nil
		if offset > maxContent-int64(len(b)) {
			return 0, syscall.EFBIG
		}
		return h.spool.WriteAt(b, offset)
	}
	if err := h.b.change(func(tx *transaction) error { return tx.write(h.live, b, offset) }); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Truncate implements [project.Node].
func (h *handle) Truncate(size int64) error {
	switch {
	case !h.writable:
		return syscall.EBADF
	case size < 0:
		return syscall.EINVAL
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live == nil {
		h.changed, h.parts = now(), nil
		if size > maxContent {
			return syscall.EFBIG
		}
		return h.spool.Truncate(size)
	}
	return h.b.change(func(tx *transaction) error { return tx.truncate(h.live, size) })
}

// Stat implements [project.Node].
func (h *handle) Stat() (fs.FileInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live == nil {
		return info{h.name, h.spool.Size(), fs.FileMode(h.mode) & fs.ModePerm, h.changed, 0}, nil
	}
	e, err := h.live.fresh()
	if err != nil {
		return nil, err
	}
	return e.describe(h.name), nil
}

// Sync implements [project.Node]. It does what need not be done under the lock.
func (h *handle) Sync() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.live != nil || h.parts != nil {
		return nil
	}
	return h.hash()
}

// hash finds out the digests of a temporary file.
func (h *handle) hash() error {
	parts := make([]byte, 0, sha256.Size)
	err := h.eachPart(func(data []byte) error {
		digest := sha256.Sum256(data)
		parts = append(parts, digest[:]...)
		return nil
	})
	if err == nil {
		h.parts = parts
	}
	return err
}

// eachPart does something with each part of a temporary file, which must not be kept.
func (h *handle) eachPart(do func(data []byte) error) error {
	if content, ok := h.spool.InMemory(); ok {
		if len(content) == 0 {
			return nil
		}
		return do(content)
	}
	buf := make([]byte, partSize)
	for at := int64(0); at < h.spool.Size(); at += partSize {
		data := buf[:min(partSize, h.spool.Size()-at)]
		if _, err := h.spool.ReadAt(data, at); err != nil && err != io.EOF {
			return err
		}
		if err := do(data); err != nil {
			return err
		}
	}
	return nil
}

// Close implements [io.Closer]. A temporary file lasts until it is put in place or removed.
func (h *handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	if h.live != nil {
		h.b.release(h.live)
	}
	h.drop()
	return nil
}

// remove notes that no name leads to a temporary file any more.
func (h *handle) remove() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.removed = true
	h.drop()
}

// drop drops what a temporary file has if nobody needs it any more.
func (h *handle) drop() {
	if h.spool != nil && h.removed && (h.closed || h.live != nil) {
		h.spool.Close()
	}
}

// now is the time as the database has it.
func now() time.Time { return time.Now().Round(0) }
