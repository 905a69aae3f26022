package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// A QuotaError means that an operation would exceed a limit of the project. It is syscall.ENOSPC. The operation has
// changed nothing.
type QuotaError struct {
	// Limit is the exceeded limit: "bytes", "files" or "file size"; or "layer", which is how many bytes a [Layer] may
	// need to remember which paths it has changed; "checkpoints" or "checkpoint bytes"; or "history", which cannot keep
	// what restoring a checkpoint would replace.
	Limit string
	// Max is the limit. Want is the value that the operation would have reached.
	Max, Want int64
}

func (e *QuotaError) Error() string {
	switch e.Limit {
	case "files":
		return fmt.Sprintf("quota exceeded: the project may have %d files and directories", e.Max)
	case "file size":
		return fmt.Sprintf("quota exceeded: a file may have %d bytes, not %d", e.Max, e.Want)
	case "checkpoints":
		return fmt.Sprintf("quota exceeded: the project may have %d checkpoints; delete one", e.Max)
	case "checkpoint bytes":
		return fmt.Sprintf("quota exceeded: the project's checkpoints may have %d bytes together, not %d; delete one",
			e.Max, e.Want)
	case "history":
		return fmt.Sprintf("the history may have %d bytes and cannot keep what is there, which needs %d; "+
			"remove it first", e.Max, e.Want)
	case "layer":
		return fmt.Sprintf("quota exceeded: the layer may need %d bytes to remember changed paths; "+
			"apply or discard", e.Max)
	}
	return fmt.Sprintf("quota exceeded: the project's files may have %d bytes together", e.Max)
}

// Unwrap makes errors.Is hold for syscall.ENOSPC.
func (e *QuotaError) Unwrap() error { return syscall.ENOSPC }

// A NameConflictError means that a name differs from an existing one only in case or Unicode form; some systems
// take the two for the same. It is fs.ErrExist.
type NameConflictError struct {
	// Name is the requested name. Existing is the name in use.
	Name, Existing string
}

func (e *NameConflictError) Error() string {
	return fmt.Sprintf("%q is there, which differs in case or Unicode form only", e.Existing)
}

// Unwrap makes errors.Is hold for fs.ErrExist and syscall.EEXIST.
func (e *NameConflictError) Unwrap() error { return syscall.EEXIST }

// ErrDeleted means that the project has been deleted since it was opened. It is fs.ErrNotExist.
var ErrDeleted error = missingError("the project has been deleted")

// ErrNotKept means that the history does not have the requested version, because it is too old or was too large. It
// is fs.ErrNotExist.
var ErrNotKept error = missingError("not in the history")

// ErrPurged means that the history does not have the requested version, because it has been purged: see
// [Project].Purge. It is [ErrNotKept], and fs.ErrNotExist.
var ErrPurged error = purgedError{}

type purgedError struct{}

func (purgedError) Error() string        { return "it has been purged from the history" }
func (purgedError) Is(target error) bool { return target == ErrNotKept || target == fs.ErrNotExist }

// A missingError is a kind of fs.ErrNotExist.
type missingError string

func (e missingError) Error() string        { return string(e) }
func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }

// An UndoError lists why the changes of a call cannot be undone, or redone. Nothing has been changed.
type UndoError struct {
	// Call is the id of the call, or "#" and the number of a change. Redo means that it cannot be redone, instead.
	Call string
	Redo bool
	// Reasons are the obstacles, each with its path, at most 20.
	Reasons []string
}

func (e *UndoError) Error() string {
	if e.Redo {
		return fmt.Sprintf("cannot redo %s: %s", e.Call, strings.Join(e.Reasons, "; "))
	}
	return fmt.Sprintf("cannot undo %s: %s", e.Call, strings.Join(e.Reasons, "; "))
}

// An UnavailableError means that a store could not do something because of the place where it keeps its projects, such
// as a database: that cannot be reached, is out of connections or room, or is read-only. Unless Unknown is set, nothing
// has been changed, and the same can be tried again.
type UnavailableError struct {
	// Reason says what is wrong, for people.
	Reason string
	// Unknown means that the connection was lost while changes were taking effect, and that it could not be found out
	// whether they have. The history of the project says so later.
	Unknown bool
	// Err is the error behind it, or nil.
	Err error
}

func (e *UnavailableError) Error() string {
	text := "the store is not available: " + e.Reason
	if e.Unknown {
		text += "; it is not known whether the change has been made, see the history of the project"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the error behind it.
func (e *UnavailableError) Unwrap() error { return e.Err }

// Unavailable says what is wrong and what to do, for models and scripts: without Err, which can name what is the
// host's.
func (e *UnavailableError) Unavailable() string {
	if e.Unknown {
		return "the files cannot be reached at the moment (" + e.Reason +
			"), and it is not known whether this has been done; look before trying again"
	}
	return "the files cannot be reached at the moment (" + e.Reason + "), and nothing has been changed; try again later"
}

// A NoCallsError means that a file system cannot be given to a call, because it is neither a [Project] nor a
// [View] of one: the call could use it after its end, and its changes could not be undone.
type NoCallsError struct {
	// Name is the result of the file system's method Name.
	Name string
}

func (e *NoCallsError) Error() string {
	return fmt.Sprintf("the file system %q has no calls: use a project, or a vfs.View of one", e.Name)
}

// Unwrap makes errors.Is hold for errors.ErrUnsupported.
func (e *NoCallsError) Unwrap() error { return errors.ErrUnsupported }
