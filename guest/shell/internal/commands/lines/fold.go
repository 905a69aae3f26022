package lines

import (
	"bufio"
	"bytes"
	"io"
	"math"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var fold = &command.Command{
	Name:     "fold",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Wrap input lines in each FILE, writing to standard output. With no FILE, or\n" +
		"when it is -, read standard input. A character that is not ASCII counts as its\n" +
		"bytes.",
	Options: []command.Option{
		{Short: 'b', Long: "bytes", Help: "count bytes rather than columns"},
		{Short: 's', Long: "spaces", Help: "break at spaces"},
		{Short: 'w', Long: "width", Arg: "WIDTH", Help: "use WIDTH columns instead of 80"},
	},
	Number: "width",
	Run:    runFold,
}

func runFold(c *command.Context) int {
	width := int64(80)
	if value, given := c.Value("width"); given {
		var ok bool
		if width, ok = number(c, "number of columns", value, 1, math.MaxInt64-9); !ok {
			return 1
		}
	}
	f := folder{out: c.Output(), width: width, bytes: c.Has("bytes"), spaces: c.Has("spaces")}
	ok := c.EachInput(func(_ string, r io.Reader) error { return f.fold(r) })
	return command.Status(f.out.Flush() == nil && ok)
}

type folder struct {
	out           *bufio.Writer
	width         int64
	bytes, spaces bool
}

func (f *folder) fold(r io.Reader) error {
	in := bufio.NewReaderSize(r, 32<<10)
	var line []byte // what is not yet written
	column := int64(0)
	for {
		c, err := in.ReadByte()
		if err != nil {
			_, _ = f.out.Write(line)
			if err == io.EOF {
				return nil
			}
			return err
		}
		if c == '\n' {
			_, _ = f.out.Write(append(line, c))
			line, column = line[:0], 0
			continue
		}
		for {
			next := f.after(column, c)
			if next <= f.width || len(line) == 0 {
				line, column = append(line, c), next
				break
			}
			rest := line[len(line):]
			if f.spaces {
				if at := bytes.LastIndexAny(line, " \t"); at >= 0 {
					rest = line[at+1:]
				}
			}
			_, _ = f.out.Write(line[:len(line)-len(rest)])
			_ = f.out.WriteByte('\n')
			column = 0
			for _, kept := range rest {
				column = f.after(column, kept)
			}
			line = append(line[:0], rest...)
		}
	}
}

// after returns the column after a byte.
func (f *folder) after(column int64, c byte) int64 {
	switch {
	case f.bytes:
		return column + 1
	case c == '\b':
		return max(0, column-1)
	case c == '\r':
		return 0
	case c == '\t':
		return column + 8 - column%8
	}
	return column + 1
}
