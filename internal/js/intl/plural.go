package intl

import (
	"strconv"
	"strings"
	"sync"
)

// operands are the properties of a number that rules of plurals look at, as UTS 35 names them.
type operands struct {
	whole   float64 // i, exact below 2^53
	low     int64   // i modulo 10^18
	v, w    int     // visible digits of the fraction, with and without trailing zeros
	f, t    int64   // the fraction's digits with and without trailing zeros, modulo 10^18
	exp     int     // c and e: the exponent of a compact number
	special bool    // neither finite nor a number
}

// operandsOf returns the operands of a number with so many digits in its fraction. The number is multiplied by ten to
// the power of exponent for i.
func operandsOf(d *decimal, fraction, exponent int) operands {
	o := operands{exp: exponent, special: d.infinite || d.nan}
	if o.special {
		return o
	}
	const many = 1e18 // ICU looks at no more digits
	for m := max(d.point+exponent-1, -1); m >= 0; m-- {
		c := d.digit(m - exponent)
		o.whole = o.whole*10 + float64(c-'0')
		o.low = (o.low%(many/10)*10 + int64(c-'0'))
	}
	fraction = max(0, fraction-exponent)
	o.v = fraction
	for n := 1; n <= fraction; n++ {
		c := int64(d.digit(-n-exponent) - '0')
		o.f = o.f%(many/10)*10 + c
		if c != 0 {
			o.w, o.t = n, o.f
		}
	}
	return o
}

// pluralRules are the rules of a language: a category and its condition, other being what is left.
type pluralRules struct {
	categories []string
	conditions [][][]relation // alternatives of relations that must all hold
}

// A relation compares an operand, modulo a number unless that is zero, with ranges.
type relation struct {
	operand byte
	modulo  int64
	not     bool
	ranges  [][2]int64
}

var (
	cardinalRules sync.Map // language: *pluralRules
	ordinalRules  sync.Map
)

// rulesOf returns the rules for a locale of the data.
func rulesOf(locale string, ordinal bool) *pluralRules {
	rules, kind := &cardinalRules, "plural/"
	if ordinal {
		rules, kind = &ordinalRules, "ordinal/"
	}
	if r, ok := rules.Load(locale); ok {
		return r.(*pluralRules)
	}
	r := &pluralRules{}
	data := supplemental()
	for name := locale; len(r.categories) == 0; name = parentLocale(name) {
		if name == root {
			r.categories = []string{"other"}
			r.conditions = [][][]relation{nil}
			break
		}
		conditions := map[string]string{}
		data.each(kind+name+"/", func(category, rule string) { conditions[category] = rule })
		for _, category := range pluralCategories {
			if rule, ok := conditions[category]; ok {
				r.categories = append(r.categories, category)
				r.conditions = append(r.conditions, parseRule(rule))
			}
		}
	}
	rules.Store(locale, r) // one for each locale of the data at most
	return r
}

// pluralCategories are all categories, in the order in which ICU looks at the rules: that of the alphabet.
var pluralCategories = []string{"few", "many", "one", "two", "zero", "other"}

// category returns the category of a number.
func (r *pluralRules) category(o operands) string {
	if o.special {
		return "other"
	}
	for i, alternatives := range r.conditions {
		for _, relations := range alternatives {
			holds := true
			for j := range relations {
				if holds = relations[j].holds(o); !holds {
					break
				}
			}
			if holds {
				return r.categories[i]
			}
		}
	}
	return "other"
}

func (r *relation) holds(o operands) bool {
	var value int64
	large := false // more than any number of a rule
	switch r.operand {
	case 'n':
		if o.w > 0 {
			return r.not // no integer, and rules compare only with integers
		}
		value, large = o.low, o.whole >= 1e18
	case 'i':
		value = o.low
	case 'v':
		value = int64(o.v)
	case 'w':
		value = int64(o.w)
	case 'f':
		value = o.f
	case 't':
		value = o.t
	case 'c', 'e':
		value = int64(o.exp)
	}
	if r.modulo > 0 {
		value, large = value%r.modulo, false
	}
	in := false
	for _, bounds := range r.ranges {
		in = in || !large && value >= bounds[0] && value <= bounds[1]
	}
	return in != r.not
}

// parseRule reads a rule of CLDR: relations joined by and, and those by or. A rule of no relations is nil.
func parseRule(rule string) [][]relation {
	var alternatives [][]relation
	if strings.TrimSpace(rule) == "" {
		return nil
	}
	for alternative := range strings.SplitSeq(rule, " or ") {
		var relations []relation
		for text := range strings.SplitSeq(alternative, " and ") {
			relations = append(relations, parseRelation(text))
		}
		alternatives = append(alternatives, relations)
	}
	return alternatives
}

// parseRelation reads a relation, such as n % 10 != 3..6,9.
func parseRelation(text string) relation {
	var r relation
	left, right, _ := strings.Cut(text, "=")
	left, r.not = strings.CutSuffix(strings.TrimSpace(left), "!")
	operand, modulo, _ := strings.Cut(left, "%")
	r.operand = strings.TrimSpace(operand)[0]
	r.modulo, _ = strconv.ParseInt(strings.TrimSpace(modulo), 10, 64)
	for part := range strings.SplitSeq(right, ",") {
		from, to, found := strings.Cut(strings.TrimSpace(part), "..")
		if !found {
			to = from
		}
		low, _ := strconv.ParseInt(from, 10, 64)
		high, _ := strconv.ParseInt(to, 10, 64)
		r.ranges = append(r.ranges, [2]int64{low, high})
	}
	return r
}

// rangeCategory returns the category of a range of numbers, from those of its ends.
func rangeCategory(locale, start, end string) string {
	if category := supplemental().text("range/" + languageOf(locale) + "/" + start + "/" + end); category != "" {
		return category
	}
	return "other"
}
