package shell

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// dialect says whose escapes are read.
type dialect int

const (
	dollarQuotes dialect = iota // $'...'
	echoEscapes                 // echo -e
	percentB                    // %b, where octal numbers need no 0
	formats                     // the format of printf
)

// escapes replaces escapes with what they stand for. It returns false if \c has ended the text.
func escapes(s string, d dialect) (string, bool) {
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := func(from, most int, hex bool) (uint64, int) {
			end := from
			for end < len(s) && end < from+most && (s[end] >= '0' && s[end] <= '7' || hex && isHex(s[end])) {
				end++
			}
			base := 8
			if hex {
				base = 16
			}
			n, _ := strconv.ParseUint(s[from:end], base, 64)
			return n, end - from
		}
		switch c := s[i]; c {
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '\\':
			b.WriteByte('\\')
		case '\'', '"', '?':
			if d == echoEscapes || d == percentB || d == formats && c == '\'' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			from, most := i, 3
			if d == echoEscapes {
				if c != '0' {
					b.WriteByte('\\')
					b.WriteByte(c)
					continue
				}
				from++
			}
			if d == percentB && c == '0' {
				from++
			}
			n, size := digits(from, most, false)
			i = from + size - 1
			if d == dollarQuotes && n&0xff == 0 {
				return b.String(), true
			}
			b.WriteByte(byte(n))
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n, size := digits(i+1, most, true)
			if size == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			i += size
			if c == 'x' {
				b.WriteByte(byte(n))
			} else {
				b.WriteString(string(rune(n)))
			}
		case 'c':
			if d != dollarQuotes {
				return b.String(), false
			}
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i] & 0x1f)
			}
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func errorText(err error) string { return command.Text(err) }

// quote quotes a text as ${x@Q} does.
func quote(s string) string {
	if needsDollar(s) {
		return dollarQuote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quoteTrace quotes a text as "set -x" and "set" do: only if that is needed.
func quoteTrace(s string) string {
	switch {
	case s == "":
		return "''"
	case needsDollar(s):
		return dollarQuote(s)
	case strings.ContainsAny(s, " \t\n|&;<>()$`\"'\\*?[]{}!^=") || s[0] == '~' || s[0] == '#':
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// quoteBackslash quotes a text as printf %q does.
func quoteBackslash(s string) string {
	if s == "" {
		return "''"
	}
	if needsDollar(s) {
		return dollarQuote(s)
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(" \t\n|&;<>()$`\"'\\*?[]{}!^,", s[i]) >= 0 || i == 0 && (s[0] == '~' || s[0] == '#') {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// quoteDouble quotes a text as declare -p does.
func quoteDouble(s string) string {
	if needsDollar(s) {
		return dollarQuote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if strings.IndexByte("\"$`\\", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// needsDollar says whether a text has characters that are written as escapes.
func needsDollar(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r > utf8.RuneSelf && !unicode.IsPrint(r) {
			return true
		}
	}
	return false
}

func dollarQuote(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		part := s[i : i+size]
		i += size
		switch {
		case r == '\'' || r == '\\':
			b.WriteString("\\" + part)
		case r == 0x1b:
			b.WriteString(`\E`)
		case size == 1 && strings.IndexByte("\a\b\t\n\v\f\r", part[0]) >= 0:
			b.WriteString("\\" + string("abtnvfr"[strings.IndexByte("\a\b\t\n\v\f\r", part[0])]))
		case r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1:
			c := part[0]
			b.WriteString("\\" + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteString(part)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
