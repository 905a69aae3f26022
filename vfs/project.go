package vfs

import (
	"context"

	"github.com/spf13/afero"
)

// A Project is the files of one project, and nothing else. It is an [afero.Fs] with the semantics that the package
// describes, and safe for concurrent use; so are the files that it opens. Its methods wait as long as somebody else holds
// the project's lock; those without a context, which are afero's, until the call ends or the project is closed.
type Project interface {
	afero.Fs
	Exclusive
	Calls
	History
	Settings

	// Usage says what the project holds. It changes nothing, and does not wait for others who change the project.
	Usage(ctx context.Context) (Usage, error)
	// Close closes the project, for all that has come from it, and all files that are open through it. What is being
	// written anew in them is dropped. It must not be called by what Exclusively runs.
	Close() error
}

// Usage is what a project holds.
type Usage struct {
	// Bytes is the size of all files, and Files how many files and directories there are, as the quota counts them.
	Bytes, Files int64
	// HistoryBytes is what is kept in the history, as its limit counts it.
	HistoryBytes int64
}

// Calls is what a [Project] knows of calls of tools.
type Calls interface {
	// WithCall returns the project as one call of a tool sees it: what is changed through it belongs together under the
	// id, which [History] takes to undo it and which should not be used for another call. Without one, each change is by
	// itself. An id that begins with "#" gets a "call " in front, and one that is longer than 256 bytes is kept in part,
	// with a hash. EndCall ends the call.
	WithCall(id string) Project
	// EndCall ends the call that WithCall has begun: files that have been opened for it and are still open are closed,
	// what has been written in those that would replace a file when they are closed is dropped, and from now on
	// everything that is attempted for it is fs.ErrClosed. Whoever runs code for a call ends the call with this, since
	// code that is stopped in the middle closes nothing, and code that cannot be stopped would go on. Without a call,
	// EndCall does nothing.
	EndCall()
}

// Settings are what a host keeps with a [Project]. They are not among the project's files: no path leads to them, so that
// tools cannot change what they are allowed to do.
type Settings interface {
	// Settings returns the settings, or nil if there are none. In a directory that somebody else has filled they may be
	// theirs. The error is [ErrDeleted] if the project has been deleted, since no settings would mean that nothing is
	// forbidden.
	Settings(ctx context.Context) ([]byte, error)
	// EditSettings replaces the settings by what edit makes of them, as a whole and durably, while nobody else changes
	// them. Empty settings are none. If edit returns an error, that is the error, and nothing is changed.
	EditSettings(ctx context.Context, edit func(settings []byte) ([]byte, error)) error
}

// MaxSettings is the most bytes that a project's settings may have.
const MaxSettings = 4 << 20
