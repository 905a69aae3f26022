package lines

import (
	"bytes"
	"io"
	"syscall"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var rev = &command.Command{
	Name:     "rev",
	Operands: "[FILE]...",
	Summary:  "Reverse the characters of each line. With no FILE, read standard input.",
	Run:      runRev,
}

func runRev(c *command.Context) int {
	ok := true
	out := c.Output()
	for _, name := range c.Inputs() {
		in, err := c.Input(name)
		if err != nil {
			c.Errorf("cannot open %s: %s", name, command.Text(err))
			ok = false
			continue
		}
		if lines, err := reverse(out, in); err != nil {
			if name == "-" {
				name = "stdin"
			}
			_ = out.Flush()
			c.Errorf("%s: %d: %s", name, lines, command.Text(err))
			ok = false
		}
		_ = in.Close()
	}
	return command.Status(out.Flush() == nil && ok)
}

// errCharacter is the error of a line that is not UTF-8.
var errCharacter error = syscall.EILSEQ

// reverse writes the lines of a file, and returns how many there were before an error.
func reverse(out io.Writer, in io.Reader) (lines int, err error) {
	invalid := false
	err = command.Lines(in, '\n', func(line []byte) bool {
		if invalid = !utf8.Valid(line); invalid {
			return false
		}
		lines++
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		reversed := make([]byte, 0, len(line))
		for len(text) > 0 {
			_, size := utf8.DecodeLastRune(text)
			reversed = append(reversed, text[len(text)-size:]...)
			text = text[:len(text)-size]
		}
		if ended {
			reversed = append(reversed, '\n')
		}
		_, _ = out.Write(reversed)
		return true
	})
	if invalid {
		err = errCharacter
	}
	return lines, err
}
