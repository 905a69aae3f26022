package vfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// settingsFile is where a project's settings are.
const settingsFile = "/" + metaDir + "/settings.json"

// MaxSettings is the most bytes that a project's settings may have.
const MaxSettings = 4 << 20

// Settings returns what the host keeps with the project by [Project.EditSettings], or nil if that is nothing. It is not one
// of the project's files: no path leads to it, so that tools cannot change what they are allowed to do. In a directory
// that somebody else has filled ([OpenDir]) it may be theirs. The error is [ErrDeleted] if the project has been deleted, since
// nothing would mean that nothing is forbidden.
func (p *Project) Settings() ([]byte, error) {
	if p.over() {
		return nil, fs.ErrClosed
	}
	data, err := p.core.readSettings()
	if data == nil && err == nil && p.core.inStore {
		s, err := readState(p.core.b)
		if err == nil && s.deleted {
			return nil, ErrDeleted
		}
		if err != nil { // it is new, or has been deleted before it was used here, which the lock knows
			err = p.change(context.Background(), func(*core) error { return nil })
			if errors.Is(err, ErrDeleted) || errors.Is(err, fs.ErrClosed) {
				return nil, err
			}
		}
		return nil, nil
	}
	return data, pathError("settings", "", err)
}

// EditSettings replaces the settings by what edit makes of them, as a whole and durably, while nobody else changes them.
// Empty settings are none. If edit returns an error, that is the error, and nothing is changed.
func (p *Project) EditSettings(ctx context.Context, edit func(settings []byte) ([]byte, error)) error {
	return p.change(ctx, func(c *core) error {
		before, err := c.readSettings()
		if err != nil {
			return pathError("settings", "", err)
		}
		after, err := edit(before)
		if err != nil {
			return err
		}
		if len(after) > MaxSettings {
			return fmt.Errorf("the settings have %d bytes, more than %d", len(after), MaxSettings)
		}
		return pathError("settings", "", c.writeSettings(after))
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
	data, err = io.ReadAll(io.NewSectionReader(n, 0, MaxSettings+1))
	if err == nil && len(data) > MaxSettings {
		err = fmt.Errorf("they have more than %d bytes", MaxSettings)
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
	return c.sync("/" + metaDir)
}
