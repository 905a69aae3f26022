//go:build unix

package escape_test

import "syscall"

// makePipe makes a named pipe, which keeps whoever opens it waiting.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
