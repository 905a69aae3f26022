package intl

import (
	"fmt"
	"math"
	"sync"
)

const (
	msPerDay = 24 * 60 * 60 * 1000

	// MaxTime is the last time of JavaScript's Date, in milliseconds from the epoch; -MaxTime is the first.
	MaxTime = 8.64e15
)

// civil is a moment in a calendar and a zone.
type civil struct {
	time   int64 // milliseconds from the epoch
	offset int   // seconds east of UTC

	era, year, month, day int // month from 1; the year counts in its era
	related               int // the Gregorian year
	weekday               int // from 0, Sunday
	hour, minute, second  int
	ms                    int
}

// civilAt returns a moment in a calendar.
func civilAt(calendar string, ms int64, offset int) civil {
	local := ms + int64(offset)*1000
	days := floorDiv(local, msPerDay)
	rest := int(local - days*msPerDay)
	c := civil{
		time: ms, offset: offset, weekday: int(floorMod(days+4, 7)),
		hour: rest / 3600000, minute: rest / 60000 % 60, second: rest / 1000 % 60, ms: rest % 1000,
	}
	y, m, d := gregorian(days)
	if days < firstGregorian && (calendar == "buddhist" || calendar == "japanese" || calendar == "roc") {
		// as ICU; JavaScript asks for the Gregorian calendar only where that is the calendar's name
		y, m, d = julian(days)
	}
	c.related, c.month, c.day = y, m, d
	switch calendar {
	case "buddhist":
		c.year = y + 543
	case "roc":
		c.era, c.year = 1, y-1911
		if c.year <= 0 {
			c.era, c.year = 0, 1-c.year
		}
	case "japanese":
		c.era, c.year = japaneseYear(y, m, d)
	case "iso8601", "gregory":
		c.era, c.year = 1, y
		if y <= 0 {
			c.era, c.year = 0, 1-y
		}
	default:
		c.toCalendar(calendar, days)
	}
	return c
}

// gregorian returns the date of a day counted from the epoch, in the Gregorian calendar for all time.
func gregorian(days int64) (year, month, day int) {
	// Count from 1 March of the year 0, so that a leap day ends its year.
	days += 719468
	cycle := floorDiv(days, 146097)
	rest := days - cycle*146097
	y := (rest - rest/1460 + rest/36524 - rest/146096) / 365
	yday := rest - (365*y + y/4 - y/100)
	m := (5*yday + 2) / 153
	day = int(yday - (153*m+2)/5 + 1)
	month = int(m + 3)
	year = int(y + cycle*400)
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// firstGregorian is 15 October 1582, the first day of the Gregorian calendar, counted from the epoch.
const firstGregorian = -141427

// julian returns the date of a day counted from the epoch, in the Julian calendar.
func julian(days int64) (year, month, day int) {
	days += 719470 // from 1 March of the year 0
	cycle := floorDiv(days, 1461)
	rest := days - cycle*1461
	y := (rest - rest/1460) / 365
	yday := rest - 365*y
	m := (5*yday + 2) / 153
	day, month, year = int(yday-(153*m+2)/5+1), int(m+3), int(y+cycle*4)
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// gregorianDays is the inverse of gregorian.
func gregorianDays(year, month, day int) int64 {
	y := int64(year)
	m := int64(month)
	if m <= 2 {
		y--
		m += 12
	}
	cycle := floorDiv(y, 400)
	rest := y - cycle*400
	yday := (153*(m-3)+2)/5 + int64(day) - 1
	return cycle*146097 + rest*365 + rest/4 - rest/100 + yday - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// validTime reports whether a number is a time of JavaScript's Date.
func validTime(ms float64) bool { return math.Abs(ms) <= MaxTime }

// japaneseEras returns the days on which Japan's eras began, as year, month and day.
var japaneseEras = sync.OnceValue(func() [][3]int {
	var eras [][3]int
	for _, start := range splitList(times().text("japanese")) {
		var e [3]int
		_, _ = fmt.Sscanf(start, "%d-%d-%d", &e[0], &e[1], &e[2])
		eras = append(eras, e)
	}
	return eras
})

// japaneseYear returns the era and its year of a Gregorian date.
func japaneseYear(y, m, d int) (era, year int) {
	eras := japaneseEras()
	for era = len(eras) - 1; era > 0; era-- {
		e := eras[era]
		if y > e[0] || y == e[0] && (m > e[1] || m == e[1] && d >= e[2]) {
			break
		}
	}
	return era, y - eras[era][0] + 1
}

// The calendars whose months are not those of the Gregorian one.

const (
	persianEpoch = -492268 // 21 March 622 (Julian 19 March) as a day from 1 January 1970
	islamicEpoch = -492148 // 19 July 622
)

// toCalendar sets the date in a calendar with months of its own.
func (c *civil) toCalendar(calendar string, days int64) {
	switch calendar {
	case "persian":
		c.era = 0
		c.year, c.month, c.day = persian(days)
	case "islamic-civil":
		c.islamic(days - islamicEpoch)
	case "islamic-tbla":
		c.islamic(days - islamicEpoch + 1)
	}
}

// persian returns the date of a day in the Persian calendar, by the rule of 33 years.
func persian(days int64) (year, month, day int) {
	since := days - persianEpoch
	y := 1 + floorDiv(33*since+3, 12053)
	first := 365*(y-1) + floorDiv(8*y+21, 33)
	n := int(since - first) // day of the year, from 0
	if n < 216 {
		month = n / 31
	} else {
		month = (n - 6) / 30
	}
	starts := [...]int{0, 31, 62, 93, 124, 155, 186, 216, 246, 276, 306, 336}
	return int(y), month + 1, n - starts[month] + 1
}

// islamic sets the date of a day counted from the epoch of the tabular Islamic calendar.
func (c *civil) islamic(since int64) {
	y := floorDiv(30*since+10646, 10631)
	first := (y-1)*354 + floorDiv(3+11*y, 30)
	month := min((2*(since-first-29)+58)/59, 11) // months of 30 and 29 days by turns
	if month < 0 {
		month = 0
	}
	for month < 11 && first+monthStart(month+1) <= since {
		month++
	}
	for month > 0 && first+monthStart(month) > since {
		month--
	}
	c.year, c.month, c.day = int(y), int(month)+1, int(since-first-monthStart(month))+1
	if c.year <= 0 {
		c.era, c.year = 1, 1-c.year
	}
}

// monthStart returns how many days precede a month, counted from 0, in the tabular Islamic year.
func monthStart(month int64) int64 { return (59*month + 1) / 2 }
