package project

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

// Settings implements [vfs.Project].
func (p *Project) Settings(ctx context.Context) ([]byte, error) {
	if p.Over() {
		return nil, fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := p.view()
	if t, ok := c.Backend.(Transactional); ok { // so that both are asked for together
		c = &Core{t.Snapshot(settingsFile), c.shared}
	}
	if c.IsDeleted() { // a project that can be restored has its settings still
		return nil, vfs.ErrDeleted
	}
	data, err := c.readSettings()
	return data, fsys.PathError("settings", "", err)
}

// EditSettings implements [vfs.Project].
func (p *Project) EditSettings(ctx context.Context, edit func(settings []byte) ([]byte, error)) error {
	return p.Change(ctx, func(c *Core) error {
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

func (c *Core) readSettings() (data []byte, err error) {
	n, err := c.Backend.Open(settingsFile, os.O_RDONLY, 0)
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

func (c *Core) writeSettings(data []byte) error {
	if len(data) > 0 {
		if err := c.replaceOwn(settingsFile, data, true); err != nil {
			return err
		}
	} else if err := c.Backend.Remove(settingsFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.sync("/" + vfs.Reserved)
}
