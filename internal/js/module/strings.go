package module

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the value of a JavaScript string, which s contains with its quotes. Lone surrogates become U+FFFD. It
// returns false for an escape that modules do not permit.
func unquote(s string) (string, bool) {
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s, true
	}
	var out strings.Builder
	high := rune(-1) // the first half of a surrogate pair
	write := func(r rune) {
		if high >= 0 {
			if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
				out.WriteRune(pair)
				high = -1
				return
			}
			out.WriteRune(utf8.RuneError)
			high = -1
		}
		if r >= 0xD800 && r < 0xDC00 {
			high = r
			return
		}
		out.WriteRune(r) // turns a lone surrogate into U+FFFD
	}
	for s != "" {
		if s[0] != '\\' {
			r, n := utf8.DecodeRuneInString(s)
			write(r)
			s = s[n:]
			continue
		}
		s = s[1:]
		if s == "" {
			return "", false
		}
		if n := lineBreak(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		digits := 0
		switch {
		case r == 'x':
			digits = 2
		case r == 'u' && strings.HasPrefix(s, "{"):
			text, rest, ok := strings.Cut(s[1:], "}")
			code, err := strconv.ParseUint(text, 16, 32)
			if !ok || err != nil || code > utf8.MaxRune {
				return "", false
			}
			s = rest
			write(rune(code))
			continue
		case r == 'u':
			digits = 4
		case r == '0' && (s == "" || !isDigit(s[0])):
			r = 0
		case r >= '0' && r <= '9':
			return "", false
		default:
			if i := strings.IndexRune("bfnrtv", r); i >= 0 {
				r = rune("\b\f\n\r\t\v"[i])
			}
		}
		if digits > 0 {
			if len(s) < digits {
				return "", false
			}
			code, err := strconv.ParseUint(s[:digits], 16, 32)
			if err != nil {
				return "", false
			}
			r, s = rune(code), s[digits:]
		}
		write(r)
	}
	if high >= 0 {
		out.WriteRune(utf8.RuneError)
	}
	return out.String(), true
}
