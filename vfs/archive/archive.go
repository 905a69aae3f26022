// Package archive imports and exports the files of projects as zip and tar archives. It works on any project, and on
// any view of one, by what package vfs promises:
//
//	err := archive.Export(ctx, project, w, archive.Zip)
//	...
//	result, err := archive.Import(ctx, project, r, archive.Zip)
//
// # Experimental
//
// For programs that import and export projects themselves. The Go API may change with any version.
package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/toolrun/toolrun/vfs"
)

// A Format is a format of archives for [Export] and [Import].
type Format string

// The formats of archives.
const (
	Zip     Format = "zip"
	Tar     Format = "tar"
	TarGzip Format = "tar.gz"
)

// FormatOf returns the format for a file name by its suffix: ".zip", ".tar", ".tar.gz" or ".tgz", in upper or lower
// case.
func FormatOf(name string) (format Format, ok bool) {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".zip"):
		return Zip, true
	case strings.HasSuffix(name, ".tar"):
		return Tar, true
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return TarGzip, true
	}
	return "", false
}

func (f Format) check() error {
	if f != Zip && f != Tar && f != TarGzip {
		return fmt.Errorf("%w: there is no archive format %q, but zip, tar and tar.gz", fs.ErrInvalid, string(f))
	}
	return nil
}

// An Error means that an archive was refused. Nothing has been changed.
type Error struct {
	// Entry is the name of the bad entry, as in the archive, or "" for the archive as a whole.
	Entry string
	// Reason says why.
	Reason string
	// Err is the cause. It is fs.ErrInvalid if the archive is damaged or contains something forbidden. Otherwise
	// the archive does not fit the project: a [*vfs.QuotaError], a [*vfs.NameConflictError], syscall.EISDIR,
	// syscall.ENOTDIR, syscall.EROFS or fs.ErrPermission.
	Err error
}

func (e *Error) Error() string {
	if e.Entry == "" {
		return "the archive is refused: " + e.Reason
	}
	name := e.Entry
	if len(name) > vfs.MaxName {
		name = name[:vfs.MaxName] + "..."
	}
	return fmt.Sprintf("the archive is refused: %q: %s", name, e.Reason)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// forbidden is the error for what must not be in an archive.
func forbidden(entry, reason string) error { return &Error{entry, reason, fs.ErrInvalid} }

// unfit is the error for what does not fit the project.
func unfit(entry string, err error) error {
	reason := err.Error()
	if invalid, ok := errors.AsType[*vfs.InvalidPathError](err); ok {
		reason = invalid.Reason
	}
	return &Error{entry, reason, err}
}

// damaged is the error for an archive, or an entry of one, that cannot be read; or why its source cannot.
func damaged(entry string, err error) error {
	if failed, ok := errors.AsType[*sourceError](err); ok {
		return failed.err
	}
	reason := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		reason, err = "it is truncated", io.ErrUnexpectedEOF
	}
	return &Error{entry, reason, fmt.Errorf("%w: %w", fs.ErrInvalid, err)}
}

// A sourceError is not about the content of an archive. It passes through what interprets that.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// sourceFailed marks an error of the reader that an archive comes from.
func sourceFailed(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &sourceError{fmt.Errorf("reading the archive: %w", err)}
}
