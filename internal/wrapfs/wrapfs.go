// Package wrapfs gives calls the file systems of tests: those that watch a project, fail in its place, or have nothing
// to do with one.
package wrapfs

import (
	"context"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// Around returns a view of a project, or of a view of one, that sees or changes what goes through it. Each call and
// each exclusive section gets a wrapper of its own, around the files as it sees them, so that changes belong to the
// call.
func Around(files afero.Fs, wrap func(files afero.Fs) afero.Fs) vfs.CallFs {
	return &around{wrap(files), files, wrap}
}

type around struct {
	afero.Fs
	inner afero.Fs
	wrap  func(files afero.Fs) afero.Fs
}

var _ vfs.Exclusive = (*around)(nil)

// BeginCall implements [vfs.CallFs].
func (v *around) BeginCall(id string) (afero.Fs, func(), error) {
	files, end, err := vfs.BeginCall(v.inner, id)
	if err != nil {
		return nil, nil, err
	}
	return Around(files, v.wrap), end, nil
}

// Exclusively implements [vfs.Exclusive].
func (v *around) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return vfs.Exclusively(ctx, v.inner, func(files afero.Fs) error { return do(Around(files, v.wrap)) })
}

// IsReadOnly is what [vfs.IsReadOnly] asks.
func (v *around) IsReadOnly(name string) bool { return vfs.IsReadOnly(v.inner, name) }

// Foreign lets calls use a file system that is not a project, such as [afero.MemMapFs]. Nothing can be undone then.
func Foreign(files afero.Fs) vfs.CallFs { return foreign{files} }

type foreign struct{ afero.Fs }

var _ vfs.Exclusive = foreign{}

// BeginCall implements [vfs.CallFs].
func (f foreign) BeginCall(string) (afero.Fs, func(), error) { return f, func() {}, nil }

// Exclusively implements [vfs.Exclusive].
func (f foreign) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return vfs.Exclusively(ctx, f.Fs, do)
}
