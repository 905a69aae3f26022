package text

import (
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var seq = &command.Command{
	Name:     "seq",
	Operands: "[OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST",
	Summary:  "Print numbers from FIRST to LAST, in steps of INCREMENT.",
	Options: []command.Option{
		{Short: 'f', Long: "format", Arg: "FORMAT", Help: "use printf style floating-point FORMAT"},
		{Short: 's', Long: "separator", Arg: "STRING", Help: "use STRING to separate numbers (default: \\n)"},
		{Short: 'w', Long: "equal-width", Help: "equalize width by padding with leading zeroes"},
	},
	Raw: true,
	Run: runSeq,
}

func runSeq(c *command.Context) int {
	format, separator, equal := "", "\n", false
	var operands []string
	// Operands can be negative numbers, so that the options are read here.
	args := c.Args
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		value := func(long string) (string, bool) {
			if v, ok := strings.CutPrefix(arg, "--"+long+"="); ok {
				return v, true
			}
			if arg == "--"+long || arg == "-"+long[:1] {
				if len(args) == 0 {
					return "", false
				}
				v := args[0]
				args = args[1:]
				return v, true
			}
			if len(arg) > 2 && arg[1] == long[0] && arg[0] == '-' {
				return arg[2:], true
			}
			return "", false
		}
		switch {
		case arg == "--":
			operands = append(operands, args...)
			args = nil
		case arg == "-w" || arg == "--equal-width":
			equal = true
		case len(arg) > 1 && arg[0] == '-' && strings.IndexByte("0123456789.", arg[1]) < 0 && !strings.HasPrefix(arg,
			"-inf"):
			if v, ok := value("separator"); ok {
				separator = v
			} else if v, ok := value("format"); ok {
				format = v
			} else if strings.HasPrefix(arg, "--") {
				return c.Usage("unrecognized option '%s'", arg)
			} else {
				return c.Usage("invalid option -- '%c'", arg[1])
			}
		default:
			operands = append(operands, arg)
		}
	}
	switch {
	case len(operands) == 0:
		return c.Missing()
	case len(operands) > 3:
		return c.Extra(operands[3])
	}
	var numbers []number
	for _, s := range operands {
		n, ok := parseNumber(s)
		if !ok {
			return c.Usage("invalid floating point argument: %s", command.QuoteText(s))
		}
		numbers = append(numbers, n)
	}
	first, step, last := number{value: 1, text: "1"}, number{value: 1, text: "1"}, numbers[len(numbers)-1]
	if len(numbers) > 1 {
		first = numbers[0]
	}
	if len(numbers) > 2 {
		step = numbers[1]
	}
	if step.value == 0 {
		return c.Usage("invalid Zero increment value: %s", command.QuoteText(operands[1]))
	}
	if format != "" && !strings.Contains(format, "%") {
		c.Errorf("format %s has no %% directive", command.QuoteText(format))
		return 1
	}
	return printSeq(c, first, step, last, format, separator, equal)
}

// number is a number and how many digits it has after its point.
type number struct {
	value  float64
	places int
	text   string
}

func parseNumber(s string) (number, bool) {
	s = strings.TrimLeft(s, " \t")
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) {
		return number{}, false
	}
	n := number{value: f, text: strings.TrimPrefix(s, "+")}
	if i := strings.IndexByte(s, '.'); i >= 0 && !strings.ContainsAny(s, "eExX") {
		n.places = len(s) - i - 1
	}
	return n, true
}

func printSeq(c *command.Context, first, step, last number, format, separator string, equal bool) int {
	places := max(first.places, step.places)
	width := 0
	if equal {
		for _, f := range []float64{first.value, last.value} {
			width = max(width, len(strconv.FormatFloat(f, 'f', places, 64)))
		}
	}
	show := func(f float64) string {
		if format != "" {
			return command.FormatFloat(format, f)
		}
		s := strconv.FormatFloat(f, 'f', places, 64)
		if s == "-0" {
			s = "-0"
		}
		if len(s) < width {
			sign := ""
			if s[0] == '-' {
				sign, s = "-", s[1:]
			}
			s = sign + strings.Repeat("0", width-len(sign)-len(s)) + s
		}
		return s
	}
	out := c.Output()
	some := false
	whole := func(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<52 }
	if format == "" && places == 0 && !equal && whole(first.value) && whole(step.value) {
		// Most are whole numbers, which are faster.
		var b []byte
		for n, by := int64(first.value), int64(step.value); by > 0 && float64(n) <= last.value || by < 0 &&
			float64(n) >= last.value; n += by {
			if some {
				b = append(b, separator...)
			}
			some = true
			if b = strconv.AppendInt(b, n, 10); len(b) > 4096 {
				if _, err := out.Write(b); err != nil {
					return 1
				}
				b = b[:0]
			}
		}
		_, _ = out.Write(b)
		if some {
			_ = out.WriteByte('\n')
		}
		return command.Status(out.Flush() == nil)
	}
	for i := 0; ; i++ {
		// Whole numbers of steps, so that errors do not add up.
		f := first.value + float64(i)*step.value
		slack := math.Abs(step.value) * 1e-9
		if step.value > 0 && f > last.value+slack || step.value < 0 && f < last.value-slack {
			break
		}
		if some {
			_, _ = out.WriteString(separator)
		}
		some = true
		if _, err := out.WriteString(show(f)); err != nil {
			return 1
		}
	}
	if some {
		_ = out.WriteByte('\n')
	}
	return command.Status(out.Flush() == nil)
}
