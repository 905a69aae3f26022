package provider

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// chat is OpenAI's Chat Completions API, which many other servers implement, too.
type chat struct{}

func (chat) rules(strict bool) *rules {
	if strict {
		return openAIStrict
	}
	return openAIRules
}

func (chat) definition(t *described) *node {
	return jsontree.NewObject(pair("type", jsontree.NewString("function")),
		pair("function", openAIFunction(jsontree.NewObject(), t)))
}

// openAIFunction adds the members that both of OpenAI's APIs use to describe a function.
func openAIFunction(n *node, t *described) *node {
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
		return c.choice(f["choices"], func(choice json.RawMessage) error { return c.completed(choice, into) })
	case first(f["message"]) == '{':
		return c.completed(data, into)
	case f.has("tool_calls"), f.has("function_call"), f.has("role"):
		return c.message(data, into)
	case f.has("function"), f.has("type"):
		return c.toolCall(data, into)
	}
	return expected("a chat completion, a message of it, or its tool_calls", data)
}

// choice calls do with the first choice.
func (chat) choice(data []byte, do func(json.RawMessage) error) error {
	done := false
	return each(data, func(choice json.RawMessage) error {
		f := fieldsOf(choice, "index")
		if done || f == nil || f.has("index") && string(f["index"]) != "0" {
			return nil
		}
		done = true
		return do(choice)
	})
}

// completed appends the calls in a choice that has the whole message.
func (c chat) completed(choice []byte, into *callList) error {
	f := fieldsOf(choice, "message", "finish_reason")
	into.because(f.text("finish_reason"), "")
	if first(f["message"]) != '{' {
		return nil
	}
	return c.message(f["message"], into)
}

func (c chat) message(data []byte, into *callList) error {
	f := fieldsOf(data, "tool_calls", "function_call", "refusal")
	if text := f.text("refusal"); text != "" {
		into.because("refusal", text)
	}
	if first(f["tool_calls"]) == '[' {
		if err := each(f["tool_calls"], func(call json.RawMessage) error {
			return c.toolCall(call, into)
		}); err != nil {
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
	id, name := f.text("id"), function.text("name")
	if id == "" && name != "" {
		id = newID()
	}
	return into.add(id, name, arguments(function["arguments"]))
}

// newID returns an id for a call that has none.
func newID() string { return "call_" + strings.ToLower(rand.Text()) }

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
	return c.choice(f["choices"], func(choice json.RawMessage) error {
		f := fieldsOf(choice, "delta", "message", "finish_reason")
		if first(f["message"]) == '{' { // some servers end with the whole message, or send nothing else
			var list callList
			if err := c.completed(choice, &list); err != nil {
				return err
			}
			return into.finish(list, f["message"])
		}
		into.because(f.text("finish_reason"), "")
		return c.deltas(f["delta"], into)
	})
}

func (c chat) deltas(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "tool_calls", "function_call", "refusal")
	if text := f.text("refusal"); text != "" { // a piece of it
		into.because("refusal", "")
		if into.kind == EndRefused {
			into.text = plaintext.Cut(into.text+text, maxEndText)
		}
	}
	if first(f["function_call"]) == '{' {
		if _, err := c.delta("function_call", "", f["function_call"], into); err != nil {
			return err
		}
	}
	if first(f["tool_calls"]) != '[' {
		return nil
	}
	return each(f["tool_calls"], func(data json.RawMessage) error {
		f := fieldsOf(data, "index", "id", "type", "function")
		if kind := f.text("type"); kind == "custom" || first(f["function"]) != '{' && kind != "function" {
			return nil
		}
		call, err := c.delta(string(f["index"]), f.text("id"), f["function"], into)
		if call != nil {
			call.needsID = true
		}
		return err
	})
}

