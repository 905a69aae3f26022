package main

import (
	"fmt"
	"strings"
)

// numbers returns symbols and patterns of numbers, and the symbols of currencies.
func numbers(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	object, err := s.main("numbers", locale, "numbers", "numbers")
	if err != nil {
		return nil, err
	}
	for key, value := range object {
		if strings.HasPrefix(key, "rationalFormats") || key == "minimalPairs" {
			continue
		}
		name, system, found := strings.Cut(key, "-numberSystem-")
		if found {
			key = system + "/" + name
		}
		flatten(out, key, value)
	}
	list, err := s.main("numbers", locale, "currencies", "numbers", "currencies")
	if err != nil {
		return nil, err
	}
	for code, value := range list {
		for key, text := range value.(map[string]any) {
			if key == "symbol" && text == code || strings.HasPrefix(key, "displayName") {
				continue
			}
			flatten(out, "currency/"+code+"/"+key, text)
		}
	}
	return out, nil
}

// currencies returns the names of currencies.
func currencies(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	list, err := s.main("numbers", locale, "currencies", "numbers", "currencies")
	if err != nil {
		return nil, err
	}
	for code, value := range list {
		for key, text := range value.(map[string]any) {
			name, ok := strings.CutPrefix(key, "displayName")
			if ok && !(name == "" && text == code) {
				flatten(out, code+name, text)
			}
		}
	}
	return out, nil
}

// simpleUnits are the units that ECMA-402 knows.
var simpleUnits = strings.Fields(`
	acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit
	gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile
	mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second
	stone terabit terabyte week yard year`)

// units returns the patterns of units.
func units(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	object, err := s.main("units", locale, "units", "units")
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{"per": true}
	for _, unit := range simpleUnits {
		wanted[unit] = true
		for _, per := range simpleUnits {
			wanted[unit+"-per-"+per] = true
		}
	}
	for _, width := range []string{"long", "short", "narrow"} {
		list, _ := object[width].(map[string]any)
		for name, value := range list {
			if _, unit, found := strings.Cut(name, "-"); found {
				name = unit
			}
			if !wanted[name] {
				continue
			}
			for key, text := range value.(map[string]any) {
				switch plural, ok := strings.CutPrefix(key, "unitPattern-count-"); {
				case ok:
					flatten(out, width+"/"+name+"/"+plural, text)
				case key == "perUnitPattern", key == "compoundUnitPattern":
					flatten(out, width+"/"+name+"/per", text)
				}
			}
		}
	}
	return out, nil
}

// words returns the patterns of lists and of relative time.
func words(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	lists, err := s.main("misc", locale, "listPatterns", "listPatterns")
	if err != nil {
		return nil, err
	}
	for key, value := range lists {
		flatten(out, "list/"+strings.TrimPrefix(key, "listPattern-type-"), value)
	}
	fields, err := s.main("dates", locale, "dateFields", "dates", "fields")
	if err != nil {
		return nil, err
	}
	for key, value := range fields {
		field, width, _ := strings.Cut(key, "-")
		if width == "" {
			width = "long"
		}
		path := "field/" + field + "/" + width
		for key, text := range value.(map[string]any) {
			switch {
			case key == "displayName":
				flatten(out, path+"/name", text)
			case strings.HasPrefix(key, "relative-type-"):
				flatten(out, path+"/"+strings.TrimPrefix(key, "relative-type-"), text)
			case strings.HasPrefix(key, "relativeTime-type-"):
				for plural, pattern := range text.(map[string]any) {
					plural = strings.TrimPrefix(plural, "relativeTimePattern-count-")
					flatten(out, path+"/"+strings.TrimPrefix(key, "relativeTime-type-")+"/"+plural, pattern)
				}
			}
		}
	}
	return out, nil
}

// names returns the names of languages, scripts, territories, variants and calendars.
func names(s *source, locale string) (map[string]string, error) {
	out := map[string]string{}
	for _, part := range []struct{ file, key, prefix string }{
		{"languages", "languages", "language"}, {"scripts", "scripts", "script"},
		{"territories", "territories", "region"}, {"variants", "variants", "variant"},
	} {
		object, err := s.main("localenames", locale, part.file, "localeDisplayNames", part.key)
		if err != nil {
			return nil, err
		}
		for code, text := range object {
			flatten(out, part.prefix+"/"+code, text)
		}
	}
	object, err := s.main("localenames", locale, "localeDisplayNames", "localeDisplayNames")
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"localeDisplayPattern", "types", "keys", "codePatterns"} {
		flatten(out, key, object[key])
	}
	return out, nil
}

