package shell

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

func builtinPrintf(sh *Shell, args []string) int {
	args = args[1:]
	variable := ""
	if len(args) > 1 && args[0] == "-v" {
		variable, args = args[1], args[2:]
		if base, _, _ := cutSubscript(variable); !validName(base) {
			sh.errorf("printf: `%s': not a valid identifier", variable)
			return 2
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return sh.usage("printf", "usage", "printf [-v var] format [arguments]")
	}
	p := Printf{
		Check: sh.process.check, Zone: command.ZoneOf(sh.value("TZ")), Start: sh.start,
		Error: func(text string) { sh.errorf("printf: %s", text) },
	}
	ok := p.Format(args[0], args[1:])
	if variable != "" {
		if base, subscript, element := cutSubscript(variable); element {
			sh.assignElement(base, subscript, p.out.String(), false)
		} else {
			sh.assign(variable, p.out.String())
		}
	} else if status := sh.out("printf", p.out.String()); status != 0 {
		return status
	}
	return command.Status(ok)
}

// Printf formats as printf does. It is also the command of that name.
type Printf struct {
	// Check is called now and then. Error reports an error.
	Check func()
	Error func(string)
	// Start is when the shell has begun.
	Start time.Time
	// Zone is the time zone.
	Zone *time.Location
	out  strings.Builder
	args []string
	ok   bool
	used bool
}

// Format formats arguments, as often as it takes to use them all, and returns whether all were right.
func (p *Printf) Format(format string, args []string) bool {
	p.args, p.ok = args, true
	for {
		p.used = false
		if !p.once(format) || len(p.args) == 0 || !p.used {
			return p.ok
		}
		p.Check()
	}
}

func (p *Printf) fail(format string, args ...any) {
	p.Error(fmt.Sprintf(format, args...))
	p.ok = false
}

func (p *Printf) next() (string, bool) {
	p.used = true
	if len(p.args) == 0 {
		return "", false
	}
	arg := p.args[0]
	p.args = p.args[1:]
	return arg, true
}

// once goes through the format once, and returns whether it may be used again.
func (p *Printf) once(format string) bool {
	for format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			i = len(format)
		}
		text, whole := escapes(format[:i], formats)
		p.out.WriteString(text)
		if !whole {
			p.args = nil
			return false
		}
		if i == len(format) {
			return true
		}
		format = format[i+1:]
		if strings.HasPrefix(format, "%") {
			p.out.WriteByte('%')
			format = format[1:]
			continue
		}
		var ok bool
		if format, ok = p.directive(format); !ok {
			return false
		}
	}
	return true
}

// directive does what follows a "%", and returns the rest.
func (p *Printf) directive(s string) (rest string, ok bool) {
	whole := s
	var flags string
	for s != "" && strings.IndexByte("-+ #0'", s[0]) >= 0 {
		flags += s[:1]
		s = s[1:]
	}
	number := func() (int, bool) {
		if strings.HasPrefix(s, "*") {
			s = s[1:]
			arg, _ := p.next()
			n, _ := strconv.Atoi(arg)
			return n, true
		}
		end := 0
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		n, _ := strconv.Atoi(s[:end])
		given := end > 0
		s = s[end:]
		return n, given
	}
	width, _ := number()
	if width < 0 {
		flags, width = flags+"-", -width
	}
	precision := -1
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		precision, _ = number()
	}
	const most = 1 << 24
	if width > most || precision > most {
		p.fail("%d: field width is too large", max(width, precision))
		return "", false
	}
	if strings.HasPrefix(s, "(") {
		if end := strings.Index(s, ")T"); end > 0 {
			p.time(s[1:end], flags, width, precision)
			return s[end+2:], true
		}
	}
	for s != "" && strings.IndexByte("hlLqjzt", s[0]) >= 0 {
		if s[0] == 'q' && (len(s) == 1 || strings.IndexByte("diouxX", s[1]) < 0) {
			break // it quotes
		}
		s = s[1:]
	}
	if s == "" {
		p.fail("`%%%s': missing format character", whole)
		return "", false
	}
	verb := s[0]
	s = s[1:]
	arg, given := "", true
	if strings.IndexByte("sbqQcdiouxXeEfFgGaA", verb) < 0 {
		p.fail("`%c': invalid format character", verb)
		return "", false
	}
	arg, given = p.next()
	switch verb {
	case 's', 'b', 'q', 'Q', 'c':
		switch verb {
		case 'b':
			text, whole := escapes(arg, percentB)
			if arg = strings.ReplaceAll(strings.ReplaceAll(text, `\'`, "'"), `\"`, `"`); !whole {
				p.pad(arg, flags, width)
				p.args = nil
				return "", false
			}
		case 'q':
			arg = quoteBackslash(arg)
		case 'Q':
			arg = quoteBackslash(arg)
		case 'c':
			if arg != "" {
				arg = arg[:1]
			}
		}
		if precision >= 0 && verb != 'c' && precision < len(arg) {
			arg = arg[:precision]
		}
		p.pad(arg, flags, width)
	case 'd', 'i', 'o', 'u', 'x', 'X':
		p.integer(verb, arg, given, flags, width, precision)
	default:
		p.float(verb, arg, given, flags, width, precision)
	}
	return s, true
}

func (p *Printf) pad(s, flags string, width int) {
	spaces := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if strings.Contains(flags, "-") {
		p.out.WriteString(s + spaces)
		return
	}
	p.out.WriteString(spaces + s)
}

