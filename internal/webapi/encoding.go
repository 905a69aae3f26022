package webapi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"

	"github.com/toolrun/toolrun/internal/utf8text"
)

var (
	// ErrEncoding says that bytes are not text in the encoding that they should be in.
	ErrEncoding = errors.New("the bytes are not valid in this encoding")
	// ErrLarge says that a result would be larger than it may be.
	ErrLarge = errors.New("the text is too large")
)

// EncodingName returns the standard's name of the encoding that a label means. It is false for a label that is unknown, or
// of the encoding that stands for those that are not safe to decode.
//
// See https://encoding.spec.whatwg.org/#names-and-labels
func EncodingName(label string) (name string, ok bool) {
	_, name, ok = lookup(label)
	return name, ok
}

func lookup(label string) (e encoding.Encoding, name string, ok bool) {
	label = strings.Trim(label, whitespace)
	for i := range len(label) {
		if label[i] <= ' ' || label[i] >= utf8.RuneSelf { // the index would trim more than the standard does
			return nil, "", false
		}
	}
	e, err := htmlindex.Get(label)
	if err != nil || e == encoding.Replacement {
		return nil, "", false
	}
	if name, err = htmlindex.Name(e); err != nil {
		return nil, "", false
	}
	if name == "gbk" {
		e = simplifiedchinese.GB18030 // the standard decodes both alike
	}
	return e, name, true
}

// Decoding says how bytes become text.
type Decoding struct {
	// Encoding is the label of the encoding.
	Encoding string
	// Fatal makes bytes that are not valid an error. Otherwise they become U+FFFD.
	Fatal bool
	// KeepBOM leaves a byte order mark at the beginning in the text.
	KeepBOM bool
	// More says that more bytes will follow, so that what is incomplete at the end has to wait for them.
	More bool
	// Limit is the most bytes of UTF-8 that the text may have.
	Limit int
}

// Decode decodes bytes. With d.More, next is what has to be put before the bytes that follow: at most 8 bytes.
// The error is [ErrEncoding], or [ErrLarge].
func Decode(d Decoding, data []byte) (text string, next []byte, err error) {
	e, name, ok := lookup(d.Encoding)
	if !ok {
		return "", nil, ErrEncoding
	}
	switch name {
	case "utf-8":
		text, next, err = d.utf8(data)
	case "utf-16le":
		text, next, err = d.utf16(data, binary.LittleEndian)
	case "utf-16be":
		text, next, err = d.utf16(data, binary.BigEndian)
	default:
		if table := tableOf(e); table != nil {
			text, err = d.table(table, name, data)
			return text, nil, err
		}
		return d.legacy(e, name, data)
	}
	if !d.KeepBOM {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	return text, next, err
}

func (d Decoding) utf8(data []byte) (text string, next []byte, err error) {
	text = string(data)
	if d.More {
		whole := len(text) - utf8text.Incomplete(text)
		text, next = text[:whole], data[whole:]
	}
	if !utf8.ValidString(text) {
		if d.Fatal {
			return "", nil, ErrEncoding
		}
		if utf8text.Size(text) > d.Limit {
			return "", nil, ErrLarge
		}
		text = utf8text.Valid(text)
	}
	if len(text) > d.Limit {
		return "", nil, ErrLarge
	}
	return text, next, nil
}

func (d Decoding) utf16(data []byte, order binary.ByteOrder) (text string, next []byte, err error) {
	var b strings.Builder
	b.Grow(min(len(data), d.Limit))
	for len(data) > 0 {
		r, size := decodeUTF16(data, order)
		if size == 0 {
			if d.More {
				return b.String(), data, nil
			}
			size = len(data) // what is incomplete at the end is one mistake
		}
		if r == utf8.RuneError && d.Fatal && (size != 2 || order.Uint16(data) != utf8.RuneError) {
			return "", nil, ErrEncoding
		}
		if b.Len() > d.Limit-utf8.UTFMax {
			return "", nil, ErrLarge
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String(), nil, nil
}

// decodeUTF16 decodes the first code point, and returns how many bytes it has: 0 if its end is missing.
func decodeUTF16(data []byte, order binary.ByteOrder) (r rune, size int) {
	if len(data) < 2 {
		return utf8.RuneError, 0
	}
	r = rune(order.Uint16(data))
	switch {
	case !utf16.IsSurrogate(r):
		return r, 2
	case r >= 0xdc00:
		return utf8.RuneError, 2
	case len(data) < 4:
		return utf8.RuneError, 0
	}
	if r = utf16.DecodeRune(r, rune(order.Uint16(data[2:]))); r == utf8.RuneError {
		return r, 2
	}
	return r, 4
}

// tableOf returns the table of an encoding whose characters are single bytes, or nil for others.
func tableOf(e encoding.Encoding) *charmap.Charmap {
	if e == charmap.ISO8859_8I {
		return charmap.ISO8859_8 // the same characters, another direction
	}
	table, _ := e.(*charmap.Charmap)
	return table
}

func (d Decoding) table(table *charmap.Charmap, name string, data []byte) (text string, err error) {
	controls := strings.HasPrefix(name, "iso-8859-") // which the tables lack
	var b strings.Builder
	b.Grow(min(len(data), d.Limit))
	for _, c := range data {
		r := table.DecodeByte(c)
		if controls && c >= 0x80 && c < 0xa0 {
			r = rune(c)
		}
		if r == utf8.RuneError && d.Fatal {
			return "", ErrEncoding
		}
		if b.Len() > d.Limit-utf8.UTFMax {
			return "", ErrLarge
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// legacy decodes one of the other encodings. Their decoders do not tell mistakes from U+FFFD, which none of them has a
// place for but gb18030.
func (d Decoding) legacy(e encoding.Encoding, name string, data []byte) (text string, next []byte, err error) {
	decoder := e.NewDecoder().Transformer
	var b strings.Builder
	var buffer [4096]byte
	rest := data
	for {
		n, used, err := decoder.Transform(buffer[:], rest, !d.More)
		b.Write(buffer[:n])
		rest = rest[used:]
		if b.Len() > d.Limit {
			return "", nil, ErrLarge
		}
		if err != transform.ErrShortDst {
			break
		}
	}
	text = b.String()
	if d.Fatal && strings.ContainsRune(text, utf8.RuneError) {
		return "", nil, ErrEncoding
	}
	if d.More && name == "iso-2022-jp" {
		// The only one with a state: the escape sequence that was the last.
		done := data[:len(data)-len(rest)]
		if at := bytes.LastIndexByte(done, 0x1b); at >= 0 {
			next = append(next, done[at:min(at+escapeLength, len(done))]...)
		}
	}
	return text, append(next, rest...), nil
}

// escapeLength is how long the escape sequences of ISO-2022-JP are.
const escapeLength = 3
