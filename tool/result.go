package tool

import (
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A Result is the outcome of a call. Every call has one.
type Result struct {
	// CallID and Tool identify the call.
	CallID string
	Tool   string
	// Item is as in [Call].
	Item string
	// Content is the content for the model.
	Content []Part
	// Data is the result for programs: anything that package json can encode, or nil. MCP clients get it. Results
	// of Dispatch have a json.RawMessage here, or nil if it would be too large (registry.Limits.Inline).
	Data any
	// InFile, if not empty, is a file of the project that contains the whole content; a long content is then not
	// kept in another file. In results of Dispatch it is the file with the long content, or empty if the content
	// was not too long.
	InFile string
	// Status is one short line for people, at most 200 bytes, or "".
	Status string
	// Code is the kind of failure, or "" for a success. Err is the cause, for the host; it can be nil.
	Code Code
	Err  error
	// Approval is how a person has decided on the call, or nil if nobody was asked.
	Approval *Approval
	// Pending describes what the call waits for, with CodePending. It is nil otherwise.
	Pending *Pending
	// Repeats, if not empty, is the token of a call that had to wait and has gone on since: this is its result, for the
	// same call made again. That call has the Approval, and this one has none.
	Repeats string

	// Suspension is for the registry: what it must know of a call that waits to let it go on. A tool sets it with
	// [Suspended] only, and everybody else leaves it alone.
	Suspension any
}

// A Part is a piece of a result's content.
type Part struct {
	// Text is the text. If Data is set, it is the replacement where a provider cannot take Data.
	Text string
	// Data is an image or another binary of the type MIME. Where a provider cannot take it, Text is used instead.
	Data []byte
	MIME string
	// Resource, if not nil, is the resource whose content the text is. Transcripts can then omit repeated content.
	Resource *Resource
}

// A Resource is something whose content a result shows, such as a file.
type Resource struct {
	// Kind and Name are the model's words for it, such as "FILE" and "/notes.txt".
	Kind, Name string
	// Key identifies this version of the content: equal keys mean equal content, as in "file:PROJECT:PATH:HASH".
	Key string
}

// A Code is a kind of failure.
type Code string

// The kinds of failures. Several of them can have the same text for models.
const (
	CodeUnknownTool  Code = "unknown_tool"      // there is no such tool
	CodeDisabled     Code = "tool_disabled"     // the tool is not enabled, or not in this mode, or needs a project
	CodeInvalidInput Code = "invalid_input"     // the input is not JSON, or does not fit the schema
	CodeOptions      Code = "invalid_options"   // a value that has been set for an option is not one
	CodeDenied       Code = "permission_denied" // a capability has not been granted
	CodeTimeout      Code = "timeout"           // the call took too long
	CodeCanceled     Code = "canceled"          // the host's context ended
	CodeTool         Code = "tool_error"        // the tool says so
	CodeFailed       Code = "tool_failed"       // the tool failed unexpectedly, or panicked
	CodeNested       Code = "nested_call"       // the tool cannot be called by the call that does so
	CodeRefused      Code = "refused"           // a person has refused the call
	// CodeNeedsApproval means that a person would have to approve the call, and nobody can be asked.
	CodeNeedsApproval Code = "approval_needed"
	// CodePending means that the call waits for the approval of a person, and goes on later.
	CodePending Code = "pending"
	// CodeUnknownOutcome means that the process that made the call has ended, and nobody knows what the call has done.
	CodeUnknownOutcome Code = "outcome_unknown"
)

// IsError reports whether the call has failed.
func (r Result) IsError() bool { return r.Code != "" }

// Text returns all text of the content, pieces joined by newlines. Binaries without a text are left out. Resources
// are as [Part.String] formats them.
func (r Result) Text() string {
	if len(r.Content) == 1 {
		return r.Content[0].String()
	}
	var b strings.Builder
	for _, part := range r.Content {
		text := part.String()
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// String returns the text of the part. The text of a resource is between two lines that name the resource.
func (p Part) String() string {
	if p.Resource == nil {
		return p.Text
	}
	return p.Resource.open("") + p.Text + "\n" + p.Resource.end()
}

// Reference returns a part that names the resource without showing it, for content that is shown elsewhere.
func (r *Resource) Reference() Part {
	return Part{Text: r.open(" (content shown in another tool invocation)") + r.end()}
}

func (r *Resource) open(note string) string { return ">>>>> " + r.Kind + ": " + r.Name + note + "\n" }
func (r *Resource) end() string             { return "<<<<< END " + r.Kind }

// Text returns a successful result with a text.
func Text(text string) Result { return Result{Content: []Part{{Text: text}}} }

// Failure returns the result of a failed call.
func Failure(code Code, text string) Result { return Result{Content: []Part{{Text: text}}, Code: code} }

// EmptyResult is the text that a model gets if a tool returns nothing.
const EmptyResult = `{"message":"Tool executed but returned no result","status":"empty"}`

// MarshalJSON encodes the result for programs: callId, tool, isError, code, status, content, data and pending. Err is
// left out.
func (r Result) MarshalJSON() ([]byte, error) {
	type part struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		MIME     string `json:"mimeType,omitempty"`
		Data     []byte `json:"data,omitempty"`
		Resource string `json:"resource,omitempty"`
	}
	content := make([]part, len(r.Content))
	for i, p := range r.Content {
		switch {
		case p.Data != nil:
			content[i] = part{Type: "data", Text: p.Text, MIME: p.MIME, Data: p.Data}
		case p.Resource != nil:
			content[i] = part{Type: "resource", Text: p.Text, Resource: p.Resource.Name}
		default:
			content[i] = part{Type: "text", Text: p.Text}
		}
	}
	return jsontree.Marshal(struct {
		CallID  string `json:"callId,omitempty"`
		Tool    string `json:"tool"`
		IsError bool   `json:"isError"`
		Code    Code   `json:"code,omitempty"`
		Status  string `json:"status,omitempty"`
		Content []part `json:"content"`
		Data    any    `json:"data,omitempty"`

		Pending *Pending `json:"pending,omitempty"`
	}{r.CallID, r.Tool, r.IsError(), r.Code, r.Status, content, r.Data, r.Pending})
}
