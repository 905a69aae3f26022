package language

import (
	"math"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// maxDate is how many bytes of a date are looked at. Longer ones are no dates.
const maxDate = 4096

// ParseDate is Date.parse: it returns the time of a date in milliseconds, or NaN.
func ParseDate(c *host.Call) {
	time := math.NaN()
	if text, cut, ok := c.Prefix(0, maxDate); ok && cut == 0 && c.Spend(len(text)) == nil {
		time = parseDate(text)
	}
	c.ReturnValue(quickjs.Number(time), nil)
}

// parseDate reads a date as V8 does, whose rules are more or less those of the browsers: first as the format of
// ECMAScript, and then as one of the many forms that people write. There is no time zone but UTC. The result is NaN if
// there is no date.
func parseDate(text string) float64 {
	p := dateParser{in: []rune(text), zone: dateZone{hour: none, minute: none}, hourOffset: none, namedMonth: none}
	p.next()
	token, ok := p.standard()
	if !ok || !p.legacy(token) {
		return math.NaN()
	}
	return p.time()
}

const none = math.MaxInt32

type dateTokenKind int

const (
	dateEnd dateTokenKind = iota
	dateNumber
	dateSymbol // one of : - + . )
	dateSpace
	dateOther // also text in parentheses
	dateWord  // none of the following
	dateMonth
	dateAMPM
	dateZoneName
	dateSeparator // T
)

type dateToken struct {
	kind   dateTokenKind
	value  int // of a number or a word; the symbol
	length int // in characters
}

func (t dateToken) is(symbol rune) bool { return t.kind == dateSymbol && t.value == int(symbol) }
func (t dateToken) isSign() bool        { return t.is('+') || t.is('-') }
func (t dateToken) isZ() bool           { return t.kind == dateZoneName && t.length == 1 }

// fixed reports whether the token is a number of so many digits from low to high.
func (t dateToken) fixed(digits, low, high int) bool {
	return t.kind == dateNumber && t.length == digits && t.value >= low && t.value <= high
}

type dateKeyword struct {
	kind  dateTokenKind
	value int
}

var dateKeywords = map[string]dateKeyword{
	"jan": {dateMonth, 1}, "feb": {dateMonth, 2}, "mar": {dateMonth, 3}, "apr": {dateMonth, 4}, "may": {dateMonth, 5},
	"jun": {dateMonth, 6}, "jul": {dateMonth, 7}, "aug": {dateMonth, 8}, "sep": {dateMonth, 9}, "oct": {dateMonth, 10},
	"nov": {dateMonth, 11}, "dec": {dateMonth, 12}, "am": {dateAMPM, 0}, "pm": {dateAMPM, 12},
	"ut": {dateZoneName, 0}, "utc": {dateZoneName, 0}, "z": {dateZoneName, 0}, "gmt": {dateZoneName, 0},
	"cdt": {dateZoneName, -5}, "cst": {dateZoneName, -6}, "edt": {dateZoneName, -4}, "est": {dateZoneName, -5},
	"mdt": {dateZoneName, -6}, "mst": {dateZoneName, -7}, "pdt": {dateZoneName, -7}, "pst": {dateZoneName, -8},
	"t": {dateSeparator, 0},
}

// dateZone is an offset from UTC. The sign is 0 where there is none.
type dateZone struct{ sign, hour, minute int }

func (z *dateZone) set(hours int) {
	z.sign, z.hour, z.minute = 1, hours, 0
	if hours < 0 {
		z.sign, z.hour = -1, -hours
	}
}

type dateParser struct {
	in   []rune
	at   int
	peek dateToken

	days       []int // up to three numbers
	namedMonth int
	iso        bool
	clock      []int // hours, minutes, seconds, milliseconds
	hourOffset int   // 0 for AM, 12 for PM
	zone       dateZone
}

// next returns the next token.
func (p *dateParser) next() dateToken {
	token := p.peek
	p.peek = p.scan()
	return token
}

func (p *dateParser) skip(symbol rune) bool {
	if !p.peek.is(symbol) {
		return false
	}
	p.next()
	return true
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func isDateSpace(c rune) bool {
	switch c {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return c >= 0x2000 && c <= 0x200a
}

func (p *dateParser) scan() dateToken {
	start := p.at
	if p.at == len(p.in) {
		return dateToken{}
	}
	c := p.in[p.at]
	isWord := func() bool { return p.at < len(p.in) && p.in[p.at] >= 'A' && !isDateSpace(p.in[p.at]) }
	switch {
	case isDigit(c):
		n, digits := 0, 0
		for ; p.at < len(p.in) && isDigit(p.in[p.at]); p.at++ {
			if d := int(p.in[p.at] - '0'); d != 0 || digits > 0 {
				if digits++; digits <= 9 {
					n = 10*n + d
				}
			}
		}
		return dateToken{dateNumber, n, p.at - start}
	case c == ':' || c == '-' || c == '+' || c == '.' || c == ')':
		p.at++
		return dateToken{dateSymbol, int(c), 1}
	case isWord():
		prefix := ""
		for ; isWord(); p.at++ {
			if c := p.in[p.at]; len(prefix) < 3 {
				if c >= 'A' && c <= 'Z' {
					c += 'a' - 'A'
				}
				prefix += string(c)
			}
		}
		word := dateKeywords[prefix]
		if length := p.at - start; word.kind == 0 || (length > 3 && word.kind != dateMonth) {
			return dateToken{dateWord, 0, length}
		}
		return dateToken{word.kind, word.value, p.at - start}
	case isDateSpace(c):
		p.at++
		return dateToken{dateSpace, 0, 1}
	case c == '(':
		for depth := 0; p.at < len(p.in); {
			c := p.in[p.at]
			p.at++
			if c == '(' {
				depth++
			} else if c == ')' {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		return dateToken{dateOther, 0, p.at - start}
	}
	p.at++
	return dateToken{dateOther, 0, 1}
}

// milliseconds is the fraction of a second that the digits of a token are.
func milliseconds(t dateToken) int {
	n := t.value
	switch {
	case t.length == 1:
		return 100 * n
	case t.length == 2:
		return 10 * n
	}
	for length := min(t.length, 9); length > 3; length-- {
		n /= 10
	}
	return n
}

// standard reads the format of ECMAScript. If the text has another one, it returns the first token that does not fit;
// it returns false where the text cannot be a date at all.
func (p *dateParser) standard() (dateToken, bool) {
	if p.peek.isSign() {
		sign := p.next()
		if !p.peek.fixed(6, 0, 999999) || sign.is('-') && p.peek.value == 0 {
			return sign, true
		}
		year := p.next().value
		if sign.is('-') {
			year = -year
		}
		p.days = append(p.days, year)
	} else if p.peek.fixed(4, 0, 9999) {
		p.days = append(p.days, p.next().value)
	} else {
		return p.next(), true
	}
	for _, high := range []int{12, 31} {
		if !p.skip('-') {
			break
		}
		if !p.peek.fixed(2, 1, high) {
			return p.next(), true
		}
		p.days = append(p.days, p.next().value)
	}
	if p.peek.kind != dateSeparator {
		if p.peek.kind != dateEnd {
			return p.next(), true
		}
	} else if p.next(); !p.standardTime() {
		return dateToken{}, false
	}
	if p.zone.sign == 0 && len(p.clock) == 0 {
		p.zone.set(0)
	}
	p.iso = true
	return dateToken{}, true
}

// standardTime reads what comes after the T.
func (p *dateParser) standardTime() bool {
	if !p.peek.fixed(2, 0, 24) {
		return false
	}
	high := 59
	if p.peek.value == 24 {
		high = 0
	}
	p.clock = append(p.clock, p.next().value)
	if !p.skip(':') || !p.peek.fixed(2, 0, high) {
		return false
	}
	p.clock = append(p.clock, p.next().value)
	if p.skip(':') {
		if !p.peek.fixed(2, 0, high) {
			return false
		}
		p.clock = append(p.clock, p.next().value)
		if p.skip('.') {
			if p.peek.kind != dateNumber || high == 0 && p.peek.value > 0 {
				return false
			}
			p.clock = append(p.clock, milliseconds(p.next()))
		}
	}
	if p.peek.isZ() {
		p.next()
		p.zone.set(0)
	} else if p.peek.isSign() {
		p.zone.sign = 1
		if p.next().is('-') {
			p.zone.sign = -1
		}
		if p.peek.fixed(4, 0, 2359) && p.peek.value%100 < 60 {
			n := p.next().value
			p.zone.hour, p.zone.minute = n/100, n%100
		} else {
			if !p.peek.fixed(2, 0, 23) {
				return false
			}
			p.zone.hour = p.next().value
			if !p.skip(':') || !p.peek.fixed(2, 0, 59) {
				return false
			}
			p.zone.minute = p.next().value
		}
	}
	return p.peek.kind == dateEnd
}

// expectsClock reports whether n can be the next part of the time.
func (p *dateParser) expectsClock(n int) bool {
	switch len(p.clock) {
	case 1, 2:
		return n < 60
	case 3:
		return n < 1000
	}
	return false
}

func (p *dateParser) endClock(n int) {
	for p.clock = append(p.clock, n); len(p.clock) < 4; {
		p.clock = append(p.clock, 0)
	}
}

// legacy reads the rest of the text, from a token on: numbers and words in any order.
func (p *dateParser) legacy(token dateToken) bool {
	numbers := len(p.days) > 0
	for ; token.kind != dateEnd; token = p.next() {
		switch {
		case token.kind == dateNumber:
			numbers = true
			if !p.number(token.value) {
				return false
			}
		case token.kind == dateAMPM && len(p.clock) > 0:
			p.hourOffset = token.value
		case token.kind == dateMonth:
			p.namedMonth = token.value
			p.skip('-')
		case token.kind == dateZoneName && numbers:
			p.zone.set(token.value)
		case token.kind >= dateWord:
			if numbers || p.peek.kind == dateNumber {
				return false
			}
		case token.isSign() && (p.zone.hour == 0 && p.zone.minute == 0 || len(p.clock) > 0):
			numbers = true
			if !p.offset(token) {
				return false
			}
		case (token.isSign() || token.is(')')) && numbers:
			return false
		}
	}
	return true
}

func (p *dateParser) number(n int) bool {
	if p.skip(':') {
		if p.skip(':') {
			if len(p.clock) > 0 {
				return false
			}
			p.clock = append(p.clock, n, 0)
			return true
		}
		if len(p.clock) == 4 {
			return false
		}
		p.clock = append(p.clock, n)
		p.skip('.')
		return true
	}
	dot := p.skip('.')
	switch {
	case dot && p.expectsClock(n):
		p.clock = append(p.clock, n)
		if p.peek.kind != dateNumber {
			return false
		}
		p.endClock(milliseconds(p.next()))
	case p.zone.hour != none && p.zone.minute == none && n < 60:
		p.zone.minute = n
	case p.expectsClock(n):
		p.endClock(n)
		return p.peek.kind == dateEnd || p.peek.kind == dateSpace || p.peek.isZ() || p.peek.isSign()
	default:
		if len(p.days) == 3 {
			return false
		}
		p.days = append(p.days, n)
		p.skip('-')
	}
	return true
}

// offset reads the number after a sign.
func (p *dateParser) offset(sign dateToken) bool {
	p.zone.sign = 1
	if sign.is('-') {
		p.zone.sign = -1
	}
	var number dateToken
	if p.peek.kind == dateNumber {
		number = p.next()
	}
	n := number.value
	switch {
	case p.peek.is(':'):
		p.zone.hour, p.zone.minute = n, none
	case number.length == 1 || number.length == 2:
		p.zone.hour, p.zone.minute = n, 0
	case number.length == 3 || number.length == 4:
		p.zone.hour, p.zone.minute = n/100, n%100
	default:
		return false
	}
	return true
}

// time puts the parts together.
func (p *dateParser) time() float64 {
	year, month, day, ok := p.date()
	clock := append(p.clock, 0, 0, 0, 0)
	hour := clock[0]
	if p.hourOffset != none {
		if hour > 12 {
			return math.NaN()
		}
		hour = hour%12 + p.hourOffset
	}
	if !ok || (hour > 23 || clock[1] > 59 || clock[2] > 59 || clock[3] > 999) &&
		(hour != 24 || clock[1]+clock[2]+clock[3] > 0) {
		return math.NaN()
	}
	seconds := float64(daysBefore(year, month)+day-1)*86400 + float64(hour*3600+clock[1]*60+clock[2])
	if z := p.zone; z.sign != 0 {
		var offset float64
		if z.hour != none {
			offset += float64(z.hour) * 3600
		}
		if z.minute != none {
			offset += float64(z.minute) * 60
		}
		seconds -= float64(z.sign) * offset
	}
	if ms := 1000*seconds + float64(clock[3]); math.Abs(ms) <= 8.64e15 {
		return ms
	}
	return math.NaN()
}

// date tells which number is the year, the month and the day.
func (p *dateParser) date() (year, month, day int, ok bool) {
	if len(p.days) == 0 {
		return 0, 0, 0, false
	}
	d := append(p.days, 1, 1)
	isDay := func(n int) bool { return n >= 1 && n <= 31 }
	switch {
	case p.namedMonth == none && (p.iso || !isDay(d[0])):
		year, month, day = d[0], d[1], d[2]
	case p.namedMonth == none:
		month, day, year = d[0], d[1], d[2]
	case !isDay(d[0]):
		year, month, day = d[0], p.namedMonth, d[1]
	default:
		day, month, year = d[0], p.namedMonth, d[1]
	}
	switch {
	case p.iso:
	case year >= 0 && year < 50:
		year += 2000
	case year >= 50 && year < 100:
		year += 1900
	}
	return year, month, day, month >= 1 && month <= 12 && isDay(day)
}

// daysBefore is how many days there are from 1970 to a month of a year.
func daysBefore(year, month int) int {
	if month <= 2 { // years that begin in March have the odd day at the end
		year, month = year-1, month+12
	}
	floor := func(n int) int { return int(math.Floor(float64(year) / float64(n))) }
	return 365*year + floor(4) - floor(100) + floor(400) + (153*(month-3)+2)/5 - 719468
}