// character reads 'x, which stands for the number of a character.
func character(arg string) (int64, bool) {
	if len(arg) > 0 && (arg[0] == '\'' || arg[0] == '"') {
		r, size := utf8.DecodeRuneInString(arg[1:])
		if r == utf8.RuneError && size == 1 {
			r = rune(arg[1])
		}
		if size == 0 {
			r = 0
		}
		return int64(r), true
	}
	return 0, false
}

func (p *Printf) integer(verb byte, arg string, given bool, flags string, width, precision int) {
	n, quoted := character(arg)
	if !quoted && given {
		s := strings.TrimLeft(arg, " \t\n")
		end := 0
		if end < len(s) && (s[0] == '-' || s[0] == '+') {
			end++
		}
		hex := strings.HasPrefix(strings.ToLower(s[end:]), "0x")
		octal := !hex && end < len(s) && s[end] == '0'
		if hex {
			end += 2
		}
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' && (!octal || s[end] < '8') || hex && isHex(s[end])) {
			end++
		}
		var err error
		if n, err = strconv.ParseInt(strings.TrimPrefix(s[:end], "+"), 0, 64); errors.Is(err, strconv.ErrRange) {
			if verb == 'd' || verb == 'i' {
				p.warn(arg) // it is the nearest number
			} else {
				u, failure := strconv.ParseUint(strings.TrimLeft(s[:end], "+-"), 0, 64)
				if n = int64(u); failure != nil {
					p.warn(arg)
				} else if s[0] == '-' {
					n = -n
				}
			}
		}
		switch {
		case end < len(s) && octal:
			p.fail("%s: invalid octal number", arg)
		case end < len(s) || s == "" || end == 1 && (s[0] == '-' || s[0] == '+'):
			if s != "" || arg != "" {
				p.fail("%s: invalid number", arg)
			}
		}
	}
	var digits string
	negative := false
	switch verb {
	case 'd', 'i':
		digits = strconv.FormatInt(n, 10)
		if negative = n < 0; negative {
			digits = digits[1:]
		}
	case 'u':
		digits = strconv.FormatUint(uint64(n), 10)
	case 'o':
		digits = strconv.FormatUint(uint64(n), 8)
		if strings.Contains(flags, "#") && digits[0] != '0' {
			digits = "0" + digits
		}
	default:
		digits = strconv.FormatUint(uint64(n), 16)
	}
	if precision == 0 && n == 0 && !(verb == 'o' && strings.Contains(flags, "#")) {
		digits = ""
	}
	if precision > len(digits) {
		digits = strings.Repeat("0", precision-len(digits)) + digits
	}
	prefix := ""
	switch {
	case negative:
		prefix = "-"
	case (verb == 'd' || verb == 'i') && strings.Contains(flags, "+"):
		prefix = "+"
	case (verb == 'd' || verb == 'i') && strings.Contains(flags, " "):
		prefix = " "
	case (verb == 'x' || verb == 'X') && strings.Contains(flags, "#") && n != 0:
		prefix = "0x"
	}
	if strings.Contains(flags, "0") && !strings.Contains(flags, "-") && precision < 0 {
		digits = strings.Repeat("0", max(0, width-len(prefix)-len(digits))) + digits
	}
	s := prefix + digits
	if verb == 'X' {
		s = strings.ToUpper(s)
	}
	p.pad(s, flags, width)
}

func (p *Printf) warn(arg string) {
	p.Error(arg + ": Numerical result out of range")
}

func (p *Printf) float(verb byte, arg string, given bool, flags string, width, precision int) {
	n, quoted := character(arg)
	f := float64(n)
	if !quoted && given && arg != "" {
		s := strings.TrimSpace(arg)
		end := len(s)
		for ; end > 0; end-- {
			var err error
			if f, err = strconv.ParseFloat(s[:end], 64); err == nil || errors.Is(err, strconv.ErrRange) {
				break
			}
		}
		if end < len(s) || s == "" {
			p.fail("%s: invalid number", arg)
		}
		if end == 0 {
			f = 0
		}
	}
	format := "%"
	for _, flag := range []string{"-", "+", " ", "#", "0"} {
		if strings.Contains(flags, flag) && !(flag == "0" && math.IsInf(f, 0)) {
			format += flag
		}
	}
	if width > 0 {
		format += strconv.Itoa(width)
	}
	if precision < 0 && verb != 'a' && verb != 'A' {
		precision = 6
	}
	if precision >= 0 {
		format += "." + strconv.Itoa(precision)
	}
	upper := verb == 'E' || verb == 'F' || verb == 'G' || verb == 'A'
	verb |= 0x20
	if verb == 'a' {
		verb = 'x'
	}
	var s string
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		text := strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
		if strings.Contains(flags, "+") && text[0] != '-' {
			text = "+" + text
		}
		b := Printf{}
		b.pad(text, flags, width)
		s = b.out.String()
	case verb == 'g':
		// Go pads exponents to two digits, too, but its %g without a precision is another one.
		s = fmt.Sprintf(format+"g", f)
	default:
		s = fmt.Sprintf(format+string(verb), f)
	}
	if upper {
		s = strings.ToUpper(s)
	}
	p.out.WriteString(s)
}

// time does %(...)T.
func (p *Printf) time(format, flags string, width, precision int) {
	arg, given := p.next()
	at := time.Now()
	if n, err := strconv.ParseInt(arg, 10, 64); given && err == nil && n >= 0 {
		at = time.Unix(n, 0)
	} else if given && n == -2 {
		at = p.Start
	}
	if format == "" {
		format = "%X"
	}
	text := command.FormatTime(at.In(p.Zone), format)
	if precision >= 0 && precision < len(text) {
		text = text[:precision]
	}
	p.pad(text, flags, width)
}
