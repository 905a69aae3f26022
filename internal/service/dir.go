package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
)

// useDir makes the directory of the options the only project.
func (d *Desk) useDir() error {
	whole, err := filepath.Abs(d.options.Dir)
	if err != nil {
		return err
	}
	name := filepath.Base(whole)
	if vfs.CheckID(name) != nil {
		name = "directory" // which nothing depends on
	}
	d.options.Dir, d.only = whole, name
	d.options.Store = &dirStore{d, name, d.options.Store}
	return nil
}

// dirSession opens the directory of the options.
func (d *Desk) dirSession(options *toolrun.SessionOptions) (*toolrun.Session, error) {
	if options == nil {
		options = &toolrun.SessionOptions{}
	}
	options.Dir = d.options.DirOptions
	return d.runner.DirSession(d.options.Dir, options)
}

// A dirStore has one project, which is a directory of the host. Records of it are in another store.
type dirStore struct {
	desk   *Desk
	id     string
	beside vfs.Store
}

// A dirProject closes the session that has opened it.
type dirProject struct {
	vfs.Project
	session *toolrun.Session
}

func (p dirProject) Close() error { return p.session.Close() }

func (d *dirStore) Open(ctx context.Context, id string) (vfs.Project, error) {
	return d.OpenExisting(ctx, id)
}

func (d *dirStore) OpenExisting(_ context.Context, id string) (vfs.Project, error) {
	if id != d.id {
		return nil, fmt.Errorf("project %s: %w", id, fs.ErrNotExist)
	}
	session, err := d.desk.dirSession(nil)
	if err != nil {
		return nil, err
	}
	return dirProject{session.Project(), session}, nil
}

func (d *dirStore) List(_ context.Context, after string, _ int) ([]string, error) {
	if after >= d.id {
		return nil, nil
	}
	return []string{d.id}, nil
}

func (d *dirStore) Delete(context.Context, string) error {
	return &fs.PathError{Op: "remove", Path: d.id, Err: fs.ErrPermission}
}

func (d *dirStore) Discard(ctx context.Context, id string) error { return d.Delete(ctx, id) }

func (d *dirStore) Discarded(context.Context) ([]vfs.Discarded, error) { return nil, nil }

func (d *dirStore) Recover(_ context.Context, id, _ string) error {
	return fmt.Errorf("project %s: %w", id, fs.ErrNotExist)
}

func (d *dirStore) OpenDiscarded(context.Context, vfs.Discarded, int) (vfs.Project, error) {
	return nil, fs.ErrNotExist
}

func (d *dirStore) AddDiscarded(context.Context, vfs.Discarded, func(vfs.Project) error) error {
	return errors.ErrUnsupported
}

func (d *dirStore) Usage(ctx context.Context, id string) (vfs.Usage, error) {
	p, err := d.OpenExisting(ctx, id)
	if err != nil {
		return vfs.Usage{}, err
	}
	usage, err := p.Usage(ctx)
	return usage, errors.Join(err, p.Close())
}

func (d *dirStore) WatchProjects(context.Context, func(string)) error { return errors.ErrUnsupported }

func (d *dirStore) Records(kind string) vfs.Records { return d.beside.Records(kind) }

func (d *dirStore) AllRecords(ctx context.Context) iter.Seq2[vfs.RecordInfo, error] {
	return d.beside.AllRecords(ctx)
}

func (d *dirStore) Close() error { return nil }
