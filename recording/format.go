package recording

import (
	"encoding/json"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// version is the version of the format that this package writes, and the only one that it reads.
const version = 1

// Bounds.
const (
	// DefaultBytes is how large a recording may be by default, in bytes.
	DefaultBytes = 256 << 20
	// maxLine is how many bytes a line may have. A result of a tool may have 16 MiB by default, and twice that as JSON.
	maxLine = 64 << 20
	// maxNumbers is how many readings of a clock are in one line.
	maxNumbers = 4096
	// leastShared is how many bytes data must have to be replaced by the number of an earlier line that has the same.
	leastShared = 128
)

// A Header says what was recorded.
type Header struct {
	// Made is when, and By by which program. Either can be empty.
	Made time.Time `json:"made,omitzero"`
	By   string    `json:"by,omitempty"`

	// ID, Tool and Input are those of the call. A recording of a conversation has no Tool.
	ID    string `json:"id,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Input string `json:"input,omitempty"`
	// Options are those of the tool.
	Options map[string]any `json:"options,omitempty"`
	// Project is the project's id. NoFiles means that the call had no files.
	Project string `json:"project,omitempty"`
	NoFiles bool   `json:"noFiles,omitempty"`
	// Network is nil if the code could make no requests.
	Network *Network `json:"network,omitempty"`
	// Tools are those that the code could call.
	Tools []Tool `json:"tools,omitempty"`
	// Host is for the program that records.
	Host json.RawMessage `json:"host,omitempty"`
}

// A Tool is a tool as a model, or code, is told of it.
type Tool struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Input       json.RawMessage  `json:"input,omitempty"`
	Output      json.RawMessage  `json:"output,omitempty"`
	TextOutput  bool             `json:"textOutput,omitempty"`
	Annotations tool.Annotations `json:"annotations,omitzero"`
}

// Tools returns the definitions of tools for [Header].Tools.
func Tools(definitions []*tool.Definition) []Tool {
	var tools []Tool
	for _, d := range definitions {
		t := Tool{Name: d.Name, Title: d.Title, Description: d.Description, Input: d.Input,
			TextOutput: d.TextOutput, Annotations: d.Annotations}
		if d.Output != nil {
			t.Output = d.Output
		}
		tools = append(tools, t)
	}
	return tools
}

// Kinds of lines. Those of what a run gets from outside are named by the run: see runtime.Tape.
const (
	kindHeader = "recording"
	kindCall   = "call"   // a call of a tool begins
	kindAnswer = "answer" // and has ended
	kindRead   = "read"   // from a file
	kindWrite  = "write"  // to a file
	kindStdin  = "stdin"
	// What is asked of the network goes on beside the run, and has lines of its own.
	kindAsk      = "ask"
	kindAnswered = "answered"
	kindUsage    = "usage"
	kindResult   = "result" // of the call that is recorded
	kindCut      = "cut"    // the recording has become too large: it ends here
	kindEnd      = "end"
)

// line is a line of a recording. Which fields it has depends on its kind.
type line struct {
	Kind string `json:"k"`

	// Of the header.
	Version int     `json:"version,omitempty"`
	Header  *Header `json:"header,omitempty"`

	// About says what the run has asked about, such as a path.
	About string          `json:"about,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *failure        `json:"error,omitempty"`

	// Bytes are in one of these: as text, as any bytes, or those of an earlier line.
	Text *string `json:"text,omitempty"`
	Data []byte  `json:"data,omitempty"`
	As   int     `json:"as,omitempty"`

	// Numbers are the readings of a clock, each but the first one as the difference to the one before; or what has
	// ended waits.
	Numbers []int64 `json:"numbers,omitempty"`

	// Of calls, answers and the result. Of requests, Of is the code's call of a function that it is, and Tool what
	// kind.
	Number int      `json:"number,omitempty"` // among the lines about calls; a call and its answer have the same
	Of     int      `json:"of,omitempty"`     // registry.Call.Number
	Tool   string   `json:"tool,omitempty"`
	Input  string   `json:"input,omitempty"`
	Result *outcome `json:"result,omitempty"`

	Lines int `json:"lines,omitempty"` // how many there are, with this one
}

// outcome is a result.
type outcome struct {
	Content []part          `json:"content,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	InFile  string          `json:"inFile,omitempty"`
	Status  string          `json:"status,omitempty"`
	Code    tool.Code       `json:"code,omitempty"`
}

type part struct {
	Text     string         `json:"text,omitempty"`
	Data     []byte         `json:"data,omitempty"`
	MIME     string         `json:"mime,omitempty"`
	Resource *tool.Resource `json:"resource,omitempty"`
}

func newOutcome(r tool.Result) *outcome {
	o := &outcome{InFile: r.InFile, Status: r.Status, Code: r.Code}
	for _, p := range r.Content {
		o.Content = append(o.Content, part{p.Text, p.Data, p.MIME, p.Resource})
	}
	if raw, ok := r.Data.(json.RawMessage); ok { // as results of Dispatch have it
		o.Data = raw
	} else if r.Data != nil {
		o.Data, _ = json.Marshal(r.Data)
	}
	return o
}

// size returns how many bytes a line has at least that has the outcome, which can be nil.
func (o *outcome) size() int {
	if o == nil {
		return 0
	}
	size := len(o.Data)
	for _, p := range o.Content {
		size += len(p.Text) + len(p.Data)
	}
	return size
}

func (o *outcome) result() tool.Result {
	r := tool.Result{InFile: o.InFile, Status: o.Status, Code: o.Code}
	for _, p := range o.Content {
		r.Content = append(r.Content, tool.Part{Text: p.Text, Data: p.Data, MIME: p.MIME, Resource: p.Resource})
	}
	if o.Data != nil {
		r.Data = o.Data
	}
	return r
}
