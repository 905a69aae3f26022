package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// MaxValues limits the values that [Decode] accepts in one text, nested ones included.
const MaxValues = 100_000

// ErrTooManyValues means that a text has more than [MaxValues] values.
var ErrTooManyValues = fmt.Errorf("there are more than %d values", MaxValues)

// Decode decodes one JSON value as package json does, with numbers as written. It refuses text that means different
// things to different readers or takes too long to process: objects with repeated names, unreasonable numbers, and
// too many values.
func Decode(data []byte) (any, error) {
	if !json.Valid(data) { // before anything is allocated
		var raw json.RawMessage
		return nil, json.Unmarshal(data, &raw)
	}
	if _, err := (&inspection{data: data}).value(0); err != nil {
		return nil, err
	}
	return DecodeLoose(data)
}

// DecodeLoose is [Decode] for JSON that the program itself has made: it refuses only invalid JSON.
func DecodeLoose(data []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// An inspection checks valid JSON for what [Decode] refuses.
type inspection struct {
	data   []byte
	values int
}

func (in *inspection) value(i int) (end int, err error) {
	if in.values++; in.values > MaxValues {
		return i, ErrTooManyValues
	}
	data := in.data
	switch i = SkipBlanks(data, i); data[i] {
	case '{':
		names := map[string]bool{}
		for i = SkipBlanks(data, i+1); data[i] != '}'; {
			text, after, plain := Quoted(data, i)
			name := string(text)
			if !plain {
				if err := json.Unmarshal(data[i:after], &name); err != nil {
					return i, err
				}
			}
			if names[name] {
				return i, fmt.Errorf("the name %q is in an object twice", plaintext.Cut(name, 100))
			}
			names[name] = true
			if i, err = in.value(SkipBlanks(data, after) + 1); err != nil { // after the colon
				return i, err
			}
			if i = SkipBlanks(data, i); data[i] == ',' {
				i = SkipBlanks(data, i+1)
			}
		}
		return i + 1, nil
	case '[':
		for i = SkipBlanks(data, i+1); data[i] != ']'; {
			if i, err = in.value(i); err != nil {
				return i, err
			}
			if i = SkipBlanks(data, i); data[i] == ',' {
				i = SkipBlanks(data, i+1)
			}
		}
		return i + 1, nil
	case '"':
		return SkipString(data, i), nil
	case 't', 'f', 'n':
		return skipLiteral(data, i), nil
	}
	end = skipLiteral(data, i)
	if !IsReasonable(data[i:end]) {
		return i, fmt.Errorf("the number %s is too large, too small or too long",
			plaintext.Cut(string(data[i:end]), 30))
	}
	return end, nil
}

// Quoted returns the text between the quotes that begin at i, in valid JSON, and the position after them. It is plain
// if it contains no escapes and only ASCII.
func Quoted(data []byte, i int) (text []byte, end int, plain bool) {
	plain = true
	start := i + 1
	for i = start; data[i] != '"'; i++ {
		switch {
		case data[i] == '\\':
			plain = false
			i++
		case data[i] >= utf8.RuneSelf:
			plain = false
		}
	}
	return data[start:i], i + 1, plain
}

// Limits on numbers. Computing with larger ones could take forever.
const (
	maxDigits   = 1000
	maxExponent = 400
)

// IsReasonable reports whether a JSON number has at most 1000 digits and an exponent of at most 400.
func IsReasonable(number []byte) bool {
	digits := number
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(string(number[e+1:]))
		if err != nil || max(exponent, -exponent) > maxExponent {
			return false
		}
		digits = number[:e]
	}
	return len(digits) <= maxDigits
}

// IsNumber reports whether text is a reasonable JSON number.
func IsNumber(text string) bool {
	return text != "" && strings.IndexByte("-0123456789", text[0]) >= 0 && json.Valid([]byte(text)) &&
		IsReasonable([]byte(text))
}

// Integer writes a JSON number without a point and an exponent: 1.0 as 1, and 1e3 as 1000. ok is false if it has a
// fraction, or is not reasonable.
func Integer(number string) (digits string, ok bool) {
	if !strings.ContainsAny(number, ".eE") {
		return number, true
	}
	if !IsReasonable([]byte(number)) {
		return "", false
	}
	exponent := 0
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		exponent, _ = strconv.Atoi(number[e+1:]) // cannot fail, because the exponent is reasonable
		number = number[:e]
	}
	number, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(number, ".")
	digits, point := whole+fraction, len(whole)+exponent
	if point < len(digits) {
		point = max(point, 0)
		if strings.Trim(digits[point:], "0") != "" {
			return "", false
		}
		digits = digits[:point]
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0", true
	}
	digits += strings.Repeat("0", max(point-len(whole+fraction), 0))
	if len(digits) > maxDigits {
		return "", false
	}
	if negative {
		digits = "-" + digits
	}
	return digits, true
}
