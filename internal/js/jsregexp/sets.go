package jsregexp

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// A set is what a class of the flag v, or a part of one, matches.
type set struct {
	content []byte         // the members that can be written in a class of the engine
	others  []string       // patterns for more members, each of which matches one character
	strings []stringMember // members that are not one character
	long    bool           // it may have such members by its syntax, even if it has none
	source  string         // what to write outside of classes, if the set is what the source says
}

type stringMember struct {
	code   string // how it is written in a pattern
	length int    // in code units
}

// add adds the members of another set to a set.
func (t *translator) add(s *set, other set) error {
	if err := t.copied(len(other.content) + 16*(len(other.others)+len(other.strings))); err != nil {
		return err
	}
	s.content = append(s.content, other.content...)
	s.others = append(s.others, other.others...)
	s.strings = append(s.strings, other.strings...)
	s.long = s.long || other.long
	s.source = ""
	if len(s.content) > growth*len(t.in)+room {
		return t.fail("Regular expression too large")
	}
	return nil
}

// copied counts the work of copying bytes. Sets in sets are copied once for each level.
func (t *translator) copied(n int) error {
	if t.work += 1 + n/copiedAtOnce; t.work > maxWork {
		return t.fail("Regular expression too large")
	}
	return nil
}

// copiedAtOnce is how many bytes are copied in the time of other work.
const copiedAtOnce = 64

// one returns a pattern that matches one character of the set.
func (t *translator) one(s *set) (string, error) {
	size := len(s.content)
	for _, other := range s.others {
		size += len(other)
	}
	if err := t.copied(size); err != nil {
		return "", err
	}
	class := "[" + string(s.content) + "]"
	if len(s.others) == 0 {
		return class, nil
	}
	options := s.others
	if len(s.content) > 0 {
		options = append([]string{class}, options...)
	}
	if len(options) == 1 {
		return options[0], nil
	}
	return "(?:" + strings.Join(options, "|") + ")", nil
}

// pattern returns a pattern that matches a member of the set, a longer one before a shorter one.
func (t *translator) pattern(s *set) (string, error) {
	one, err := t.one(s)
	if err != nil || len(s.strings) == 0 {
		return one, err
	}
	members := slices.Clone(s.strings)
	slices.SortStableFunc(members, func(a, b stringMember) int { return b.length - a.length })
	options := []string{}
	single := false
	for _, m := range members {
		if m.length == 0 {
			options, single = append(options, one), true
		}
		options = append(options, m.code)
	}
	if !single {
		options = append(options, one)
	}
	return "(?:" + strings.Join(options, "|") + ")", nil
}

// setClass translates a class with the flag v, whose bracket has been read.
func (t *translator) setClass() error {
	s, err := t.classSet()
	if err != nil {
		return err
	}
	pattern, err := t.pattern(&s)
	if err != nil {
		return err
	}
	return t.replace(pattern)
}

// classSet reads a class behind its bracket.
func (t *translator) classSet() (set, error) {
	if t.depth++; t.depth > maxDepth {
		return set{}, t.fail("Regular expression too large")
	}
	defer func() { t.depth-- }()
	negative := t.has("^")
	if negative {
		t.at++
	}
	s, err := t.setContents()
	if err != nil {
		return set{}, err
	}
	if t.next() != ']' {
		return set{}, t.fail("Unterminated character class")
	}
	if !negative {
		return s, nil
	}
	if s.long {
		return set{}, t.fail("Negated character class may contain strings")
	}
	one, err := t.one(&s)
	if err != nil {
		return set{}, err
	}
	if len(s.others) == 0 {
		return set{others: []string{"[^" + one[1:]}}, nil
	}
	return set{others: []string{"(?:(?!" + one + ")[^])"}}, nil
}

// setContents reads a union, an intersection or a difference, up to the bracket at its end.
func (t *translator) setContents() (set, error) {
	var s set
	operands := 0
	for t.at < len(t.in) && !t.has("]") {
		if operator := t.operator(); operator != "" {
			if operands != 1 {
				return s, t.fail("Invalid set operation in character class")
			}
			return t.operation(s, operator)
		}
		operands++
		operand, low, isCharacter, err := t.operand()
		if err != nil {
			return s, err
		}
		if t.has("-") && !t.has("--") {
			t.at++
			_, high, also, err := t.operand()
			switch {
			case err != nil:
				return s, err
			case !isCharacter || !also:
				return s, t.fail("Invalid character class")
			case high < low:
				return s, t.fail("Range out of order in character class")
			}
			if operand, err = t.rangeSet(low, high); err != nil {
				return s, err
			}
			operands++ // a range is no operand of an operation
		}
		if err := t.add(&s, operand); err != nil {
			return s, err
		}
	}
	return s, nil
}

// operator returns the operator of sets that is next, or "".
func (t *translator) operator() string {
	if t.has("&&") {
		return "&&"
	}
	if t.has("--") {
		return "--"
	}
	return ""
}

