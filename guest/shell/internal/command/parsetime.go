package command

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Zone returns the time zone that the environment of a command says, by TZ, or UTC.
func Zone(c *Context) *time.Location { return ZoneOf(c.Getenv("TZ")) }

// ZoneOf returns the time zone that a value of TZ says.
func ZoneOf(name string) *time.Location {
	name = strings.TrimPrefix(name, ":")
	if name == "" {
		return time.UTC
	}
	if zone, err := time.LoadLocation(name); err == nil && name != "Local" {
		return zone
	}
	// As "EST5" or "<+03>-3": a name, and the hours west of Greenwich.
	i := strings.IndexAny(name, "+-0123456789")
	if strings.HasPrefix(name, "<") {
		i = strings.IndexByte(name, '>') + 1
	}
	if i <= 0 {
		return time.UTC
	}
	rest := name[i:]
	sign := -1
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		if rest[0] == '-' {
			sign = 1
		}
		rest = rest[1:]
	}
	hours, minutes, _ := strings.Cut(rest, ":")
	h, err := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if err != nil {
		return time.UTC
	}
	return time.FixedZone(strings.Trim(name[:i], "<>"), sign*(h*3600+m*60))
}

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// units are those of relative times, in months, days or seconds.
var units = map[string]struct{ months, days, seconds int }{
	"year": {months: 12}, "month": {months: 1}, "fortnight": {days: 14}, "week": {days: 7}, "day": {days: 1},
	"hour": {seconds: 3600}, "minute": {seconds: 60}, "min": {seconds: 60}, "second": {seconds: 1}, "sec": {seconds: 1},
}

var ordinals = map[string]int{"last": -1, "this": 0, "next": 1, "a": 1, "an": 1, "first": 1, "third": 3, "fourth": 4,
	"fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// timeParser reads times as GNU's date -d does.
type timeParser struct {
	tokens                   []string
	year, month, day         int
	hasDate, hasTime         bool
	hour, minute, second, ns int
	zone                     *time.Location
	relMonths, relDays       int
	relative                 time.Duration
	weekday                  int // -1 if none was given
	weekdayCount             int
	afterClock               bool // a number with a sign is an offset there
}

// ParseTime reads a time as GNU's date -d does: "2024-01-31 12:00", "@0", "tomorrow", "last friday", "3 days ago", "1
// Jan 2024 10:00 UTC", "next month -1 hour".
func ParseTime(s string, now time.Time, zone *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "TZ=\"") {
		if end := strings.IndexByte(s[4:], '"'); end >= 0 {
			zone = ZoneOf(s[4 : 4+end])
			s = strings.TrimSpace(s[4+end+1:])
		}
	}
	if number, ok := strings.CutPrefix(s, "@"); ok {
		f, err := strconv.ParseFloat(number, 64)
		whole, fraction := math.Modf(f)
		if err != nil || math.Abs(f) > 1e15 {
			return now, false
		}
		return time.Unix(int64(whole), int64(math.Round(fraction*1e9))).In(zone), true
	}
	now = now.In(zone)
	p := timeParser{zone: zone, weekday: -1}
	p.year, p.month, p.day = now.Year(), int(now.Month()), now.Day()
	p.tokens = timeTokens(strings.ToLower(s))
	if len(p.tokens) == 0 && s != "" {
		return now, false
	}
	if s == "" {
		p.hasTime = true // midnight
	}
	for len(p.tokens) > 0 {
		if !p.item() {
			return now, false
		}
	}
	if !p.hasTime && !p.hasDate && p.weekday < 0 {
		p.hour, p.minute, p.second, p.ns = now.Hour(), now.Minute(), now.Second(), now.Nanosecond()
	}
	t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.ns, p.zone)
	if p.hasDate && (t.Day() != p.day || int(t.Month()) != p.month) && p.hour < 24 {
		return now, false
	}
	if p.weekday >= 0 && !p.hasDate {
		ahead := (p.weekday - int(t.Weekday()) + 7) % 7
		count := p.weekdayCount
		if count > 0 && ahead != 0 {
			count--
		}
		t = t.AddDate(0, 0, ahead+7*count)
	}
	t = t.AddDate(0, p.relMonths, p.relDays).Add(p.relative)
	return t.In(zone), true
}

