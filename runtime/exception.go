package runtime

import (
	"encoding/json"
	"fmt"
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
	in.run.outcome = nil // whatever there was, this is the end
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
	text, cut, ok := args.text(2, in.run.options.Limits.Output)
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
var position = regexp.MustCompile(`([^\s(][^(]*):(\d+):(\d+)\)?$`)

// firstPosition finds where the first frame of a stack is that has a position in a file. The engine calls the texts of
// JSON.parse and the like <input>, and does not know the lines of some initialisers.
func firstPosition(stack string) (file string, line, column int) {
	for frame := range strings.SplitSeq(stack, "\n") {
		m := position.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(frame), "at "))
		if m == nil || m[1][0] == '<' {
			continue
		}
		if line, _ = strconv.Atoi(m[2]); line > 0 {
			column, _ = strconv.Atoi(m[3])
			return m[1], line, column
		}
	}
	return "", 0, 0
}

// syntaxError returns the error for a script that did not compile. The engine counts the columns of the first line with
// the wrapper in front of it. It may find that something is missing only in the wrapper behind the script's last line,
// and some of its columns are those of other lines: these are left out.
func (in *instance) syntaxError(source string) error {
	err := in.exception()
	e, ok := err.(*ScriptError)
	if !ok {
		return err
	}
	e.Syntax = true
	if e.Line == 0 {
		return err
	}
	if e.Line == 1 {
		e.Column -= len(scriptPrefix)
	}
	last := 1 + strings.Count(source, "\n")
	if e.Line > last {
		e.Message = "unexpected end of input: a bracket is missing, or there is one too many"
		e.Line, e.Column = last, 0
	}
	if e.Column < 1 || e.Column > utf16Length(lineOf(source, e.Line))+1 {
		e.Column = 0
	}
	e.place(e.File, e.Line, e.Column)
	return e
}

// lineOf returns a line of a text, counted from 1.
func lineOf(text string, line int) string {
	for ; line > 1; line-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// place says where an error is. Zero stands for what is not known.
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
	e := &ScriptError{Name: "SyntaxError", Message: message, Syntax: true}
	e.place(name, line, column)
	return e
}
