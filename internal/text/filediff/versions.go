package filediff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// A noteError is a note of why there is no content to compare.
type noteError string

func (e noteError) Error() string { return string(e) }

// NoteOf returns the difference whose note says why there is no content to compare, if that is what an error of this
// package means, or else the error.
func NoteOf(err error) (Difference, error) {
	note, ok := errors.AsType[noteError](err)
	switch {
	case ok:
		return Difference{Note: string(note)}, nil
	case errors.Is(err, vfs.ErrPurged):
		return Difference{Note: "what it was has been purged from the history"}, nil
	case errors.Is(err, fs.ErrNotExist): // also vfs.ErrNotKept
		return Difference{Note: NoteGone}, nil
	case errors.Is(err, syscall.EISDIR):
		return Difference{Note: NoteFolder}, nil
	}
	return Difference{}, err
}

// Now returns the content of a file.
func Now(files afero.Fs, name string, limits Limits) ([]byte, error) {
	f, err := files.Open(name)
	return read(f, err, limits)
}

// read returns the content of a file that has been opened, and closes it.
func read(f afero.File, err error, limits Limits) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: syscall.EISDIR}
	}
	most := int64(limits.withDefaults().Bytes)
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, noteError(NoteLarge)
	}
	return data, nil
}

// Before returns the content of a file before a change; it is empty if there was no file.
func Before(ctx context.Context, p vfs.Project, c vfs.Change, limits Limits) ([]byte, error) {
	if c.Op == vfs.OpCreate || c.Op == vfs.OpMkdir {
		return nil, nil
	}
	f, err := p.OpenVersion(ctx, c.ID)
	return read(f, err, limits)
}

// after returns the content of a file after a change: before the next one that touched it, or as it is now. The later
// changes are given, the oldest first.
func after(ctx context.Context, p vfs.Project, c vfs.Change, later []vfs.Change, limits Limits) ([]byte, error) {
	name := c.Path
	for _, next := range later {
		switch {
		case next.Op == vfs.OpUndone || next.Path == "":
		case next.Op == vfs.OpRename && vfs.Within(name, next.Path):
			name = next.To + strings.TrimPrefix(name, next.Path)
		case next.Op == vfs.OpRename && next.To == name, (next.Op == vfs.OpWrite || next.Op == vfs.OpRemove) &&
			next.Path == name:
			f, err := p.OpenVersion(ctx, next.ID)
			return read(f, err, limits)
		case next.Op == vfs.OpRemove && vfs.Within(name, next.Path):
			return nil, noteError("it was deleted with its folder")
		}
	}
	return Now(p, name, limits)
}

// OfChange says what a change did to a file. The later changes of the project are given, the oldest first.
func OfChange(ctx context.Context, p vfs.Project, c vfs.Change, later []vfs.Change,
	limits Limits) (Difference, error) {
	switch c.Op {
	case vfs.OpMkdir:
		return Difference{Note: "an empty folder"}, nil
	case vfs.OpUndone:
		return Difference{Note: "a call was undone"}, nil
	case vfs.OpPurged:
		return Difference{Note: "its history was purged"}, nil
	case vfs.OpRename:
		return Difference{Note: "the content stayed the same"}, nil
	}
	before, err := Before(ctx, p, c, limits)
	var now []byte
	if err == nil && c.Op != vfs.OpRemove {
		now, err = after(ctx, p, c, later, limits)
	}
	if err != nil {
		return NoteOf(err)
	}
	return Compare(before, now, limits), nil
}

// A Version is a file at some time: what a diff calls it, and its content. A file that does not exist is empty.
type Version struct {
	Name    string
	Content []byte
	large   bool // too large to compare, and without its content
}

// VersionBefore is a file before a change.
func VersionBefore(ctx context.Context, p vfs.Project, c vfs.Change, limits Limits) (Version, error) {
	data, err := Before(ctx, p, c, limits)
	return newVersion(fmt.Sprintf("%s (before change %d)", c.Path, c.ID), data, err)
}

// VersionNow is a file as it is.
func VersionNow(files afero.Fs, name string, limits Limits) (Version, error) {
	data, err := Now(files, name, limits)
	return newVersion(name, data, err)
}

func newVersion(name string, data []byte, err error) (Version, error) {
	if err == noteError(NoteLarge) {
		return Version{name, nil, true}, nil
	}
	return Version{name, data, false}, err
}

// Unified compares two versions. It is "" if there is no difference.
func (v Version) Unified(to Version, limits Limits) string {
	d := Difference{Note: NoteLarge}
	if !v.large && !to.large {
		d = Compare(v.Content, to.Content, limits)
	}
	return d.Unified(v.Name, to.Name)
}
