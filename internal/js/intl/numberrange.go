package intl

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// Sources of the parts of a range.
const (
	fromStart = "startRange"
	fromEnd   = "endRange"
	fromBoth  = "shared"
)

// A span is where a number of a range is in the text: from its first unit of UTF-16 to the one after the last.
type span struct{ from, to int }

// RangeParts returns the pieces of a range of numbers, given as JavaScript writes them.
func (f *NumberFormat) RangeParts(start, end string) ([]Part, error) {
	parts, first, second, err := f.numberRange(start, end)
	parts = tidyParts(parts)
	at := 0
	for i := range parts {
		next := at + units(parts[i].Value)
		switch {
		case at >= first.from && next <= first.to:
			parts[i].Source = fromStart
		case at >= second.from && next <= second.to:
			parts[i].Source = fromEnd
		default:
			parts[i].Source = fromBoth
		}
		at = next
	}
	return parts, err
}

// FormatRange returns a range of numbers as text.
func (f *NumberFormat) FormatRange(start, end string) (string, error) {
	parts, _, _, err := f.numberRange(start, end)
	return joinParts(parts), err
}

// numberRange writes a range as ICU does: what is around both numbers is written once if it is more than one character.
func (f *NumberFormat) numberRange(start, end string) (parts []Part, from, to span, err error) {
	first, ok1 := parseDecimal(start)
	second, ok2 := parseDecimal(end)
	if !ok1 || !ok2 || first.nan || second.nan {
		return nil, span{}, span{}, errNumber
	}
	a, b := f.write(first, false), f.write(second, false)
	if a.inner.equal(b.inner) && a.middle.equal(b.middle) && a.value.equal(&b.value) {
		first, _ = parseDecimal(start)
		w := f.write(first, true)
		return f.outside(w.category, w.around(w.inner.around(w.number))), span{}, span{}, nil
	}
	once := a.middle.equal(b.middle) && a.middle.size() > 1 // the outer affixes are equal always
	pattern := systemText(f.o.locale, f.o.system, "miscPatterns/range")
	before, rest, _ := strings.Cut(pattern, "{0}")
	between, after, _ := strings.Cut(rest, "{1}")
	if a.inner.size() > 0 || !once && a.middle.size() > 0 {
		between = spaced(between)
	}
	left, right := a.inner.around(a.number), b.inner.around(b.number)
	if !once {
		left, right = a.around(left), b.around(right)
	}
	literal := func(text string) []Part {
		if text == "" {
			return nil
		}
		return []Part{{Type: "literal", Value: text}}
	}
	parts = slices.Concat(literal(before), left, literal(between), right, literal(after))
	from.from = units(before)
	from.to = from.from + length(left)
	to.from = from.to + units(between)
	to.to = to.from + length(right)
	if !once {
		return f.framed(a, b, parts, from, to, 0)
	}
	whole := a.around(parts)
	// ICU takes the prefix to be as long as the pattern has it, without the space between currency and digits.
	shift := 0
	for _, p := range a.middle.prefix {
		shift += units(p.Value)
	}
	return f.framed(a, b, whole, from, to, shift)
}

// framed puts the outer affix around a range whose numbers have moved.
func (f *NumberFormat) framed(a, b written, parts []Part, from, to span, shift int) ([]Part, span, span, error) {
	marker := []Part{{Type: "literal", Value: "\x00"}}
	whole := f.outside(rangeCategory(f.o.locale, a.category, b.category), parts)
	if f.outer != nil {
		prefix, _, _ := strings.Cut(
			joinParts(f.outside(rangeCategory(f.o.locale, a.category, b.category), marker)), "\x00")
		shift += units(prefix)
	}
	return whole, span{from.from + shift, from.to + shift}, span{to.from + shift, to.to + shift}, nil
}

// length returns how many units of UTF-16 parts have.
func length(parts []Part) (n int) {
	for i := range parts {
		n += units(parts[i].Value)
	}
	return n
}

// units returns how many units of UTF-16 a text has.
func units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// spaced returns a separator with spaces at both ends.
func spaced(text string) string {
	if !patternSpace(firstRune(text)) {
		text = " " + text
	}
	if !patternSpace(lastRune(text)) {
		text += " "
	}
	return text
}

// patternSpace reports whether a character is white space in a pattern.
func patternSpace(r rune) bool {
	return r >= '\t' && r <= '\r' || r == ' ' || r == 0x85 || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029
}
