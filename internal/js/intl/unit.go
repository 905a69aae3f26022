package intl

import (
	"slices"
	"strings"
)

// knownUnits are the units that ECMA-402 knows. Two can be joined by -per-.
var knownUnits = strings.Fields(`
	acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit
	gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile
	mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second
	stone terabit terabyte week yard year`)

// IsUnit reports whether a text names a unit, or two of them joined by -per-.
func IsUnit(text string) bool {
	over, under, found := strings.Cut(text, "-per-")
	return slices.Contains(knownUnits, over) && (!found || slices.Contains(knownUnits, under))
}

// unitPatterns returns the patterns of a unit, by category.
func unitPatterns(locale, unit, width string) map[string]string {
	data := unitData.table(locale)
	patterns := func(unit string) map[string]string {
		out := map[string]string{}
		for _, category := range pluralCategories {
			if text, ok := data.get(width + "/" + unit + "/" + category); ok {
				out[category] = text
			}
		}
		return out
	}
	out := patterns(unit)
	over, under, found := strings.Cut(unit, "-per-")
	if len(out) > 0 || !found {
		return out
	}
	// The unit has no name of its own: it is put together.
	per, ok := data.get(width + "/" + under + "/per")
	if !ok {
		denominator := patterns(under)
		one, ok := denominator["one"]
		if !ok {
			one = denominator["other"]
		}
		one = strings.TrimSpace(strings.Replace(one, "{0}", "", 1))
		per = strings.Replace(data.text(width+"/per/per"), "{1}", one, 1)
	}
	for category, text := range patterns(over) {
		out[category] = strings.Replace(per, "{0}", text, 1)
	}
	return out
}
