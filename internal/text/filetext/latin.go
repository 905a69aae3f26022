package filetext

import (
	"slices"
	"unicode/utf8"
)

// special are the characters of Windows-1252 from 0x80 to 0x9f, and U+FFFD where there are none. From 0xa0 on, it has
// those of Latin-1, whose numbers are those of Unicode.
var special = []rune("€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ")

// latinOf returns the encoding of a text of a language that is written with Latin letters, or utf8Text if that is
// improbable. Letters beyond ASCII are the minority in such languages, and most of them stand between others. Other
// encodings, such as those of Cyrillic or Japanese, have them one after the other. Most of those that can be decoded as
// UTF-8 are UTF-8, which is damaged elsewhere.
func latinOf(content []byte) encoding {
	found := latin1
	high, run, long := 0, 0, 0 // bytes beyond ASCII: all, those until here, those in runs of at least longRun
	decoded := 0               // how many are UTF-8
	const longRun = 4
	for i, c := range content {
		if c < utf8.RuneSelf {
			run = 0
			if isBinaryControl(c) || c == '\x7f' {
				return utf8Text
			}
			continue
		}
		if c < 0xa0 {
			found = windows1252
			if special[c-utf8.RuneSelf] == utf8.RuneError {
				return utf8Text
			}
		}
		if _, size := utf8.DecodeRune(content[i:]); size > 1 {
			decoded += size
		}
		high++
		switch run++; {
		case run == longRun:
			long += longRun
		case run > longRun:
			long++
		}
	}
	if c := content[len(content)-1]; high == 1 && (c == 0xc2 || c == 0xc3) { // "Â" or "Ã", or UTF-8 that is cut off
		return utf8Text
	}
	if high > len(content)/2 || long > high/2 || decoded > high/2 {
		return utf8Text
	}
	return found
}

func decodeLatin(content []byte) []byte {
	text := make([]byte, 0, len(content)+len(content)/8)
	for _, c := range content {
		r := rune(c)
		if c >= utf8.RuneSelf && c < 0xa0 {
			r = special[c-utf8.RuneSelf]
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}

func (f Form) encodeLatin(text []byte) ([]byte, error) {
	content := make([]byte, 0, len(text))
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf, r >= 0xa0 && r <= 0xff:
			content = append(content, byte(r))
			continue
		case f.encoding == windows1252 && r != utf8.RuneError:
			if i := slices.Index(special, r); i >= 0 {
				content = append(content, byte(utf8.RuneSelf+i))
				continue
			}
		}
		return nil, &CharacterError{Character: r, Encoding: f.Encoding()}
	}
	return content, nil
}
