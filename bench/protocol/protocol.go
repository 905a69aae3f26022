// Package protocol is how the comparison talks to the engines that it compares: each runs in a process of its own,
// reads requests from its standard input, one JSON object a line, does the work and writes a response for each. It has
// no dependencies, so that engines that need other versions of the same modules can use it.
package protocol

import "time"

// An Op is a kind of work.
type Op string

// The operations.
const (
	// OpVersion asks for the engine's version.
	OpVersion Op = "version"
	// OpCall runs Body in a fresh sandbox Count times, one after the other, and measures each.
	OpCall Op = "call"
	// OpCallers runs Body in fresh sandboxes by Callers at the same time for Duration, and counts the calls.
	OpCallers Op = "callers"
	// OpHold starts Count sandboxes besides one, keeps all of them in the middle of Body, and measures the memory of
	// each.
	OpHold Op = "hold"
	// OpProgram evaluates the files Sources in a fresh sandbox, and Body, an expression, Warm times, and then Count
	// times, and measures each of the latter.
	OpProgram Op = "program"
)

// Request is some work.
type Request struct {
	Op Op `json:"op"`
	// Body is the body of a function in JavaScript, or a program in Python or for a shell. In JavaScript, that of
	// OpHold is the body of an async function, which can await wait(), a promise that does not settle; if it is empty,
	// nothing is evaluated. In other languages OpHold leaves it out, and the sandbox waits. That of OpProgram is an
	// expression.
	Body string `json:"body,omitempty"`
	// Want is what Body has to return, as text, or to print.
	Want string `json:"want,omitempty"`
	// Library is a file to be evaluated in the sandbox before Body, or to be there as "log". It can be empty.
	Library string `json:"library,omitempty"`
	// New makes the library one that the process has not seen.
	New      bool          `json:"new,omitempty"`
	Sources  []string      `json:"sources,omitempty"`
	Warm     int           `json:"warm,omitempty"`
	Count    int           `json:"count,omitempty"`
	Callers  int           `json:"callers,omitempty"`
	Duration time.Duration `json:"duration,omitempty"`
}

// Response is the answer to a request.
type Response struct {
	// Error says why the work could not be done. It is empty if it could.
	Error   string          `json:"error,omitempty"`
	Version string          `json:"version,omitempty"`
	Times   []time.Duration `json:"times,omitempty"` // in nanoseconds
	// Text is the value of OpProgram's expression.
	Text string `json:"text,omitempty"`
	// Rate is calls per second.
	Rate float64 `json:"rate,omitempty"`
	// Within is the time in which 99 in 100 calls of OpCallers have returned.
	Within time.Duration `json:"within,omitempty"`
	// Bytes is the memory of a sandbox. Unmeasured means that the system does not tell.
	Bytes      float64 `json:"bytes,omitempty"`
	Unmeasured bool    `json:"unmeasured,omitempty"`
}
