// Package ptytest provides terminals for tests.
package ptytest

import (
	"os"
	"testing"
)

// Open returns a new terminal with 80 columns, and its other end, keys: writing to keys types, and reading from
// keys returns the terminal's output. Both are closed at the end of the test. The test is skipped on systems
// without such terminals.
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
