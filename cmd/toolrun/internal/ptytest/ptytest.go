// Package ptytest makes terminals for tests.
package ptytest

import (
	"os"
	"testing"
)

// Open returns a new terminal with 80 columns, and the other end of it: what is written to keys has been typed, and what is
// read from it is what has been written to the terminal. Both are closed at the end of the test, which is skipped where there
// are no such terminals.
func Open(t testing.TB) (keys, terminal *os.File) {
	t.Helper()
	keys, terminal, err := open()
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() {
		_ = keys.Close()
		_ = terminal.Close()
	})
	return keys, terminal
}
