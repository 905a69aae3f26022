package intl

// CLDR's JSON has a locale's symbols only for the numbering systems that people there use. ICU has more: for Arabic and
// Persian digits the root locale and a few others have symbols, which all others borrow.

// borrowed has symbols and patterns by numbering system, locale and name.
var borrowed = map[string]map[string]map[string]string{
	"arab": {
		root: {
			"decimal": "٫", "group": "٬", "percentSign": "٪\u061c", "plusSign": "\u061c+", "minusSign": "\u061c-",
			"exponential": "اس", "perMille": "؉", "approximatelySign": "~", "percentFormats/standard": "#,##0%",
			"currencyFormats/standard": "#,##0.00\u00a0¤", "currencyFormats/accounting": "#,##0.00\u00a0¤",
		},
		"fa": {
			"percentSign": "٪", "exponential": "E", "currencyFormats/standard": "\u200e¤#,##0.00",
			"currencyFormats/accounting": "\u200e¤#,##0.00",
		},
		"zh":      {"currencyFormats/standard": "¤#,##0.00", "currencyFormats/accounting": "¤#,##0.00"},
		"zh-Hant": {"minusSign": "-"},
		"fr":      {"plusSign": "\u200f+"},
		"ko":      {"minusSign": "\u200f-", "plusSign": "\u200f+"},
		"nl":      {"percentFormats/standard": "#,##0\u00a0%"},
		"no":      {"minusSign": "\u061c\u2212", "group": "\u00a0", "percentFormats/standard": "#,##0\u00a0%"},
		"sv":      {"minusSign": "\u061c\u2212", "group": "\u00a0", "exponential": "×۱۰^"},
		"ur":      {"decimal": "،", "group": ",", "plusSign": "+", "exponential": "E"},
	},
	"arabext": {
		root: {
			"decimal": "٫", "group": "٬", "percentSign": "٪", "plusSign": "\u200e+\u200e",
			"minusSign": "\u200e-\u200e", "exponential": "×۱۰^", "perMille": "؉", "approximatelySign": "~",
		},
		"ms":      {"decimal": "."},
		"no":      {"minusSign": "\u200e\u2212\u200e", "group": "\u00a0", "decimal": ","},
		"sv":      {"minusSign": "\u200e\u2212\u200e", "group": "\u00a0", "decimal": ","},
		"zh-Hant": {"plusSign": "+\u200e"},
	},
}

// elsewhere has patterns of a locale in all numbering systems but its own.
var elsewhere = map[string]map[string]string{
	"no": {"currencyFormats/standard": "¤\u00a0#,##0.00", "currencyFormats/accounting": "¤\u00a0#,##0.00"},
}

// borrowedText returns a symbol or pattern that a locale borrows for a numbering system.
func borrowedText(locale, system, name string) (string, bool) {
	if system == "latn" {
		return "", false
	}
	for {
		if text, ok := elsewhere[locale][name]; ok {
			return text, true
		}
		if text, ok := borrowed[system][locale][name]; ok {
			return text, true
		}
		if locale == root {
			break
		}
		locale = parentLocale(locale)
	}
	return "", false
}
