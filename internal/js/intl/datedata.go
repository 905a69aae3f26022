package intl

import (
	"sort"
	"strings"
	"sync"
)

var (
	timeData = newArea("times")
	dateData = newArea("dates")
	zoneData = newArea("zones")
)

// times returns the table of what is known of times and does not depend on the locale.
func times() *table { return timeData.table(root) }

// calendarData is what a locale has for a calendar. It is immutable.
type calendarData struct {
	locale   string
	calendar string

	date, time, at, glue []string // patterns by style
	formats              []format
	intervals            []string // skeletons with a field, and patterns, by turns
	fallback             string   // the pattern of an interval without one of its own
	appendItems          []string
	fieldNames           []string
	hour                 byte // the letter of the usual hour: h, H, K or k

	months, standaloneMonths map[int][]string // by the number of letters
	days, standaloneDays     map[int][]string
	eras                     map[int][]string
	periods                  map[int][]string // in the order of periodNames
	periodOfHour             [24]int          // indexes of periodNames, -1 for none
	hasMidnight, hasNoon     bool

	generator func() *generator
	ranges    func() *rangeData
}

// A format is a pattern for a skeleton.
type format struct{ skeleton, pattern string }

// loadFormats returns a locale's formats in ICU's order: its own, then those of each ancestor. The order decides
// between formats that suit a request equally well.
func loadFormats(t *table, prefixes []string) []format {
	var list []format
	seen := map[string]bool{}
	for _, prefix := range prefixes {
		for level := t; level != nil; level = level.parent {
			for i := sort.SearchStrings(t.area.keys, prefix+"formats/"); i < len(t.area.keys); i++ {
				skeleton, ok := strings.CutPrefix(t.area.keys[i], prefix+"formats/")
				if !ok {
					break
				}
				value := level.own(i)
				if value == inheritText || value == absentText || seen[skeleton] {
					continue
				}
				seen[skeleton] = true
				list = append(list, format{skeleton, value})
			}
		}
		if prefix == "ge/" || prefix == "is/" {
			break
		}
	}
	return list
}

// periodNames are the parts of a day, in the order of the data.
var periodNames = []string{"am", "pm", "midnight", "noon", "morning1", "morning2", "afternoon1", "afternoon2",
	"evening1", "evening2", "night1", "night2"}

const (
	periodAM = iota
	periodPM
	periodMidnight
	periodNoon
)

// calendarPrefixes are the paths of a calendar's patterns and names: its own, and those that it shares with others.
var calendarPrefixes = map[string][]string{
	"gregory": {"gr/"}, "iso8601": {"is/", "gr/"}, "buddhist": {"bud/", "ge/", "gr/"}, "japanese": {
		"jap/", "ge/", "gr/",
	},
	"roc": {"roc/", "ge/", "gr/"}, "persian": {"per/", "ge/", "gr/"}, "islamic-civil": {"isl/", "ge/", "gr/"},
	"islamic-tbla": {"isl/", "ge/", "gr/"},
}

// calendars keeps what was decoded, by locale of the data, calendar and region, of which there are thousands. Each
// takes some 80 KB.
var calendars = cache[*calendarData]{most: 64}

// calendarFor returns the data of a locale for a calendar. The locale is one of the data, the region that of the
// request.
func calendarFor(locale, calendar, region string) *calendarData {
	c, _ := calendars.get(locale+" "+calendar+" "+region, func(string) (*calendarData, error) {
		return loadCalendar(locale, calendar, region), nil
	})
	return c
}

func loadCalendar(locale, calendar, region string) *calendarData {
	t := dateData.table(locale)
	prefixes := calendarPrefixes[calendar]
	get := func(key string) string {
		for _, prefix := range prefixes {
			if text := t.text(prefix + key); text != "" {
				return text
			}
		}
		return ""
	}
	list := func(key string) []string { return splitList(get(key)) }
	c := &calendarData{
		locale: locale, calendar: calendar,
		date: list("date"), time: list("time"), at: splitList(t.text("gr/at")), glue: splitList(t.text("gr/glue")),
		formats: loadFormats(t, prefixes), intervals: list("intervals"), fallback: get("interval"),
		appendItems: list("append"),
		fieldNames:  splitList(t.text("fields")),
		hour:        usualHour(locale, region),
		months:      map[int][]string{}, standaloneMonths: map[int][]string{},
		days: map[int][]string{}, standaloneDays: map[int][]string{},
		eras: map[int][]string{}, periods: map[int][]string{},
	}
	for n, width := range map[int]string{3: "a", 4: "w", 5: "n", 6: "s"} {
		c.months[n] = list("mon/f/" + width)
		c.standaloneMonths[n] = list("mon/s/" + width)
		c.days[n] = list("day/f/" + width)
		c.standaloneDays[n] = list("day/s/" + width)
		c.eras[n] = list("era/" + width)
		c.periods[n] = list("period/" + width)
	}
	c.loadPeriods()
	c.generator = sync.OnceValue(func() *generator { return newGenerator(c) })
	c.ranges = sync.OnceValue(func() *rangeData { return newRangeData(c) })
	return c
}

// usualHour returns the letter of the hour that is usual in a region.
func usualHour(locale, region string) byte {
	language := languageOf(locale)
	for _, key := range []string{language + "-" + region, region, "001"} {
		if hour := times().text("hours/" + key); hour != "" {
			return hour[0]
		}
	}
	return 'H'
}

// loadPeriods reads which part of the day each hour is in.
func (c *calendarData) loadPeriods() {
	for i := range c.periodOfHour {
		c.periodOfHour[i] = -1
	}
	rules := ""
	for locale := c.locale; rules == "" && locale != root; locale = shorter(locale) {
		rules = times().text("periods/" + locale)
	}
	for _, rule := range splitList(rules) {
		name, at, _ := strings.Cut(rule, " ")
		period := 0
		for i, n := range periodNames {
			if n == name {
				period = i
			}
		}
		from, before, isRange := strings.Cut(at, " ")
		switch {
		case !isRange && period == periodMidnight:
			c.hasMidnight = true
		case !isRange && period == periodNoon:
			c.hasNoon = true
		case isRange:
			end := twoDigits(before)
			for hour := twoDigits(from); hour != end; hour = (hour + 1) % 24 {
				c.periodOfHour[hour] = period
				if end == 24 && hour == 23 {
					break
				}
			}
		}
	}
}

// shorter returns a locale without its last part; the root for a language.
func shorter(locale string) string {
	if cut := strings.LastIndexByte(locale, '-'); cut >= 0 {
		return locale[:cut]
	}
	return root
}

func twoDigits(text string) int {
	if len(text) != 2 {
		return 0
	}
	return int(text[0]-'0')*10 + int(text[1]-'0')
}
