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
	data, err := p.core.readSettings()
	if data == nil && err == nil && p.core.inStore {
		s, err := readState(p.core.b)
		if err == nil && s.deleted {
			return nil, vfs.ErrDeleted
		}
		if err != nil { // it is new, or has been deleted before it was used here, which the lock knows
			err = p.change(ctx, func(*core) error { return nil })
			if errors.Is(err, vfs.ErrDeleted) || errors.Is(err, fs.ErrClosed) {
				return nil, err
			}
		}
		return nil, nil
	}
	return data, fsys.PathError("settings", "", err)
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
