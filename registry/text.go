package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// printable is text that a model or a client has invented, as it can be shown: without control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// decodeJSON decodes one JSON value, with numbers as they are written. It refuses what means different things to different
// readers, or takes too long to look at: an object with the same name twice, numbers that nobody can mean, and too many values.
func decodeJSON(data []byte) (any, error) {
	if !json.Valid(data) { // before anything is made
		var raw json.RawMessage
		return nil, json.Unmarshal(data, &raw)
	}
	if _, err := (&inspection{data: data}).value(0); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// maxValues is how many values there may be in one, all levels together.
const maxValues = 100_000

var errTooManyValues = fmt.Errorf("there are more than %d values", maxValues)

// An inspection goes through JSON that is valid.
type inspection struct {
	data   []byte
	values int
}

func (in *inspection) value(i int) (end int, err error) {
	if in.values++; in.values > maxValues {
		return i, errTooManyValues
	}
	data := in.data
	switch i = space(data, i); data[i] {
	case '{':
		names := map[string]bool{}
		for i = space(data, i+1); data[i] != '}'; {
			text, after, plain := quoted(data, i)
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
			if i, err = in.value(space(data, after) + 1); err != nil { // behind the colon
				return i, err
			}
			if i = space(data, i); data[i] == ',' {
				i = space(data, i+1)
			}
		}
		return i + 1, nil
	case '[':
		for i = space(data, i+1); data[i] != ']'; {
			if i, err = in.value(i); err != nil {
				return i, err
			}
			if i = space(data, i); data[i] == ',' {
				i = space(data, i+1)
			}
		}
		return i + 1, nil
	case '"':
		_, end, _ = quoted(data, i)
		return end, nil
	case 't', 'n':
		return i + 4, nil
	case 'f':
		return i + 5, nil
	}
	end = i + 1
	for end < len(data) && strings.IndexByte("0123456789+-.eE", data[end]) >= 0 {
		end++
	}
	if !reasonable(data[i:end]) {
		return i, fmt.Errorf("the number %s is too large, too small or too long", plaintext.Cut(string(data[i:end]), 30))
	}
	return end, nil
}

// What numbers may be. Computing with others takes forever, where their values matter at all.
const (
	maxDigits   = 1000
	maxExponent = 400
)

// reasonable reports whether a number has few enough digits, and not too large an exponent.
func reasonable(number []byte) bool {
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
