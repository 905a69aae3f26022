package python

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/runtime/script"
)

// A Result is the output and usage of a run.
//
//   - Text is the value of the code's last expression, if its last statement is one and the value is not None, as a
//     notebook shows it: its repr, in several lines for long lists, tuples, sets and dictionaries.
//   - Value has no []byte. Tuples, sets and ranges are lists, dataclasses are dictionaries, and NumPy's
//     scalars are numbers, strings or booleans.
//   - Console has what was written to standard output (LevelLog) and standard error (LevelError), by lines.
//   - State is nil if the code has ended by os._exit.
type Result = script.Result

// decodeValue decodes the JSON of a value, or returns nil if it is not JSON.
func decodeValue(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil
	}
	return withNumbers(value)
}

// withNumbers replaces each json.Number.
func withNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return number(v.String())
	case []any:
		for i := range v {
			v[i] = withNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withNumbers(v[key])
		}
	}
	return value
}

func number(digits string) any {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	if strings.Trim(digits, "-0123456789") == "" {
		return digits
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil
	}
	return f
}
