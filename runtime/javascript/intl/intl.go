// Package intl is Intl, and the methods of other objects that depend on a locale.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package intl

import (
	"embed"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal prelude
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "intl",
	Scripts: scripts,
	Prelude: []string{"locale", "localetext"},
	Globals: map[string]string{
		"internal/intl": "Intl",
	},
	Words: map[string]string{
		"internal/intl/collator":  "Collator localeCompare",
		"internal/intl/date":      "DateTimeFormat toLocaleDateString toLocaleTimeString",
		"internal/intl/list":      "ListFormat",
		"internal/intl/locale":    "Intl.Locale",
		"internal/intl/names":     "DisplayNames",
		"internal/intl/number":    "NumberFormat toLocaleString",
		"internal/intl/plural":    "PluralRules",
		"internal/intl/relative":  "RelativeTime",
		"internal/intl/segmenter": "Segmenter",
	},
	Functions: map[string]host.Function{
		"intl.tag": tag, // tag: the canonical one
		// kind of formatter, tags, keys and options by turns: locale, data, values of the keys
		"intl.resolve":        resolve,
		"intl.supported":      supported,      // tags: those that are there
		"intl.values":         values,         // key: the values that Intl.supportedValuesOf gives
		"intl.isUnit":         isUnit,         // name: 1 if it is a unit
		"intl.currencyDigits": currencyDigits, // code: how many digits follow the decimal point
		"intl.list":           list,           // locale, kind: the patterns
		"intl.name":           name,           // options, code: + or - and the name, or 0
		"intl.locale":         locale,         // tag, parts and values by turns: tag
		"intl.localePart":     localePart,     // tag, part: its value
		"intl.localeInfo":     localeInfo,     // tag, what: the list
		"intl.maximize":       maximize,       // tag: tag
		"intl.minimize":       minimize,       // tag: tag

		"intl.number":           number,           // options, number: text
		"intl.numberParts":      numberParts,      // options, number: {list}
		"intl.numberRange":      numberRange,      // options, two numbers: text
		"intl.numberRangeParts": numberRangeParts, // options, two numbers: {list}
		"intl.plurals":          plurals,          // locale, type: the categories
		"intl.plural":           plural,           // o or c and options, number: category
		"intl.pluralRange":      pluralRange,      // o or c and options, two numbers: category
		"intl.relative":         relative,         // options, number, unit: text
		"intl.relativeParts":    relativeParts,    // options, number, unit: {list}

		"intl.dateResolved":   dateResolved,   // options: {list}; undefined if there is no such zone
		"intl.date":           date,           // options, time: text
		"intl.dateParts":      dateParts,      // options, time: {list}
		"intl.dateRange":      dateRange,      // options, two times: text
		"intl.dateRangeParts": dateRangeParts, // options, two times: {list}

		"intl.compare": compare, // options, two texts: -1, 0 or 1
		"intl.room":    room,    // nothing: how many bytes of keys the script may keep
		// options, a text: a text, of characters up to U+00FF, that compares as it
		"intl.key": key,
		// options, texts in one, a buffer of their lengths: 1, with the order in the buffer; or undefined
		"intl.order":    order,
		"intl.case":     convertCase, // tag, direction, text: text; undefined for most languages
		"intl.segments": segments,    // options, text, whether it ends: {list} of 2*length, +1 for words
	},
}
