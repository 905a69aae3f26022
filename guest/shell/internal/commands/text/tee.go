package text

import (
	"io"
	"os"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var tee = &command.Command{
	Name:     "tee",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Copy standard input to each FILE, and also to standard output.",
	Options: []command.Option{
		{Short: 'a', Long: "append", Help: "append to the given FILEs, do not overwrite"},
		{Short: 'i', Long: "ignore-interrupts", Help: "(ignored)"},
		{Short: 'p'}, {Long: "output-error", Arg: "MODE", Optional: true},
	},
	Run: func(c *command.Context) int {
		flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if c.Has("append") {
			flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		}
		writers := []io.Writer{c.Stdout}
		ok := true
		for _, name := range c.Args {
			file, err := c.OpenFile(name, flag, 0o666)
			if err != nil {
				c.FileError(name, err)
				ok = false
				continue
			}
			defer file.Close()
			writers = append(writers, file)
		}
		buffer := make([]byte, 32<<10)
		for {
			n, err := c.Stdin.Read(buffer)
			for _, w := range writers {
				if n == 0 {
					continue
				}
				if _, err := w.Write(buffer[:n]); err != nil {
					c.Errorf("write error: %s", command.Text(err))
					ok = false
				}
			}
			if err != nil {
				if err != io.EOF {
					c.Errorf("read error: %s", command.Text(err))
					ok = false
				}
				return command.Status(ok)
			}
		}
	},
}
