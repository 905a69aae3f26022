//go:build !windows

package vfs

import "syscall"

// hostRefuses says why the host takes a name for something else than a file of that name.
func hostRefuses(string) string { return "" }

// errNotDir is what a path is that leads through a file.
var errNotDir error = syscall.ENOTDIR

// portable gives errors of the host the numbers that other systems have for them.
func portable(err error) error { return err }
