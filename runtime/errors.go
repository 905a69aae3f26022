package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Limit names one of the limits of a run or of an engine.
type Limit string

const (
	// LimitTime is the wall-clock time of a run. Its value is in nanoseconds.
	LimitTime Limit = "time"
	// LimitMemory is the memory of a run, in bytes.
	LimitMemory Limit = "memory"
	// LimitWork is the work of a run, in units of [Usage].Work.
	LimitWork Limit = "work"
	// LimitRecursion is the engine's native stack; it ends the run if native code recurses too deep. JavaScript
	// recursion ends earlier, in a RangeError that a script can catch. It has no value.
	LimitRecursion Limit = "recursion"
	// LimitRuns is the number of concurrent runs of an engine. It means that a run gave up waiting for a place.
	LimitRuns Limit = "concurrent runs"
)

// A LimitError means that a limit ended a run. The output limit is different: output beyond it is cut off and
// counted in [Result].Truncated.
//
// For LimitTime, errors.Is(err, context.DeadlineExceeded) holds.
type LimitError struct {
	Limit Limit
	// Value is the limit's value, in the unit of the limit.
	Value int64

	cause error // for LimitRuns: why the wait ended
}

func (e *LimitError) Error() string {
	switch e.Limit {
	case LimitTime:
		return fmt.Sprintf("time limit exceeded: the script was stopped after %v. "+
			"Look for loops that do not end, or do less work in one run.", time.Duration(e.Value))
	case LimitMemory:
		return fmt.Sprintf("memory limit exceeded: the script may use %s. "+
			"Keep less data at a time.", formatBytes(e.Value))
	case LimitWork:
		return fmt.Sprintf("work limit exceeded: the script was stopped after %d units of work. "+
			"Do less work in one run.", e.Value)
	case LimitRecursion:
		return "recursion limit exceeded: the script was stopped. Nest calls or data less deeply."
	case LimitRuns:
		return fmt.Sprintf("concurrent runs limit: none of the %d places was free for this run, "+
			"and waiting for one was given up: %v", e.Value, e.cause)
	}
	return fmt.Sprintf("%s limit exceeded: %d", e.Limit, e.Value)
}

// Unwrap returns context.DeadlineExceeded for LimitTime, and the context's error for LimitRuns.
func (e *LimitError) Unwrap() error {
	if e.Limit == LimitTime {
		return context.DeadlineExceeded
	}
	return e.cause
}

func formatBytes(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// ExitError means that a guest ended its run itself. Status 0 means success.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exited with status %d", e.Code) }

// ErrClosed is the error of runs on a closed engine, and of runs that closing stopped.
var ErrClosed = errors.New("runtime: the engine is closed")

// A StoppedError means that a run was stopped because its context ended. It unwraps to the cause.
type StoppedError struct{ Cause error }

func (e *StoppedError) Error() string { return "the script was stopped: " + e.Cause.Error() }
func (e *StoppedError) Unwrap() error { return e.Cause }

// A Stop is the panic value with which host functions end a run. Other functions return it to say that the run has
// ended. Nothing in the guest can catch it.
type Stop struct{ Err error }

func (s *Stop) Error() string { return s.Err.Error() }

// An UnwrittenError means that a guest has left a file open, and what it has written could not be put in place at the
// end of its run, because of a quota, for example. It unwraps to the file system's error.
type UnwrittenError struct{ Err error }

func (e *UnwrittenError) Error() string {
	return fmt.Sprintf("a file that was left open could not be written: %v. "+
		"Close files, and look at the errors.", e.Err)
}

func (e *UnwrittenError) Unwrap() error { return e.Err }

// IsGuestFailure reports whether the error of a run concerns the code, and so its author: a limit, an exit, code
// on which the guest crashes, or a file that it has not closed. All other errors are the host's: a context that ended,
// a closed engine, invalid options, or a failure of the runtime itself.
func IsGuestFailure(err error) bool {
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return limit.Limit != LimitRuns
	}
	_, exit := errors.AsType[*ExitError](err)
	_, crash := errors.AsType[*CrashError](err)
	_, unwritten := errors.AsType[*UnwrittenError](err)
	return exit || crash || unwritten
}
