package provider

import (
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// responses is OpenAI's Responses API.
//
// https://platform.openai.com/docs/guides/function-calling?api-mode=responses and
// https://platform.openai.com/docs/api-reference/responses-streaming
type responses struct{}

func (responses) rules(strict bool) *rules { return chat{}.rules(strict) }

// definition always sets "strict", because the API treats its absence as "if possible".
func (responses) definition(t *described) *node {
	return openAIFunction(jsontree.NewObject(pair("type", jsontree.NewString("function"))), t)
}

func (r responses) calls(data []byte, into *callList) error {
	if first(data) == '[' {
		return each(data, func(item json.RawMessage) error { return r.item(item, into) })
	}
	f := fieldsOf(data, "type", "output", "error", "object", "status", "incomplete_details")
	if f.text("type") == "" || f.text("type") == "response" { // items have a status, too
		r.stopped(f, &into.ending)
	}
	switch {
	case hasError(f["error"]):
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

// stopped notes why a response has ended. f has its status and incomplete_details.
func (responses) stopped(f fields, end *ending) {
	end.because(fieldsOf(f["incomplete_details"], "reason").text("reason"), "")
	end.because(f.text("status"), "")
}

// item appends the calls in an output item. Other items are texts, reasoning, and calls of tools that run at OpenAI and
// of custom tools.
func (responses) item(data []byte, into *callList) error {
	f := fieldsOf(data, itemFields...)
	if f == nil {
		return expected("an output item", data)
	}
	calls, err := nativeCalls(f)
	switch {
	case err != nil:
		return err
	case f.text("type") == "function_call":
		calls = []tool.Call{{ID: f.text("call_id"), Tool: f.text("name"), Input: arguments(unionText(f["arguments"]))}}
	case calls == nil:
		into.after = true
		return refused(f, &into.ending)
	}
	status := f.text("status")
	for _, c := range calls {
		if err := into.add(c.ID, c.Tool, c.Input); err != nil {
			return err
		}
		call := &into.calls[len(into.calls)-1]
		call.Item = c.Item
		if status == "incomplete" || c.Item == applyPatchCall && status == "in_progress" {
			call.Err = errCut
		}
	}
	return nil
}

// refused notes a refusal in an item's content.
func refused(item fields, end *ending) error {
	if item.text("type") != "message" || first(item["content"]) != '[' {
		return nil
	}
	return each(item["content"], func(part json.RawMessage) error {
		if f := fieldsOf(part, "type", "refusal"); f.text("type") == "refusal" {
			end.because("refusal", f.text("refusal"))
		}
		return nil
	})
}

// unionText returns the text in arguments that package json has encoded from the OpenAI SDK's type. It returns anything
// else unchanged.
func unionText(data json.RawMessage) json.RawMessage {
	if text := fieldsOf(data, "OfString")["OfString"]; first(text) == '"' {
		return text
	}
	return data
}

func (r responses) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "type", "output_index", "item", "delta", "arguments", "response", "error", "message", "code")
	key := string(f["output_index"]) // not the item's id, which changes with each event on some servers
	switch f.text("type") {
	case "response.output_item.added", "response.output_item.done":
		item := fieldsOf(f["item"], itemFields...)
		done := f.text("type") == "response.output_item.done"
		native, err := nativeCalls(item)
		switch {
		case err != nil:
			return err
		case item.text("type") == "function_call":
			call, err := r.open(key, item.text("call_id"), item.text("name"), done, into)
			if err != nil {
				return err
			}
			if done {
				return r.whole(call, unionText(item["arguments"]), into)
			}
			return into.more(call, unionText(item["arguments"]))
		case native == nil:
			into.after = true
			return refused(item, &into.ending)
		}
		for i, c := range native {
			call, err := r.open(key+numbered(i), c.ID, c.Tool, done, into)
			if err != nil {
				return err
			}
			call.item = c.Item
			if !done {
				continue // diffs and commands come in pieces, and then as a whole
			}
			if err := into.more(call, c.Input); err != nil {
				return err
			}
		}
		return nil
	case "response.function_call_arguments.delta":
		return into.more(into.receiver(into.by[key], f["delta"]), f["delta"])
	case "response.function_call_arguments.done":
		call := into.by[key]
		if last := into.last(); call == nil && last != nil && !last.done {
			call = last
		}
		return r.whole(call, f["arguments"], into)
	case "response.completed", "response.incomplete":
		var list callList
		response := fieldsOf(f["response"], "output", "status", "incomplete_details")
		output := response["output"]
		r.stopped(response, &list.ending)
		list.because(strings.TrimPrefix(f.text("type"), "response."), "")
		if first(output) == '[' {
			if err := r.calls(output, &list); err != nil {
				return err
			}
		}
		return into.finish(list, output)
	case "response.failed":
		return reported(fieldsOf(f["response"], "error")["error"])
	case "error":
		if hasError(f["error"]) {
			return reported(f["error"])
		}
		return reported(data)
	}
	return nil
}

// open returns the call that an event of an output item is about. It begins with the first event, and done means that
// this is the last one.
func (r responses) open(key, id, name string, done bool, into *pendingCalls) (*pendingCall, error) {
	call := into.by[key]
	if had := into.byID[id]; call == nil && done && id != "" && had != nil && !had.done && had.tool == name {
		call = had // the index has changed
	}
	if call == nil || !r.isSame(call, id, name, done) {
		var err error
		if call, err = into.begin(key, id, name, nil); err != nil {
			return nil, err
		}
	} else if call.id == "" {
		if err := into.grow(len(id)); err != nil {
			return nil, err
		}
		call.id = id
	}
	call.done = call.done || done
	return call, nil
}

// isSame reports whether an item belongs to the call that its index identifies. Some servers send the id only in the
// last event of an item; if there are no indexes and ids, the item that follows is another one.
func (responses) isSame(call *pendingCall, id, name string, done bool) bool {
	if id != "" && call.id != "" {
		return id == call.id
	}
	return done && !call.done && call.tool == name
}

// whole replaces the arguments of a call. Some servers omit them after sending them in fragments.
func (responses) whole(call *pendingCall, arguments json.RawMessage, into *pendingCalls) error {
	if call == nil || first(arguments) != '"' || textOf(arguments) == "" && len(call.pieces) > 0 {
		return nil
	}
	into.size -= len(call.pieces)
	call.pieces, call.end = nil, objectEnd{}
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

func (responses) say(text string) any { return chat{}.say(text) }

func (responses) lacks(r tool.Result) string { return lacksID(r) }

func (responses) results(results []tool.Result) []any {
	items := make([]any, 0, len(results))
	shells := map[string]*shellOutput{}
	for _, r := range results {
		if item, native := nativeAnswer(r, shells); native {
			if item != nil {
				items = append(items, item)
			}
			continue
		}
		pieces := piecesOf(r, isPictureOrPDF)
		output := responsesOutput{Type: "function_call_output", CallID: r.CallID}
		if len(pieces) == 1 && pieces[0].data == nil {
			output.Output = pieces[0].text
		} else {
			output.Output = responsesContents(pieces)
		}
		items = append(items, output)
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
			contents[i] = responsesContent{
				Type: "input_file", Filename: "result.pdf", FileData: dataURL(p.mime, p.data),
			}
		default:
			contents[i] = responsesContent{Type: "input_image", ImageURL: dataURL(p.mime, p.data), Detail: "auto"}
		}
	}
	return contents
}
