package javascript

import (
	"context"
	"math"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// formatRadix serves [quickjs.RadixArgc].
func (in *instance) formatRadix(ctx context.Context, bits uint64, radix uint32) quickjs.Value {
	number := math.Float64frombits(bits)
	if in.vm == nil || in.vm.Leaf() || math.IsNaN(number) || math.IsInf(number, 0) || radix < 2 || radix > 36 {
		return quickjs.Undefined
	}
	text := formatRadix(number, int(radix))
	if err := in.Spend(radixWork * len(text)); err != nil {
		panic(err)
	}
	v, err := in.vm.NewString(ctx, text)
	if err != nil {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	return v
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
