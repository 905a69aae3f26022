package bytes

import (
	"math"
	"os"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var truncate = &command.Command{
	Name:     "truncate",
	Operands: "OPTION... FILE...",
	Summary: "Shrink or extend the size of each FILE to the specified size. A FILE that does\n" +
		"not exist is created.",
	Options: []command.Option{
		{Short: 'c', Long: "no-create", Help: "do not create any files"},
		{Short: 'o', Long: "io-blocks", Help: "treat SIZE as number of IO blocks instead of bytes"},
		{Short: 'r', Long: "reference", Arg: "RFILE", Help: "base size on RFILE"},
		{Short: 's', Long: "size", Arg: "SIZE", Help: "set or adjust the file size by SIZE bytes"},
	},
	Notes: "SIZE is an integer with an optional unit (10K is 10*1024), after one of these\n" +
		"characters or none:\n" +
		"'+' extend by, '-' reduce by, '<' at most, '>' at least,\n" +
		"'/' round down to multiple of, '%' round up to multiple of.",
	Run: runTruncate,
}

const ioBlock = 4096

func runTruncate(c *command.Context) int {
	value, sized := c.Value("size")
	reference, referred := c.Value("reference")
	mode, n := byte(0), int64(0)
	if sized {
		s := strings.TrimLeft(value, " \t")
		if s != "" && strings.IndexByte("<>/%+-", s[0]) >= 0 {
			mode, s = s[0], strings.TrimLeft(s[1:], " \t")
		}
		var err error
		if n, err = command.ParseSize(s); err != nil {
			reason := ""
			if err == command.ErrTooLarge {
				reason = ": " + err.Error()
			}
			c.Errorf("Invalid number: %s%s", command.QuoteText(strings.TrimLeft(value, " \t<>/%")), reason)
			return 1
		}
		if n == 0 && (mode == '/' || mode == '%') {
			c.Errorf("division by zero")
			return 1
		}
	}
	switch {
	case !sized && !referred:
		return c.Usage("you must specify either %s or %s",
			command.QuoteText("--size"), command.QuoteText("--reference"))
	case referred && sized && mode == 0:
		return c.Usage("you must specify a relative %s with %s",
			command.QuoteText("--size"), command.QuoteText("--reference"))
	case c.Has("io-blocks") && !sized:
		return c.Usage("%s was specified but %s was not", command.QuoteText("--io-blocks"), command.QuoteText("--size"))
	case len(c.Args) == 0:
		return c.Usage("missing file operand")
	}
	if c.Has("io-blocks") {
		if n > math.MaxInt64/ioBlock {
			c.Errorf("overflow in %d * %d byte blocks for file %s", n, ioBlock, command.Quote(c.Args[0]))
			return 1
		}
		n *= ioBlock
	}
	base := int64(-1)
	if referred {
		info, err := c.Stat(reference)
		if err != nil {
			c.Errorf("cannot stat %s: %s", command.Quote(reference), command.Text(err))
			return 1
		}
		base = info.Size()
	}
	ok := true
	for _, name := range c.Args {
		ok = resize(c, name, mode, n, base) && ok
	}
	return command.Status(ok)
}

// resize sets the size of a file, which is relative to a base; -1 means its own size.
func resize(c *command.Context, name string, mode byte, n, base int64) bool {
	flag := os.O_WRONLY
	if !c.Has("no-create") {
		flag |= os.O_CREATE
	}
	file, err := c.OpenFile(name, flag, 0o666)
	if err != nil {
		if c.Has("no-create") && command.Text(err) == "No such file or directory" {
			return true
		}
		c.Errorf("cannot open %s for writing: %s", command.Quote(name), command.Text(err))
		return false
	}
	_ = file.Close()
	current := base
	if base < 0 {
		info, err := c.Stat(name)
		if err != nil {
			c.Errorf("cannot fstat %s: %s", command.Quote(name), command.Text(err))
			return false
		}
		current = info.Size()
	}
	target := n
	switch mode {
	case '+':
		if target = current + n; target < current {
			c.Errorf("overflow extending size of file %s", command.Quote(name))
			return false
		}
	case '-':
		target = max(0, current-n)
	case '<':
		target = min(current, n)
	case '>':
		target = max(current, n)
	case '/':
		target = current / n * n
	case '%':
		target = (current + n - 1) / n * n
	case 0:
		if base >= 0 {
			target = base
		}
	}
	if err := c.Truncate(name, target); err != nil {
		c.Errorf("failed to truncate %s at %d bytes: %s", command.Quote(name), target, command.Text(err))
		return false
	}
	return true
}
