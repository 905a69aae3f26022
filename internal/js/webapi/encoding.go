package webapi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// Work is called before each piece of work that takes time in proportion to its size, with the size of the piece in
// bytes: some tens of thousands at most. If it returns an error, the work ends with that error.
type Work func(bytes int) error

// ErrEncoding means that bytes are not valid in their encoding.
var ErrEncoding = errors.New("the bytes are not valid in this encoding")

// EncodingName returns the standard's name of the encoding that a label means. It is false for an unknown label,
// and for labels of encodings that are not safe to decode (the standard's "replacement").
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
	// Fatal makes invalid bytes an error. Otherwise they become U+FFFD.
	Fatal bool
	// KeepBOM keeps a byte order mark at the beginning of the text.
	KeepBOM bool
	// More means that more bytes will follow, so an incomplete character at the end waits for them.
	More bool
	// Work is called before each piece of work.
	Work Work
}

// decodePart is how many bytes are decoded without a pause.
const decodePart = 16 << 10

// Decode calls do with the pieces of the decoded text; a piece is valid until do returns. With d.More, next is what
// the caller must put before the bytes that follow: at most 8 bytes. The error is [ErrEncoding], or that of do or
// d.Work.
func Decode(d Decoding, data []byte, do func(piece string) error) (next []byte, err error) {
	defer func() {
		if recover() != nil { // a bug of a decoder, which is a dependency's
			err = ErrEncoding
		}
	}()
	e, name, ok := lookup(d.Encoding)
	if !ok {
		return nil, ErrEncoding
	}
	switch name {
	case "utf-8":
		return d.utf8(data, d.withoutBOM(do))
	case "utf-16le":
		return d.utf16(data, binary.LittleEndian, d.withoutBOM(do))
	case "utf-16be":
		return d.utf16(data, binary.BigEndian, d.withoutBOM(do))
	}
	if table := tableOf(e); table != nil {
		return nil, d.table(table, name, data, do)
	}
	return d.legacy(e, name, data, do)
}

// withoutBOM returns a function that removes a byte order mark from the first piece and calls do.
func (d Decoding) withoutBOM(do func(piece string) error) func(piece string) error {
	if d.KeepBOM {
		return do
	}
	first := true
	return func(piece string) error {
		if first {
			first, piece = false, strings.TrimPrefix(piece, "\ufeff")
		}
		return do(piece)
	}
}

func (d Decoding) utf8(data []byte, do func(piece string) error) (next []byte, err error) {
	text := utf8text.View(data)
	if d.More {
		whole := len(text) - utf8text.Incomplete(text)
		text, next = text[:whole], data[whole:]
	}
	for text != "" {
		n := utf8text.Piece(text, decodePart)
		if err := d.Work(n); err != nil {
			return nil, err
		}
		piece := text[:n]
		if !utf8.ValidString(piece) {
			if d.Fatal {
				return nil, ErrEncoding
			}
			piece = utf8text.Valid(piece)
		}
		if err := do(piece); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return next, nil
}

func (d Decoding) utf16(data []byte, order binary.ByteOrder, do func(piece string) error) (next []byte, err error) {
	piece := make([]byte, 0, min(2*len(data), 3*decodePart))
	for len(data) > 0 {
		if err := d.Work(min(len(data), decodePart)); err != nil {
			return nil, err
		}
		piece = piece[:0]
		for done := 0; len(data) > 0 && done < decodePart; {
			r, size := decodeUTF16(data, order)
			if size == 0 {
				if d.More {
					return data, do(utf8text.View(piece))
				}
				size = len(data) // what is incomplete at the end is one mistake
			}
			if r == utf8.RuneError && d.Fatal && (size != 2 || order.Uint16(data) != utf8.RuneError) {
				return nil, ErrEncoding
			}
			piece = utf8.AppendRune(piece, r)
			data = data[size:]
			done += size
		}
		if err := do(utf8text.View(piece)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// decodeUTF16 decodes the first code point and returns its size in bytes, which is 0 if its end is missing.
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

func (d Decoding) table(table *charmap.Charmap, name string, data []byte, do func(piece string) error) error {
	iso := strings.HasPrefix(name, "iso-8859-")
	windows := strings.HasPrefix(name, "windows-")
	piece := make([]byte, 0, utf8.UTFMax*min(len(data), decodePart))
	for part := range slices.Chunk(data, decodePart) {
		if err := d.Work(len(part)); err != nil {
			return err
		}
		piece = piece[:0]
		for _, c := range part {
			if c < utf8.RuneSelf {
				piece = append(piece, c)
				continue
			}
			r := table.DecodeByte(c)
			if c < 0xa0 && (iso || windows && r == utf8.RuneError) {
				r = rune(c) // a control character, which the tables lack
			}
			if r == utf8.RuneError && d.Fatal {
				return ErrEncoding
			}
			piece = utf8.AppendRune(piece, r)
		}
		if err := do(utf8text.View(piece)); err != nil {
			return err
		}
	}
	return nil
}

// legacy decodes one of the other encodings. Their decoders report mistakes as U+FFFD, which none of the encodings
// contains except gb18030.
func (d Decoding) legacy(e encoding.Encoding, name string, data []byte,
	do func(piece string) error) (next []byte, err error) {
	decoder := e.NewDecoder().Transformer
	buffer := make([]byte, min(64+utf8.UTFMax*len(data), decodePart))
	rest := data
	for {
		n, used, ended := decoder.Transform(buffer, rest, !d.More)
		if err := d.Work(n + used); err != nil {
			return nil, err
		}
		piece := utf8text.View(buffer[:n])
		if d.Fatal && strings.ContainsRune(piece, utf8.RuneError) {
			return nil, ErrEncoding
		}
		if err := do(piece); err != nil {
			return nil, err
		}
		rest = rest[used:]
		if ended != transform.ErrShortDst || n+used == 0 {
			break
		}
	}
	if d.More && name == "iso-2022-jp" {
		// ISO-2022-JP is the only encoding with a state: its last escape sequence.
		done := data[:len(data)-len(rest)]
		for end := len(done); end > 0; {
			start := max(0, end-decodePart)
			if err := d.Work(end - start); err != nil {
				return nil, err
			}
			if at := bytes.LastIndexByte(done[start:end], 0x1b); at >= 0 {
				next = append(next, done[start+at:min(start+at+escapeLength, len(done))]...)
				break
			}
			end = start
		}
	}
	return append(next, rest...), nil
}

// escapeLength is how long the escape sequences of ISO-2022-JP are.
const escapeLength = 3
