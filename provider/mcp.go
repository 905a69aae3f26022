package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/tool"
)

// mcp is the Model Context Protocol.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools
type mcp struct{}

// rules returns nil: the protocol allows any JSON Schema of type object.
func (mcp) rules(bool) *rules { return nil }

// definition includes the title, which clients show to people, and all hints: without a hint, clients assume that a
// tool is destructive and accesses the open world.
func (mcp) definition(t *described) *node {
	n := jsontree.NewObject(pair("name", jsontree.NewString(t.Name)))
	if t.Title != "" {
		n.Set("title", jsontree.NewString(valid(t.Title)))
	}
	describe(n, t.description)
	n.Set("inputSchema", t.schema)
	if t.Output != nil {
		if output, err := jsontree.Parse(t.Output); err == nil {
			if properties := output.Object("properties"); t.TextOutput && properties != nil {
				others := properties.Without("text", "file").Members
				output.Set("properties", jsontree.NewObject(append(slices.Clone(textOutput.Members), others...)...))
			}
			n.Set("outputSchema", output)
		}
	}
	n.Set("annotations", jsontree.NewObject(
		pair("readOnlyHint", jsontree.NewBool(t.Annotations.ReadOnly)),
		pair("destructiveHint", jsontree.NewBool(t.Annotations.Destructive)),
		pair("idempotentHint", jsontree.NewBool(t.Annotations.Idempotent)),
		pair("openWorldHint", jsontree.NewBool(t.Annotations.OpenWorld)),
	))
	return n
}

// textOutput has the properties of the values that [StructuredContent] makes of texts.
var textOutput = jsontree.NewObject(
	pair("text", jsontree.NewObject(
		pair("type", jsontree.NewString("string")),
		pair("description", jsontree.NewString("The text of the result, as in its content.")))),
	pair("file", jsontree.NewObject(
		pair("type", jsontree.NewString("string")),
		pair("description", jsontree.NewString("The file of the project that has the whole text, "+
			"if that was too long.")))),
)

// leastBinary is from which size in bytes a binary is looked for in data. Shorter ones could be there by chance.
const leastBinary = 48

// StructuredContent returns what an MCP client gets as the structured content of a result, or nil. schema says whether
// the tool's definition has an output schema, whose clients insist on structured content, and textOutput is the tool's
// [tool.Spec].TextOutput.
//
// Clients that prefer structured content show nothing else, so it must not repeat the images and other binaries of the
// content: data that does is left out, or, with an output schema, has a note in their place.
func StructuredContent(r tool.Result, schema, textOutput bool) json.RawMessage {
	if r.Data == nil {
		if !schema || !textOutput || r.IsError() {
			return nil
		}
		data, _ := jsontree.Marshal(struct { // encoding texts cannot fail
			Text string `json:"text"`
			File string `json:"file,omitempty"`
		}{valid(r.Text()), r.InFile})
		return data
	}
	data, ok := r.Data.(json.RawMessage)
	if !ok {
		var err error
		if data, err = jsontree.Marshal(r.Data); err != nil {
			return nil
		}
	}
	if first(data) != '{' || !json.Valid(data) {
		return nil
	}
	for _, part := range r.Content {
		if len(part.Data) < leastBinary {
			continue
		}
		encoded := encode64(part.Data)
		for _, form := range []string{encoded, strings.ReplaceAll(encoded, "/", `\/`)} {
			if !bytes.Contains(data, []byte(form)) {
				continue
			}
			if !schema {
				return nil
			}
			data = bytes.ReplaceAll(data, []byte(form), []byte("(in the content)"))
		}
	}
	return data
}

func (m mcp) calls(data []byte, into *callList) error {
	if first(data) == '[' { // a batch, from older versions of the protocol
		return each(data, func(request json.RawMessage) error {
			if first(request) != '{' {
				return expected("a JSON-RPC request", request)
			}
			return m.calls(request, into)
		})
	}
	f := fieldsOf(data, "jsonrpc", "method", "params", "name", "arguments")
	if f.has("jsonrpc") || f.has("method") {
		if f.text("method") != "tools/call" {
			return nil
		}
		data = f["params"]
		f = fieldsOf(data, "name", "arguments")
	}
	if first(f["name"]) != '"' {
		return expected("a tools/call request or its params", data)
	}
	return into.add("", f.text("name"), f.input("arguments"))
}

func (m mcp) event(data []byte, into *pendingCalls) error { return into.addAll(m, data) }

type mcpResult struct {
	Content           []mcpContent    `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

type mcpContent struct {
	Type     string       `json:"type"`
	Text     *string      `json:"text,omitempty"`
	Data     []byte       `json:"data,omitempty"`
	MIMEType string       `json:"mimeType,omitempty"`
	Resource *mcpResource `json:"resource,omitempty"`
}

type mcpResource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitempty"`
}

func (mcp) say(string) any { return nil }

// lacks returns "": a result answers the request for which it is sent.
func (mcp) lacks(tool.Result) string { return "" }

func (mcp) results(results []tool.Result) []any {
	list := make([]any, len(results))
	for i, r := range results {
		result := mcpResult{Content: []mcpContent{}, IsError: r.IsError()}
		for n, part := range r.Content {
			result.Content = append(result.Content, mcpPart(part, r.CallID, n))
		}
		result.StructuredContent = StructuredContent(r, false, false)
		if len(result.Content) == 0 {
			text := noContent(r) // for clients without structured content
			result.Content = append(result.Content, mcpContent{Type: "text", Text: &text})
		}
		list[i] = result
	}
	return list
}

func mcpPart(part tool.Part, callID string, n int) mcpContent {
	mime := mimeOf(part.MIME)
	kind, _, _ := strings.Cut(mime, "/")
	switch {
	case part.Data == nil:
		text := valid(part.String())
		return mcpContent{Type: "text", Text: &text}
	case len(part.Data) == 0:
		text := valid(instead(part))
		return mcpContent{Type: "text", Text: &text}
	case kind == "image" || kind == "audio":
		return mcpContent{Type: kind, Data: part.Data, MIMEType: mime}
	}
	uri := fmt.Sprintf("toolrun:/results/%s/%d", url.PathEscape(callID), n+1)
	resource := &mcpResource{URI: uri, MIMEType: mime}
	if isText(mime) && utf8.Valid(part.Data) {
		text := string(part.Data)
		resource.Text = &text
	} else {
		resource.Blob = part.Data
	}
	return mcpContent{Type: "resource", Resource: resource}
}

// isText reports whether a media type is text that models can read.
func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "application/json" || strings.HasSuffix(mime, "+json") ||
		strings.HasSuffix(mime, "+xml")
}