// supplemental returns what does not depend on the locale.
func supplemental(s *source, _ string) (map[string]string, error) {
	out := map[string]string{"version": version}
	for _, part := range []struct {
		prefix, file string
		keys         []string
	}{
		{"likely", "likelySubtags", []string{"likelySubtags"}},
		{"parent", "parentLocales", []string{"parentLocales", "parentLocale"}},
		{"plural", "plurals", []string{"plurals-type-cardinal"}},
		{"ordinal", "ordinals", []string{"plurals-type-ordinal"}},
		{"range", "pluralRanges", []string{"plurals"}},
	} {
		object, err := s.supplemental(part.file, part.keys...)
		if err != nil {
			return nil, err
		}
		for key, value := range object {
			rules, ok := value.(map[string]any)
			if !ok {
				flatten(out, part.prefix+"/"+key, value)
				continue
			}
			for name, rule := range rules {
				text, _ := rule.(string)
				text, _, _ = strings.Cut(text, "@") // without the examples
				name = strings.TrimPrefix(strings.TrimPrefix(name, "pluralRule-count-"), "pluralRange-start-")
				out[part.prefix+"/"+key+"/"+strings.Replace(name, "-end-", "/", 1)] = strings.TrimSpace(text)
			}
		}
	}
	aliases, err := s.supplemental("aliases", "metadata", "alias")
	if err != nil {
		return nil, err
	}
	for key, prefix := range map[string]string{"languageAlias": "language", "scriptAlias": "script",
		"territoryAlias": "region", "variantAlias": "variant", "subdivisionAlias": "subdivision"} {
		list, _ := aliases[key].(map[string]any)
		for code, value := range list {
			flatten(out, "alias/"+prefix+"/"+code, value.(map[string]any)["_replacement"])
		}
	}
	systems, err := s.supplemental("numberingSystems", "numberingSystems")
	if err != nil {
		return nil, err
	}
	for name, value := range systems {
		if digits, ok := value.(map[string]any)["_digits"]; ok {
			flatten(out, "digits/"+name, digits)
		}
	}
	fractions, err := s.supplemental("currencyData", "currencyData", "fractions")
	if err != nil {
		return nil, err
	}
	for code, value := range fractions {
		flatten(out, "fraction/"+code, value.(map[string]any)["_digits"])
	}
	if err := regions(s, out); err != nil {
		return nil, err
	}
	contents, err := s.read("cldr-core/defaultContent.json")
	if err != nil {
		return nil, err
	}
	list, ok := contents["defaultContent"].([]any)
	if !ok {
		return nil, fmt.Errorf("defaultContent.json is no list")
	}
	for _, name := range list {
		out["content/"+name.(string)] = "1"
	}
	return out, nil
}

// days are the numbers of the days of the week.
var days = map[string]string{"mon": "1", "tue": "2", "wed": "3", "thu": "4", "fri": "5", "sat": "6", "sun": "7"}

// regions adds what people of a region prefer: calendars, the cycle of hours, and the week.
func regions(s *source, out map[string]string) error {
	calendars, err := s.supplemental("calendarPreferenceData", "calendarPreferenceData")
	if err != nil {
		return err
	}
	for region, value := range calendars {
		var names []string
		for _, name := range value.([]any) {
			name := name.(string)
			if name == "gregorian" {
				name = "gregory"
			}
			names = append(names, name)
		}
		out["calendars/"+region] = strings.Join(names, " ")
	}
	hours, err := s.supplemental("timeData", "timeData")
	if err != nil {
		return err
	}
	cycles := map[byte]string{'H': "h23", 'h': "h12", 'K': "h11", 'k': "h24"}
	for region, value := range hours {
		preferred, _ := value.(map[string]any)["_preferred"].(string)
		out["hours/"+strings.ReplaceAll(region, "_", "-")] = cycles[(preferred + "H")[0]]
	}
	for key, prefix := range map[string]string{"firstDay": "week/first/", "weekendStart": "weekend/start/",
		"weekendEnd": "weekend/end/", "minDays": "week/min/"} {
		object, err := s.supplemental("weekData", "weekData", key)
		if err != nil {
			return err
		}
		for region, value := range object {
			text, _ := value.(string)
			if day := days[text]; day != "" {
				text = day
			}
			if !strings.Contains(region, "-alt-") {
				out[prefix+region] = text
			}
		}
	}
	return nil
}
