package host

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"syscall"
	"unicode/utf16"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// Encodings are the encodings of text, by the names that scripts may use. Do not change it.
var Encodings = map[string]string{
	"utf8": "utf8", "utf-8": "utf8",
	"base64": "base64", "base64url": "base64url", "hex": "hex",
	"latin1": "latin1", "binary": "latin1", "ascii": "ascii",
	"utf16le": "utf16le", "utf-16le": "utf16le", "ucs2": "utf16le", "ucs-2": "utf16le",
	"buffer": "", // no text
}

// KnownEncodings lists the encodings for an error.
const KnownEncodings = "'utf8', 'latin1', 'ascii', 'utf16le', 'base64', 'base64url' and 'hex'"

// Work charges so many bytes of work, before it is done. An error ends it.
type Work = func(bytes int) error

// encodingPart is how many bytes are encoded or decoded without a pause. It is a whole number of characters in
// every encoding, except those with several units a character.
const encodingPart = 24 << 10

// EncodedSize returns an upper bound of the size of data's text in UTF-8. The error is that of work.
func EncodedSize(encoding string, data []byte, work Work) (int, error) {
	size := len(data)
	switch encoding {
	case "hex":
		return hex.EncodedLen(size), nil
	case "base64", "base64url":
		return base64.StdEncoding.EncodedLen(size), nil
	case "latin1", "utf16le":
		size = 0
		for part := range slices.Chunk(data, encodingPart) {
			if err := work(len(part)); err != nil {
				return 0, err
			}
			if encoding == "utf16le" {
				size += utf8text.SizeUTF16(part)
				continue
			}
			size += len(part)
			for _, c := range part {
				size += int(c >> 7)
			}
		}
	}
	return size, nil
}

// encodeText calls do with pieces of the text of a file's bytes in utf8 or utf16le. The utf8 encoding returns data
// unchanged, even if it is invalid. The error is that of work or do.
func encodeText(encoding string, data []byte, work Work, do func(piece string) error) error {
	var piece []byte
	for len(data) > 0 {
		part := data[:min(len(data), encodingPart)]
		last := len(part) == len(data)
		switch {
		case encoding != "utf16le":
			part = part[:utf8text.Piece(utf8text.View(data), encodingPart)]
		case !last && part[len(part)-1]&0xfc == 0xd8:
			part = part[:len(part)-2] // the second half of a pair is behind it
		}
		if err := work(len(part)); err != nil {
			return err
		}
		data = data[len(part):]
		text := part
		if encoding == "utf16le" {
			piece, _ = utf8text.AppendUTF16(piece[:0], part, math.MaxInt)
			text = piece
		}
		if err := do(utf8text.View(text)); err != nil {
			return err
		}
	}
	return nil
}

// latin1Size returns how many characters so many bytes are in an encoding whose texts have characters of one byte only.
func latin1Size(encoding string, bytes int) (size int, ok bool) {
	switch encoding {
	case "hex":
		return hex.EncodedLen(bytes), true
	case "base64":
		return base64.StdEncoding.EncodedLen(bytes), true
	case "base64url":
		return base64.RawURLEncoding.EncodedLen(bytes), true
	case "latin1", "ascii":
		return bytes, true
	}
	return 0, false
}

// encodeLatin1 writes the text of bytes in such an encoding. The error is that of work.
func encodeLatin1(text []byte, encoding string, data []byte, work Work) error {
	for part := range slices.Chunk(data, encodingPart) {
		if err := work(len(part)); err != nil {
			return err
		}
		switch encoding {
		case "hex":
			text = text[hex.Encode(text, part):]
		case "base64":
			base64.StdEncoding.Encode(text, part)
			text = text[base64.StdEncoding.EncodedLen(len(part)):]
		case "base64url":
			base64.RawURLEncoding.Encode(text, part)
			text = text[base64.RawURLEncoding.EncodedLen(len(part)):]
		case "ascii":
			for i, c := range part {
				text[i] = c & 0x7f // as Node has it
			}
			text = text[len(part):]
		default:
			text = text[copy(text, part):]
		}
	}
	return nil
}

// ErrNotEncoded means that a text is not in its encoding.
var ErrNotEncoded = errors.New("not in this encoding")

