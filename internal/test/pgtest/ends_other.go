//go:build !linux

package pgtest

import "syscall"

// endsWithUs does nothing: the server stays if this process is killed.
func endsWithUs(*syscall.SysProcAttr) {}
