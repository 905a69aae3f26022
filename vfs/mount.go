package vfs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// A Mount is a project that is seen inside of another one, as a directory at the root.
type Mount struct {
	// Path is where: a name at the root, such as /share.
	Path string `json:"path"`
	// Project is the id of the mounted project.
	Project string `json:"project"`
	// ReadOnly forbids changes.
	ReadOnly bool `json:"readOnly,omitempty"`
}

// MountsField is the field of a project's settings, a JSON object, that has its mounts: a list of [Mount].
const MountsField = "mounts"

// memories is the directory of a project that is its memory, which models take for what they have noted themselves.
const memories = "/memories"

// MaxMounts is how many projects can be mounted in one.
const MaxMounts = 16

// ParseMounts returns the mounts of a project from its settings. Settings without the field have none. The error names
// the mount that is wrong, and is fs.ErrInvalid.
func ParseMounts(settings []byte) ([]Mount, error) {
	if len(settings) == 0 {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(settings, &fields); err != nil {
		return nil, fmt.Errorf("%w: the settings are not a JSON object: %w", fs.ErrInvalid, err)
	}
	var mounts []Mount
	if raw := fields[MountsField]; raw != nil {
		if err := json.Unmarshal(raw, &mounts); err != nil {
			return nil, fmt.Errorf("%w: the settings' %s: %w", fs.ErrInvalid, MountsField, err)
		}
	}
	return mounts, CheckMounts(mounts)
}

// CheckMounts checks that paths and projects of mounts are possible, and that there are not too many. The error is
// fs.ErrInvalid.
func CheckMounts(mounts []Mount) error {
	seen := map[string]bool{}
	for _, m := range mounts {
		clean, err := Clean(m.Path)
		switch {
		case err != nil:
			return fmt.Errorf("%w: mount %q: %w", fs.ErrInvalid, m.Path, err)
		case clean != m.Path || path.Dir(clean) != "/" || clean == "/":
			return fmt.Errorf("%w: mount %q: the path is a name at the root, such as /share", fs.ErrInvalid, m.Path)
		case Fold(clean) == memories:
			return fmt.Errorf("%w: mount %q: the memory is each project's own", fs.ErrInvalid, m.Path)
		case seen[Fold(clean)]:
			return fmt.Errorf("%w: mount %q: there is another one at that path", fs.ErrInvalid, m.Path)
		}
		if err := CheckID(m.Project); err != nil {
			return fmt.Errorf("mount %q: %w", m.Path, err)
		}
		seen[Fold(clean)] = true
	}
	if len(mounts) > MaxMounts {
		return fmt.Errorf("%w: there are %d mounts, more than %d", fs.ErrInvalid, len(mounts), MaxMounts)
	}
	return nil
}

// OpenMounts returns a project in which others are seen at the paths of its mounts. open opens them; closing the result
// closes them and the project. Their own mounts are not followed. The error is that of open, with the mount's path, and
// the project is then still open; without mounts, the result is the project itself.
//
// Changes at a path of a mount are changes of the mounted project: its quota limits them and its history has them. A
// call is the same call in all projects, and Undo and Redo with its id undo or redo what it changed in each of them, or
// nothing. Without an id, it is the latest call that changed the project itself. All other methods concern the project
// itself. What the project has at a path of a mount is hidden. A mount can be neither removed nor renamed (EBUSY). The
// directory /memories of a mounted project cannot be changed through it (EROFS).
// Renaming from one project into another copies and then removes, so it is two changes.
func OpenMounts(
	project Project, id string, mounts []Mount, open func(m Mount) (Project, error),
) (Project, error) {
	if len(mounts) == 0 {
		return project, nil
	}
	v := &mounted{Project: project, id: id, own: project}
	for _, m := range mounts {
		var p Project
		var err error
		if m.Project == id {
			err = fmt.Errorf("%w: a project cannot be mounted in itself", fs.ErrInvalid)
		} else {
			p, err = open(m)
		}
		if err != nil {
			err = fmt.Errorf("project %s at %s: %w", m.Project, m.Path, err)
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%w; bring it back (toolrun project restore %s), or do without it (toolrun project unmount %s)",
					err, m.Project, m.Path)
			}
			return nil, errors.Join(err, v.closeMounts())
		}
		v.mounts = append(v.mounts, newMounted(m, p, p))
	}
	return v, nil
}

// mounted is a project with others in it.
type mounted struct {
	Project // as the call or the exclusive section sees it
	id      string
	own     Project // as it was opened
	mounts  []*mountedProject
}

// A mountedProject is a project at a path of another one.
type mountedProject struct {
	Mount
	files  afero.Fs // what is seen at the path
	inner  Project
	own    Project // as it was opened
	folded string
}

var _ Redoer = (*mounted)(nil)

