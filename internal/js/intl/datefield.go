package intl

import "strings"

// The fields of a date's pattern, in the order of a skeleton.
const (
	fieldEra = iota
	fieldYear
	fieldQuarter
	fieldMonth
	fieldWeek
	fieldWeekOfMonth
	fieldWeekday
	fieldDayOfYear
	fieldDayOfWeekInMonth
	fieldDay
	fieldDayPeriod
	fieldHour
	fieldMinute
	fieldSecond
	fieldFraction
	fieldZone
	fieldCount
)

const (
	dateFields = 1<<fieldDayPeriod - 1
	timeFields = 1<<fieldCount - 1 - dateFields
)

// What a letter of a pattern makes of its field. Forms that resemble one another are near one another: the distance of
// two skeletons counts the differences. A numeric form adds the number of letters.
const (
	formNarrow  = -0x101
	formShorter = -0x102
	formShort   = -0x103
	formLong    = -0x104
	formNumeric = 0x100
	formStep    = 0x10 // between letters for the same field
)

// A letter describes the meaning of a run of at least min equal letters.
type letter struct {
	char  byte
	field int
	form  int
	min   int
}

// letters are those of CLDR's patterns; those of one letter stand together, in the order of their least runs.
//
// See https://www.unicode.org/reports/tr35/tr35-dates.html#Matching_Skeletons
var letters = []letter{
	{'G', fieldEra, formShort, 1}, {'G', fieldEra, formLong, 4}, {'G', fieldEra, formNarrow, 5},
	{'y', fieldYear, formNumeric, 1},
	{'Y', fieldYear, formNumeric + formStep, 1},
	{'u', fieldYear, formNumeric + 2*formStep, 1},
	{'r', fieldYear, formNumeric + 3*formStep, 1},
	{'U', fieldYear, formShort, 1}, {'U', fieldYear, formLong, 4}, {'U', fieldYear, formNarrow, 5},
	{'Q', fieldQuarter, formNumeric, 1}, {'Q', fieldQuarter, formShort, 3}, {'Q', fieldQuarter, formLong, 4},
	{'Q', fieldQuarter, formNarrow, 5},
	{'q', fieldQuarter, formNumeric + formStep, 1}, {'q', fieldQuarter, formShort - formStep, 3},
	{'q', fieldQuarter, formLong - formStep, 4}, {'q', fieldQuarter, formNarrow - formStep, 5},
	{'M', fieldMonth, formNumeric, 1}, {'M', fieldMonth, formShort, 3}, {'M', fieldMonth, formLong, 4},
	{'M', fieldMonth, formNarrow, 5},
	{'L', fieldMonth, formNumeric + formStep, 1}, {'L', fieldMonth, formShort - formStep, 3},
	{'L', fieldMonth, formLong - formStep, 4}, {'L', fieldMonth, formNarrow - formStep, 5},
	{'w', fieldWeek, formNumeric, 1},
	{'W', fieldWeekOfMonth, formNumeric, 1},
	{'E', fieldWeekday, formShort, 1}, {'E', fieldWeekday, formLong, 4}, {'E', fieldWeekday, formNarrow, 5},
	{'E', fieldWeekday, formShorter, 6},
	{'c', fieldWeekday, formNumeric + 2*formStep, 1}, {'c', fieldWeekday, formShort - 2*formStep, 3},
	{'c', fieldWeekday, formLong - 2*formStep, 4}, {'c', fieldWeekday, formNarrow - 2*formStep, 5},
	{'c', fieldWeekday, formShorter - 2*formStep, 6},
	{'e', fieldWeekday, formNumeric + formStep, 1}, {'e', fieldWeekday, formShort - formStep, 3},
	{'e', fieldWeekday, formLong - formStep, 4}, {'e', fieldWeekday, formNarrow - formStep, 5},
	{'e', fieldWeekday, formShorter - formStep, 6},
	{'d', fieldDay, formNumeric, 1},
	{'g', fieldDay, formNumeric + formStep, 1},
	{'D', fieldDayOfYear, formNumeric, 1},
	{'F', fieldDayOfWeekInMonth, formNumeric, 1},
	{'a', fieldDayPeriod, formShort, 1}, {'a', fieldDayPeriod, formLong, 4}, {'a', fieldDayPeriod, formNarrow, 5},
	{'b', fieldDayPeriod, formShort - formStep, 1}, {'b', fieldDayPeriod, formLong - formStep, 4},
	{'b', fieldDayPeriod, formNarrow - formStep, 5},
	{'B', fieldDayPeriod, formShort - 3*formStep, 1}, {'B', fieldDayPeriod, formLong - 3*formStep, 4},
	{'B', fieldDayPeriod, formNarrow - 3*formStep, 5},
	{'H', fieldHour, formNumeric + 10*formStep, 1},
	{'k', fieldHour, formNumeric + 11*formStep, 1},
	{'h', fieldHour, formNumeric, 1},
	{'K', fieldHour, formNumeric + formStep, 1},
	{'m', fieldMinute, formNumeric, 1},
	{'s', fieldSecond, formNumeric, 1},
	{'A', fieldSecond, formNumeric + formStep, 1},
	{'S', fieldFraction, formNumeric, 1},
	{'v', fieldZone, formShort - 2*formStep, 1}, {'v', fieldZone, formLong - 2*formStep, 4},
	{'z', fieldZone, formShort, 1}, {'z', fieldZone, formLong, 4},
	{'Z', fieldZone, formNarrow - formStep, 1}, {'Z', fieldZone, formLong - formStep, 4},
	{'Z', fieldZone, formShort - formStep, 5},
	{'O', fieldZone, formShort - formStep, 1}, {'O', fieldZone, formLong - formStep, 4},
	{'V', fieldZone, formShort - formStep, 1}, {'V', fieldZone, formLong - formStep, 2},
	{'V', fieldZone, formLong - 1 - formStep, 3}, {'V', fieldZone, formLong - 2 - formStep, 4},
}

