//go:build !windows

package fsys

import (
	"syscall"
)

// HostRefuses says why the host cannot have a file of this name, or returns "".
func HostRefuses(string) string { return "" }

// ErrNotDir is the error for a path that leads through a file.
var ErrNotDir error = syscall.ENOTDIR

// portable gives errors of the host the numbers that other systems have for them.
func portable(err error) error { return err }
