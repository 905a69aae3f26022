package jsontree

import (
	"bytes"
	"encoding/json"
	"strings"
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

// AppendString appends a string as Marshal has it.
func AppendString(to []byte, s string) []byte { return append(AppendText(append(to, '"'), s), '"') }

// AppendText appends a text as Marshal has it within a string, without the quotes.
func AppendText(to []byte, text string) []byte {
	const short, digits = "\"\\\b\f\n\r\t", "0123456789abcdef"
	from := 0
	for i, size := 0, 1; i < len(text); i += size {
		r := rune(text[i])
		if size = 1; r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			if (r != utf8.RuneError || size > 1) && r != '\u2028' && r != '\u2029' {
				continue
			}
		} else if r >= ' ' && r != '"' && r != '\\' {
			continue
		}
		to = append(append(to, text[from:i]...), '\\')
		from = i + size
		if at := strings.IndexByte(short, byte(r)); at >= 0 {
			to = append(to, `"\bfnrt`[at])
		} else {
			to = append(to, 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		}
	}
	return append(to, text[from:]...)
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
