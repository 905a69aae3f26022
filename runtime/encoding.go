package runtime

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/utf8text"
)

// The encodings of text in files, by the names that scripts may use.
var encodingNames = map[string]string{
	"utf8": "utf8", "utf-8": "utf8",
	"base64": "base64", "base64url": "base64url", "hex": "hex",
	"latin1": "latin1", "binary": "latin1", "ascii": "ascii",
	"utf16le": "utf16le", "utf-16le": "utf16le", "ucs2": "utf16le", "ucs-2": "utf16le",
	"buffer": "", // no text
}

// knownEncodings lists them for an error.
const knownEncodings = "'utf8', 'latin1', 'ascii', 'utf16le', 'base64', 'base64url' and 'hex'"

// encodedSize is how many bytes of UTF-8 the text of data has at most.
func encodedSize(encoding string, data []byte) int {
	size := len(data)
	switch encoding {
	case "hex":
		return hex.EncodedLen(size)
	case "base64", "base64url":
		return base64.StdEncoding.EncodedLen(size)
	case "latin1":
		for _, c := range data {
			size += int(c >> 7)
		}
	case "utf16le":
		size = 0
		for i := 0; i+1 < len(data); i += 2 {
			switch c := binary.LittleEndian.Uint16(data[i:]); {
			case c < 0x80:
				size++
			case c < 0x800:
				size += 2
			default:
				size += 3
			}
		}
	}
	return size
}

// encodeText makes the text of bytes that a file has. UTF-8 stays as it is, also where it is none.
func encodeText(encoding string, data []byte) string {
	switch encoding {
	case "hex":
		return hex.EncodeToString(data)
	case "base64":
		return base64.StdEncoding.EncodeToString(data)
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data)
	case "latin1", "ascii":
		mask := byte(0xff)
		if encoding == "ascii" {
			mask = 0x7f // as Node has it
		}
		var b strings.Builder
		b.Grow(encodedSize(encoding, data))
		for _, c := range data {
			b.WriteRune(rune(c & mask))
		}
		return b.String()
	case "utf16le":
		text, _ := utf8text.FromUTF16(data, math.MaxInt)
		return string(text)
	}
	return string(data)
}

var errNotEncoded = errors.New("not in this encoding")

// decodeText makes the bytes of a text, which is in UTF-8. There can be limit bytes.
func decodeText(encoding string, text []byte, limit int) ([]byte, error) {
	switch encoding {
	case "hex":
		return hex.AppendDecode(nil, text)
	case "base64", "base64url":
		return decodeBase64(text)
	case "latin1", "ascii", "utf16le":
		size := 0
		for _, c := range string(text) {
			size += utf16.RuneLen(c)
		}
		if encoding == "utf16le" {
			size *= 2
		}
		if size > limit {
			return nil, syscall.EFBIG
		}
		out := make([]byte, 0, size)
		for len(text) > 0 {
			c, n := utf8.DecodeRune(text)
			text = text[n:]
			first, second := c, rune(-1)
			if c > 0xffff {
				first, second = utf16.EncodeRune(c)
			}
			for _, unit := range []rune{first, second} {
				switch {
				case unit < 0:
				case encoding == "utf16le":
					out = binary.LittleEndian.AppendUint16(out, uint16(unit))
				default:
					out = append(out, byte(unit)) // the rest is lost, as in Node
				}
			}
		}
		return out, nil
	}
	return text, nil
}

// decodeBase64 takes both alphabets, with and without padding and white space.
func decodeBase64(text []byte) ([]byte, error) {
	plain := make([]byte, 0, len(text))
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		plain = append(plain, c)
	}
	padded := len(plain)
	for padded > 0 && plain[padded-1] == '=' {
		padded--
	}
	if len(plain)-padded > 2 || slices.Contains(plain[:padded], '=') {
		return nil, errNotEncoded
	}
	return base64.RawStdEncoding.AppendDecode(nil, plain[:padded])
}
