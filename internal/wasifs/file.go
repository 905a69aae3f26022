package wasifs

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"

	"github.com/spf13/afero"
	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// A file is an open regular file. Where reading and writing go on is known here and not in the afero.Fs, so that all
// but appending is done at given positions.
type file struct {
	sys.UnimplementedFile
	fs   *fileSystem
	name string

	readable, writable bool
	durable            bool // each write is synced

	mu     sync.Mutex
	closed bool
	pos    int64
	// appends is what O_APPEND is now. An afero.File cannot change it, and cannot write at a position if it has it. So
	// there is a second handle as soon as one of the other kind is needed, which is rare. Seeking to the end instead
	// would let others get in between.
	appends       bool
	first, second afero.File
	firstAppends  bool
}

var _ sys.File = (*file)(nil)

// position keeps go vet from taking Seek for the method of io.Seeker.
type position = int64

// Ways of using a file.
const (
	anyway = iota
	reading
	writing
)

// use locks the file if it is open, and open for what it is to be used for.
func (f *file) use(how int) (done func(), errno sys.Errno) {
	f.mu.Lock()
	if f.closed || how == reading && !f.readable || how == writing && !f.writable {
		f.mu.Unlock()
		return nil, sys.EBADF
	}
	return f.mu.Unlock, 0
}

// writer returns the handle that appends, or that does not.
func (f *file) writer(appends bool) (afero.File, sys.Errno) {
	if appends == f.firstAppends {
		return f.first, 0
	}
	if f.second == nil {
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

// Dev implements [sys.File].
func (f *file) Dev() (uint64, sys.Errno) { return f.fs.dev, 0 }

// Ino implements [sys.File].
func (f *file) Ino() (wazerosys.Inode, sys.Errno) { return inode(f.name), 0 }

// IsDir implements [sys.File].
func (f *file) IsDir() (bool, sys.Errno) { return false, 0 }

// IsAppend implements [sys.File].
func (f *file) IsAppend() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.appends
}

// SetAppend implements [sys.File].
func (f *file) SetAppend(enable bool) sys.Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	if f.writable {
		if _, errno := f.writer(enable); errno != 0 {
			return errno
		}
	}
	f.appends = enable
	return 0
}

// Stat implements [sys.File].
func (f *file) Stat() (wazerosys.Stat_t, sys.Errno) {
	done, errno := f.use(anyway)
	if errno != 0 {
		return wazerosys.Stat_t{}, errno
	}
	defer done()
	return f.stat()
}

func (f *file) stat() (wazerosys.Stat_t, sys.Errno) {
	info, err := f.first.Stat()
	if err != nil {
		return wazerosys.Stat_t{}, toErrno(err)
	}
	return describe(f.fs.dev, inode(f.name), info), 0
}

// Read implements [sys.File].
func (f *file) Read(buf []byte) (int, sys.Errno) {
	done, errno := f.use(reading)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	n, errno := f.readAt(buf, f.pos)
	f.pos += int64(n)
	return n, errno
}

// Pread implements [sys.File].
func (f *file) Pread(buf []byte, off int64) (int, sys.Errno) {
	done, errno := f.use(reading)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	return f.readAt(buf, off)
}

func (f *file) readAt(buf []byte, off int64) (int, sys.Errno) {
	switch {
	case off < 0 || off > math.MaxInt64-int64(len(buf)):
		return 0, sys.EINVAL
	case len(buf) == 0:
		return 0, 0
	}
	n, err := f.first.ReadAt(buf, off)
	if errors.Is(err, io.ErrUnexpectedEOF) { // what afero.MemMapFs says behind the end
		err = nil
	}
	return n, toErrno(err)
}

// Seek implements [sys.File].
func (f *file) Seek(offset position, whence int) (int64, sys.Errno) {
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
		return 0, sys.EINVAL
	}
	if base+offset < 0 { // as it also is if it is too large
		return 0, sys.EINVAL
	}
	f.pos = base + offset
	return f.pos, 0
}

// Readdir implements [sys.File]; it is for directories.
func (f *file) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, sys.EBADF }

// Write implements [sys.File].
func (f *file) Write(buf []byte) (int, sys.Errno) {
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

// Pwrite implements [sys.File]. It writes where it is told to even if the file appends, as POSIX has it.
func (f *file) Pwrite(buf []byte, off int64) (int, sys.Errno) {
	done, errno := f.use(writing)
	if errno != 0 {
		return 0, errno
	}
	defer done()
	return f.writeAt(buf, off)
}

func (f *file) writeAt(buf []byte, off int64) (int, sys.Errno) {
	switch {
	case off < 0 || off > math.MaxInt64-int64(len(buf)):
		return 0, sys.EINVAL
	case len(buf) == 0:
		return 0, 0
	}
	w, errno := f.writer(false)
	if errno != 0 {
		return 0, errno
	}
	n, err := w.WriteAt(buf, off)
	return f.written(w, n, len(buf), err)
}

// append writes at the end, wherever that is by then, and goes on from there.
func (f *file) append(buf []byte) (int, sys.Errno) {
	if len(buf) == 0 {
		return 0, 0
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

// written is what comes after a write.
func (f *file) written(w afero.File, n, want int, err error) (int, sys.Errno) {
	switch {
	case err == nil && n < want:
		err = io.ErrShortWrite
	case err == nil && f.durable:
		err = w.Sync()
	}
	return n, toErrno(err)
}

// Truncate implements [sys.File].
func (f *file) Truncate(size int64) sys.Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	if size < 0 || !f.writable { // POSIX leaves the choice for the latter; this is Linux's
		return sys.EINVAL
	}
	err := f.first.Truncate(size)
	if err == nil && f.durable {
		err = f.first.Sync()
	}
	return toErrno(err)
}

// Sync implements [sys.File].
func (f *file) Sync() sys.Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	if !f.writable {
		return 0
	}
	err := f.first.Sync()
	if f.second != nil {
		err = errors.Join(err, f.second.Sync())
	}
	return toErrno(err)
}

// Datasync implements [sys.File].
func (f *file) Datasync() sys.Errno { return f.Sync() }

// Utimens implements [sys.File]. An afero.File has no times to set; its path has.
func (f *file) Utimens(atim, mtim int64) sys.Errno {
	done, errno := f.use(anyway)
	if errno != 0 {
		return errno
	}
	defer done()
	return f.fs.Utimens(f.name, atim, mtim)
}

// Close implements [sys.File]. Closing again does nothing: wazero keeps a file whose closing failed, and guests may
// then try to close it once more.
func (f *file) Close() sys.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0
	}
	f.closed = true
	err := f.first.Close()
	if f.second != nil {
		err = errors.Join(err, f.second.Close())
	}
	return toErrno(err)
}
