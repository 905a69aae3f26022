package runtime

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest"
)

// thrownValue is what the prelude says of an exception, beside how it reads.
type thrownValue struct {
	Kind    string `json:"kind"` // error, null or other
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
}

// outOfMemory recognises the exceptions that the engine throws when it could not get memory (null, if there was none
// left even for an Error object), and those for values of more than a gigabyte, which no memory limit allows.
func (t thrownValue) outOfMemory(refused bool) bool {
	switch t.Kind {
	case "null":
		return refused
	case "error":
		return t.Name == "InternalError" && t.Message == "out of memory" ||
			t.Name == "RangeError" && (t.Message == "invalid string length" || t.Message == "invalid array buffer length")
	}
	return false
}

// exception takes the pending exception and returns the error that ends the run.
func (in *instance) exception() error {
	ctx := in.context()
	e, err := in.vm.TakeException(ctx)
	if err != nil {
		return in.reason(err)
	}
	v, err := in.vm.Call(ctx, in.prelude.Fail, e)
	if err != nil {
		return in.reason(err)
	}
	if o := in.run.outcome; v != guest.Exception && o != nil && o.err != nil {
		return o.err
	}
	if in.memory.Refused() {
		return in.memoryError() // not even the report of the exception found room
	}
	return &ScriptError{Thrown: "an exception that could not be read", Name: "Error"}
}

// thrown makes an error of what the prelude says of an exception.
func (in *instance) thrown(args arguments) error {
	limit := in.run.options.Limits.Output
	if limit == Unlimited {
		limit = math.MaxInt32
	}
	text, cut, ok := args.text(2, limit)
	details, _, _ := args.text(3, maxJSON)
	var t thrownValue
	if !ok || json.Unmarshal([]byte(details), &t) != nil {
		return &ScriptError{Thrown: "an exception that could not be read", Name: "Error"}
	}
	if t.outOfMemory(in.memory.Refused()) {
		return in.memoryError()
	}
	if cut > 0 {
		text += "\n" + cutNote(int64(cut))
	}
	e := &ScriptError{Thrown: text, Name: t.Name, Message: t.Message, Stack: strings.Trim(t.Stack, "\n")}
	e.File, e.Line, e.Column = firstPosition(e.Stack)
	return e
}

// position matches the end of a stack frame, FILE:LINE:COLUMN with or without parentheses around it.
var position = regexp.MustCompile(`(?m)([^\s(][^(\n]*):(\d+):(\d+)\)?$`)

// firstPosition finds where the first frame of a stack is.
func firstPosition(stack string) (file string, line, column int) {
	m := position.FindStringSubmatch(stack)
	if m == nil {
		return "", 0, 0
	}
	line, _ = strconv.Atoi(m[2])
	column, _ = strconv.Atoi(m[3])
	return strings.TrimPrefix(m[1], "at "), line, column
}

// syntaxError returns the error for a script that did not compile. The engine counts the columns of the first line with
// the wrapper in front of it, and may find that something is missing only behind the script's last line.
func (in *instance) syntaxError(source string) error {
	err := in.exception()
	e, ok := err.(*ScriptError)
	if !ok || e.Line == 0 {
		return err
	}
	lines := strings.Split(source, "\n")
	if e.Line == 1 {
		e.Column = max(1, e.Column-len(scriptPrefix))
	}
	if e.Line > len(lines) || e.Line == len(lines) && e.Column > utf16Length(lines[len(lines)-1]) {
		e.Message = "unexpected end of input"
		e.Line, e.Column = len(lines), len([]rune(lines[len(lines)-1]))+1
	}
	e.Stack = fmt.Sprintf("    at %s:%d:%d", e.File, e.Line, e.Column)
	e.Thrown = fmt.Sprintf("%s: %s\n%s", e.Name, e.Message, e.Stack)
	return e
}

// checkSource makes a script fit to be handed to the engine, which reads UTF-8 up to the first NUL.
func checkSource(script, name string) (string, error) {
	if at := strings.IndexByte(script, 0); at >= 0 {
		line := 1 + strings.Count(script[:at], "\n")
		column := at - strings.LastIndexByte(script[:at], '\n')
		return "", newSyntaxError(`a NUL character in the source (in a string, write \0 instead)`, name, line, column)
	}
	return strings.ToValidUTF8(script, "\ufffd"), nil
}

// unbalanced is the error for a script whose brackets end the function that it is the body of.
func unbalanced(name string) error {
	return newSyntaxError("a closing bracket too many: the script must be the body of one function", name, 0, 0)
}

func newSyntaxError(message, name string, line, column int) *ScriptError {
	e := &ScriptError{Name: "SyntaxError", Message: message, Thrown: "SyntaxError: " + message}
	if line > 0 {
		e.File, e.Line, e.Column = name, line, column
		e.Stack = fmt.Sprintf("    at %s:%d:%d", name, line, column)
		e.Thrown += "\n" + e.Stack
	}
	return e
}
