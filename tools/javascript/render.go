package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tools/internal/changes"
)

// Changes are the files that a call has changed, by path.
type Changes = changes.Changes

// Output is the data of a result.
type Output struct {
	// Value is the value that the code returned, if JSON can represent it.
	Value any `json:"value,omitempty"`
	// Error is why the code returned no value, or nil.
	Error *Error `json:"error,omitempty"`
	// Console is the code's console output.
	Console []sandbox.Entry `json:"console"`
	// Truncated is how many bytes of the console and the result were cut off.
	Truncated int64 `json:"truncatedBytes,omitempty"`
	// Files are the files that the code itself changed, not other tools, or nil.
	Files *Changes `json:"files,omitempty"`
	Usage Usage    `json:"usage"`
	// Calls are the code's calls of other tools, in the order in which they began.
	Calls []ToolCall `json:"calls,omitempty"`
}

// outputSchema is the JSON Schema of [Output]. Nothing is required: see [registry.Spec].TextOutput.
var outputSchema = json.RawMessage(`{"type": "object", "properties": {
	"value": {"description": "The value that the code returned, if JSON can represent it."},
	"error": {"type": "object", "description": "Why the code returned no value.", "properties": {
		"kind": {"type": "string"}, "message": {"type": "string"},
		"line": {"type": "integer"}, "column": {"type": "integer"}, "status": {"type": "integer"}
	}, "required": ["kind", "message"]},
	"console": {"type": "array", "description": "The code's console output.", "items": {"type": "object", "properties": {
		"level": {"type": "string"}, "text": {"type": "string"}, "library": {"type": "string"},
		"unfinished": {"type": "boolean", "description": "The code has not ended the line: the next entry continues it."}
	}, "required": ["level", "text"]}},
	"truncatedBytes": {"type": "integer", "description": "How many bytes of the console and the result were cut off."},
	"files": {"type": "object", "description": "The files that the code changed.", "properties": {
		"created": {"type": "array", "items": {"type": "string"}},
		"changed": {"type": "array", "items": {"type": "string"}},
		"deleted": {"type": "array", "items": {"type": "string"}},
		"more": {"type": "integer", "description": "How many others there are."}
	}},
	"usage": {"type": "object", "properties": {
		"milliseconds": {"type": "number"}, "memoryBytes": {"type": "integer"}, "work": {"type": "integer"}
	}},
	"calls": {"type": "array", "description": "The code's calls of other tools.", "items": {"type": "object", "properties": {
		"tool": {"type": "string"}, "ok": {"type": "boolean"}, "code": {"type": "string"}, "milliseconds": {"type": "number"}
	}, "required": ["tool", "ok"]}}
}}`)

// An Error describes why code did not return.
type Error struct {
	// Kind is "exception", "syntax", "exit", "halted", "never settles", "engine crash", "stopped" by the host, or the
	// name of a limit and "limit", as in "time limit".
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Line and Column are the position, from 1, or 0 if it is unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Status is the status of the kind "exit".
	Status int `json:"status,omitempty"`
}

// Usage is the resources that a run used.
type Usage struct {
	Milliseconds float64 `json:"milliseconds"`
	MemoryBytes  int64   `json:"memoryBytes"`
	// Work counts the engine's work, independent of the machine.
	Work int64 `json:"work"`
}

// render makes the result of a call of the result of a run, of the reason why it has failed, if it has, and of the
// files that it has changed, which is nil if there are none.
func render(result *js.Result, failure error, files *Changes) registry.Result {
	text := result.Text
	out := registry.Result{Status: fmt.Sprintf("Ran for %v", result.Usage.Duration.Round(100_000))}
	data := Output{
		Value: result.Value, Console: result.Console, Truncated: result.Truncated, Files: files,
		Usage: Usage{float64(result.Usage.Duration.Microseconds()) / 1000, result.Usage.Memory, result.Usage.Work},
	}
	if data.Console == nil {
		data.Console = []sandbox.Entry{}
	}
	if failure != nil {
		text = failure.Error()
		data.Error = describeFailure(failure)
		out.Code, out.Err = registry.CodeTool, failure
		out.Status = "Failed: " + data.Error.Kind
		switch {
		case errors.Is(failure, context.DeadlineExceeded):
			out.Code = registry.CodeTimeout
		case errors.Is(failure, context.Canceled):
			out.Code = registry.CodeCanceled
		}
	}
	text = consoleText(result.Console) + text
	if note := result.Note(); note != "" {
		text += "\n" + note
	}
	out.Content, out.Data = []registry.Part{{Text: text}}, data
	if files != nil { // in a part of its own, since it is no part of what the code has returned
		out.Content = append(out.Content, registry.Part{Text: files.String()})
	}
	return out
}

// consoleText is the console as models read it, up to the heading of the result.
func consoleText(console []sandbox.Entry) string {
	var b strings.Builder
	section := ""
	for _, entry := range console {
		header := "=== Console output ==="
		if entry.Library != "" {
			header = "=== Output of library " + entry.Library + " ==="
		}
		if header != section {
			b.WriteString(header + "\n")
			section = header
		}
		fmt.Fprintf(&b, "[%v] %s\n", entry.Level, entry.Text)
	}
	if section != "" {
		b.WriteString("=== Result ===\n")
	}
	return b.String()
}

func describeFailure(failure error) *Error {
	out := &Error{Kind: "error", Message: failure.Error()}
	var script *js.ScriptError
	var limit *sandbox.LimitError
	var exit *js.ExitError
	var crash *sandbox.CrashError
	switch {
	case errors.As(failure, &script):
		out.Kind, out.Line, out.Column = "exception", script.Line, script.Column
		if script.Syntax {
			out.Kind = "syntax"
		}
	case errors.As(failure, &limit):
		out.Kind = string(limit.Limit) + " limit"
	case errors.As(failure, &exit):
		out.Kind, out.Status = "exit", exit.Code
	case errors.As(failure, &crash):
		out.Kind = "engine crash"
	case errors.Is(failure, js.ErrNeverSettles):
		out.Kind = "never settles"
	case errors.Is(failure, js.ErrHalted):
		out.Kind = "halted"
	case errors.Is(failure, context.Canceled), errors.Is(failure, context.DeadlineExceeded):
		out.Kind = "stopped"
	}
	return out
}
