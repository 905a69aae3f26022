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
	return l.breaking(func() error {
		found, err := l.l.search(context.Background())
		if err != nil {
			return err
		}
		a := application{l: l.l}
		err = l.l.beginApplying(found)
		for _, d := range found[:min(n, len(found))] {
			info, _ := l.l.lstat(d.Path)
			err = errors.Join(err, a.apply(d, info))
		}
		if a.session != "" { // what a killed process was writing
			a.release()
			err = errors.Join(err, l.l.below.mkdir(tempDir+"/"+a.session+"-0", 0o700))
		}
		return err
	})
}

// BreakDropping drops the files of a layer at a path, as if the process were killed after that.
func BreakDropping(p vfs.Layer, top string) error {
	l := p.(*layerProject)
	return l.breaking(func() error {
		return errors.Join(l.l.notes.beginDropping([]string{top}), l.l.dropFiles(top))
	})
}

// breaking does something with the lock, and leaves the state as a process does that is killed then.
func (p *Project) breaking(do func() error) error {
	err := p.change(context.Background(), func(*core) error { return do() })
	s := p.core.state
	s.dirty = true
	return errors.Join(err, p.core.b.writeState(s.encode()))
}

// PutBack copies what the last change has removed back to where it was, as if the process were killed during that
// change.
func PutBack(p vfs.Project, id int64, name string) error {
	return p.(*Project).breaking(func() error {
		coreOf(p).state.next = id
		return coreOf(p).copier().tree(keptFile(id), name)
	})
}
