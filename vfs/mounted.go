package vfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

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

// do does something at a path of one of the projects. If it cannot be done to a mount itself, refused says so.
func (v *mounted) do(op, name string, refused error, do func(files afero.Fs, inner string) error) error {
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

// IsReadOnly is for the function of this name, which callers use instead.
func (v *mounted) IsReadOnly(name string) bool {
	clean, err := Clean(name)
	if err != nil {
		return false
	}
	files, inner, _, err := v.at(clean)
	return err == nil && IsReadOnly(files, inner)
}

// IsMount is for the function of this name, which callers use instead.
func (v *mounted) IsMount(name string) bool {
	clean, err := Clean(name)
	return err == nil && slices.ContainsFunc(v.mounts, func(m *mountedProject) bool { return m.Path == clean })
}
