package provider

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// bedrock is Amazon Bedrock's Converse API.
//
// https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html and
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
type bedrock struct{}

func (bedrock) rules(strict bool) *rules {
	if strict {
		return bedrockStrict
	}
	return bedrockRules
}

func (bedrock) definition(t *described) *node {
	spec := jsontree.NewObject(pair("name", jsontree.NewString(t.Name)))
	describe(spec, t.description)
	spec.Set("inputSchema", jsontree.NewObject(pair("json", t.schema)))
	if t.strict {
		spec.Set("strict", jsontree.True)
	}
	return jsontree.NewObject(pair("toolSpec", spec))
}

func (b bedrock) calls(data []byte, into *callList) error {
	if first(data) == '[' {
		return each(data, func(block json.RawMessage) error {
			if first(block) != '{' {
				return expected("a content block", block)
			}
			return b.block(block, into)
		})
	}
	f := fieldsOf(data, "output", "message", "content", "role", "stopReason")
	into.because(f.text("stopReason"), "")
	switch {
	case first(f["output"]) == '{':
		return b.message(fieldsOf(f["output"], "message")["message"], into)
	case first(f["message"]) == '{':
		return b.message(f["message"], into)
	case first(f["message"]) == '"':
		return reported(data)
	case f.has("content"), f.has("role"):
		return b.message(data, into)
	}
	if len(fieldsOf(data, blockKinds...)) == 0 {
		return expected("a response of the Converse API, a message, its content, or a content block", data)
	}
	return b.block(data, into)
}

func (b bedrock) message(data []byte, into *callList) error {
	content := fieldsOf(data, "content")["content"]
	if first(content) != '[' {
		return nil
	}
	return each(content, func(block json.RawMessage) error { return b.block(block, into) })
}

// blockKinds lists the members of content blocks. Messages may have other members, too.
var blockKinds = []string{
	"toolUse", "text", "image", "document", "video", "audio", "toolResult", "reasoningContent", "guardContent",
	"cachePoint", "citationsContent", "searchResult",
}

// block appends the call in a content block, if it contains one.
func (bedrock) block(data []byte, into *callList) error {
	use := fieldsOf(fieldsOf(data, "toolUse")["toolUse"], "toolUseId", "name", "input", "type")
	if use == nil || atBedrock(use) {
		into.after = true
		return nil
	}
	return into.add(use.text("toolUseId"), use.text("name"), use.input("input"))
}

// atBedrock reports whether the tool runs at Bedrock.
func atBedrock(use fields) bool { return use.text("type") == "server_tool_use" }

func (bedrock) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop",
		"contentBlockIndex", "start", "delta", "stopReason",
		"internalServerException", "modelStreamErrorException", "serviceUnavailableException", "throttlingException",
		"validationException")
	for name, value := range f {
		if strings.HasSuffix(name, "Exception") {
			return fmt.Errorf("%w (%s)", reported(value), name)
		}
	}
	for _, name := range []string{"contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"} {
		if first(f[name]) == '{' { // some SDKs write events this way
			f = fieldsOf(f[name], "contentBlockIndex", "start", "delta", "stopReason")
			break
		}
	}
	into.because(f.text("stopReason"), "")
	key := string(f["contentBlockIndex"])
	call := into.by[key]
	if start := fieldsOf(f["start"], "toolUse")["toolUse"]; first(start) == '{' {
		use := fieldsOf(start, "toolUseId", "name", "type")
		if atBedrock(use) {
			into.after = true
			return nil
		}
		_, err := into.begin(key, use.text("toolUseId"), use.text("name"), json.RawMessage("{}"))
		return err
	}
	if delta := fieldsOf(f["delta"], "toolUse")["toolUse"]; first(delta) == '{' {
		return into.more(call, fieldsOf(delta, "input")["input"])
	}
	switch {
	case f.has("start"), f.has("delta"): // of a text, or of thoughts
		into.after = true
	case call != nil:
		call.done = true
	}
	return nil
}

type bedrockResult struct {
	ToolUseID string           `json:"toolUseId"`
	Content   []bedrockContent `json:"content"`
	// Status is omitted for success, because not all models support it.
	Status string `json:"status,omitempty"`
}

type bedrockContent struct {
	Text     string        `json:"text,omitempty"`
	Image    *bedrockMedia `json:"image,omitempty"`
	Document *bedrockMedia `json:"document,omitempty"`
}

type bedrockMedia struct {
	Format string            `json:"format"`
	Name   string            `json:"name,omitempty"` // of a document
	Source map[string][]byte `json:"source"`
}

func (bedrock) say(text string) any {
	return message{Role: "user", Content: []bedrockContent{{Text: text}}}
}

func (bedrock) lacks(r tool.Result) string { return lacksID(r) }

func (bedrock) results(results []tool.Result) []any {
	blocks := make([]map[string]bedrockResult, len(results))
	for i, r := range results {
		result := bedrockResult{ToolUseID: r.CallID}
		can := isBedrockMedia
		if r.IsError() {
			result.Status = "error"
			can = nil // Anthropic's models accept only text in errors
		}
		for n, p := range piecesOf(r, can) {
			content := bedrockContent{Text: p.text}
			source := map[string][]byte{"bytes": p.data}
			if format, ok := bedrockDocuments[p.mime]; ok && p.data != nil {
				content.Document = &bedrockMedia{format, documentName(r.CallID, n), source}
			} else if p.data != nil {
				content.Image = &bedrockMedia{strings.TrimPrefix(p.mime, "image/"), "", source}
			}
			result.Content = append(result.Content, content)
		}
		blocks[i] = map[string]bedrockResult{"toolResult": result}
	}
	return []any{message{Role: "user", Content: blocks}}
}

// bedrockDocuments maps media types to Bedrock's names of document formats.
var bedrockDocuments = map[string]string{
	pdf:                  "pdf",
	"text/csv":           "csv",
	"application/msword": "doc",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
	"application/vnd.ms-excel": "xls",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}

func isBedrockMedia(mime string) bool {
	_, ok := bedrockDocuments[mime]
	return ok || isPicture(mime)
}

// documentName names a document. Names must be unique within a conversation, and consist of letters, digits, spaces,
// hyphens, parentheses and brackets.
func documentName(callID string, n int) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, callID)
	if len(id) > 100 {
		id = id[len(id)-100:]
	}
	return fmt.Sprintf("result %s (%d)", id, n+1)
}
