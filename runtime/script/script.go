// Package script is what every language on package runtime needs: the result of a run, errors of code, builds of
// interpreters, the record of the files that code has read, and requests. It knows no language.
//
// # Experimental
//
// For drivers of languages. Everything may change with any version.
package script

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/internal/wasm/metering"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Result is the output and usage of a run.
type Result struct {
	// Text is the code's result for readers, as its language shows values. It is empty if the run ended with an error
	// before there was a result.
	Text string

	// Value is the same result as data: nil, bool, int64, float64, string, []byte, []any and map[string]any. Larger
	// integers are their decimal digits. It is nil if the result has another type, or is larger than the output limit.
	Value any

	// Status is the exit status of code that has one and has not failed by it: a script of a shell, say.
	Status int

	// Console is what the code has printed, in order, also if the run ended with an error.
	Console []sandbox.Entry

	// Pictures are the images that the code has shown, at most [sandbox.MaxPictures] with [sandbox.MaxPictured] bytes.
	// The console, or Text, says where each was shown: see [Show].
	Pictures []sandbox.Picture

	// Truncated is how many bytes of Console and Text the output limit cut off. See [Result.Note].
	Truncated int64

	// State is where the next code of a session goes on, if the code has ended well. It is nil if the code has ended
	// the run early, or while calls were under way. With [ErrSuspend], State is where the run goes on, and with other
	// errors it is nil.
	State *sandbox.State

	// Usage is what the run used.
	Usage sandbox.Usage
}

// Note says how much of the output was cut off, or returns "".
func (r *Result) Note() string { return CutNote(r.Truncated) }

// CutNote says that so many bytes of output were cut off. It is empty for none.
func CutNote(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("[output limit reached: %d more bytes were cut off]", bytes)
}

// A Module is a build of an interpreter that is not part of the program.
type Module struct {
	// Bytes returns the WebAssembly module. It is called only if the cache directory does not have it.
	Bytes func() ([]byte, error)
	// SHA256 is the hash of what Bytes returns.
	SHA256 [sha256.Size]byte
}

// FromBytes returns a module that is in memory. Do not change the bytes.
func FromBytes(module []byte) Module {
	return Module{Bytes: func() ([]byte, error) { return module, nil }, SHA256: sha256.Sum256(module)}
}

// Digest hashes what the metered module is made from, for [sandbox.Guest].
func (m Module) Digest() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(m.SHA256[:], "metered %d", metering.Version))
}

// Read returns the module, if it has the hash that it should have.
func (m Module) Read() ([]byte, error) {
	module, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	if hash := sha256.Sum256(module); hash != m.SHA256 {
		return nil, fmt.Errorf("the module has the SHA-256 %x, not %x", hash, m.SHA256)
	}
	return module, nil
}

// Metered checks the module, and returns it metered, for [sandbox.Guest].
func (m Module) Metered() ([]byte, error) {
	module, err := m.Read()
	if err != nil {
		return nil, err
	}
	if component := []byte("\x00asm\r\x00\x01\x00"); bytes.HasPrefix(module, component) {
		return nil, errors.New("the file is a WebAssembly component: a module for WASI preview 1 is needed")
	}
	return sandbox.Meter(module)
}

// A FunctionError is an error of a function of the host, with a name and a code for the code that has called it.
type FunctionError struct {
	// Name is the class of the error or exception. The languages say which there are, and what becomes of others.
	Name string
	// Message is the error's message.
	Message string
	// Code is the error's property or attribute code. Empty means none.
	Code string
}

func (e *FunctionError) Error() string { return e.Message }

// A Failure is an error of code, which concerns its author: an exception or an exit, say.
type Failure interface {
	error
	// End says how the code has ended.
	End() End
}

// An End is how code has ended that has failed.
type End struct {
	// Kind is "exception", "syntax", "exit", or what else a language knows.
	Kind string
	// Line and Column are the place in the code, from 1, or 0 if it is unknown.
	Line, Column int
	// Status is the status of the kind "exit".
	Status int
}

// NewFailure returns an error of code of a kind, with a text.
func NewFailure(kind, text string) error { return &failure{kind, text} }

type failure struct{ kind, text string }

func (f *failure) Error() string { return f.text }
func (f *failure) End() End      { return End{Kind: f.kind} }

// IsFailure reports whether an error of a run concerns the code, and so its author: a [Failure], a limit, or code on
// which the interpreter crashes. All other errors are the host's: a context that ended, a closed engine, invalid
// options, or a failure of the runtime itself.
func IsFailure(err error) bool {
	_, ok := errors.AsType[Failure](err)
	return ok || sandbox.IsGuestFailure(err)
}
