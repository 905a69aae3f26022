// Package filetext decodes the text of files, and encodes it again as it was: with its encoding, its byte order mark,
// and lines that end as they did.
package filetext

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/toolrun/toolrun/internal/text/filetype"
)

// A Form is how a file keeps its text. The zero value is UTF-8.
type Form struct {
	encoding encoding
	mark     bool // the file begins with a byte order mark, which is no part of the text
	returns  bool // lines end with a carriage return alone
}

type encoding uint8

const (
	utf8Text encoding = iota
	utf16LE
	utf16BE
	latin1
	windows1252
)

// Encoding is the name of the encoding, or "" for UTF-8.
func (f Form) Encoding() string {
	return [...]string{
		utf16LE: "UTF-16LE", utf16BE: "UTF-16BE", latin1: "Latin-1", windows1252: "Windows-1252",
	}[f.encoding]
}

// Note says which encoding a text was decoded from, as a sentence for a reader. It is "" for UTF-8.
func (f Form) Note() string {
	if f.encoding == utf8Text {
		return ""
	}
	return "Decoded from " + f.Encoding() + "; edits keep this encoding."
}

const (
	markUTF16LE = "\xff\xfe"
	markUTF16BE = "\xfe\xff"
)

// Decode returns the text of a file as UTF-8, with lines that end with \n or \r\n. ok is false if the content is
// binary. The text may share its memory with the content, and is at most twice as long.
//
// Text is valid UTF-8 without NULs; UTF-16, if it has a byte order mark or most of it is ASCII; and Latin-1 or
// Windows-1252, if it looks like a language that is written with Latin letters. All else is binary.
func Decode(content []byte) (text []byte, form Form, ok bool) {
	text, form, ok = decode(content)
	if ok && bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		form.returns = true
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return text, form, ok
}

func decode(content []byte) (text []byte, form Form, ok bool) {
	if filetype.IsText(content) {
		return content, Form{}, true
	}
	if rest, ok := bytes.CutPrefix(content, []byte(markUTF16LE)); ok {
		text, ok = decodeUTF16(rest, binary.LittleEndian)
		return text, Form{encoding: utf16LE, mark: true}, ok
	}
	if rest, ok := bytes.CutPrefix(content, []byte(markUTF16BE)); ok {
		text, ok = decodeUTF16(rest, binary.BigEndian)
		return text, Form{encoding: utf16BE, mark: true}, ok
	}
	// A short beginning can be that of a text, too: "BM" is, but then a real picture has NULs.
	if mime := filetype.MIME(content); mime != filetype.Unknown && mime != "image/bmp" {
		return nil, Form{}, false
	}
	if order := withoutMark(content); order != nil {
		form.encoding = utf16LE
		if order == binary.BigEndian {
			form.encoding = utf16BE
		}
		text, ok = decodeUTF16(content, order)
		return text, form, ok
	}
	if form.encoding = latinOf(content); form.encoding == utf8Text {
		return nil, Form{}, false
	}
	return decodeLatin(content), form, true
}

// Readable is [Decode] for comparing and searching: content that Decode takes for binary is returned as it is, because
// most of a damaged text can be read. ok is false if it has a NUL near its beginning, which is how grep and git know
// binary files.
func Readable(content []byte) (text []byte, ok bool) {
	if text, _, ok := Decode(content); ok {
		return text, true
	}
	return content, bytes.IndexByte(content[:min(len(content), 8000)], 0) < 0
}

// A CharacterError is a character that an encoding does not have.
type CharacterError struct {
	Character rune
	Encoding  string
}

// Error implements error.
func (e *CharacterError) Error() string {
	return fmt.Sprintf("%s has no character %c (U+%04X)", e.Encoding, e.Character, e.Character)
}

// Encode returns the content of a file of this form with a text, which can have been edited. The error is a
// [*CharacterError].
func (f Form) Encode(text []byte) ([]byte, error) {
	if f.returns {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))
	}
	switch f.encoding {
	case utf16LE:
		return encodeUTF16(text, binary.LittleEndian, f.mark), nil
	case utf16BE:
		return encodeUTF16(text, binary.BigEndian, f.mark), nil
	case latin1, windows1252:
		return f.encodeLatin(text)
	}
	return text, nil
}
