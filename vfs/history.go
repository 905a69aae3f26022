package vfs

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
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
	// RestoreMissing puts back, of the file or directory that the change with this id removed, what is at a path and
	// below it and has nothing in its place now, and lists that: of a directory that is missing, only its own path. An
	// empty name means all. Nothing is replaced. If dry is true, it only lists. The error is fs.ErrNotExist if the
	// change did not remove this path, and [ErrNotKept] if nothing was kept.
	RestoreMissing(ctx context.Context, id int64, name string, dry bool) (restored []string, err error)
	// Undo undoes the changes of a call, all of them or none, and lists them, the latest first. The id is that of
	// the call (see [Project].WithCall), or "#" and the number of a change; "" means the latest call that has not been
	// undone.
	// The error is an [*UndoError] if files have been changed since, by another call or from outside, and
	// [ErrNotKept] if there is nothing to undo.
	//
	// What has been purged ([Project].Purge) cannot be brought back: it is left as it is, and the rest is undone. The
	// list says so ([Change].Purged). If there is nothing else, the error is an [*UndoError].
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
// and that nothing has brought back. If a directory was removed and there is another one at its path now, each file and
// directory is listed that was in it and has nothing in its place, as a removal of its own with the number of the
// directory's: see [History].RestoreMissing.
func Removed(ctx context.Context, p Project, name string) ([]Change, error) {
	clean, err := Clean(name)
	if err != nil {
		return nil, fsys.PathError("history", name, err)
	}
	changes, err := p.Changes(ctx, clean)
	if err != nil {
		return nil, err
	}
	own := map[int64]bool{}
	for _, e := range changes {
		own[e.ID] = true
	}
	if top := strings.IndexByte(clean[1:], '/'); top >= 0 { // it may have been removed with a directory above
		if changes, err = p.Changes(ctx, clean[:top+1]); err != nil {
			return nil, err
		}
	}
	var removed []Change
	seen := map[string]bool{}
	for _, e := range changes {
		if e.Op != OpRemove || !e.Kept || !own[e.ID] && !Within(clean, e.Path) {
			continue
		}
		info, err := p.Stat(e.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			if !seen[e.Path] && own[e.ID] {
				removed = append(removed, e)
			}
			seen[e.Path] = true
			continue
		case err != nil || !info.IsDir() || broughtBack(changes, e) || !removedDirectory(ctx, p, e):
			continue
		}
		within := ""
		if !own[e.ID] {
			within = clean
		}
		missing, err := p.RestoreMissing(ctx, e.ID, within, true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, name := range missing {
			part := e
			if part.Path = name; !seen[name] && !broughtBack(changes, part) {
				removed = append(removed, part)
			}
			seen[name] = true
		}
	}
	return removed, nil
}

// broughtBack reports whether what is or was at a path since a change removed it is what was removed: then it, or a
// directory that it lies in, came with all that it contains. changes are listed from the latest on.
func broughtBack(changes []Change, removed Change) bool {
	for _, c := range changes {
		switch {
		case c.ID <= removed.ID:
			return false
		case c.Op == OpRename && Within(removed.Path, c.To), c.Op == OpMkdir && Within(removed.Path, c.Path):
			return false // in an empty directory, nothing is left of what came before
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
	// Purged is the number of the change that says when and by whom was purged what this one had kept, or a part of
	// that if Kept is set, or 0. By is who has purged, for an [OpPurged].
	Purged int64
	By     string
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
	OpPurged Op = "purged" // the history of a file or directory has been purged: no file has changed
)
