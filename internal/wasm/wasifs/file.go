package wasifs

import (
	"errors"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/wasm/scratch"
)

// A file is an open regular file. Where reading and writing go on is known here and not in the afero.Fs, so that all
// but appending is done at given positions.
type file struct {
	handle

	readable, writable bool
	durable            bool // each write is synced

	pos int64
	// appends is what O_APPEND is now. An afero.File cannot change it, and cannot write at a position if it has it. So
	// there is a second handle as soon as one of the other kind is needed, which is rare. Seeking to the end instead
	// would let others get in between.
	appends       bool
	first, second afero.File
	firstAppends  bool
	// staged says that the file has been opened to be replaced as a whole, and that is not finished.
	staged bool
	orphan *orphan // what there is instead of first and second, or nil
}

// Ways of using a file.
const (
	anyway = iota
	reading
	writing
)

// use locks the file if it is open, and open for what it is to be used for.
func (f *file) use(how int) (done func(), errno Errno) {
	f.fs.mu.Lock()
	if f.closed || how == reading && !f.readable || how == writing && !f.writable {
		f.fs.mu.Unlock()
		return nil, EBADF
	}
	return f.fs.mu.Unlock, 0
}

// settle puts the new content in the place of the old one, if that has not happened.
func (f *file) settle() Errno {
	if !f.staged {
		return 0
	}
	return toErrno(f.sync(f.first))
}

// writer returns the handle that appends, or that does not.
func (f *file) writer(appends bool) (afero.File, Errno) {
	if appends == f.firstAppends {
		return f.first, 0
	}
	if f.second == nil {
		if f.name == "" {
			return nil, ESTALE
		}
		if errno := f.settle(); errno != 0 {
			return nil, errno
		}
		flag := os.O_WRONLY
		if appends {
			flag |= os.O_APPEND
		}
		second, err := f.fs.files.OpenFile(f.name, flag, 0)
		if err != nil {
			return nil, toErrno(err)
		}
		f.second = second
	}
	return f.second, 0
}

// IsDir implements [File].
func (f *file) IsDir() bool { return false }

// IsAppend implements [File].
func (f *file) IsAppend() bool {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.appends
}

// SetAppend implements [File].
func (f *file) SetAppend(enable bool) Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	if f.writable && f.orphan == nil {
		if _, errno := f.writer(enable); errno != 0 {
			return errno
		}
	}
	f.appends = enable
	return 0
}

// SetSync implements [File].
func (f *file) SetSync(enable bool) Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	f.durable = enable
	return 0
}

// Stat implements [File].
func (f *file) Stat() (Stat, Errno) {
	done, errno := f.use(anyway)
	if errno != 0 {
		return Stat{}, errno
	}
	defer done()
	return f.stat()
}

func (f *file) stat() (Stat, Errno) {
	if f.orphan != nil {
		return f.orphan.stat(), 0
	}
	info, err := f.first.Stat()
	if err != nil {
		return Stat{}, toErrno(err)
	}
	return describe(inode(f.name), info), 0
}

// Read implements [File].
func (f *file) Read(buf []byte) (int, Errno) {
	done, errno := f.use(reading)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	n, errno := f.readAt(buf, f.pos)
	f.pos += int64(n)
	return n, errno
}

// Pread implements [File].
func (f *file) Pread(buf []byte, off int64) (int, Errno) {
	done, errno := f.use(reading)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	return f.readAt(buf, off)
}

func (f *file) readAt(buf []byte, off int64) (int, Errno) {
	switch {
	case off < 0 || off > math.MaxInt64-int64(len(buf)):
		return 0, EINVAL
	case len(buf) == 0:
		return 0, 0
	case f.orphan != nil:
		return f.orphan.readAt(buf, off), 0
	}
	n, err := f.first.ReadAt(buf, off)
	if errors.Is(err, io.ErrUnexpectedEOF) { // what afero.MemMapFs says behind the end
		err = nil
	}
	return bounded(n, len(buf)), toErrno(err)
}

// Seek implements [File].
func (f *file) Seek(offset position, whence int) (int64, Errno) {
	done, errno := f.use(anyway)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	var base int64
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		base = f.pos
	case io.SeekEnd:
		stat, errno := f.stat()
		if errno != 0 {
			return 0, errno
		}
		base = stat.Size
	default:
		return 0, EINVAL
	}
	if base+offset < 0 { // as it also is if it is too large
		return 0, EINVAL
	}
	f.pos = base + offset
	return f.pos, 0
}

