package textfile

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Append adds text to the end of a file, or creates the file. Nil is no text, which changes no file. Append returns the
// text for the model.
func (t Tree) Append(ctx context.Context, name string, text *string) (done string, err error) {
	if name == "/" {
		return "", tool.Errorf("Error: Cannot append to the root path.")
	}
	shown := t.Shown(name)
	err = t.exclusively(ctx, func(t Tree) error {
		info, err := t.Stat(name)
		switch {
		case err != nil:
			return err
		case info == nil:
			created := ""
			if text != nil {
				created = *text
			}
			done, err = t.Create(ctx, name, created, false)
			return err
		case info.IsDir():
			return tool.Errorf("Error: %s is a directory, not a file.", shown)
		}
		content, err := t.Read(name)
		if err != nil {
			return err
		}
		before, form, ok := filetext.Decode(content)
		if !ok {
			return tool.Errorf("Error: Cannot append to binary file %s.", shown)
		}
		if done = "Content appended to " + shown; text == nil {
			done += " (nothing, since no text was given)"
			return nil
		}
		added := filetext.WithEnding([]byte(*text), filetext.EndingAt(before, len(before)))
		return t.writeText(ctx, name, append(before, added...), form)
	})
	return done, err
}

// Mkdir creates a directory and its parents. It returns the text for the model.
func (t Tree) Mkdir(ctx context.Context, name string) (string, error) {
	if name == "/" {
		return "", tool.Errorf("Error: Cannot create directory at the root path.")
	}
	shown := t.Shown(name)
	err := t.exclusively(ctx, func(t Tree) error {
		info, err := t.Stat(name)
		switch {
		case err != nil:
			return err
		case info == nil:
			return t.Explain(name, t.Files.MkdirAll(name, 0o755))
		case info.IsDir():
			return tool.Errorf("Error: Directory %s already exists", shown)
		}
		return tool.Errorf("Error: A file already exists at %s", shown)
	})
	return "Directory created successfully at: " + shown, err
}

// Copy copies a file, or a directory with its content. It replaces a file only if overwrite is true. It returns the
// text for the model.
func (t Tree) Copy(ctx context.Context, from, to string, overwrite bool) (string, error) {
	if to == "/" {
		return "", tool.Errorf("Error: Cannot copy to the root path.")
	}
	err := t.exclusively(ctx, func(t Tree) error {
		return t.relocate(from, to, "copy", t.MayReplace(from, to, overwrite), func(_, target fs.FileInfo) error {
			if target == nil {
				return vfs.Copy(ctx, t.Files, from, to)
			}
			// The old file stays until the new one is complete.
			content, err := t.Read(from)
			if err != nil {
				return err
			}
			return t.write(ctx, to, content)
		})
	})
	return fmt.Sprintf("Successfully copied %s to %s", t.Shown(from), t.Shown(to)), err
}

// MayReplace returns a function for [Tree.Rename] that says whether a file may replace what is at to.
func (t Tree) MayReplace(from, to string, overwrite bool) func(source, target fs.FileInfo) error {
	return func(source, target fs.FileInfo) error {
		shown := t.Shown(to)
		switch {
		case from == to:
			return tool.Errorf("Error: %s is both the source and the destination.", shown)
		case target.IsDir():
			return tool.Errorf("Error: The destination %s is a directory.", shown)
		case !overwrite:
			return tool.Errorf("Error: The destination %s already exists. Set overwrite to true to replace.", shown)
		case source.IsDir():
			return tool.Errorf("Error: The destination %s is a file, which a directory cannot replace.", shown)
		}
		return nil
	}
}
