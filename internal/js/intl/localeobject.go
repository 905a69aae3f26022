package intl

import (
	"slices"
	"strings"
)

// LocaleWith returns a canonical tag with other parts: language, script, region and keys of the Unicode extension, each
// followed by its value. It is false if the tag or a value is not valid.
func LocaleWith(text string, parts []string) (string, bool) {
	t, ok := parseTag(text)
	if !ok {
		return "", false
	}
	t.replaceAliases()
	for i := 0; i+1 < len(parts); i += 2 {
		value := strings.ToLower(parts[i+1])
		switch parts[i] {
		case "language":
			if n := len(value); !isAlpha(value) || n < 2 || n == 4 || n > 8 {
				return "", false
			}
			t.language = value
		case "script":
			if len(value) != 4 || !isAlpha(value) {
				return "", false
			}
			t.script = strings.ToUpper(value[:1]) + value[1:]
		case "region":
			if (len(value) != 2 || !isAlpha(value)) && (len(value) != 3 || !isDigits(value)) {
				return "", false
			}
			t.region = strings.ToUpper(value)
		default:
			if len(parts[i]) != 2 || !isType(value) && value != "false" {
				return "", false
			}
			t.setKeyword(parts[i], value)
		}
	}
	t.replaceAliases()
	return t.String(), true
}

// LocalePart returns a part of a canonical tag, and whether it has it. The parts are language, script, region, base,
// and keys of the Unicode extension.
func LocalePart(text, part string) (string, bool) {
	t, ok := parseTag(text)
	if !ok {
		return "", false
	}
	switch part {
	case "language":
		return t.language, true
	case "script":
		return t.script, t.script != ""
	case "region":
		return t.region, t.region != ""
	case "base":
		return t.base(), true
	}
	return t.keyword(part)
}

// MaximizedLocale returns a canonical tag with its likely script and region.
func MaximizedLocale(text string) string {
	t, ok := parseTag(text)
	if !ok {
		return text
	}
	t.maximize()
	return t.String()
}

// MinimizedLocale returns a canonical tag without script and region that are likely anyway.
func MinimizedLocale(text string) string {
	t, ok := parseTag(text)
	if !ok {
		return text
	}
	t.minimize()
	return t.String()
}

// localeCollations are the collations that languages have beside those of all, in ICU.
var localeCollations = map[string]string{
	"de": "phonebk", "es": "trad", "sv": "trad", "fi": "trad", "bn": "trad", "vi": "trad",
	"ar": "compat", "ja": "unihan",
	"ko": "searchjl unihan", "zh": "pinyin stroke unihan zhuyin",
}

// rightToLeft are the scripts that are written from right to left.
var rightToLeft = strings.Fields("Arab Hebr Thaa Syrc Nkoo Adlm Rohg Mand Samr")

// LocaleInfo returns what a locale prefers: its calendars, collations, hourCycles, numberingSystems, timeZones,
// direction of text, or week: the first day, the days of the weekend and how many days the first week of a year has.
// Days are 1 for Monday to 7.
func LocaleInfo(text, what string) []string {
	t, ok := parseTag(text)
	if !ok {
		return nil
	}
	own := func(key string) []string {
		if value, ok := t.keyword(key); ok && value != "" {
			return []string{value}
		}
		return nil
	}
	full := *t
	full.maximize()
	data := supplemental()
	forRegion := func(prefix string) string {
		if text, ok := data.get(prefix + full.region); ok {
			return text
		}
		return data.text(prefix + "001")
	}
	found := lookup(t.base())
	if found == "" {
		found = defaultLocale
	}
	switch what {
	case "calendars":
		if list := own("ca"); list != nil {
			return list
		}
		return strings.Fields(forRegion("calendars/"))
	case "collations":
		if list := own("co"); list != nil {
			return list
		}
		list := append([]string{"emoji", "eor"}, strings.Fields(localeCollations[t.language])...)
		slices.Sort(list)
		return list
	case "hourCycles":
		if list := own("hc"); list != nil {
			return list
		}
		if cycle, ok := data.get("hours/" + full.language + "-" + full.region); ok {
			return []string{cycle}
		}
		return []string{forRegion("hours/")}
	case "numberingSystems":
		if list := own("nu"); list != nil {
			return list
		}
		return []string{defaultSystem(dataLocale(found))}
	case "timeZones":
		var list []string
		timeData.table(root).each("region/", func(zone, region string) {
			if region == t.region {
				list = append(list, zone)
			}
		})
		slices.Sort(list)
		return list
	case "direction":
		if slices.Contains(rightToLeft, full.script) {
			return []string{"rtl"}
		}
		return []string{"ltr"}
	case "week":
		start, end := forRegion("weekend/start/"), forRegion("weekend/end/")
		list := []string{forRegion("week/first/"), forRegion("week/min/"), start}
		if start != end {
			list = append(list, end)
		}
		return list
	}
	return nil
}
