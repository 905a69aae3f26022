package wasifs

import (
	"errors"
	"io"
	"io/fs"
	"path"
)

// A dir is an open directory. It has nothing open in the afero.Fs, so it is in nobody's way.
type dir struct{ handle }

func newDir(s *FS, name string) *dir { return &dir{handle{fs: s, name: name}} }

// A handle is what files and directories that are open have in common.
type handle struct {
	fs     *FS
	name   string // empty if no path leads to it any more
	closed bool
}

func (h *handle) Name() string {
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	return h.name
}

func (h *handle) renamed(from, to string) {
	if within(h.name, from) {
		h.name = to + h.name[len(from):]
	}
}

// use locks the directory if it is open.
func (d *dir) use() (done func(), errno Errno) {
	d.fs.mu.Lock()
	if d.closed {
		d.fs.mu.Unlock()
		return nil, EBADF
	}
	return d.fs.mu.Unlock, 0
}

// refuse is for what directories cannot do.
func (d *dir) refuse() Errno {
	done, errno := d.use()
	if errno != 0 {
		return errno
	}
	done()
	return EISDIR
}

func (d *dir) IsDir() bool    { return true }
func (d *dir) IsAppend() bool { return false }

func (d *dir) SetAppend(bool) Errno              { return d.refuse() }
func (d *dir) SetSync(bool) Errno                { return d.refuse() }
func (d *dir) Read([]byte) (int, Errno)          { return 0, d.refuse() }
func (d *dir) Pread([]byte, int64) (int, Errno)  { return 0, d.refuse() }
func (d *dir) Write([]byte) (int, Errno)         { return 0, EBADF }
func (d *dir) Pwrite([]byte, int64) (int, Errno) { return 0, EBADF }
func (d *dir) Seek(position, int) (int64, Errno) { return 0, d.refuse() }
func (d *dir) Truncate(int64) Errno              { return d.refuse() }

// Stat implements [File].
func (d *dir) Stat() (Stat, Errno) {
	done, errno := d.use()
	if errno != 0 {
		return Stat{}, errno
	}
	defer done()
	return d.fs.stat(d.name, d.fs.files.Stat)
}

// An Entry is something in a directory.
type Entry struct {
	Ino  uint64
	Name string
	Type fs.FileMode
}

// A listing of more than maxListing bytes, with entrySize for each entry beside its name, is EOVERFLOW.
const (
	maxListing = 64 << 20
	entrySize  = 100
)

// List implements [File]. All is listed at once, so that a guest that removes files while it goes through them misses
// none. What "." and ".." are, the caller knows.
func (d *dir) List() ([]Entry, Errno) {
	done, errno := d.use()
	if errno != 0 {
		return nil, errno
	}
	defer done()
	if errno := d.fs.settle(d.name); errno != 0 {
		return nil, errno
	}
	f, err := d.fs.files.Open(d.name)
	if err != nil {
		return nil, toErrno(err)
	}
	defer f.Close()
	entries, size := []Entry{}, 0
	for {
		infos, err := f.Readdir(1000)
		for _, info := range infos {
			if size += entrySize + len(info.Name()); size > maxListing {
				return nil, EOVERFLOW
			}
			name := path.Join(d.name, info.Name())
			if d.fs.hides(name) {
				continue
			}
			entries = append(entries, Entry{inode(name), info.Name(), info.Mode().Type()})
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && len(infos) == 0:
			return entries, 0
		case err != nil:
			return nil, toErrno(err)
		}
	}
}

// Sync implements [File]. Names are durable if the afero.Fs makes them so.
func (d *dir) Sync() Errno {
	done, errno := d.use()
	if errno == 0 {
		done()
	}
	return errno
}

// Utimens implements [File].
func (d *dir) Utimens(atim, mtim int64) Errno {
	done, errno := d.use()
	if errno != 0 {
		return errno
	}
	defer done()
	return d.fs.utimens(d.name, atim, mtim)
}

// Close implements [File].
func (d *dir) Close() Errno {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return toErrno(d.close())
}

func (d *dir) close() error {
	d.closed = true
	d.fs.forget(d)
	return nil
}
