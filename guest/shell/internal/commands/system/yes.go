package system

import (
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var yes = &command.Command{
	Name:     "yes",
	Operands: "[STRING]...",
	Summary:  "Repeatedly output a line with all STRINGs, or 'y'.",
	Run:      runYes,
}

func runYes(c *command.Context) int {
	line := "y\n"
	if len(c.Args) > 0 {
		line = strings.Join(c.Args, " ") + "\n"
	}
	block := []byte(strings.Repeat(line, max(1, 8192/len(line))))
	for {
		if _, err := c.Stdout.Write(block); err != nil {
			c.Errorf("standard output: %s", command.Text(err))
			return 1
		}
	}
}
