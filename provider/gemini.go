package provider

import (
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// gemini is Google's Gemini API, also as Vertex AI offers it.
type gemini struct{}

func (gemini) rules(bool) *rules { return geminiRules }

func (gemini) definition(t *described) *node {
	n := jsontree.NewObject(pair("name", jsontree.NewString(t.Name)))
	describe(n, t.description)
	n.Set("parametersJsonSchema", t.schema)
	return n
}

// arrange puts all functions into one tool. Tools that the API defines itself stay separate.
func (gemini) arrange(elements []element) []element {
	var functions, tools []element
	for _, e := range elements {
		if e.override {
			tools = append(tools, e)
		} else {
			functions = append(functions, e)
		}
	}
	if len(functions) == 0 {
		return tools
	}
	list := append(append(json.RawMessage(`{"functionDeclarations":`), join(functions)...), '}')
	return append([]element{{json: list}}, tools...)
}

func (g gemini) calls(data []byte, into *callList) error {
	if first(data) == '[' {
		// Parts, or the responses of a stream that was requested without server-sent events.
		return each(data, func(element json.RawMessage) error {
			if first(element) != '{' {
				return expected("a part", element)
			}
			if f := fieldsOf(element, "candidates", "error", "promptFeedback"); len(f) > 0 {
				return g.calls(element, into)
			}
			return g.part(element, into)
		})
	}
	f := fieldsOf(data, "error", "candidates", "content", "parts", "role", "functionCall", "text", "promptFeedback",
		"usageMetadata", "finishReason", "finishMessage")
	feedback := fieldsOf(f["promptFeedback"], "blockReason", "blockReasonMessage")
	if reason := feedback.text("blockReason"); reason != "" {
		into.merge(ending{ended: true, kind: EndBlocked, reason: plaintext.Cut(reason, 100),
			text: plaintext.Cut(feedback.text("blockReasonMessage"), maxEndText)})
	}
	into.because(f.text("finishReason"), f.text("finishMessage")) // of a candidate
	switch {
	case hasError(f["error"]):
		return reported(f["error"])
	case first(f["candidates"]) == '[':
		done := false
		return each(f["candidates"], func(candidate json.RawMessage) error {
			if done {
				return nil
			}
			done = true
			f := fieldsOf(candidate, "content", "finishReason", "finishMessage")
			into.because(f.text("finishReason"), f.text("finishMessage"))
			return g.content(f["content"], into)
		})
	case first(f["content"]) == '{': // a candidate
		return g.content(f["content"], into)
	case f.has("parts"), f.has("role"):
		return g.content(data, into)
	case f.has("promptFeedback"), f.has("usageMetadata"), f.has("finishReason"): // a response without an answer
		return nil
	}
	if len(fieldsOf(data, partKinds...)) == 0 {
		return expected("a response of the Gemini API, a content, its parts, or a part", data)
	}
	return g.part(data, into)
}

func (g gemini) content(data []byte, into *callList) error {
	parts := fieldsOf(data, "parts")["parts"]
	if first(parts) != '[' {
		return nil
	}
	return each(parts, func(part json.RawMessage) error { return g.part(part, into) })
}

// partKinds lists the members of parts. Contents may have other members, too.
var partKinds = []string{
	"functionCall", "text", "inlineData", "functionResponse", "fileData", "executableCode", "codeExecutionResult",
	"thought", "thoughtSignature", "toolCall", "toolResponse",
}

var errPartial = errors.New("the arguments of a call come bit by bit, which is not supported: leave " +
	"streamFunctionCallArguments off")

// part appends the call in a part, if it contains one.
func (gemini) part(data []byte, into *callList) error {
	call := fieldsOf(fieldsOf(data, "functionCall")["functionCall"], "id", "name",
		"args", "partialArgs", "willContinue")
	if call == nil {
		// The last event of a stream often has an empty text.
		if f := fieldsOf(data, "text"); !f.has("text") || f.text("text") != "" {
			into.after = true
		}
		return nil
	}
	if call.has("partialArgs") || string(call["willContinue"]) == "true" {
		return errPartial
	}
	return into.add(call.text("id"), call.text("name"), call.input("args"))
}

// event reads a response: the responses of a stream contain complete calls.
func (g gemini) event(data []byte, into *pendingCalls) error {
	f := fieldsOf(data, "error", "candidates", "promptFeedback")
	if first(data) == '{' && len(f) == 0 {
		return nil
	}
	return into.addAll(g, data)
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts any    `json:"parts"`
}

type geminiResponse struct {
	ID       string                  `json:"id,omitempty"`
	Name     string                  `json:"name"`
	Response map[string]string       `json:"response"`
	Parts    []map[string]geminiBlob `json:"parts,omitempty"`
}

type geminiBlob struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

func (gemini) say(text string) any {
	return geminiContent{"user", []map[string]string{{"text": text}}}
}

func (gemini) lacks(r tool.Result) string { return lacksTool(r) }

func (gemini) results(results []tool.Result) []any {
	parts := make([]map[string]geminiResponse, len(results))
	for i, r := range results {
		response := geminiResponse{ID: r.CallID, Name: r.Tool}
		text := ""
		for _, p := range piecesOf(r, isGeminiMedia) {
			if p.data != nil {
				response.Parts = append(response.Parts, map[string]geminiBlob{"inlineData": {p.mime, p.data}})
			} else if text == "" {
				text = p.text
			} else {
				text += "\n" + p.text
			}
		}
		if text == "" {
			text = "The result is what is attached."
		}
		key := "output"
		if r.IsError() {
			key = "error"
		}
		response.Response = map[string]string{key: text}
		parts[i] = map[string]geminiResponse{"functionResponse": response}
	}
	return []any{geminiContent{"user", parts}}
}

// isGeminiMedia reports whether a functionResponse can carry this type beside its JSON.
func isGeminiMedia(mime string) bool { return isPictureOrPDF(mime) && mime != "image/gif" }
