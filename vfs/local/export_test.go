package local

import "github.com/toolrun/toolrun/vfs"

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
