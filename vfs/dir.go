// Package vfs provides the file systems that tools work on.
//
// So far there is one: [Dir], a directory of the host that nothing leads out of.
package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/spf13/afero"
)

// Dir is a directory of the host as an [afero.Fs]. Its paths are slash-separated and relative to the directory, with or
// without a slash in front; ".." at the top stays there. All access goes through [os.Root], so neither ".." nor symbolic
// links lead out of it, not even if somebody swaps them meanwhile. It is safe for concurrent use.
type Dir struct{ root *os.Root }

var _ afero.Fs = (*Dir)(nil)

// OpenDir opens a directory of the host. Close it when it is no longer needed.
func OpenDir(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory. Files that are open stay open.
func (d *Dir) Close() error { return d.root.Close() }

// local returns name as os.Root wants it.
func local(name string) string {
	if p := path.Clean("/" + name)[1:]; p != "" {
		return p
	}
	return "."
}

// inside puts the path that the caller gave into an error, in the place of the host's.
func inside(err error, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return &fs.PathError{Op: le.Op, Path: name, Err: le.Err}
	}
	return err
}

// file is an open file that goes by the name that it was opened with.
type file struct {
	*os.File
	name string
}

func (f file) Name() string { return f.name }

// Name implements [afero.Fs].
func (d *Dir) Name() string { return "vfs.Dir" }

// Open implements [afero.Fs].
func (d *Dir) Open(name string) (afero.File, error) { return d.OpenFile(name, os.O_RDONLY, 0) }

// Create implements [afero.Fs].
func (d *Dir) Create(name string) (afero.File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile implements [afero.Fs].
func (d *Dir) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	f, err := d.root.OpenFile(local(name), flag, perm)
	if err != nil {
		return nil, inside(err, name)
	}
	return file{f, name}, nil
}

// Mkdir implements [afero.Fs].
func (d *Dir) Mkdir(name string, perm os.FileMode) error {
	return inside(d.root.Mkdir(local(name), perm), name)
}

// MkdirAll implements [afero.Fs].
func (d *Dir) MkdirAll(name string, perm os.FileMode) error {
	if local(name) == "." {
		return nil
	}
	return inside(d.root.MkdirAll(local(name), perm), name)
}

// Remove implements [afero.Fs].
func (d *Dir) Remove(name string) error { return inside(d.root.Remove(local(name)), name) }

// RemoveAll implements [afero.Fs].
func (d *Dir) RemoveAll(name string) error { return inside(d.root.RemoveAll(local(name)), name) }

// Rename implements [afero.Fs].
func (d *Dir) Rename(from, to string) error {
	return inside(d.root.Rename(local(from), local(to)), from)
}

// Stat implements [afero.Fs].
func (d *Dir) Stat(name string) (os.FileInfo, error) {
	info, err := d.root.Stat(local(name))
	return info, inside(err, name)
}

// Chmod implements [afero.Fs].
func (d *Dir) Chmod(name string, mode os.FileMode) error {
	return inside(d.root.Chmod(local(name), mode), name)
}

// Chown implements [afero.Fs].
func (d *Dir) Chown(name string, uid, gid int) error {
	return inside(d.root.Chown(local(name), uid, gid), name)
}

// Chtimes implements [afero.Fs].
func (d *Dir) Chtimes(name string, atime, mtime time.Time) error {
	return inside(d.root.Chtimes(local(name), atime, mtime), name)
}
