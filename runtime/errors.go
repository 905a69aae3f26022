package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limit names one of the limits of a run or of an engine.
type Limit string

const (
	// LimitTime is the wall-clock time of a run. Its value is in nanoseconds.
	LimitTime Limit = "time"
	// LimitMemory is the memory of a run, in bytes.
	LimitMemory Limit = "memory"
	// LimitWork is the work of a run, in units of work (see [Usage]).
	LimitWork Limit = "work"
	// LimitRecursion is the engine's native stack. JavaScript recursion ends in a RangeError that a script can catch;
	// this limit ends the run, where native code recurses too deep. It has no value.
	LimitRecursion Limit = "recursion"
	// LimitRuns is the number of concurrent runs of an engine, where the wait for a place was given up.
	LimitRuns Limit = "concurrent runs"
)

// LimitError says that a run was ended by one of its limits. The limit on output is no such error: what is too much is
// cut off and counted in [Result].Truncated.
//
// For LimitTime, errors.Is(err, context.DeadlineExceeded) holds.
type LimitError struct {
	Limit Limit
	// Value is what the limit was, in the unit of the limit.
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
		return fmt.Sprintf("concurrent runs limit: none of the %d places was free for this run, and waiting for one was given up: %v",
			e.Value, e.cause)
	}
	return fmt.Sprintf("%s limit exceeded: %d", e.Limit, e.Value)
}

// Unwrap gives context.DeadlineExceeded for LimitTime, and the context's error for LimitRuns.
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

// ScriptError is an exception that a script did not catch, or an error in its syntax.
type ScriptError struct {
	// Name and Message are those of the Error object, such as "TypeError" and "x is not a function". Both are empty if
	// something else was thrown.
	Name, Message string
	// Stack is the stack trace, one frame a line, without the frames of the runtime itself. It may be empty.
	Stack string
	// Thrown is the thrown value as a reader sees it: for an Error its name, message, stack and causes.
	Thrown string
	// File, Line and Column say where the error was thrown, or where the syntax is wrong, counted from 1. They are zero
	// if that is not known. An exception inside of a statement may have the position of the statement.
	File         string
	Line, Column int
	// Syntax says that the script did not compile, so that nothing of it has run.
	Syntax bool
}

func (e *ScriptError) Error() string { return e.Thrown }

// ExitError says that a script, or a library, has ended the run by process.exit. A script may do so with status 0; then there is no
// error, and what it has returned before, if it has, is the result.
type ExitError struct{ Code int }

func (e *ExitError) Error() string {
	return fmt.Sprintf("the script exited with status %d. Use return for a result, and throw an Error for a failure.", e.Code)
}

var (
	// ErrNeverSettles is returned when the script waits for a promise, and nothing is left that could settle it.
	ErrNeverSettles = errors.New("the script waits for a promise that can never settle: " +
		"no timer and no call is pending that could resolve or reject it")

	// ErrHalted is returned when the script has called halt. The message is the last entry of the console.
	ErrHalted = errors.New("Halted")

	// ErrClosed is returned by runs on a closed engine, and by those that were stopped by its closing.
	ErrClosed = errors.New("runtime: the engine is closed")
)

// StoppedError says that a run was stopped because its context ended. It unwraps to the cause.
type StoppedError struct{ Cause error }

func (e *StoppedError) Error() string { return "the script was stopped: " + e.Cause.Error() }
func (e *StoppedError) Unwrap() error { return e.Cause }

// stop is what host functions panic with to end a run. Nothing in the guest can catch it.
type stop struct{ err error }

func (s *stop) Error() string { return s.err.Error() }

// IsScriptFailure says whether an error of [Engine.Run] is about the script, and so for the one who wrote it: an
// exception, a limit, an exit, a halt, a promise that never settles, code on which the engine crashes. All others are the host's: a context that ended, a closed
// engine, invalid options, or a failure of the runtime itself.
func IsScriptFailure(err error) bool {
	var script *ScriptError
	var limit *LimitError
	var exit *ExitError
	var crash *CrashError
	switch {
	case errors.As(err, &limit):
		return limit.Limit != LimitRuns
	case errors.As(err, &script), errors.As(err, &exit), errors.As(err, &crash), errors.Is(err, ErrNeverSettles), errors.Is(err, ErrHalted):
		return true
	}
	return false
}
