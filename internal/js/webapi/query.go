package webapi

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// ParseQuery parses application/x-www-form-urlencoded text: the query of a URL without its question mark. It calls
// pair with each name and value, with U+FFFD for invalid UTF-8. The error is that of pair or work.
//
// See https://url.spec.whatwg.org/#concept-urlencoded-parser
func ParseQuery(query string, work Work, pair func(name, value string) error) error {
	for both := range strings.SplitSeq(query, "&") {
		if err := work(1 + len(both)); err != nil {
			return err
		}
		if both == "" {
			continue
		}
		name, value, _ := strings.Cut(both, "=")
		if err := pair(unescape(name), unescape(value)); err != nil {
			return err
		}
	}
	return nil
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

// ErrLengths means that the lengths of names and values do not match the text.
var ErrLengths = errors.New("not the lengths of the parts of the text")

// FormatQuery writes alternating names and values as application/x-www-form-urlencoded text. They are concatenated
// in text; lengths has their lengths as decimal numbers of UTF-16 code units, separated by commas. The error is
// [ErrLengths] if the lengths do not cover the whole text, or that of work.
//
// See https://url.spec.whatwg.org/#concept-urlencoded-serializer
func FormatQuery(text, lengths string, work Work) (string, error) {
	size := len(lengths)/2 + 2
	for rest := text; rest != ""; {
		part := rest[:min(len(rest), queryPart)]
		if err := work(len(part)); err != nil {
			return "", err
		}
		size += escapedSize(part)
		rest = rest[len(part):]
	}
	var b strings.Builder
	b.Grow(size)
	i := 0
	for number := range strings.SplitSeq(lengths, ",") {
		length, err := strconv.Atoi(number)
		if err != nil || length < 0 {
			return "", ErrLengths
		}
		end := 0
		for end < len(text) && length > 0 {
			r, size := utf8.DecodeRuneInString(text[end:])
			length -= utf16.RuneLen(r)
			end += size
		}
		if length != 0 {
			return "", ErrLengths
		}
		if err := work(1 + len(number) + end); err != nil {
			return "", err
		}
		switch {
		case i%2 == 1:
			b.WriteByte('=')
		case i > 0:
			b.WriteByte('&')
		}
		escape(&b, text[:end])
		text = text[end:]
		i++
	}
	if text != "" {
		return "", ErrLengths
	}
	return b.String(), nil
}

// queryPart is how many bytes are measured without a pause.
const queryPart = 64 << 10

// escapedSize returns how many bytes escape writes.
func escapedSize(s string) int {
	size := len(s)
	for i := range len(s) {
		if !isPlain(s[i]) && s[i] != ' ' {
			size += 2
		}
	}
	return size
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '*' || c == '-' || c == '.' || c == '_'
}

func escape(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case isPlain(c):
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
