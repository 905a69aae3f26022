package intl

import (
	"strings"
)

// A rangePattern is how a range is written whose ends differ in one field. Without a first part, second is a pattern of
// one time, and the ends are joined by the fallback.
type rangePattern struct {
	first, second []patternItem
}

// rangeFormat writes ranges of times.
type rangeFormat struct {
	patterns   [diffNone]*rangePattern
	single     []patternItem // the pattern of one time
	date, time []patternItem // for ends on the same day without a pattern of their own
	glue       string
	fallback   string
}

// newRangeFormat chooses the patterns of a format's ranges, as ICU does.
func (f *DateFormat) newRangeFormat() *rangeFormat {
	data := f.symbols.ranges()
	s := parseSkeleton(f.pattern)
	skeleton := s.String()
	r := &rangeFormat{glue: f.rangeGlue(), fallback: f.symbols.fallback}
	r.single = parseDatePattern(f.bestAny(skeleton))
	skeleton = f.normalHours(skeleton)
	date, time, normalDate, normalTime := splitSkeleton(skeleton)

	found := f.setRanges(r, data, normalDate, normalTime)
	set := func(diff int, pattern string) { r.patterns[diff] = &rangePattern{second: parseDatePattern(pattern)} }
	switch {
	case time == "":
	case date == "":
		withDate := f.bestAny(shortestDateOnly + time)
		for _, diff := range []int{diffDay, diffMonth, diffYear} {
			set(diff, withDate)
		}
		set(diffEra, f.bestAny("G"+shortestDateOnly+time))
	case found:
		// Ends in the same day: the date, and the range of times. Others are whole, with the fields that tell them
		// apart.
		longer := skeleton
		for _, field := range []struct {
			diff int
			char string
		}{{diffDay, "d"}, {diffMonth, "M"}, {diffYear, "y"}, {diffEra, "G"}} {
			if !strings.Contains(date, field.char) {
				longer = field.char + longer
				set(field.diff, f.bestAny(longer))
			}
		}
		pattern := f.bestAny(date)
		for _, diff := range []int{diffHalf, diffHour, diffMinute} {
			if p := r.patterns[diff]; p != nil && p.first != nil {
				whole := formatDatePattern(p.first) + formatDatePattern(p.second)
				r.patterns[diff] = splitRange(fillPattern(r.glue, whole, pattern))
			}
		}
	}
	return r
}

// rangeGlue joins a date and a range of times.
func (f *DateFormat) rangeGlue() string { return pick(f.symbols.glue, styleMedium) }

// bestAny returns the best pattern for a skeleton with its own hours.
func (f *DateFormat) bestAny(skeleton string) string {
	hour := f.symbols.hour
	if f.hourCycle != "" {
		hour = hourLetters[f.hourCycle]
	}
	return f.symbols.generator().pattern(skeleton, request{decimal: f.decimal, hour: hour, keepHour: true})
}

// normalHours writes the hour of a skeleton and its part of the day next to one another.
func (f *DateFormat) normalHours(skeleton string) string {
	hour, period, hours, periods := byte(0), byte(0), 0, 0
	var rest []byte
	at := -1
	for i := range len(skeleton) {
		switch c := skeleton[i]; c {
		case 'h', 'H', 'k', 'K':
			if hours == 0 {
				at = len(rest)
			}
			hour = c
			hours++
		case 'a', 'b', 'B':
			period = c
			periods++
		default:
			rest = append(rest, c)
		}
	}
	if hours == 0 {
		return skeleton
	}
	// The letter is that of the pattern which the locale has for it.
	for _, it := range parseDatePattern(f.bestAny(string(hour))) {
		switch it.char {
		case 'h', 'H', 'k', 'K':
			hour = it.char
		case 'b', 'B':
			period = it.char
		case 'a':
			if period == 0 {
				period = 'a'
			}
		}
	}
	fields := string(hour)
	if hour == 'h' || hour == 'K' {
		if period == 0 {
			period = 'a'
		}
		n := 1
		switch {
		case periods >= 5 || hours >= 5:
			n = 5
		case periods >= 3 || hours >= 3:
			n = 3
		}
		fields += strings.Repeat(string(period), n)
	}
	return string(rest[:at]) + fields + string(rest[at:])
}

// splitSkeleton returns the fields of a skeleton's date and of its time, and both in the form in which CLDR has them.
func splitSkeleton(skeleton string) (date, time, normalDate, normalTime string) {
	var d, t, nd, nt strings.Builder
	count := map[byte]int{}
	hour := byte(0)
	for i := range len(skeleton) {
		c := skeleton[i]
		switch c {
		case 'E', 'd', 'M', 'y':
			d.WriteByte(c)
			count[c]++
		case 'G', 'Y', 'u', 'Q', 'q', 'L', 'l', 'W', 'w', 'D', 'F', 'g', 'e', 'c', 'U', 'r':
			d.WriteByte(c)
			nd.WriteByte(c)
		case 'h', 'H', 'k', 'K':
			t.WriteByte(c)
			if hour == 0 {
				hour = c
			}
		case 'm', 'z', 'v':
			t.WriteByte(c)
			count[c]++
		case 'a':
			t.WriteByte(c)
		case 'O': // ICU does not know it here
		default:
			t.WriteByte(c)
			nt.WriteByte(c)
		}
	}
	nd.WriteString(strings.Repeat("y", count['y']))
	switch n := count['M']; {
	case n == 0:
	case n < 3:
		nd.WriteByte('M')
	default:
		nd.WriteString(strings.Repeat("M", min(n, 5)))
	}
	switch n := count['E']; {
	case n == 0:
	case n <= 3:
		nd.WriteByte('E')
	default:
		nd.WriteString(strings.Repeat("E", min(n, 5)))
	}
	if count['d'] > 0 {
		nd.WriteByte('d')
	}
	if hour != 0 {
		nt.WriteByte(hour)
	}
	for _, c := range []byte("mzv") {
		if count[c] > 0 {
			nt.WriteByte(c)
		}
	}
	return d.String(), t.String(), nd.String(), nt.String()
}

