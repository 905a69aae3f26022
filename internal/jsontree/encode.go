package jsontree

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Marshal encodes a value as json.Marshal does, but leaves <, > and & unescaped for people and models. What has a
// method EncodeJSON, which does the same, is encoded by that alone.
func Marshal(value any) (json.RawMessage, error) {
	if own, ok := value.(interface {
		EncodeJSON() (json.RawMessage, error)
	}); ok {
		return own.EncodeJSON()
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendText appends a text as Marshal has it within a string, without the quotes, a part at a time: a long one takes
// no more memory than it has there.
func AppendText(to []byte, text string) []byte {
	const most = 64 << 10
	for text != "" {
		n := min(len(text), most)
		for n < len(text) && n > most-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		part, _ := Marshal(text[:n]) // strings do not fail
		to = append(to, part[1:len(part)-1]...)
		text = text[n:]
	}
	return to
}

// AppendString appends a string as JSON. Each byte that is not UTF-8 becomes U+FFFD, as in package encoding/json.
func AppendString(to []byte, s string) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	from := 0
	for i, size := 0, 1; i < len(s); i += size {
		c := s[i]
		size = 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				continue
			}
		} else if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, s[from:i]...)
		from = i + 1
		switch {
		case c >= utf8.RuneSelf:
			to = utf8.AppendRune(to, utf8.RuneError)
		case c < ' ':
			to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			to = append(to, '\\', c)
		}
	}
	return append(append(to, s[from:]...), '"')
}

// Time returns the nearest time that package json can encode: files can have years before 0 and after 9999, which
// it refuses.
func Time(t time.Time) time.Time {
	switch t = t.UTC(); {
	case t.Year() < 0:
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case t.Year() > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	}
	return t
}
