package intl

import (
	"errors"
	"strconv"
	"strings"
)

// errNumber means that a text is not a number, or is too long.
var errNumber = errors.New("invalid number")

// A NumberFormat writes numbers. It is immutable.
type NumberFormat struct {
	o       numberOptions
	data    *table
	symbols symbols
	rules   *pluralRules

	pattern                numberPattern
	currency               string            // the symbol
	outer                  map[string]string // patterns of the unit or of the currency's name, by category
	compact                []compactPatterns // by magnitude
	primary, secondary     int               // sizes of groups of digits
	minGrouping            int               // how many digits there must be before the first separator
	decimalSign, groupSign string
}

// compactPatterns are the patterns for numbers of one magnitude.
type compactPatterns struct {
	byCategory map[string]string
	multiplier int // the power of ten that the number is multiplied by
}

// parseNumberFormat returns the formatter for options as the prelude passes them.
func parseNumberFormat(options string) (*NumberFormat, error) {
	numberData.load()
	o, err := parseNumberOptions(options)
	if err != nil {
		return nil, err
	}
	return newNumberFormat(o), nil
}

func newNumberFormat(o numberOptions) *NumberFormat {
	f := &NumberFormat{o: o, data: numberData.table(o.locale)}
	f.symbols = symbolsOf(o.locale, o.system)
	f.rules = rulesOf(o.locale, false)
	f.decimalSign, f.groupSign = f.symbols.decimal, f.symbols.group
	named := o.style == "currency" && o.currencyDisplay == "name"
	// A percent sign is a part of the pattern, but the name of the unit with compact numbers and in words.
	inWords := o.notation == "compact" || o.style == "unit" && o.unitDisplay == "long"
	percent := !inWords && (o.style == "percent" || o.style == "unit" && languageOf(o.unit) == "percent")
	path := "decimalFormats/standard"
	switch {
	case percent:
		path = "percentFormats/standard"
	case o.style == "currency" && !named:
		path = "currencyFormats/standard"
		if o.currencySign == "accounting" {
			path = "currencyFormats/accounting"
		}
	}
	if o.style == "currency" {
		f.setCurrency()
	}
	f.pattern = parsePattern(systemText(o.locale, o.system, path))
	switch {
	case named:
		f.outer = f.currencyNames()
	case o.style == "unit" && !percent:
		f.outer = unitPatterns(o.locale, o.unit, o.unitDisplay)
	case o.style == "percent" && !percent:
		f.outer = unitPatterns(o.locale, "percent", "short")
	}
	if o.notation == "compact" {
		f.compact = f.compactPatterns(o.style == "currency" && !named)
	}
	f.setGrouping()
	return f
}

// setCurrency finds the currency's symbol and the signs that it wants.
func (f *NumberFormat) setCurrency() {
	code := f.o.currency
	path := "currency/" + code + "/"
	f.currency = code
	if f.o.currencyDisplay != "code" {
		if symbol, ok := f.data.get(path + "symbol"); ok {
			f.currency = symbol
		}
	}
	if f.o.currencyDisplay == "narrowSymbol" {
		if symbol, ok := f.data.get(path + "symbol-alt-narrow"); ok {
			f.currency = symbol
		}
	}
	if s := f.symbols.currencyDecimal; s != "" {
		f.decimalSign = s
	}
	if s := f.symbols.currencyGroup; s != "" {
		f.groupSign = s
	}
	if s, ok := f.data.get(path + "decimal"); ok {
		f.decimalSign = s
	}
	if s, ok := f.data.get(path + "group"); ok {
		f.groupSign = s
	}
}

// currencyNames returns the patterns with the currency's name, by category.
func (f *NumberFormat) currencyNames() map[string]string {
	names := currencyData.table(f.o.locale)
	code := f.o.currency
	patterns := map[string]string{}
	for _, category := range pluralCategories {
		pattern, ok := f.data.get("latn/currencyFormats/unitPattern-count-" + category)
		if !ok {
			pattern = f.data.text("latn/currencyFormats/unitPattern-count-other")
		}
		name := code
		for _, path := range []string{code + "-count-" + category, code + "-count-other", code} {
			if text, ok := names.get(path); ok {
				name = text
				break
			}
		}
		patterns[category] = strings.Replace(pattern, "{1}", name, 1)
	}
	return patterns
}

// compactPatterns collects the patterns of compact numbers. Magnitudes below the first one have none.
func (f *NumberFormat) compactPatterns(currency bool) []compactPatterns {
	var out []compactPatterns
	collect := func(system, path string) {
		f.data.each(system+"/"+path+"/", func(key, text string) {
			power, category, found := strings.Cut(key, "-count-")
			if !found || strings.Contains(category, "-alt-") {
				return
			}
			magnitude := len(power) - 1
			for len(out) <= magnitude {
				out = append(out, compactPatterns{byCategory: map[string]string{}})
			}
			c := &out[magnitude]
			if text == "0" {
				text = ""
			}
			c.byCategory[category] = text
			if zeros := parsePattern(text).zeros; zeros > 0 && c.multiplier == 0 {
				c.multiplier = zeros - magnitude - 1
			}
		})
	}
	widths := []string{"short"}
	if f.o.compactDisplay == "long" {
		widths = []string{"long", "short"}
	}
	for _, width := range widths {
		path := "decimalFormats/" + width + "/decimalFormat"
		if currency {
			path = "currencyFormats/" + width + "/standard"
		}
		for _, system := range []string{f.o.system, "latn"} {
			if collect(system, path); len(out) > 0 {
				return out
			}
		}
	}
	return out
}

