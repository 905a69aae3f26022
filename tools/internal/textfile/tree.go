// Package textfile is shared by the tools that work on files: it shows files and directories to a model, and edits
// text, in the words that models know from Anthropic's tools.
//
// Paths are in the normal form of [vfs.Clean]. An *[Error] is for the model; any other error is a failure of the
// host or the end of the context.
//
// # Text and lines
//
// What is text is up to [filetext.Decode], which also decodes UTF-16 and Latin-1. Edits keep the encoding. Everything
// else is binary, and cannot be edited.
//
// Lines end with a newline, or with a carriage return if the file has no newlines. A newline at the end of the file
// does not begin another line: "a\nb\n" and "a\nb" have two lines, and an empty file has none. A carriage return in
// front of a newline is shown as part of the line, and is part of the line's end for edits: what they insert ends as
// the lines around it do.
package textfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/progress"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// MaxSize is the largest file in bytes that can be viewed or edited; its content is held in memory.
const MaxSize = vfs.DefaultFileSize

// because returns a *[tool.ModelError] with a cause that is not part of its text.
func because(cause error, format string, args ...any) error {
	return &tool.ModelError{Text: fmt.Sprintf(format, args...), Err: cause}
}

// Space are the characters that mean nothing around a path.
const Space = " \t\r\n"

// Clean is [vfs.Clean] without spaces around the path, and with an error for models.
func Clean(given string) (string, error) {
	given = strings.Trim(given, Space)
	name, err := vfs.Clean(given)
	if invalid, ok := errors.AsType[*vfs.InvalidPathError](err); ok {
		return "", because(err, "Error: The path %q cannot be used: %s.", Cut(given, 200), invalid.Reason)
	}
	return name, err
}

// Cut shortens a text for a message.
func Cut(s string, most int) string {
	for i := range s {
		if i >= most {
			return s[:i] + "..."
		}
	}
	return s
}

// A Tree is a file system as a model sees it.
type Tree struct {
	Files afero.Fs
	// Root is the model's name for the root of Files, or "" if that is the root for the model, too.
	Root string
}

// Shown returns the model's name for a path.
func (t Tree) Shown(name string) string {
	if t.Root != "" && name == "/" {
		return t.Root
	}
	return t.Root + name
}

// exclusively runs do while nobody else changes the files, unless the context has ended.
func (t Tree) exclusively(ctx context.Context, do func(t Tree) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return vfs.Exclusively(ctx, t.Files, func(files afero.Fs) error { return do(Tree{files, t.Root}) })
}

// Stat describes the file at a path. It returns nil if there is none.
func (t Tree) Stat(name string) (fs.FileInfo, error) {
	info, err := t.Files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, t.Explain(name, err)
	}
	return info, nil
}

// Read returns the content of a file.
func (t Tree) Read(name string) ([]byte, error) {
	f, err := t.Files.Open(name)
	if err != nil {
		return nil, t.Explain(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, t.Explain(name, err)
	}
	size := info.Size()
	b := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), MaxSize)+bytes.MinRead))
	if size <= MaxSize {
		if _, err := b.ReadFrom(progress.Reader(io.LimitReader(f, MaxSize+1))); err != nil {
			return nil, t.Explain(name, err)
		}
		size = int64(b.Len()) // it may be growing
	}
	if size > MaxSize {
		return nil, tool.Errorf("Error: The file %s is too large: it has %d bytes, "+
			"and files of up to %d bytes can be viewed or edited.", t.Shown(name), size, int64(MaxSize))
	}
	return b.Bytes(), nil
}

// Explain turns an error about a path into one for the model, if the model can do something about it.
func (t Tree) Explain(name string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*tool.ModelError](err); ok || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	shown := t.Shown(name)
	if quota, ok := errors.AsType[*vfs.QuotaError](err); ok {
		switch quota.Limit {
		case "files":
			return because(err, "Error: There is no space left for %s: "+
				"the project's quota is %d files and directories. Delete what is no longer needed.", shown, quota.Max)
		case "file size":
			return because(err, "Error: The file %s would be too large: it would have %d bytes, "+
				"and the project's quota is %d bytes for a file. Split it up.", shown, quota.Want, quota.Max)
		case "layer":
			return because(err, "Error: There is no space left for %s: too many paths have been changed.", shown)
		}
		return because(err, "Error: There is no space left for %s: the project's "+
			"quota is %d bytes for all files together. Delete what is no longer needed.", shown, quota.Max)
	}
	if conflict, ok := errors.AsType[*vfs.NameConflictError](err); ok {
		return because(err, "Error: The path %s cannot be used: there is %q already, which differs in upper "+
			"and lower case or the form of letters only. Use that name or a different one.", shown, conflict.Existing)
	}
	if invalid, ok := errors.AsType[*vfs.InvalidPathError](err); ok {
		return because(err, "Error: The path %s cannot be used: %s.", shown, invalid.Reason)
	}
	if protected, ok := errors.AsType[*vfs.ProtectedError](err); ok {
		return because(err, "Error: The path %s cannot be changed: "+
			"%s is protected, because other programs may execute it. "+
			"Leave it as it is. (A person can allow it: --unprotect NAME.)", shown, t.Shown(protected.Path))
	}
	switch {
	case errors.Is(err, syscall.EROFS):
		return because(err, "Error: The path %s is read-only.", shown)
	case errors.Is(err, syscall.ENOTDIR):
		return because(err, "Error: The path %s cannot be used: %s is a file, not a directory.",
			shown, t.Shown(t.inTheWay(name)))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return because(err, "Error: The path %s cannot be used: it is too long.", shown)
	case errors.Is(err, syscall.EISDIR):
		return because(err, "Error: The path %s is a directory, not a file.", shown)
	case errors.Is(err, syscall.ENOSPC):
		return because(err, "Error: There is no space left for %s.", shown)
	case errors.Is(err, fs.ErrPermission):
		return because(err, "Error: The path %s cannot be used: it is, or leads through, "+
			"a link, a special file, or something that is protected.", shown)
	case errors.Is(err, fs.ErrNotExist):
		return because(err, "Error: The path %s does not exist", shown)
	}
	if unavailable, ok := errors.AsType[*vfs.UnavailableError](err); ok {
		return because(err, "Error: %s: %s.", shown, unavailable.Unavailable())
	}
	return err
}

// inTheWay returns the first part of a path that is no directory.
func (t Tree) inTheWay(name string) string {
	found := path.Dir(name)
	for dir := found; dir != "/"; dir = path.Dir(dir) {
		if info, err := t.Files.Stat(dir); err == nil && !info.IsDir() {
			found = dir
		}
	}
	return found
}
