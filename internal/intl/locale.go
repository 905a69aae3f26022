package intl

import (
	"slices"
	"strings"
)

// DefaultLocale is the locale of a script that asks for none, or for none that is there.
const DefaultLocale = "en-US"

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
			t, ok := ParseTag(locale)
			if !ok || t.Script != "" || t.Region == "" || len(t.Variants) > 0 {
				return ""
			}
			region := t.Region
			t.Maximize()
			if t.Script == "" || t.Region != region {
				return ""
			}
			locale = t.Base()
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
		if t, ok := ParseTag(locale); ok && lookup(t.Base()) != "" {
			list = append(list, locale)
		}
	}
	return list
}

// A Resolved locale is the result of a negotiation.
type Resolved struct {
	// Locale is the tag that resolvedOptions shows, with the keywords of the request that count.
	Locale string

	// Data is the locale whose data is used.
	Data string

	// Keywords are the values of the relevant keys: empty if neither request nor option have one that is allowed.
	Keywords map[string]string
}

// A Choice is a key of the Unicode extension that counts for a class of Intl.
type Choice struct {
	Key string

	// Option is the value that an option gives; empty for none. It counts more than the request.
	Option string

	// Allowed reports whether a locale supports a value.
	Allowed func(data, value string) bool
}

// Resolve chooses the locale for a request, a list of canonical tags in the order of preference.
func Resolve(requested []string, choices ...Choice) Resolved {
	r := Resolved{Locale: DefaultLocale, Keywords: map[string]string{}}
	var tag *Tag
	for _, locale := range requested[:min(len(requested), maxRequested)] {
		t, ok := ParseTag(locale)
		if !ok {
			continue
		}
		if found := lookup(t.Base()); found != "" {
			r.Locale, tag = found, t
			break
		}
	}
	r.Data = dataLocale(r.Locale)
	kept := &Tag{}
	for _, c := range choices {
		value, from := "", ""
		if tag != nil {
			if v, ok := tag.Keyword(c.Key); ok {
				if v == "" {
					v = "true"
				}
				if c.Allowed(r.Data, v) {
					value, from = v, v
				}
			}
		}
		if c.Option != "" && c.Option != value && c.Allowed(r.Data, c.Option) {
			value, from = c.Option, ""
		}
		r.Keywords[c.Key] = value
		if from != "" {
			kept.SetKeyword(c.Key, from)
		}
	}
	if tag != nil {
		if v, ok := tag.Keyword("va"); ok && v == "posix" {
			kept.SetKeyword("va", v) // as V8 does
		}
	}
	if extension := kept.unicodeExtension(); extension != "" {
		r.Locale += "-" + extension
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
	t, ok := ParseTag(locale)
	if !ok {
		return ""
	}
	if t.Region == "" {
		t.Maximize()
	}
	return t.Region
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
