package intl

import (
	"slices"
	"strings"
)

// defaultLocale is the locale of a script that asks for none, or for none that is there.
const defaultLocale = "en-US"

// maxRequested is how many locales of a request are looked at.
const maxRequested = 100

// parentLocale returns the locale that a locale inherits from.
func parentLocale(locale string) string {
	if parent := supplemental().text("parent/" + locale); parent != "" {
		return parent
	}
	if cut := strings.LastIndexByte(locale, '-'); cut >= 0 {
		return locale[:cut]
	}
	return root
}

// dataLocale returns the locale whose data a locale has: fr for fr-FR, zh-Hant for zh-TW. It is empty if there is none.
func dataLocale(locale string) string {
	numberData.load()
	for range 3 {
		switch {
		case locale == root:
			return ""
		case numberData.locales[locale] != nil:
			return locale
		case supplemental().text("content/"+locale) != "":
			locale = locale[:strings.LastIndexByte(locale, '-')]
		default:
			// A locale without its script: it has the likely one.
			t, ok := parseTag(locale)
			if !ok || t.script != "" || t.region == "" || len(t.variants) > 0 {
				return ""
			}
			region := t.region
			t.maximize()
			if t.script == "" || t.region != region {
				return ""
			}
			locale = t.base()
		}
	}
	return ""
}

// available reports whether a locale is there, as a name without extensions.
func available(locale string) bool { return dataLocale(locale) != "" }

// lookup returns the longest prefix of a locale that is there: empty if none is.
func lookup(locale string) string {
	for {
		if available(locale) {
			return locale
		}
		cut := strings.LastIndexByte(locale, '-')
		if cut < 0 {
			return ""
		}
		if cut >= 2 && locale[cut-2] == '-' {
			cut -= 2
		}
		locale = locale[:cut]
	}
}

// Supported returns those of the locales that are there. They are canonical tags.
func Supported(requested []string) []string {
	list := []string{}
	for _, locale := range requested[:min(len(requested), maxRequested)] {
		if t, ok := parseTag(locale); ok && lookup(t.base()) != "" {
			list = append(list, locale)
		}
	}
	return list
}

// A resolved locale is the result of a negotiation.
type resolved struct {
	// locale is the tag that resolvedOptions shows, with the keywords of the request that count.
	locale string

	// data is the locale whose data is used.
	data string

	// keywords are the values of the relevant keys: empty if neither request nor option have one that is allowed.
	keywords map[string]string
}

// A choice is a key of the Unicode extension that counts for a class of Intl.
type choice struct {
	key string

	// option is the value that an option gives; empty for none. It counts more than the request.
	option string

	// allowed reports whether a locale supports a value.
	allowed func(data, value string) bool
}

// resolve chooses the locale for a request, a list of canonical tags in the order of preference.
func resolve(requested []string, choices ...choice) resolved {
	r := resolved{locale: defaultLocale, keywords: map[string]string{}}
	var tag *localeTag
	for _, locale := range requested[:min(len(requested), maxRequested)] {
		t, ok := parseTag(locale)
		if !ok {
			continue
		}
		if found := lookup(t.base()); found != "" {
			r.locale, tag = found, t
			break
		}
	}
	r.data = dataLocale(r.locale)
	kept := &localeTag{}
	for _, c := range choices {
		value, from := "", ""
		if tag != nil {
			if v, ok := tag.keyword(c.key); ok {
				if v == "" {
					v = "true"
				}
				if c.allowed(r.data, v) {
					value, from = v, v
				}
			}
		}
		if c.option != "" && c.option != value && c.allowed(r.data, c.option) {
			value, from = c.option, ""
		}
		r.keywords[c.key] = value
		if from != "" {
			kept.setKeyword(c.key, from)
		}
	}
	if tag != nil {
		if v, ok := tag.keyword("va"); ok && v == "posix" {
			kept.setKeyword("va", v) // as V8 does
		}
	}
	if extension := kept.unicodeExtension(); extension != "" {
		r.locale += "-" + extension
	}
	return r
}

// languageOf returns the language of a locale of the data.
func languageOf(locale string) string {
	language, _, _ := strings.Cut(locale, "-")
	return language
}

// regionOf returns the region of a locale: the likely one if the tag has none.
func regionOf(locale string) string {
	t, ok := parseTag(locale)
	if !ok {
		return ""
	}
	if t.region == "" {
		t.maximize()
	}
	return t.region
}

// numberingSystems returns the numbering systems that are ten digits, sorted.
func numberingSystems() []string {
	var list []string
	supplemental().each("digits/", func(name, _ string) { list = append(list, name) })
	slices.Sort(list)
	return list
}

// digitsOf returns the digits of a numbering system, and whether it has ten.
func digitsOf(system string) ([10]rune, bool) {
	digits := [10]rune([]rune("0123456789"))
	text := []rune(supplemental().text("digits/" + system))
	if len(text) != 10 {
		return digits, false
	}
	return [10]rune(text), true
}
