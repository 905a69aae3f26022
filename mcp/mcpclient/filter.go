package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// A filter receives each message of a server before the SDK does. It passes on only what the SDK needs, so that a
// server cannot make the SDK store more than the answers to its requests.
type filter struct {
	// limit is the maximum size of a message in bytes.
	limit int
	// notify receives notifications. It must not block.
	notify func(method string, params json.RawMessage)
	// odd is called for malformed messages.
	odd func(what string)
	// heard is called for every message.
	heard func()

	requests      *rate.Limiter // of the server
	notifications *rate.Limiter

	mu   sync.Mutex
	kept []keptResult // in order of arrival
	held int          // their size in bytes
	last uint64
}

func newFilter(limit int) *filter {
	return &filter{limit: limit, requests: rate.NewLimiter(10, 100), notifications: rate.NewLimiter(1000, 10_000)}
}

// rawResult is the key under which the SDK gets a reference in place of a result. The SDK would decode numbers as
// float64, discard all content if it does not know one part, and copy the content many times.
const rawResult = "github.com/toolrun/toolrun/result"

// ownID matches the ids of requests to a server.
var ownID = lazyregexp.New(`^[0-9]+$`)

// Limits on messages that the SDK reads.
const (
	// maxAsked limits a server's request in bytes, without its parameters, which are ignored. Requests are kept until
	// the server has read their answers. maxParams limits the parameters of a notification in bytes.
	maxAsked  = 200
	maxParams = 64 << 10
	// maxGreeting limits a server's greeting, and a list of tools with header names, in bytes: decoded by the SDK, they
	// take many times as much.
	maxGreeting = 1 << 20
)

// Limits on what is decoded.
const (
	// maxDepth and maxValues limit what the SDK decodes, and notifications.
	maxDepth  = 128
	maxValues = 10_000
	// maxErrorText limits the text of an error in bytes. maxSmall limits its data, and single members of a greeting.
	maxErrorText = 64 << 10
	maxSmall     = 4 << 10
)

// An envelope holds the members of a message, which are parts of its text. The filter composes a new message from them
// and never passes on the original, because the SDK might read that differently: repeated names, for example, or names
// in another case.
type envelope struct {
	id, method, params, result, err []byte
}

// message returns the message that the SDK gets in place of data, as one line, or nil for none.
func (f *filter) message(data []byte) []byte {
	f.heard()
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	var m envelope
	if !json.Valid(data) || !jsontree.Members(data, func(name, value []byte) {
		switch string(name) {
		case "id":
			m.id = value
		case "method":
			m.method = value
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			m.err = value
		}
	}) {
		f.odd(fmt.Sprintf("a message of %d bytes that is not a JSON object", len(data)))
		return nil
	}
	hasID := len(m.id) > 0 && string(m.id) != "null"
	switch {
	case len(m.method) > 0 && (len(m.id)+len(m.method) > maxAsked || m.result != nil ||
		m.err != nil): // both a request and an answer
		return nil
	case len(m.method) > 0 && hasID: // a request, which is refused whatever its parameters are
		if m.method[0] != '"' || m.id[0] == '{' || m.id[0] == '[' || !f.requests.Allow() {
			return nil
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":{}}`, m.id, m.method)
	case len(m.method) > 0:
		var method string
		if json.Unmarshal(m.method, &method) != nil {
			return nil
		}
		return f.notification(method, m.params)
	case !ownID().Match(m.id): // the SDK would read 3.5 as 3
		return nil
	case len(m.err) > 0 && string(m.err) != "null":
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.id, remakeError(m.err))
	}
	return f.result(m)
}

// remakeError composes an error from the members that are used.
func remakeError(text []byte) []byte {
	var answer struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	answer.Code = json.RawMessage("0")
	jsontree.Members(text, func(name, value []byte) {
		switch string(name) {
		case "code":
			if len(value) < 20 && value[0] != '"' && value[0] != '[' && value[0] != '{' {
				answer.Code = value
			}
		case "message":
			_ = json.Unmarshal(value, &answer.Message)
		case "data":
			if answer.Data = nil; len(value) <= maxSmall && jsontree.Check(value, jsontree.Limits{Values: 100}) == nil {
				answer.Data = value
			}
		}
	})
	answer.Message = plaintext.Cut(answer.Message, maxErrorText)
	made, err := json.Marshal(answer)
	if err != nil { // cannot happen
		return []byte(`{"code":0,"message":""}`)
	}
	return made
}