// timeTokens splits a text into numbers with what belongs to them, words, and signs.
func timeTokens(s string) []string {
	var tokens []string
	for i := 0; i < len(s); {
		c := s[i]
		from := i
		switch {
		case c == ' ' || c == ',' || c == '\t' || c == '\n':
			i++
			continue
		case c == '(':
			for i < len(s) && s[i] != ')' {
				i++
			}
			i++
			continue
		case c >= 'a' && c <= 'z':
			for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '.') {
				i++
			}
		case c >= '0' && c <= '9' || c == '+' || c == '-':
			i++
			for i < len(s) && (s[i] >= '0' && s[i] <= '9' || strings.IndexByte(":/.-", s[i]) >= 0 && i+1 < len(s)) {
				i++
			}
		default:
			return nil
		}
		tokens = append(tokens, strings.TrimRight(s[from:i], "."))
	}
	return tokens
}

func (p *timeParser) peek(i int) string {
	if i < len(p.tokens) {
		return p.tokens[i]
	}
	return ""
}

// item reads one thing.
func (p *timeParser) item() bool {
	token := p.tokens[0]
	afterClock := p.afterClock
	p.afterClock = false
	if c := token[0]; c >= 'a' && c <= 'z' {
		p.tokens = p.tokens[1:]
		return p.word(token)
	}
	if token == "+" || token == "-" {
		// A sign by itself.
		if len(p.tokens) < 2 {
			return false
		}
		p.tokens[1] = token + p.tokens[1]
		p.tokens = p.tokens[1:]
		return p.item()
	}
	p.tokens = p.tokens[1:]
	if afterClock && (token[0] == '+' || token[0] == '-') && len(token) > 1 {
		return p.offset(token)
	}
	return p.numeric(token)
}

func (p *timeParser) word(word string) bool {
	switch word {
	case "now", "today":
		return true
	case "tomorrow":
		p.relDays++
		return true
	case "yesterday":
		p.relDays--
		return true
	case "noon", "midnight":
		p.hasTime = true
		p.hour = map[string]int{"noon": 12}[word]
		return true
	case "utc", "gmt", "z", "ut":
		p.zone = time.UTC
		if next := p.peek(0); next != "" && (next[0] == '+' || next[0] == '-') {
			p.tokens = p.tokens[1:]
			return p.offset(next)
		}
		return true
	case "t":
		return true
	case "at", "on", "of", "and":
		return true
	case "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt":
		hours := map[string]int{"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8,
			"pdt": -7}[word]
		p.zone = time.FixedZone(strings.ToUpper(word), hours*3600)
		return true
	case "cet", "cest":
		p.zone = time.FixedZone(strings.ToUpper(word), map[string]int{"cet": 3600, "cest": 7200}[word])
		return true
	}
	if n, ok := ordinals[word]; ok && p.peek(0) != "" {
		next := p.tokens[0]
		if day := weekday(next); day >= 0 {
			p.tokens = p.tokens[1:]
			p.weekday, p.weekdayCount = day, n
			return true
		}
		p.tokens = p.tokens[1:]
		return p.unit(next, n)
	}
	if day := weekday(word); day >= 0 {
		p.weekday = day
		return true
	}
	if month := monthOf(word); month > 0 {
		// "jan 5 2024", "jan 2024" or "jan 5".
		p.month, p.hasDate, p.day = month, true, 1
		if n, err := strconv.Atoi(p.peek(0)); err == nil && p.peek(0)[0] != '+' && p.peek(0)[0] != '-' {
			p.tokens = p.tokens[1:]
			if n > 31 {
				p.year = n
				return true
			}
			p.day = n
			p.suffix()
			p.yearNext()
		}
		return true
	}
	if _, ok := units[strings.TrimSuffix(word, "s")]; ok {
		return p.unit(word, 1)
	}
	return false
}