func newMounted(m Mount, inner, own Project) *mountedProject {
	readOnly := memories
	if m.ReadOnly {
		readOnly = "/"
	}
	return &mountedProject{Mount: m, files: ReadOnly(inner, readOnly), inner: inner, own: own, folded: Fold(m.Path)}
}

func (v *mounted) closeMounts() error {
	var errs []error
	for _, m := range v.mounts {
		errs = append(errs, m.own.Close())
	}
	return errors.Join(errs...)
}

func (v *mounted) Close() error { return errors.Join(v.closeMounts(), v.own.Close()) }

// with returns the same with other views of its projects.
func (v *mounted) with(change func(p Project) Project) *mounted {
	w := &mounted{Project: change(v.Project), id: v.id, own: v.own}
	for _, m := range v.mounts {
		w.mounts = append(w.mounts, newMounted(m.Mount, change(m.inner), m.own))
	}
	return w
}

func (v *mounted) WithCall(id string) Project {
	return v.with(func(p Project) Project { return p.WithCall(id) })
}

func (v *mounted) EndCall() {
	v.Project.EndCall()
	for _, m := range v.mounts {
		m.inner.EndCall()
	}
}

// Holding is what the function of that name asks.
func (v *mounted) Holding() <-chan struct{} { return Holding(v.Project) }

// Exclusively locks the projects that can be changed, in the order of their ids, so that two that mount each other
// cannot wait for each other.
func (v *mounted) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	type place struct {
		id string
		at int // -1 is the project itself
	}
	places := []place{{v.id, -1}}
	for i, m := range v.mounts {
		if !m.ReadOnly {
			places = append(places, place{m.Project, i})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(strings.Compare(Fold(a.id), Fold(b.id)), strings.Compare(a.id, b.id))
	})
	inside := &mounted{Project: v.Project, id: v.id, own: v.own, mounts: slices.Clone(v.mounts)}
	var lock func(left []place) error
	lock = func(left []place) error {
		if len(left) == 0 {
			return do(inside)
		}
		p := v.Project
		if i := left[0].at; i >= 0 {
			p = v.mounts[i].inner
			for j := range i { // mounted at two paths, it is locked once
				if v.mounts[j].Project == left[0].id && !v.mounts[j].ReadOnly {
					inside.mounts[i] = newMounted(v.mounts[i].Mount, inside.mounts[j].inner, v.mounts[i].own)
					return lock(left[1:])
				}
			}
		}
		return p.Exclusively(ctx, func(files afero.Fs) error {
			locked, ok := files.(Project)
			switch i := left[0].at; {
			case !ok:
				return fmt.Errorf("vfs: what %T hands out exclusively is not a project", p)
			case i < 0:
				inside.Project = locked
			default:
				inside.mounts[i] = newMounted(v.mounts[i].Mount, locked, v.mounts[i].own)
			}
			return lock(left[1:])
		})
	}
	return lock(places)
}

// at returns what a clean path is in, and the path there. mount is nil for the project itself.
func (v *mounted) at(clean string) (files afero.Fs, inner string, mount *mountedProject, err error) {
	folded := Fold(clean)
	for _, m := range v.mounts {
		if !Within(folded, m.folded) {
			continue
		}
		if !Within(clean, m.Path) {
			name, _, _ := strings.Cut(clean[1:], "/")
			return nil, "", nil, &NameConflictError{Name: name, Existing: m.Path[1:]}
		}
		return m.files, path.Clean("/" + clean[len(m.Path):]), m, nil
	}
	return v.Project, clean, nil, nil
}

// do does something at a path of one of the projects.
func (v *mounted) do(op, name string, do func(files afero.Fs, inner string) error) error {
	return onPath(op, name, func(clean string) error {
		files, inner, _, err := v.at(clean)
		if err != nil {
			return err
		}
		return do(files, inner)
	})
}

// notMount does something that cannot be done to a mount.
func (v *mounted) notMount(op, name string, refused error, do func(files afero.Fs, inner string) error) error {
	return onPath(op, name, func(clean string) error {
		files, inner, mount, err := v.at(clean)
		if err == nil && mount != nil && inner == "/" {
			err = refused
		}
		if err != nil {
			return err
		}
		return do(files, inner)
	})
}

// IsReadOnly is what the function of that name asks.
func (v *mounted) IsReadOnly(name string) bool {
	clean, err := Clean(name)
	if err != nil {
		return false
	}
	files, inner, _, err := v.at(clean)
	return err == nil && IsReadOnly(files, inner)
}

// Unmounted returns a project without the projects that [OpenMounts] mounted in it. Other file systems are returned as
// they are.
func Unmounted(files afero.Fs) afero.Fs {
	if v, ok := files.(*mounted); ok {
		return v.Project
	}
	return files
}

// IsMount reports whether a project is mounted at a path: see [OpenMounts]. It is false for file systems of other
// packages.
func IsMount(files afero.Fs, name string) bool {
	v, ok := files.(interface{ IsMount(name string) bool })
	return ok && v.IsMount(name)
}

