package vfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

func (v *mounted) Name() string { return "vfs.OpenMounts" }

func (v *mounted) Create(name string) (afero.File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (v *mounted) Open(name string) (afero.File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

func (v *mounted) OpenFile(name string, flag int, perm os.FileMode) (opened afero.File, err error) {
	err = onPath("open", name, func(clean string) error {
		if clean == "/" && flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) == 0 {
			d := &fsys.Dir{}
			d.Init(name, mountedRoot{v})
			opened = d
			return nil
		}
		files, inner, mount, err := v.at(clean)
		if err != nil {
			return err
		}
		if mount != nil && inner == "/" && !mount.ReadOnly {
			files = mount.inner // which says that it is a directory
		}
		f, err := files.OpenFile(inner, flag, perm)
		if err == nil && mount != nil {
			f = &subFile{f, name, path.Base(clean)}
		}
		opened = f
		return err
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// mountedRoot lists the root.
type mountedRoot struct{ v *mounted }

func (r mountedRoot) Info() (fs.FileInfo, error) { return r.v.Project.Stat("/") }
func (r mountedRoot) Closed()                    {}

func (r mountedRoot) List() ([]fs.FileInfo, error) {
	infos, err := afero.ReadDir(r.v.Project, "/")
	if err != nil {
		return nil, err
	}
	for _, m := range r.v.mounts {
		infos = slices.DeleteFunc(infos, func(info fs.FileInfo) bool { return Fold("/"+info.Name()) == m.folded })
		info, err := m.inner.Stat("/")
		if err != nil {
			return nil, err
		}
		infos = append(infos, fsys.Describe(m.Path[1:], info))
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}

func (v *mounted) Mkdir(name string, perm os.FileMode) error {
	return v.do("mkdir", name, syscall.EEXIST, func(files afero.Fs, inner string) error {
		return files.Mkdir(inner, perm)
	})
}

func (v *mounted) MkdirAll(name string, perm os.FileMode) error {
	return onPath("mkdir", name, func(clean string) error {
		files, inner, mount, err := v.at(clean)
		if err != nil || mount != nil && inner == "/" {
			return err
		}
		return files.MkdirAll(inner, perm)
	})
}

func (v *mounted) Remove(name string) error {
	return v.do("remove", name, syscall.EBUSY, afero.Fs.Remove)
}

func (v *mounted) RemoveAll(name string) error {
	return v.do("remove", name, syscall.EBUSY, afero.Fs.RemoveAll)
}

func (v *mounted) Rename(from, to string) error {
	return v.do("rename", from, syscall.EBUSY, func(source afero.Fs, old string) error {
		return v.do("rename", to, syscall.EBUSY, func(target afero.Fs, inner string) error {
			if source == target {
				return source.Rename(old, inner)
			}
			return v.Exclusively(context.Background(), func(files afero.Fs) error {
				return moveAcross(files, from, to)
			})
		})
	})
}

// moveAcross moves something from one project into another.
func moveAcross(files afero.Fs, from, to string) error {
	if IsReadOnly(files, from) || IsReadOnly(files, to) {
		return syscall.EROFS
	}
	if old, err := Clean(from); err == nil && old == "/" {
		return syscall.EBUSY
	}
	info, err := files.Stat(from)
	if err != nil {
		return err
	}
	switch there, err := files.Stat(to); {
	case errors.Is(err, fs.ErrNotExist):
		err = Copy(context.Background(), files, from, to)
		if err != nil {
			return err
		}
	case err != nil:
		return err
	case there.IsDir():
		return syscall.EEXIST
	case info.IsDir():
		return syscall.ENOTDIR
	case !info.Mode().IsRegular():
		return fsys.ErrNotFollowed
	default:
		if err := copyRegular(files, from, to, info); err != nil {
			return err
		}
	}
	return files.RemoveAll(from)
}

func (v *mounted) Stat(name string) (info os.FileInfo, err error) {
	err = onPath("stat", name, func(clean string) error {
		files, inner, mount, err := v.at(clean)
		if err != nil {
			return err
		}
		if info, err = files.Stat(inner); err == nil && mount != nil {
			info = fsys.Describe(path.Base(clean), info)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (v *mounted) Chmod(name string, mode os.FileMode) error {
	return v.do("chmod", name, nil, func(files afero.Fs, inner string) error { return files.Chmod(inner, mode) })
}

func (v *mounted) Chown(name string, uid, gid int) error {
	return v.do("chown", name, nil, func(files afero.Fs, inner string) error { return files.Chown(inner, uid, gid) })
}

func (v *mounted) Chtimes(name string, atime, mtime time.Time) error {
	return v.do("chtimes", name, nil, func(files afero.Fs, inner string) error {
		return files.Chtimes(inner, atime, mtime)
	})
}
