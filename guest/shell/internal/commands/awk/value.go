package awk

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

type kind uint8

const (
	none    kind = iota // not set: "" and 0
	number              // n
	text                // s
	input               // s, from outside: a number if it looks like one
	numeric             // s and n: an input that looks like a number
)

// A value is a value of a scalar.
type value struct {
	s    string
	n    float64
	kind kind
}

func num(n float64) value   { return value{n: n, kind: number} }
func str(s string) value    { return value{s: s, kind: text} }
func inputs(s string) value { return value{s: s, kind: input} }

func boolean(b bool) value {
	if b {
		return num(1)
	}
	return num(0)
}

// decide finds out what an input is.
func (v value) decide() value {
	if v.kind != input {
		return v
	}
	if n, ok := wholeNumber(v.s); ok {
		return value{v.s, n, numeric}
	}
	return value{s: v.s, kind: text}
}

func (v value) num() float64 {
	switch v.kind {
	case number, numeric:
		return v.n
	case none:
		return 0
	}
	return leadingNumber(v.s)
}

// str returns the text of a value, of which numbers that are not whole are formatted.
func (v value) str(format string) string {
	if v.kind != number {
		return v.s
	}
	return numberText(v.n, format)
}

func (v value) bool() bool {
	switch v = v.decide(); v.kind {
	case number, numeric:
		return v.n != 0
	}
	return v.s != ""
}

func numberText(n float64, format string) string {
	switch {
	case n == math.Trunc(n):
		if math.Abs(n) < 1e16 {
			return strconv.FormatInt(int64(n), 10)
		}
		if !math.IsInf(n, 0) {
			return wholeText(n)
		}
		fallthrough
	case math.IsNaN(n):
		return oddText(n)
	}
	if format == "%.6g" {
		return string(formatG(n, 6, false))
	}
	return formatValues(format, []value{num(n)}, "%.6g")
}

// wholeText returns all digits of a large whole number.
func wholeText(n float64) string {
	b, _ := new(big.Float).SetFloat64(n).Int(nil)
	return b.String()
}

func oddText(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "+inf"
	case math.IsInf(n, -1):
		return "-inf"
	case math.Signbit(n):
		return "-nan"
	}
	return "+nan"
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// scanNumber returns the length of the decimal number that a text begins with.
func scanNumber(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	count := i - digits
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && isDigit(s[i]) {
			i++
			count++
		}
	}
	if count == 0 {
		return 0
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i = j
		}
	}
	return i
}

// leadingNumber returns the number that a text begins with, or 0.
func leadingNumber(s string) float64 {
	if n, ok := digits(s); ok {
		return n
	}
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	s = s[i:]
	if n, ok := signedOdd(s); ok {
		return n
	}
	return parseNumber(s[:scanNumber(s)])
}

func parseNumber(s string) float64 {
	if n, ok := digits(s); ok {
		return n
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n
}

// digits reads a number that is nothing but a few digits, as most are. Without any it is 0.
func digits(s string) (float64, bool) {
	if len(s) > 15 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return float64(n), true
}

// signedOdd reads +inf, -inf, +nan and -nan.
func signedOdd(s string) (float64, bool) {
	if len(s) < 4 || s[0] != '+' && s[0] != '-' || len(s) > 4 && !isBlank(s[4]) {
		return 0, false
	}
	switch strings.ToLower(s[1:4]) {
	case "inf":
		return math.Inf(int(','-s[0]) | 1), true
	case "nan":
		return math.Copysign(math.NaN(), float64(int(','-s[0])|1)), true
	}
	return 0, false
}

// wholeNumber says whether all of a text is a number.
func wholeNumber(s string) (float64, bool) {
	if n, ok := digits(s); ok && s != "" {
		return n, true
	}
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if s == "" || s[0] > '9' {
		return 0, false
	}
	if n := scanNumber(s); n == 0 || n != len(s) {
		return signedOdd(s)
	}
	return parseNumber(s), true
}

// compare compares as awk does: as numbers if both are, and as texts otherwise.
func compare(a, b value, format string) int {
	a, b = a.decide(), b.decide()
	if a.kind != text && b.kind != text {
		x, y := a.num(), b.num()
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case x == y:
			return 0
		case math.IsNaN(x) && math.IsNaN(y):
			return 0
		case math.IsNaN(x):
			return 1
		}
		return -1
	}
	return strings.Compare(a.str(format), b.str(format))
}
