package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"
)

// A filter stands between a server and the protocol's implementation, and sees every message of the server first. It lets through
// what is needed, so that a server cannot make the implementation keep more than the answers to what it has been asked.
type filter struct {
	// limit is how many bytes a message may have.
	limit int
	// notify gets notifications. It must not wait for anything.
	notify func(method string, params json.RawMessage)
	// odd is told of what is no message.
	odd func(what string)

	mu            sync.Mutex
	requests      bucket // what the server asks for
	notifications bucket
}

func newFilter(limit int) *filter {
	return &filter{limit: limit, requests: bucket{most: 100, perSecond: 10}, notifications: bucket{most: 10_000, perSecond: 1000}}
}

// rawResult is the name under which the text of a result is kept in what the implementation gets, which would read numbers as
// float64 and give up on all content if it does not know some.
const rawResult = "github.com/toolrun/toolrun/result"

// ownID matches the ids that requests to a server have.
var ownID = regexp.MustCompile(`^[0-9]+$`)

// Limits of messages that the implementation reads itself.
const (
	// maxAsked is how many bytes a server's request may have besides its parameters, and maxAskedParams what those may have. Requests
	// are kept until the server has read their answers.
	maxAsked       = 200
	maxAskedParams = 64 << 10
	// maxGreeting is how many bytes a server's greeting may have, and what it says of headers. The implementation makes many times as
	// much of it.
	maxGreeting = 1 << 20
)

// An envelope is a message. What goes on is made of one, and never what has come: the implementation would not read everything as
// it has been read here, such as names that are there twice, or in another case.
type envelope struct {
	Version string `json:"jsonrpc"`

	ID     json.RawMessage `json:"id,omitempty"`
	Method *string         `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// message returns what the implementation gets instead of a message, as one line, or nil if that is nothing.
func (f *filter) message(data []byte) []byte {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	var m envelope
	if err := json.Unmarshal(data, &m); err != nil {
		f.odd(fmt.Sprintf("a message of %d bytes that is not a JSON object", len(data)))
		return nil
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != nil && hasID:
		if len(m.ID)+len(*m.Method) > maxAsked || !f.take(&f.requests) {
			return nil
		}
		if len(m.Params) > maxAskedParams {
			m.Params = nil
		}
		return (&envelope{ID: m.ID, Method: m.Method, Params: m.Params}).line()
	case m.Method != nil:
		return f.notification(*m.Method, m.Params)
	case !ownID.Match(m.ID): // the implementation would take 3.5 for 3
		return nil
	case len(m.Error) > 0 && string(m.Error) != "null":
		return (&envelope{ID: m.ID, Error: m.Error}).line()
	}
	return f.result(m)
}

// line is the message as one line of JSON.
func (m *envelope) line() []byte {
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil { // which what has been read cannot make it
		return nil
	}
	return data
}

// notification hands a notification on. All but what belongs to the protocol itself is for this package, not for the implementation,
// whose queue has no end.
func (f *filter) notification(method string, params json.RawMessage) []byte {
	if !f.take(&f.notifications) {
		time.Sleep(time.Millisecond) // a server that floods is read slowly
	}
	if method == "notifications/subscriptions/acknowledged" {
		if len(params) > maxAskedParams {
			return nil
		}
		return (&envelope{Method: &method, Params: params}).line()
	}
	f.notify(method, params)
	return nil
}

// result wraps the result of a call or of a listing, so that it arrives as it was sent.
func (f *filter) result(m envelope) []byte {
	refuse := func(what string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"the server's result is %s"}}`, m.ID, what)
	}
	var known struct {
		ProtocolVersion   json.RawMessage `json:"protocolVersion"`
		SupportedVersions json.RawMessage `json:"supportedVersions"`
		Tools             json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(m.Result, &known) != nil {
		return refuse("not an object")
	}
	if known.ProtocolVersion != nil || known.SupportedVersions != nil {
		if len(m.Result) > maxGreeting {
			return refuse("a greeting of more than " + bytesText(maxGreeting))
		}
		return (&envelope{ID: m.ID, Result: m.Result}).line()
	}
	tools := json.RawMessage("[]")
	if len(known.Tools) <= maxGreeting && bytes.Contains(known.Tools, []byte(`"x-mcp-header"`)) { // the implementation makes headers of arguments
		tools = oneLine(known.Tools)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"tools":%s,"_meta":{"%s":`, m.ID, tools, rawResult)
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(string(m.Result)) != nil { // which strings cannot make it
		return nil
	}
	b.Truncate(b.Len() - 1) // the newline that the encoder ends with
	b.WriteString("}}}")
	return b.Bytes()
}

// unwrap returns the text of a result from what the implementation has made of it.
func unwrap(meta map[string]any) (json.RawMessage, error) {
	text, ok := meta[rawResult].(string)
	if !ok {
		return nil, errors.New("the server's result is not one of what it has been asked for")
	}
	return json.RawMessage(text), nil
}

// oneLine is JSON without line breaks.
func oneLine(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return nil
	}
	return b.Bytes()
}

func (f *filter) take(b *bucket) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return b.take(time.Now())
}

// A bucket says whether something happens too often: most at once, and then some each second.
type bucket struct {
	most, perSecond float64

	spent float64
	last  time.Time
}

func (b *bucket) take(now time.Time) bool {
	b.spent = max(0, b.spent-now.Sub(b.last).Seconds()*b.perSecond)
	b.last = now
	if b.spent+1 > b.most {
		return false
	}
	b.spent++
	return true
}

// tooLargeError is why a connection has ended.
type tooLargeError struct{ limit int }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the server has sent a message of more than %s", bytesText(e.limit))
}

func bytesText(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
