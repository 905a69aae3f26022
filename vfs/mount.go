package vfs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/spf13/afero"
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

// maxMounts is how many projects can be mounted in one.
const maxMounts = 16

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
	if len(mounts) > maxMounts {
		return fmt.Errorf("%w: there are %d mounts, more than %d", fs.ErrInvalid, len(mounts), maxMounts)
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
				err = fmt.Errorf("%w; bring it back (toolrun project restore %s), "+
					"or do without it (toolrun project unmount %s)", err, m.Project, m.Path)
			}
			return nil, errors.Join(err, v.closeMounts())
		}
		v.mounts = append(v.mounts, newMounted(m, p, p))
	}
	return v, nil
}

// Unmounted returns a project without the projects that [OpenMounts] mounted in it. Other file systems are returned as
// they are.
func Unmounted(files afero.Fs) afero.Fs {
	if v, ok := files.(*mounted); ok {
		return v.Project
	}
	return files
}
