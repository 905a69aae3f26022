package provider

import (
	"encoding/json"

	"github.com/toolrun/toolrun/registry"
)

// responses is OpenAI's Responses API.
//
// https://platform.openai.com/docs/guides/function-calling?api-mode=responses and
// https://platform.openai.com/docs/api-reference/responses-streaming
type responses struct{}

func (responses) rules(strict bool) *rules { return chat{}.rules(strict) }

// definition always says whether it is strict, since the API takes silence for "if possible".
func (responses) definition(t *tool) *node {
	return openAIFunction(objectNode(member{"type", stringNode("function")}), t)
}

func (r responses) calls(data []byte, into *callList) error {
	if first(data) == '[' {
		return each(data, func(item json.RawMessage) error { return r.item(item, into) })
	}
	f := fieldsOf(data, "type", "output", "error", "object")
	switch {
	case f.has("error"):
		return reported(f["error"])
	case first(f["output"]) == '[' && (f.text("type") == "" || f.text("type") == "response"):
		return each(f["output"], func(item json.RawMessage) error { return r.item(item, into) })
	case f.text("type") != "":
		return r.item(data, into)
	case f.text("object") == "response":
		return nil
	}
	return expected(`a response of the Responses API, its "output", or an output item`, data)
}

// item adds the call in an output item. Other items are texts, reasoning, calls of OpenAI's own tools and those of custom
// tools.
func (responses) item(data []byte, into *callList) error {
	f := fieldsOf(data, "type", "call_id", "name", "arguments")
	if f == nil {
		return expected("an output item", data)
	}
	if f.text("type") != "function_call" {
		return nil
	}
	return into.add(f.text("call_id"), f.text("name"), arguments(f["arguments"]))
}

func (r responses) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "type", "output_index", "item", "delta", "arguments", "response", "error", "message", "code")
	key := string(f["output_index"]) // the item's id is another one in each event of some servers
	switch f.text("type") {
	case "response.output_item.added", "response.output_item.done":
		item := fieldsOf(f["item"], "type", "call_id", "name", "arguments")
		if item.text("type") != "function_call" {
			return nil
		}
		call := into.by[key]
		if call == nil || call.id != item.text("call_id") {
			var err error
			if call, err = into.begin(key, item.text("call_id"), item.text("name"), nil); err != nil {
				return err
			}
		}
		if f.text("type") == "response.output_item.done" {
			return r.whole(call, item["arguments"], into)
		}
		return into.more(call, item["arguments"])
	case "response.function_call_arguments.delta":
		return into.more(into.by[key], f["delta"])
	case "response.function_call_arguments.done":
		return r.whole(into.by[key], f["arguments"], into)
	case "response.completed", "response.incomplete":
		var list callList
		output := fieldsOf(f["response"], "output")["output"]
		if first(output) != '[' {
			return nil
		}
		if err := r.calls(output, &list); err != nil {
			return err
		}
		if len(list.calls) > 0 { // some servers leave the output out of this event
			if err := into.grow(len(output)); err != nil {
				return err
			}
			into.final = list.calls
		}
	case "response.failed":
		return reported(fieldsOf(f["response"], "error")["error"])
	case "error":
		if f.has("error") {
			return reported(f["error"])
		}
		return reported(data)
	}
	return nil
}

// whole replaces the arguments of a call.
func (responses) whole(call *pendingCall, arguments json.RawMessage, into *pendingCalls) error {
	if call == nil || first(arguments) != '"' {
		return nil
	}
	into.size -= len(call.pieces)
	call.pieces = nil
	return into.more(call, arguments)
}

type responsesOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"`
}

type responsesContent struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Filename string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

func (responses) results(results []registry.Result) []any {
	items := make([]any, len(results))
	for i, r := range results {
		pieces := piecesOf(r, isPictureOrPDF)
		output := responsesOutput{Type: "function_call_output", CallID: r.CallID}
		if len(pieces) == 1 && pieces[0].data == nil {
			output.Output = pieces[0].text
		} else {
			output.Output = responsesContents(pieces)
		}
		items[i] = output
	}
	return items
}

func responsesContents(pieces []piece) []responsesContent {
	contents := make([]responsesContent, len(pieces))
	for i, p := range pieces {
		switch {
		case p.data == nil:
			contents[i] = responsesContent{Type: "input_text", Text: p.text}
		case p.mime == pdf:
			contents[i] = responsesContent{Type: "input_file", Filename: "result.pdf", FileData: dataURL(p.mime, p.data)}
		default:
			contents[i] = responsesContent{Type: "input_image", ImageURL: dataURL(p.mime, p.data), Detail: "auto"}
		}
	}
	return contents
}