// operation reads the rest of an operation on sets.
func (t *translator) operation(s set, operator string) (set, error) {
	look := "(?!"
	if operator == "&&" {
		look = "(?="
	}
	for !t.has("]") {
		if !t.has(operator) {
			return s, t.fail("Invalid set operation in character class")
		}
		t.at += len(operator)
		if t.has("&") {
			return s, t.fail("Invalid character in character class")
		}
		right, _, _, err := t.operand()
		if err != nil {
			return s, err
		}
		one, err := t.one(&s)
		if err != nil {
			return s, err
		}
		other, err := t.one(&right)
		if err != nil {
			return s, err
		}
		if len(one)+len(other) > growth*len(t.in)+room {
			return s, t.fail("Regular expression too large")
		}
		same := make(map[string]bool, len(right.strings))
		for _, m := range right.strings {
			same[m.code] = true
		}
		s = set{
			long:   s.long && (right.long || operator == "--"),
			others: []string{"(?:" + look + other + ")" + one + ")"},
			strings: slices.DeleteFunc(slices.Clone(s.strings), func(m stringMember) bool {
				return same[m.code] != (operator == "&&")
			}),
		}
		if err := t.copied(16 * len(s.strings)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// operand reads a member of a class. It may be one character.
func (t *translator) operand() (s set, c rune, isCharacter bool, err error) {
	start := t.at
	switch {
	case t.has("["):
		t.at++
		s, err = t.classSet()
		return s, 0, false, err
	case t.has(`\q`):
		t.at += 2
		s, err = t.quoted()
		return s, 0, false, err
	case t.has(`\p`), t.has(`\P`):
		t.at += 2
		s, err = t.propertySet(start)
		s.source = ""
		return s, 0, false, err
	case t.has(`\w`), t.has(`\W`):
		t.at += 2
		return set{content: []byte(t.wordContent(t.in[start:t.at]))}, 0, false, nil
	case t.has(`\d`), t.has(`\D`), t.has(`\s`), t.has(`\S`):
		t.at += 2
		return set{content: []byte(t.in[start:t.at])}, 0, false, nil
	}
	if c, err = t.setCharacter(); err != nil {
		return set{}, 0, false, err
	}
	s, err = t.rangeSet(c, c)
	return s, c, true, err
}

const (
	setSyntax = `()[]{}/-\|`
	// doubled are the characters that must not occur twice in a row, reserved those that can be escaped in a class.
	doubled  = "&!#$%*+,.:;<=>?@^`~"
	reserved = "&-!#%,:;<=>@`~"
)

// setCharacter reads a character of a class.
func (t *translator) setCharacter() (rune, error) {
	c := t.next()
	switch {
	case c == -1:
		return 0, t.fail("Unterminated character class")
	case c == '\\':
		c = t.peek()
		switch {
		case c == 'b':
			t.at++
			return '\b', nil
		case c >= 0 && strings.ContainsRune(reserved, c):
			t.at++
			return c, nil
		case c == -1 || c|0x20 >= 'a' && c|0x20 <= 'z' && !strings.ContainsRune("fnrtvcxu", c) ||
			c >= '1' && c <= '9' || c > 0x7f || c == '_':
			return 0, t.fail("Invalid escape")
		}
		r, ok := t.characterEscape()
		if !ok || c == '0' && t.peek() >= '0' && t.peek() <= '9' {
			return 0, t.fail("Invalid escape")
		}
		return r, nil
	case strings.ContainsRune(setSyntax, c):
		return 0, t.fail("Invalid character in character class")
	case strings.ContainsRune(doubled, c) && t.peek() == c:
		return 0, t.fail("Invalid set operation in character class")
	}
	return c, nil
}

// rangeSet returns the set of the characters in a range.
func (t *translator) rangeSet(low, high rune) (set, error) {
	content := []byte(t.character(low))
	if high > low {
		content = append(append(content, '-'), t.character(high)...)
	}
	if t.expanding() {
		var err error
		if content, err = t.variants(content, low, high); err != nil {
			return set{}, err
		}
	}
	return set{content: content}, nil
}

// quoted reads the strings of \q{...}, behind the q.
func (t *translator) quoted() (set, error) {
	var s set
	if !t.has("{") {
		return s, t.fail("Invalid escape")
	}
	t.at++
	var text []rune
	known := map[string]bool{}
	for {
		if t.has("}") || t.has("|") {
			if err := t.addString(&s, known, text); err != nil {
				return s, err
			}
			text = text[:0]
			if t.next() == '}' {
				return s, nil
			}
			continue
		}
		c, err := t.setCharacter()
		if err != nil {
			return s, err
		}
		text = append(text, c)
	}
}

// addString adds a member, unless it is one already.
func (t *translator) addString(s *set, known map[string]bool, text []rune) error {
	if len(text) == 1 {
		one, err := t.rangeSet(text[0], text[0])
		s.content = append(s.content, one.content...)
		return err
	}
	var code strings.Builder
	for _, c := range text {
		if !t.expanding() {
			if t.now.ignoreCase {
				c = fold(c)
			}
			code.WriteString(t.character(c))
			continue
		}
		one, err := t.rangeSet(fold(c), fold(c))
		if err != nil {
			return err
		}
		code.WriteString("[" + string(one.content) + "]")
	}
	m := stringMember{code.String(), len(utf16.Encode(text))}
	if !known[m.code] {
		known[m.code] = true
		s.strings, s.long = append(s.strings, m), true
	}
	if len(s.strings) > maxStrings {
		return t.fail("Regular expression too large")
	}
	return nil
}

// maxStrings is how many strings \q{} may have.
const maxStrings = 2000
