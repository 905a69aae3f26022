package misc

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var numfmt = &command.Command{
	Name: "numfmt", Operands: "[OPTION]... [NUMBER]...",
	Summary: "Reformat NUMBER(s), or the numbers from standard input if none are specified.",
	Options: []command.Option{
		{Short: 'd', Long: "delimiter", Arg: "X", Help: "use X instead of whitespace for field delimiter"},
		{Long: "field", Arg: "FIELDS", Help: "replace the numbers in these input fields (default=1)"},
		{Long: "format", Arg: "FORMAT", Help: "use printf style floating-point FORMAT"},
		{Long: "from", Arg: "UNIT", Help: "auto-scale input numbers to UNITs; default is 'none'"},
		{Long: "from-unit", Arg: "N", Help: "specify the input unit size (instead of the default 1)"},
		{Long: "grouping", Help: "use locale-defined grouping of digits (none here)"},
		{Long: "header", Arg: "N", Optional: true, Help: "print (without converting) the first N header lines"},
		{Long: "invalid", Arg: "MODE", Help: "failure mode for invalid numbers: abort, fail, warn, ignore"},
		{Long: "padding", Arg: "N", Help: "pad the output to N characters"},
		{Long: "round", Arg: "METHOD", Help: "up, down, from-zero (default), towards-zero, nearest"},
		{Long: "suffix", Arg: "SUFFIX", Help: "add SUFFIX to output numbers, and accept optional SUFFIX in input"},
		{Long: "to", Arg: "UNIT", Help: "auto-scale output numbers to UNITs"},
		{Long: "to-unit", Arg: "N", Help: "the output unit size (instead of the default 1)"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		{Long: "debug"},
	},
	Notes: "UNIT is none, auto, si, iec or iec-i.",
	Run:   runNumfmt,
}

type numfmtRun struct {
	c                *command.Context
	from, to         string
	fromUnit, toUnit float64
	round, invalid   string
	suffix           string
	padding          int
	zeroPad          bool
	precision        int // -1 if not given
	prefix, postfix  string
	delimiter        string
	fields           func(int) bool
	out              *bufio.Writer
	status           int
}

func runNumfmt(c *command.Context) int {
	n := &numfmtRun{c: c, from: "none", to: "none", fromUnit: 1, toUnit: 1, round: "from-zero", invalid: "abort",
		precision: -1,
		out:       c.Output(), fields: func(i int) bool { return i == 1 }}
	header := 0
	for _, g := range c.Given {
		switch g.Name {
		case "from", "to":
			switch g.Value {
			case "none", "si", "iec", "iec-i":
			case "auto":
				if g.Name == "from" {
					break
				}
				fallthrough
			default:
				c.Errorf("invalid argument %s for '--%s'", command.QuoteText(g.Value), g.Name)
				fmt.Fprintln(c.Stderr, "Valid arguments are:")
				return 1
			}
			if g.Name == "from" {
				n.from = g.Value
			} else {
				n.to = g.Value
			}
		case "from-unit", "to-unit":
			size, err := command.ParseSize(g.Value)
			if err != nil || size <= 0 {
				c.Errorf("invalid unit size: %s", command.QuoteText(g.Value))
				return 1
			}
			if g.Name == "from-unit" {
				n.fromUnit = float64(size)
			} else {
				n.toUnit = float64(size)
			}
		case "round":
			n.round = g.Value
		case "invalid":
			n.invalid = g.Value
		case "suffix":
			n.suffix = g.Value
		case "padding":
			v, err := strconv.Atoi(g.Value)
			if err != nil || v == 0 {
				c.Errorf("invalid padding value %s", command.QuoteText(g.Value))
				return 1
			}
			n.padding = v
		case "delimiter":
			n.delimiter = g.Value
		case "header":
			header = 1
			if g.Value != "" {
				header, _ = strconv.Atoi(g.Value)
			}
		case "field":
			n.fields = fieldSet(g.Value)
		case "format":
			if !n.parseFormat(g.Value) {
				return 1
			}
		}
	}
	if len(c.Args) > 0 {
		for _, arg := range c.Args {
			if !n.line(arg, "\n") {
				break
			}
		}
	} else {
		separator := c.Separator("zero-terminated")
		_ = command.Lines(io.Reader(c.Stdin), separator, func(line []byte) bool {
			text, ended := strings.CutSuffix(string(line), string(separator))
			end := ""
			if ended {
				end = string(separator)
			}
			if header > 0 {
				header--
				_, _ = n.out.WriteString(text + end)
				return true
			}
			return n.line(text, end)
		})
	}
	if n.out.Flush() != nil {
		return 1
	}
	return n.status
}

// fieldSet returns which fields a list such as "1,3-" has.
func fieldSet(list string) func(int) bool {
	return func(i int) bool {
		for part := range strings.SplitSeq(list, ",") {
			low, high, isRange := strings.Cut(part, "-")
			from, err := strconv.Atoi(low)
			if err != nil {
				from = 1
			}
			to, err := strconv.Atoi(high)
			if !isRange {
				to = from
			} else if err != nil {
				to = math.MaxInt
			}
			if from <= i && i <= to {
				return true
			}
		}
		return false
	}
}

func (n *numfmtRun) parseFormat(format string) bool {
	at := -1
	for i := 0; i < len(format); i++ {
		if format[i] == '%' {
			if i+1 < len(format) && format[i+1] == '%' {
				i++
				continue
			}
			at = i
			break
		}
	}
	if at < 0 {
		n.c.Errorf("format %s has no %% directive", command.QuoteText(format))
		return false
	}
	n.prefix = strings.ReplaceAll(format[:at], "%%", "%")
	rest := format[at+1:]
	for rest != "" && strings.IndexByte("'0 ", rest[0]) >= 0 {
		n.zeroPad = n.zeroPad || rest[0] == '0'
		rest = rest[1:]
	}
	digits := 0
	for digits < len(rest) && (rest[digits] == '-' && digits == 0 || rest[digits] >= '0' && rest[digits] <= '9') {
		digits++
	}
	if digits > 0 {
		n.padding, _ = strconv.Atoi(rest[:digits])
		rest = rest[digits:]
	}
	if precision, ok := strings.CutPrefix(rest, "."); ok {
		digits = 0
		for digits < len(precision) && precision[digits] >= '0' && precision[digits] <= '9' {
			digits++
		}
		n.precision, _ = strconv.Atoi(precision[:digits])
		rest = precision[digits:]
	}
	if !strings.HasPrefix(rest, "f") {
		n.c.Errorf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", command.QuoteText(format))
		return false
	}
	n.postfix = strings.ReplaceAll(rest[1:], "%%", "%")
	return true
}

// line converts the fields of a line. It returns false if nothing more is to be done.
func (n *numfmtRun) line(line, end string) bool {
	var b strings.Builder
	field := 0
	rest := line
	for {
		field++
		var lead, text string
		if n.delimiter != "" {
			text, rest, _ = cut(rest, n.delimiter)
			if field > 1 {
				lead = n.delimiter
			}
		} else {
			trimmed := strings.TrimLeft(rest, " \t")
			lead = rest[:len(rest)-len(trimmed)]
			width := strings.IndexAny(trimmed, " \t")
			if width < 0 {
				width = len(trimmed)
			}
			text, rest = trimmed[:width], trimmed[width:]
		}
		if n.delimiter == "" && field > 1 {
			// One blank is what separates fields.
			b.WriteByte(' ')
			lead = lead[1:]
		}
		if !n.fields(field) {
			b.WriteString(lead + text)
		} else {
			converted, problem := n.convert(text)
			if problem != "" {
				if n.invalid != "ignore" {
					_ = n.out.Flush()
					n.c.Errorf("%s", problem)
				}
				if n.invalid == "abort" {
					n.status = 2
					return false
				}
				if n.invalid == "fail" {
					n.status = 2
				}
				b.WriteString(lead + text)
			} else if n.delimiter == "" && (lead != "" || field > 1) && n.padding == 0 {
				// Fields keep the width that they had.
				width := len(lead) + len(text)
				b.WriteString(strings.Repeat(" ", max(0, width-len(converted))) + converted)
			} else {
				b.WriteString(lead + converted)
			}
		}
		if rest == "" {
			break
		}
	}
	_, _ = n.out.WriteString(b.String() + end)
	return true
}

// cut splits a text at a separator, which stays at the beginning of what follows.
func cut(s, separator string) (before, after string, found bool) {
	s = strings.TrimPrefix(s, separator)
	if i := strings.Index(s, separator); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}

const unitLetters = "KMGTPEZY"

func (n *numfmtRun) convert(text string) (string, string) {
	s := text
	if n.suffix != "" {
		s = strings.TrimSuffix(s, n.suffix)
	}
	digits := 0
	for digits < len(s) && (s[digits] >= '0' && s[digits] <= '9' || s[digits] == '.' || digits == 0 &&
		s[digits] == '-') {
		digits++
	}
	value, err := strconv.ParseFloat(s[:digits], 64)
	if err != nil {
		return "", "invalid number: " + command.QuoteText(text)
	}
	decimals := 0
	if dot := strings.IndexByte(s[:digits], '.'); dot >= 0 {
		decimals = digits - dot - 1
	}
	unit := s[digits:]
	if unit != "" {
		power := strings.IndexByte(unitLetters, unit[0]) + 1
		if power == 0 {
			return "", "invalid suffix in input: " + command.QuoteText(text)
		}
		if n.from == "none" {
			return "", "rejecting suffix in input: " + command.QuoteText(text) + " (consider using --from)"
		}
		base := 1000.0
		rest := unit[1:]
		switch n.from {
		case "iec":
			base = 1024
		case "iec-i":
			base = 1024
			if rest != "i" {
				return "", "missing 'i' suffix in input: " + command.QuoteText(text) + " (e.g Ki/Mi/Gi)"
			}
			rest = ""
		case "auto":
			if rest == "i" {
				base, rest = 1024, ""
			}
		}
		if rest != "" {
			return "", "invalid suffix in input " + command.QuoteText(text) + ": " + command.QuoteText(rest)
		}
		value *= math.Pow(base, float64(power))
		decimals = 0
	}
	value = value * n.fromUnit / n.toUnit
	return n.prefix + n.pad(n.number(value, decimals)+n.suffix) + n.postfix, ""
}

func (n *numfmtRun) rounded(f float64) float64 {
	switch n.round {
	case "up":
		return math.Ceil(f)
	case "down":
		return math.Floor(f)
	case "towards-zero":
		return math.Trunc(f)
	case "nearest":
		return math.Round(f)
	}
	if f < 0 {
		return math.Floor(f)
	}
	return math.Ceil(f)
}

func (n *numfmtRun) number(value float64, decimals int) string {
	if n.to == "none" {
		places := decimals
		if n.precision >= 0 {
			places = n.precision
		}
		scale := math.Pow(10, float64(places))
		return strconv.FormatFloat(n.rounded(value*scale)/scale, 'f', places, 64)
	}
	base := 1000.0
	if n.to != "si" {
		base = 1024
	}
	power := 0
	for math.Abs(value) >= base && power < len(unitLetters) {
		value /= base
		power++
	}
	places := n.precision
	if places < 0 {
		places = 0
		if math.Abs(value) < 10 && power > 0 {
			places = 1
		}
	}
	scale := math.Pow(10, float64(places))
	shown := n.rounded(value*scale) / scale
	if math.Abs(shown) >= base && power < len(unitLetters) {
		shown /= base
		power++
		if n.precision < 0 {
			places = 1
		}
	} else if n.precision < 0 && places == 1 && math.Abs(shown) >= 10 {
		places = 0
	}
	s := strconv.FormatFloat(shown, 'f', places, 64)
	if power > 0 {
		letter := unitLetters[power-1 : power]
		s += letter
		if n.to == "iec-i" {
			s += "i"
		}
	}
	return s
}

func (n *numfmtRun) pad(s string) string {
	width := n.padding
	left := width < 0
	if left {
		width = -width
	}
	fill := width - len([]rune(s))
	switch {
	case fill <= 0:
		return s
	case left:
		return s + strings.Repeat(" ", fill)
	case n.zeroPad:
		return strings.Repeat("0", fill) + s
	}
	return strings.Repeat(" ", fill) + s
}
