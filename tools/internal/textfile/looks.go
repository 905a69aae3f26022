package textfile

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a character of a text with the marks on it, a line break, or some blanks.
type token struct {
	from, to int
	looks    []byte // it is the same for tokens that look the same; valid until the next token is read
	skipped  []byte // invisible characters in front of it
	end      bool   // there is no token any more
	blank    bool
	leads    bool // these blanks are the first of a line
	trails   bool // these blanks are the last of a line, or of the text
}

// soft reports whether these blanks cannot be seen.
func (t *token) soft() bool { return t.leads || t.trails }

// A reader reads tokens.
type reader struct {
	text  []byte
	at    int
	start bool // it is at the beginning of a line
	buf   []byte
}

func (r *reader) next() token {
	begin := r.at
	for r.at < len(r.text) {
		c, size := utf8.DecodeRune(r.text[r.at:])
		if !isInvisible(c) {
			break
		}
		r.at += size
	}
	t := token{from: r.at, skipped: r.text[begin:r.at]}
	if t.end = r.at == len(r.text); t.end {
		return t
	}
	for t.to = r.at; t.to < len(r.text); {
		c, size := utf8.DecodeRune(r.text[t.to:])
		if !isBlank(c) {
			break
		}
		t.to += size
	}
	if t.blank = t.to > r.at; t.blank {
		t.leads = r.start
		t.trails = t.to == len(r.text) || r.text[t.to] == '\n'
		if !t.soft() {
			t.looks = []byte(" ")
		}
	} else {
		t.to = r.at + characterSize(r.text[r.at:])
		t.looks = r.looksOf(r.text[r.at:t.to])
		r.start = r.text[r.at] == '\n'
	}
	r.at = t.to
	return t
}

// characterSize returns the size of the character with which a text begins, and of the marks on it. Three dots are one.
func characterSize(text []byte) int {
	if bytes.HasPrefix(text, []byte("...")) {
		return len("...")
	}
	_, n := utf8.DecodeRune(text)
	for n < len(text) && text[n] >= utf8.RuneSelf {
		c, size := utf8.DecodeRune(text[n:])
		// vowels and ends of Korean syllables
		if !unicode.Is(unicode.Mn, c) && (c < 0x1160 || c > 0x11ff) || isInvisible(c) {
			break
		}
		n += size
	}
	return n
}

// looksOf returns what is the same for characters that look the same.
func (r *reader) looksOf(character []byte) []byte {
	if character[0] < utf8.RuneSelf && len(character) == 1 {
		return character
	}
	switch c, size := utf8.DecodeRune(character); {
	case size < len(character):
	case c == '‘', c == '’', c == '‚', c == '‛', c == '′', c == 'ʼ', c == '´':
		return []byte("'")
	case c == '“', c == '”', c == '„', c == '‟', c == '″':
		return []byte(`"`)
	case c >= '\u2010' && c <= '\u2015', c == '\u2212', c == '\ufe63', c == '\uff0d':
		return []byte("-")
	case c == '…':
		return []byte("...")
	}
	if norm.NFD.QuickSpan(character) == len(character) {
		return character
	}
	r.buf = norm.NFD.Append(r.buf[:0], character...)
	return r.buf
}

// isBlank reports whether a character is space within a line.
func isBlank(c rune) bool {
	return c == ' ' || c == '\t' || c == '\r' || c >= utf8.RuneSelf && unicode.IsSpace(c)
}

// isInvisible reports whether a character is not seen at all.
func isInvisible(c rune) bool {
	if c < utf8.RuneSelf {
		return c < ' ' && c != '\n' && !isBlank(c) || c == '\x7f'
	}
	return unicode.Is(unicode.Cf, c) || c >= 0xfe00 && c <= 0xfe0f || c == '\u034f'
}

// asSpaces returns blanks with special spaces as usual ones.
func asSpaces(blanks []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c >= utf8.RuneSelf {
			return ' '
		}
		return c
	}, blanks)
}
