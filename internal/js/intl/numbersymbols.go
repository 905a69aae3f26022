package intl

// A symbols has the signs of a locale in a numbering system.
type symbols struct {
	decimal, group, percent, plus, minus, approximately, exponential, infinity, nan, perMille string
	currencyDecimal, currencyGroup                                                            string

	digits [10]string
	ascii  bool // whether the digits are 0 to 9
}

// symbolsOf returns the symbols of a locale.
func symbolsOf(locale, system string) symbols {
	data := numberData.table(locale)
	var s symbols
	own := system
	if _, ok := data.get(system + "/symbols/decimal"); !ok {
		own = "latn"
	}
	digits, _ := digitsOf(system)
	for i, r := range digits {
		s.digits[i] = string(r)
	}
	s.ascii = digits[0] == '0'
	for name, to := range map[string]*string{"decimal": &s.decimal, "group": &s.group, "percentSign": &s.percent,
		"plusSign": &s.plus, "minusSign": &s.minus, "approximatelySign": &s.approximately,
		"exponential": &s.exponential,
		"infinity":    &s.infinity, "nan": &s.nan, "perMille": &s.perMille, "currencyDecimal": &s.currencyDecimal,
		"currencyGroup": &s.currencyGroup} {
		*to = data.text(own + "/symbols/" + name)
		if own != system {
			if text, ok := borrowedText(locale, system, name); ok {
				*to = text
			}
		}
	}
	return s
}

// defaultSystem returns the numbering system that a locale of the data uses.
func defaultSystem(locale string) string {
	return numberData.table(locale).text("defaultNumberingSystem")
}

// systemText returns a pattern of a locale in a numbering system, such as decimalFormats/standard.
func systemText(locale, system, path string) string {
	data := numberData.table(locale)
	if text, ok := data.get(system + "/" + path); ok {
		return text
	}
	if text, ok := borrowedText(locale, system, path); ok {
		return text
	}
	return data.text("latn/" + path)
}
