//go:build !windows

package terminal

import "os"

// enableSequences reports whether a terminal understands control sequences.
func enableSequences(*os.File) bool { return true }
