package text

import (
	"fmt"
	"io"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var (
	less = pager("less")
	more = pager("more")
)

// pager returns a command that shows texts where there is no terminal: as a whole.
func pager(name string) *command.Command {
	options := []command.Option{{Short: 'p', Arg: "PATTERN"}}
	for _, letter := range "aBcCdeEfFgGiIJKlLmMnNqQrRsSuwWX" {
		options = append(options, command.Option{Short: byte(letter)})
	}
	return &command.Command{
		Name: name, Operands: "[OPTION]... [FILE]...",
		Summary: "Show FILEs. There is no terminal: they are shown as a whole, as by cat.", Options: options,
		Run: func(c *command.Context) int {
			return command.Status(c.EachInput(func(file string, r io.Reader) error {
				if name == "more" && file != "-" {
					fmt.Fprintf(c.Stdout, "::::::::::::::\n%s\n::::::::::::::\n", file)
				}
				_, err := io.Copy(struct{ io.Writer }{c.Stdout}, struct{ io.Reader }{r})
				return err
			}))
		},
	}
}
