package intl

import (
	"unicode"
)

// An affix is what a modifier puts around a number.
type affix struct{ prefix, suffix []Part }

func (a affix) size() (n int) {
	for _, p := range a.prefix {
		n += len([]rune(p.Value))
	}
	for _, p := range a.suffix {
		n += len([]rune(p.Value))
	}
	return n
}

func (a affix) equal(b affix) bool {
	same := func(a, b []Part) bool {
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	}
	return same(a.prefix, b.prefix) && same(a.suffix, b.suffix)
}

func (a affix) around(parts []Part) []Part {
	out := make([]Part, 0, len(a.prefix)+len(parts)+len(a.suffix))
	return append(append(append(out, a.prefix...), parts...), a.suffix...)
}

// affixes returns what a pattern puts around a number: sign, percent sign, currency and text.
func (f *NumberFormat) affixes(p *numberPattern, compact bool, d *decimal, approximately bool) affix {
	negative, plus := f.signs(d)
	plus = plus && !hasSign(p.prefix, '+') && !hasSign(p.suffix, '+')
	useNegative := p.hasNegative && (negative ||
		(hasSign(p.negativePrefix, '-') || hasSign(p.negativeSuffix, '-')) && (plus || approximately))
	prepend := !useNegative && (negative || plus || approximately)
	var signs []Part
	if approximately {
		signs = append(signs, Part{Type: "approximatelySign", Value: f.symbols.approximately})
	}
	switch {
	case plus:
		signs = append(signs, Part{Type: "plusSign", Value: f.symbols.plus})
	case negative || !approximately:
		signs = append(signs, Part{Type: "minusSign", Value: f.symbols.minus})
	}
	prefix, suffix := p.prefix, p.suffix
	if useNegative {
		prefix, suffix = p.negativePrefix, p.negativeSuffix
	}
	var a affix
	if prepend {
		a.prefix = append(a.prefix, signs...)
	}
	a.prefix = f.tokens(a.prefix, prefix, signs, compact)
	a.suffix = f.tokens(a.suffix, suffix, signs, compact)
	return a
}

// signs reports whether a number is written as a negative one, or with a plus sign.
func (f *NumberFormat) signs(d *decimal) (negative, plus bool) {
	zero := d.zero() // or not a number
	switch f.o.signDisplay {
	case "never":
		return false, false
	case "always":
		return d.negative, !d.negative
	case "exceptZero":
		return d.negative && !zero, !d.negative && !zero
	case "negative":
		return d.negative && !zero, false
	}
	return d.negative, false
}

func hasSign(tokens []affixToken, sign rune) bool {
	for _, t := range tokens {
		if t.sign == sign {
			return true
		}
	}
	return false
}

func (f *NumberFormat) tokens(out []Part, tokens []affixToken, signs []Part, compact bool) []Part {
	literal := "literal"
	if compact {
		literal = "compact"
	}
	for _, t := range tokens {
		switch t.sign {
		case 0:
			out = append(out, Part{Type: literal, Value: t.text})
		case '-':
			out = append(out, signs...)
		case '+':
			out = append(out, Part{Type: "plusSign", Value: f.symbols.plus})
		case '%':
			kind := "percentSign"
			if f.o.style == "unit" {
				kind = "unit"
			}
			out = append(out, Part{Type: kind, Value: f.symbols.percent})
		case '‰':
			out = append(out, Part{Type: "literal", Value: f.symbols.perMille})
		case '¤':
			out = append(out, Part{Type: "currency", Value: f.currency})
		}
	}
	return out
}

// around puts the middle affix around a number. A space is put between a currency and digits beside it, unless the
// currency ends in a symbol.
func (w *written) around(parts []Part) []Part {
	a := w.middle
	if n := len(a.prefix); n > 0 && len(parts) > 0 && a.prefix[n-1].Type == "currency" &&
		isLetterlike(lastRune(a.prefix[n-1].Value)) && unicode.IsDigit(firstRune(parts[0].Value)) {
		a.prefix = append(append([]Part(nil), a.prefix...), Part{Type: "literal", Value: "\u00a0"})
	}
	if len(a.suffix) > 0 && len(parts) > 0 && a.suffix[0].Type == "currency" &&
		isLetterlike(firstRune(a.suffix[0].Value)) && unicode.IsDigit(lastRune(parts[len(parts)-1].Value)) {
		a.suffix = append([]Part{{Type: "literal", Value: "\u00a0"}}, a.suffix...)
	}
	return a.around(parts)
}

// isLetterlike reports whether a character is neither a symbol nor a separator.
func isLetterlike(r rune) bool { return !unicode.IsSymbol(r) && !unicode.In(r, unicode.Z) }

// outside puts the unit or the currency's name around a number.
func (f *NumberFormat) outside(category string, parts []Part) []Part {
	if f.outer == nil {
		return parts
	}
	pattern, ok := f.outer[category]
	if !ok {
		pattern = f.outer["other"]
	}
	kind := "unit"
	if f.o.style == "currency" {
		kind = "currency"
	}
	return fill(pattern, kind, parts)
}
