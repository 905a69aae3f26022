package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A shelved disk is that of a discarded project, which can be looked at as if it were not.
type shelved struct{ *disk }

// ReadState says that everything has to be counted: what the state says is that the project has been deleted.
func (s shelved) ReadState(buf []byte) error {
	copy(buf, project.State{Dirty: true}.Encode())
	return nil
}

// WriteState writes nothing.
func (s shelved) WriteState([]byte) error { return nil }

// OpenDiscarded implements [vfs.Store].
func (s *store) OpenDiscarded(ctx context.Context, want vfs.Discarded, n int) (vfs.Project, error) {
	disk, ok := s.place.(*diskPlace)
	if !ok {
		return nil, projectError(want.ID, fs.ErrNotExist)
	}
	all, err := disk.discarded()
	if err != nil || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	for _, d := range all {
		if d.id != want.ID || !d.time.Equal(want.Time) {
			continue
		}
		if n--; n >= 0 {
			continue
		}
		root, err := disk.root.OpenRoot(d.name)
		if err != nil {
			return nil, projectError(want.ID, err)
		}
		c := project.NewCore(shelved{newDisk(root, filepath.Join(disk.dir, d.name))}, s.options)
		return c.Project(c.Close), nil
	}
	return nil, projectError(want.ID, fs.ErrNotExist)
}

// AddDiscarded implements [vfs.Store]. What is left of one that was interrupted goes with the next one that has
// the same id and time, or when the store is opened.
func (s *store) AddDiscarded(ctx context.Context, d vfs.Discarded, fill func(p vfs.Project) error) error {
	if err := vfs.CheckID(d.ID); err != nil {
		return err
	}
	disk, ok := s.place.(*diskPlace)
	if !ok {
		return projectError(d.ID, errors.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	base := fmt.Sprintf(".%s.%d-%s", dirName(d.ID), d.Time.Unix(), rand.Text())
	filling := base + deletedSuffix
	err := disk.root.Mkdir(filling, 0o700)
	if err != nil {
		return projectError(d.ID, err)
	}
	root, err := disk.root.OpenRoot(filling)
	if err != nil {
		return projectError(d.ID, errors.Join(err, disk.removeAll(filling)))
	}
	c := project.NewCore(newDisk(root, filepath.Join(disk.dir, filling)), s.options)
	p := c.Project(c.Close)
	filled := fill(p)
	if err := p.Close(); filled == nil && err == nil {
		return projectError(d.ID, disk.root.Rename(filling, base+discardedSuffix))
	}
	return errors.Join(filled, projectError(d.ID, errors.Join(err, disk.removeAll(filling))))
}
