package intl

import (
	"slices"
	"strings"
)

// difference returns the largest field in which two moments differ.
func difference(a, b civil) int {
	switch {
	case a.era != b.era:
		return diffEra
	case a.year != b.year:
		return diffYear
	case a.month != b.month:
		return diffMonth
	case a.day != b.day:
		return diffDay
	case a.hour/12 != b.hour/12:
		return diffHalf
	case a.hour != b.hour:
		return diffHour
	case a.minute != b.minute:
		return diffMinute
	case a.second != b.second:
		return diffSecond
	case a.ms != b.ms:
		return diffFraction
	}
	return diffNone
}

// FormatRange writes the range between two times.
func (f *DateFormat) FormatRange(from, to float64) string {
	parts := f.RangeParts(from, to)
	if text := joinParts(parts); slices.ContainsFunc(parts, func(p Part) bool { return p.Source != sharedInRange }) {
		return text
	}
	return f.Format(from) // V8 writes narrow spaces as plain ones only here
}

// RangeParts writes the range between two times in parts that tell which end they are from.
func (f *DateFormat) RangeParts(from, to float64) []Part {
	a, b := f.moment(from), f.moment(to)
	diff := difference(a, b)
	r := f.intervals()
	if diff == diffNone {
		return f.write(nil, f.items, a, sharedInRange)
	}
	p := r.patterns[diff]
	switch {
	case p != nil && p.first != nil:
		return shareParts(f.write(f.write(nil, p.first, a, ""), p.second, b, ""))
	case p != nil:
		return shareParts(f.joined(nil, p.second, a, b))
	case ignoresField(formatDatePattern(r.single), diff):
		return f.write(nil, f.items, a, sharedInRange)
	case diff >= diffHalf && r.date != nil && r.time != nil:
		return shareParts(f.fill(nil, r.glue, func(parts []Part, place byte) []Part {
			if place == '1' {
				return f.write(parts, r.date, a, "")
			}
			return f.joined(parts, r.time, a, b)
		}))
	}
	return shareParts(f.joined(nil, r.single, a, b))
}

// joined appends both ends of a range whole, joined by the fallback.
func (f *DateFormat) joined(parts []Part, items []patternItem, a, b civil) []Part {
	return f.fill(parts, f.intervals().fallback, func(parts []Part, place byte) []Part {
		if place == '1' {
			a = b
		}
		return f.write(parts, items, a, "")
	})
}

// fill appends what belongs to the places {0} and {1} of a pattern, and the text around them.
func (f *DateFormat) fill(parts []Part, pattern string, place func(parts []Part, place byte) []Part) []Part {
	literal := func(text string) {
		if text != "" {
			parts = f.write(parts, []patternItem{{text: strings.ReplaceAll(text, "'", "")}}, civil{}, "")
		}
	}
	for {
		i := strings.IndexByte(pattern, '{')
		if i < 0 || i+2 >= len(pattern) {
			literal(pattern)
			return parts
		}
		literal(pattern[:i])
		parts = place(parts, pattern[i+1])
		pattern = pattern[i+3:]
	}
}

// shareParts tells which end of a range each part is from. What lies between the first and the last field that occurs
// twice belongs to an end; the rest is shared.
func shareParts(parts []Part) []Part {
	const none = -1
	spans := [2][2]int{{none, none}, {none, none}}
	grow := func(span *[2]int, i int) {
		if span[0] == none || i < span[0] {
			span[0] = i
		}
		span[1] = max(span[1], i)
	}
	for i, p := range parts {
		if p.Type == "literal" {
			continue
		}
		for j := i + 1; j < len(parts); j++ {
			if parts[j].Type == p.Type {
				grow(&spans[0], i)
				grow(&spans[1], j)
				break
			}
		}
	}
	for i := range parts {
		switch {
		case spans[0][0] != none && i >= spans[0][0] && i <= spans[0][1]:
			parts[i].Source = startOfRange
		case spans[1][0] != none && i >= spans[1][0] && i <= spans[1][1]:
			parts[i].Source = endOfRange
		default:
			parts[i].Source = sharedInRange
		}
	}
	return parts
}
