package vfs

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/afero"
)

// A dir is an open directory. What it contains is read when it is first asked for, and again after Seek to the beginning.
type dir struct {
	core  *core
	call  *call
	given string
	name  string
	handle

	mu      sync.Mutex
	entries []fs.FileInfo
	read    bool
	next    int
	closed  bool
}

var (
	_ afero.File     = (*dir)(nil)
	_ fs.ReadDirFile = (*dir)(nil)
)

// list describes what a directory contains: everything that has a name that can be used.
func (c *core) list(name string) ([]fs.FileInfo, error) {
	infos, err := c.b.readDir(name)
	if err != nil {
		return nil, err
	}
	if depth(name) >= MaxDepth {
		return nil, nil // no path leads to what is in it
	}
	out := make([]fs.FileInfo, 0, len(infos))
	for _, info := range infos {
		if clean, ok := listed(info.Name()); ok && (clean == info.Name() || c.exists(path.Join(name, clean))) {
			out = append(out, describe(clean, info))
		}
	}
	byName := func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) }
	if !slices.IsSortedFunc(out, byName) { // names in another Unicode form
		slices.SortFunc(out, byName)
	}
	return out, nil
}

// Name implements [afero.File].
func (d *dir) Name() string { return d.given }

// Close implements [afero.File].
func (d *dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return pathError("close", d.given, fs.ErrClosed)
	}
	d.closed, d.entries = true, nil
	d.core.isClosed(&d.handle)
	return nil
}

func (d *dir) by() *call { return d.call }
func (d *dir) discard()  { _ = d.Close() }

// Readdir implements [afero.File].
func (d *dir) Readdir(count int) ([]fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, pathError("readdir", d.given, fs.ErrClosed)
	}
	if !d.read {
		entries, err := d.core.list(d.name)
		if err != nil {
			return nil, pathError("readdir", d.given, err)
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
func (d *dir) Readdirnames(count int) ([]string, error) {
	infos, err := d.Readdir(count)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}

// ReadDir implements [fs.ReadDirFile].
func (d *dir) ReadDir(count int) ([]fs.DirEntry, error) {
	infos, err := d.Readdir(count)
	entries := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, err
}

// Stat implements [afero.File].
func (d *dir) Stat() (fs.FileInfo, error) {
	if err := d.fail("stat", nil); err != nil {
		return nil, err
	}
	info, err := d.core.b.lstat(d.name)
	if err != nil {
		return nil, pathError("stat", d.given, err)
	}
	return describe(path.Base(d.name), info), nil
}

// Seek implements [afero.File]. All that is possible is to go back to the beginning.
func (d *dir) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, d.fail("seek", syscall.EISDIR)
	}
	d.mu.Lock()
	d.next, d.read, d.entries = 0, false, nil
	d.mu.Unlock()
	return 0, d.fail("seek", nil)
}

// Sync implements [afero.File]. Changes in directories are durable when they return.
func (d *dir) Sync() error { return d.fail("sync", nil) }

// fail returns the error of an operation that directories do not have.
func (d *dir) fail(op string, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		err = fs.ErrClosed
	}
	return pathError(op, d.given, err)
}

// Read implements [afero.File]. It fails.
func (d *dir) Read([]byte) (int, error) { return 0, d.fail("read", syscall.EISDIR) }

// ReadAt implements [afero.File]. It fails.
func (d *dir) ReadAt([]byte, int64) (int, error) { return 0, d.fail("read", syscall.EISDIR) }

// Write implements [afero.File]. It fails.
func (d *dir) Write([]byte) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// WriteAt implements [afero.File]. It fails.
func (d *dir) WriteAt([]byte, int64) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// WriteString implements [afero.File]. It fails.
func (d *dir) WriteString(string) (int, error) { return 0, d.fail("write", syscall.EISDIR) }

// Truncate implements [afero.File]. It fails.
func (d *dir) Truncate(int64) error { return d.fail("truncate", syscall.EISDIR) }

// exists reports whether a name stands for something.
func (c *core) exists(name string) bool {
	_, err := c.b.lstat(name)
	return err == nil
}
