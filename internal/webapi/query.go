package webapi

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/utf8text"
)

// ParseQuery parses application/x-www-form-urlencoded text, the query of a URL without its question mark. It returns names
// and values by turns. Bytes that are not UTF-8 become U+FFFD.
//
// See https://url.spec.whatwg.org/#concept-urlencoded-parser
func ParseQuery(query string) []string {
	list := []string{}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, unescape(name), unescape(value))
	}
	return list
}

func unescape(s string) string {
	if !strings.ContainsAny(s, "+%") {
		return utf8text.Valid(s)
	}
	data := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(s) {
			if b, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c = byte(b)
				i += 2
			}
		}
		data = append(data, c)
	}
	return utf8text.Valid(string(data))
}

// FormatQuery writes names and values, by turns, as application/x-www-form-urlencoded text.
//
// See https://url.spec.whatwg.org/#concept-urlencoded-serializer
func FormatQuery(list []string) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case i%2 == 1:
			b.WriteByte('=')
		case i > 0:
			b.WriteByte('&')
		}
		escape(&b, s)
	}
	return b.String()
}

func escape(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '*', c == '-', c == '.', c == '_':
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('+')
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
}

// SplitText takes a text apart whose parts have the given lengths, decimal numbers of UTF-16 code units with commas
// between. It is false if they are not the lengths of the whole text.
func SplitText(text, lengths string) (parts []string, ok bool) {
	for number := range strings.SplitSeq(lengths, ",") {
		length, err := strconv.Atoi(number)
		if err != nil || length < 0 {
			return nil, false
		}
		end := 0
		for end < len(text) && length > 0 {
			r, size := utf8.DecodeRuneInString(text[end:])
			length -= utf16.RuneLen(r)
			end += size
		}
		if length != 0 {
			return nil, false
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return parts, text == ""
}
