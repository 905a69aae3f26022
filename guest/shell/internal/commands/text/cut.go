package text

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cut = &command.Command{
	Name:     "cut",
	Operands: "OPTION... [FILE]...",
	Summary:  "Print selected parts of lines from each FILE to standard output.",
	Options: []command.Option{
		{Short: 'b', Long: "bytes", Arg: "LIST", Help: "select only these bytes"},
		{Short: 'c', Long: "characters", Arg: "LIST", Help: "select only these characters"},
		{Short: 'd', Long: "delimiter", Arg: "DELIM", Help: "use DELIM instead of TAB for field delimiter"},
		{Short: 'f', Long: "fields", Arg: "LIST", Help: "select only these fields; also print any line that " +
			"contains\nno delimiter character, unless the -s option is specified"},
		{Short: 'n', Help: "(ignored)"},
		{Long: "complement", Help: "complement the set of selected bytes, characters or fields"},
		{Short: 's', Long: "only-delimited", Help: "do not print lines not containing delimiters"},
		{Long: "output-delimiter", Arg: "STRING", Help: "use STRING as the output delimiter"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Notes: "LIST is made up of one range, or many ranges separated by commas: N, N-, N-M or -M.",
	Run:   runCut,
}

// span is a range of numbers from 1 on, both ends included.
type span struct{ low, high int }

// parseSpans reads a LIST.
func parseSpans(s, what string) ([]span, error) {
	var spans []span
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		low, high, isRange := strings.Cut(part, "-")
		sp := span{1, math.MaxInt}
		var err error
		number := func(s string) int {
			n, failure := strconv.Atoi(s)
			switch {
			case failure != nil && err == nil:
				err = errors.New("invalid " + what + " value " + command.QuoteText(s))
			case n == 0 && err == nil && what == "field":
				err = errors.New("fields are numbered from 1")
			case n == 0 && err == nil:
				err = errors.New("byte/character positions are numbered from 1")
			}
			return n
		}
		if part == "-" {
			return nil, errors.New("invalid range with no endpoint: -")
		}
		if low != "" {
			sp.low = number(low)
		}
		if high != "" {
			sp.high = number(high)
		}
		if !isRange {
			sp.high = sp.low
		}
		if err != nil {
			return nil, err
		}
		if sp.high < sp.low {
			return nil, errors.New("invalid decreasing range")
		}
		spans = append(spans, sp)
	}
	if len(spans) == 0 {
		if what == "field" {
			return nil, errors.New("fields are numbered from 1")
		}
		return nil, errors.New("byte/character positions are numbered from 1")
	}
	slices.SortFunc(spans, func(a, b span) int { return a.low - b.low })
	merged := spans[:1]
	for _, sp := range spans[1:] {
		last := &merged[len(merged)-1]
		if sp.low <= last.high {
			last.high = max(last.high, sp.high)
		} else {
			merged = append(merged, sp)
		}
	}
	return merged, nil
}

func complement(spans []span) []span {
	var out []span
	next := 1
	for _, sp := range spans {
		if sp.low > next {
			out = append(out, span{next, sp.low - 1})
		}
		if sp.high == math.MaxInt {
			return out
		}
		next = sp.high + 1
	}
	return append(out, span{next, math.MaxInt})
}

func runCut(c *command.Context) int {
	kind, list := "", ""
	for _, g := range c.Given {
		if g.Name == "bytes" || g.Name == "characters" || g.Name == "fields" {
			if kind != "" {
				return c.Usage("only one list may be specified")
			}
			kind, list = g.Name, g.Value
		}
	}
	if kind == "" {
		return c.Usage("you must specify a list of bytes, characters, or fields")
	}
	delimiter, given := c.Value("delimiter")
	switch {
	case given && kind != "fields":
		return c.Usage("an input delimiter may be specified only when operating on fields")
	case c.Has("only-delimited") && kind != "fields":
		return c.Usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	case !given:
		delimiter = "\t"
	case delimiter == "":
		delimiter = "\x00"
	case utf8.RuneCountInString(delimiter) > 1:
		return c.Usage("the delimiter must be a single character")
	}
	what := "byte or character"
	if kind == "fields" {
		what = "field"
	}
	spans, err := parseSpans(list, what)
	if err != nil {
		return c.Usage("%s", err.Error())
	}
	if c.Has("complement") {
		spans = complement(spans)
	}
	separator := c.Separator("zero-terminated")
	between, joined := c.Value("output-delimiter")
	if !joined && kind == "fields" {
		between = delimiter
	}
	out := c.Output()
	ok := c.EachInput(func(_ string, r io.Reader) error {
		return command.Lines(r, separator, func(line []byte) bool {
			line = bytes.TrimSuffix(line, []byte{separator})
			if kind == "fields" {
				if !bytes.Contains(line, []byte(delimiter)) {
					if c.Has("only-delimited") {
						return true
					}
					_, _ = out.Write(line)
				} else {
					cutFields(out, line, spans, delimiter, between)
				}
			} else {
				cutBytes(out, line, spans, between)
			}
			_ = out.WriteByte(separator)
			return true
		})
	})
	return command.Status(out.Flush() == nil && ok)
}

func cutFields(out io.Writer, line []byte, spans []span, delimiter, between string) {
	n, written := 1, false
	for sp := 0; sp < len(spans); n++ {
		field, rest, more := bytes.Cut(line, []byte(delimiter))
		if n >= spans[sp].low {
			if written {
				_, _ = io.WriteString(out, between)
			}
			_, _ = out.Write(field)
			written = true
			if n == spans[sp].high {
				sp++
			}
		}
		if !more {
			return
		}
		line = rest
	}
}

func cutBytes(out io.Writer, line []byte, spans []span, between string) {
	for i, sp := range spans {
		if sp.low > len(line) {
			return
		}
		if i > 0 {
			_, _ = io.WriteString(out, between)
		}
		_, _ = out.Write(line[sp.low-1 : min(sp.high, len(line))])
	}
}
