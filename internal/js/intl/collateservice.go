package intl

import (
	"errors"
	"slices"
	"strings"
)

func init() {
	allowed := func(key, data, value string) bool {
		switch key {
		case "kn":
			return value == "true" || value == "false"
		case "kf":
			return value == "upper" || value == "lower" || value == "false"
		}
		return hasCollation(data, value)
	}
	own := func(key, data string) string {
		switch {
		case key == "kn":
			return "false"
		case key == "kf" && upperFirst(data):
			return "upper"
		case key == "kf":
			return "false"
		case key == "punctuation" && punctuationIgnored(data):
			return "true"
		case key == "punctuation":
			return "false"
		}
		return "default"
	}
	collator := kind{keys: []string{"co", "kn", "kf", "punctuation"}, allowed: allowed, own: own, shown: collatorLocale}
	kinds["collator"] = collator
	collator.allowed = func(key, data, value string) bool { return key != "co" && allowed(key, data, value) }
	kinds["searcher"] = collator
	supportedValues["collation"] = func() []string {
		return strings.Fields("compat eor phonebk pinyin searchjl stroke trad")
	}
}

// collatorLocales are the locales with a region or a script for which ICU has collations. For all others, the language
// is what resolvedOptions shows.
var collatorLocales = strings.Fields(`
	ar-SA de-AT en-US fa-AF fr-CA he-IL id-ID nb-NO sr-BA sr-Cyrl sr-Cyrl-BA sr-Cyrl-ME
	sr-Cyrl-RS sr-Latn sr-Latn-BA sr-Latn-RS sr-ME sr-RS zh-CN zh-HK zh-Hans zh-Hans-CN zh-Hans-SG zh-Hant zh-Hant-HK
	zh-Hant-MO zh-Hant-TW zh-MO zh-SG zh-TW`)

func collatorLocale(locale string) string {
	for !slices.Contains(collatorLocales, locale) && strings.Contains(locale, "-") {
		locale = shorter(locale)
	}
	return locale
}

var collators cache[*Collator]

// CachedCollator returns the collator for a key: the locale of the data, usage, collation, sensitivity, whether
// punctuation is ignored, whether numbers count, and which case is first, with spaces between.
func CachedCollator(key string) (*Collator, error) {
	return collators.get(key, func(key string) (*Collator, error) {
		f := strings.Split(key, " ")
		if len(f) != 7 || !available(f[0]) {
			return nil, errors.New("the options are malformed")
		}
		o := collatorOptions{
			data: dataLocale(f[0]), search: f[1] == "search", level: f[3], shifted: f[4] == "true",
			numeric: f[5] == "true", caseFirst: f[6],
		}
		if hasCollation(o.data, f[2]) {
			o.collation = f[2]
		}
		return newCollator(o), nil
	})
}
