package project

import (
	"errors"
	"io/fs"
	"path"

	"github.com/toolrun/toolrun/vfs"
)

// A treeSize is what a file or a directory with all that it contains amounts to.
type treeSize struct {
	Bytes, Files int64
	// depth is how many names lead to the deepest file, and longest how long the longest path is; both from the top.
	depth, longest int
	// dir says that it is a directory. protected is the path of something in it that is protected, or "".
	dir       bool
	protected string
	// special is the path of something in it that is neither a file nor a directory nor a link, or "".
	special string
}

// SizeOf measures a file or a directory, not counting what is the project's own.
func (c *Core) SizeOf(name string) (treeSize, error) {
	info, err := c.Backend.Lstat(name)
	if err != nil {
		return treeSize{}, err
	}
	total := treeSize{Files: 1, dir: info.IsDir()}
	if info.Mode().IsRegular() {
		total.Bytes = info.Size()
	}
	if info.IsDir() {
		err = c.addSizes(name, len(name), 1, &total)
	}
	return total, err
}

func (c *Core) addSizes(dir string, top, deep int, total *treeSize) error {
	if deep > vfs.MaxDepth || len(dir)-top > vfs.MaxPath {
		total.unknown(c, dir)
		return nil // no path leads there
	}
	infos, err := c.Backend.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		total.unknown(c, dir)
		return nil // a directory that only somebody else can have made
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	for _, info := range infos {
		if name := info.Name(); name[0] == '.' && vfs.Fold(name) == vfs.Reserved {
			continue
		}
		name := path.Join(dir, info.Name())
		if c.Protection != nil && c.Protection.protects(info.Name(), info.IsDir()) {
			total.protected = name
		}
		total.Files++
		total.depth = max(total.depth, deep)
		total.longest = max(total.longest, len(name)-top)
		switch {
		case info.Mode().IsRegular():
			total.Bytes = sum(total.Bytes, info.Size())
		case !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
			total.special = name
		}
		if info.IsDir() {
			if err := c.addSizes(name, top, deep+1, total); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknown notes a directory that cannot be looked into: something in it may be protected.
func (s *treeSize) unknown(c *Core, dir string) {
	if c.Protection != nil {
		s.protected = dir
	}
}

// room checks that a file may get a size, when it has another now, and that there may be more files.
func (c *Core) room(s State, size, now, newFiles int64) error {
	if limit := c.options.Quota.FileSize; size > now && size > limit {
		return &vfs.QuotaError{Limit: "file size", Max: limit, Want: size}
	}
	return c.roomFor(s, size-now, newFiles)
}

// roomFor checks that there may be more bytes and files.
func (c *Core) roomFor(s State, bytes, newFiles int64) error {
	quota := c.options.Quota
	used, files := s.Bytes-c.base.bytes.Load(), s.Files-c.base.files.Load()
	switch {
	case bytes > 0 && bytes > quota.Bytes-used:
		return &vfs.QuotaError{Limit: "bytes", Max: quota.Bytes, Want: used + bytes}
	case newFiles > 0 && newFiles > quota.Files-files:
		return &vfs.QuotaError{Limit: "files", Max: quota.Files, Want: files + newFiles}
	}
	return nil
}
