package code

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
)

// ArgumentName returns the name of the argument that has the code.
func (l *Language) ArgumentName() string { return cmp.Or(l.Argument, "code") }

// restartArguments are the arguments of languages with Restarts.
var restartArguments = map[string]any{
	"timeout": map[string]string{"type": "number", "description": "Stop it after so many seconds."},
	"restart": map[string]string{"type": "boolean", "description": "Begin anew: drop what earlier calls have left."},
}

// milliArgument is how providers' own definitions of such tools name the timeout, which is in milliseconds there.
const milliArgument = "timeout_ms"

// Input makes the input of a call that runs code.
func (l *Language) Input(code string) (json.RawMessage, error) {
	return json.Marshal(map[string]string{l.ArgumentName(): code})
}

// input is what a model has asked for.
type input struct {
	code    string
	seconds float64 // zero means as long as a call may take
	restart bool
}

// read reads the input of a call.
func (l *Language) read(data json.RawMessage) (in input, err error) {
	if !json.Valid(data) {
		return in, errors.New("the input is not JSON")
	}
	var milliseconds float64
	isObject := jsontree.Members(data, func(name, value []byte) {
		var to any
		switch name := string(name); {
		case name == l.ArgumentName():
			to = &in.code
		case name == "timeout" && l.Restarts:
			to = &in.seconds
		case name == "restart" && l.Restarts:
			to = &in.restart
		case name == milliArgument && l.Restarts:
			to = &milliseconds
		default:
			return
		}
		err = errors.Join(err, json.Unmarshal(value, to))
	})
	if !isObject {
		return in, errors.New("the input is not a JSON object")
	}
	if in.seconds == 0 {
		in.seconds = milliseconds / 1000
	}
	return in, err
}

// limit returns how long the call may take, if calls may take at most that long, or as long as they want for zero.
func (in *input) limit(most time.Duration) time.Duration {
	wanted := time.Duration(min(in.seconds, math.MaxInt32) * float64(time.Second))
	if wanted <= 0 || most > 0 && most < wanted {
		return most
	}
	return wanted
}

// check refuses input without code.
func (l *Language) check(input map[string]any) error {
	if value := input[milliArgument]; l.Restarts && value != nil {
		if _, ok := value.(json.Number); !ok {
			return tool.Errorf("Error: %s must be a number of milliseconds", milliArgument)
		}
	}
	if code, ok := input[l.ArgumentName()].(string); ok && code != "" {
		return nil
	}
	if restart, _ := input["restart"].(bool); l.Restarts && restart {
		return nil
	}
	return tool.Errorf("Error: %s parameter is required and must be a string", l.ArgumentName())
}

// codeOf returns the code of an input, for people to see; or the input, if it has none.
func (l *Language) codeOf(data json.RawMessage) string {
	in, err := l.read(data)
	if err != nil || in.code == "" {
		return string(data)
	}
	return in.code
}

// timeLeft returns what is left of the time of a call after the engine has been started since a moment, or an error if
// nothing is. A moment of starting is within what the registry grants to tools that keep the time by themselves.
func timeLeft(limit time.Duration, start time.Time) (time.Duration, error) {
	if late := time.Since(start); limit > 0 && late > 500*time.Millisecond {
		if limit -= late.Round(time.Millisecond); limit <= 0 {
			return 0, fmt.Errorf("starting the engine took %v, which is all the time that the call has",
				late.Round(time.Millisecond))
		}
	}
	return limit, nil
}

// progress returns what shows the console of code while it runs, or nil if nobody looks.
func progress(env tool.Env) func(sandbox.Entry) {
	if !env.Watched() {
		return nil
	}
	return func(e sandbox.Entry) {
		env.Print(tool.ConsoleEntry{
			Level: e.Level.String(), Text: e.Text, Library: e.Library, Unfinished: e.Unfinished,
		})
	}
}

// unknownNote tells a model which of its arguments have been ignored, or returns "".
func (l *Language) unknownNote(input json.RawMessage) string {
	var names []string
	more := 0
	jsontree.Members(input, func(name, _ []byte) {
		switch {
		case string(name) == l.ArgumentName(),
			l.Restarts && (restartArguments[string(name)] != nil || string(name) == milliArgument):
		case len(names) == maxShown:
			more++
		default:
			names = append(names, plaintext.Clean(string(name), 100))
		}
	})
	if len(names) == 0 {
		return ""
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	known := "The only argument is " + l.ArgumentName()
	if l.Restarts {
		known = "Arguments are " + l.ArgumentName() + ", timeout and restart"
	}
	return "Note: these arguments are unknown and were ignored: " + text + ". " + known + "."
}

// maxShown is how many unknown arguments a note names.
const maxShown = 10

// fenceLine matches the line with which a fence begins, without the newline.
var fenceLine = lazyregexp.New("^```[a-zA-Z]*[ \t\r]*$")

// withoutFence returns what is meant by code that a model has put between the marks of Markdown, with as many lines
// before it. With the marks it is not meant as code in any language.
func withoutFence(code string) string {
	const space = " \t\n\f\r"
	start := len(code) - len(strings.TrimLeft(code, space))
	line, rest, ok := strings.Cut(code[start:], "\n")
	if !ok || !fenceLine().MatchString(line) {
		return code
	}
	inner, ok := strings.CutSuffix(strings.TrimRight(rest, space), "```")
	if !ok {
		return code
	}
	inner = strings.TrimRight(inner, " \t")
	if inner, ok = strings.CutSuffix(inner, "\n"); !ok {
		return code
	}
	return strings.Repeat("\n", strings.Count(code[:len(code)-len(rest)], "\n")) + inner
}
