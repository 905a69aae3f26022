package jq

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A Decoder reads JSON texts one after the other.
type Decoder struct {
	in    *bufio.Reader
	chunk []byte
	err   error // of the stream

	// Lines is how many lines were read.
	Lines int

	line, column int
	stack        []any // *[]any, *Object and keys, which are strings
	next         any
	has          bool // next is there
	token        []byte
	inString     bool
	escaped      bool
	raw          []byte
}

// A ParseError is what is wrong with a JSON text.
type ParseError struct{ Text string }

func (e *ParseError) Error() string { return e.Text }

// NewDecoder returns a decoder of a stream.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{in: bufio.NewReaderSize(r, 32<<10), line: 1} }

const maxDepth = 10000

// Next returns the next value, or io.EOF.
func (d *Decoder) Next() (any, error) {
	for {
		for len(d.chunk) > 0 {
			c := d.chunk[0]
			d.chunk = d.chunk[1:]
			d.column++
			if c == '\n' {
				d.line++
				d.column = 0
			}
			done, message := d.scan(c)
			if message != "" {
				return nil, d.fail(message, "")
			}
			if done {
				if v, ok := d.take(); ok {
					return v, nil
				}
			}
		}
		if d.err != nil {
			if d.err != io.EOF {
				return nil, d.err
			}
			return d.end()
		}
		d.chunk, d.err = d.in.ReadSlice('\n')
		if d.err == bufio.ErrBufferFull {
			d.err = nil
		} else if d.err == nil {
			d.Lines++
		}
	}
}

func (d *Decoder) fail(message, at string) error {
	d.stack, d.has, d.token, d.inString = nil, false, nil, false
	return &ParseError{fmt.Sprintf("%s%s at line %d, column %d", message, at, d.line, d.column)}
}

func (d *Decoder) end() (any, error) {
	if d.inString {
		return nil, d.fail("Unfinished string", " at EOF")
	}
	if message := d.literal(); message != "" {
		return nil, d.fail(message, " at EOF")
	}
	if len(d.stack) > 0 {
		return nil, d.fail("Unfinished JSON term", " at EOF")
	}
	if v, ok := d.take(); ok {
		return v, nil
	}
	return nil, io.EOF
}

// take returns a value that is complete.
func (d *Decoder) take() (any, bool) {
	if len(d.stack) > 0 || !d.has {
		return nil, false
	}
	v := d.next
	d.next, d.has = nil, false
	return v, true
}

// scan reads a byte. It says whether a value can be complete.
func (d *Decoder) scan(c byte) (done bool, message string) {
	if d.inString {
		switch {
		case d.escaped:
			d.escaped = false
		case c == '\\':
			d.escaped = true
		case c == '"':
			d.inString = false
			s, message := unquote(d.raw)
			d.raw = d.raw[:0]
			if message != "" {
				return false, message
			}
			return true, d.value(s)
		}
		d.raw = append(d.raw, c)
		return false, ""
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return true, d.literal()
	case '[', '{', ':', ',', ']', '}':
		if message = d.literal(); message == "" {
			message = d.structure(c)
		}
		return true, message
	case '"':
		message = d.literal()
		d.inString = true
		return true, message
	}
	if d.line == 1 && d.column <= 3 && len(d.stack) == 0 && (c == 0xef || c == 0xbb || c == 0xbf) {
		return false, "" // a byte order mark
	}
	d.token = append(d.token, c)
	return false, ""
}

func (d *Decoder) value(v any) string {
	if d.has {
		return "Expected separator between values"
	}
	d.next, d.has = v, true
	return ""
}

func (d *Decoder) literal() string {
	if len(d.token) == 0 {
		return ""
	}
	token := string(d.token)
	d.token = d.token[:0]
	switch token[0] {
	case 't', 'f', 'n':
		switch token {
		case "true":
			return d.value(true)
		case "false":
			return d.value(false)
		case "null":
			return d.value(nil)
		case "nan":
			return d.value(math.NaN())
		}
		return "Invalid literal"
	}
	n, err := strconv.ParseFloat(token, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(token, "xX_pP") ||
		strings.ContainsAny(token, "iI") {
		return "Invalid numeric literal"
	}
	return d.value(n)
}

func (d *Decoder) top() any {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1]
}

