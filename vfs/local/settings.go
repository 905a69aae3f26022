package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// settingsFile is where a project's settings are.
const settingsFile = "/" + vfs.Reserved + "/settings.json"

// Settings implements [vfs.Settings].
func (p *Project) Settings(ctx context.Context) ([]byte, error) {
	if p.over() {
		return nil, fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := p.core
	data, err := c.readSettings()
	if data == nil && err == nil && c.isDeleted() {
		return nil, vfs.ErrDeleted
	}
	return data, fsys.PathError("settings", "", err)
}

// isDeleted reports whether the project has been deleted from its store, without waiting for the lock.
func (c *core) isDeleted() bool {
	if !c.inStore {
		return false // nobody deletes a directory that is not a store's
	}
	s, err := readState(c.b)
	return err == nil && s.deleted || err != nil && c.gone != nil && c.gone()
}

// EditSettings implements [vfs.Settings].
func (p *Project) EditSettings(ctx context.Context, edit func(settings []byte) ([]byte, error)) error {
	return p.change(ctx, func(c *core) error {
		before, err := c.readSettings()
		if err != nil {
			return fsys.PathError("settings", "", err)
		}
		after, err := edit(before)
		if err != nil {
			return err
		}
		if len(after) > vfs.MaxSettings {
			return fmt.Errorf("the settings have %d bytes, more than %d", len(after), vfs.MaxSettings)
		}
		return fsys.PathError("settings", "", c.writeSettings(after))
	})
}

func (c *core) readSettings() (data []byte, err error) {
	n, err := c.b.open(settingsFile, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	data, err = io.ReadAll(io.NewSectionReader(n, 0, vfs.MaxSettings+1))
	if err == nil && len(data) > vfs.MaxSettings {
		err = fmt.Errorf("they have more than %d bytes", vfs.MaxSettings)
	}
	return data, err
}

func (c *core) writeSettings(data []byte) error {
	if len(data) > 0 {
		if err := c.replaceOwn(settingsFile, data, true); err != nil {
			return err
		}
	} else if err := c.b.remove(settingsFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.sync("/" + vfs.Reserved)
}
