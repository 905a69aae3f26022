package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// Revert takes back one change, whatever has come after it, and says what it did in words for people, such as "restored
// /notes.md":
//
//   - What the change replaced or removed comes back as [History].Restore describes, or at the path to, if that is not
//     "". Of a directory that there is again, only what is missing in it comes back.
//   - What it renamed gets its former name back, from where it is now.
//   - What it made is removed, where it is now, with all that has been put into it since.
//   - What it undid is redone.
//
// The error is [ErrNotKept] if there is nothing to put back, and another one if what is to be moved or removed is gone,
// or something else is at its path. The history records what Revert does.
func Revert(ctx context.Context, p Project, id int64, to string) (did string, err error) {
	if to != "" {
		if to, err = Clean(to); err != nil {
			return "", err
		}
	}
	all, change, err := findChange(ctx, p, id)
	if err != nil {
		return "", err
	}
	if change.Op == OpUndone && to == "" { // in all that is mounted, too
		_, err := p.Redo(ctx, change.Undoes)
		return "redid " + change.Undoes, err
	}
	if err := revertible(change, to); err != nil {
		return "", err
	}
	if to != "" {
		return "restored " + to + without(change), p.Restore(ctx, id, to)
	}
	own, ok := Unmounted(p).(Project) // whose history it is
	if !ok {
		own = p
	}
	err = own.Exclusively(ctx, func(files afero.Fs) error {
		inside, ok := files.(Project)
		if !ok {
			return fmt.Errorf("vfs: what %T hands out exclusively is not a project", own)
		}
		if all, change, err = findChange(ctx, inside, id); err != nil { // there may be more now
			return err
		}
		did, err = revert(ctx, inside, all, change)
		return err
	})
	return did, err
}

// RevertPart is [Revert] for a part of what a change removed: it brings back what was at a path and below it, as far as
// nothing is in its place. An empty name means all.
func RevertPart(ctx context.Context, p Project, id int64, name string) (did string, err error) {
	restored, err := p.RestoreMissing(ctx, id, name, false)
	switch {
	case err != nil:
		return "", err
	case len(restored) == 0:
		return "", fmt.Errorf("change %d: all that it removed is there again, or something else is in its place: %w",
			id, fs.ErrExist)
	case len(restored) > 3:
		return fmt.Sprintf("restored %s and %d more", strings.Join(restored[:3], ", "), len(restored)-3), nil
	}
	return "restored " + strings.Join(restored, ", "), nil
}

// findChange returns the change of a project with an id, and at least all later ones, the latest first.
func findChange(ctx context.Context, p Project, id int64) ([]Change, Change, error) {
	all, err := p.ChangesAfter(ctx, id-1)
	if err != nil {
		return nil, Change{}, err
	}
	i := slices.IndexFunc(all, func(e Change) bool { return e.ID == id })
	if i < 0 {
		return nil, Change{}, fmt.Errorf("change %d: %w", id, ErrNotKept)
	}
	return all, all[i], nil
}

// revertible checks that there is something to do to take back a change, or to put at another path.
func revertible(change Change, to string) error {
	switch {
	case change.Kept:
		return nil
	case change.Op == OpPurged:
		return fmt.Errorf("change %d: %s: %w", change.ID, change.Path, ErrPurged)
	case change.Purged != 0 && (to != "" || change.Op != OpRename):
		return fmt.Errorf("change %d: what was there: %w", change.ID, ErrPurged)
	case change.Lost:
		return fmt.Errorf("change %d: what was there was too large to keep: %w", change.ID, ErrNotKept)
	case change.Special:
		return fmt.Errorf("change %d: what was there was a link or a special file: %w", change.ID, ErrNotKept)
	case to != "":
		return fmt.Errorf("change %d: nothing to put at another path: %w", change.ID, ErrNotKept)
	case change.Op == OpRename, change.Op == OpCreate, change.Op == OpMkdir:
		return nil
	}
	return fmt.Errorf("change %d: %w", change.ID, ErrNotKept)
}

// revert takes back one of all changes, which are listed from the latest on.
func revert(ctx context.Context, p Project, all []Change, change Change) (did string, err error) {
	now, there := nowAt(all, change)
	if change.Kept && change.Op != OpRename {
		if change.Op != OpWrite {
			now = change.Path
		}
		if change.Op == OpRemove {
			if info, err := p.Stat(now); err == nil && info.IsDir() && removedDirectory(ctx, p, change) {
				did, err := RevertPart(ctx, p, change.ID, "")
				return did + without(change), err
			}
		}
		return "restored " + now + without(change), p.Restore(ctx, change.ID, "")
	}
	if !there {
		return "", fmt.Errorf("change %d: %s has been removed or replaced since", change.ID, now)
	}
	if change.Op != OpRename {
		if _, err := p.Stat(now); err != nil {
			return "", err
		}
		return fmt.Sprintf("removed %s, which did not exist before change %d", now, change.ID), p.RemoveAll(now)
	}
	if err := p.MkdirAll(path.Dir(change.Path), 0o755); err != nil {
		return "", err
	}
	if err := Move(ctx, p, now, change.Path); err != nil {
		return "", err
	}
	did = fmt.Sprintf("moved %s back to %s", now, change.Path)
	if change.Kept {
		err = p.Restore(ctx, change.ID, change.To)
		did += fmt.Sprintf(", and restored %s", change.To)
	}
	return did + without(change), err
}

// without says what of a change cannot be brought back, if something cannot.
func without(change Change) string {
	if change.Purged == 0 {
		return ""
	}
	return ", without what has been purged"
}

// nowAt returns where the file or directory is now that a change has made, written or renamed, as the later ones of all
// changes say, which are listed from the latest on. If it has been removed or replaced, there is false, and now is
// where it was then.
func nowAt(all []Change, change Change) (now string, there bool) {
	now = change.Path
	if change.Op == OpRename {
		now = change.To
	}
	removed := "" // with what was here
	for _, later := range slices.Backward(all) {
		switch {
		case later.ID <= change.ID:
		case removed != "":
			undone := later.Op == OpCreate && (later.Undoes != "" || later.Redoes != "")
			if (later.Path == removed || later.To == removed) && !undone {
				return now, false // something else is here
			}
			if later.Path == removed {
				removed = ""
			}
		case later.Op == OpRename && Within(now, later.Path):
			now = later.To + now[len(later.Path):]
		case later.Op == OpRename && later.To == now:
			return now, false
		case later.Op == OpRemove && Within(now, later.Path):
			removed = later.Path
		}
	}
	return now, removed == ""
}
