package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// Limits on what a model sends.
const (
	maxCalls = 1000     // in a message, or in a stream
	maxBytes = 64 << 20 // of a message, or kept of a stream
)

// Calls returns the calls in a model's response, in order. The data can be the whole body of a response, the
// message in it, the message's list of content blocks (parts, output items), or one of these. For MCP it is a
// tools/call request, or its params. Of several choices (candidates) the first one counts. If you have a response
// from an SDK, pass its original JSON, which Anthropic's and OpenAI's SDKs return from RawJSON().
//
// Arguments are passed on as the model sent them, valid or not (see the package's documentation). A call of Gemini
// may have no id, and one of MCP has none: a JSON-RPC id identifies a request, not a call, and is used again.
//
// A call with an Err must be answered like the others: [registry.Registry.Dispatch] does so without running the tool.
// Such calls are not whole, because a limit of tokens has ended the response.
//
// A call of Chat Completions without an id, as small servers make them, gets a new one each time. Copy the ids of the
// calls into the assistant's message ("tool_calls") before you send it back.
//
// A message without calls is not an error. These are:
//
//   - data that is not JSON, or not such a message (an Anthropic message with a call is an error for every other
//     API)
//   - data of more than 64 MiB
//   - more than 1000 calls
//   - a call without an id where [Results] would need one to answer it
//   - the provider's report of an error, whose text the error repeats
//   - a response that ended early, which is an [*EndError]
func Calls(api tool.API, data []byte) ([]tool.Call, error) {
	d, err := dialectOf(api)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(api, data); err != nil {
		return nil, err
	}
	var list callList
	if err := d.calls(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", api, err)
	}
	if len(list.calls) == 0 && api != tool.Anthropic && hasToolUse(data) {
		return nil, fmt.Errorf("%s: the message is one of Anthropic's Messages API: its calls would be lost", api)
	}
	calls, err := list.outcome(api, list.calls)
	if err != nil {
		return nil, err
	}
	return answerable(api, d, calls)
}

// hasToolUse reports whether data is an Anthropic message with a call. Other APIs' messages have a role and a content,
// too, so their parsers would accept this one and find no calls in it.
func hasToolUse(data []byte) (found bool) {
	message := fieldsOf(data, "type", "content")
	if first(message["content"]) == '[' {
		data = message["content"]
	}
	if first(data) != '[' {
		return message.text("type") == "tool_use"
	}
	_ = each(data, func(block json.RawMessage) error {
		found = found || fieldsOf(block, "type").text("type") == "tool_use"
		return nil
	})
	return found
}

// answerable returns the calls, or an error if [Results] could not answer one of them. The host has to know that before
// it runs the calls.
func answerable(api tool.API, d dialect, calls []tool.Call) ([]tool.Call, error) {
	for i, c := range calls {
		if what := d.lacks(tool.Result{CallID: c.ID, Tool: c.Tool}); what != "" {
			return nil, fmt.Errorf("%s: call %d (of the tool %q) has no %s, without which it cannot be answered",
				api, i, plaintext.Cut(c.Tool, 100), inCalls.Replace(what))
		}
	}
	return calls, nil
}

// inCalls renames the fields that a result lacks to those of the call.
var inCalls = strings.NewReplacer("CallID", "id", "Tool", "name")

func checkJSON(api tool.API, data []byte) error {
	if len(data) > maxBytes {
		return fmt.Errorf("%s: the message has %d bytes, more than %d", api, len(data), maxBytes)
	}
	if !json.Valid(data) {
		return fmt.Errorf("%s: the message is not JSON: %q", api, plaintext.Cut(string(bytes.TrimSpace(data)), 60))
	}
	return nil
}

// A callList collects calls.
type callList struct {
	ending
	calls []tool.Call
}

func (l *callList) add(id, name string, input json.RawMessage) error {
	if len(l.calls) >= maxCalls {
		return fmt.Errorf("there are more than %d calls", maxCalls)
	}
	l.calls = append(l.calls, tool.Call{ID: id, Tool: name, Input: slices.Clone(input)})
	l.after = false
	return nil
}

// expected returns the error for data that is not what the API sends.
func expected(what string, data []byte) error {
	return fmt.Errorf("expected %s, and not %s", what, plaintext.Cut(string(bytes.TrimSpace(data)), 120))
}

// hasError reports whether the value of a member "error" is an error. SDKs write an empty one if there was none.
func hasError(data json.RawMessage) bool {
	switch first(data) {
	case '{':
		f := fieldsOf(data, "message", "type", "code", "status")
		code := f["code"]
		return f.text("message") != "" || f.text("type") != "" || f.text("code") != "" || f.text("status") != "" ||
			len(code) > 0 && first(code) != '"' && string(code) != "null" && string(code) != "0"
	case '"':
		return textOf(data) != ""
	}
	return false
}

// reported returns the error that a provider reports.
func reported(data json.RawMessage) error {
	text := textOf(data)
	if first(data) == '{' {
		f := fieldsOf(data, "message", "type", "code", "status")
		text = f.text("message")
		for _, kind := range []string{"type", "code", "status"} {
			if k := f.text(kind); k != "" && k != "error" {
				text = k + ": " + text
				break
			}
		}
	}
	return fmt.Errorf("the provider reports an error: %s", plaintext.Cut(text, 500))
}
