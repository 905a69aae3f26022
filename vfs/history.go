package vfs

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// History is the record of a [Project]'s changes, within the limits of [HistoryOptions].
type History interface {
	// Changes lists the changes of a file or directory and everything below it, the latest first, including those
	// that were made before it was renamed. The root stands for everything.
	Changes(ctx context.Context, name string) ([]Change, error)
	// OpenVersion opens, for reading, the content of a file before the change with this id. If the change removed a
	// directory, the error is syscall.EISDIR, and Restore can bring it back. If nothing was kept, the error is
	// [ErrNotKept].
	OpenVersion(ctx context.Context, id int64) (afero.File, error)
	// Restore puts back what the change with this id replaced or removed: at the path to, or, if that is "", where it
	// was. An earlier content of a file that has been renamed since goes to its new path. A file that is there now is
	// replaced, which the history records; a directory is not replaced (fs.ErrExist).
	Restore(ctx context.Context, id int64, to string) error
	// Undo undoes the changes of a call, all of them or none, and lists them, the latest first. The id is that of
	// the call (see [Project].WithCall), or "#" and the number of a change; "" means the latest call that has not been
	// undone.
	// The error is an [*UndoError] if files have been changed since, by another call or from outside, and
	// [ErrNotKept] if there is nothing to undo.
	//
	// Permissions and times are not undone. The history records undoing like other changes. If it is interrupted,
	// by a quota or the end of the process, repeat it to complete it.
	Undo(ctx context.Context, id string) (undone []Change, err error)
	// CheckUndo returns what Undo would undo, as an id for it, or the error that it would return.
	CheckUndo(ctx context.Context, id string) (unit string, err error)
	// Redo makes the changes of a call that was undone once more, all of them or none, and lists the changes of
	// undoing that it took back, the latest first. They become changes of the project's current call (see
	// [Project].WithCall), so Undo undoes them by its id. The given id is that of the call that was undone; "" means
	// the one that was undone last, unless something else has changed since. The errors are those of Undo.
	Redo(ctx context.Context, id string) (redone []Change, err error)
	// CheckRedo returns what Redo would redo, as an id for it, or the error that it would return.
	CheckRedo(ctx context.Context, id string) (unit string, err error)

	// ChangesAfter lists the changes of the project whose ids are larger, the latest first, without reading the others.
	// As with Changes of the root, changes of mounted projects are not listed.
	ChangesAfter(ctx context.Context, id int64) ([]Change, error)
	// LatestChanges lists the n latest changes in the same way, or all if there are fewer.
	LatestChanges(ctx context.Context, n int) ([]Change, error)
	// Compact thins out the history now, as [HistoryOptions].Tiered describes, whatever the options say, and drops what
	// is too old. It returns how many bytes that freed, as [Usage].HistoryBytes counts them.
	Compact(ctx context.Context) (freed int64, err error)
	// HistoryOff reports whether nothing is kept ([HistoryOptions].Off).
	HistoryOff() bool
}

// Removed lists, the latest first, the removals of files and directories at a path and below it that can be restored
// and that nothing has brought back: at their paths there is nothing now, or, for a directory, another directory. What
// was in that one can be restored to another path.
func Removed(ctx context.Context, p Project, name string) ([]Change, error) {
	changes, err := p.Changes(ctx, name)
	if err != nil {
		return nil, err
	}
	var removed []Change
	seen := map[string]bool{}
	for _, e := range changes {
		if e.Op != OpRemove || !e.Kept || seen[e.Path] {
			continue
		}
		seen[e.Path] = true
		info, err := p.Stat(e.Path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
			err == nil && info.IsDir() && !broughtBack(changes, e) && removedDirectory(ctx, p, e) {
			removed = append(removed, e)
		}
	}
	return removed, nil
}

// broughtBack reports whether a directory that is there again is the one that was removed: then it, or a directory that
// it lies in, came with all that it contains. changes are listed from the latest on.
func broughtBack(changes []Change, removed Change) bool {
	for _, c := range changes {
		switch {
		case c.ID <= removed.ID:
			return false
		case c.Op == OpRename && Within(removed.Path, c.To), c.Op == OpMkdir && c.Path == removed.Path:
			return false
		case c.Op == OpCreate && Within(removed.Path, c.Path):
			return true
		}
	}
	return false
}

// removedDirectory reports whether what a change has removed was a directory.
func removedDirectory(ctx context.Context, p Project, removed Change) bool {
	f, err := p.OpenVersion(ctx, removed.ID)
	if err == nil {
		_ = f.Close()
	}
	return errors.Is(err, syscall.EISDIR)
}

// RetentionField is the field of a project's settings, a JSON object, that says how the history is thinned out:
// [RetentionAll] or [RetentionTiered]. Without it, [HistoryOptions].Tiered decides.
const RetentionField = "retention"

// The values of [RetentionField].
const (
	RetentionAll    = "all"
	RetentionTiered = "tiered"
)

// A Change is one change of a project's files.
type Change struct {
	// ID is the number of the change. Later ones have larger numbers.
	ID int64
	// Time is when it happened.
	Time time.Time
	// Call is the id of the call that made it, or "".
	Call string
	// Op is the kind of change of the file or directory Path. For a rename, To is the new path.
	Op       Op
	Path, To string
	// Kept means that [History] can open and restore what was replaced or removed. Lost means that it was too large
	// to keep, and Special that it was a link, a pipe, a socket or a device, which are not kept by themselves.
	Kept, Lost, Special bool
	// Undoes is the call, or "#" and the number of the change, that this change has undone, or "".
	Undoes string
	// Redoes is the call, or "#" and the number of the change, that this change has redone, or "".
	Redoes string
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
