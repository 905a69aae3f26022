package intl

import (
	"strings"
	"sync"
)

// DateOptions are the options of Intl.DateTimeFormat, as the script gave them: empty for undefined. Their values are
// those that ECMA-402 allows; others count as undefined.
type DateOptions struct {
	Locales         []string `json:"locales"`
	Calendar        string   `json:"calendar,omitempty"`
	NumberingSystem string   `json:"numberingSystem,omitempty"`
	Hour12          string   `json:"hour12,omitempty"` // true, false
	HourCycle       string   `json:"hourCycle,omitempty"`
	TimeZone        string   `json:"timeZone,omitempty"`
	Weekday         string   `json:"weekday,omitempty"`
	Era             string   `json:"era,omitempty"`
	Year            string   `json:"year,omitempty"`
	Month           string   `json:"month,omitempty"`
	Day             string   `json:"day,omitempty"`
	DayPeriod       string   `json:"dayPeriod,omitempty"`
	Hour            string   `json:"hour,omitempty"`
	Minute          string   `json:"minute,omitempty"`
	Second          string   `json:"second,omitempty"`
	Fraction        int      `json:"fractionalSecondDigits,omitempty"` // 1 to 3; 0 for undefined
	TimeZoneName    string   `json:"timeZoneName,omitempty"`
	DateStyle       string   `json:"dateStyle,omitempty"`
	TimeStyle       string   `json:"timeStyle,omitempty"`

	// Required and Defaults say which fields there must be, and which are added if there is none of them: date, time,
	// any and date, time, all.
	Required string `json:"required,omitempty"`
	Defaults string `json:"defaults,omitempty"`
}

// defaultZone is the time zone of a script that names none.
const defaultZone = "UTC"

// A DateFormat writes times as text. It is immutable.
type DateFormat struct {
	locale    string // of resolvedOptions
	data      string
	calendar  string
	numbering string
	digits    [10]rune
	latin     bool
	decimal   string // of seconds with a fraction
	minus     string
	zone      *timeZone
	hourCycle string // empty if the format has no hour
	options   DateOptions
	pattern   string
	items     []patternItem
	symbols   *calendarData
	intervals func() *rangeFormat
}

// An option of a format's fields in the order of a skeleton, with the letters for each value.
var skeletonOptions = []struct {
	name   string
	values []string // value and letters by turns
}{
	{"weekday", []string{"narrow", "EEEEE", "long", "EEEE", "short", "EEE"}},
	{"era", []string{"narrow", "GGGGG", "long", "GGGG", "short", "GGG"}},
	{"year", []string{"2-digit", "yy", "numeric", "y"}},
	{"month", []string{"narrow", "MMMMM", "long", "MMMM", "short", "MMM", "2-digit", "MM", "numeric", "M"}},
	{"day", []string{"2-digit", "dd", "numeric", "d"}},
	{"dayPeriod", []string{"narrow", "BBBBB", "long", "BBBB", "short", "B"}},
	{"hour", []string{"2-digit", "jj", "numeric", "j"}},
	{"minute", []string{"2-digit", "mm", "numeric", "m"}},
	{"second", []string{"2-digit", "ss", "numeric", "s"}},
	{"timeZoneName", []string{"long", "zzzz", "short", "z", "longOffset", "OOOO", "shortOffset", "O",
		"longGeneric", "vvvv", "shortGeneric", "v"}},
}

// option returns a pointer to the option of a field.
func (o *DateOptions) option(name string) *string {
	switch name {
	case "weekday":
		return &o.Weekday
	case "era":
		return &o.Era
	case "year":
		return &o.Year
	case "month":
		return &o.Month
	case "day":
		return &o.Day
	case "dayPeriod":
		return &o.DayPeriod
	case "hour":
		return &o.Hour
	case "minute":
		return &o.Minute
	case "second":
		return &o.Second
	}
	return &o.TimeZoneName
}

// setDefaults adds the fields that a format without any has.
func (o *DateOptions) setDefaults() {
	needed := o.DateStyle == "" && o.TimeStyle == ""
	if o.Required == "date" || o.Required == "any" {
		needed = needed && o.Weekday+o.Year+o.Month+o.Day == ""
	}
	if o.Required == "time" || o.Required == "any" {
		needed = needed && o.DayPeriod+o.Hour+o.Minute+o.Second == "" && o.Fraction == 0
	}
	if !needed {
		return
	}
	if o.Defaults == "date" || o.Defaults == "all" {
		o.Year, o.Month, o.Day = "numeric", "numeric", "numeric"
	}
	if o.Defaults == "time" || o.Defaults == "all" {
		o.Hour, o.Minute, o.Second = "numeric", "numeric", "numeric"
	}
}

var hourLetters = map[string]byte{"h11": 'K', "h12": 'h', "h23": 'H', "h24": 'k'}

func cycleOf(letter byte) string {
	for cycle, l := range hourLetters {
		if l == letter {
			return cycle
		}
	}
	return ""
}