// suffix skips what follows the number of a day: 1st, 2nd.
func (p *timeParser) suffix() {
	switch p.peek(0) {
	case "st", "nd", "rd", "th":
		p.tokens = p.tokens[1:]
	}
}

// yearNext reads a year, if that is what follows.
func (p *timeParser) yearNext() {
	token := p.peek(0)
	if n, err := strconv.Atoi(token); err == nil && len(token) == 4 && token[0] != '+' && token[0] != '-' {
		if _, ok := units[strings.TrimSuffix(p.peek(1), "s")]; !ok {
			p.year = n
			p.tokens = p.tokens[1:]
		}
	}
}

func weekday(word string) int {
	for i, name := range weekdays {
		full := strings.ToLower(time.Weekday(i).String())
		if word == name || word == full || word == "tues" && i == 2 || word == "wednes" && i == 3 ||
			(word == "thur" || word == "thurs") && i == 4 {
			return i
		}
	}
	return -1
}

func monthOf(word string) int {
	for i, name := range months {
		if word == name || word == strings.ToLower(time.Month(i+1).String()) || word == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

// unit adds some units to the relative time.
func (p *timeParser) unit(word string, n int) bool {
	u, ok := units[word]
	if !ok {
		if u, ok = units[strings.TrimSuffix(word, "s")]; !ok {
			return false
		}
	}
	if p.peek(0) == "ago" {
		p.tokens = p.tokens[1:]
		n = -n
	}
	p.relMonths += n * u.months
	p.relDays += n * u.days
	p.relative += time.Duration(n*u.seconds) * time.Second
	return true
}

// numeric reads what begins with a digit or a sign.
func (p *timeParser) numeric(token string) bool {
	signed := token[0] == '+' || token[0] == '-'
	switch {
	case strings.Contains(token, ":"):
		if signed {
			return p.offset(token)
		}
		return p.clock(token)
	case strings.Count(token, "/") > 0:
		return p.slashes(token)
	case !signed && strings.Count(token, "-") > 0:
		return p.dashes(token)
	}
	if next := p.peek(0); next != "" {
		if _, ok := units[strings.TrimSuffix(next, "s")]; ok {
			n, err := strconv.Atoi(token)
			if err != nil {
				f, err := strconv.ParseFloat(token, 64)
				if err != nil || units[strings.TrimSuffix(next, "s")].seconds == 0 {
					return false
				}
				p.tokens = p.tokens[1:]
				p.relative += time.Duration(f * float64(time.Second) * float64(units[strings.TrimSuffix(next,
					"s")].seconds))
				return true
			}
			p.tokens = p.tokens[1:]
			return p.unit(next, n)
		}
		if (next == "am" || next == "pm") && !signed {
			return p.clock(token)
		}
		if month := monthOf(next); month > 0 && !signed {
			n, err := strconv.Atoi(token)
			if err != nil {
				return false
			}
			p.tokens = p.tokens[1:]
			p.day, p.month, p.hasDate = n, month, true
			p.yearNext()
			return true
		}
		if weekday(next) >= 0 && signed {
			n, err := strconv.Atoi(token)
			p.tokens = p.tokens[1:]
			p.weekday, p.weekdayCount = weekday(next), n
			return err == nil
		}
	}
	if signed {
		return p.offset(token)
	}
	digits := token
	if _, err := strconv.Atoi(strings.Replace(digits, ".", "", 1)); err != nil {
		return false
	}
	at := func(from, to int) int { n, _ := strconv.Atoi(digits[from:to]); return n }
	switch {
	case len(digits) == 8:
		p.year, p.month, p.day, p.hasDate = at(0, 4), at(4, 6), at(6, 8), true
	case len(digits) == 4 && p.hasDate && p.hasTime:
		p.year = at(0, 4)
	case len(digits) == 4:
		p.hour, p.minute, p.hasTime = at(0, 2), at(2, 4), true
	case len(digits) <= 2:
		p.hour, p.hasTime = at(0, len(digits)), true
	case len(digits) == 6 && p.hasDate:
		p.hour, p.minute, p.second, p.hasTime = at(0, 2), at(2, 4), at(4, 6), true
	default:
		return false
	}
	return p.hour < 24 && p.minute < 60
}

// clock reads 12:30, 12:30:15.5 and 3pm, and an offset after it.
func (p *timeParser) clock(token string) bool {
	zone := ""
	if i := strings.IndexAny(token, "+-"); i > 0 {
		token, zone = token[:i], token[i:]
	}
	parts := strings.Split(token, ":")
	if len(parts) > 3 {
		return false
	}
	var values [3]int
	for i, part := range parts {
		if i == 2 {
			whole, fraction, _ := strings.Cut(part, ".")
			part = whole
			if fraction != "" {
				p.ns, _ = strconv.Atoi((fraction + "000000000")[:9])
			}
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		values[i] = n
	}
	p.hour, p.minute, p.second, p.hasTime = values[0], values[1], values[2], true
	switch p.peek(0) {
	case "am", "pm":
		if p.hour < 1 || p.hour > 12 {
			return false
		}
		p.hour %= 12
		if p.peek(0) == "pm" {
			p.hour += 12
		}
		p.tokens = p.tokens[1:]
	}
	if p.hour > 24 || p.minute > 59 || p.second > 60 {
		return false
	}
	p.afterClock = zone == ""
	return zone == "" || p.offset(zone)
}

// offset reads +0200, -08:00 and +1.
func (p *timeParser) offset(token string) bool {
	digits := strings.ReplaceAll(token[1:], ":", "")
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) > 4 {
		return false
	}
	if len(digits) <= 2 {
		n *= 100
	}
	seconds := n/100*3600 + n%100*60
	if token[0] == '-' {
		seconds = -seconds
	}
	p.zone = time.FixedZone("", seconds)
	return true
}

// slashes reads 12/31/2024, 12/31 and 2024/12/31.
func (p *timeParser) slashes(token string) bool {
	parts := strings.Split(token, "/")
	var n [3]int
	if len(parts) > 3 {
		return false
	}
	for i, part := range parts {
		var err error
		if n[i], err = strconv.Atoi(part); err != nil {
			return false
		}
	}
	switch {
	case len(parts) == 2:
		p.month, p.day = n[0], n[1]
	case len(parts[0]) == 4:
		p.year, p.month, p.day = n[0], n[1], n[2]
	default:
		p.month, p.day, p.year = n[0], n[1], n[2]
		if len(parts[2]) <= 2 {
			p.year += 2000
			if n[2] >= 69 {
				p.year -= 100
			}
		}
	}
	p.hasDate = true
	return true
}

// dashes reads 2024-12-31, also with a time after a "t", and 31-dec-2024.
func (p *timeParser) dashes(token string) bool {
	parts := strings.Split(token, "-")
	if len(parts) == 2 && parts[1] == "" || len(parts) == 3 && parts[2] == "" {
		// "31-dec-2024": the word is a token of its own.
		month := monthOf(p.peek(0))
		day, err := strconv.Atoi(parts[0])
		if month == 0 || err != nil || len(p.tokens) < 2 {
			return false
		}
		year, err := strconv.Atoi(strings.TrimPrefix(p.tokens[1], "-"))
		p.tokens = p.tokens[2:]
		p.day, p.month, p.year, p.hasDate = day, month, year, true
		return err == nil
	}
	if len(parts) < 3 {
		return false
	}
	var n [3]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(parts[i]); err != nil {
			return false
		}
	}
	if len(parts) > 3 {
		return false
	}
	p.year, p.month, p.day, p.hasDate = n[0], n[1], n[2], true
	return p.month >= 1 && p.month <= 12 && p.day >= 1
}