// DecodeText returns the bytes of a UTF-8 text, at most limit of them. It may overwrite text. Other errors are
// ErrNotEncoded and that of work.
func DecodeText(encoding string, text []byte, limit int, work Work) ([]byte, error) {
	switch encoding {
	case "hex":
		return decodeHex(text, work)
	case "base64", "base64url":
		return decodeBase64(text, work)
	case "latin1", "ascii", "utf16le":
	default:
		return text, nil
	}
	size := 0
	err := eachPart(text, work, func(part string) {
		units, _ := utf8text.Units(part)
		size += units
	})
	if encoding == "utf16le" {
		size *= 2
	}
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, syscall.EFBIG
	}
	out := make([]byte, size)
	rest := out
	err = eachPart(text, work, func(part string) {
		if encoding == "utf16le" {
			rest = utf8text.PutUTF16(rest, part)
			return
		}
		for _, c := range part {
			first, second := c, rune(-1)
			if c > 0xffff {
				first, second = utf16.EncodeRune(c)
			}
			rest[0] = byte(first) // what else there is of it is lost, as in Node
			if rest = rest[1:]; second >= 0 {
				rest[0] = byte(second)
				rest = rest[1:]
			}
		}
	})
	return out, err
}

// eachPart calls do with the parts of a text.
func eachPart(text []byte, work Work, do func(part string)) error {
	for rest := utf8text.View(text); rest != ""; {
		n := utf8text.Piece(rest, encodingPart)
		if err := work(n); err != nil {
			return err
		}
		do(rest[:n])
		rest = rest[n:]
	}
	return nil
}

// decodeHex puts the bytes where the text is.
func decodeHex(text []byte, work Work) ([]byte, error) {
	out := text[:0]
	for part := range slices.Chunk(text, encodingPart) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		n, err := hex.Decode(text[len(out):], part) // never ahead of what it reads
		if err != nil {
			return nil, ErrNotEncoded
		}
		out = text[:len(out)+n]
	}
	return out, nil
}

// decodeBase64 takes both alphabets, with and without padding and white space. It puts the bytes where the text is.
func decodeBase64(text []byte, work Work) ([]byte, error) {
	plain, padding := text[:0], 0
	for part := range slices.Chunk(text, encodingPart) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		for _, c := range part {
			switch c {
			case ' ', '\t', '\r', '\n':
				continue
			case '=':
				padding++
				continue
			case '-':
				c = '+'
			case '_':
				c = '/'
			}
			if padding > 0 {
				return nil, ErrNotEncoded
			}
			plain = append(plain, c)
		}
	}
	if padding > 2 {
		return nil, ErrNotEncoded
	}
	out := text[:0]
	for part := range slices.Chunk(plain, encodingPart) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		n, err := base64.RawStdEncoding.Decode(text[len(out):], part) // never ahead of what it reads
		if err != nil {
			return nil, ErrNotEncoded
		}
		out = text[:len(out)+n]
	}
	return out, nil
}

// ReturnText makes the text of bytes in an encoding the result. Bytes that are no UTF-8 become U+FFFD there.
func (c *Call) ReturnText(encoding string, data []byte) {
	if c.err != nil {
		return
	}
	if size, ok := latin1Size(encoding, len(data)); ok {
		c.result, c.err = c.VM.NewLatin1(c.ctx, size, func(text []byte) error {
			return encodeLatin1(text, encoding, data, c.Spend)
		})
		return
	}
	c.Fail(c.ReturnPieces(func(do func(piece string) error) error { return encodeText(encoding, data, c.Spend, do) }))
}

// ReturnPieces makes a text the result that each hands to do in pieces. It is called twice, and must do the same then.
// ReturnPieces returns its error, with which the call has not failed yet.
func (c *Call) ReturnPieces(each func(do func(piece string) error) error) error {
	if c.err != nil {
		return c.err
	}
	v, err := c.VM.NewText(c.ctx, each)
	if err == nil {
		c.result = v
	}
	return err
}

// ReturnEncoded makes a new ArrayBuffer with an argument's text in UTF-8 the result.
func (c *Call) ReturnEncoded(i int) {
	buffer, ok, err := c.VM.Encode(c.ctx, c.Value(i))
	if !ok {
		err = errNoText
	}
	c.Return(buffer, err)
}

// EncodeInto writes as much of an argument's text as fits to memory, in UTF-8. It returns how many code units it has
// read, and how many bytes it has written.
func (c *Call) EncodeInto(i int, memory []byte) (read, written int) {
	read, written, ok := c.VM.EncodeInto(c.Value(i), memory)
	if !ok {
		c.Fail(errNoText)
	}
	return read, written
}

// SizeUTF8 returns how many bytes an argument's text has in UTF-8.
func (c *Call) SizeUTF8(i int) int {
	size, ok, err := c.VM.SizeUTF8(c.Value(i))
	if !ok {
		err = errNoText
	}
	c.Fail(err)
	return size
}

// UnitsText returns the text of code units, which are as [Call.Units] returns them.
func UnitsText(units []byte, wide bool) string { return quickjs.UnitsText(units, wide) }
