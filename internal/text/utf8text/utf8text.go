// Package utf8text makes valid UTF-8 from other text: from damaged UTF-8, as the Encoding Standard prescribes, and
// from UTF-16.
package utf8text

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// View returns data as a string that shares its memory. Do not change data while the string is in use.
func View(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// Valid replaces every maximal part of s that could begin a character, but does not, with U+FFFD.
//
// See https://encoding.spec.whatwg.org/#utf-8-decoder
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(size(s))
	eachPart(s, func(part string) { b.WriteString(part) })
	return b.String()
}

// size returns the length of the result of Valid in bytes.
func size(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	size := 0
	eachPart(s, func(part string) { size += len(part) })
	return size
}

// eachPart calls do with the parts of the result of Valid.
func eachPart(s string, do func(part string)) {
	for from, i := 0, 0; ; {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case n == 0:
			do(s[from:])
			return
		case n > 1 || s[i] < utf8.RuneSelf:
			i += n
		default:
			do(s[from:i])
			do(replacement)
			i += beginning(s[i:])
			from = i
		}
	}
}

const replacement = string(utf8.RuneError)

// Incomplete returns how many bytes at the end of s begin a character whose end is missing.
func Incomplete(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if !utf8.FullRuneInString(s[len(s)-n:]) {
			return n
		}
	}
	return 0
}

// beginning returns the length of the longest prefix of s that could begin a character; s does not begin with a
// character. It is at least 1.
func beginning(s string) int {
	low, high, length := byte(0x80), byte(0xbf), 1
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		length = 2
	case c >= 0xe0 && c <= 0xef:
		length = 3
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		length = 4
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for ; n < length && n < len(s) && s[n] >= low && s[n] <= high; n++ {
		low, high = 0x80, 0xbf
	}
	return n
}
