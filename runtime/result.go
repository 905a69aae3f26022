package runtime

import (
	"fmt"
	"time"
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
	Console []Entry

	// Truncated is how many bytes of Console and Text were cut off because of the output limit. See [Result.Note].
	Truncated int64

	// Usage is what the run used.
	Usage Usage
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

// Entry is one entry of the console. Its text may have several lines.
type Entry struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
	// Library is the file of RunOptions.Libraries that was being loaded. It is empty for what the script has written.
	Library string `json:"library,omitempty"`
}

// Level is the kind of a console entry.
type Level int

// The levels, for console.log, info, warn, error and debug.
const (
	LevelLog Level = iota
	LevelInfo
	LevelWarn
	LevelError
	LevelDebug
)

var levelNames = [...]string{"LOG", "INFO", "WARN", "ERROR", "DEBUG"}

func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levelNames[l]
}

// MarshalText returns the name of the level.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Usage is what a run used.
type Usage struct {
	// Duration is the wall-clock time from the start of the run to its end, without the wait for a place.
	Duration time.Duration
	// Memory is the most memory that the script had, in bytes, the engine's own included.
	Memory int64
	// Work is how much the script did: one unit is one turn of a loop inside the engine, which is about one bytecode
	// instruction, or 64 bytes copied there, or 32 bytes that the host reads or writes for the script. It is the same for the same
	// script and input, unless they use the time or randomness.
	Work int64
}
