package tool

import (
	"context"
	"encoding/json"
	"fmt"
)

// A CallError is why a call of another tool has no result: the tool failed, is not there, or may not be called. The
// text is the one that a model would read.
type CallError struct{ Tool, Text string }

func (e *CallError) Error() string { return fmt.Sprintf("the tool %s: %s", e.Tool, e.Text) }

// Call calls another tool, which [Asks].Tools must have and the operator must have granted. The input is encoded as
// JSON. The result is the tool's JSON if it has an output schema, and otherwise its text. The error is a [*CallError]
// if the call failed. Outside of toolrun, every call fails.
//
// A call of the program can make 100 calls. Their time is part of its own.
func Call(ctx context.Context, tool string, input any) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(input)
	if err != nil {
		return nil, fmt.Errorf("the input of the tool %s: %w", tool, err)
	}
	result, ok := callHost(tool, data)
	if !ok {
		return nil, &CallError{tool, string(result)}
	}
	return result, nil
}