// notification passes on a notification. The SDK gets only those that it needs, because its queue is unbounded.
func (f *filter) notification(method string, params json.RawMessage) []byte {
	if !f.notifications.Allow() {
		time.Sleep(time.Millisecond) // slows down reading from a server that floods
	}
	if len(params) > maxParams || jsontree.Check(params, jsontree.Limits{Depth: maxDepth, Values: maxValues}) != nil {
		params = nil
	}
	if method == "notifications/subscriptions/acknowledged" {
		return acknowledged(params)
	}
	f.notify(method, params)
	return nil
}

// acknowledged composes a notification that the SDK waits for.
func acknowledged(params []byte) []byte {
	if len(params) > maxSmall || jsontree.Check(params, jsontree.Limits{Values: 100}) != nil {
		return nil
	}
	if len(params) == 0 {
		params = []byte("{}")
	}
	return oneLine(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":%s}`,
		params))
}

// result keeps the result of a call or a listing, so that it arrives unchanged, and gives the SDK a reference to it.
func (f *filter) result(m envelope) []byte {
	refuse := func(what string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,`+
			`"message":"the server's result is %s"}}`, m.id, what)
	}
	greets := false
	var listed []byte
	if !jsontree.Members(m.result, func(name, value []byte) {
		switch string(name) {
		case "protocolVersion", "supportedVersions":
			greets = greets || string(value) != "null"
		case "tools":
			listed = value
		}
	}) {
		return refuse("not an object")
	}
	if greets {
		if len(m.result) > maxGreeting {
			return refuse("a greeting of more than " + bytesText(maxGreeting))
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.id, remakeGreeting(m.result))
	}
	tools := []byte("[]")
	// the SDK turns arguments into headers
	if len(listed) <= maxGreeting && bytes.Contains(listed, []byte(`"x-mcp-header"`)) &&
		jsontree.Check(listed, jsontree.Limits{Depth: maxDepth, Values: maxValues}) == nil {
		tools = oneLine(listed)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"tools":%s,"_meta":{"%s":"%s"}}}`,
		m.id, tools, rawResult, f.keep(m.result))
}

// remakeGreeting composes a greeting from the members that are used: the versions, whether the server reports changes
// of its tools, and its instructions.
func remakeGreeting(text []byte) []byte {
	out := []byte(`{"serverInfo":{"name":"","version":""}`)
	jsontree.Members(text, func(name, value []byte) {
		switch string(name) {
		case "protocolVersion", "supportedVersions", "resultType", "ttlMs", "cacheScope":
			if len(value) <= maxSmall && jsontree.Check(value, jsontree.Limits{Values: 100}) == nil {
				out = fmt.Appendf(out, `,"%s":%s`, name, value)
			}
		case "capabilities":
			changes := false
			jsontree.Members(value, func(name, value []byte) {
				if string(name) == "tools" {
					jsontree.Members(value, func(name, value []byte) {
						if string(name) == "listChanged" {
							changes = string(value) == "true"
						}
					})
				}
			})
			out = fmt.Appendf(out, `,"capabilities":{"tools":{"listChanged":%t}}`, changes)
		case "instructions":
			var instructions string
			if json.Unmarshal(value, &instructions) == nil {
				quoted, _ := json.Marshal(plaintext.Cut(instructions, maxErrorText)) // strings have no error
				out = fmt.Appendf(out, `,"instructions":%s`, quoted)
			}
		}
	})
	return oneLine(append(out, '}'))
}

// keep stores a result until it is fetched, and returns its key. Results that nobody fetches, because their calls were
// abandoned, are dropped when the space is needed.
func (f *filter) keep(result []byte) (key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	key = strconv.FormatUint(f.last, 10)
	f.kept = append(f.kept, keptResult{key, bytes.Clone(result)})
	f.held += len(result)
	for f.held > 2*f.limit || len(f.kept) > maxKept {
		f.drop(0)
	}
	return key
}

// drop drops a result. The lock must be held.
func (f *filter) drop(i int) {
	f.held -= len(f.kept[i].result)
	f.kept = slices.Delete(f.kept, i, i+1)
}

// maxKept limits the results that are stored at a time.
const maxKept = 1000

type keptResult struct {
	key    string
	result json.RawMessage
}

// fetch returns the stored result for the reference that the SDK passed on.
func (f *filter) fetch(meta map[string]any) (json.RawMessage, error) {
	key, _ := meta[rawResult].(string)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, k := range f.kept {
		if k.key == key {
			f.drop(i)
			return k.result, nil
		}
	}
	return nil, errors.New("the server's result is not one of what it has been asked for")
}

// oneLine returns JSON without line breaks.
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

// tooLargeError is the reason for the end of a connection after a message that is too large.
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
