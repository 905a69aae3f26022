package provider

import (
	"encoding/json"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/registry"
)

// chat is OpenAI's Chat Completions API, which many other servers implement, too.
type chat struct{}

func (chat) rules(strict bool) *rules {
	if strict {
		return openAIStrict
	}
	return openAIRules
}

func (chat) definition(t *tool) *node {
	return jsontree.NewObject(pair("type", jsontree.NewString("function")),
		pair("function", openAIFunction(jsontree.NewObject(), t)))
}

// openAIFunction adds the members that both of OpenAI's APIs use to describe a function.
func openAIFunction(n *node, t *tool) *node {
	n.Set("name", jsontree.NewString(t.Name))
	describe(n, t.description)
	n.Set("parameters", t.schema)
	n.Set("strict", jsontree.NewBool(t.strict))
	return n
}

func (c chat) calls(data []byte, into *callList) error {
	if first(data) == '[' { // tool_calls, or the parts of a content
		return each(data, func(element json.RawMessage) error {
			if first(element) != '{' {
				return expected("a tool call", element)
			}
			return c.toolCall(element, into)
		})
	}
	f := fieldsOf(data, "choices", "message", "role", "content", "tool_calls", "function_call", "function", "type",
		"error")
	switch {
	case hasError(f["error"]):
		return reported(f["error"])
	case first(f["choices"]) == '[':
		return c.choices(f["choices"], "message", func(message json.RawMessage) error { return c.message(message, into) })
	case first(f["message"]) == '{': // a choice
		return c.message(f["message"], into)
	case f.has("tool_calls"), f.has("function_call"), f.has("role"):
		return c.message(data, into)
	case f.has("function"), f.has("type"):
		return c.toolCall(data, into)
	}
	return expected("a chat completion, a message of it, or its tool_calls", data)
}

// choices calls do with the named member of the first choice.
func (chat) choices(data []byte, name string, do func(json.RawMessage) error) error {
	done := false
	return each(data, func(choice json.RawMessage) error {
		f := fieldsOf(choice, "index", name)
		if done || first(f[name]) != '{' || f.has("index") && string(f["index"]) != "0" {
			return nil
		}
		done = true
		return do(f[name])
	})
}

func (c chat) message(data []byte, into *callList) error {
	f := fieldsOf(data, "tool_calls", "function_call")
	if first(f["tool_calls"]) == '[' {
		if err := each(f["tool_calls"], func(call json.RawMessage) error { return c.toolCall(call, into) }); err != nil {
			return err
		}
	}
	if first(f["function_call"]) == '{' { // from before parallel calls
		function := fieldsOf(f["function_call"], "name", "arguments")
		if function.text("name") == "" {
			return nil // OpenAI's SDK writes an empty one if there was none
		}
		return into.add("", function.text("name"), arguments(function["arguments"]))
	}
	return nil
}

// toolCall appends the call in an element of tool_calls. Custom tools have a member "custom" instead of "function", or
// beside an empty "function".
func (chat) toolCall(data []byte, into *callList) error {
	f := fieldsOf(data, "id", "type", "function")
	if first(f["function"]) != '{' || f.text("type") == "custom" {
		return nil
	}
	function := fieldsOf(f["function"], "name", "arguments")
	return into.add(f.text("id"), function.text("name"), arguments(function["arguments"]))
}

// arguments returns the arguments of an OpenAI call, which are a string. Some servers that claim to be compatible send
// an object.
func arguments(data json.RawMessage) json.RawMessage {
	switch first(data) {
	case '"':
		return json.RawMessage(textOf(data))
	case 0, 'n':
		return nil
	}
	return data
}

func (c chat) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "choices", "error")
	if hasError(f["error"]) {
		return reported(f["error"])
	}
	if first(f["choices"]) != '[' {
		return nil
	}
	return c.choices(f["choices"], "delta", func(delta json.RawMessage) error {
		f := fieldsOf(delta, "tool_calls", "function_call")
		if first(f["function_call"]) == '{' {
			if err := c.delta("function_call", "", f["function_call"], into); err != nil {
				return err
			}
		}
		if first(f["tool_calls"]) != '[' {
			return nil
		}
		return each(f["tool_calls"], func(call json.RawMessage) error {
			f := fieldsOf(call, "index", "id", "type", "function")
			if first(f["function"]) != '{' || f.text("type") == "custom" {
				return nil
			}
			return c.delta(string(f["index"]), f.text("id"), f["function"], into)
		})
	})
}

// delta adds a fragment of a call. The first fragment has the id and the name, which some servers repeat. key is the
// index, which identifies the call. But some servers always send index 0 or none, and start a new call by sending its
// name.
func (c chat) delta(key, id string, data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "name", "arguments")
	name, call := f.text("name"), into.by[key]
	switch {
	case call == nil && id == "" && name == "":
		return nil // the rest of something other than a function
	case call == nil || name != "" && c.isAnother(call, id, name, f["arguments"]):
		var err error
		if call, err = into.begin(key, id, name, nil); err != nil {
			return err
		}
	default:
		if id != "" && id != call.id { // only a known id matters: some servers send a new one in each delta
			if had := into.byID[id]; had != nil {
				call = had
			}
		}
		if call.tool == "" {
			call.tool = name
		}
		if call.id == "" && id != "" {
			call.id = id
			into.byID[id] = call
		}
		if err := into.grow(len(f["name"]) + len(id)); err != nil {
			return err
		}
	}
	return into.more(call, f["arguments"])
}

// isAnother reports whether a delta with a name starts a new call. Without ids, it does if the name differs from that
// of the previous call, or if the arguments of the previous call are complete and more follow.
func (chat) isAnother(call *pendingCall, id, name string, more json.RawMessage) bool {
	if id != "" && call.id != "" {
		return id != call.id
	}
	if call.tool != "" && call.tool != name {
		return true
	}
	return len(more) > 0 && string(more) != "null" && string(more) != `""` && call.complete()
}

type chatMessage struct {
	Role       string `json:"role"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	Name       string `json:"name,omitempty"`
	Content    string `json:"content"`
}

func (chat) lacks(r registry.Result) string {
	if r.CallID == "" && r.Tool == "" {
		return "CallID, and no Tool"
	}
	return ""
}

func (chat) results(results []registry.Result) []any {
	messages := make([]any, len(results))
	for i, r := range results {
		message := chatMessage{Role: "tool", ToolCallID: r.CallID, Content: onlyText(r)}
		if r.CallID == "" { // the answer to a function_call
			message.Role, message.Name = "function", r.Tool
		}
		messages[i] = message
	}
	return messages
}
