package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// A Copier copies files and directories from one backend to another one, or within one.
type Copier struct {
	From, To Backend
	// Durable says that copies outlast a failure of the system before they are used.
	Durable bool
}

// Copier returns one for copies within the project.
func (c *Core) Copier() Copier { return Copier{c.Backend, c.Backend, !c.options.NoSync} }

// File copies a regular file, with its times and permissions, to a new one.
func (c Copier) File(old, name string, info fs.FileInfo) error {
	if cloner, ok := c.From.(cloner); ok && c.From == c.To {
		return cloner.Clone(old, name)
	}
	source, err := c.From.Open(old, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := c.To.Open(name, OpenNew, 0o600)
	if err != nil {
		return err
	}
	err = copyContent(target, source)
	if err == nil && c.Durable {
		err = target.Sync()
	}
	return errors.Join(err, target.Close(),
		c.To.Chmod(name, info.Mode().Perm()|0o600), c.To.Chtimes(name, info.ModTime(), info.ModTime()))
}

// Whole is File by way of a temporary name, so that there is a whole file or none.
func (c Copier) Whole(old, temp, name string, info fs.FileInfo) error {
	err := c.File(old, temp, info)
	if err == nil {
		err = c.To.Rename(temp, name)
	}
	if err != nil {
		_ = c.To.RemoveAll(temp)
	}
	return err
}

// Tree copies a file, a link, or a directory with all that is in it, links and names that no path can have included.
func (c Copier) Tree(old, name string) error {
	if cloner, ok := c.From.(cloner); ok && c.From == c.To {
		return cloner.Clone(old, name)
	}
	info, err := c.From.Lstat(old)
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return c.File(old, name, info)
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(old, name)
	case !info.IsDir():
		return specialError(old)
	}
	if err := c.To.Mkdir(name, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	infos, err := c.From.ReadDir(old)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if err := c.Tree(path.Join(old, inside.Name()), path.Join(name, inside.Name())); err != nil {
			return err
		}
	}
	if !c.Durable {
		return nil
	}
	return c.To.Sync(name)
}

// A linker is a backend that can have links. It follows none.
type linker interface {
	ReadLink(name string) (target string, err error)
	MakeLink(target, name string) error
}

// link makes a link that is like another.
func (c Copier) link(old, name string) error {
	from, ok := c.From.(linker)
	to, ok2 := c.To.(linker)
	if !ok || !ok2 {
		return specialError(old)
	}
	target, err := from.ReadLink(old)
	if err != nil {
		return err
	}
	return to.MakeLink(target, name)
}

// specialError says that what is neither a file nor a directory nor a link cannot be copied.
func specialError(name string) error {
	return fmt.Errorf("%s is a pipe, a socket or a device, of which the history cannot keep a copy: %w",
		name, errors.ErrUnsupported)
}
