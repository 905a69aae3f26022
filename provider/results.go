package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/media"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// Results returns the messages that answer calls, as a JSON array to append to the conversation: one message with all
// results for Anthropic, Gemini and Bedrock; a message of role tool for each result for Chat Completions, and a message
// of the user with the images and PDF documents in them; an item function_call_output for each for Responses, or the
// one that answers [tool.Result].Item, which can be one for several results; a CallToolResult for each for MCP. Without
// results it is [].
//
// Every result has an answer, even one without content, because providers refuse conversations with an unanswered call.
// An empty text, which they would refuse as well, becomes a text that says that there was no output. MCP clients get a
// result's data, if it is a JSON object, as structuredContent.
//
// A result without CallID is an error, with three exceptions: MCP; Gemini, whose calls may have no ids; and Chat
// Completions, where it answers a function_call, from before calls had ids. The last two need Tool instead.
func Results(api tool.API, results []tool.Result) (json.RawMessage, error) {
	d, err := dialectOf(api)
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return json.RawMessage("[]"), nil
	}
	for i, r := range results {
		if what := d.lacks(r); what != "" {
			return nil, fmt.Errorf("%s: result %d (of the tool %q) has no %s", api, i, plaintext.Cut(r.Tool, 100), what)
		}
	}
	return jsontree.Marshal(d.results(results))
}

// A message is one of a conversation. Only Chat Completions has the ids and names in it.
type message struct {
	Role       string `json:"role"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	Name       string `json:"name,omitempty"`
	Content    any    `json:"content"`
}

// lacksID implements lacks for APIs whose results need the id of the call.
func lacksID(r tool.Result) string {
	if r.CallID == "" {
		return "CallID"
	}
	return ""
}

// lacksTool implements lacks for APIs whose results need the name of the tool.
func lacksTool(r tool.Result) string {
	if r.Tool == "" {
		return "Tool"
	}
	return ""
}

// A piece is one part of a provider's message: a text, or a binary with its media type.
type piece struct {
	text string
	mime string
	data []byte
}

// piecesOf converts the content of a result to as few pieces as possible. A binary becomes a piece of its own if can
// reports that the API accepts its type and models can read it; otherwise a text replaces it. There is at least one
// piece, and no text is blank.
func piecesOf(r tool.Result, can func(mime string) bool) []piece {
	var pieces []piece
	var texts []tool.Part
	flush := func() {
		if text := valid(tool.Result{Content: texts}.Text()); strings.TrimSpace(text) != "" {
			pieces = append(pieces, piece{text: text})
		}
		texts = nil
	}
	for _, part := range r.Content {
		mime := mimeOf(part.MIME)
		switch {
		case part.Data == nil:
			texts = append(texts, part)
		case len(part.Data) > 0 && can != nil && can(mime) && (!isPicture(mime) || media.IsCarried(part.Data, mime)):
			flush()
			pieces = append(pieces, piece{mime: mime, data: part.Data})
		default:
			texts = append(texts, tool.Part{Text: instead(part)})
		}
	}
	flush()
	if len(pieces) == 0 {
		pieces = append(pieces, piece{text: noContent(r)})
	}
	return pieces
}

// noContent returns the text for a result without content: its data as JSON, or tool.EmptyResult.
func noContent(r tool.Result) string {
	if r.Data != nil {
		if data, err := jsontree.Marshal(r.Data); err == nil {
			return string(data)
		}
	}
	return tool.EmptyResult
}

// instead returns the text that replaces a binary. It does not have the binary in base64, which costs a lot and tells a
// model nothing.
func instead(part tool.Part) string {
	mime := mimeOf(part.MIME)
	if mime == "" {
		mime = "unknown type"
	}
	what := fmt.Sprintf("[%s, %d bytes, which cannot be shown here]", mime, len(part.Data))
	if text := plaintext.WithoutDataURLs(part.String(), what); strings.TrimSpace(text) != "" {
		return text
	}
	return what
}

// mimeOf returns a media type in the spelling that providers accept.
func mimeOf(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	if mime == "image/jpg" {
		return "image/jpeg"
	}
	return valid(mime)
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func encode64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func dataURL(mime string, data []byte) string { return "data:" + mime + ";base64," + encode64(data) }

// isPicture reports whether models commonly support an image type.
func isPicture(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

const pdf = "application/pdf"

func isPictureOrPDF(mime string) bool { return isPicture(mime) || mime == pdf }