// delta adds a fragment of a call, and returns the call. The first fragment has the id and the name, which some servers
// repeat. key is the index, which identifies the call. But some servers always send index 0, none, or another one in
// later fragments, and some send the whole call once more.
func (c chat) delta(key, id string, data []byte, into *pendingCalls) (*pendingCall, error) {
	f := fieldsOf(data, "name", "arguments")
	name, piece := f.text("name"), f["arguments"]
	call := into.by[key]
	if id == "" && name == "" {
		if call = into.receiver(call, piece); call == nil {
			return nil, nil // the rest of something other than a function
		}
	} else if had := into.byID[id]; id != "" && had != nil && (call == nil || call.id != id) {
		call = had // a new id may be that of a fragment
	} else if last := into.last(); call == nil && id == "" && last != nil && last.tool == "" {
		call = last
	}
	if call != nil && (name == "" || call.id != "") && call.repeated(id, name, piece) {
		return call, nil
	}
	if call == nil || name != "" && c.isAnother(call, id, name, piece) {
		var err error
		if call, err = into.begin(key, id, name, nil); err != nil {
			return nil, err
		}
		return call, into.more(call, piece)
	}
	if err := into.grow(len(key) + len(f["name"]) + len(id)); err != nil {
		return nil, err
	}
	if call.tool == "" || call.none() && name != call.tool { // some servers send the name in pieces, too
		call.tool += name
	}
	if call.id == "" && id != "" {
		call.id = id
		into.byID[id] = call
	}
	if id != "" && into.by[key] == nil {
		into.by[key] = call
	}
	return call, into.more(call, piece)
}

// isAnother reports whether a delta with a name starts a new call: if it has another id, another name, or arguments
// behind those of a call that is complete.
func (chat) isAnother(call *pendingCall, id, name string, more json.RawMessage) bool {
	sameID := id != "" && call.id != ""
	if sameID && id != call.id {
		return true
	}
	if call.tool != "" && call.tool != name {
		inPieces := id == "" && call.id != "" && call.none()
		return !sameID && !inPieces || call.complete()
	}
	return len(more) > 0 && string(more) != "null" && string(more) != `""` && call.complete()
}

type chatPart struct {
	Type  string            `json:"type"`
	Text  string            `json:"text,omitempty"`
	Image map[string]string `json:"image_url,omitempty"`
	File  *chatFile         `json:"file,omitempty"`
}

type chatFile struct {
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
}

func (chat) say(text string) any { return message{Role: "user", Content: text} }

func (chat) lacks(r tool.Result) string {
	if r.CallID == "" && r.Tool == "" {
		return "CallID, and no Tool"
	}
	return ""
}

// results returns a message for each result, and one of the user with the images and documents in them: the API takes
// only text in the messages of tools.
func (chat) results(results []tool.Result) []any {
	messages := make([]any, len(results))
	var attached []chatPart
	for i, r := range results {
		can := isPictureOrPDF
		if r.IsError() {
			can = nil // the text of an error must do
		}
		var texts []string
		for _, p := range piecesOf(r, can) {
			if p.data == nil {
				texts = append(texts, p.text)
				continue
			}
			name := fmt.Sprintf("Attachment %d (%s)", len(attached)/2+1, p.mime)
			texts = append(texts, "["+name+" follows in the next message of the user.]")
			attached = append(attached, chatPart{Type: "text", Text: name + ", which a tool has returned:"},
				chatAttachment(p))
		}
		answer := message{Role: "tool", ToolCallID: r.CallID, Content: strings.Join(texts, "\n")}
		if r.CallID == "" { // the answer to a function_call
			answer.Role, answer.Name = "function", r.Tool
		}
		messages[i] = answer
	}
	if attached != nil {
		messages = append(messages, message{Role: "user", Content: attached})
	}
	return messages
}

func chatAttachment(p piece) chatPart {
	if p.mime == pdf {
		return chatPart{Type: "file", File: &chatFile{Filename: "result.pdf", FileData: dataURL(p.mime, p.data)}}
	}
	return chatPart{Type: "image_url", Image: map[string]string{"url": dataURL(p.mime, p.data)}}
}
