package awk

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatG formats as C's %g does.
func formatG(n float64, precision int, keepZeros bool) []byte {
	if precision == 0 {
		precision = 1
	}
	if n == 0 {
		if math.Signbit(n) {
			return []byte("-0")
		}
		return []byte("0")
	}
	b := strconv.AppendFloat(nil, n, 'e', precision-1, 64)
	at := len(b) - 1
	for b[at] != 'e' {
		at--
	}
	exponent, _ := strconv.Atoi(string(b[at+1:]))
	if exponent >= -4 && exponent < precision {
		b = strconv.AppendFloat(b[:0], n, 'f', precision-1-exponent, 64)
		if !keepZeros {
			b = trimZeros(b)
		}
		return b
	}
	if !keepZeros {
		return append(trimZeros(append([]byte{}, b[:at]...)), b[at:]...)
	}
	return b
}

func trimZeros(b []byte) []byte {
	if strings.IndexByte(string(b), '.') < 0 {
		return b
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

// maxWidth is the largest width and precision, as a bound on what a format can make of nothing.
const maxWidth = 1 << 20

// formatValues formats as printf does. It panics if there are too few values.
func formatValues(format string, args []value, convfmt string) string {
	var b strings.Builder
	next := 0
	arg := func() value {
		if next >= len(args) {
			panic(fatal("not enough arguments to satisfy format string\n\t`" + format + "'"))
		}
		next++
		return args[next-1]
	}
	for i := 0; i < len(format); i++ {
		percent := strings.IndexByte(format[i:], '%')
		if percent < 0 {
			b.WriteString(format[i:])
			break
		}
		b.WriteString(format[i : i+percent])
		i += percent
		from := i
		i++
		var f flags
		f.precision = -1
	flag:
		for ; i < len(format); i++ {
			switch format[i] {
			case '-':
				f.left = true
			case '+':
				f.plus = true
			case ' ':
				f.space = true
			case '#':
				f.alternate = true
			case '0':
				f.zero = true
			case '\'':
				f.group = true
			default:
				break flag
			}
		}
		count := func() (int, bool) {
			if i < len(format) && format[i] == '*' {
				i++
				return int(math.Max(-maxWidth, math.Min(maxWidth, arg().num()))), true
			}
			n, any := 0, false
			for i < len(format) && isDigit(format[i]) {
				n = min(n*10+int(format[i]-'0'), maxWidth)
				i++
				any = true
			}
			return n, any
		}
		width, _ := count()
		if i < len(format) && format[i] == '$' {
			// %2$s names an argument.
			if width > len(args) || width == 0 {
				panic(fatal("arg count with `$' must be > 0 and not more than the number of arguments"))
			}
			next = width - 1
			i++
			for i < len(format) && strings.IndexByte("-+ #0'", format[i]) >= 0 {
				f.left = f.left || format[i] == '-'
				f.zero = f.zero || format[i] == '0'
				i++
			}
			width, _ = count()
		}
		if width < 0 {
			f.left, width = true, -width
		}
		f.width = width
		if i < len(format) && format[i] == '.' {
			i++
			f.precision, _ = count()
		}
		for i < len(format) && strings.IndexByte("hlLqjzt", format[i]) >= 0 && i+1 < len(format) &&
			isLetter(format[i+1]) {
			i++
		}
		if i >= len(format) {
			b.WriteString(format[from:])
			break
		}
		switch verb := format[i]; verb {
		case '%':
			b.WriteByte('%')
		case 'c':
			b.WriteString(f.pad(character(arg())))
		case 's':
			s := arg().str(convfmt)
			if f.precision >= 0 {
				s = firstRunes(s, f.precision)
			}
			b.WriteString(f.pad(s))
		case 'd', 'i', 'o', 'x', 'X', 'u', 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
			b.WriteString(f.number(verb, arg().num()))
		default:
			b.WriteString(format[from : i+1])
		}
	}
	return b.String()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func character(v value) string {
	v = v.decide()
	if v.kind == number || v.kind == numeric {
		n := v.num()
		if n < 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
			return string([]byte{byte(int64(n))})
		}
		return string(rune(n))
	}
	if v.s == "" {
		return "\x00"
	}
	_, size := utf8.DecodeRuneInString(v.s)
	return v.s[:size]
}

func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

type flags struct {
	left, plus, space, alternate, zero, group bool
	width, precision                          int
}

func (f flags) pad(s string) string {
	n := f.width - utf8.RuneCountInString(s)
	if n <= 0 {
		return s
	}
	if f.left {
		return s + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + s
}

// number formats a number.
func (f flags) number(verb byte, n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		f.zero = false
		return f.pad(oddText(n))
	}
	sign := ""
	var s string
	switch verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		n = math.Trunc(n)
		if n < 0 && strings.IndexByte("uoxX", verb) >= 0 {
			// Negative numbers have no such form.
			g := f
			g.precision = -1
			return g.number('d', n)
		}
		if n < 0 {
			sign, n = "-", -n
		}
		base := map[byte]int{'o': 8, 'x': 16, 'X': 16}[verb]
		switch {
		case base != 0 && n < 1<<63:
			s = strconv.FormatUint(uint64(n), base)
			if verb == 'X' {
				s = strings.ToUpper(s)
			}
			if f.alternate && n != 0 {
				sign = map[byte]string{'o': "0", 'x': "0x", 'X': "0X"}[verb]
			}
		case n < 1<<63:
			s = strconv.FormatInt(int64(n), 10)
		default:
			s = wholeText(n)
		}
		if f.precision >= 0 {
			f.zero = false
			if len(s) < f.precision {
				s = strings.Repeat("0", f.precision-len(s)) + s
			}
			if f.precision == 0 && n == 0 && !(f.alternate && verb == 'o') {
				s = ""
			}
		}
	default:
		if math.Signbit(n) {
			sign, n = "-", -n
		}
		if f.precision < 0 && verb|0x20 != 'a' {
			f.precision = 6
		}
		switch verb | 0x20 {
		case 'g':
			s = string(formatG(n, f.precision, f.alternate))
		case 'a':
			s = strconv.FormatFloat(n, 'x', f.precision, 64)
		default:
			s = strconv.FormatFloat(n, verb|0x20, f.precision, 64)
		}
		if verb < 'a' {
			s = strings.ToUpper(s)
		}
	}
	if sign == "" {
		if f.plus {
			sign = "+"
		} else if f.space {
			sign = " "
		}
	}
	if strings.IndexByte("uoxX", verb) >= 0 && (sign == "+" || sign == " ") {
		sign = ""
	}
	if f.zero && !f.left {
		if n := f.width - len(s) - len(sign); n > 0 {
			s = strings.Repeat("0", n) + s
		}
	}
	return f.pad(sign + s)
}
