// Package vfs provides the file systems that tools work on.
//
// So far there is one: [Dir], a directory of the host that nothing leads out of.
package vfs

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/afero"
)

// Dir is a directory of the host as an [afero.Fs]. Its paths are slash-separated and relative to the directory, with or
// without a slash in front, in any form that [Clean] accepts. All access goes through [os.Root], so neither ".." nor symbolic
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
func local(op, name string) (string, error) {
	clean, err := Clean(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	if clean == "/" {
		return ".", nil
	}
	return clean[1:], nil
}

// inside puts the path that the caller gave into an error, in the place of the host's.
func inside(err error, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		if pe.Err.Error() == "path escapes from parent" { // a link that leads out; os has no name for it
			return &fs.PathError{Op: pe.Op, Path: name, Err: fs.ErrPermission}
		}
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
	at, err := local("open", name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(at, flag, perm)
	if err != nil {
		return nil, inside(err, name)
	}
	return file{f, name}, nil
}

// onPath does something with a path, and puts it into the error.
func onPath(op, name string, do func(at string) error) error {
	at, err := local(op, name)
	if err != nil {
		return err
	}
	return inside(do(at), name)
}

// Mkdir implements [afero.Fs].
func (d *Dir) Mkdir(name string, perm os.FileMode) error {
	return onPath("mkdir", name, func(at string) error { return d.root.Mkdir(at, perm) })
}

// MkdirAll implements [afero.Fs].
func (d *Dir) MkdirAll(name string, perm os.FileMode) error {
	return onPath("mkdir", name, func(at string) error {
		if at == "." {
			return nil
		}
		return d.root.MkdirAll(at, perm)
	})
}

// Remove implements [afero.Fs].
func (d *Dir) Remove(name string) error { return onPath("remove", name, d.root.Remove) }

// RemoveAll implements [afero.Fs].
func (d *Dir) RemoveAll(name string) error { return onPath("remove", name, d.root.RemoveAll) }

// Rename implements [afero.Fs].
func (d *Dir) Rename(from, to string) error {
	return onPath("rename", from, func(old string) error {
		return onPath("rename", to, func(at string) error { return d.root.Rename(old, at) })
	})
}

// Stat implements [afero.Fs].
func (d *Dir) Stat(name string) (info os.FileInfo, err error) {
	err = onPath("stat", name, func(at string) (err error) {
		info, err = d.root.Stat(at)
		return err
	})
	return info, err
}

// Chmod implements [afero.Fs].
func (d *Dir) Chmod(name string, mode os.FileMode) error {
	return onPath("chmod", name, func(at string) error { return d.root.Chmod(at, mode) })
}

// Chown implements [afero.Fs].
func (d *Dir) Chown(name string, uid, gid int) error {
	return onPath("chown", name, func(at string) error { return d.root.Chown(at, uid, gid) })
}

// Chtimes implements [afero.Fs].
func (d *Dir) Chtimes(name string, atime, mtime time.Time) error {
	return onPath("chtimes", name, func(at string) error { return d.root.Chtimes(at, atime, mtime) })
}
