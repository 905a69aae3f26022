package intl

import "strings"

// DisplayNames are the names that a locale of the data has for codes. It is immutable.
type DisplayNames struct {
	names, words, money *table
	kind, style         string
	dialects            bool
}

// newDisplayNames returns the names for options as the prelude passes them: locale of the data, type, style, and
// dialect or standard, joined by |.
func newDisplayNames(options string) (*DisplayNames, error) {
	numberData.load()
	fields := strings.Split(options, "|")
	if len(fields) != 4 || numberData.locales[fields[0]] == nil {
		return nil, errOptions
	}
	return &DisplayNames{
		names: nameData.table(fields[0]), words: wordData.table(fields[0]), money: currencyData.table(fields[0]),
		kind: fields[1], style: fields[2], dialects: fields[3] == "dialect",
	}, nil
}

var displayNames cache[*DisplayNames]

// CachedDisplayNames is newDisplayNames for options that are likely to come again.
func CachedDisplayNames(options string) (*DisplayNames, error) {
	return displayNames.get(options, newDisplayNames)
}

// fieldNames are the codes of the type dateTimeField, with the names of CLDR.
var fieldNames = map[string]string{
	"era": "era", "year": "year", "quarter": "quarter", "month": "month", "weekOfYear": "week", "weekday": "weekday",
	"day": "day", "dayPeriod": "dayperiod", "hour": "hour", "minute": "minute", "second": "second",
	"timeZoneName": "zone",
}

// Canonical returns the canonical form of a code, and whether it is one of the type.
func (n *DisplayNames) Canonical(code string) (string, bool) {
	switch n.kind {
	case "language":
		t, ok := parseTag(code)
		if !ok {
			return "", false
		}
		t.replaceAliases()
		return t.String(), true
	case "region":
		ok := len(code) == 2 && isAlpha(code) || len(code) == 3 && isDigits(code)
		return strings.ToUpper(code), ok
	case "script":
		if len(code) != 4 || !isAlpha(code) {
			return "", false
		}
		return strings.ToUpper(code[:1]) + strings.ToLower(code[1:]), true
	case "currency":
		return strings.ToUpper(code), len(code) == 3 && isAlpha(code)
	case "calendar":
		return strings.ToLower(code), isType(code)
	case "dateTimeField":
		return code, fieldNames[code] != ""
	}
	return "", false
}

// Of returns the name of a canonical code: false if it has none.
func (n *DisplayNames) Of(code string) (string, bool) {
	switch n.kind {
	case "language":
		return n.language(code)
	case "region":
		return n.region(code)
	case "script":
		return n.short("script/" + code)
	case "currency":
		return n.money.get(code)
	case "calendar":
		if name, ok := calendarTypes[code]; ok {
			code = name
		}
		return n.names.get("types/calendar/" + code)
	case "dateTimeField":
		return n.words.get("field/" + fieldNames[code] + "/" + n.style + "/name")
	}
	return "", false
}

// calendarTypes are the names that CLDR's names of calendars go by, where they are not those of BCP 47.
var calendarTypes = map[string]string{"gregory": "gregorian", "ethioaa": "ethiopic-amete-alem"}

// short returns a shorter name if the style asks for one and there is one.
func (n *DisplayNames) short(path string) (string, bool) {
	if n.style != "long" {
		if name, ok := n.names.get(path + "-alt-short"); ok {
			return name, true
		}
	}
	return n.names.get(path)
}

func (n *DisplayNames) region(code string) (string, bool) { return n.short("region/" + code) }

// language returns the name of a language, with its script, region and variants.
func (n *DisplayNames) language(code string) (string, bool) {
	t, ok := parseTag(code)
	if !ok {
		return "", false
	}
	script, region := t.script, t.region
	name, found := "", false
	if n.dialects {
		switch {
		case script != "" && region != "":
			if name, found = n.short("language/" + join(t.language, script, region)); found {
				script, region = "", ""
			}
		case script != "":
			if name, found = n.short("language/" + join(t.language, script, "")); found {
				script = ""
			}
		case region != "":
			if name, found = n.short("language/" + join(t.language, "", region)); found {
				region = ""
			}
		}
	}
	all := true
	if !found {
		if name, found = n.short("language/" + t.language); !found {
			name, all = t.language, false
		}
	}
	var rest []string
	add := func(code string, name string, ok bool) {
		if !ok {
			name, all = code, false
		}
		rest = append(rest, name)
	}
	if script != "" {
		name, ok := n.names.get("script/" + script)
		add(script, name, ok)
	}
	if region != "" {
		name, ok := n.region(region)
		add(region, name, ok)
	}
	variants := t.variants
	if v, _ := t.keyword("va"); v == "posix" {
		variants = append([]string{v}, variants...)
	}
	for _, variant := range variants {
		name, ok := n.names.get("variant/" + strings.ToUpper(variant))
		add(strings.ToUpper(variant), name, ok)
	}
	if len(rest) == 0 {
		return name, all
	}
	pattern := n.names.text("localeDisplayPattern/localePattern")
	text := rest[0]
	for _, next := range rest[1:] {
		text = joinParts(fill(n.names.text("localeDisplayPattern/localeSeparator"), "", literal(text), literal(next)))
	}
	brackets := strings.NewReplacer("(", "[", ")", "]")
	if strings.Contains(pattern, "（") {
		brackets = strings.NewReplacer("（", "［", "）", "］")
	}
	return joinParts(fill(pattern, "", literal(name), literal(brackets.Replace(text)))), all
}

// literal returns a text as parts.
func literal(text string) []Part { return []Part{{Type: "literal", Value: text}} }
