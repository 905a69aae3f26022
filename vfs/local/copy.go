package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// A copier copies files and directories from one backend to another one, or within one.
type copier struct {
	from, to backend
	// durable says that copies outlast a failure of the system before they are used.
	durable bool
}

// copier returns one for copies within the project.
func (c *core) copier() copier { return copier{c.b, c.b, !c.options.NoSync} }

// file copies a regular file, with its times and permissions, to a new one.
func (c copier) file(old, name string, info fs.FileInfo) error {
	source, err := c.from.open(old, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := c.to.open(name, openNew, 0o600)
	if err != nil {
		return err
	}
	err = copyContent(target, source)
	if err == nil && c.durable {
		err = target.Sync()
	}
	return errors.Join(err, target.Close(),
		c.to.chmod(name, info.Mode().Perm()|0o600), c.to.chtimes(name, info.ModTime(), info.ModTime()))
}

// tree copies a file, a link, or a directory with all that is in it, links and names that no path can have included.
func (c copier) tree(old, name string) error {
	info, err := c.from.lstat(old)
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return c.file(old, name, info)
	case info.Mode()&fs.ModeSymlink != 0:
		return c.link(old, name)
	case !info.IsDir():
		return specialError(old)
	}
	if err := c.to.mkdir(name, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	infos, err := c.from.readDir(old)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if err := c.tree(path.Join(old, inside.Name()), path.Join(name, inside.Name())); err != nil {
			return err
		}
	}
	if !c.durable {
		return nil
	}
	return c.to.sync(name)
}

// A linker is a backend that can have links. It follows none.
type linker interface {
	readLink(name string) (target string, err error)
	makeLink(target, name string) error
}

// link makes a link that is like another.
func (c copier) link(old, name string) error {
	from, ok := c.from.(linker)
	to, ok2 := c.to.(linker)
	if !ok || !ok2 {
		return specialError(old)
	}
	target, err := from.readLink(old)
	if err != nil {
		return err
	}
	return to.makeLink(target, name)
}

// specialError says that what is neither a file nor a directory nor a link cannot be copied.
func specialError(name string) error {
	return fmt.Errorf("%s is a pipe, a socket or a device, of which the history cannot keep a copy: %w", name, errors.ErrUnsupported)
}
