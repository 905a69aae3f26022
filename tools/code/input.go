package code

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
)

// check refuses input without code.
func check(input map[string]any) error {
	if code, ok := input["code"].(string); !ok || code == "" {
		return tool.Errorf("Error: code parameter is required and must be a string")
	}
	return nil
}

// codeOf returns the code of an input, for people to see; or the input, if it has none.
func codeOf(input json.RawMessage) string {
	var in struct{ Code string }
	if json.Unmarshal(input, &in) != nil || in.Code == "" {
		return string(input)
	}
	return in.Code
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
func unknownNote(input json.RawMessage) string {
	var names []string
	more := 0
	jsontree.Members(input, func(name, _ []byte) {
		switch {
		case string(name) == "code":
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
	return "Note: these arguments are unknown and were ignored: " + text + ". The only argument is code."
}

// maxShown is how many unknown arguments a note names.
const maxShown = 10

// fenceLine matches the line with which a fence begins, without the newline.
var fenceLine = regexp.MustCompile("^```[a-zA-Z]*[ \t\r]*$")

// withoutFence returns what is meant by code that a model has put between the marks of Markdown, with as many lines
// before it. With the marks it is not meant as code in any language.
func withoutFence(code string) string {
	const space = " \t\n\f\r"
	start := len(code) - len(strings.TrimLeft(code, space))
	line, rest, ok := strings.Cut(code[start:], "\n")
	if !ok || !fenceLine.MatchString(line) {
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
