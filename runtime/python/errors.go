package python

import (
	"errors"
	"fmt"

	sandbox "github.com/toolrun/toolrun/runtime"
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

// An ExitError means that the code ended the run with a status other than 0.
type ExitError struct{ Code int }

func (e *ExitError) Error() string {
	return fmt.Sprintf("the code exited with status %d. Let it end by itself, and raise an exception for a failure.", e.Code)
}

// ErrNoReport means that the code has damaged the interpreter's own functions, so that the run's end is unknown.
var ErrNoReport = errors.New("the code has changed functions that Python itself needs, so its result is lost")

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
func IsScriptFailure(err error) bool {
	_, script := errors.AsType[*ScriptError](err)
	_, exit := errors.AsType[*ExitError](err)
	return script || exit || sandbox.IsGuestFailure(err) || errors.Is(err, ErrNoReport)
}
