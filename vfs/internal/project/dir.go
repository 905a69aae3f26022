package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A dir is an open directory.
type dir struct {
	fsys.Dir
	project *Project
	name    string
	handle
}

// openDir opens a directory under the name that the caller gave.
func (p *Project) openDir(given, clean string) (afero.File, error) {
	d := &dir{project: p, name: clean}
	d.Init(given, d)
	if err := p.Core.opened(&d.handle, d); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *dir) owner() *Project { return d.project }
func (d *dir) Discard()        { _ = d.Close() }

// List implements [fsys.DirSource].
func (d *dir) List() ([]fs.FileInfo, error) { return d.project.view().list(d.name) }

// Info implements [fsys.DirSource].
func (d *dir) Info() (fs.FileInfo, error) {
	info, err := d.project.view().Backend.Lstat(d.name)
	if err != nil {
		return nil, err
	}
	return fsys.Describe(path.Base(d.name), info), nil
}

// Closed implements [fsys.DirSource].
func (d *dir) Closed() { d.project.Core.isClosed(&d.handle) }

// list describes what a directory contains: everything that has a name that can be used.
func (c *Core) list(name string) ([]fs.FileInfo, error) {
	infos, err := c.Backend.ReadDir(name)
	if err != nil {
		return nil, err
	}
	if depth(name) >= vfs.MaxDepth {
		return nil, nil // no path leads to what is in it
	}
	out := make([]fs.FileInfo, 0, len(infos))
	for _, info := range infos {
		clean, ok := vfs.CleanName(info.Name())
		if ok && clean != info.Name() {
			if ok, err = c.isThere(path.Join(name, clean)); err != nil {
				return nil, err
			}
		}
		if ok {
			out = append(out, fsys.Describe(clean, info))
		}
	}
	byName := func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) }
	if !slices.IsSortedFunc(out, byName) { // names in another Unicode form
		slices.SortFunc(out, byName)
	}
	return out, nil
}

// isThere reports whether a name stands for something.
func (c *Core) isThere(name string) (bool, error) {
	_, err := c.Backend.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
