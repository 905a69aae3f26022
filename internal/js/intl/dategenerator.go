package intl

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

const listMark = "\x1f"

func splitList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, listMark)
}

// styleGlue are the styles of patterns that join a date and a time.
const (
	styleFull = iota
	styleLong
	styleMedium
	styleShort
)

// A generator makes patterns for skeletons from the patterns that a locale has: it takes the nearest, adjusts the
// lengths of its fields, and appends the fields that are missing. It is immutable.
//
// The algorithm is CLDR's; where CLDR leaves a choice, it is that of ICU.
type generator struct {
	patterns []candidate // in the order of the first letter of their base, and of their addition
	glue     []string    // joins of date and time, by style
	items    []string    // how a missing field is appended, by appendField
	names    []string    // the names of fields, by appendField
}

type candidate struct {
	base      string
	skeleton  skeleton
	pattern   string
	specified bool // the skeleton was given: it is not merely that of the pattern
}

// appendField returns the index of a field in the lists of CLDR's appendItems.
var appendField = [fieldCount]int{
	fieldEra: 0, fieldYear: 1, fieldQuarter: 2, fieldMonth: 3, fieldWeek: 4, fieldWeekOfMonth: 4, fieldWeekday: 5,
	fieldDayOfYear: 6, fieldDayOfWeekInMonth: 5, fieldDay: 6, fieldDayPeriod: 11, fieldHour: 7, fieldMinute: 8,
	fieldSecond: 9, fieldFraction: -1, fieldZone: 10,
}

// canonical are the patterns of single fields, which every locale has.
var canonical = []string{"G", "y", "Q", "M", "w", "W", "E", "d", "D", "F", "a", "H", "m", "s", "S", "v"}

// newGenerator returns the generator of a locale's patterns.
func newGenerator(p *calendarData) *generator {
	g := &generator{glue: p.at, items: p.appendItems, names: p.fieldNames}
	for _, pattern := range canonical {
		g.add(pattern, "")
	}
	for style := range 4 {
		g.add(p.date[style], "")
		g.add(p.time[style], "")
	}
	for _, f := range p.formats {
		g.add(f.pattern, f.skeleton)
	}
	slices.SortStableFunc(g.patterns, func(a, b candidate) int { return int(a.base[0]) - int(b.base[0]) })
	return g
}

// add adds a pattern for a skeleton, or for its own fields.
func (g *generator) add(pattern, key string) {
	s := parseSkeleton(pattern)
	if key != "" {
		s = parseSkeleton(key)
	}
	base := s.base()
	if base == "" {
		return
	}
	for i := range g.patterns {
		c := &g.patterns[i]
		if c.base == base {
			if key == "" && !c.specified {
				return
			}
			break
		}
	}
	for i := range g.patterns {
		c := &g.patterns[i]
		if c.skeleton.char == s.char && c.skeleton.n == s.n {
			if key == "" || c.specified {
				return
			}
			break
		}
	}
	for i := range g.patterns {
		if c := &g.patterns[i]; c.base == base && c.skeleton.form == s.form {
			c.pattern, c.specified = pattern, key != ""
			return
		}
	}
	g.patterns = append(g.patterns, candidate{base, s, pattern, key != ""})
}

// A request says how the fields of a pattern are adjusted.
type request struct {
	decimal  string // the separator of seconds and their fraction
	hour     byte   // the letter of the usual hour
	keepHour bool   // the hour has the length that the pattern has
	fraction bool   // a fraction is added to the seconds
}

// pattern returns the best pattern for a skeleton.
func (g *generator) pattern(key string, r request) string {
	s := parseSkeleton(key)
	best, missing, extra := g.nearest(&s, -1)
	if missing == 0 && extra == 0 {
		return g.adjust(best.pattern, best, &s, r)
	}
	fields := s.fields()
	date := g.appending(&s, fields&dateFields, r)
	time := g.appending(&s, fields&timeFields, r)
	switch {
	case date == "":
		return time
	case time == "":
		return date
	}
	style := styleShort
	if s.form[fieldMonth] != 0 {
		switch letterOf(s.char[fieldMonth], s.n[fieldMonth]).min {
		case 4:
			style = styleLong
			if s.form[fieldWeekday] != 0 {
				style = styleFull
			}
		case 3:
			style = styleMedium
		}
	}
	return fillPattern(g.glue[style], time, date)
}

