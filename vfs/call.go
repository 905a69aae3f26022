package vfs

import (
	"context"

	"github.com/spf13/afero"
)

// A CallFs is a file system other than a [Project] that can be given to a call. A view made by this package is one
// if its underlying file system is.
type CallFs interface {
	afero.Fs
	// BeginCall is what the function of that name returns.
	BeginCall(id string) (files afero.Fs, end func(), err error)
}

// BeginCall returns the file system as one call of a tool sees it, and a function that ends the call: see [Calls].
// The error is a [*NoCallsError] if files is neither a [Project] nor a [CallFs].
func BeginCall(files afero.Fs, id string) (_ afero.Fs, end func(), err error) {
	switch f := files.(type) {
	case Project:
		call := f.WithCall(id)
		return call, call.EndCall, nil
	case CallFs:
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

// Wrap returns a view of a file system that sees or changes what goes through it. Each call and each exclusive
// section has its own: wrap gets the file system as the call sees it and returns a wrapper, so changes through the
// wrapper belong to the call, are undone with it and end with it. wrap may be called by several goroutines at once.
//
// A [Project] in any other wrapper would be hidden, and calls refuse it.
func Wrap(files afero.Fs, wrap func(files afero.Fs) afero.Fs) afero.Fs {
	return &wrapped{wrap(files), files, wrap}
}

type wrapped struct {
	afero.Fs
	inner afero.Fs
	wrap  func(files afero.Fs) afero.Fs
}

var (
	_ CallFs    = (*wrapped)(nil)
	_ Exclusive = (*wrapped)(nil)
)

// BeginCall implements [CallFs].
func (v *wrapped) BeginCall(id string) (afero.Fs, func(), error) {
	files, end, err := BeginCall(v.inner, id)
	if err != nil {
		return nil, nil, err
	}
	return Wrap(files, v.wrap), end, nil
}

// Exclusively implements [Exclusive].
func (v *wrapped) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return Exclusively(ctx, v.inner, func(files afero.Fs) error { return do(Wrap(files, v.wrap)) })
}

// Usage is what [UsageOf] asks.
func (v *wrapped) Usage(ctx context.Context) (Usage, error) { return UsageOf(ctx, v.inner) }

// Holding is what the function of that name asks.
func (v *wrapped) Holding() <-chan struct{} { return Holding(v.inner) }

// IsReadOnly is what the function of that name asks.
func (v *wrapped) IsReadOnly(name string) bool {
	return IsReadOnly(v.Fs, name) || IsReadOnly(v.inner, name)
}

// IsMount is what the function of that name asks.
func (v *wrapped) IsMount(name string) bool { return IsMount(v.inner, name) }

// Foreign lets calls use a file system that is not a project, such as [afero.MemMapFs]. Nothing can be undone then,
// there are no quotas, and a tool that is left behind keeps the files. To wrap a project use [Wrap].
func Foreign(files afero.Fs) afero.Fs { return foreign{files} }

type foreign struct{ afero.Fs }

var (
	_ CallFs    = foreign{}
	_ Exclusive = foreign{}
)

// BeginCall implements [CallFs].
func (f foreign) BeginCall(string) (afero.Fs, func(), error) { return f, func() {}, nil }

// Exclusively implements [Exclusive].
func (f foreign) Exclusively(ctx context.Context, do func(files afero.Fs) error) error {
	return Exclusively(ctx, f.Fs, do)
}

// IsReadOnly is what the function of that name asks.
func (f foreign) IsReadOnly(name string) bool { return IsReadOnly(f.Fs, name) }

// HistoryOf returns the history of the project behind a file system: a [Project], or a view of one made by this
// package, even if it shows only a part. ok is false if there is none, or if it keeps nothing ([HistoryOptions].Off).
func HistoryOf(files afero.Fs) (history History, ok bool) {
	switch f := files.(type) {
	case History:
		off, can := Unmounted(files).(interface{ HistoryOff() bool })
		return f, !can || !off.HistoryOff()
	case *wrapped:
		return HistoryOf(f.inner)
	case *readOnly:
		return HistoryOf(f.files)
	case *sub:
		return HistoryOf(f.files)
	case *otherStates:
		return HistoryOf(f.Fs)
	}
	return nil, false
}
