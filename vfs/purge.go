package vfs

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// PurgeOptions configure [Project].Purge. The zero value leaves what is at the path as it is.
type PurgeOptions struct {
	// Remove also removes what is at the path, without keeping it.
	Remove bool
	// By is who asked for it, as the history says: see [Change.By]. At most 256 bytes are kept.
	By string
}

// Purged is what a purge has done.
type Purged struct {
	// Change is the number of the change that says so in the history, or 0 if nothing was kept or removed.
	Change int64
	// Versions is how many changes have lost what they had kept, all of it or a part, and Bytes the size of that.
	Versions int
	Bytes    int64
	// Removed says that what was at the path has been removed.
	Removed bool
	// Others are paths that may have the same content, and whose history has not been purged: to which something has
	// been moved from here, and those that differ in case or Unicode form only.
	Others []string
	// Within is how long the bytes can stay in the store until they are gone, while a process has it open. Zero means
	// that they are gone.
	Within time.Duration
}

// NotBroughtBack lists the paths of what Undo or Redo, whose result is given, could not bring back, because it has been
// purged.
func NotBroughtBack(changes []Change) (paths []string) {
	for _, c := range changes {
		switch {
		case c.Purged == 0:
		case c.Op == OpRename:
			paths = append(paths, c.To)
		default:
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// A CheckpointsError means that checkpoints have what is to be purged. It is syscall.EBUSY. Nothing has been changed.
type CheckpointsError struct {
	// Path is the file or directory, and Checkpoints are the names of the checkpoints.
	Path        string
	Checkpoints []string
}

func (e *CheckpointsError) Error() string {
	if len(e.Checkpoints) == 1 {
		return fmt.Sprintf("the checkpoint %q has a version of %s; delete it first", e.Checkpoints[0], e.Path)
	}
	names := make([]string, len(e.Checkpoints))
	for i, name := range e.Checkpoints {
		names[i] = fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("the checkpoints %s have versions of %s; delete them first", strings.Join(names, ", "), e.Path)
}

// Unwrap makes errors.Is hold for syscall.EBUSY.
func (e *CheckpointsError) Unwrap() error { return syscall.EBUSY }
