package intl

import (
	"errors"
	"strconv"
	"strings"
)

// errOptions means that the text of options is none that the prelude makes.
var errOptions = errors.New("invalid options")

// A numberOptions says how numbers are written. The fields are the options of ECMA-402, which it validates.
type numberOptions struct {
	locale, system                                  string
	style, currency, currencyDisplay, currencySign  string
	unit, unitDisplay                               string
	notation, compactDisplay, signDisplay, grouping string
	minInteger, minFraction, maxFraction            int
	minSignificant, maxSignificant                  int // 0: the digits of the fraction count
	mode                                            roundingMode
	increment                                       int
	priority, trailingZeros                         string
}

// parseNumberOptions reads options as the prelude passes them: the fields in the order above, joined by |.
func parseNumberOptions(text string) (numberOptions, error) {
	var o numberOptions
	fields := strings.Split(text, "|")
	if len(text) > maxTag || len(fields) != 21 {
		return o, errOptions
	}
	for i, to := range []*string{&o.locale, &o.system, &o.style, &o.currency, &o.currencyDisplay,
		&o.currencySign, &o.unit,
		&o.unitDisplay, &o.notation, &o.compactDisplay, &o.signDisplay, &o.grouping} {
		*to = fields[i]
	}
	bad := false
	for i, to := range []*int{&o.minInteger, &o.minFraction, &o.maxFraction, &o.minSignificant, &o.maxSignificant} {
		if fields[12+i] == "" {
			continue
		}
		n, err := strconv.Atoi(fields[12+i])
		bad = bad || err != nil || n < 0 || n > 100
		*to = n
	}
	if fields[16] == "" {
		o.maxSignificant = 0
	}
	var known bool
	o.mode, known = roundingModes[fields[17]]
	increment, err := strconv.Atoi(fields[18])
	o.increment, o.priority, o.trailingZeros = increment, fields[19], fields[20]
	if fields[14] == "" || o.priority == "auto" && o.maxSignificant > 0 {
		o.maxFraction = -1 // only significant digits count
	}
	bad = bad || !known || err != nil || increment < 1 || increment > 5000 || o.minInteger < 1 || o.minInteger > 21 ||
		o.maxSignificant > 21 || o.minSignificant > o.maxSignificant || o.maxFraction < 0 && o.maxSignificant == 0 ||
		numberData.locales[o.locale] == nil
	if bad {
		return o, errOptions
	}
	return o, nil
}
