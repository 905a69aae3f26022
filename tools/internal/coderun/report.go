package coderun

import (
	"encoding/json"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Report is a result of the tool in its parts, for people. Models get all of it as one text, with headings.
type Report struct {
	// Console is what the code and its libraries wrote to the console.
	Console []sandbox.Entry
	// Text is the result, or what is wrong with the code. It is empty if the code has no result or exited.
	Text string
	// Undefined means that the code has no result: it returned undefined, or does not end with a value.
	Undefined bool
	// Exited means that the code ended the run with Status.
	Exited bool
	Status int
	// Note says how much of the output was cut off. Empty means nothing.
	Note string
	// Session says what the code's session did not do, such as keeping variables.
	Session []string
}

// A ReadValue is an Output whose value is still JSON, so that null is told from no value.
type ReadValue struct {
	Output
	Value json.RawMessage `json:"value"`
}

// SessionNotes returns what there is to say of the session.
func (v *ReadValue) SessionNotes() []string {
	if v.Session == nil {
		return nil
	}
	return v.Session.Notes
}

// ReadOutput returns the data of a result. It is false for calls that did not run code.
func ReadOutput(result registry.Result) (output ReadValue, ok bool) {
	data, err := json.Marshal(result.Data)
	if err != nil || json.Unmarshal(data, &output) != nil || output.Console == nil || len(result.Content) == 0 {
		return ReadValue{}, false
	}
	return output, true
}
