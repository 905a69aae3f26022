// Package wrapfs gives calls the file systems of tests: those that watch a project, fail in its place, or have nothing
// to do with one.
package wrapfs

import (
	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// Around returns a view of a project, or of a view of one, that sees or changes what goes through it. Each call and
// each exclusive section gets a wrapper of its own, around the files as it sees them, so that changes belong to the
// call.
func Around(files afero.Fs, wrap func(files afero.Fs) afero.Fs) afero.Fs {
	again := func(files afero.Fs) afero.Fs { return Around(files, wrap) }
	return around{vfs.NewView(files, again), wrap(files)}
}

// around has the operations of afero from the wrapper, and the rest from the view.
type around struct {
	vfs.View
	afero.Fs
}

// Foreign lets calls use a file system that is not a project, such as [afero.MemMapFs]. Nothing can be undone then.
func Foreign(files afero.Fs) afero.Fs { return foreign{vfs.NewView(files, Foreign)} }

type foreign struct{ vfs.View }

// BeginCall is what [vfs.BeginCall] asks.
func (f foreign) BeginCall(string) (afero.Fs, func(), error) { return f, func() {}, nil }
