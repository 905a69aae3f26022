package code

import (
	"encoding/json"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
)

// Changes are the files that a call has changed, by path.
type Changes = changes.Changes

// Output is the data of a result.
type Output struct {
	// Value is the value that the code returned, if JSON can represent it.
	Value any `json:"value,omitempty"`
	// Status is the exit status of code that has one, such as a script of a shell.
	Status int `json:"status,omitempty"`
	// Error is why the code returned no value, or nil.
	Error *Error `json:"error,omitempty"`
	// Console is the code's console output.
	Console []sandbox.Entry `json:"console"`
	// Truncated is how many bytes of the console and the result were cut off.
	Truncated int64 `json:"truncatedBytes,omitempty"`
	// Files are the files that the code itself changed, not other tools, or nil.
	Files *Changes `json:"files,omitempty"`
	Usage Usage    `json:"usage"`
	// Session is the session in which the code ran, or nil.
	Session *SessionOutput `json:"session,omitempty"`
	// Calls are the code's calls of other tools, in the order in which the code has made them.
	Calls []ToolCall `json:"calls,omitempty"`
}

// outputSchema is the JSON Schema of [Output]. Nothing is required: see [tool.Spec].TextOutput.
var outputSchema = json.RawMessage(`{"type": "object", "properties": {
	"value": {"description": "The value that the code returned, if JSON can represent it."},
	"status": {"type": "integer", "description": "The exit status of code that has one, if it is not 0."},
	"error": {"type": "object", "description": "Why the code returned no value.", "properties": {
		"kind": {"type": "string"}, "message": {"type": "string"},
		"line": {"type": "integer"}, "column": {"type": "integer"}, "status": {"type": "integer"}
	}, "required": ["kind", "message"]},
	"console": {"type": "array", "description": "The code's console output.",
		"items": {"type": "object", "properties": {
		"level": {"type": "string"}, "text": {"type": "string"}, "library": {"type": "string"},
		"unfinished": {
			"type": "boolean", "description": "The code has not ended the line: the next entry continues it."
		}
	}, "required": ["level", "text"]}},
	"truncatedBytes": {"type": "integer", "description": "How many bytes of the console and the result were cut off."},
	"files": {"type": "object", "description": "The files that the code changed.", "properties": {
		"created": {"type": "array", "items": {"type": "string"}},
		"changed": {"type": "array", "items": {"type": "string"}},
		"deleted": {"type": "array", "items": {"type": "string"}},
		"more": {"type": "integer", "description": "How many others there are."}
	}},
	"usage": {"type": "object", "properties": {
		"milliseconds": {"type": "number"}, "memoryBytes": {"type": "integer"}, "work": {"type": "integer"},
		"requests": {"type": "integer"}, "sentBytes": {"type": "integer"}, "receivedBytes": {"type": "integer"}
	}},
	"session": {"type": "object", "description": "The session whose variables the code went on with.", "properties": {
		"name": {"type": "string"},
		"kept": {"type": "boolean", "description": "Whether the variables are now as the code left them."},
		"notes": {"type": "array", "items": {"type": "string"}}
	}, "required": ["name", "kept"]},
	"calls": {"type": "array", "description": "The code's calls of other tools.",
		"items": {"type": "object", "properties": {
		"tool": {"type": "string"}, "ok": {"type": "boolean"}, "code": {"type": "string"},
		"milliseconds": {"type": "number"}
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
	// Requests over the network, redirects counted, and the bytes of bodies.
	Requests int64 `json:"requests,omitempty"`
	Sent     int64 `json:"sentBytes,omitempty"`
	Received int64 `json:"receivedBytes,omitempty"`
}

// A ToolCall is a call of a tool that code made. Calls that were requested just before the code failed or was
// stopped may never be made; those are not listed.
type ToolCall struct {
	Tool string `json:"tool"`
	OK   bool   `json:"ok"`
	// Code is the code of the result. A call still in progress when the code ended is canceled.
	Code         tool.Code `json:"code,omitempty"`
	Milliseconds float64   `json:"milliseconds"`
}
