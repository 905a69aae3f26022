package python

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Result is the output and usage of a run.
type Result struct {
	// Text is the value of the code's last expression, if its last statement is one and the value is not None, as a
	// notebook shows it: its repr, in several lines for long lists, tuples, sets and dictionaries. Otherwise it is
	// empty.
	Text string

	// Value is the same value as data: nil, bool, int64, float64, string, []any and map[string]any. Integers that are
	// larger are their decimal digits. Tuples, sets and ranges are lists, and dataclasses are dictionaries. Value is
	// nil if the value has another type, or is larger than the output limit.
	Value any

	// Console is what the code has written to its standard output (LevelLog) and standard error (LevelError), by
	// lines in order, also if the run ended with an error.
	Console []sandbox.Entry

	// Truncated is how many bytes of Console and Text the output limit cut off. See [Result.Note].
	Truncated int64

	// State is where the next code of a session goes on, if the code has ended well, and not by os._exit. With
	// ErrSuspend, State is where the run goes on, and with other errors it is nil.
	State *sandbox.State

	// Usage is what the run used.
	Usage sandbox.Usage
}

// Note says how much of the output was cut off, or returns "".
func (r *Result) Note() string {
	if r.Truncated == 0 {
		return ""
	}
	return fmt.Sprintf("[output limit reached: %d more bytes were cut off]", r.Truncated)
}

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
