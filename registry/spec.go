package registry

import (
	"encoding/json"
	"fmt"
)

// A ToolError is a mistake in a tool or in its options.
type ToolError struct {
	// Tool is the tool's name.
	Tool string
	Err  error
}

// Error names the tool.
func (e *ToolError) Error() string { return fmt.Sprintf("tool %q: %v", e.Tool, e.Err) }

// Unwrap returns the underlying error.
func (e *ToolError) Unwrap() error { return e.Err }

// noArguments is the schema of tools without arguments.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
