package webapi

import (
	"encoding/base64"
	"errors"
	"slices"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// ErrBase64 means that a text is not base64, or contains characters that are not bytes.
var ErrBase64 = errors.New("not base64, or not bytes")

// base64Part is how many bytes of text are processed without a pause.
const base64Part = 32 << 10

// whitespace is what the standards call ASCII whitespace.
const whitespace = " \t\n\f\r"

// DecodeBase64 decodes base64 as atob does: it skips ASCII whitespace, accepts missing padding, and drops leftover
// bits. The error is [ErrBase64] for any other text, or that of work. It overwrites text.
//
// See https://infra.spec.whatwg.org/#forgiving-base64-decode
func DecodeBase64(text []byte, work Work) (data []byte, err error) {
	// Whitespace is removed in place, and the decoded data goes to the same memory: it never overtakes the digits.
	digits := text[:0]
	for part := range slices.Chunk(text, base64Part) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		for _, c := range part {
			switch c {
			case ' ', '\t', '\n', '\f', '\r':
			default:
				digits = append(digits, c)
			}
		}
	}
	if n := len(digits); n > 0 && n%4 == 0 && digits[n-1] == '=' {
		if digits = digits[:n-1]; digits[n-2] == '=' {
			digits = digits[:n-2]
		}
	}
	if len(digits)%4 == 1 {
		return nil, ErrBase64
	}
	data = digits[:0]
	for part := range slices.Chunk(digits, base64Part) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		var plain [base64Part / 4 * 3]byte
		n, err := base64.RawStdEncoding.Decode(plain[:], part)
		if err != nil {
			return nil, ErrBase64
		}
		data = append(data, plain[:n]...)
	}
	return data, nil
}

// EncodeBase64 encodes the code points of text as bytes, as btoa does. The error is [ErrBase64] if a code point is
// larger than a byte, or that of work.
func EncodeBase64(text string, work Work) (encoded []byte, err error) {
	encoded = make([]byte, 0, base64.StdEncoding.EncodedLen(len(text)))
	plain := make([]byte, 0, min(len(text), base64Part)+3)
	for text != "" {
		n := utf8text.Piece(text, base64Part)
		if err := work(n); err != nil {
			return nil, err
		}
		for _, c := range text[:n] {
			if c > 0xff {
				return nil, ErrBase64
			}
			plain = append(plain, byte(c))
		}
		text = text[n:]
		whole := len(plain)
		if text != "" {
			whole -= whole % 3
		}
		encoded = base64.StdEncoding.AppendEncode(encoded, plain[:whole])
		plain = append(plain[:0], plain[whole:]...)
	}
	return encoded, nil
}
