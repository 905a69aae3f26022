package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableSequences makes a console take control sequences, and reports whether it does. Those before Windows 10 cannot.
func enableSequences(file *os.File) bool {
	var mode uint32
	console := windows.Handle(file.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
