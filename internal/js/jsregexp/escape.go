package jsregexp

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// escape translates what follows a backslash outside of classes.
func (t *translator) escape() error {
	start := t.at - 1
	c := t.peek()
	switch {
	case c == -1:
		return t.fail(`\ at end of pattern`)
	case c >= '1' && c <= '9':
		digits := t.digits()
		n, err := strconv.Atoi(digits)
		if err == nil && (n <= t.groups || t.flags.Unicode || !t.known) {
			return t.reference(t.in[start:t.at])
		}
		t.at = start + 1
		if c >= '8' {
			t.at++
			return t.emit(t.in[start:t.at])
		}
	case c == 'k' && (t.flags.Unicode || len(t.names) > 0):
		t.at++
		if !t.has("<") {
			return t.fail("Invalid named reference")
		}
		t.at++
		name, ok := t.groupName()
		if !ok {
			return t.fail("Invalid named reference")
		}
		groups := t.names[name]
		if len(groups) < 2 {
			return t.reference(t.in[start:t.at])
		}
		if err := t.reference(""); err != nil {
			return err
		}
		var text strings.Builder
		for _, g := range groups {
			text.WriteString(`\` + strconv.Itoa(g.number))
		}
		return t.replace("(?:" + text.String() + ")") // at most one of them matches more than nothing
	case c == 'b' || c == 'B':
		t.at++
		if t.expanding() && t.flags.Unicode {
			return t.replace(boundaries[c])
		}
		return t.emit(t.in[start:t.at])
	case (c == 'p' || c == 'P') && t.flags.Unicode:
		t.at++
		return t.property(start)
	case strings.ContainsRune("dDsSwW", c):
		t.at++
		if text, ok := t.word(c); ok {
			return t.replace(text)
		}
		return t.emit(t.in[start:t.at])
	}
	r, ok := t.characterEscape()
	if !ok {
		return t.emit(t.in[start:t.at])
	}
	return t.literal(r, t.in[start:t.at])
}

func (t *translator) digits() string {
	start := t.at
	for t.at < len(t.in) && t.in[t.at] >= '0' && t.in[t.at] <= '9' {
		t.at++
	}
	return t.in[start:t.at]
}

// reference writes a reference to a group.
func (t *translator) reference(source string) error {
	if t.known && t.expanding() {
		return t.fail("(?i:) cannot have references to groups in it: use the flag i for the whole expression")
	}
	return t.emit(source)
}

// With the flags i and u, \w also has the other cases of its characters, and \W has not.
const (
	wordVariants = `\u017f\u212a`
	notWord      = `\0-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\u017e\u0180-\u2129\u212b-\u{10ffff}`
)

// boundaries are \b and \B by these characters.
var boundaries = map[rune]string{
	'b': `(?:(?<=[\w` + wordVariants + `])(?![\w` + wordVariants + `])|(?<![\w` +
		wordVariants + `])(?=[\w` + wordVariants + `]))`,
	'B': `(?:(?<=[\w` + wordVariants + `])(?=[\w` + wordVariants + `])|(?<![\w` +
		wordVariants + `])(?![\w` + wordVariants + `]))`,
}

// word returns what \w and \W mean outside of classes where case is ignored, but not by a flag.
func (t *translator) word(c rune) (string, bool) {
	if !t.expanding() || !t.flags.Unicode {
		return "", false
	}
	switch c {
	case 'w':
		return `[\w` + wordVariants + `]`, true
	case 'W':
		return `[` + notWord + `]`, true
	}
	return "", false
}

// wordContent returns what to write for \w or \W in a class.
func (t *translator) wordContent(source string) string {
	switch {
	case !t.now.ignoreCase || !t.flags.Unicode:
		return source
	case source == `\W`:
		return notWord
	}
	return source + wordVariants
}

// characterEscape reads an escape that means one character, behind the backslash. If it is not valid, or its character
// cannot have a case, the result is false, and at least one character has been read.
func (t *translator) characterEscape() (rune, bool) {
	c := t.next()
	switch c {
	case 'f', 'n', 'r', 't', 'v':
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c], true
	case 'c':
		if r := t.peek(); r|0x20 >= 'a' && r|0x20 <= 'z' {
			t.at++
			return r & 31, true
		}
		return 0, false
	case 'x':
		if r, ok := t.hex(2); ok {
			return r, true
		}
		return c, !t.flags.Unicode
	case 'u':
		if r, ok := t.unicodeEscape(t.flags.Unicode); ok {
			return r, true
		}
		return c, !t.flags.Unicode
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if t.flags.Unicode {
			return 0, c == '0'
		}
		r := c - '0'
		for n := 1; n < 3 && t.at < len(t.in) && t.in[t.at] >= '0' && t.in[t.at] <= '7' && r*8 < 256; n++ {
			r = r*8 + rune(t.in[t.at]-'0')
			t.at++
		}
		return r, true
	}
	return c, true
}

// hex reads a number of hexadecimal digits, if they are there.
func (t *translator) hex(n int) (rune, bool) {
	if t.at+n > len(t.in) {
		return 0, false
	}
	value, err := strconv.ParseUint(t.in[t.at:t.at+n], 16, 32)
	if err != nil {
		return 0, false
	}
	t.at += n
	return rune(value), true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// unicodeEscape reads what follows \u: four digits, two such escapes that are one character, or digits in braces.
func (t *translator) unicodeEscape(unicode bool) (rune, bool) {
	if unicode && t.has("{") {
		end := 1
		for t.at+end < len(t.in) && isHex(t.in[t.at+end]) {
			end++
		}
		if t.at+end == len(t.in) || t.in[t.at+end] != '}' {
			return 0, false
		}
		value, err := strconv.ParseUint(t.in[t.at+1:t.at+end], 16, 32)
		if err != nil || value > 0x10ffff {
			return 0, false
		}
		t.at += end + 1
		return rune(value), true
	}
	r, ok := t.hex(4)
	if ok && unicode && r >= 0xd800 && r < 0xdc00 && t.has(`\u`) {
		start := t.at
		t.at += 2
		if low, ok := t.hex(4); ok && low >= 0xdc00 && low < 0xe000 {
			return utf16.DecodeRune(r, low), true
		}
		t.at = start
	}
	return r, ok
}

// closed are the properties that a letter shares with the other cases of it.
var closed = map[string]bool{
	"L": true, "Letter": true, "LC": true, "Cased_Letter": true, "Alphabetic": true, "Alpha": true, "Cased": true,
	"N": true, "Number": true, "Nd": true, "P": true, "Punctuation": true, "S": true,
	"Symbol": true, "Z": true, "Separator": true,
	"ID_Start": true, "IDS": true, "ID_Continue": true, "IDC": true, "Any": true, "ASCII": true, "Emoji": true,
	"Extended_Pictographic": true, "ExtPict": true, "Zs": true, "Space_Separator": true,
	"White_Space": true, "space": true,
}

// property translates \p{...} or \P{...}, of which the letter has been read, outside of classes.
func (t *translator) property(start int) error {
	s, err := t.propertySet(start)
	if err != nil {
		return err
	}
	if s.source != "" && !t.flags.IgnoreCase {
		return t.emit(s.source)
	}
	pattern, err := t.pattern(&s)
	if err != nil {
		return err
	}
	return t.replace(pattern) // the engine ignores case in classes only
}

// propertySet reads a property.
func (t *translator) propertySet(start int) (set, error) {
	end := strings.IndexByte(t.in[t.at:], '}')
	if !t.has("{") || end < 0 {
		return set{}, t.fail("Invalid property name")
	}
	name := t.in[t.at+1 : t.at+end]
	t.at += end + 1
	source := t.in[start:t.at]
	negative := t.in[start+1] == 'P'
	if t.flags.Sets && name == "Emoji_Keycap_Sequence" && !negative {
		return t.keycaps()
	}
	if t.flags.Sets && emojiProperty(name) {
		return set{}, t.fail(`\p{%s} is not available: \p{Emoji_Presentation} and \p{Extended_Pictographic} are `+
			`single characters, and new Intl.Segmenter() finds whole emoji`, name)
	}
	short := name[strings.IndexByte(name, '=')+1:]
	if t.expanding() && !closed[short] && !strings.HasPrefix(name, "Script") && !strings.HasPrefix(name, "sc") {
		return set{}, t.fail(`(?i:) cannot have \p{%s} in it: use the flag i for the whole expression`, name)
	}
	if negative && t.flags.Sets && t.now.ignoreCase {
		return set{others: []string{`(?:(?![\p` + source[2:] + `])[^])`}}, nil
	}
	return set{content: []byte(source), source: source}, nil
}

// emojiProperty reports whether a property is one of strings.
func emojiProperty(name string) bool {
	return name == "Basic_Emoji" || name == "Emoji_Keycap_Sequence" || strings.HasPrefix(name, "RGI_")
}

// keycaps returns the set of the strings that stand for the keys of a telephone.
func (t *translator) keycaps() (set, error) {
	s := set{long: true}
	known := map[string]bool{}
	for _, key := range "#*0123456789" {
		if err := t.addString(&s, known, []rune{key, 0xfe0f, 0x20e3}); err != nil {
			return s, err
		}
	}
	return s, nil
}
