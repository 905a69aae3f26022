package vfs

import (
	"context"
	"errors"

	"github.com/spf13/afero"
)

// A View is a file system that shows another one in its own way. A type that embeds it defines what it changes; the
// rest goes to the files behind it, also what projects can do beside the operations of afero. So it can be given to a
// call ([BeginCall]) if they can, and is [Exclusive] if they are:
//
//	type counting struct {
//		vfs.View
//		opened *atomic.Int64
//	}
//
//	func count(files afero.Fs, opened *atomic.Int64) afero.Fs {
//		again := func(files afero.Fs) afero.Fs { return count(files, opened) }
//		return &counting{vfs.NewView(files, again), opened}
//	}
//
// A view whose paths are others than those behind it must also define IsReadOnly and IsMount. A view is as safe for
// concurrent use as the files behind it.
type View struct {
	// Fs are the files behind the view.
	afero.Fs
	again func(files afero.Fs) afero.Fs
}

// NewView returns a view of files, to embed. again returns the same view of other files: of those that a call has, or
// an exclusive section.
func NewView(files afero.Fs, again func(files afero.Fs) afero.Fs) View { return View{files, again} }

var _ Exclusive = View{}

// BeginCall is for the function of this name, which callers use instead.
func (v View) BeginCall(id string) (afero.Fs, func(), error) {
	files, end, err := BeginCall(v.Fs, id)
	if err != nil {
		return nil, nil, err
	}
	return v.again(files), end, nil
}

// Exclusively implements [Exclusive].
func (v View) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return Exclusively(ctx, v.Fs, func(files afero.Fs) error { return do(v.again(files)) })
}

// Usage is for [UsageOf].
func (v View) Usage(ctx context.Context) (Usage, error) { return UsageOf(ctx, v.Fs) }

// Holding is for the function of this name, which callers use instead.
func (v View) Holding() <-chan struct{} { return Holding(v.Fs) }

// IsReadOnly is for the function of this name, which callers use instead.
func (v View) IsReadOnly(name string) bool { return IsReadOnly(v.Fs, name) }

// IsMount is for the function of this name, which callers use instead.
func (v View) IsMount(name string) bool { return IsMount(v.Fs, name) }

// States is for [StatesOf].
func (v View) States() (States, bool) { return StatesOf(v.Fs) }

func (v View) behind() afero.Fs { return v.Fs }

// projectBehind returns the project that a file system shows, or nil. It is not for whoever has only a view.
func projectBehind(files afero.Fs) Project {
	for {
		switch f := files.(type) {
		case Project:
			return f
		case interface{ behind() afero.Fs }:
			files = f.behind()
		default:
			return nil
		}
	}
}

// BeginCall returns a [Project], or a [View] of one, as one call of a tool sees it, and a function that ends the call:
// see [Project].WithCall. The error is a [*NoCallsError] for other files, unless they have a method of this name
// themselves.
func BeginCall(files afero.Fs, id string) (_ afero.Fs, end func(), err error) {
	switch f := files.(type) {
	case Project:
		call := f.WithCall(id)
		return call, call.EndCall, nil
	case interface {
		BeginCall(id string) (afero.Fs, func(), error)
	}:
		return f.BeginCall(id)
	}
	return nil, nil, &NoCallsError{files.Name()}
}

// Holding returns a channel that is closed when the call that uses this file system (see [BeginCall]) no longer
// keeps others from changing it. It is nil if the call does not do so now, or if that is unknown.
func Holding(files afero.Fs) <-chan struct{} {
	if h, ok := files.(interface{ Holding() <-chan struct{} }); ok {
		return h.Holding()
	}
	return nil
}

// IsReadOnly reports whether a [Project], or a [View] of one, forbids changes at a path. It is false for other file
// systems, and for paths that [Clean] refuses.
func IsReadOnly(files afero.Fs, name string) bool {
	v, ok := files.(interface{ IsReadOnly(name string) bool })
	return ok && v.IsReadOnly(name)
}

// IsMount reports whether a project is mounted at a path: see [OpenMounts]. It is false for file systems of other
// packages.
func IsMount(files afero.Fs, name string) bool {
	v, ok := files.(interface{ IsMount(name string) bool })
	return ok && v.IsMount(name)
}

// UsageOf returns the usage of a [Project], or of the one behind a [View], even if that shows only a part. Otherwise
// the error is errors.ErrUnsupported.
func UsageOf(ctx context.Context, files afero.Fs) (Usage, error) {
	if u, ok := files.(interface {
		Usage(ctx context.Context) (Usage, error)
	}); ok {
		return u.Usage(ctx)
	}
	return Usage{}, errors.ErrUnsupported
}

// HistoryOf returns the history of a [Project], or of the one behind a [View], even if that shows only a part. ok is
// false if there is none, or if it keeps nothing ([HistoryOptions].Off).
func HistoryOf(files afero.Fs) (history History, ok bool) {
	p := projectBehind(files)
	return p, p != nil && !p.HistoryOff()
}
