package local

import (
	"context"
	"errors"
	"strings"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// IgnoreCase makes a project on disk take its host for one that ignores case in names.
func IgnoreCase(p vfs.Project) { coreOf(p).Backend.(*disk).loose = true }

// InMemory reports whether a project in memory has a text in any file, its own ones included.
func InMemory(p vfs.Project, text string) bool { return has(memoryOf(coreOf(p).Backend).root, text) }

func has(n *inode, text string) bool {
	for _, inside := range n.entries {
		if has(inside, text) {
			return true
		}
	}
	return strings.Contains(string(n.data), text)
}

func coreOf(p vfs.Project) *project.Core { return p.(*project.Project).Core }

// projectOn returns a project on a backend.
func projectOn(b project.Backend, options *vfs.Options) *project.Project {
	o, err := options.WithDefaults()
	if err != nil {
		panic(err)
	}
	c := project.NewCore(b, o)
	return c.Project(c.Close)
}

// SameCore reports whether two projects share what is known of them.
func SameCore(a, b vfs.Project) bool { return coreOf(a) == coreOf(b) }

// MarkDeleted leaves a project as a process does that is killed while it deletes it.
func MarkDeleted(p vfs.Project) error {
	return coreOf(p).Backend.WriteState(project.State{Deleted: true, Oldest: 1, Next: 1}.Encode())
}

// LimitLayer sets how many bytes of notes a layer may have.
func LimitLayer(p vfs.Layer, limit int64) { p.(*layerProject).l.notes.limit = limit }

// BreakApplying applies some of the differences of a layer, as if the process were killed after that.
func BreakApplying(p vfs.Layer, n int) error {
	l := p.(*layerProject)
	return breaking(l.Project, func() error {
		found, err := l.l.search(context.Background())
		if err != nil {
			return err
		}
		a := application{l: l.l}
		err = l.l.beginApplying(found)
		for _, d := range found[:min(n, len(found))] {
			info, _ := l.l.Lstat(d.Path)
			err = errors.Join(err, a.apply(d, info))
		}
		if a.session != "" { // what a killed process was writing
			a.release()
			err = errors.Join(err, l.l.below.Mkdir(project.TempDir+"/"+a.session+"-0", 0o700))
		}
		return err
	})
}

// BreakDropping drops the files of a layer at a path, as if the process were killed after that.
func BreakDropping(p vfs.Layer, top string) error {
	l := p.(*layerProject)
	return breaking(l.Project, func() error {
		return errors.Join(l.l.notes.beginDropping([]string{top}), l.l.dropFiles(top))
	})
}

// breaking does something with the lock, and leaves the state as a process does that is killed then.
func breaking(p *project.Project, do func() error) error {
	err := p.Change(context.Background(), func(*project.Core) error { return do() })
	s := p.Core.State
	s.Dirty = true
	return errors.Join(err, p.Core.Backend.WriteState(s.Encode()))
}

// PutBack copies what the last change has removed back to where it was, as if the process were killed during that
// change.
func PutBack(p vfs.Project, id int64, name string) error {
	return breaking(p.(*project.Project), func() error {
		coreOf(p).State.Next = id
		return coreOf(p).Copier().Tree(project.KeptFile(id), name)
	})
}

func memoryOf(b project.Backend) *memory {
	if f, ok := b.(*faulty); ok {
		b = f.Backend
	}
	return b.(*memory)
}
