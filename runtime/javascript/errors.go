package javascript

import (
	"errors"
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
)

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
)

// IsScriptFailure reports whether an error of [Interpreter.Run] is about the script, and so for its author: an exception, a limit,
// an exit, a halt, a promise that never settles, code on which the engine crashes. All others are the host's: a context that
// ended, a closed engine, invalid options, or a failure of the runtime itself.
func IsScriptFailure(err error) bool {
	_, script := errors.AsType[*ScriptError](err)
	_, exit := errors.AsType[*ExitError](err)
	return script || exit || sandbox.IsGuestFailure(err) || errors.Is(err, ErrNeverSettles) || errors.Is(err, ErrHalted)
}
