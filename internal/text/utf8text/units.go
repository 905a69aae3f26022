package utf8text

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Units returns the number of UTF-16 code units in the result of Valid. They are narrow if all are below 256.
func Units(s string) (n int, narrow bool) {
	if ASCII(s) == len(s) {
		return len(s), true
	}
	if !utf8.ValidString(s) {
		eachPart(s, func(part string) {
			units, _ := countUnits(part)
			n += units
		})
		return n, false // there is a U+FFFD
	}
	return countUnits(s)
}

// countUnits is Units for valid UTF-8.
func countUnits(s string) (n int, narrow bool) {
	highest := byte(0)
	for i := range len(s) {
		c := s[i]
		if c&0xc0 != 0x80 { // the first byte of a character
			n++
		}
		if c >= 0xf0 { // which takes two units
			n++
		}
		highest = max(highest, c)
	}
	return n, highest < 0xc4 // U+0100 begins with c4
}

// ASCII returns the length of a prefix of s that contains only ASCII. It is len(s) if all of s is ASCII.
func ASCII(s string) int {
	n := 0
	for ; len(s)-n >= 8; n += 8 {
		t := s[n : n+8]
		if (t[0]|t[1]|t[2]|t[3]|t[4]|t[5]|t[6]|t[7])&0x80 != 0 {
			return n
		}
	}
	for ; n < len(s) && s[n] < utf8.RuneSelf; n++ {
	}
	return n
}

// PutLatin1 writes the code units of s, which must be narrow, to out as bytes, and returns the unused rest of out.
// Units that do not fit are dropped.
func PutLatin1(out []byte, s string) []byte {
	n := ASCII(s)
	out, s = out[copy(out, s[:n]):], s[n:]
	at := 0
	for i := 0; i < len(s) && at < len(out); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			if i++; i == len(s) {
				break // s is not valid
			}
			c = c<<6 | s[i]&0x3f
		}
		out[at] = c
		at++
	}
	return out[at:]
}

// PutUTF16 writes the code units of the result of Valid to out, little-endian, and returns the unused rest of out.
// Units that do not fit are dropped.
func PutUTF16(out []byte, s string) []byte {
	if utf8.ValidString(s) {
		return putUTF16(out, s)
	}
	eachPart(s, func(part string) { out = putUTF16(out, part) })
	return out
}

// Piece returns the length of a prefix of s, n bytes or a few less, that can be processed separately: Valid of both
// parts joined equals Valid of s. It is len(s) if s is no longer than n. n must be at least 4.
func Piece(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := n; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n // invalid: no character has so many continuation bytes
}

// putUTF16 returns the unused rest of out.
func putUTF16(out []byte, s string) []byte {
	at := 0
	for _, c := range s {
		if len(out)-at < 2*utf16.RuneLen(c) {
			break
		}
		if c > 0xffff {
			first, second := utf16.EncodeRune(c)
			binary.LittleEndian.PutUint16(out[at:], uint16(first))
			at += 2
			c = second
		}
		binary.LittleEndian.PutUint16(out[at:], uint16(c))
		at += 2
	}
	return out[at:]
}
