package vfs

import (
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

// HistoryOf returns the history of the project behind a file system: a [Project], or a view of one made by this
// package, even if it shows only a part. ok is false if there is none, or if it keeps nothing ([HistoryOptions].Off).
func HistoryOf(files afero.Fs) (history History, ok bool) {
	switch f := files.(type) {
	case History:
		off, can := Unmounted(files).(interface{ HistoryOff() bool })
		return f, !can || !off.HistoryOff()
	case *readOnly:
		return HistoryOf(f.files)
	case *sub:
		return HistoryOf(f.files)
	case *otherStates:
		return HistoryOf(f.Fs)
	}
	return nil, false
}
