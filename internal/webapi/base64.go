package webapi

import (
	"encoding/base64"
	"strings"
)

// DecodeBase64 decodes base64 as atob does: ASCII whitespace is skipped, padding may be missing, and bits that are left
// over are dropped. It is false if text is anything else.
//
// See https://infra.spec.whatwg.org/#forgiving-base64-decode
func DecodeBase64(text string) (data []byte, ok bool) {
	if strings.ContainsAny(text, whitespace) {
		text = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\f", "", "\r", "").Replace(text)
	}
	if len(text)%4 == 0 {
		if short, padded := strings.CutSuffix(text, "="); padded {
			text = strings.TrimSuffix(short, "=")
		}
	}
	if len(text)%4 == 1 {
		return nil, false
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	return data, err == nil
}

// whitespace is what the standards call ASCII whitespace.
const whitespace = " \t\n\f\r"

// EncodeBase64 encodes the code points of text, which are bytes for this purpose, as btoa does. It is false if one is
// larger than that.
func EncodeBase64(text string) (encoded string, ok bool) {
	data := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return "", false
		}
		data = append(data, byte(c))
	}
	return base64.StdEncoding.EncodeToString(data), true
}

// BytesAsText returns the text whose code points are the bytes of data, as atob returns it.
func BytesAsText(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/2)
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}