func (d *Decoder) structure(c byte) string {
	switch c {
	case '[', '{':
		if len(d.stack) >= maxDepth {
			return "Exceeds depth limit for parsing"
		}
		if d.has {
			return "Expected separator between values"
		}
		if c == '[' {
			d.stack = append(d.stack, &[]any{})
		} else {
			d.stack = append(d.stack, &Object{})
		}
	case ':':
		if !d.has {
			return "Expected string key before ':'"
		}
		switch d.top().(type) {
		case *Object:
			key, ok := d.next.(string)
			if !ok {
				return "Object keys must be strings"
			}
			d.stack = append(d.stack, key)
			d.next, d.has = nil, false
		case string:
			return "':' should follow a key"
		default:
			return "':' not as part of an object"
		}
	case ',':
		if !d.has {
			return "Expected value before ','"
		}
		switch top := d.top().(type) {
		case *[]any:
			*top = append(*top, d.next)
		case string:
			d.stack = d.stack[:len(d.stack)-1]
			d.top().(*Object).Put(top, d.next)
		case *Object:
			return "Objects must consist of key:value pairs"
		default:
			return "',' not as part of an object or array"
		}
		d.next, d.has = nil, false
	case ']':
		top, ok := d.top().(*[]any)
		if !ok {
			return "Unmatched ']'"
		}
		if d.has {
			*top = append(*top, d.next)
		} else if len(*top) > 0 {
			return "Expected another array element"
		}
		d.stack = d.stack[:len(d.stack)-1]
		d.next, d.has = *top, true
	case '}':
		switch top := d.top().(type) {
		case string:
			if !d.has {
				return "Unmatched '}'"
			}
			d.stack = d.stack[:len(d.stack)-1]
			d.top().(*Object).Put(top, d.next)
		case *Object:
			if d.has {
				return "Objects must consist of key:value pairs"
			}
			if top.Len() > 0 {
				return "Expected another key-value pair"
			}
		default:
			if d.has {
				return "Objects must consist of key:value pairs"
			}
			return "Unmatched '}'"
		}
		d.next, d.has = d.top(), true
		d.stack = d.stack[:len(d.stack)-1]
	}
	return ""
}

// unquote returns the string that is between two quotes, or what is wrong with it.
func unquote(raw []byte) (string, string) {
	plain := true
	for _, c := range raw {
		if c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return string(raw), ""
	}
	b := make([]byte, 0, len(raw))
	unit := func(i int) (rune, bool) {
		if i+4 > len(raw) {
			return 0, false
		}
		n, err := strconv.ParseUint(string(raw[i:i+4]), 16, 32)
		return rune(n), err == nil
	}
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(raw[i:])
			b = utf8.AppendRune(b, r)
			i += size - 1
			continue
		}
		if c != '\\' {
			b = append(b, c)
			continue
		}
		i++
		if i == len(raw) {
			return "", "Expected escape character at end of string"
		}
		switch c := raw[i]; c {
		case '"', '\\', '/':
			b = append(b, c)
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, ok := unit(i + 1)
			if !ok {
				return "", "Invalid escape"
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(0)
				if i+2 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
					low, _ = unit(i + 3)
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			return "", "Invalid escape"
		}
	}
	return string(b), ""
}

// Parse returns the value of a JSON text.
func Parse(s string) (any, error) {
	d := NewDecoder(strings.NewReader(s))
	v, err := d.Next()
	if err == nil {
		if _, more := d.Next(); more == nil {
			err = &ParseError{"Unexpected extra JSON values"}
		} else if more != io.EOF {
			err = more
		}
	}
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w (while parsing '%s')", err, s)
	}
	return v, nil
}

// Line returns a line of the stream, without its end, instead of a value.
func (d *Decoder) Line() (string, error) {
	line, err := d.in.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	d.Lines++
	return strings.TrimSuffix(line, "\n"), nil
}
