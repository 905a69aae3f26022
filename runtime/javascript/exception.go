package javascript

import (
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// thrownValue is the prelude's description of an exception.
type thrownValue struct {
	Kind    string // error, null (or no value at all) or other
	Name    string
	Message string
	Stack   string
}

// maxDetails is how many bytes of JSON a thrownValue has at most: three texts of 65536 characters, each escaped.
const maxDetails = 2 << 20

// outOfMemory recognises the exceptions that the engine throws when it could not get memory (null, if there was none
// left even for an Error object, and without a message if there was none for that), and those for values of more than
// a gigabyte, which no memory limit allows.
func (t thrownValue) outOfMemory(refused bool) bool {
	switch t.Kind {
	case "null":
		return refused
	case "error":
		return t.Name == "InternalError" && (t.Message == "out of memory" || refused && t.Message == "") ||
			t.Name == "RangeError" && (t.Message == "invalid string length" || t.Message == "invalid array buffer length")
	}
	return false
}

// exception takes the pending exception and returns the error that ends the run.
func (in *instance) exception() error {
	ctx := in.Context()
	e, err := in.vm.TakeException(ctx)
	if err != nil {
		return in.reason(err)
	}
	in.run.outcome = nil // whatever there was, this is the end
	v, err := in.vm.Call(ctx, in.prelude.Fail, e)
	if err != nil {
		return in.reason(err)
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
func (in *instance) thrown(args arguments) error {
	text, cut, ok := args.text(2, in.run.Limits().Output)
	details, _, _ := args.text(3, maxDetails)
	decoded, _, err := decodeJSON(details, jsonOptions{work: in.Spend, room: 2 * maxDetails})
	if in.Ended() != nil {
		return in.Ended()
	}
	fields, isObject := decoded.(map[string]any)
	if !ok || err != nil || !isObject {
		return &ScriptError{Thrown: "an exception that could not be read", Name: "Error"}
	}
	var t thrownValue
	for name, field := range map[string]*string{"kind": &t.Kind, "name": &t.Name, "message": &t.Message, "stack": &t.Stack} {
		*field, _ = fields[name].(string)
	}
	if t.outOfMemory(in.Refused()) {
		return in.MemoryError()
	}
	if cut > 0 {
		text += "\n" + cutNote(int64(cut))
	}
	e := &ScriptError{Thrown: text, Name: t.Name, Message: t.Message, Stack: strings.Trim(t.Stack, "\n")}
	e.File, e.Line, e.Column = firstPosition(e.Stack)
	return e
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

// checkSource makes a script valid for the engine, which reads UTF-8 up to the first NUL.
func checkSource(script, name string) (string, error) {
	if at := strings.IndexByte(script, 0); at >= 0 {
		line := 1 + strings.Count(script[:at], "\n")
		column := at - strings.LastIndexByte(script[:at], '\n')
		return "", newSyntaxError(`a NUL character in the source (in a string, write \0 instead)`, name, line, column)
	}
	return strings.ToValidUTF8(script, "\ufffd"), nil
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
