package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Checkpoints keep all files of a [Project] as they are at one moment, each under a name. [Quota].Checkpoints and
// [Quota].CheckpointBytes limit them; each stays until it is deleted. States of sessions ([States]) are part of it.
// Links, special files and what is protected ([Options].Protect) are not part of it, nor are settings, the history, and
// other projects that are mounted.
//
// Creating a checkpoint in a store copies no contents: they are shared with the project's files until those change. In
// a directory of the host (local.OpenDir), where other programs may write to files in place, it copies them all.
type Checkpoints interface {
	// CreateCheckpoint keeps all files as they are. The error is fs.ErrExist if there is a checkpoint of that name,
	// fs.ErrInvalid if it cannot be one ([CheckCheckpointName]), and a [*QuotaError] if there are too many, or if they
	// would be too large together.
	CreateCheckpoint(ctx context.Context, name string, options *CheckpointOptions) (Checkpoint, error)
	// Checkpoints lists all checkpoints, the latest first.
	Checkpoints(ctx context.Context) ([]Checkpoint, error)
	// RestoreCheckpoint makes all files what they were, or none if it fails, and says what had been changed. If the
	// process dies meanwhile, whoever opens the project next finds all of them restored, or none; in a directory of the
	// host that has its own history (local.OpenDir), some may be, and restoring again completes it. Each file is seen
	// as it was before or after; to see all of them before or all of them after, read in [Exclusive].Exclusively.
	//
	// The changes are those of one call: the project's current one (see [Project].WithCall), or one of their own. So
	// [History.Undo] takes them back, while the history has them. Permissions and times of files whose content is the
	// same stay as they are.
	//
	// The error is fs.ErrNotExist if there is no such checkpoint, [ErrCheckpointDamaged] if it is not as it was
	// created, a [*QuotaError] if there is no room for the files, or if the history could not keep what would be
	// replaced, and a [*ProtectedError] if something protected is in the way.
	RestoreCheckpoint(ctx context.Context, name string, options *RestoreOptions) (*Restored, error)
	// DeleteCheckpoint drops a checkpoint, and with it all contents that nothing else needs. The error is
	// fs.ErrNotExist if there is none of that name.
	DeleteCheckpoint(ctx context.Context, name string) error
}

// MaxAutomaticCheckpoints is how many automatic checkpoints a project keeps.
const MaxAutomaticCheckpoints = 10

// CheckpointOptions configure a checkpoint.
type CheckpointOptions struct {
	// Automatic marks a checkpoint that nobody has asked for by its name, such as one before each call. It replaces an
	// automatic one of that name, and the oldest automatic ones are deleted if there are more than
	// [MaxAutomaticCheckpoints], or if another checkpoint would exceed a limit otherwise.
	Automatic bool
}

// RestoreOptions configure [Checkpoints.RestoreCheckpoint].
type RestoreOptions struct {
	// DryRun changes nothing, and says what would be changed.
	DryRun bool
}

// A Checkpoint is all files of a project at one moment.
type Checkpoint struct {
	Name string
	// Time is when it was created.
	Time time.Time
	// Bytes is the size of its files, and Files the number of files and directories, as quotas count them.
	Bytes, Files int64
	// Automatic is that of [CheckpointOptions].
	Automatic bool
}

// Cost is what the checkpoint counts in [Quota].CheckpointBytes: all of its files, whether or not the project still has
// their contents as well, and 4 KiB for each.
func (c Checkpoint) Cost() int64 { return c.Bytes + c.Files*(4<<10) }

// Restored is what restoring a checkpoint has done, or would do.
type Restored struct {
	Checkpoint Checkpoint
	// Call is the id for [History.Undo]. It is "" if nothing was different, or if nothing was done.
	Call string
	// Changed lists what had been changed since the checkpoint, by path. What a directory contains is not listed by
	// itself if all of it was made or removed.
	Changed []CheckpointChange
	// Incomplete means that the history no longer has all changes since the checkpoint, so that Calls can lack some.
	Incomplete bool
}

// A CheckpointChange is a file or directory that is no longer as it was.
type CheckpointChange struct {
	// Path can stand for the state of a session: see [ParseStatePath].
	Path string
	// Op is what has been done to it since: [OpCreate], [OpWrite] or [OpRemove].
	Op Op
	// Calls are the calls that did so, the earliest first, or "#" and the number of a change that belongs to none. It
	// is empty if the history does not have them: they were made from outside, or too long ago.
	Calls []string
}

// MaxCheckpointName is the longest name of a checkpoint in bytes.
const MaxCheckpointName = 128

// CheckCheckpointName checks the name of a checkpoint: 1 to [MaxCheckpointName] bytes of UTF-8 without control
// characters, and without spaces at its ends. The error is fs.ErrInvalid. Names that differ in case are different.
func CheckCheckpointName(name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "it is empty"
	case len(name) > MaxCheckpointName:
		reason = fmt.Sprintf("it has more than %d bytes", MaxCheckpointName)
		name = strings.ToValidUTF8(name[:MaxCheckpointName], "") + "..."
	case !utf8.ValidString(name):
		reason = "it is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		reason = "it has control characters"
	case strings.TrimSpace(name) != name:
		reason = "it begins or ends with a space"
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %q cannot be the name of a checkpoint: %s", fs.ErrInvalid, name, reason)
}

// ErrCheckpointDamaged means that a checkpoint does not have the files that it was created with, as their names and
// sizes say: somebody has changed them from outside.
var ErrCheckpointDamaged = errors.New("the checkpoint's files have been changed from outside")
