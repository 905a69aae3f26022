package javascript

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/script"
)

// thrownValue is the prelude's description of an exception.
type thrownValue struct {
	Kind    string // error, null (or no value at all) or other
	Name    string
	Message string
	Stack   string
}

// maxDetail is how long each text of a thrownValue is at most, in bytes: that of 65536 characters.
const maxDetail = 3 << 16

// outOfMemory recognises the exceptions that the engine throws when it could not get memory (null, if there was none
// left even for an Error object, and without a message if there was none for that), and those for values of more than
// a gigabyte, which no memory limit allows.
func (t thrownValue) outOfMemory(refused bool) bool {
	switch t.Kind {
	case "null":
		return refused
	case "error":
		return t.Name == "InternalError" && (t.Message == "out of memory" || refused && t.Message == "") ||
			t.Name == "RangeError" &&
				(t.Message == "Invalid string length" || t.Message == "Array buffer allocation failed")
	}
	return false
}

// exhausted serves [quickjs.MemoryArgc]: when memory is used up, the run ends, whatever the script would catch. It can
// catch that a single thing is larger than all memory that it may have.
func (in *instance) exhausted() {
	if in.VM != nil && in.Exhausted() {
		panic(&sandbox.Stop{Err: in.MemoryError()})
	}
}

// Exception implements [host.Runner].
func (in *instance) Exception() error {
	ctx := in.Context()
	e, err := in.VM.TakeException(ctx)
	if err != nil {
		return in.Reason(err)
	}
	in.run.outcome = nil // whatever there was, this is the end
	v, err := in.VM.Call(ctx, in.Prelude.Fail, e)
	if err == nil {
		err = in.VM.Free(ctx, e)
	}
	if err != nil {
		return in.Reason(err)
	}
	if o := in.run.outcome; v != quickjs.Exception && o != nil && o.err != nil {
		return o.err
	}
	if in.Refused() {
		return in.MemoryError() // not even the report of the exception found room
	}
	return &ScriptError{Thrown: "an exception that could not be read", Name: "Error"}
}

// thrown makes an error of the prelude's report of an exception.
func (in *instance) thrown(c *host.Call) error {
	text, cut, ok := c.Prefix(1, in.run.Limits().Output)
	var t thrownValue
	for i, field := range []*string{&t.Kind, &t.Name, &t.Message, &t.Stack} {
		*field, _, _ = c.Prefix(2+i, maxDetail)
	}
	if in.Ended() != nil {
		return in.Ended()
	}
	if !ok {
		return &ScriptError{Thrown: "an exception that could not be read", Name: "Error"}
	}
	if t.outOfMemory(in.Refused()) {
		return in.MemoryError()
	}
	if cut > 0 {
		text += "\n" + script.CutNote(int64(cut))
	}
	e := &ScriptError{Thrown: text, Name: t.Name, Message: t.Message, Stack: strings.Trim(t.Stack, "\n")}
	e.File, e.Line, e.Column = firstPosition(e.Stack)
	return e
}

// uncaught ends the run with an exception that nothing has caught, perhaps after the script has returned. A library's
// appears on the console.
func (in *instance) uncaught(c *host.Call) error {
	if in.run.Output().Library() != "" {
		text, cut, _ := c.Prefix(1, in.run.Output().Room())
		in.run.Output().Log(sandbox.LevelError, text, cut)
		return nil
	}
	err := in.thrown(c)
	if e, ok := errors.AsType[*ScriptError](err); ok {
		e.Uncaught = true
	}
	return &sandbox.Stop{Err: err}
}

// lineOf returns the line of a text with a number, counted from 1.
func lineOf(text string, line int) string {
	for ; line > 1; line-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// place sets the position of an error. Zero means unknown.
func (e *ScriptError) place(file string, line, column int) {
	e.File, e.Line, e.Column = file, line, column
	e.Thrown, e.Stack = e.Name+": "+e.Message, ""
	if line == 0 {
		return
	}
	e.Stack = fmt.Sprintf("    at %s:%d", file, line)
	if column > 0 {
		e.Stack += fmt.Sprintf(":%d", column)
	}
	e.Thrown += "\n" + e.Stack
}

// atNUL makes the message of a syntax error say that there is a NUL in its place, which cannot be seen. Strings,
// templates, regular expressions and comments may contain it.
func atNUL(err error, source string) error {
	var e *ScriptError
	if !errors.As(err, &e) || !e.Syntax || e.Line < 1 || e.Column < 1 || strings.IndexByte(source, 0) < 0 {
		return err
	}
	before := e.Line - 1 // lines
	for line := range strings.Lines(source) {
		if before--; before >= 0 {
			continue
		}
		if units := utf16.Encode([]rune(line)); e.Column <= len(units) && units[e.Column-1] == 0 {
			return newSyntaxError(`a NUL character in the source (in a string, write \0 instead)`,
				e.File, e.Line, e.Column)
		}
		break
	}
	return err
}

// unbalanced is the error for a script whose brackets close the function around it.
func unbalanced(name string) error {
	return newSyntaxError("a closing bracket too many: the script must be the body of one function", name, 0, 0)
}

// notOneExpression is the error for a script that is more than the expression that it must be.
func notOneExpression(name string) error {
	return newSyntaxError("a closing bracket too many: the code must be one expression", name, 0, 0)
}

func newSyntaxError(message, name string, line, column int) *ScriptError {
	e := &ScriptError{Name: "SyntaxError", Message: message, Syntax: true}
	e.place(name, line, column)
	return e
}
