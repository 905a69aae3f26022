package bytes

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cmp = &command.Command{
	Name:     "cmp",
	Operands: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
	Summary: "Compare two files byte by byte. SKIP1 and SKIP2 are how many bytes to skip at\n" +
		"the beginning of each file. If a FILE is '-' or missing, read standard input.",
	Options: []command.Option{
		{Short: 'b', Long: "print-bytes", Help: "print differing bytes"},
		{Short: 'i', Long: "ignore-initial", Arg: "SKIP", Help: "skip first SKIP bytes of both inputs, or\n" +
			"SKIP1:SKIP2"},
		{Short: 'l', Long: "verbose", Help: "output byte numbers and differing byte values"},
		{Short: 'n', Long: "bytes", Arg: "LIMIT", Help: "compare at most LIMIT bytes"},
		{Short: 's', Long: "quiet", Help: "suppress all normal output"},
		{Long: "silent"},
	},
	Notes:   "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
	Trouble: 2,
	Run:     runCmp,
}

func runCmp(c *command.Context) int {
	var skip [2]int64
	limit := int64(math.MaxInt64)
	for _, g := range c.Given {
		var err error
		switch g.Name {
		case "ignore-initial":
			first, second, both := strings.Cut(g.Value, ":")
			if !both {
				second = first
			}
			for i, s := range []string{first, second} {
				if skip[i], err = size(s); err != nil {
					return c.Usage("invalid --ignore-initial value '%s'", g.Value)
				}
			}
		case "bytes":
			if limit, err = size(g.Value); err != nil {
				return c.Usage("invalid --bytes value '%s'", g.Value)
			}
		}
	}
	quiet := c.Has("quiet") || c.Has("silent")
	if quiet && c.Has("verbose") {
		return c.Usage("options -l and -s are incompatible")
	}
	if len(c.Args) == 0 {
		return c.Usage("missing operand after '%s'", c.Name)
	}
	names := append([]string{}, c.Args...)
	if len(names) == 1 {
		names = append(names, "-")
	}
	for i, s := range names[2:] {
		if i > 1 {
			return c.Usage("extra operand '%s'", s)
		}
		n, err := size(s)
		if err != nil {
			return c.Usage("invalid SKIP%d value '%s'", i+1, s)
		}
		skip[i] = max(skip[i], n)
	}
	names = names[:2]
	same := names[0] == names[1] || names[0] != "-" && names[1] != "-" && c.Same(names[0], names[1])
	if same && skip[0] == skip[1] {
		if _, err := c.Stat(names[0]); err == nil || names[0] == "-" {
			return 0
		}
	}
	var readers [2]*bufio.Reader
	longest := limit // how many bytes there are to compare, at most
	for i, name := range names {
		in, err := c.Input(name)
		if err != nil {
			if !quiet {
				c.Errorf("%s: %s", name, command.Text(err))
			}
			return 2
		}
		defer in.Close()
		readers[i] = bufio.NewReaderSize(in, 32<<10)
		if _, err := io.CopyN(io.Discard, readers[i], skip[i]); err != nil && err != io.EOF {
			c.Errorf("%s: %s", name, command.Text(err))
			return 2
		}
		info, err := c.Stat(name)
		if name == "-" {
			err = fs.ErrInvalid
			if s, ok := c.Stdin.(interface{ Stat() (fs.FileInfo, error) }); ok {
				info, err = s.Stat()
			}
		}
		if err == nil && info != nil && info.Mode().IsRegular() {
			longest = min(longest, info.Size()-skip[i])
		}
	}
	width := len(strconv.FormatInt(max(0, longest), 10))
	return compareBytes(c, names, readers, limit, width)
}

func compareBytes(c *command.Context, names []string, readers [2]*bufio.Reader, limit int64, width int) int {
	quiet := c.Has("quiet") || c.Has("silent")
	out := c.Output()
	defer out.Flush()
	all, show := c.Has("verbose"), c.Has("print-bytes")
	status, line := 0, int64(1)
	lastNewline := true
	for at := int64(1); at <= limit; at++ {
		a, err := readers[0].ReadByte()
		b, err2 := readers[1].ReadByte()
		for i, e := range []error{err, err2} {
			if e != nil && e != io.EOF {
				c.Errorf("%s: %s", names[i], command.Text(e))
				return 2
			}
		}
		if err != nil || err2 != nil {
			if err != nil && err2 != nil {
				return status
			}
			shorter := names[0]
			if err2 != nil {
				shorter = names[1]
			}
			_ = out.Flush()
			if !quiet {
				eof(c, shorter, at-1, line, lastNewline, all)
			}
			return 1
		}
		if a != b {
			status = 1
			switch {
			case quiet:
				return 1
			case all && show:
				fmt.Fprintf(out, "%*d %3o %-4s %3o %s\n", width, at, a, visible(a), b, visible(b))
			case all:
				fmt.Fprintf(out, "%*d %3o %3o\n", width, at, a, b)
			default:
				if show {
					fmt.Fprintf(out, "%s %s differ: byte %d, line %d is %3o %s %3o %s\n", names[0], names[1], at, line,
						a, visible(a), b, visible(b))
				} else {
					fmt.Fprintf(out, "%s %s differ: byte %d, line %d\n", names[0], names[1], at, line)
				}
				return 1
			}
		}
		if lastNewline = a == '\n'; lastNewline {
			line++
		}
	}
	return status
}

// eof says that a file is shorter than the other one.
func eof(c *command.Context, name string, bytes, line int64, whole, all bool) {
	switch {
	case bytes == 0:
		c.Errorf("EOF on %s which is empty", name)
	case all:
		c.Errorf("EOF on %s after byte %d", name, bytes)
	case whole:
		c.Errorf("EOF on %s after byte %d, line %d", name, bytes, line-1)
	default:
		c.Errorf("EOF on %s after byte %d, in line %d", name, bytes, line)
	}
}

// visible writes a byte as cat -v does.
func visible(b byte) string {
	s := ""
	if b >= 128 {
		s, b = "M-", b-128
	}
	switch {
	case b < 32:
		return s + "^" + string(rune(b+64))
	case b == 127:
		return s + "^?"
	}
	return s + string(rune(b))
}
