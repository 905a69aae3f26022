package local

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A store is a [vfs.Store] in memory or in a directory.
type store struct {
	options vfs.Options
	place   place
}

// A place is where the projects of a store are.
type place interface {
	// open opens a project. Unless it is to be created, fs.ErrNotExist means that there is none.
	open(id string, options vfs.Options, create bool) (*project.Project, error)
	// list returns all ids, in any order.
	list() ([]string, error)
	remove(ctx context.Context, id string) error
	records(kind string) recordPlace
	// recordKinds returns the kinds of which there may be records.
	recordKinds() ([]string, error)
	// watch is [vfs.Store].WatchProjects.
	watch(ctx context.Context, changed func(id string)) error
	close() error
}

// NewMemoryStore returns a store that lasts as long as the process. Closing a project of it loses nothing. It panics
// if a limit is negative.
func NewMemoryStore(options *vfs.Options) vfs.Store {
	o, err := options.WithDefaults()
	if err != nil {
		panic("local: NewMemoryStore: " + err.Error())
	}
	return &store{o, &memoryPlace{projects: map[string]*project.Core{}}}
}

// OpenStore opens a store in a directory of the host, which is made if it is not there. Each project is a directory in
// it. Several processes can use the same one. WatchProjects is errors.ErrUnsupported.
func OpenStore(dir string, options *vfs.Options) (vfs.Store, error) {
	o, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	place := &diskPlace{
		dir: dir, root: root, noSync: o.NoSync, loose: ignoresCase(root, dir), counted: map[string]bool{},
		shared: map[string]*shared{},
	}
	place.sweep(time.Now().Add(-o.History.Age))
	return &store{o, place}, nil
}

// OpenDir makes a project of a directory of the host, with everything that is in it, and nothing outside of it. What a
// project keeps for itself is in its subdirectory ".toolrun", which is made at the first change. What other programs
// may execute is protected ([vfs.ProtectedNames]).
func OpenDir(dir string, options *vfs.Options) (vfs.Project, error) {
	o, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	b, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	c := project.NewCore(b, o)
	c.Protection = project.ProtectionOf(o, true)
	return c.Project(c.Close), nil
}

// Open implements [vfs.Store].
func (s *store) Open(ctx context.Context, id string) (vfs.Project, error) {
	return s.open(ctx, id, true)
}

// OpenExisting implements [vfs.Store].
func (s *store) OpenExisting(ctx context.Context, id string) (vfs.Project, error) {
	return s.open(ctx, id, false)
}

func (s *store) open(ctx context.Context, id string, create bool) (vfs.Project, error) {
	if err := vfs.CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.place.open(id, s.options, create)
	if err != nil {
		return nil, projectError(id, err)
	}
	return p, nil
}

// List implements [vfs.Store].
func (s *store) List(ctx context.Context, after string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ids, err := s.place.list()
	if err != nil {
		return nil, err
	}
	return listPage(ids, after, limit)
}

// Delete implements [vfs.Store].
func (s *store) Delete(ctx context.Context, id string) error {
	if err := vfs.CheckID(id); err != nil {
		return err
	}
	return projectError(id, s.place.remove(ctx, id))
}

// Usage implements [vfs.Store].
func (s *store) Usage(ctx context.Context, id string) (vfs.Usage, error) {
	p, err := s.open(ctx, id, false)
	if err != nil {
		return vfs.Usage{}, err
	}
	usage, err := p.Usage(ctx)
	return usage, errors.Join(err, p.Close())
}

// WatchProjects implements [vfs.Store] for a store in memory. For a directory, the error is
// errors.ErrUnsupported.
func (s *store) WatchProjects(ctx context.Context, changed func(id string)) error {
	return s.place.watch(ctx, changed)
}

// Close implements [vfs.Store]. Projects in memory can no longer be reached by others.
func (s *store) Close() error { return s.place.close() }

// twinID is an error if there is an id that differs from the given one in case only.
func twinID(ids []string, id string) error {
	for _, other := range ids {
		if other != id && strings.EqualFold(other, id) {
			return &vfs.NameConflictError{Name: id, Existing: other}
		}
	}
	return nil
}
