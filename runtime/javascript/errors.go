package javascript

import (
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// A ScriptError is an uncaught exception of a script, or a syntax error.
type ScriptError struct {
	// Name and Message are those of the Error object, such as "TypeError" and "x is not a function". Both are empty
	// if another kind of value was thrown.
	Name, Message string
	// Stack is the stack trace, one frame a line, without frames of the runtime itself. It may be empty.
	Stack string
	// Thrown is the thrown value for readers: for an Error its name, message, stack and causes.
	Thrown string
	// File, Line and Column are the place of the throw or of the syntax error, counted from 1. They are zero if it
	// is unknown. An exception inside a statement may have the position of the statement.
	File         string
	Line, Column int
	// Syntax means that the script did not compile, so none of it has run.
	Syntax bool
	// Uncaught means that a callback threw the exception, in a timer for example, or that it is the reason of a
	// rejected promise that nobody handles. Thrown says so, too. The script may have returned before.
	Uncaught bool
}

func (e *ScriptError) Error() string { return e.Thrown }

// End implements [script.Failure].
func (e *ScriptError) End() script.End {
	kind := "exception"
	if e.Syntax {
		kind = "syntax"
	}
	return script.End{Kind: kind, Line: e.Line, Column: e.Column}
}

// An ExitError means that a script, or a library, ended the run with process.exit. With status 0 a script's exit is
// not an error, and the value that it returned before, if any, is the result.
type ExitError struct{ Code int }

func (e *ExitError) Error() string {
	return fmt.Sprintf("the script exited with status %d. Use return for a result, "+
		"and throw an Error for a failure.", e.Code)
}

// End implements [script.Failure].
func (e *ExitError) End() script.End { return script.End{Kind: "exit", Status: e.Code} }

var (
	// ErrNeverSettles means that the script waits for a promise that nothing can settle any more.
	ErrNeverSettles = script.NewFailure("never settles", "the script waits for a promise that can never settle: "+
		"no timer and no call is pending that could resolve or reject it")

	// ErrSuspend is what an asynchronous [Function] returns that has no answer yet, and will have none soon. When the
	// script can do nothing else without that answer, its run ends with ErrSuspend, and [Result].State is where
	// [Interpreter.Resume] goes on. The script's timers do not count as something that it can do: its clock stands
	// still until then. A script with files in /tmp cannot wait: a call that has no answer fails there.
	ErrSuspend = sandbox.ErrSuspend

	// ErrHalted means that the script called halt. The message is the last entry of the console.
	ErrHalted = script.NewFailure("halted", "Halted")
)

// IsScriptFailure reports whether an error of [Interpreter.Run] concerns the script, and so its author: an
// exception, a limit, an exit, a halt, a promise that never settles, or code on which the engine crashes. All other
// errors are the host's: a context that ended, a closed engine, invalid options, or a failure of the runtime
// itself.
func IsScriptFailure(err error) bool { return script.IsFailure(err) }
