package local

import (
	"context"
	"errors"

	"github.com/toolrun/toolrun/vfs"
)

// IgnoreCase makes a project on disk take its host for one that ignores case in names.
func IgnoreCase(p vfs.Project) { coreOf(p).b.(*disk).loose = true }

func coreOf(p vfs.Project) *core { return p.(*Project).core }

// projectOn returns a project on a backend.
func projectOn(b backend, options *vfs.Options) *Project {
	o, err := options.WithDefaults()
	if err != nil {
		panic(err)
	}
	c := newCore(b, o)
	return c.project(c.close)
}

// SameCore reports whether two projects share what is known of them.
func SameCore(a, b vfs.Project) bool { return coreOf(a) == coreOf(b) }

// MarkDeleted leaves a project as a process does that is killed while it deletes it.
func MarkDeleted(p vfs.Project) error {
	return coreOf(p).b.writeState(state{deleted: true, oldest: 1, next: 1}.encode())
}

// LimitLayer sets how many bytes of notes a layer may have.
func LimitLayer(p vfs.Layer, limit int64) { p.(*layerProject).l.notes.limit = limit }

// BreakApplying applies some of the differences of a layer, as if the process were killed after that.
func BreakApplying(p vfs.Layer, n int) error {
	l := p.(*layerProject)
	return l.change(context.Background(), func(*core) error {
		s := search{layered: l.l, conflicts: map[string]bool{}}
		if err := s.differences(context.Background(), "/"); err != nil {
			return err
		}
		err := l.l.beginApplying(s.found)
		for _, d := range s.found[:min(n, len(s.found))] {
			info, _ := l.l.lstat(d.Path)
			err = errors.Join(err, l.l.apply(d, info))
		}
		return err
	})
}
