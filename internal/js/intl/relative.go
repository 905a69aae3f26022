package intl

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// relativeUnits are the units of Intl.RelativeTimeFormat.
var relativeUnits = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}

// A RelativeFormat writes times relative to now, such as in 3 days. It is immutable.
type RelativeFormat struct {
	data       *table
	style      string
	auto       bool
	numbers    *NumberFormat
	categories *pluralRules
}

// newRelativeFormat returns the formatter for options as the prelude passes them: locale of the data, numbering system,
// style and numeric, joined by |.
func newRelativeFormat(options string) (*RelativeFormat, error) {
	fields := strings.Split(options, "|")
	if len(fields) != 4 || !slices.Contains([]string{"long", "short", "narrow"}, fields[2]) {
		return nil, errOptions
	}
	numbers, err := CachedNumberFormat(strings.Join([]string{fields[0], fields[1],
		"decimal||||||standard||auto|auto|1|0|3|||halfEven|1|auto|auto"}, "|"))
	if err != nil {
		return nil, err
	}
	return &RelativeFormat{
		data: wordData.table(fields[0]), style: fields[2], auto: fields[3] == "auto", numbers: numbers,
		categories: rulesOf(fields[0], false),
	}, nil
}

var relativeFormats cache[*RelativeFormat]

// CachedRelativeFormat is newRelativeFormat for options that are likely to come again.
func CachedRelativeFormat(options string) (*RelativeFormat, error) {
	return relativeFormats.get(options, newRelativeFormat)
}

// Format returns a number of units from now as text.
func (f *RelativeFormat) Format(number, unit string) (string, error) {
	parts, err := f.parts(number, unit)
	return joinParts(parts), err
}

// Parts returns the pieces of what Format returns.
func (f *RelativeFormat) Parts(number, unit string) ([]Part, error) {
	parts, err := f.parts(number, unit)
	parts = tidyParts(parts)
	for i := range parts {
		if parts[i].Type != "literal" {
			parts[i].Unit = unit
		}
	}
	return parts, err
}

func (f *RelativeFormat) parts(number, unit string) ([]Part, error) {
	d, ok := parseDecimal(number)
	if !ok || d.nan || d.infinite || !slices.Contains(relativeUnits, unit) {
		return nil, errNumber
	}
	path := "field/" + unit + "/" + f.style + "/"
	if f.auto {
		if name := f.name(path, number, unit); name != "" {
			return []Part{{Type: "literal", Value: name}}, nil
		}
	}
	direction := "future/"
	if d.negative {
		direction = "past/"
	}
	d.negative = false
	w := f.numbers.write(d, false)
	category := f.categories.category(operandsOf(&w.value, w.value.fraction(), 0))
	pattern, ok := f.data.get(path + direction + category)
	if !ok {
		pattern = f.data.text(path + direction + "other")
	}
	return fill(pattern, "literal", w.around(w.number)), nil
}

// name returns the word for a number of units that has one, such as yesterday. A number within a hundredth is as good.
func (f *RelativeFormat) name(path, number, unit string) string {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || math.Abs(n) >= 2.1 {
		return ""
	}
	hundredths := int(n*100 + math.Copysign(0.5, n))
	if hundredths%100 != 0 || unit == "second" && hundredths != 0 {
		return ""
	}
	return f.data.text(path + strconv.Itoa(hundredths/100))
}