func (f *NumberFormat) setGrouping() {
	f.primary, f.secondary = f.pattern.primary, f.pattern.secondary
	f.minGrouping, _ = strconv.Atoi(f.data.text("minimumGroupingDigits"))
	f.minGrouping = max(1, f.minGrouping)
	grouping := f.o.grouping
	if grouping == "auto" && f.o.notation == "compact" {
		grouping = "min2"
	}
	switch grouping {
	case "false":
		f.primary = 0
	case "always":
		f.minGrouping = 1
		if f.primary == 0 {
			f.primary, f.secondary = 3, 3
		}
	case "min2":
		f.minGrouping = max(2, f.minGrouping)
	}
}

// A written number is taken apart so that ranges can share what is around two numbers.
type written struct {
	number   []Part
	inner    affix  // the exponent
	middle   affix  // sign, percent, currency, compact
	category string // for the outer affix: unit or name of a currency
	value    decimal
}

// write writes a number, without the outer affix.
func (f *NumberFormat) write(d decimal, approximately bool) written {
	if f.o.style == "percent" && !d.zeroish() {
		d.point += 2
	}
	w := written{}
	minFraction, exponent := 0, 0
	pattern, compact := &f.pattern, false
	var parsed numberPattern
	switch f.o.notation {
	case "compact":
		var text string
		if f.outer != nil { // its category is that of the number as it was
			plain := d
			least := f.round(&plain)
			w.category = f.rules.category(operandsOf(&plain, max(least, plain.fraction()), 0))
		}
		text, minFraction = f.roundCompact(&d)
		if text != "" {
			parsed, compact = parsePattern(text), true
			pattern = &parsed
		}
	case "scientific", "engineering":
		minFraction, exponent = f.roundTo(&d, f.scientificMultiplier)
		if !d.infinite && !d.nan {
			w.inner.suffix = f.exponent(-exponent)
		}
	default:
		minFraction = f.round(&d)
	}
	if f.outer != nil && f.o.notation != "compact" {
		w.category = f.rules.category(operandsOf(&d, max(minFraction, d.fraction()), -exponent))
	}
	w.value = d
	w.number = f.digits(&d, minFraction)
	if compact && !pattern.digits {
		w.number = nil // a name for the number itself
	}
	w.middle = f.affixes(pattern, compact, &d, approximately)
	return w
}

// exponent writes an exponent.
func (f *NumberFormat) exponent(n int) []Part {
	parts := []Part{{Type: "exponentSeparator", Value: f.symbols.exponential}}
	if n < 0 {
		parts = append(parts, Part{Type: "exponentMinusSign", Value: f.symbols.minus})
		n = -n
	}
	text := ""
	for _, c := range strconv.Itoa(n) {
		text += f.symbols.digits[c-'0']
	}
	return append(parts, Part{Type: "exponentInteger", Value: text})
}

// digits writes the digits of a rounded number.
func (f *NumberFormat) digits(d *decimal, minFraction int) []Part {
	switch {
	case d.nan:
		return []Part{{Type: "nan", Value: f.symbols.nan}}
	case d.infinite:
		return []Part{{Type: "infinity", Value: f.symbols.infinity}}
	}
	whole := max(d.point, f.o.minInteger)
	fraction := max(minFraction, d.fraction())
	text := make([]byte, 0, whole+fraction)
	for m := whole - 1; m >= -fraction; m-- {
		text = append(text, d.digit(m))
	}
	parts := make([]Part, 0, 4)
	separate := f.primary > 0 && whole-f.primary >= f.minGrouping
	from := 0
	for at := 1; separate && at < whole; at++ {
		rest := whole - at
		if rest < f.primary || (rest-f.primary)%f.secondary != 0 {
			continue
		}
		parts = append(parts, Part{Type: "integer", Value: f.native(text[from:at])},
			Part{Type: "group", Value: f.groupSign})
		from = at
	}
	parts = append(parts, Part{Type: "integer", Value: f.native(text[from:whole])})
	if fraction > 0 {
		parts = append(parts, Part{Type: "decimal", Value: f.decimalSign},
			Part{Type: "fraction", Value: f.native(text[whole:])})
	}
	return parts
}

// native returns digits in those of the numbering system.
func (f *NumberFormat) native(digits []byte) string {
	if f.symbols.ascii {
		return string(digits)
	}
	var b strings.Builder
	b.Grow(len(digits) * 4)
	for _, c := range digits {
		b.WriteString(f.symbols.digits[c-'0'])
	}
	return b.String()
}

// parts writes a number.
func (f *NumberFormat) parts(d decimal) []Part {
	w := f.write(d, false)
	return f.outside(w.category, w.around(w.inner.around(w.number)))
}

// Format returns a number, given as JavaScript writes it, as text.
func (f *NumberFormat) Format(number string) (string, error) {
	d, ok := parseDecimal(number)
	if !ok {
		return "", errNumber
	}
	return joinParts(f.parts(d)), nil
}

// Parts returns the pieces of what Format returns.
func (f *NumberFormat) Parts(number string) ([]Part, error) {
	d, ok := parseDecimal(number)
	if !ok {
		return nil, errNumber
	}
	return tidyParts(f.parts(d)), nil
}
