package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
)

// An Error is why an operation failed, for whoever asked for it.
type Error struct {
	// Code says what kind of error it is, such as not_found: see [Explain].
	Code    string `json:"code"`
	Message string `json:"message"`
	// Field is the parameter that is wrong, if it is one.
	Field string `json:"field,omitempty"`
	// Reasons are why a call cannot be undone.
	Reasons []string `json:"reasons,omitempty"`
	// Version and Diff are the present version of a file that has been changed meanwhile, and how it differs from what
	// was sent.
	Version string `json:"version,omitempty"`
	Diff    string `json:"diff,omitempty"`
	// Own says of an error busy that it is a limit of whoever asks that was reached, and not one of all together.
	Own bool `json:"-"`
}

func (e *Error) Error() string { return e.Message }

// Bad returns the error of a parameter that is wrong.
func Bad(field, format string, args ...any) error {
	return &Error{Code: "invalid", Field: field, Message: fmt.Sprintf(format, args...)}
}

func missing(id string) error {
	return &Error{Code: "not_found", Field: "project", Message: "no project named " + id}
}

// Explain makes an Error of any error. Its code is one of
//
//	busy canceled cannot_undo changed damaged decided deleted exists forbidden
//	internal invalid name not_found not_kept quota too_large unavailable
//
// Errors that are internal are the host's: their texts are not for whoever asked.
func Explain(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	as := func(code string) *Error { return &Error{Code: code, Message: err.Error()} }
	if undo, ok := errors.AsType[*vfs.UndoError](err); ok {
		return &Error{Code: "cannot_undo", Message: "files have been changed since", Reasons: undo.Reasons}
	}
	if unavailable, ok := errors.AsType[*vfs.UnavailableError](err); ok {
		return &Error{Code: "unavailable", Message: unavailable.Unavailable()}
	}
	if quota, ok := errors.AsType[*vfs.QuotaError](err); ok {
		return &Error{Code: "quota", Message: quota.Error()}
	}
	if refused, ok := errors.AsType[*archive.Error](err); ok {
		return &Error{Code: "invalid", Message: refused.Error()}
	}
	if held, ok := errors.AsType[*vfs.CheckpointsError](err); ok {
		return &Error{Code: "exists", Message: held.Error()}
	}
	_, name := errors.AsType[*vfs.NameConflictError](err)
	pathError, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, vfs.ErrDeleted):
		return as("deleted")
	case errors.Is(err, vfs.ErrPurged):
		return &Error{Code: "not_kept", Message: "this version has been purged from the history"}
	case errors.Is(err, vfs.ErrNotKept):
		return &Error{Code: "not_kept", Message: "the history does not have this version any more"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: "busy", Message: "this took too long: try again"}
	case errors.Is(err, context.Canceled), errors.Is(err, toolrun.ErrClosed):
		return &Error{Code: "canceled", Message: "this was stopped"}
	case name:
		return as("name")
	case !isPath && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrInvalid):
		return as("internal")
	}
	e := as("internal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code = "not_found"
	case errors.Is(err, fs.ErrExist):
		e.Code = "exists"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EBUSY):
		e.Code = "forbidden"
	case errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENOTEMPTY):
		e.Code = "invalid"
	}
	if isPath && e.Code != "internal" { // without the operation, which is the program's word
		e.Message = pathError.Path + ": " + pathError.Err.Error()
	}
	return e
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return Explain(err).Code
}
