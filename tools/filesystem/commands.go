package filesystem

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/toolrun/toolrun/internal/filetype"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
	"github.com/toolrun/toolrun/vfs"
)

// append adds text to the end of a file, or makes the file.
func (t tree) append(ctx context.Context, name, text string) (done string, err error) {
	if name == "/" {
		return "", registry.Errorf("Error: Cannot append to the root path.")
	}
	err = t.Exclusively(ctx, func(inner textfile.Tree) error {
		info, err := inner.Stat(name)
		switch {
		case err != nil:
			return err
		case info == nil:
			done, err = inner.Create(ctx, name, text, false)
			return err
		case info.IsDir():
			return registry.Errorf("Error: %s is a directory, not a file.", name)
		}
		content, err := inner.Read(name)
		if err != nil {
			return err
		}
		if !filetype.IsText(content) {
			return registry.Errorf("Error: Cannot append to binary file %s.", name)
		}
		done = "Content appended to " + name
		return inner.Write(ctx, name, append(content, text...))
	})
	return done, err
}

// mkdir makes a directory, and those that it lies in.
func (t tree) mkdir(ctx context.Context, name string) (done string, err error) {
	if name == "/" {
		return "", registry.Errorf("Error: Cannot create directory at the root path.")
	}
	err = t.Exclusively(ctx, func(inner textfile.Tree) error {
		info, err := inner.Stat(name)
		switch {
		case err != nil:
			return err
		case info == nil:
			return inner.Explain(name, inner.Files.MkdirAll(name, 0o755))
		case info.IsDir():
			return registry.Errorf("Error: Directory %s already exists", name)
		}
		return registry.Errorf("Error: A file already exists at %s", name)
	})
	return "Directory created successfully at: " + name, err
}

func (t tree) rename(ctx context.Context, from, to string, overwrite bool) (done string, err error) {
	switch {
	case isMemory(from):
		return "", readOnly("move from", from)
	case isMemory(to) && from != "/": // which cannot be renamed at all
		return "", readOnly("move to", to)
	}
	return t.Rename(ctx, from, to, mayReplace(from, to, overwrite))
}

func (t tree) copy(ctx context.Context, from, to string, overwrite bool) (done string, err error) {
	switch {
	case to == "/":
		return "", registry.Errorf("Error: Cannot copy to the root path.")
	case isMemory(to):
		return "", readOnly("write to", to)
	}
	err = t.Exclusively(ctx, func(inner textfile.Tree) error {
		return inner.Relocate(from, to, "copy", mayReplace(from, to, overwrite), func(_, target fs.FileInfo) error {
			if target == nil {
				return vfs.Copy(ctx, inner.Files, from, to)
			}
			// The old file stays until the new one is complete.
			content, err := inner.Read(from)
			if err != nil {
				return err
			}
			return inner.Write(ctx, to, content)
		})
	})
	return fmt.Sprintf("Successfully copied %s to %s", from, to), err
}

// mayReplace returns a function that judges whether what is at a path may be replaced.
func mayReplace(from, to string, overwrite bool) func(source, target fs.FileInfo) error {
	return func(source, target fs.FileInfo) error {
		switch {
		case from == to:
			return registry.Errorf("Error: %s is both the source and the destination.", to)
		case target.IsDir():
			return registry.Errorf("Error: The destination %s is a directory.", to)
		case !overwrite:
			return registry.Errorf("Error: The destination %s already exists. Set overwrite to true to replace.", to)
		case source.IsDir():
			return registry.Errorf("Error: The destination %s is a file, which a directory cannot replace.", to)
		}
		return nil
	}
}

// viewed is the status of view-all.
func viewed(paths, failures int) string {
	if failures == 0 {
		return fmt.Sprintf("Viewed %d paths", paths)
	}
	return fmt.Sprintf("Viewed %d of %d paths", paths-failures, paths)
}
