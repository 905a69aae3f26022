package intl

// Category returns the plural category of a number that is written in this format, of cardinal or ordinal numbers.
func (f *NumberFormat) Category(number string, ordinal bool) (string, error) {
	d, ok := parseDecimal(number)
	if !ok {
		return "", errNumber
	}
	least := f.round(&d)
	return rulesOf(f.o.locale, ordinal).category(operandsOf(&d, max(least, d.fraction()), 0)), nil
}

// RangeCategory returns the plural category of a range of numbers.
func (f *NumberFormat) RangeCategory(start, end string, ordinal bool) (string, error) {
	first, err := f.Category(start, ordinal)
	if err != nil {
		return "", err
	}
	last, err := f.Category(end, ordinal)
	if err != nil {
		return "", err
	}
	return rangeCategory(f.o.locale, first, last), nil
}

// Categories returns the plural categories of a locale of the data.
func Categories(locale string, ordinal bool) []string {
	numberData.load()
	if numberData.locales[locale] == nil {
		locale = root
	}
	rules := rulesOf(locale, ordinal)
	// The order is V8's: that of the alphabet, and what is left.
	var list []string
	for _, category := range []string{"few", "many", "one", "two", "zero"} {
		for _, c := range rules.categories {
			if c == category {
				list = append(list, c)
			}
		}
	}
	return append(list, "other")
}
