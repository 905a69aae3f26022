package vfs

import (
	"context"

	"github.com/spf13/afero"
)

// A Project is the files of one project, and nothing else. It is an [afero.Fs] that behaves as the package
// describes. The project and the files that it opens are safe for concurrent use. Methods wait while somebody else
// holds the project's lock. Those of afero, which have no context, wait until the call ends or the project is
// closed.
type Project interface {
	afero.Fs
	Exclusive
	History
	Checkpoints
	States

	// WithCall returns the project as one call of a tool sees it. [History] can undo the changes made through it by
	// the id, which should not be used for another call. Changes without a call are separate. An id that begins
	// with "#" gets a "call " in front; of an id longer than 256 bytes, a part and a hash are kept. EndCall ends
	// the call.
	WithCall(id string) Project
	// EndCall ends the call that WithCall began. It closes the call's open files and drops unfinished replacements
	// of files. From then on, everything attempted for the call is fs.ErrClosed. Whoever runs code for a call must
	// end the call: code that is stopped closes nothing, and code that cannot be stopped would go on. Without a
	// call, EndCall does nothing.
	EndCall()
	// Holding is for the function of this name, which callers use instead.
	Holding() <-chan struct{}

	// Settings returns the settings, or nil if there are none. They are kept with the project for the host, and no path
	// leads to them, so tools cannot change what they are allowed to do. In a directory that somebody else has filled
	// they may be theirs. The error is [ErrDeleted] if the project has been deleted; nil would mean that nothing is
	// forbidden.
	Settings(ctx context.Context) ([]byte, error)
	// EditSettings replaces the settings, as a whole and durably, by the result of edit, while nobody else changes
	// them. Empty settings are none. If edit fails, EditSettings returns that error and changes nothing.
	EditSettings(ctx context.Context, edit func(settings []byte) ([]byte, error)) error

	// Purge removes, for good, all versions of the file or directory at a path that the history keeps: those that
	// [History].Changes lists, and what removing a directory above has kept. Each such change stays in the history
	// without content ([Change].Purged), and an [OpPurged] says when and by whom. What is at the path now stays, unless
	// the options say otherwise. Nil options are the zero value. If the process dies meanwhile, whoever opens the
	// project next completes it; in a directory of the host that has its own history (local.OpenDir), purge again.
	//
	// Copies at other paths stay, and so does what the host has elsewhere: calls that wait, logs, recordings, backups.
	// Files that are open stay readable until they are closed.
	//
	// The error is fs.ErrNotExist if there is no such file and the history knows of none, a [*NameConflictError] if
	// there is one whose name differs in case or Unicode form only, a [*CheckpointsError] if a checkpoint has a
	// version other than the present one that stays, and syscall.EBUSY for the root.
	Purge(ctx context.Context, name string, options *PurgeOptions) (*Purged, error)

	// IsReadOnly and IsMount are for the functions of these names, which callers use instead.
	IsReadOnly(name string) bool
	IsMount(name string) bool
	// Usage returns what the project holds. It changes nothing, and does not wait for others who change the
	// project.
	Usage(ctx context.Context) (Usage, error)
	// Close closes the project, everything that came from it, and all files opened through it. Unfinished
	// replacements of files are dropped. Do not call it inside Exclusively.
	Close() error
}

// Usage is what a project holds.
type Usage struct {
	// Bytes is the size of all files. Files is the number of files and directories, as the quota counts them.
	Bytes, Files int64
	// HistoryBytes is the size of the history, as its limit counts it.
	HistoryBytes int64
	// CheckpointBytes is what all checkpoints count: see [Checkpoint.Cost].
	CheckpointBytes int64
	// Quota is what the project may hold. With Quota.Growth, it includes what was there when the project was opened.
	Quota Quota
}

// MaxSettings is the largest size of a project's settings in bytes.
const MaxSettings = 4 << 20
