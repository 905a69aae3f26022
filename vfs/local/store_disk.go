package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

type diskPlace struct {
	dir  string
	root *os.Root
	// noSync says that changes need not be durable.
	noSync bool
	// loose says that the host finds directories by names that differ in case.
	loose bool

	opening sync.Mutex // held while a project is being opened
	// shared has the projects that are open.
	shared map[string]*shared

	mu sync.Mutex
	// counted has the projects whose state this process has found to be right once.
	counted map[string]bool
	// kinds has the records that have been asked for.
	kinds map[string]*diskRecords
}

// A shared core belongs to all in this process that have a project open.
type shared struct {
	core     *project.Core
	openings int
}

func (d *diskPlace) open(id string, options vfs.Options, create bool) (*project.Project, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	s := d.shared[id]
	if s == nil || s.core.IsDeleted() || s.core.Gone() {
		c, err := d.openCore(id, options, create)
		if err != nil {
			return nil, err
		}
		s = &shared{core: c}
		d.shared[id] = s
	}
	s.openings++
	return s.core.Project(func() error { return d.release(id, s) }), nil
}

// release is called when a project that has been opened is closed.
func (d *diskPlace) release(id string, s *shared) error {
	d.opening.Lock()
	s.openings--
	last := s.openings == 0
	if last && d.shared[id] == s { // and not a new project of that id
		delete(d.shared, id)
	}
	d.opening.Unlock()
	if !last {
		return nil
	}
	return s.core.Close()
}

// openCore opens a project that nobody in this process has open, or as if that were so.
func (d *diskPlace) openCore(id string, options vfs.Options, create bool) (c *project.Core, err error) {
	for range 100 {
		if c, err = d.openNow(id, options, create); !create || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		// Somebody has deleted it meanwhile.
	}
	return c, err
}

// openNow is open, but fails with fs.ErrNotExist if the project is deleted meanwhile.
func (d *diskPlace) openNow(id string, options vfs.Options, create bool) (*project.Core, error) {
	name := dirName(id)
	info, err := d.root.Lstat(name)
	if err != nil || !d.exactly(id) {
		if !create {
			return nil, cmp.Or(err, fs.ErrNotExist)
		}
		ids, err := d.list()
		if err != nil {
			return nil, err
		}
		if err := twinID(ids, id); err != nil {
			return nil, err
		}
		if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err = d.root.Lstat(name); err != nil {
			return nil, err
		}
	}
	if !info.IsDir() {
		if !create {
			return nil, fs.ErrNotExist // it is not a project
		}
		return nil, fsys.ErrNotFollowed
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	self, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	b := newDisk(root, filepath.Join(d.dir, name))
	b.gone = func() bool {
		now, err := d.root.Lstat(name)
		return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, self)
	}
	c := project.NewCore(b, options)
	c.InStore, c.Gone = true, b.gone
	if err := c.Revive(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.OnCounted = func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.counted[id] = true
	}
	d.mu.Lock()
	c.Counted.Store(d.counted[id])
	d.mu.Unlock()
	if !options.ReadOnly && c.IsRestoring() { // whoever did so may be no more, and have left half of it
		c.RecoverSoon()
	}
	return c, nil
}

// exactly reports whether a directory that is there has this id, and not one in another case.
func (d *diskPlace) exactly(id string) bool {
	if !d.loose {
		return true
	}
	ids, err := d.list()
	return err == nil && slices.Contains(ids, id)
}

func (d *diskPlace) list() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, fsys.Bare(err)
	}
	defer f.Close()
	infos, err := f.Readdir(-1)
	if err != nil {
		return nil, fsys.Bare(err)
	}
	var ids []string
	for _, info := range infos {
		if id, ok := idOf(info.Name()); ok && info.IsDir() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// remove deletes a project, and those of its id that were discarded.
func (d *diskPlace) remove(ctx context.Context, id string) error {
	// The next project of the id may be deleted as well while this one is still being removed.
	away, err := d.putAway(ctx, id, "."+dirName(id)+"."+rand.Text()+deletedSuffix)
	if err == nil {
		err = d.removeAll(away)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	all, listErr := d.discarded()
	for _, p := range all {
		if p.id == id {
			err = d.removeAll(p.name)
		}
	}
	return cmp.Or(err, listErr)
}

// putAway marks a project as deleted and gives its directory a name that no id can be, since it has a dot.
func (d *diskPlace) putAway(ctx context.Context, id, away string) (string, error) {
	c, err := d.openCore(id, vfs.Options{}, false)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Delete(ctx, func() error { return d.root.Rename(dirName(id), away) }); err != nil {
		return "", err
	}
	d.mu.Lock()
	delete(d.counted, id)
	d.mu.Unlock()
	return away, nil
}

func (d *diskPlace) removeAll(name string) (err error) {
	for range 100 {
		// Those who have it open may make a file in it until they notice.
		if err = d.root.RemoveAll(name); err == nil || !errors.Is(err, syscall.ENOTEMPTY) {
			break
		}
	}
	return err
}

const deletedSuffix = ".deleted"

// sweep removes what is left of interrupted deletions, and projects that were discarded before a time.
func (d *diskPlace) sweep(before time.Time) {
	names, _ := d.names()
	for _, name := range names {
		dir, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
		_, isProject := idOf(dir)
		deleted := name[0] == '.' && strings.HasSuffix(name, deletedSuffix) && isProject
		if p, ok := parseDiscarded(name); deleted || ok && p.time.Before(before) {
			_ = d.root.RemoveAll(name)
		}
	}
}

// names lists the directory of the store.
func (d *diskPlace) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, fsys.Bare(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	return names, fsys.Bare(err)
}

// watch tells nothing: other processes change the files of a directory without telling anybody.
func (d *diskPlace) watch(context.Context, func(id string)) error { return errors.ErrUnsupported }

func (d *diskPlace) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.root.Close()
	for _, r := range d.kinds {
		err = errors.Join(err, r.close())
	}
	return err
}
