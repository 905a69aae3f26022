package provider

import (
	"encoding/json"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// anthropic is the Messages API.
//
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview and
// https://platform.claude.com/docs/en/build-with-claude/streaming
type anthropic struct{}

func (anthropic) rules(strict bool) *rules {
	if strict {
		return claudeStrict
	}
	return claudeRules
}

func (anthropic) definition(t *described) *node {
	n := jsontree.NewObject(pair("name", jsontree.NewString(t.Name)))
	describe(n, t.description)
	n.Set("input_schema", t.schema)
	if t.strict {
		n.Set("strict", jsontree.True)
	}
	return n
}

func (a anthropic) calls(data []byte, into *callList) error {
	const want = `a message of the Messages API, its "content", or a content block`
	if first(data) == '[' {
		return each(data, func(block json.RawMessage) error { return a.block(block, into) })
	}
	f := fieldsOf(data, "type", "role", "content", "error", "stop_reason", "stop_details")
	a.stopped(f, &into.ending)
	switch kind := f.text("type"); {
	case kind == "error":
		return reported(f["error"])
	case kind != "" && kind != "message":
		return a.block(data, into)
	case first(f["content"]) == '[':
		return each(f["content"], func(block json.RawMessage) error { return a.block(block, into) })
	case first(f["content"]) == '"', f.has("role"): // plain text, or an empty message
		return nil
	}
	return expected(want, data)
}

// block appends the call in a content block. Calls of tools that run at Anthropic have other types, server_tool_use and
// mcp_tool_use.
func (anthropic) block(data []byte, into *callList) error {
	f := fieldsOf(data, "type", "id", "name", "input")
	if f == nil {
		return expected("a content block", data)
	}
	if f.text("type") != "tool_use" {
		into.after = true
		return nil
	}
	return into.add(f.text("id"), f.text("name"), f.input("input"))
}

// stopped notes why a message has ended. f has its stop_reason and stop_details.
func (anthropic) stopped(f fields, end *ending) {
	end.because(f.text("stop_reason"), fieldsOf(f["stop_details"], "explanation").text("explanation"))
}

func (a anthropic) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "type", "index", "content_block", "delta", "error")
	switch f.text("type") {
	case "content_block_start":
		block := fieldsOf(f["content_block"], "type", "id", "name", "input")
		if block.text("type") != "tool_use" {
			return into.skip(string(f["index"]))
		}
		_, err := into.begin(string(f["index"]), block.text("id"), block.text("name"), block.input("input"))
		return err
	case "content_block_delta":
		delta := fieldsOf(f["delta"], "type", "partial_json")
		if delta.text("type") != "input_json_delta" || first(delta["partial_json"]) != '"' {
			return nil
		}
		call, known := into.by[string(f["index"])]
		if !known {
			call = into.receiver(nil, delta["partial_json"])
		}
		return into.more(call, delta["partial_json"])
	case "content_block_stop":
		key := string(f["index"])
		if call := into.by[key]; call != nil {
			call.done = true
		}
		delete(into.by, key)
	case "message_delta":
		a.stopped(fieldsOf(f["delta"], "stop_reason", "stop_details"), &into.ending)
	case "message_stop":
		into.ended = true
	case "error":
		return reported(f["error"])
	}
	return nil
}

type anthropicResult struct {
	Type      string           `json:"type"`
	ToolUseID string           `json:"tool_use_id"`
	Content   []anthropicBlock `json:"content"`
	IsError   bool             `json:"is_error,omitempty"`
}

type anthropicBlock struct {
	Type   string           `json:"type"`
	Text   string           `json:"text,omitempty"`
	Source *anthropicSource `json:"source,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func (anthropic) say(text string) any {
	return message{Role: "user", Content: []anthropicBlock{{Type: "text", Text: text}}}
}

func (anthropic) lacks(r tool.Result) string { return lacksID(r) }

func (anthropic) results(results []tool.Result) []any {
	content := make([]anthropicResult, len(results))
	for i, r := range results {
		content[i] = anthropicResult{Type: "tool_result", ToolUseID: r.CallID, Content: anthropicBlocks(r),
			IsError: r.IsError()}
	}
	return []any{message{Role: "user", Content: content}}
}

func anthropicBlocks(r tool.Result) (blocks []anthropicBlock) {
	can := isPictureOrPDF
	if r.IsError() {
		can = nil // the API accepts only text in errors
	}
	for _, p := range piecesOf(r, can) {
		block := anthropicBlock{Type: "text", Text: p.text}
		if p.data != nil {
			block.Type, block.Source = "image", &anthropicSource{"base64", p.mime, encode64(p.data)}
			if p.mime == pdf {
				block.Type = "document"
			}
		}
		blocks = append(blocks, block)
	}
	return blocks
}
