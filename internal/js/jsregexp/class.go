package jsregexp

import "strings"

// class translates a class without the flag v, whose bracket has been read.
func (t *translator) class() error {
	var class strings.Builder
	var more []byte
	class.WriteByte('[')
	if t.has("^") {
		t.at++
		class.WriteByte('^')
	}
	changed := false
	for !t.has("]") {
		if t.at >= len(t.in) {
			return t.fail("Unterminated character class")
		}
		start := t.at
		low, ok, err := t.classAtom()
		if err != nil {
			return err
		}
		if source := t.in[start:t.at]; source == `\w` || source == `\W` {
			word := t.wordContent(source)
			changed = changed || word != source
			class.WriteString(word)
			continue
		}
		high := low
		if t.has("-") && !t.has("-]") {
			t.at++
			var also bool
			if high, also, err = t.classAtom(); err != nil {
				return err
			}
			if ok && also && high < low {
				return t.fail("Range out of order in character class")
			}
			ok = ok && also
		}
		class.WriteString(t.in[start:t.at])
		if ok && t.expanding() {
			if more, err = t.variants(more, low, high); err != nil {
				return err
			}
		}
	}
	t.at++
	if changed || len(more) > 0 {
		return t.replace(class.String() + string(more) + "]")
	}
	return t.emit(class.String() + "]")
}

// classAtom reads a member of a class. It is false for a set, such as \d.
func (t *translator) classAtom() (rune, bool, error) {
	c := t.next()
	if c != '\\' {
		return c, c >= 0, nil
	}
	switch c := t.peek(); {
	case c == 'b':
		t.at++
		return '\b', true, nil
	case (c == 'p' || c == 'P') && t.flags.Unicode:
		t.at++
		_, err := t.propertySet(t.at - 2)
		return 0, false, err
	case c >= 0 && strings.ContainsRune("dDsSwW", c):
		t.at++
		return 0, false, nil
	}
	r, ok := t.characterEscape()
	return r, ok, nil
}

// variants appends the other cases of the characters in a range.
func (t *translator) variants(to []byte, low, high rune) ([]byte, error) {
	more, work := otherCases(low, high, t.flags.Unicode)
	if t.work += work; t.work > maxWork {
		return nil, t.fail("Regular expression too large")
	}
	for _, c := range more {
		if to = append(to, t.character(c)...); len(to) > room {
			return nil, t.fail("Regular expression too large")
		}
	}
	return to, nil
}
