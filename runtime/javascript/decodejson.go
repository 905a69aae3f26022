package javascript

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/webapi"
)

// JSON from a guest is decoded as package encoding/json decodes it into an any, except that marks become bytes, that
// the memory is limited, and that decoding can be stopped at any time.

// maxJSONDepth is how deep JSON may be nested: as deep as encoding/json decodes.
const maxJSONDepth = 10_000

var (
	errJSON  = errors.New("not valid JSON, or numbers that are too large")
	errBytes = errors.New("a reference to bytes that are not there")
	errLarge = errors.New("too many values, or too large")
)

// About how many bytes of memory values take, beside the texts in them.
const (
	valueSize  = 48
	listSize   = 64
	objectSize = 400
)

type jsonOptions struct {
	mark string // the prefix of strings that stand for bytes; empty if none do
	data []byte // the bytes
	room int    // how much memory the value and data may take, in bytes
	work webapi.Work
}

// decodeJSON decodes a JSON text, and returns about how many bytes of memory the value and data take. The error is
// errJSON, errBytes, errLarge or the error of work.
func decodeJSON(text string, options jsonOptions) (value any, size int, err error) {
	d := jsonDecoder{jsonOptions: options, text: text, left: len(options.data)}
	if err := d.take(len(text) + len(options.data)); err != nil {
		return nil, 0, err
	}
	if value, err = d.value(0); err == nil {
		err = d.space()
	}
	if err == nil && d.at < len(text) {
		err = errJSON
	}
	if err != nil {
		return nil, 0, err
	}
	return value, d.size, nil
}

type jsonDecoder struct {
	jsonOptions
	text string
	at   int // where the next token is
	paid int // up to where work has been asked
	size int // memory that is taken, in bytes
	// left is how many bytes may still be copied: an honest prelude refers to each byte once, but a script could make
	// many marks for the same bytes.
	left int
}

// take counts memory.
func (d *jsonDecoder) take(bytes int) error {
	if d.size += bytes; d.size > d.room {
		return errLarge
	}
	return nil
}

// pay counts the text read so far as work, in pieces.
func (d *jsonDecoder) pay() error {
	if d.at-d.paid < quickjs.PieceSize && d.at < len(d.text) {
		return nil
	}
	bytes := d.at - d.paid
	d.paid = d.at
	return d.work(bytes)
}

// space skips to the next token.
func (d *jsonDecoder) space() error {
	for ; d.at < len(d.text); d.at++ {
		if d.at-d.paid >= quickjs.PieceSize {
			if err := d.pay(); err != nil {
				return err
			}
		}
		if c := d.text[d.at]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			break
		}
	}
	return d.pay()
}

// next skips to the next token and returns its first byte, or 0 at the end.
func (d *jsonDecoder) next() (byte, error) {
	if err := d.space(); err != nil {
		return 0, err
	}
	if d.at == len(d.text) {
		return 0, nil
	}
	return d.text[d.at], nil
}

