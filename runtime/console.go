package runtime

import (
	"fmt"
	"slices"
	"time"
)

// An Entry is one entry of the console. Its text may have several lines.
type Entry struct {
	Level Level `json:"level"`
	// Unfinished means that the code has not written a newline after the text, as with process.stdout.write('...').
	// In a terminal the next entry would be on the same line.
	Unfinished bool   `json:"unfinished,omitempty"`
	Text       string `json:"text"`
	// Library names the library that was being loaded. It is empty for output of the run's own code.
	Library string `json:"library,omitempty"`
}

// A Picture is an image that code has shown. Its bytes are the code's: anything can be in there.
type Picture struct {
	MIME string
	Data []byte
}

// MaxPictures and MaxPictured are how many pictures a run can show, and how many bytes they may have together.
const (
	MaxPictures = 20
	MaxPictured = 4 << 20
)

// A Level is the kind of a console entry.
type Level int32 // with Unfinished it takes a word, as entryOverhead counts it

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

// UnmarshalText reads the name of a level.
func (l *Level) UnmarshalText(name []byte) error {
	i := slices.Index(levelNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown level %q", name)
	}
	*l = Level(i)
	return nil
}

// Usage is the resources that a run used.
type Usage struct {
	// Duration is the wall-clock time from the start of the run to its end, without the wait for a place.
	Duration time.Duration
	// Memory is the run's peak memory in bytes, the guest's own included.
	Memory int64
	// Work is how much the run did. A unit is one turn of a loop inside the guest, a call of a function that is not
	// small, 64 bytes copied there, or 32 bytes that the host reads or writes for it. For an interpreter that is about
	// one instruction. It is the same for the same code and input, unless they use the time or randomness.
	Work int64
}
