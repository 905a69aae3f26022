package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Sub returns a view of a file system whose root is a directory in it. If the directory does not exist, the view is
// empty, and the directory is created when something is created in the view.
//
// Making a view costs next to nothing. It is as safe for concurrent use as the underlying file system, and
// implements [Exclusive]. Sub panics if [Clean] refuses the path.
func Sub(files afero.Fs, dir string) afero.Fs {
	clean, err := Clean(dir)
	if err != nil {
		panic("vfs: Sub: " + err.Error())
	}
	if clean == "/" {
		return files
	}
	return newSub(files, clean)
}

type sub struct {
	View
	dir string
}

func newSub(files afero.Fs, dir string) *sub {
	return &sub{NewView(files, func(files afero.Fs) afero.Fs { return newSub(files, dir) }), dir}
}

// A noDir is what a view shows in the place of a directory that is not there: an empty one.
type noDir struct{}

func (noDir) List() ([]fs.FileInfo, error) { return nil, nil }
func (noDir) Info() (fs.FileInfo, error)   { return noDir{}, nil }
func (noDir) Closed()                      {}

func (noDir) Name() string       { return "/" }
func (noDir) Size() int64        { return 0 }
func (noDir) Mode() fs.FileMode  { return fs.ModeDir | 0o755 }
func (noDir) ModTime() time.Time { return started }
func (noDir) IsDir() bool        { return true }
func (noDir) Sys() any           { return nil }

// started is the time of all directories that are not there.
var started = time.Now().Round(0)

// do does something with a path of the view, as a path of what it is a view of, and puts the view's into the error.
func (v *sub) do(op, name string, do func(inner string) error) error {
	return onPath(op, name, func(clean string) error { return do(v.inner(clean)) })
}

func (v *sub) inner(clean string) string {
	if clean == "/" {
		return v.dir
	}
	return v.dir + clean
}

// IsReadOnly is for the function of this name, which callers use instead.
func (v *sub) IsReadOnly(name string) bool {
	clean, err := Clean(name)
	return err == nil && IsReadOnly(v.Fs, v.inner(clean))
}

// IsMount is for the function of this name, which callers use instead.
func (v *sub) IsMount(name string) bool {
	clean, err := Clean(name)
	return err == nil && IsMount(v.Fs, v.inner(clean))
}

// States is what [StatesOf] asks. What runs on a part of the files shares no variables with what runs on others.
func (v *sub) States() (States, bool) { return nil, false }

// making does something that makes a file or directory. If the view's directory is missing, it makes that first.
func (v *sub) making(op, name string, do func(inner string) error) error {
	return v.do(op, name, func(inner string) error {
		err := do(inner)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if v.missing() {
			if err := v.Fs.MkdirAll(v.dir, 0o755); err != nil {
				return err
			}
		}
		return do(inner) // also if somebody else has made it meanwhile
	})
}

func (v *sub) missing() bool {
	_, err := v.Fs.Stat(v.dir)
	return errors.Is(err, fs.ErrNotExist)
}

// notRoot does something that cannot be done to the root.
func (v *sub) notRoot(op, name string, do func(inner string) error) error {
	return v.do(op, name, func(inner string) error {
		if inner == v.dir {
			return syscall.EBUSY
		}
		return do(inner)
	})
}

func (v *sub) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	if name := fsys.Hint(ctx); name != "" {
		ctx = fsys.WithHint(ctx, path.Join(v.dir, name))
	}
	return v.View.Exclusively(ctx, do)
}

func (v *sub) Name() string { return "vfs.Sub" }

