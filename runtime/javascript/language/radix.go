package language

import (
	"math"

	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// FormatRadix is toString of a number, which comes as the bits of a float, with a radix.
func FormatRadix(c *host.Call) {
	number := math.Float64frombits(uint64(c.Value(0)))
	radix := c.Number(1)
	if math.IsNaN(number) || math.IsInf(number, 0) || radix < 2 || radix > 36 {
		return
	}
	text := formatRadix(number, radix)
	c.Spend(radixWork * len(text))
	c.Return(text, nil)
}

// radixWork is how many bytes of work a digit is.
const radixWork = 16

// formatRadix writes a finite number with the digits that V8 gives: of a fraction only as many as tell the number from
// the next one, which is not always the shortest text for it.
func formatRadix(number float64, radix int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	base := float64(radix)
	negative := number < 0
	number = math.Abs(number)
	whole := math.Floor(number)
	rest := number - whole
	// Half the distance to the next number: what is below it does not matter.
	precision := max(0.5*(math.Nextafter(number, math.Inf(1))-number), math.SmallestNonzeroFloat64)

	var fraction []byte // values of digits
	for more := rest >= precision; more; more = rest >= precision {
		rest *= base
		precision *= base
		digit := math.Floor(rest)
		fraction = append(fraction, byte(digit))
		rest -= digit
		if roundUp := rest > 0.5 || rest == 0.5 && int(digit)%2 == 1; roundUp && rest+precision > 1 {
			for len(fraction) > 0 && int(fraction[len(fraction)-1])+1 >= radix {
				fraction = fraction[:len(fraction)-1]
			}
			if len(fraction) > 0 {
				fraction[len(fraction)-1]++
			} else {
				whole++
			}
			break
		}
	}

	const exact = 1 << 53 // above it, numbers are further apart than 1
	var reversed []byte
	for whole/base >= exact {
		whole /= base
		reversed = append(reversed, '0')
	}
	for first := true; first || whole > 0; first = false {
		digit := math.Mod(whole, base)
		reversed = append(reversed, digits[int(digit)])
		whole = (whole - digit) / base
	}

	text := make([]byte, 0, len(reversed)+len(fraction)+2)
	if negative {
		text = append(text, '-')
	}
	for i := len(reversed) - 1; i >= 0; i-- {
		text = append(text, reversed[i])
	}
	if len(fraction) > 0 {
		text = append(text, '.')
	}
	for _, digit := range fraction {
		text = append(text, digits[digit])
	}
	return string(text)
}
