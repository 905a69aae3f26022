package vfs

import (
	"os"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// ReadOnly returns a view of a file system in which the named directories or files, and everything below them,
// cannot be changed: not by writing, creating, removing or renaming in them, nor by removing or renaming a
// directory above them. Attempts are syscall.EROFS. Paths are compared after [Clean], regardless of case and
// Unicode form. "/" protects everything.
//
// Making a view costs next to nothing. It is as safe for concurrent use as the underlying file system, and
// implements [Exclusive]. ReadOnly panics if Clean refuses a name.
func ReadOnly(files afero.Fs, names ...string) afero.Fs {
	protected := make([]string, len(names))
	for i, name := range names {
		clean, err := Clean(name)
		if err != nil {
			panic("vfs: ReadOnly: " + err.Error())
		}
		protected[i] = Fold(clean)
	}
	return newReadOnly(files, protected)
}

type readOnly struct {
	View
	protected []string // folded
}

func newReadOnly(files afero.Fs, protected []string) *readOnly {
	again := func(files afero.Fs) afero.Fs { return newReadOnly(files, protected) }
	return &readOnly{NewView(files, again), protected}
}

// protects reports whether a path is protected. If it is going away itself, what is below it counts as well.
func (v *readOnly) protects(clean string, goes bool) bool {
	folded := Fold(clean)
	for _, name := range v.protected {
		if Within(folded, name) || goes && Within(name, folded) {
			return true
		}
	}
	return false
}

// IsReadOnly is for the function of this name, which callers use instead.
func (v *readOnly) IsReadOnly(name string) bool {
	clean, err := Clean(name)
	return err == nil && (v.protects(clean, false) || IsReadOnly(v.Fs, clean))
}

// States is what [StatesOf] asks. A view in which nothing can be changed has none.
func (v *readOnly) States() (States, bool) {
	if v.protects("/", false) {
		return nil, false
	}
	return v.View.States()
}

// guard refuses what would change a protected path.
func (v *readOnly) guard(op, name string, goes bool) error {
	return onPath(op, name, func(clean string) error {
		if v.protects(clean, goes) {
			return syscall.EROFS
		}
		return nil
	})
}

func (v *readOnly) Name() string { return "vfs.ReadOnly" }

func (v *readOnly) Open(name string) (afero.File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

func (v *readOnly) Create(name string) (afero.File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (v *readOnly) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC) != 0 {
		// A file in the place of a directory above would be in the way of what is protected.
		if err := v.guard("open", name, flag&os.O_CREATE != 0); err != nil {
			return nil, err
		}
		return v.Fs.OpenFile(name, flag, perm)
	}
	clean, err := Clean(name)
	if err != nil {
		return nil, fsys.PathError("open", name, err)
	}
	f, err := v.Fs.OpenFile(name, flag, perm)
	if err != nil || !v.protects(clean, false) {
		return f, err
	}
	return readOnlyFile{f}, nil
}

func (v *readOnly) Mkdir(name string, perm os.FileMode) error {
	if err := v.guard("mkdir", name, false); err != nil {
		return err
	}
	return v.Fs.Mkdir(name, perm)
}

func (v *readOnly) MkdirAll(name string, perm os.FileMode) error {
	if err := v.guard("mkdir", name, false); err != nil {
		return err
	}
	return v.Fs.MkdirAll(name, perm)
}

func (v *readOnly) Remove(name string) error {
	if err := v.guard("remove", name, true); err != nil {
		return err
	}
	return v.Fs.Remove(name)
}

func (v *readOnly) RemoveAll(name string) error {
	if err := v.guard("remove", name, true); err != nil {
		return err
	}
	return v.Fs.RemoveAll(name)
}

func (v *readOnly) Rename(from, to string) error {
	if err := v.guard("rename", from, true); err != nil {
		return err
	}
	if err := v.guard("rename", to, true); err != nil {
		return err
	}
	return v.Fs.Rename(from, to)
}

func (v *readOnly) Stat(name string) (os.FileInfo, error) {
	if _, err := Clean(name); err != nil {
		return nil, fsys.PathError("stat", name, err)
	}
	return v.Fs.Stat(name)
}

func (v *readOnly) Chmod(name string, mode os.FileMode) error {
	if err := v.guard("chmod", name, false); err != nil {
		return err
	}
	return v.Fs.Chmod(name, mode)
}

func (v *readOnly) Chown(name string, uid, gid int) error {
	if err := v.guard("chown", name, false); err != nil {
		return err
	}
	return v.Fs.Chown(name, uid, gid)
}

func (v *readOnly) Chtimes(name string, atime, mtime time.Time) error {
	if err := v.guard("chtimes", name, false); err != nil {
		return err
	}
	return v.Fs.Chtimes(name, atime, mtime)
}

// A readOnlyFile cannot be written, whatever it was opened for.
type readOnlyFile struct{ afero.File }

func (f readOnlyFile) refuse(op string) error { return fsys.PathError(op, f.Name(), syscall.EROFS) }

func (f readOnlyFile) Write([]byte) (int, error)          { return 0, f.refuse("write") }
func (f readOnlyFile) WriteAt([]byte, int64) (int, error) { return 0, f.refuse("write") }
func (f readOnlyFile) WriteString(string) (int, error)    { return 0, f.refuse("write") }
func (f readOnlyFile) Truncate(int64) error               { return f.refuse("truncate") }
