package terminal

import (
	"io"
	"os"
)

// ScreenOn is what Out returns for a terminal that understands control sequences, but writes to any file.
func ScreenOn(file *os.File, colour bool) io.Writer {
	return &screen{file: file, control: true, colour: colour}
}
