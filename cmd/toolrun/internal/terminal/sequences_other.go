//go:build !windows

package terminal

import "os"

// enableSequences reports whether a terminal takes control sequences.
func enableSequences(*os.File) bool { return true }
