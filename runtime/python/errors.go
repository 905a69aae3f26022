package python

import (
	"errors"
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// A ScriptError is an exception that the code has not caught, or a syntax error.
type ScriptError struct {
	// Type and Message are the exception's, such as "ZeroDivisionError" and "division by zero". The type has its module
	// before it, unless it is built in or the code's own.
	Type, Message string
	// Traceback is what Python shows of the exception, without frames of the host, and with explanations of what does
	// not exist here.
	Traceback string
	// File and Line are the place in the code where the exception came from, Line counted from 1. Column is known for
	// syntax errors. They are zero if the place is unknown.
	File         string
	Line, Column int
	// Syntax means that the code could not be compiled, so none of it has run.
	Syntax bool
}

func (e *ScriptError) Error() string { return e.Traceback }

// End implements [script.Failure].
func (e *ScriptError) End() script.End {
	kind := "exception"
	if e.Syntax {
		kind = "syntax"
	}
	return script.End{Kind: kind, Line: e.Line, Column: e.Column}
}

// An ExitError means that the code ended the run with a status other than 0.
type ExitError struct{ Code int }

func (e *ExitError) Error() string {
	return fmt.Sprintf("the code exited with status %d. Let it end by itself, "+
		"and raise an exception for a failure.", e.Code)
}

// End implements [script.Failure].
func (e *ExitError) End() script.End { return script.End{Kind: "exit", Status: e.Code} }

// ErrNoReport means that the code has damaged the interpreter's own functions, so that the run's end is unknown.
var ErrNoReport = script.NewFailure("error",
	"the code has changed functions that Python itself needs, so its result is lost")

// ErrSuspend is what a [Function] returns that has no answer yet, and will have none soon. When the code awaits such
// calls and nothing else, its run ends with ErrSuspend, and [Result].State is where [Interpreter.Resume] goes on. The
// code's timers do not count as something else: its clock stands still until then.
//
// Only code that awaits at its top level, outside of functions, can be left while it waits, or the coroutines that it
// awaits there, and only while it has no files open, and none in /tmp. Any other call that has no answer yet, such as
// one that is not awaited, raises a RuntimeError in the code that says so.
var ErrSuspend = sandbox.ErrSuspend

// cannotWait returns the error of a call that has no answer yet, where the code cannot wait for it.
func cannotWait(name string) error {
	return fmt.Errorf("%[1]s has no answer yet, and only code that awaits at its top level can wait for it: "+
		"write await %[1]s(...) outside of functions, or await a coroutine there that does, without asyncio.run", name)
}

// cannotWaitWithFiles is cannotWait for code that has files open, or in /tmp.
func cannotWaitWithFiles(name string) error {
	return fmt.Errorf("%s has no answer yet, and code with open files, or with files in /tmp, cannot wait for it: "+
		"close them first, databases as well, and put files elsewhere", name)
}

// notWritten returns the error of code that has left files open, if they could not be closed.
func notWritten(err error) error {
	unwritten, ok := errors.AsType[*sandbox.UnwrittenError](err)
	if !ok {
		return err
	}
	message := fmt.Sprintf("a file that the code has left open could not be written: %v", unwritten.Err)
	return &ScriptError{Type: "OSError", Message: message, Traceback: "OSError: " + message}
}

// IsScriptFailure reports whether an error of [Interpreter.Run] concerns the code, and so its author: an exception, a
// limit, an exit, or code on which the interpreter crashes. All other errors are the host's: a context that ended, a
// closed engine, invalid options, or a failure of the runtime itself.
func IsScriptFailure(err error) bool { return script.IsFailure(err) }
