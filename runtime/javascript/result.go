package javascript

import (
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Result is what a run left behind.
type Result struct {
	// Text is the script's result as a reader sees it: strings raw, plain data as two-space JSON, and what JSON has no
	// words for in the manner of a console (undefined, NaN, 10n, Map(1) {...}, [Function: f]). It is empty if the run
	// ended with an error.
	Text string

	// Value is the script's result as data: nil, bool, float64, string, []any, map[string]any, and []byte for buffers.
	// A BigInt is its decimal digits; what JSON.stringify leaves out is left out, and what it refuses (cycles) is nil.
	// It is also nil if it is larger than the output limit.
	Value any

	// Console holds what the script wrote to the console, in order, also if the run ended with an error.
	Console []sandbox.Entry

	// Truncated is how many bytes of Console and Text were cut off because of the output limit. See [Result.Note].
	Truncated int64

	// Usage is what the run used.
	Usage sandbox.Usage
}

// Note says how much of the output was cut off. It is empty if nothing was.
func (r *Result) Note() string {
	if r.Truncated == 0 {
		return ""
	}
	return cutNote(r.Truncated)
}

func cutNote(bytes int64) string {
	return fmt.Sprintf("[output limit reached: %d more bytes were cut off]", bytes)
}