// List implements [File]; it is for directories.
func (f *file) List() ([]Entry, Errno) {
	done, errno := f.use(anyway)
	if errno != 0 {
		return nil, errno
	}
	done()
	return nil, ENOTDIR
}

// Write implements [File].
func (f *file) Write(buf []byte) (int, Errno) {
	done, errno := f.use(writing)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	if f.appends {
		return f.append(buf)
	}
	n, errno := f.writeAt(buf, f.pos)
	f.pos += int64(n)
	return n, errno
}

// Pwrite implements [File]. It writes where it is told to even if the file appends, as POSIX has it.
func (f *file) Pwrite(buf []byte, off int64) (int, Errno) {
	done, errno := f.use(writing)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	return f.writeAt(buf, off)
}

func (f *file) writeAt(buf []byte, off int64) (int, Errno) {
	switch {
	case off < 0 || off > math.MaxInt64-int64(len(buf)):
		return 0, EINVAL
	case len(buf) == 0:
		return 0, 0
	case f.orphan != nil:
		return f.orphan.writeAt(buf, off)
	}
	w, errno := f.writer(false)
	if errno != 0 {
		return 0, errno
	}
	n, err := w.WriteAt(buf, off)
	return f.written(w, n, len(buf), err)
}

// append writes at the end, wherever that is by then, and goes on from there.
func (f *file) append(buf []byte) (int, Errno) {
	switch {
	case len(buf) == 0:
		return 0, 0
	case f.orphan != nil:
		n, errno := f.orphan.writeAt(buf, int64(len(f.orphan.data)))
		f.pos = int64(len(f.orphan.data))
		return n, errno
	}
	w, errno := f.writer(true)
	if errno != 0 {
		return 0, errno
	}
	// To some, O_APPEND only means to begin at the end: afero.MemMapFs.
	if _, err := w.Seek(0, io.SeekEnd); err != nil {
		return 0, toErrno(err)
	}
	n, err := w.Write(buf)
	if end, err := w.Seek(0, io.SeekCurrent); err == nil {
		f.pos = end
	}
	return f.written(w, n, len(buf), err)
}

// written is what comes after a write. Something that was written is not an error: the next attempt will be one.
func (f *file) written(w afero.File, n, want int, err error) (int, Errno) {
	switch {
	case err == nil && n < want:
		err = io.ErrShortWrite
	case err == nil && f.durable:
		err = f.sync(w)
	}
	return bounded(n, want), toErrno(err)
}

// Truncate implements [File].
func (f *file) Truncate(size int64) Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	switch {
	case size < 0 || !f.writable: // POSIX leaves the choice for the latter; this is Linux's
		return EINVAL
	case f.orphan != nil:
		return f.orphan.truncate(size)
	}
	err := f.first.Truncate(size)
	if err == nil && f.durable {
		err = f.sync(f.first)
	}
	return toErrno(err)
}

// Sync implements [File].
func (f *file) Sync() Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	if f.orphan != nil || !f.writable && !f.staged {
		return 0
	}
	err := f.sync(f.first)
	if f.second != nil {
		err = errors.Join(err, f.second.Sync())
	}
	return toErrno(err)
}

// sync syncs a handle of the file, which settles it.
func (f *file) sync(handle afero.File) error {
	err := handle.Sync()
	if err == nil && handle == f.first {
		f.staged = false
	}
	return err
}

// Utimens implements [File]. An afero.File has no times to set; its path has.
func (f *file) Utimens(atim, mtim int64) Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	switch {
	case f.orphan != nil:
		if mtim != OmitTime {
			f.orphan.mtime = time.Unix(0, mtim)
		}
		return 0
	case f.name == "":
		return ENOENT
	}
	return f.fs.utimens(f.name, atim, mtim)
}

// Close implements [File].
func (f *file) Close() Errno {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return toErrno(f.close())
}

func (f *file) close() error { return f.end(afero.File.Close) }

// discard closes the file without finishing its replacement, if the afero.Fs can do that.
func (f *file) discard() {
	_ = f.end(func(handle afero.File) error {
		scratch.Discard(handle)
		return nil
	})
}

func (f *file) end(end func(afero.File) error) error {
	if f.closed {
		return nil
	}
	f.closed = true
	f.fs.forget(f)
	if f.orphan != nil {
		f.orphan.close()
		return nil
	}
	err := end(f.first)
	if f.second != nil {
		err = errors.Join(err, end(f.second))
	}
	return err
}

// bounded bounds a count that an afero.Fs has returned.
func bounded(n, most int) int { return max(0, min(n, most)) }