// invalidZoneError says that there is no time zone of a name.
type invalidZoneError struct{ name string }

func (e *invalidZoneError) Error() string { return "Invalid time zone specified: " + e.name }

// newDateFormat returns the format that options describe. The only error is an *invalidZoneError.
func newDateFormat(o DateOptions) (*DateFormat, error) {
	o.setDefaults()
	hour12 := o.Hour12
	cycleOption := o.HourCycle
	if hour12 != "" {
		cycleOption = ""
	}
	r := resolve(o.Locales,
		choice{key: "ca", option: o.Calendar, allowed: func(_, value string) bool { return calendarName(value) != "" }},
		choice{key: "hc", option: cycleOption, allowed: func(_, value string) bool { return hourLetters[value] != 0 }},
		choice{key: "nu", option: o.NumberingSystem, allowed: allowedDigits},
	)
	f := &DateFormat{locale: r.locale, data: r.data, calendar: calendarName(r.keywords["ca"]),
		numbering: r.keywords["nu"]}
	region := regionOf(r.locale)
	if f.calendar == "" {
		f.calendar = usualCalendar(region)
	}
	if f.numbering == "" {
		f.numbering = numberData.table(r.data).text("defaultNumberingSystem")
	}
	digits, ok := digitsOf(f.numbering)
	if !ok {
		f.numbering = "latn"
	}
	f.digits, f.latin = digits, f.numbering == "latn"
	f.decimal = numberSymbol(r.data, f.numbering, "decimal", ".")
	f.minus = numberSymbol(r.data, f.numbering, "minusSign", "-")
	name := o.TimeZone
	if name == "" {
		name = defaultZone
	}
	if f.zone, ok = findZone(name); !ok {
		return nil, &invalidZoneError{name}
	}
	f.symbols = calendarFor(r.data, f.calendar, region)
	f.options = o
	f.choosePattern(f.chooseCycle(r.keywords["hc"]))
	return f, nil
}

// numberSymbol returns a symbol of a numbering system, or of Latin digits if it has none of its own.
func numberSymbol(locale, system, name, missing string) string {
	t := numberData.table(locale)
	if text := t.text(system + "/symbols/" + name); text != "" {
		return text
	}
	if text, ok := borrowedText(locale, system, name); ok {
		return text
	}
	if text := t.text("latn/symbols/" + name); text != "" {
		return text
	}
	return missing
}

// allowedDigits reports whether a value is the name of a numbering system.
func allowedDigits(_, value string) bool {
	_, ok := digitsOf(value)
	return ok
}

// chooseCycle returns the hour cycle of a request.
func (f *DateFormat) chooseCycle(keyword string) string {
	usual := cycleOf(f.symbols.hour)
	fromZero := usual == "h11" || usual == "h23"
	switch { // as V8 of Node 20: English has 24:00 with hour12: false, German 0:30 PM with true
	case f.options.Hour12 == "true" && fromZero:
		return "h11"
	case f.options.Hour12 == "true":
		return "h12"
	case f.options.Hour12 == "false" && fromZero:
		return "h23"
	case f.options.Hour12 == "false":
		return "h24"
	case keyword != "":
		return keyword
	}
	return usual
}

func (f *DateFormat) choosePattern(cycle string) {
	o := &f.options
	letter := hourLetters[cycle]
	if o.DateStyle != "" || o.TimeStyle != "" {
		f.setPattern(f.stylePattern(letter))
	} else {
		f.setPattern(f.bestPattern(f.skeleton(letter), letter))
	}
	f.hourCycle = cycleOf(patternHour(f.items))
	f.intervals = sync.OnceValue(f.newRangeFormat)
}

func (f *DateFormat) setPattern(pattern string) {
	f.pattern, f.items = pattern, parseDatePattern(pattern)
}

// bestPattern returns the pattern for a skeleton, with the letter of the hour cycle.
func (f *DateFormat) bestPattern(skeleton string, hour byte) string {
	return replaceHour(f.symbols.generator().pattern(skeleton, request{decimal: f.decimal, hour: f.symbols.hour}), hour)
}

// skeleton returns the skeleton of the fields that the options ask for.
func (f *DateFormat) skeleton(hour byte) string {
	var b strings.Builder
	for _, option := range skeletonOptions {
		if option.name == "timeZoneName" {
			b.WriteString(strings.Repeat("S", f.options.Fraction))
		}
		value := *f.options.option(option.name)
		for i := 0; i < len(option.values); i += 2 {
			if option.values[i] == value {
				b.WriteString(strings.ReplaceAll(option.values[i+1], "j", string(hour)))
			}
		}
	}
	return b.String()
}

