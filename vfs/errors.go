package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// A QuotaError says that an operation would go beyond a limit of the project. It is syscall.ENOSPC. The operation has
// changed nothing.
type QuotaError struct {
	// Limit is what there would be too much of: "bytes", "files" or "file size".
	Limit string
	// Max is the limit, and Want what the operation would have led to.
	Max, Want int64
}

func (e *QuotaError) Error() string {
	switch e.Limit {
	case "files":
		return fmt.Sprintf("no space left: the project may have %d files and directories", e.Max)
	case "file size":
		return fmt.Sprintf("no space left: a file may have %d bytes, not %d", e.Max, e.Want)
	}
	return fmt.Sprintf("no space left: the project's files may have %d bytes together", e.Max)
}

// Unwrap makes errors.Is hold for syscall.ENOSPC.
func (e *QuotaError) Unwrap() error { return syscall.ENOSPC }

// A NameConflictError says that a name cannot be taken because another one differs from it in case or Unicode form only,
// which some systems take for the same. It is fs.ErrExist.
type NameConflictError struct {
	// Name is the name that was wanted, Existing the one that is there.
	Name, Existing string
}

func (e *NameConflictError) Error() string {
	return fmt.Sprintf("%q is there, which differs in case or Unicode form only", e.Existing)
}

// Unwrap makes errors.Is hold for fs.ErrExist and syscall.EEXIST.
func (e *NameConflictError) Unwrap() error { return syscall.EEXIST }

// ErrDeleted means that the project has been deleted since it was opened. It is fs.ErrNotExist.
var ErrDeleted error = missingError("the project has been deleted")

// ErrNotKept means that the history does not have what was asked for, because it is too old or was too large. It is
// fs.ErrNotExist.
var ErrNotKept error = missingError("the history does not have it")

// A missingError is a kind of fs.ErrNotExist.
type missingError string

func (e missingError) Error() string        { return string(e) }
func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }

// An UndoError says why the changes of a call cannot be undone. Nothing has been changed.
type UndoError struct {
	// Call is the call, or the number of the change behind a "#".
	Call string
	// Reasons say what is in the way, each with the path; not more than 20.
	Reasons []string
}

func (e *UndoError) Error() string {
	return fmt.Sprintf("cannot undo %s: %s", e.Call, strings.Join(e.Reasons, "; "))
}

// A NoCallsError says that a file system cannot be given to a call: it is neither a [Project] nor a [CallFs], so that
// nothing would keep the call from using it after its end, and its changes could not be undone.
type NoCallsError struct {
	// Name is the name of the file system, by its method of that name.
	Name string
}

func (e *NoCallsError) Error() string {
	return fmt.Sprintf("the file system %q knows no calls: wrap a project with vfs.Wrap, and use vfs.Foreign for what is none", e.Name)
}

// Unwrap makes errors.Is hold for errors.ErrUnsupported.
func (e *NoCallsError) Unwrap() error { return errors.ErrUnsupported }