func (d *jsonDecoder) value(depth int) (any, error) {
	c, err := d.next()
	if err != nil {
		return nil, err
	}
	switch {
	case c == '{' || c == '[':
		if depth >= maxJSONDepth {
			return nil, errJSON
		}
		d.at++
		if c == '[' {
			return d.list(depth + 1)
		}
		return d.object(depth + 1)
	case c == '"':
		s, err := d.string()
		if err != nil {
			return nil, err
		}
		if place, ok := strings.CutPrefix(s, d.mark); ok && d.mark != "" {
			return d.bytes(place)
		}
		return s, nil
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	word, value := "null", any(nil)
	if c == 't' {
		word, value = "true", true
	} else if c == 'f' {
		word, value = "false", false
	}
	if !strings.HasPrefix(d.text[d.at:], word) {
		return nil, errJSON
	}
	d.at += len(word)
	return value, nil
}

func (d *jsonDecoder) list(depth int) (any, error) {
	list := []any{}
	if err := d.take(listSize); err != nil {
		return nil, err
	}
	for {
		c, err := d.next()
		if err != nil {
			return nil, err
		}
		if c == ']' && len(list) == 0 {
			d.at++
			return list, nil
		}
		value, err := d.value(depth)
		if err == nil {
			err = d.take(valueSize)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		switch c, err = d.next(); {
		case err != nil:
			return nil, err
		case c == ']':
			d.at++
			return list, nil
		case c != ',':
			return nil, errJSON
		}
		d.at++
	}
}

func (d *jsonDecoder) object(depth int) (any, error) {
	object := map[string]any{}
	if err := d.take(objectSize); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		c, err := d.next()
		if err != nil {
			return nil, err
		}
		if c == '}' && first {
			d.at++
			return object, nil
		}
		if c != '"' {
			return nil, errJSON
		}
		name, err := d.string()
		if err == nil {
			err = d.take(valueSize)
		}
		if err != nil {
			return nil, err
		}
		if c, err = d.next(); err != nil {
			return nil, err
		} else if c != ':' {
			return nil, errJSON
		}
		d.at++
		if object[name], err = d.value(depth); err != nil {
			return nil, err
		}
		switch c, err = d.next(); {
		case err != nil:
			return nil, err
		case c == '}':
			d.at++
			return object, nil
		case c != ',':
			return nil, errJSON
		}
		d.at++
	}
}

// number parses a number by JSON's grammar, which is narrower than Go's.
func (d *jsonDecoder) number() (any, error) {
	start := d.at
	if d.text[d.at] == '-' {
		d.at++
	}
	whole := d.at
	if d.digits() == 0 || d.text[whole] == '0' && d.at > whole+1 {
		return nil, errJSON
	}
	if d.at < len(d.text) && d.text[d.at] == '.' {
		d.at++
		if d.digits() == 0 {
			return nil, errJSON
		}
	}
	if d.at < len(d.text) && d.text[d.at]|0x20 == 'e' {
		d.at++
		if d.at < len(d.text) && (d.text[d.at] == '+' || d.text[d.at] == '-') {
			d.at++
		}
		if d.digits() == 0 {
			return nil, errJSON
		}
	}
	n, err := strconv.ParseFloat(d.text[start:d.at], 64)
	if err != nil {
		return nil, errJSON
	}
	return n, nil
}

// digits skips digits and returns their number.
func (d *jsonDecoder) digits() int {
	start := d.at
	for d.at < len(d.text) && d.text[d.at] >= '0' && d.text[d.at] <= '9' {
		d.at++
	}
	return d.at - start
}

// string reads a string that begins at the current quote.
func (d *jsonDecoder) string() (string, error) {
	d.at++
	var decoded []byte
	start := d.at // of the part not in decoded yet
	for d.at < len(d.text) {
		if d.at-d.paid >= quickjs.PieceSize {
			if err := d.pay(); err != nil {
				return "", err
			}
		}
		switch c := d.text[d.at]; {
		case c == '"':
			rest := d.text[start:d.at]
			d.at++
			if decoded == nil {
				return strings.Clone(rest), nil // so that it does not keep all of the text alive
			}
			return string(append(decoded, rest...)), nil
		case c < ' ':
			return "", errJSON
		case c == '\\':
			decoded = append(decoded, d.text[start:d.at]...)
			r, ok := d.escape()
			if !ok {
				return "", errJSON
			}
			decoded = utf8.AppendRune(decoded, r)
			start = d.at
		case c < utf8.RuneSelf:
			d.at++
		default:
			r, n := utf8.DecodeRuneInString(d.text[d.at:])
			if r == utf8.RuneError && n == 1 {
				decoded = utf8.AppendRune(append(decoded, d.text[start:d.at]...), r)
				start = d.at + 1
			}
			d.at += n
		}
	}
	return "", errJSON
}

// escape reads an escape sequence. Half of a pair is U+FFFD.
func (d *jsonDecoder) escape() (rune, bool) {
	if d.at+1 >= len(d.text) {
		return 0, false
	}
	c := d.text[d.at+1]
	if c == 'u' {
		r, ok := unitAt(d.text[d.at:])
		if !ok {
			return 0, false
		}
		d.at += 6
		if utf16.IsSurrogate(r) {
			second, ok := unitAt(d.text[d.at:])
			if r = utf16.DecodeRune(r, second); ok && r != utf8.RuneError {
				d.at += 6
			} else {
				r = utf8.RuneError
			}
		}
		return r, true
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return 0, false
	}
	d.at += 2
	return rune("\"\\/\b\f\n\r\t"[i]), true
}

// unitAt reads the sequence \uXXXX at the beginning of a text.
func unitAt(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// bytes copies the bytes that a mark refers to.
func (d *jsonDecoder) bytes(place string) ([]byte, error) {
	first, second, _ := strings.Cut(place, ":")
	offset, err1 := strconv.Atoi(first)
	length, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || offset < 0 || length < 0 || offset > len(d.data) ||
		length > len(d.data)-offset || length > d.left {
		return nil, errBytes
	}
	d.left -= length
	copied := make([]byte, 0, length)
	for part := range slices.Chunk(d.data[offset:offset+length], quickjs.PieceSize) {
		if err := d.work(len(part)); err != nil {
			return nil, err
		}
		copied = append(copied, part...)
	}
	return copied, nil
}