func (v *sub) Open(name string) (afero.File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

func (v *sub) Create(name string) (afero.File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (v *sub) OpenFile(name string, flag int, perm os.FileMode) (opened afero.File, err error) {
	open := func(inner string) error {
		f, err := v.Fs.OpenFile(inner, flag, perm)
		if err == nil {
			opened = &subFile{f, name, path.Base("/" + inner[len(v.dir):])}
		}
		return err
	}
	if flag&os.O_CREATE != 0 {
		err = v.making("open", name, open)
	} else {
		err = v.do("open", name, func(inner string) error {
			err := open(inner)
			if inner == v.dir && flag&(os.O_WRONLY|os.O_RDWR) == 0 && errors.Is(err, fs.ErrNotExist) {
				d := &fsys.Dir{}
				d.Init(name, noDir{})
				opened, err = d, nil
			}
			return err
		})
	}
	return opened, err
}

func (v *sub) Mkdir(name string, perm os.FileMode) error {
	return v.making("mkdir", name, func(inner string) error {
		if inner == v.dir {
			return syscall.EEXIST
		}
		return v.Fs.Mkdir(inner, perm)
	})
}

func (v *sub) MkdirAll(name string, perm os.FileMode) error {
	return v.do("mkdir", name, func(inner string) error { return v.Fs.MkdirAll(inner, perm) })
}

func (v *sub) Remove(name string) error { return v.notRoot("remove", name, v.Fs.Remove) }

func (v *sub) RemoveAll(name string) error { return v.notRoot("remove", name, v.Fs.RemoveAll) }

func (v *sub) Rename(from, to string) error {
	return v.notRoot("rename", from, func(old string) error {
		return v.notRoot("rename", to, func(inner string) error { return v.Fs.Rename(old, inner) })
	})
}

func (v *sub) Stat(name string) (info os.FileInfo, err error) {
	err = v.do("stat", name, func(inner string) error {
		info, err = v.Fs.Stat(inner)
		if inner == v.dir && errors.Is(err, fs.ErrNotExist) {
			info, err = noDir{}, nil
		}
		if err == nil {
			info = fsys.Describe(path.Base("/"+inner[len(v.dir):]), info)
		}
		return err
	})
	return info, err
}

func (v *sub) Chmod(name string, mode os.FileMode) error {
	return v.do("chmod", name, func(inner string) error { return v.Fs.Chmod(inner, mode) })
}

func (v *sub) Chown(name string, uid, gid int) error {
	return v.do("chown", name, func(inner string) error { return v.Fs.Chown(inner, uid, gid) })
}

func (v *sub) Chtimes(name string, atime, mtime time.Time) error {
	return v.do("chtimes", name, func(inner string) error { return v.Fs.Chtimes(inner, atime, mtime) })
}

// A subFile goes by its name in the view.
type subFile struct {
	f     afero.File
	given string
	base  string
}

func (f *subFile) fail(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return fsys.PathError(op, f.given, err)
}

func (f *subFile) count(op string, n int, err error) (int, error) { return n, f.fail(op, err) }

func (f *subFile) Name() string { return f.given }

func (f *subFile) Stat() (os.FileInfo, error) {
	info, err := f.f.Stat()
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return fsys.Describe(f.base, info), nil
}

func (f *subFile) Read(b []byte) (int, error) {
	n, err := f.f.Read(b)
	return f.count("read", n, err)
}

func (f *subFile) ReadAt(b []byte, offset int64) (int, error) {
	n, err := f.f.ReadAt(b, offset)
	return f.count("read", n, err)
}

func (f *subFile) Write(b []byte) (int, error) {
	n, err := f.f.Write(b)
	return f.count("write", n, err)
}

func (f *subFile) WriteAt(b []byte, offset int64) (int, error) {
	n, err := f.f.WriteAt(b, offset)
	return f.count("write", n, err)
}

func (f *subFile) WriteString(s string) (int, error) {
	n, err := f.f.WriteString(s)
	return f.count("write", n, err)
}

func (f *subFile) Seek(offset int64, whence int) (int64, error) {
	n, err := f.f.Seek(offset, whence)
	return n, f.fail("seek", err)
}

func (f *subFile) Readdir(count int) ([]os.FileInfo, error) {
	infos, err := f.f.Readdir(count)
	return infos, f.fail("readdir", err)
}

func (f *subFile) Readdirnames(count int) ([]string, error) {
	names, err := f.f.Readdirnames(count)
	return names, f.fail("readdir", err)
}

func (f *subFile) Truncate(size int64) error { return f.fail("truncate", f.f.Truncate(size)) }
func (f *subFile) Sync() error               { return f.fail("sync", f.f.Sync()) }
func (f *subFile) Close() error              { return f.fail("close", f.f.Close()) }
func (f *subFile) Discard()                  { fsys.Discard(f.f) }
