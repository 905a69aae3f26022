package wasifs

import (
	"io"
	"path"
	"sync"

	"github.com/tetratelabs/wazero/experimental/sys"
	wazerosys "github.com/tetratelabs/wazero/sys"
)

// A dir is an open directory. It has nothing open in the afero.Fs, so it is in nobody's way.
type dir struct {
	sys.DirFile
	fs   *fileSystem
	name string

	mu     sync.Mutex
	closed bool
	// entries is what has been listed and not been read yet; listed says that it has been.
	entries []sys.Dirent
	listed  bool
}

var _ sys.File = (*dir)(nil)

func newDir(s *fileSystem, name string) *dir { return &dir{fs: s, name: name} }

// use locks the directory if it is open.
func (d *dir) use() (done func(), errno sys.Errno) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, sys.EBADF
	}
	return d.mu.Unlock, 0
}

// refuse is for what directories cannot do.
func (d *dir) refuse() sys.Errno {
	done, errno := d.use()
	if errno != 0 {
		return errno
	}
	done()
	return sys.EISDIR
}

func (d *dir) Dev() (uint64, sys.Errno)          { return d.fs.dev, 0 }
func (d *dir) Ino() (wazerosys.Inode, sys.Errno) { return inode(d.name), 0 }

func (d *dir) SetAppend(bool) sys.Errno              { return d.refuse() }
func (d *dir) Read([]byte) (int, sys.Errno)          { return 0, d.refuse() }
func (d *dir) Pread([]byte, int64) (int, sys.Errno)  { return 0, d.refuse() }
func (d *dir) Write([]byte) (int, sys.Errno)         { return 0, d.refuse() }
func (d *dir) Pwrite([]byte, int64) (int, sys.Errno) { return 0, d.refuse() }
func (d *dir) Truncate(int64) sys.Errno              { return d.refuse() }

// Stat implements [sys.File].
func (d *dir) Stat() (wazerosys.Stat_t, sys.Errno) {
	done, errno := d.use()
	if errno != 0 {
		return wazerosys.Stat_t{}, errno
	}
	defer done()
	return d.fs.Stat(d.name)
}

// Seek implements [sys.File]: a directory can be read from its beginning again, which lists it anew.
func (d *dir) Seek(offset position, whence int) (int64, sys.Errno) {
	done, errno := d.use()
	if errno != 0 {
		return 0, errno
	}
	defer done()
	if offset != 0 || whence != io.SeekStart {
		return 0, sys.EISDIR
	}
	d.entries, d.listed = nil, false
	return 0, 0
}

// Readdir implements [sys.File]. What "." and ".." are, wazero knows.
//
// All is listed at once, so that a guest that removes files while it goes through them misses none.
func (d *dir) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	done, errno := d.use()
	if errno != 0 {
		return nil, errno
	}
	defer done()
	if !d.listed {
		entries, errno := d.list()
		if errno != 0 {
			return nil, errno
		}
		d.entries, d.listed = entries, true
	}
	if n <= 0 || n > len(d.entries) {
		n = len(d.entries)
	}
	read := d.entries[:n:n] // the caller appends to it
	d.entries = d.entries[n:]
	return read, 0
}

func (d *dir) list() ([]sys.Dirent, sys.Errno) {
	f, err := d.fs.files.Open(d.name)
	if err != nil {
		return nil, toErrno(err)
	}
	defer f.Close()
	infos, err := f.Readdir(-1)
	if err != nil {
		return nil, toErrno(err)
	}
	entries := make([]sys.Dirent, len(infos))
	for i, info := range infos {
		entries[i] = sys.Dirent{
			Ino:  inode(path.Join(d.name, info.Name())),
			Name: info.Name(),
			Type: info.Mode().Type(),
		}
	}
	return entries, 0
}

// Sync implements [sys.File]. Names are durable if the afero.Fs makes them so.
func (d *dir) Sync() sys.Errno {
	done, errno := d.use()
	if errno == 0 {
		done()
	}
	return errno
}

// Datasync implements [sys.File].
func (d *dir) Datasync() sys.Errno { return d.Sync() }

// Utimens implements [sys.File].
func (d *dir) Utimens(atim, mtim int64) sys.Errno {
	done, errno := d.use()
	if errno != 0 {
		return errno
	}
	defer done()
	return d.fs.Utimens(d.name, atim, mtim)
}

// Close implements [sys.File]. Closing again does nothing.
func (d *dir) Close() sys.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed, d.entries = true, nil
	return 0
}