// setRanges takes the interval patterns for a skeleton from the data, and reports whether there are any.
func (f *DateFormat) setRanges(r *rangeFormat, data *rangeData, date, time string) bool {
	skeleton := time
	if skeleton == "" {
		skeleton = date
	}
	best, comparison := data.best(skeleton)
	if best == "" {
		return false
	}
	if date != "" && time != "" {
		r.date, r.time = parseDatePattern(f.bestAny(date)), parseDatePattern(f.bestAny(time))
	}
	if comparison == otherFields {
		return false
	}
	if time != "" {
		for _, diff := range []int{diffMinute, diffHour, diffHalf} {
			f.setRange(r, data, diff, skeleton, best, comparison, false)
		}
		return true
	}
	f.setRange(r, data, diffDay, skeleton, best, comparison, true)
	if extended, extendedBest, ok := f.setRange(r, data, diffMonth, skeleton, best, comparison, true); ok {
		skeleton, best = extended, extendedBest
	}
	f.setRange(r, data, diffYear, skeleton, best, comparison, true)
	f.setRange(r, data, diffEra, skeleton, best, comparison, true)
	return true
}

var calendarLetters = [...]string{
	diffEra: "G", diffYear: "y", diffMonth: "M", diffDay: "d", diffHalf: "a", diffHour: "h", diffMinute: "m",
}

// setRange sets the pattern for ends that differ in one field. If the data has it only with that field added to the
// skeleton, it returns the longer skeletons.
func (f *DateFormat) setRange(r *rangeFormat, data *rangeData, diff int, skeleton, best string, comparison int,
	extend bool) (string, string, bool) {
	get := func(skeleton string, diff int) string {
		if p := data.patterns[skeleton]; p != nil {
			return p[diff]
		}
		return ""
	}
	pattern := get(best, diff)
	extended, extendedBest, isExtended := "", "", false
	if pattern == "" {
		if ignoresField(best, diff) {
			return "", "", false
		}
		if diff == diffHalf {
			if pattern = get(best, diffHour); pattern != "" {
				r.patterns[diff] = splitRange(adjustRange(skeleton, best, pattern, comparison))
			}
			return "", "", false
		}
		if extend {
			letter := calendarLetters[diff]
			extended, extendedBest = letter+skeleton, letter+best
			isExtended = true
			pattern = get(extendedBest, diff)
			if pattern == "" && comparison == sameSkeleton {
				var other string
				other, comparison = data.best(extendedBest)
				if other != "" && comparison != otherFields {
					pattern = get(other, diff)
					best = other
				}
			}
		}
	}
	if pattern == "" {
		return "", "", false
	}
	if comparison != sameSkeleton {
		pattern = adjustRange(skeleton, best, pattern, comparison)
	}
	r.patterns[diff] = splitRange(pattern)
	return extended, extendedBest, isExtended
}

// ignoresField reports whether a pattern or skeleton has only fields that are larger than another one.
func ignoresField(pattern string, diff int) bool {
	level := map[byte]int{
		'G': 0, 'y': 10, 'Y': 10, 'u': 10, 'U': 10, 'r': 10, 'Q': 20, 'q': 20, 'M': 20,
		'L': 20, 'w': 20, 'W': 20, 'd': 30,
		'D': 30, 'E': 30, 'e': 30, 'c': 30, 'F': 30, 'g': 30, 'a': 40, 'h': 50, 'H': 50, 'k': 50, 'K': 50,
		'm': 60, 's': 70, 'S': 80, 'A': 40,
	}
	limit := []int{0, 10, 20, 30, 40, 50, 60, 70, 80}[diff]
	for _, it := range parseDatePattern(pattern) {
		if l, ok := level[it.char]; ok && limit <= l {
			return false
		}
	}
	return true
}

// adjustRange gives the fields of an interval pattern the lengths of a skeleton.
func adjustRange(skeleton, best, pattern string, comparison int) string {
	items := parseDatePattern(pattern)
	asked, has := letterWidths(skeleton), letterWidths(best)
	if comparison == otherLetters {
		for i := range items {
			switch it := &items[i]; {
			case it.char == 'v' && asked['z'] > 0:
				it.char = 'z'
			case it.char == 'h' && asked['K'] > 0:
				it.char = 'K'
			case it.char == 'H' && asked['k'] > 0:
				it.char = 'k'
			case it.char == 'a' && asked['b'] > 0:
				it.char = 'b'
			}
		}
	}
	for _, it := range items {
		if (it.char == 'a' || it.char == 'b') && has[it.char] == 0 {
			has[it.char] = 1
		}
	}
	for i := range items {
		it := &items[i]
		char := it.char
		if char == 'L' {
			char = 'M'
		}
		if char != 0 && has[char] == it.n && asked[char] > it.n {
			it.n = asked[char]
		}
	}
	return formatDatePattern(items)
}

// splitRange splits an interval pattern where its fields begin to repeat.
func splitRange(pattern string) *rangePattern {
	items := parseDatePattern(pattern)
	seen := map[byte]bool{}
	for i, it := range items {
		if it.char == 0 {
			continue
		}
		if seen[it.char] {
			return &rangePattern{items[:i], items[i:]}
		}
		seen[it.char] = true
	}
	return &rangePattern{items, nil}
}
