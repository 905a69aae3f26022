package text

import (
	"bytes"
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var head = &command.Command{
	Name:     "head",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Print the first 10 lines of each FILE to standard output. With more than one FILE, precede each with " +
		"a header\n" +
		"giving the file name. With no FILE, or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'c', Long: "bytes", Arg: "[-]NUM",
			Help: "print the first NUM bytes of each file; with the leading '-',\n" +
				"print all but the last NUM bytes"},
		{Short: 'n', Long: "lines", Arg: "[-]NUM",
			Help: "print the first NUM lines instead of the first 10; with the\n" +
				"leading '-', print all but the last NUM lines"},
		{Short: 'q', Long: "quiet", Help: "never print headers giving file names"},
		{Long: "silent"},
		{Short: 'v', Long: "verbose", Help: "always print headers giving file names"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Number: "lines",
	Run:    runHead,
}

func runHead(c *command.Context) int {
	count, unit, fromEnd := int64(10), "lines", false
	for _, g := range c.Given {
		if g.Name != "lines" && g.Name != "bytes" {
			continue
		}
		unit = g.Name
		number, minus := strings.CutPrefix(g.Value, "-")
		n, err := command.ParseSize(number)
		if err != nil && err != command.ErrTooLarge {
			c.Errorf("invalid number of %s: %s", unit, command.QuoteText(g.Value))
			return 1
		}
		count, fromEnd = n, minus
	}
	separator := c.Separator("zero-terminated")
	headers := c.Has("verbose") || len(c.Args) > 1 && !c.Has("quiet") && !c.Has("silent")
	out := c.Output()
	first := true
	ok := eachFile(c, func(name string, r io.Reader) error {
		if headers {
			header(out, name, &first)
		}
		return headOf(out, r, count, unit == "bytes", fromEnd, separator)
	})
	return command.Status(out.Flush() == nil && ok)
}

// header writes the name of a file before what is shown of it.
func header(out io.Writer, name string, first *bool) {
	if name == "-" {
		name = "standard input"
	}
	if !*first {
		_, _ = io.WriteString(out, "\n")
	}
	*first = false
	_, _ = io.WriteString(out, "==> "+name+" <==\n")
}

// eachFile is EachInput with the errors that head and tail have.
func eachFile(c *command.Context, do func(name string, r io.Reader) error) bool {
	return c.EachFile("cannot open %s for reading: %s", func(name string, r io.Reader) bool {
		err := do(name, r)
		if err != nil {
			c.Errorf("error reading %s: %s", command.Quote(name), command.Text(err))
		}
		return err == nil
	})
}

func headOf(out io.Writer, r io.Reader, count int64, inBytes, fromEnd bool, separator byte) error {
	switch {
	case inBytes && !fromEnd:
		_, err := io.Copy(out, io.LimitReader(r, count))
		return err
	case inBytes:
		data, err := io.ReadAll(r)
		if n := int64(len(data)) - count; n > 0 {
			_, _ = out.Write(data[:n])
		}
		return err
	case !fromEnd:
		if count == 0 {
			return nil
		}
		return command.Lines(r, separator, func(line []byte) bool {
			_, _ = out.Write(line)
			count--
			return count > 0
		})
	}
	var kept [][]byte
	return command.Lines(r, separator, func(line []byte) bool {
		kept = append(kept, bytes.Clone(line))
		if int64(len(kept)) > count {
			_, _ = out.Write(kept[0])
			kept = kept[1:]
		}
		return true
	})
}
