package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// Discard implements [vfs.Store]. A store in memory deletes the project.
func (s *store) Discard(ctx context.Context, id string) error {
	disk, ok := s.place.(*diskPlace)
	if !ok || s.options.History.Off {
		return s.Delete(ctx, id)
	}
	if err := vfs.CheckID(id); err != nil {
		return err
	}
	return projectError(id, disk.discard(ctx, id, time.Now()))
}

// Discarded implements [vfs.Store].
func (s *store) Discarded(ctx context.Context) ([]vfs.Discarded, error) {
	disk, ok := s.place.(*diskPlace)
	if !ok {
		return nil, ctx.Err()
	}
	found, err := disk.discarded()
	var out []vfs.Discarded
	for _, f := range found {
		out = append(out, vfs.Discarded{ID: f.id, Time: f.time, Until: f.time.Add(s.options.History.Age)})
	}
	return out, cmp.Or(ctx.Err(), err)
}

// Recover implements [vfs.Store].
func (s *store) Recover(ctx context.Context, id, as string) error {
	for _, name := range []string{id, as} {
		if err := vfs.CheckID(name); err != nil {
			return err
		}
	}
	disk, ok := s.place.(*diskPlace)
	if !ok {
		return projectError(id, fs.ErrNotExist)
	}
	return projectError(id, disk.recover(ctx, id, as))
}

func projectError(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("project %s: %w", id, fsys.Bare(err))
}

// A discarded project is a directory of the store named .ID.TIME-RANDOM.discarded.
type discarded struct {
	name, id string
	time     time.Time
}

const discardedSuffix = ".discarded"

func (d *diskPlace) discard(ctx context.Context, id string, now time.Time) error {
	_, err := d.putAway(ctx, id, fmt.Sprintf(".%s.%d-%s%s", dirName(id), now.Unix(), rand.Text(), discardedSuffix))
	return err
}

func parseDiscarded(name string) (discarded, bool) {
	inner, ok := strings.CutSuffix(strings.TrimPrefix(name, "."), discardedSuffix)
	dir, rest, ok2 := strings.Cut(inner, ".")
	id, ok4 := idOf(dir)
	seconds, _, ok3 := strings.Cut(rest, "-")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || !ok2 || !ok3 || !ok4 || err != nil || name[0] != '.' {
		return discarded{}, false
	}
	return discarded{name, id, time.Unix(at, 0).UTC()}, true
}

// discarded lists the discarded projects, the latest first.
func (d *diskPlace) discarded() ([]discarded, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	var found []discarded
	for _, name := range names {
		if p, ok := parseDiscarded(name); ok {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b discarded) int {
		return cmp.Or(b.time.Compare(a.time), strings.Compare(a.name, b.name))
	})
	return found, nil
}

func (d *diskPlace) recover(ctx context.Context, id, as string) error {
	d.opening.Lock()
	defer d.opening.Unlock()
	all, err := d.discarded()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(p discarded) bool { return p.id == id })
	if i < 0 {
		return fs.ErrNotExist
	}
	ids, err := d.list()
	if err != nil {
		return err
	}
	if slices.Contains(ids, as) {
		return fs.ErrExist
	}
	if err := twinID(ids, as); err != nil {
		return err
	}
	name := all[i].name
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return err
	}
	c := project.NewCore(newDisk(root, filepath.Join(d.dir, name)), vfs.Options{})
	unlock, err := c.Lock(ctx, nil)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	// The sizes are counted anew when the project is opened.
	err = c.Backend.WriteState(project.State{Dirty: true}.Encode())
	unlock()
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	d.mu.Lock()
	delete(d.counted, as)
	d.mu.Unlock()
	return d.root.Rename(name, dirName(as))
}