// IsMount is what the function of that name asks.
func (v *mounted) IsMount(name string) bool {
	clean, err := Clean(name)
	return err == nil && slices.ContainsFunc(v.mounts, func(m *mountedProject) bool { return m.Path == clean })
}

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
	return v.notMount("mkdir", name, syscall.EEXIST, func(files afero.Fs, inner string) error {
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
	return v.notMount("remove", name, syscall.EBUSY, afero.Fs.Remove)
}

func (v *mounted) RemoveAll(name string) error {
	return v.notMount("remove", name, syscall.EBUSY, afero.Fs.RemoveAll)
}

func (v *mounted) Rename(from, to string) error {
	return v.notMount("rename", from, syscall.EBUSY, func(source afero.Fs, old string) error {
		return v.notMount("rename", to, syscall.EBUSY, func(target afero.Fs, inner string) error {
			if source == target {
				return source.Rename(old, inner)
			}
			return v.Exclusively(context.Background(), func(files afero.Fs) error { return moveAcross(files, from, to) })
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
	return v.do("chmod", name, func(files afero.Fs, inner string) error { return files.Chmod(inner, mode) })
}

func (v *mounted) Chown(name string, uid, gid int) error {
	return v.do("chown", name, func(files afero.Fs, inner string) error { return files.Chown(inner, uid, gid) })
}

func (v *mounted) Chtimes(name string, atime, mtime time.Time) error {
	return v.do("chtimes", name, func(files afero.Fs, inner string) error { return files.Chtimes(inner, atime, mtime) })
}

func (v *mounted) Changes(ctx context.Context, name string) ([]Change, error) {
	clean, err := Clean(name)
	if err != nil {
		return nil, fsys.PathError("history", name, err)
	}
	_, _, mount, err := v.at(clean)
	if err == nil && mount != nil {
		err = fmt.Errorf("the history is that of the project %s: %w", mount.Project, errors.ErrUnsupported)
	}
	if err != nil {
		return nil, fsys.PathError("history", name, err)
	}
	return v.Project.Changes(ctx, clean)
}

func (v *mounted) Undo(ctx context.Context, id string) ([]Change, error) {
	return v.inAll(ctx, id, Project.CheckUndo, Project.Undo)
}

func (v *mounted) CheckUndo(ctx context.Context, id string) (unit string, err error) {
	return v.Project.CheckUndo(ctx, id)
}

// Redo implements [Redoer].
func (v *mounted) Redo(ctx context.Context, id string) ([]Change, error) {
	return v.inAll(ctx, id, checkRedo, func(p Project, ctx context.Context, id string) ([]Change, error) {
		return p.(Redoer).Redo(ctx, id)
	})
}

// CheckRedo implements [Redoer].
func (v *mounted) CheckRedo(ctx context.Context, id string) (unit string, err error) {
	return checkRedo(v.Project, ctx, id)
}

func checkRedo(p Project, ctx context.Context, id string) (unit string, err error) {
	if r, ok := p.(Redoer); ok {
		return r.CheckRedo(ctx, id)
	}
	return "", fmt.Errorf("redoing: %w", errors.ErrUnsupported)
}

// inAll does something with a call in all projects that have changes of it, or in none.
func (v *mounted) inAll(
	ctx context.Context, id string,
	check func(p Project, ctx context.Context, id string) (unit string, err error),
	do func(p Project, ctx context.Context, id string) ([]Change, error),
) (all []Change, err error) {
	err = v.Exclusively(ctx, func(files afero.Fs) error {
		inside := files.(*mounted)
		unit, err := check(inside.Project, ctx, id)
		here := err == nil
		if err != nil && (id == "" || !errors.Is(err, ErrNotKept)) {
			return err
		}
		if unit == "" {
			unit = id
		}
		var projects []Project
		seen := map[string]bool{}
		for _, m := range inside.mounts {
			if m.ReadOnly || seen[m.Project] || strings.HasPrefix(unit, "#") {
				continue
			}
			seen[m.Project] = true
			switch _, mountErr := check(m.inner, ctx, unit); {
			case mountErr == nil:
				projects = append(projects, m.inner)
			case !errors.Is(mountErr, ErrNotKept):
				return fmt.Errorf("project %s: %w", m.Project, mountErr)
			}
		}
		if here {
			projects = append(projects, inside.Project)
		}
		if len(projects) == 0 {
			return err
		}
		for _, p := range projects {
			changes, err := do(p, ctx, unit)
			if err != nil {
				return err
			}
			all = append(all, changes...)
		}
		return nil
	})
	return all, err
}

func (v *mounted) Restore(ctx context.Context, id int64, to string) error {
	if clean, err := Clean(to); to != "" && err == nil {
		if _, _, mount, err := v.at(clean); err != nil || mount != nil {
			return fsys.PathError("restore", to, errors.Join(err, syscall.EXDEV))
		}
	}
	return v.Project.Restore(ctx, id, to)
}
