package intl

import (
	"strconv"
	"strings"
)

// MaxNumber is the longest text of a number that is formatted, in bytes.
const MaxNumber = 1 << 17

// maxExponent bounds the exponent of a number; those of JavaScript's numbers are smaller.
const maxExponent = 1 << 12

// A decimal is an exact decimal number.
type decimal struct {
	// digits are '0' to '9', without zeros at either end; none for zero.
	digits []byte

	// point is how many digits are before the decimal point; it may be negative, or more than there are.
	point int

	negative, infinite, nan bool
}

// parseDecimal reads a number as JavaScript writes it: digits, an exponent, Infinity or NaN.
func parseDecimal(text string) (decimal, bool) {
	var d decimal
	if len(text) > MaxNumber {
		return d, false
	}
	switch rest, negative := strings.CutPrefix(text, "-"); {
	case negative:
		d.negative, text = true, rest
	default:
		text = strings.TrimPrefix(text, "+")
	}
	switch text {
	case "Infinity":
		d.infinite = true
		return d, true
	case "NaN":
		return decimal{nan: true}, true
	}
	mantissa, exponent := text, 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		n, err := strconv.Atoi(text[at+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return d, false
		}
		mantissa, exponent = text[:at], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" || whole != "" && !isDigits(whole) || fraction != "" && !isDigits(fraction) {
		return d, false
	}
	d.digits = append(append(make([]byte, 0, len(mantissa)+1), whole...), fraction...)
	d.point = len(whole) + exponent
	d.trim()
	return d, true
}

// trim removes zeros at both ends.
func (d *decimal) trim() {
	n := 0
	for n < len(d.digits) && d.digits[n] == '0' {
		n++
	}
	d.digits = d.digits[n:]
	d.point -= n
	for len(d.digits) > 0 && d.digits[len(d.digits)-1] == '0' {
		d.digits = d.digits[:len(d.digits)-1]
	}
	if len(d.digits) == 0 {
		d.point = 0
	}
}

func (d *decimal) zero() bool { return len(d.digits) == 0 && !d.infinite }

// zeroish is true for numbers without a magnitude.
func (d *decimal) zeroish() bool { return len(d.digits) == 0 }

// magnitude is the power of ten of the first digit.
func (d *decimal) magnitude() int { return d.point - 1 }

// digit returns the digit at a power of ten.
func (d *decimal) digit(magnitude int) byte {
	if i := d.point - 1 - magnitude; i >= 0 && i < len(d.digits) {
		return d.digits[i]
	}
	return '0'
}

// fraction returns how many digits are after the decimal point.
func (d *decimal) fraction() int { return max(0, len(d.digits)-d.point) }

// equal reports whether two numbers are the same; two that are not a number are.
func (d *decimal) equal(e *decimal) bool {
	return d.negative == e.negative && d.infinite == e.infinite && d.nan == e.nan && d.point == e.point &&
		string(d.digits) == string(e.digits)
}

// round rounds to a multiple of increment times a power of ten.
func (d *decimal) round(magnitude, increment int, mode roundingMode) {
	if d.zeroish() {
		return
	}
	keep := d.point - magnitude // how many digits stay
	if increment == 1 && keep >= len(d.digits) {
		return
	}
	// The number is kept + rest, in units of the power of ten; half compares rest with a half.
	var kept []byte
	some, half := false, -1
	switch {
	case keep >= len(d.digits):
		kept = append(append(make([]byte, 0, keep+6), d.digits...), zeros(keep-len(d.digits))...)
	default:
		kept = append(kept, d.digits[:max(0, keep)]...)
		some = true
		if keep >= 0 {
			switch rest := d.digits[keep:]; {
			case rest[0] > '5' || rest[0] == '5' && len(rest) > 1:
				half = 1
			case rest[0] == '5':
				half = 0
			}
		}
	}
	over := 0 // kept modulo increment
	even := len(kept) == 0 || (kept[len(kept)-1]-'0')%2 == 0
	if increment > 1 {
		quotient := 0 // whether it is even
		for _, c := range kept {
			over = over*10 + int(c-'0')
			quotient = over / increment
			over %= increment
		}
		even = quotient%2 == 0
		switch twice := 2 * over; {
		case twice > increment, twice == increment && some:
			half = 1
		case twice == increment:
			half = 0
		case twice == increment-1 && some: // half an increment is n.5
		default:
			half = -1
		}
		some = some || over > 0
	}
	if some {
		subtract(kept, over)
		if mode.up(half, even, d.negative) {
			kept = add(kept, increment)
		}
	}
	d.digits, d.point = kept, len(kept)+magnitude
	d.trim()
}

func zeros(n int) string { return strings.Repeat("0", n) }

// subtract subtracts a small number that is not larger.
func subtract(digits []byte, n int) {
	for i := len(digits) - 1; n > 0 && i >= 0; i-- {
		c := int(digits[i]-'0') - n%10
		n /= 10
		if c < 0 {
			c += 10
			n++
		}
		digits[i] = byte(c) + '0'
	}
}

// add adds a small number.
func add(digits []byte, n int) []byte {
	for i := len(digits) - 1; n > 0 && i >= 0; i-- {
		n += int(digits[i] - '0')
		digits[i] = byte(n%10) + '0'
		n /= 10
	}
	if n > 0 {
		digits = append([]byte(strconv.Itoa(n)), digits...)
	}
	return digits
}

// A roundingMode says where a number between two multiples goes.
type roundingMode int

const (
	roundHalfExpand roundingMode = iota
	roundCeil
	roundFloor
	roundExpand
	roundTrunc
	roundHalfCeil
	roundHalfFloor
	roundHalfTrunc
	roundHalfEven
)

var roundingModes = map[string]roundingMode{
	"ceil": roundCeil, "floor": roundFloor, "expand": roundExpand, "trunc": roundTrunc, "halfCeil": roundHalfCeil,
	"halfFloor": roundHalfFloor, "halfExpand": roundHalfExpand, "halfTrunc": roundHalfTrunc, "halfEven": roundHalfEven,
}

// up reports whether the absolute value grows. half compares the rest with a half; even says whether the smaller
// multiple is an even one.
func (m roundingMode) up(half int, even, negative bool) bool {
	switch m {
	case roundCeil:
		return !negative
	case roundFloor:
		return negative
	case roundExpand:
		return true
	case roundTrunc:
		return false
	}
	if half != 0 {
		return half > 0
	}
	switch m {
	case roundHalfCeil:
		return !negative
	case roundHalfFloor:
		return negative
	case roundHalfTrunc:
		return false
	case roundHalfEven:
		return !even
	}
	return true
}
