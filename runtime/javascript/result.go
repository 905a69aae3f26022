package javascript

import (
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Result is the output and usage of a run.
type Result struct {
	// Text is the script's result for readers: strings raw, plain data as two-space JSON, and everything else as a
	// console shows it (undefined, NaN, 10n, Map(1) {...}, [Function: f]). It is empty if the run ended with an
	// error before the script had returned, or with halt.
	Text string

	// Value is the script's result as data: nil, bool, float64, string, []any, map[string]any, and []byte for
	// buffers. A BigInt is its decimal digits. Values that JSON.stringify omits are omitted, and what it refuses
	// (cycles) is nil. Value is also nil if it is larger than the output limit.
	Value any

	// Console is the script's console output, in order, also if the run ended with an error.
	Console []sandbox.Entry

	// Truncated is how many bytes of Console and Text the output limit cut off. See [Result.Note].
	Truncated int64

	// State is where the next script of a session goes on, if the script has ended well. It is nil if the script has
	// ended by process.exit, or while calls of asynchronous functions had not returned. With ErrSuspend, State is where
	// the run goes on, and with other errors it is nil.
	State *sandbox.State

	// Usage is what the run used.
	Usage sandbox.Usage
}

// Note says how much of the output was cut off, or returns "".
func (r *Result) Note() string {
	if r.Truncated == 0 {
		return ""
	}
	return cutNote(r.Truncated)
}

func cutNote(bytes int64) string {
	return fmt.Sprintf("[output limit reached: %d more bytes were cut off]", bytes)
}