// firstLetter has the index of the first entry of letters for a letter, plus one.
var firstLetter = func() (first [128]uint8) {
	for i, l := range letters {
		if first[l.char] == 0 {
			first[l.char] = uint8(i + 1)
		}
	}
	return first
}()

// letterOf returns the meaning of a run of n letters; nil if the letter has none.
func letterOf(char byte, n int) *letter {
	if char >= 128 || firstLetter[char] == 0 {
		return nil
	}
	i := int(firstLetter[char]) - 1
	for i+1 < len(letters) && letters[i+1].char == char && letters[i+1].min <= n {
		i++
	}
	return &letters[i]
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// A patternItem is a part of a pattern: a run of n equal letters that stands for a field, or a text.
type patternItem struct {
	char byte // 0 for a text
	n    int
	text string // what the text says
}

// parseDatePattern takes a pattern apart. Texts that follow one another are one item.
func parseDatePattern(pattern string) []patternItem {
	var items []patternItem
	literal := func(text string) {
		if n := len(items); n > 0 && items[n-1].char == 0 {
			items[n-1].text += text
		} else {
			items = append(items, patternItem{text: text})
		}
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case isLetter(c):
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			items = append(items, patternItem{char: c, n: n})
			i += n
		case c == '\'':
			text, size := quoted(pattern[i:])
			literal(text)
			i += size
		default:
			n := 1
			for i+n < len(pattern) && pattern[i+n] != '\'' && !isLetter(pattern[i+n]) {
				n++
			}
			literal(pattern[i : i+n])
			i += n
		}
	}
	return items
}

// quoted returns the text that a pattern quotes at its beginning, and the size of the quotation.
func quoted(pattern string) (text string, size int) {
	if strings.HasPrefix(pattern, "''") {
		return "'", 2
	}
	var b strings.Builder
	for i := 1; i < len(pattern); i++ {
		switch {
		case pattern[i] != '\'':
			b.WriteByte(pattern[i])
		case i+1 < len(pattern) && pattern[i+1] == '\'':
			b.WriteByte('\'')
			i++
		default:
			return b.String(), i + 1
		}
	}
	return b.String(), len(pattern)
}

// formatDatePattern writes items as a pattern again.
func formatDatePattern(items []patternItem) string {
	var b strings.Builder
	for _, it := range items {
		if it.char != 0 {
			for range it.n {
				b.WriteByte(it.char)
			}
			continue
		}
		if strings.ContainsFunc(it.text, func(r rune) bool { return r == '\'' || r < 128 && isLetter(byte(r)) }) {
			b.WriteString("'" + strings.ReplaceAll(it.text, "'", "''") + "'")
		} else {
			b.WriteString(it.text)
		}
	}
	return b.String()
}

// fillPattern puts texts into the places {0}, {1}, {2} of a pattern.
func fillPattern(pattern string, texts ...string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if i+2 < len(pattern) && pattern[i] == '{' && pattern[i+2] == '}' {
			if n := int(pattern[i+1]) - '0'; n >= 0 && n < len(texts) {
				b.WriteString(texts[n])
				i += 2
				continue
			}
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}
