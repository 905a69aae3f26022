package intl

import (
	"strconv"
	"strings"
)

var partTypes = [fieldCount]string{
	fieldEra: "era", fieldYear: "year", fieldQuarter: "literal", fieldMonth: "month", fieldWeek: "literal",
	fieldWeekOfMonth: "literal", fieldWeekday: "weekday", fieldDayOfYear: "literal", fieldDayOfWeekInMonth: "literal",
	fieldDay: "day", fieldDayPeriod: "dayPeriod", fieldHour: "hour", fieldMinute: "minute", fieldSecond: "second",
	fieldFraction: "fractionalSecond", fieldZone: "timeZoneName",
}

// Format writes a time, in milliseconds from the epoch, which must be one of JavaScript's Date.
func (f *DateFormat) Format(ms float64) string {
	return plainSpaces(joinParts(f.Parts(ms)))
}

// plainSpaces writes narrow spaces as plain ones: V8 does so in texts, for code that takes them apart, but not in
// parts.
func plainSpaces(text string) string { return strings.ReplaceAll(text, "\u202f", " ") }

// Parts writes a time in parts.
func (f *DateFormat) Parts(ms float64) []Part {
	return f.write(nil, f.items, f.moment(ms), "")
}

// moment returns a time in the format's zone and calendar.
func (f *DateFormat) moment(ms float64) civil {
	if !validTime(ms) {
		ms = 0 // the caller has checked
	}
	offset, _ := f.zone.at(int64(ms))
	return civilAt(f.calendar, int64(ms), offset)
}

// write appends the parts of a pattern.
func (f *DateFormat) write(parts []Part, items []patternItem, c civil, source string) []Part {
	hasMinute, hasSecond := false, false
	for _, it := range items {
		hasMinute = hasMinute || it.char == 'm'
		hasSecond = hasSecond || it.char == 's'
	}
	for _, it := range items {
		kind, text := "literal", it.text
		if it.char != 0 {
			l := letterOf(it.char, it.n)
			if l == nil {
				continue
			}
			kind = partTypes[l.field]
			if it.char == 'r' {
				kind = "relatedYear"
			}
			if l.field == fieldDayPeriod && it.char != 'a' && !hasSecond {
				d := c
				d.second = 0
				if !hasMinute {
					d.minute = 0
				}
				text = f.field(it, d)
			} else {
				text = f.field(it, c)
			}
		}
		if text == "" {
			continue
		}
		if n := len(parts); n > 0 && kind == "literal" && parts[n-1].Type == kind && parts[n-1].Source == source {
			parts[n-1].Value += text
			continue
		}
		parts = append(parts, Part{Type: kind, Value: text, Source: source})
	}
	return parts
}

// field writes one field.
func (f *DateFormat) field(it patternItem, c civil) string {
	width := max(it.n, 3)
	s := f.symbols
	switch it.char {
	case 'G':
		return pick(s.eras[min(width, 5)], c.era)
	case 'y', 'Y', 'u':
		if it.n == 2 {
			return f.number(c.year%100, 2)
		}
		if f.calendar == "japanese" && c.year == 1 && s.locale == "ja" && it.n == 1 {
			return "元"
		}
		return f.number(c.year, it.n)
	case 'r':
		return f.number(c.related, it.n)
	case 'M', 'L':
		if it.n < 3 {
			return f.number(c.month, it.n)
		}
		names := s.months
		if it.char == 'L' {
			names = s.standaloneMonths
		}
		return pick(names[min(width, 5)], c.month-1)
	case 'd':
		return f.number(c.day, it.n)
	case 'E':
		return pick(s.days[min(width, 6)], c.weekday)
	case 'c', 'e':
		if it.n < 3 {
			return f.number(floorWeekday(c.weekday), it.n)
		}
		names := s.standaloneDays
		if it.char == 'e' {
			names = s.days
		}
		return pick(names[min(width, 6)], c.weekday)
	case 'a', 'b', 'B':
		return f.dayPeriod(it, c)
	case 'h':
		return f.number((c.hour+11)%12+1, it.n)
	case 'H':
		return f.number(c.hour, it.n)
	case 'K':
		return f.number(c.hour%12, it.n)
	case 'k':
		return f.number((c.hour+23)%24+1, it.n)
	case 'm':
		return f.number(c.minute, it.n)
	case 's':
		return f.number(c.second, it.n)
	case 'S':
		ms := c.ms
		for n := it.n; n < 3; n++ {
			ms /= 10
		}
		return f.number(ms, min(it.n, 3))
	case 'Q', 'q':
		return f.number((c.month+2)/3, min(it.n, 2))
	case 'z', 'O', 'v', 'Z', 'V':
		return f.zoneName(it, c)
	}
	return ""
}

// floorWeekday returns the number of a weekday: 1 for Sunday.
func floorWeekday(day int) int { return day + 1 }

// pick returns a member of a list, or nothing if it is not there.
func pick(list []string, i int) string {
	if i < 0 || i >= len(list) {
		return ""
	}
	return list[i]
}

// number writes a number with at least n digits in the format's numbering system.
func (f *DateFormat) number(value, n int) string {
	text := strconv.Itoa(value)
	sign := ""
	if value < 0 {
		sign, text = f.minus, text[1:]
	}
	if len(text) < n {
		text = strings.Repeat("0", n-len(text)) + text
	}
	if f.latin {
		return sign + text
	}
	var b strings.Builder
	b.WriteString(sign)
	for _, digit := range text {
		b.WriteRune(f.digits[digit-'0'])
	}
	return b.String()
}

// dayPeriod writes the part of the day.
func (f *DateFormat) dayPeriod(it patternItem, c civil) string {
	names := f.symbols.periods[min(max(it.n, 3), 5)]
	half := periodAM
	if c.hour >= 12 {
		half = periodPM
	}
	if it.char == 'a' {
		return pick(names, half)
	}
	period := -1
	if c.minute == 0 && c.second == 0 {
		switch {
		case c.hour == 0 && f.symbols.hasMidnight:
			period = periodMidnight
		case c.hour == 12 && f.symbols.hasNoon:
			period = periodNoon
		}
	}
	if it.char == 'b' {
		if name := pick(names, period); name != "" {
			return name
		}
		return pick(names, half)
	}
	if name := pick(names, period); name != "" && period == periodNoon { // ICU writes midnight only for b
		return name
	}
	if name := pick(names, f.symbols.periodOfHour[c.hour]); name != "" {
		return name
	}
	return pick(names, half)
}
