package code

import (
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
)

// A Report is a result of the tool in its parts, for people. Models get all of it as one text, with headings.
type Report struct {
	// Console is what the code and its libraries wrote to the console.
	Console []sandbox.Entry
	// Text is the result, or what is wrong with the code. It is empty if the code has no result or exited.
	Text string
	// Undefined means that the code has no result: it returned undefined, or does not end with a value.
	Undefined bool
	// Exited means that the code ended the run with Status, or ended well with that status.
	Exited bool
	Status int
	// Note says how much of the output was cut off. Empty means nothing.
	Note string
	// Session says what the code's session did not do, such as keeping variables.
	Session []string
}

// Report takes a result of the language's tool apart. It reports false for results of other tools, and for calls that
// did not run code.
func (l *Language) Report(result tool.Result) (Report, bool) {
	output, ok := ReadOutput(result, l.Name)
	if !ok {
		return Report{}, false
	}
	r := Report{Console: output.Console, Text: result.Content[0].Text, Note: script.CutNote(output.Truncated)}
	if output.Session != nil {
		r.Session = output.Session.Notes
	}
	if r.Note != "" {
		r.Text = strings.TrimSuffix(r.Text, "\n"+r.Note)
	}
	switch {
	case output.Error != nil: // without the result that the code had before
		r.Text = output.Error.Message
		if output.Error.Kind == "exit" {
			r.Exited, r.Status, r.Text = true, output.Error.Status, ""
		}
		return r, true
	case len(r.Console) == 0 && r.Text == l.Empty:
		r.Text = ""
	default:
		// What the code prints can look like any part of the text, so the data says where the console ends.
		r.Text, _ = l.Console(r.Console).Cut(r.Text)
		if len(r.Console) > 0 {
			r.Text = strings.TrimPrefix(r.Text, l.ResultHeading)
		}
	}
	if output.Value == nil && r.Text == l.Nothing {
		r.Text, r.Undefined = "", true
	}
	if output.Status != 0 {
		r.Exited, r.Status = true, output.Status
	}
	return r, true
}

// A ReadValue is an Output whose value is still JSON, so that null is told from no value.
type ReadValue struct {
	Output
	Value json.RawMessage `json:"value"`
}

// ReadOutput returns the data of a result of a tool. It is false for results of others, and for calls that did not run
// code.
func ReadOutput(result tool.Result, name string) (output ReadValue, ok bool) {
	if result.Tool != name || len(result.Content) == 0 {
		return ReadValue{}, false
	}
	data, encoded := result.Data.(json.RawMessage)
	if !encoded {
		var err error
		if data, err = json.Marshal(result.Data); err != nil {
			return ReadValue{}, false
		}
	}
	output.Console, ok = []sandbox.Entry{}, true
	rest := result.Content[0].Text
	console, fields := without(data, "console")
	if json.Unmarshal(fields, &output) != nil || !jsontree.Elements(console, func(element []byte) bool {
		var e sandbox.Entry
		if len(element) < 4<<10 {
			ok = json.Unmarshal(element, &e) == nil
		} else {
			text, entry := without(element, "text")
			ok = json.Unmarshal(entry, &e) == nil && json.Unmarshal(text, &e.Text) == nil
		}
		// What was printed is in the text as well, and is not kept twice.
		e.Text, rest = within(e.Text, rest)
		output.Console = append(output.Console, e)
		return ok
	}) || !ok {
		return ReadValue{}, false
	}
	return output, true
}

// without takes a member out of an object, which can be much longer than the others.
func without(object []byte, member string) (value, rest []byte) {
	rest = []byte{'{'}
	jsontree.Members(object, func(name, v []byte) {
		if string(name) == member {
			value = v
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(jsontree.AppendString(rest, string(name)), ':'), v...)
	})
	return value, append(rest, '}')
}

// within returns the first text as a part of the second one, if it is near its beginning, and what is behind it there:
// a console and the text that models read of it then take the memory of one.
func within(part, text string) (same, rest string) {
	const heading = 256
	if at := strings.Index(text[:min(len(text), len(part)+heading)], part); at >= 0 {
		return text[at : at+len(part)], text[at+len(part):]
	}
	return part, text
}

// Pieces are the parts of a text, each of which is given to add. A text can be as long as an output: it is put together
// once, in one piece, and compared without being put together.
type Pieces func(add func(string))

// String puts the text together.
func (p Pieces) String() string {
	size := 0
	p(func(piece string) { size += len(piece) })
	var b strings.Builder
	b.Grow(size)
	p(func(piece string) { b.WriteString(piece) })
	return b.String()
}

// Cut returns what follows the text in another one, and whether that begins with it.
func (p Pieces) Cut(text string) (rest string, ok bool) {
	rest, ok = text, true
	p(func(piece string) {
		if ok {
			rest, ok = strings.CutPrefix(rest, piece)
		}
	})
	if !ok {
		return text, false
	}
	return rest, true
}
