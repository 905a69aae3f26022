package fsys

import (
	"io"
	"io/fs"
	"sync"
	"syscall"

	"github.com/spf13/afero"
)

// A DirSource is where an open directory gets what it shows.
type DirSource interface {
	// List describes what the directory contains, in byte order of the names.
	List() ([]fs.FileInfo, error)
	// Info describes the directory.
	Info() (fs.FileInfo, error)
	// Closed is called when the directory is closed, once.
	Closed()
}

// A Dir is an open directory, under the name that it was opened by. What it contains is read when it is first asked
// for, and again after Seek to the beginning. It is safe for concurrent use.
type Dir struct {
	name   string
	source DirSource

	mu      sync.Mutex
	entries []fs.FileInfo
	read    bool
	next    int
	closed  bool
}

var (
	_ afero.File     = (*Dir)(nil)
	_ fs.ReadDirFile = (*Dir)(nil)
)

// Init opens the directory. It is called once, before anything else.
func (d *Dir) Init(name string, source DirSource) { d.name, d.source = name, source }

// Name implements [afero.File].
func (d *Dir) Name() string { return d.name }

// Close implements [afero.File].
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return PathError("close", d.name, fs.ErrClosed)
	}
	d.closed, d.entries = true, nil
	d.source.Closed()
	return nil
}

// Readdir implements [afero.File].
func (d *Dir) Readdir(count int) ([]fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, PathError("readdir", d.name, fs.ErrClosed)
	}
	if !d.read {
		entries, err := d.source.List()
		if err != nil {
			return nil, PathError("readdir", d.name, err)
		}
		d.entries, d.read = entries, true
	}
	rest := d.entries[d.next:]
	if count > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(count, len(rest))]
	}
	d.next += len(rest)
	return rest[:len(rest):len(rest)], nil // nobody gets the same entries again
}

// Readdirnames implements [afero.File].
func (d *Dir) Readdirnames(count int) ([]string, error) {
	infos, err := d.Readdir(count)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}

// ReadDir implements [fs.ReadDirFile].
func (d *Dir) ReadDir(count int) ([]fs.DirEntry, error) {
	infos, err := d.Readdir(count)
	entries := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, err
}

// Stat implements [afero.File].
func (d *Dir) Stat() (fs.FileInfo, error) {
	if err := d.fail("stat", nil); err != nil {
		return nil, err
	}
	info, err := d.source.Info()
	return info, PathError("stat", d.name, err)
}

// Seek implements [afero.File]. The only position to go to is the beginning.
func (d *Dir) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, d.fail("seek", syscall.EISDIR)
	}
	d.mu.Lock()
	d.next, d.read, d.entries = 0, false, nil
	d.mu.Unlock()
	return 0, d.fail("seek", nil)
}

// Sync implements [afero.File]. Changes in directories are durable when they return.
func (d *Dir) Sync() error { return d.fail("sync", nil) }

// fail returns the error of an operation that directories do not have.
func (d *Dir) fail(op string, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		err = fs.ErrClosed
	}
	return PathError(op, d.name, err)
}

// Read implements [afero.File]. It fails.
func (d *Dir) Read([]byte) (int, error) { return 0, d.fail("read", syscall.EISDIR) }

// ReadAt implements [afero.File]. It fails.
func (d *Dir) ReadAt([]byte, int64) (int, error) { return 0, d.fail("read", syscall.EISDIR) }

// Write implements [afero.File]. It fails.
func (d *Dir) Write([]byte) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// WriteAt implements [afero.File]. It fails.
func (d *Dir) WriteAt([]byte, int64) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// WriteString implements [afero.File]. It fails.
func (d *Dir) WriteString(string) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// Truncate implements [afero.File]. It fails.
func (d *Dir) Truncate(int64) error { return d.fail("truncate", syscall.EISDIR) }
