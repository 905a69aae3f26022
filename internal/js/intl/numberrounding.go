package intl

// scientificMultiplier returns the power of ten that brings a number of a magnitude before its exponent.
func (f *NumberFormat) scientificMultiplier(magnitude int) int {
	if f.o.notation != "engineering" {
		return -magnitude
	}
	return ((magnitude%3)+3)%3 - magnitude
}

// roundTo rounds a number after it was multiplied by a power of ten that depends on its magnitude, which rounding may
// change. It returns how many digits the fraction has at least, and the power.
func (f *NumberFormat) roundTo(d *decimal, multiplier func(magnitude int) int) (minFraction, power int) {
	if d.zeroish() {
		return f.round(d), 0
	}
	magnitude := d.magnitude()
	power = multiplier(magnitude)
	d.point += power
	before := *d
	before.digits = append([]byte(nil), d.digits...)
	minFraction = f.round(d)
	if d.zeroish() || d.magnitude() == magnitude+power {
		return minFraction, power
	}
	next := multiplier(magnitude + 1)
	if next == power {
		return minFraction, power
	}
	d.point += next - power
	return f.round(d), next
}

// roundCompact rounds a number as a compact one, and returns its pattern: the empty string for a plain number.
func (f *NumberFormat) roundCompact(d *decimal) (pattern string, minFraction int) {
	last, plain := len(f.compact)-1, d.zeroish()
	minFraction, power := f.roundTo(d, func(magnitude int) int {
		if magnitude < 0 || last < 0 {
			return 0
		}
		return f.compact[min(magnitude, last)].multiplier
	})
	magnitude := 0
	switch {
	case plain:
	case d.zeroish(): // it was rounded to zero
		magnitude = -power
	default:
		magnitude = d.magnitude() - power
	}
	if magnitude < 0 || last < 0 {
		return "", minFraction
	}
	patterns := f.compact[min(magnitude, last)].byCategory
	if len(patterns) == 0 {
		return "", minFraction
	}
	if len(d.digits) == 1 && d.point == 1 && d.digits[0] == '1' {
		if text, ok := patterns["1"]; ok {
			return text, minFraction
		}
	}
	category := f.rules.category(operandsOf(d, max(minFraction, d.fraction()), 0))
	text, ok := patterns[category]
	if !ok {
		text = patterns["other"]
	}
	return text, minFraction
}

// round rounds a number, and returns how many digits its fraction has at least.
func (f *NumberFormat) round(d *decimal) (minFraction int) {
	o := &f.o
	switch {
	case o.maxSignificant == 0:
		d.round(-o.maxFraction, o.increment, o.mode)
		minFraction = o.minFraction
	case o.maxFraction < 0:
		d.round(significantMagnitude(d, o.maxSignificant), 1, o.mode)
		minFraction = max(0, -significantMagnitude(d, o.minSignificant))
	default:
		minFraction = f.roundBoth(d)
	}
	if o.trailingZeros == "stripIfInteger" && d.fraction() == 0 {
		return 0
	}
	return minFraction
}

// significantMagnitude returns the power of ten of the last of so many significant digits.
func significantMagnitude(d *decimal, digits int) int {
	if d.zeroish() {
		return 1 - digits
	}
	return d.magnitude() - digits + 1
}

// roundBoth rounds to digits of the fraction or to significant digits, whichever the priority says.
func (f *NumberFormat) roundBoth(d *decimal) (minFraction int) {
	o := &f.o
	byFraction, bySignificant := -o.maxFraction, significantMagnitude(d, o.maxSignificant)
	more := o.priority != "lessPrecision"
	magnitude := max(byFraction, bySignificant)
	if more {
		magnitude = min(byFraction, bySignificant)
	}
	if !d.zeroish() {
		before := d.magnitude()
		d.round(magnitude, 1, o.mode)
		if !d.zeroish() && d.magnitude() != before && byFraction == bySignificant {
			bySignificant++
		}
	}
	if (bySignificant <= byFraction) == more {
		return max(0, -significantMagnitude(d, o.minSignificant))
	}
	return o.minFraction
}