// stylePattern returns the pattern of dateStyle and timeStyle.
func (f *DateFormat) stylePattern(hour byte) string {
	date, time := styleIndex(f.options.DateStyle), styleIndex(f.options.TimeStyle)
	if date < 0 && time < 0 {
		return ""
	}
	if time < 0 {
		return f.symbols.date[date]
	}
	pattern := f.symbols.time[time]
	if date >= 0 {
		pattern = fillPattern(f.symbols.at[date], pattern, f.symbols.date[date])
	}
	if patternHour(parseDatePattern(pattern)) == hour {
		return pattern
	}
	s := parseSkeleton(pattern)
	// The skeleton of a pattern of twelve hours has a day period, which one of twenty-four loses.
	key := []byte(s.String())
	for i, c := range key {
		if strings.IndexByte("hHkK", c) >= 0 {
			key[i] = hour
		}
	}
	return f.bestPattern(string(key), hour)
}

func styleIndex(style string) int {
	for i, name := range []string{"full", "long", "medium", "short"} {
		if name == style {
			return i
		}
	}
	return -1
}

// patternHour returns the letter of a pattern's hour, 0 if it has none.
func patternHour(items []patternItem) byte {
	for _, it := range items {
		if l := letterOf(it.char, it.n); l != nil && l.field == fieldHour {
			return it.char
		}
	}
	return 0
}

// replaceHour gives the hour of a pattern the letter of a cycle. Between a day and an hour there must be a space.
func replaceHour(pattern string, hour byte) string {
	items := parseDatePattern(pattern)
	for i := range items {
		if l := letterOf(items[i].char, items[i].n); l != nil && l.field == fieldHour {
			items[i].char = hour
		}
	}
	return formatDatePattern(items)
}

// calendarNames are the calendars that are there, with the names that mean them.
var calendarNames = map[string]string{
	"gregory": "gregory", "gregorian": "gregory", "iso8601": "iso8601", "buddhist": "buddhist", "roc": "roc",
	"japanese": "japanese", "persian": "persian", "islamic-civil": "islamic-civil", "islamicc": "islamic-civil",
	"islamic-tbla": "islamic-tbla",
}

// calendarName returns the canonical name of a calendar: empty if it is not there.
func calendarName(name string) string { return calendarNames[strings.ToLower(name)] }

// usualCalendar returns the calendar that is usual in a region.
func usualCalendar(region string) string {
	if name := calendarName(times().text("calendar/" + region)); name != "" {
		return name
	}
	return "gregory"
}

// A Property is an option of a format as it is resolved.
type Property struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Resolved returns what resolvedOptions shows, in its order.
func (f *DateFormat) Resolved() []Property {
	list := []Property{
		{"locale", f.locale}, {"calendar", f.calendar}, {"numberingSystem", f.numbering}, {"timeZone", f.zone.name},
	}
	if f.hourCycle != "" {
		twelve := f.hourCycle == "h11" || f.hourCycle == "h12"
		list = append(list, Property{"hourCycle", f.hourCycle}, Property{"hour12", twelve})
	}
	if f.options.DateStyle == "" && f.options.TimeStyle == "" {
		list = append(list, f.fields()...)
	}
	if f.options.DateStyle != "" {
		list = append(list, Property{"dateStyle", f.options.DateStyle})
	}
	if f.options.TimeStyle != "" {
		list = append(list, Property{"timeStyle", f.options.TimeStyle})
	}
	return list
}

// fields returns the fields of the pattern with the options that make them.
func (f *DateFormat) fields() []Property {
	var list []Property
	for _, option := range skeletonOptions {
		if option.name == "timeZoneName" {
			if n := strings.Count(f.pattern, "S"); n > 0 {
				list = append(list, Property{"fractionalSecondDigits", n})
			}
		}
		if value := f.optionOf(option.values); value != "" {
			list = append(list, Property{option.name, value})
		}
	}
	return list
}

// optionOf returns the option whose letters a pattern has. As in V8, they may be part of a word.
func (f *DateFormat) optionOf(values []string) string {
	first := values[1][0]
	same := map[byte]string{'E': "Ec", 'M': "ML", 'B': "Bb", 'j': "HhkK"}[first]
	if same == "" {
		same = values[1][:1]
	}
	if first == 'z' {
		same = "zOv"
	}
	for _, char := range same {
		for i := 0; i < len(values); i += 2 { // the longest is first
			if first == 'z' && values[i+1][0] != byte(char) {
				continue
			}
			if strings.Contains(f.pattern, strings.Repeat(string(char), len(values[i+1]))) {
				return values[i]
			}
		}
	}
	return ""
}

// dateFormats keeps fewer than other caches, since each can hold a calendar's data.
var dateFormats = cache[*DateFormat]{most: 128}

// CachedDateFormat is newDateFormat for options that are likely to come again: text is the same for the same options.
func CachedDateFormat(text string, o DateOptions) (*DateFormat, error) {
	return dateFormats.get(text, func(string) (*DateFormat, error) { return newDateFormat(o) })
}

// KeptDateFormat returns the format that CachedDateFormat keeps for a text, if it keeps one.
func KeptDateFormat(text string) (*DateFormat, bool) {
	dateFormats.mu.RLock()
	defer dateFormats.mu.RUnlock()
	f, ok := dateFormats.values[text]
	return f, ok
}
