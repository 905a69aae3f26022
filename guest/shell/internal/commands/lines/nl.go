package lines

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var nl = &command.Command{
	Name:     "nl",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Write each FILE to standard output, with line numbers added. With no FILE, or\n" +
		"when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'b', Long: "body-numbering", Arg: "STYLE", Help: "use STYLE for numbering body lines"},
		{Short: 'd', Long: "section-delimiter", Arg: "CC", Help: "use CC for logical page delimiters"},
		{Short: 'f', Long: "footer-numbering", Arg: "STYLE", Help: "use STYLE for numbering footer lines"},
		{Short: 'h', Long: "header-numbering", Arg: "STYLE", Help: "use STYLE for numbering header lines"},
		{Short: 'i', Long: "line-increment", Arg: "NUMBER", Help: "line number increment at each line"},
		{Short: 'l', Long: "join-blank-lines", Arg: "NUMBER", Help: "group of NUMBER empty lines counted as one"},
		{Short: 'n', Long: "number-format", Arg: "FORMAT", Help: "insert line numbers according to FORMAT"},
		{Short: 'p', Long: "no-renumber", Help: "do not reset line numbers for each section"},
		{Short: 's', Long: "number-separator", Arg: "STRING", Help: "add STRING after (possible) line number"},
		{Short: 'v', Long: "starting-line-number", Arg: "NUMBER", Help: "first line number for each section"},
		{Short: 'w', Long: "number-width", Arg: "NUMBER", Help: "use NUMBER columns for line numbers"},
	},
	Notes: "The default is -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6.\n" +
		"STYLE is a (all lines), t (nonempty lines), n (no lines) or pBRE (lines that\n" +
		"match the expression BRE).\n" +
		"FORMAT is ln (left justified, no leading zeros), rn (right justified) or rz\n" +
		"(with leading zeros).",
	Run: runNl,
}

// A numberer numbers lines.
type numberer struct {
	out       io.Writer
	styles    [3]numbering // of header, body and footer
	delimiter string
	format    string
	separator string
	keep      bool // the numbers go on in the next section
	start     int64
	increment int64
	join      int64
	width     int

	section  int
	number   int64
	blanks   int64
	overflow bool
}

// A numbering says which lines are numbered: a, t, n or p.
type numbering struct {
	style byte
	re    *regex.Regexp
}

func runNl(c *command.Context) int {
	n := &numberer{
		styles: [3]numbering{{style: 'n'}, {style: 't'}, {style: 'n'}}, delimiter: `\:`, format: "rn", separator: "\t",
		start: 1, increment: 1, join: 1, width: 6, section: 1,
	}
	if status := n.configure(c); status != 0 {
		return status
	}
	n.number = n.start
	out := c.Output()
	n.out = out
	ok := c.EachInput(func(_ string, r io.Reader) error {
		return command.Lines(r, '\n', func(line []byte) bool {
			n.line(strings.TrimSuffix(string(line), "\n"))
			return !n.overflow
		})
	})
	if out.Flush() != nil {
		return 1
	}
	if n.overflow {
		c.Errorf("line number overflow")
		return 1
	}
	return command.Status(ok)
}

func (n *numberer) configure(c *command.Context) int {
	sections := map[string]int{"header-numbering": 0, "body-numbering": 1, "footer-numbering": 2}
	numbers := map[string]struct {
		what        string
		to          *int64
		least, most int64
	}{
		"line-increment":       {"line number increment", &n.increment, math.MinInt64, math.MaxInt64},
		"join-blank-lines":     {"line number of blank lines", &n.join, 1, math.MaxInt64},
		"starting-line-number": {"starting line number", &n.start, math.MinInt64, math.MaxInt64},
	}
	for _, g := range c.Given {
		switch g.Name {
		case "header-numbering", "body-numbering", "footer-numbering":
			section := sections[g.Name]
			style := numbering{}
			if len(g.Value) == 1 && strings.Contains("atn", g.Value) {
				style.style = g.Value[0]
			} else if pattern, ok := strings.CutPrefix(g.Value, "p"); ok {
				re, err := regex.Compile(pattern, regex.Options{})
				if err != nil {
					c.Errorf("%s", err)
					return 1
				}
				style = numbering{'p', re}
			} else {
				return c.Usage("invalid %s style: %s", strings.ReplaceAll(g.Name, "-", " "), command.QuoteText(g.Value))
			}
			n.styles[section] = style
		case "section-delimiter":
			if n.delimiter = g.Value; len(g.Value) == 1 {
				n.delimiter += ":"
			}
		case "number-format":
			if g.Value != "ln" && g.Value != "rn" && g.Value != "rz" {
				return c.Usage("invalid line numbering format: %s", command.QuoteText(g.Value))
			}
			n.format = g.Value
		case "no-renumber":
			n.keep = true
		case "number-separator":
			n.separator = g.Value
		case "number-width":
			width, ok := number(c, "line number field width", g.Value, 1, math.MaxInt32)
			if !ok {
				return 1
			}
			n.width = int(width)
		default:
			to := numbers[g.Name]
			value, ok := number(c, to.what, g.Value, to.least, to.most)
			if !ok {
				return 1
			}
			*to.to = value
		}
	}
	return 0
}

func (n *numberer) line(line string) {
	if count := n.delimiters(line); count > 0 {
		n.section = 3 - count
		if !n.keep {
			n.number = n.start
		}
		_, _ = io.WriteString(n.out, "\n")
		return
	}
	numbered := false
	switch style := n.styles[n.section]; style.style {
	case 'a':
		if numbered = line != "" || n.join == 1; !numbered {
			n.blanks++
			numbered = n.blanks == n.join
		}
		if numbered {
			n.blanks = 0
		}
	case 't':
		numbered = line != ""
	case 'p':
		numbered = style.re.Match([]byte(line))
	}
	if !numbered {
		fmt.Fprintf(n.out, "%*s%s\n", n.width+len(n.separator), "", line)
		return
	}
	format := map[string]string{"ln": "%-*d%s%s\n", "rn": "%*d%s%s\n", "rz": "%0*d%s%s\n"}[n.format]
	fmt.Fprintf(n.out, format, n.width, n.number, n.separator, line)
	n.overflow = n.increment > 0 && n.number > math.MaxInt64-n.increment
	n.number += n.increment
}

// delimiters says how many section delimiters a line consists of: 3 begin a header, 2 a body and 1 a footer.
func (n *numberer) delimiters(line string) int {
	if n.delimiter == "" {
		return 0
	}
	count := strings.Count(line, n.delimiter)
	if count > 3 || line != strings.Repeat(n.delimiter, count) {
		return 0
	}
	return count
}
