package vfs

import (
	"context"
	"time"

	"github.com/spf13/afero"
)

// History is what a [Project] remembers of its changes, as far as [HistoryOptions] allow it.
type History interface {
	// Changes lists what has happened to a file or directory and all below it, the latest first. The root stands for
	// everything.
	Changes(ctx context.Context, name string) ([]Change, error)
	// OpenVersion opens what a file was before the change with this id, for reading. If the change removed a directory,
	// that is syscall.EISDIR, and Restore can bring it back. The error is [ErrNotKept] if there is nothing.
	OpenVersion(ctx context.Context, id int64) (afero.File, error)
	// Restore puts back what the change with this id replaced or removed, to where it was. A file that is there now is
	// replaced, which the history keeps; a directory is not replaced (fs.ErrExist).
	Restore(ctx context.Context, id int64) error
	// Undo undoes the changes of a call, all of them or none, and lists them, latest first. The id is one that
	// [Calls] got, or the number of a change behind a "#"; "" means the latest call that has not been undone. The error
	// is an [*UndoError] if files have been changed since, by another call or from outside, and [ErrNotKept] if there is
	// nothing to undo.
	//
	// Permissions and times are not undone. Undoing is recorded in the history like other changes. If it is interrupted,
	// by a quota or the end of the process, doing it again completes it.
	Undo(ctx context.Context, id string) (undone []Change, err error)
}

// A Change is something that has happened to a project's files.
type Change struct {
	// ID is the number of the change. Later ones have larger numbers.
	ID int64
	// Time is when it happened.
	Time time.Time
	// Call is the id of the call that made it, or "".
	Call string
	// Op is what happened to the file or directory Path. If it was renamed, To is the new name.
	Op       Op
	Path, To string
	// Kept says that [History] can open and restore what was replaced or removed. Lost says that something was, but was
	// too large to keep.
	Kept, Lost bool
	// Undoes is the call, or the number of the change behind a "#", that this change was made to undo, or "".
	Undoes string
}

// An Op is a kind of change.
type Op string

// The kinds of changes.
const (
	OpCreate Op = "create" // a file, or a directory with all that it contains, where there was none
	OpWrite  Op = "write"  // another content of a file
	OpMkdir  Op = "mkdir"  // an empty directory
	OpRemove Op = "remove" // a file, or a directory with all that it contained
	OpRename Op = "rename" // of a file or directory, perhaps over a file
	OpUndone Op = "undone" // the changes of a call have been undone
)