// nearest returns the pattern that is nearest to those fields of a skeleton that are in mask.
func (g *generator) nearest(s *skeleton, mask int) (best *candidate, missing, extra int) {
	least := int(^uint(0) >> 1)
	missing = -1
	for i := range g.patterns {
		c := &g.patterns[i]
		d, m, e := s.distance(&c.skeleton, mask)
		if d < least || d == least && missing < m {
			best, least, missing, extra = c, d, m, e
			if d == 0 {
				break
			}
		}
	}
	return best, missing, extra
}

// appending returns a pattern for those fields of a skeleton that are in mask: the nearest one, with the fields that it
// lacks appended.
func (g *generator) appending(s *skeleton, mask int, r request) string {
	if mask == 0 {
		return ""
	}
	best, missing, _ := g.nearest(s, mask)
	pattern := g.adjust(best.pattern, best, s, r)
	for last := 0; missing != 0 && missing != last; { // as in ICU, no more than one field is appended
		const fraction, both = 1 << fieldFraction, 1<<fieldFraction | 1<<fieldSecond
		if missing&both == fraction && mask&both == both {
			r := r
			r.fraction = true
			pattern = g.adjust(pattern, best, s, r)
			missing &^= fraction
			continue
		}
		start := missing
		best, missing, _ = g.nearest(s, start)
		more := g.adjust(best.pattern, best, s, r)
		last = missing
		if found := start &^ missing; found != 0 {
			pattern = g.append(pattern, more, bits.Len(uint(found))-1)
		}
	}
	return pattern
}

// append returns a pattern with another one for a field appended.
func (g *generator) append(pattern, more string, field int) string {
	how, name := "{0} ├{2}: {1}┤", "F"+strconv.Itoa(field)
	if i := appendField[field]; i >= 0 {
		if text := pick(g.items, i); text != "" {
			how = text
		}
		if text := pick(g.names, i); text != "" {
			name = text
		}
	}
	return fillPattern(how, pattern, more, "'"+strings.ReplaceAll(name, "'", "''")+"'")
}

// adjust gives the fields of a pattern the lengths that a skeleton asks for.
func (g *generator) adjust(pattern string, c *candidate, s *skeleton, r request) string {
	items := parseDatePattern(pattern)
	for i := 0; i < len(items); i++ {
		it := &items[i]
		l := letterOf(it.char, it.n)
		if l == nil {
			continue
		}
		if r.fraction && l.field == fieldSecond {
			added := []patternItem{{text: r.decimal}, {char: s.char[fieldFraction], n: s.n[fieldFraction]}}
			items = slices.Insert(items, i+1, added...)
			i += 2
			continue
		}
		if s.form[l.field] == 0 {
			continue
		}
		asked, n := s.char[l.field], s.n[l.field]
		if asked == 'E' && n < 3 {
			n = 3
		}
		length := n
		if l.field == fieldMinute || l.field == fieldSecond || l.field == fieldHour && r.keepHour {
			length = it.n
		} else if c.specified && asked != 'c' && asked != 'e' {
			if c.skeleton.n[l.field] == n || (l.form > 0) != (s.form[l.field] > 0) {
				length = it.n
			}
		}
		char := asked
		switch l.field {
		case fieldHour, fieldMonth, fieldWeekday:
			char = it.char
		case fieldYear:
			if asked != 'Y' {
				char = it.char
			}
		}
		if char == 'E' && length < 3 {
			char = 'e'
		}
		if l.field == fieldHour && r.hour != 0 {
			switch {
			case asked == r.hour:
				char = r.hour
			case asked == 'h' && r.hour == 'K':
				char = 'K'
			case asked == 'H' && r.hour == 'k':
				char = 'k'
			case asked == 'k' && r.hour == 'H':
				char = 'H'
			case asked == 'K' && r.hour == 'h':
				char = 'h'
			}
		}
		it.char, it.n = char, length
	}
	return formatDatePattern(items)
}
