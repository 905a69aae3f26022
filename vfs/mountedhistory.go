package vfs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

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

// Purge implements [Project]. The history of what is mounted is that of another project.
func (v *mounted) Purge(ctx context.Context, name string, options *PurgeOptions) (*Purged, error) {
	clean, err := Clean(name)
	if err == nil {
		var mount *mountedProject
		if _, _, mount, err = v.at(clean); err == nil && mount != nil {
			err = fmt.Errorf("the history is that of the project %s: %w", mount.Project, errors.ErrUnsupported)
		}
	}
	if err != nil {
		return nil, fsys.PathError("purge", name, err)
	}
	return v.Project.Purge(ctx, clean, options)
}

// Undo implements [History].
func (v *mounted) Undo(ctx context.Context, id string) ([]Change, error) {
	return v.inAll(ctx, id, Project.CheckUndo, Project.Undo)
}

// Redo implements [History].
func (v *mounted) Redo(ctx context.Context, id string) ([]Change, error) {
	return v.inAll(ctx, id, Project.CheckRedo, Project.Redo)
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

func (v *mounted) RestoreMissing(ctx context.Context, id int64, name string, dry bool) ([]string, error) {
	if clean, err := Clean(name); name != "" && err == nil {
		if _, _, mount, err := v.at(clean); err != nil || mount != nil {
			return nil, fsys.PathError("restore", name, errors.Join(err, syscall.EXDEV))
		}
	}
	return v.Project.RestoreMissing(ctx, id, name, dry)
}
