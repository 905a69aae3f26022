package mcpserver

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// The SDK decodes a message several times, into maps and lists for what is not known, and keeps some of it for as
// long as a session lasts. Therefore it gets none that a client has sent, but one that is made of those parts that
// are used, which have been checked. The arguments of a call, which can be large, do not go through it at all.

// Limits of messages.
const (
	maxDepth = 200
	// A message may have fewValues values and one for each bytesPerValue bytes, but no more than maxValues.
	fewValues     = 8 << 10
	bytesPerValue = 16
	maxValues     = 64 << 10
	maxBatch      = 100
	maxID         = 256
	maxMethod     = 256
	maxToken      = 256
	// maxParams is how many bytes the parameters of a request may have that are used, besides the arguments of a
	// call, and maxListen those of one that lasts. maxAll is for a batch.
	maxParams = 64 << 10
	maxListen = 8 << 10
	maxAll    = 256 << 10
	// maxHeaderArguments is how many bytes arguments may have if there are headers that are compared with them.
	maxHeaderArguments = 256 << 10
)

// sendLess tells the model of a client whose message is too long what to do.
const sendLess = "Send less at a time: write a long file in parts, " +
	"the first with the command create and the others with append."

const notJSON = "the message is not JSON in UTF-8"

// A refusal says why a message is not passed on.
type refusal struct {
	status int // of HTTP
	code   int64
	id     json.RawMessage // of the message, or nil
	text   string
}

func (r *refusal) Error() string { return r.text }

// answer is what a client gets for the message.
func (r *refusal) answer() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": r.code, "message": r.text}})
	return answer
}

func tooLarge(format string, args ...any) *refusal {
	return &refusal{status: http.StatusRequestEntityTooLarge, code: jsonrpc.CodeInvalidRequest,
		text: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: jsonrpc.CodeInvalidRequest, text: fmt.Sprintf(format, args...)}
}

// messages are what a text has, which is one message or a batch.
type messages struct {
	list  []message
	batch bool
	cost  int64 // of what is made of them, in bytes
	// whole reports whether arguments go through the SDK, which compares them with headers.
	whole bool
}

// A message is what the SDK gets instead of one.
type message struct {
	text []byte
	key  string // under which there are arguments, or ""
	args json.RawMessage
}

// read reads messages without decoding what they have. They are parts of the text.
func read(text []byte, whole bool) (*messages, *refusal) {
	m, problem := readAll(text, whole)
	if problem != nil && problem.id == nil {
		problem.id = requestID(text, nil)
	}
	return m, problem
}

func readAll(text []byte, whole bool) (*messages, *refusal) {
	values := min(fewValues+len(text)/bytesPerValue, maxValues)
	if err := jsontree.Check(text, jsontree.Limits{Depth: maxDepth, Values: values}); err != nil {
		limit, _ := errors.AsType[*jsontree.LimitError](err)
		return nil, tooLarge("the message has more than %d %s", limit.Limit, limit.What)
	}
	if !utf8.Valid(text) || !json.Valid(text) { // package json does not ask for UTF-8
		return nil, &refusal{status: http.StatusBadRequest, code: jsonrpc.CodeParseError, text: notJSON}
	}
	m := &messages{whole: whole}
	var problem *refusal
	size := 0
	m.batch = jsontree.Elements(text, func(element []byte) bool {
		size += m.add(element, &problem)
		if len(m.list) > maxBatch {
			problem = invalid("there are too many messages in the batch: it may have %d", maxBatch)
		} else if size > maxAll {
			problem = tooLarge("the messages in the batch may have %d bytes besides the arguments of calls", maxAll)
		}
		return problem == nil
	})
	if !m.batch {
		size = m.add(text, &problem)
	}
	switch {
	case problem != nil:
		return nil, problem
	case len(m.list) == 0:
		return nil, invalid("the batch is empty")
	}
	m.cost = costMessage*int64(len(m.list)) + costSDK*int64(size)
	for _, message := range m.list {
		m.cost += costArguments*int64(len(message.args)) + costValue*int64(jsontree.Separators(message.args))
	}
	return m, nil
}

// hasArguments reports whether there are parts of the text that are used as they are.
func (m *messages) hasArguments() bool {
	return slices.ContainsFunc(m.list, func(m message) bool { return m.args != nil })
}

// keys are those of all arguments.
func (m *messages) keys() []string {
	var keys []string
	for _, message := range m.list {
		if message.key != "" {
			keys = append(keys, message.key)
		}
	}
	return keys
}

// text is what the SDK gets for all messages.
func (m *messages) text() []byte {
	if !m.batch {
		return m.list[0].text
	}
	text := []byte{'['}
	for i, message := range m.list {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, message.text...)
	}
	return append(text, ']')
}

// add adds a message, and returns its size.
func (m *messages) add(raw []byte, problem **refusal) int {
	made, p := remake(raw, m.whole)
	if p != nil {
		*problem = p
		return 0
	}
	m.list = append(m.list, made)
	return len(made.text)
}

// remake makes a message of those parts of one that are used.
func remake(raw []byte, whole bool) (made message, problem *refusal) {
	var version, id, method, params, answer []byte
	isObject := jsontree.Members(raw, func(name, value []byte) {
		switch string(name) {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			answer = value
		}
	})
	if !isObject || len(version) > len(`"2.0"`) {
		return made, invalid("the message is not JSON-RPC 2.0")
	}
	if len(id) > maxID {
		return made, tooLarge("the id of a message may have %d bytes", maxID)
	}
	if len(method) > maxMethod {
		p := tooLarge("the method of a message may have %d bytes", maxMethod)
		p.id = scalar(id)
		return made, p
	}
	out := []byte(`{`)
	out = appendMember(out, "jsonrpc", version)
	out = appendMember(out, "id", id)
	if method == nil { // an answer, of a user who was asked or to what nobody has asked
		if id == nil {
			return made, invalid("the message is not JSON-RPC 2.0")
		}
		out = append(appendComma(out), `"result":`...)
		return message{text: append(remakeAnswer(out, answer), '}')}, nil
	}
	out = appendMember(out, "method", method)
	if params != nil {
		p := parameters{whole: whole}
		if err := json.Unmarshal(method, &p.method); err != nil {
			return made, invalid("the method of a message is a string")
		}
		out = append(appendComma(out), `"params":`...)
		begin := len(out)
		if out, problem = p.remake(out, params); problem != nil {
			problem.id = scalar(id)
			return made, problem
		}
		most := maxParams
		if p.method == listen {
			most = maxListen
		}
		if p.args != nil && whole {
			most += maxHeaderArguments
		}
		if len(out)-begin > most {
			problem = tooLarge("the parameters of %s may have %d bytes", p.method, most)
			problem.id = scalar(id)
			return made, problem
		}
		if !whole {
			made.key, made.args = p.key, p.args
		}
	}
	made.text = append(out, '}')
	return made, nil
}

func appendComma(out []byte) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	return out
}

// appendMember adds a member to an object, if it is there. Line breaks, which end a message over streams, are in no
// value that is small enough to matter: outside of strings they are blanks.
func appendMember(out []byte, name string, value []byte) []byte {
	if value == nil {
		return out
	}
	out = append(appendComma(out), '"')
	out = append(out, name...)
	out = append(out, '"', ':')
	return appendLine(out, value)
}

// appendLine adds JSON as one line.
func appendLine(out, value []byte) []byte {
	begin := len(out)
	out = append(out, value...)
	for i := begin; i < len(out); i++ {
		if out[i] == '\n' || out[i] == '\r' {
			out[i] = ' '
		}
	}
	return out
}

// scalar returns a value that is neither an array nor an object, or nil.
func scalar(value []byte) json.RawMessage {
	if len(value) == 0 || value[0] == '{' || value[0] == '[' {
		return nil
	}
	return value
}

// used are the parameters of each method that are used, besides _meta. Of methods that are not there, none is.
var used = map[string][]string{
	"initialize":               {"protocolVersion"}, // what the client is is of no interest
	"tools/list":               {"cursor"},
	"tools/call":               {"name", "inputResponses", "requestState"},
	"prompts/list":             {"cursor"},
	"prompts/get":              {"name"},
	"resources/list":           {"cursor"},
	"resources/templates/list": {"cursor"},
	"resources/read":           {"uri"},
	"resources/subscribe":      {"uri"},
	"resources/unsubscribe":    {"uri"},
	"completion/complete":      {"ref", "argument"},
	"logging/setLevel":         {"level"},
	listen:                     {"notifications"},
	"notifications/cancelled":  {"requestId"},
}

// parameters are those of a method.
type parameters struct {
	method string
	whole  bool
	key    string
	args   json.RawMessage
}

// remake adds the parameters that are used.
func (p *parameters) remake(out, params []byte) ([]byte, *refusal) {
	var meta []byte
	var capabilities []byte
	values := map[string][]byte{}
	names := used[p.method]
	if !jsontree.Members(params, func(name, value []byte) {
		switch {
		case string(name) == "_meta":
			meta = value
		case string(name) == "capabilities" && p.method == "initialize":
			capabilities = value
		case string(name) == "arguments" && p.method == "tools/call":
			p.args = value
		case slices.Contains(names, string(name)):
			values[string(name)] = value
		}
	}) {
		if len(params) > maxToken { // the SDK says what is wrong with them, and with others of their kind
			params = []byte("[]")
		}
		return appendLine(out, params), nil
	}
	out = append(out, '{')
	for _, name := range names {
		value := values[name]
		if problem := p.check(name, value); problem != nil {
			return nil, problem
		}
		if len(value) > maxParams {
			return nil, tooLarge("%s of %s may have %d bytes", name, p.method, maxParams)
		}
		out = appendMember(out, name, value)
	}
	if p.method == "initialize" {
		out = appendMember(out, "capabilities", remakeCapabilities(capabilities))
		out = appendMember(out, "clientInfo", []byte(`{"name":"","version":""}`))
	}
	if p.args == nil && p.method == "tools/call" && !p.whole {
		p.args = json.RawMessage("{}") // so that the call has a key, and with that its turn
	}
	if p.args != nil {
		if p.whole {
			if len(p.args) > maxHeaderArguments {
				return nil, tooLarge("arguments that there are headers for may have %d bytes", maxHeaderArguments)
			}
			out = appendMember(out, "arguments", p.args)
		} else {
			p.key = rand.Text()
			out = append(appendComma(out), `"arguments":`...)
			out = append(out, placeholder(p.key)...)
		}
	}
	if meta != nil {
		var problem *refusal
		if out, problem = remakeMeta(append(appendComma(out), `"_meta":`...), meta); problem != nil {
			return nil, problem
		}
	}
	return append(out, '}'), nil
}

// check checks a parameter that is kept for long.
func (p *parameters) check(name string, value []byte) *refusal {
	switch name {
	case "level":
		return checkLevel(value)
	case "protocolVersion", "requestId":
		if len(value) > maxID {
			return tooLarge("%s of %s may have %d bytes", name, p.method, maxID)
		}
	}
	return nil
}

// levels are those that a client can have messages of.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func checkLevel(value []byte) *refusal {
	var level string
	if value != nil && (len(value) > maxToken || json.Unmarshal(value, &level) != nil ||
		!slices.Contains(levels, level)) {
		return &refusal{status: http.StatusBadRequest, code: jsonrpc.CodeInvalidParams,
			text: fmt.Sprintf("the level is one of %q", levels)}
	}
	return nil
}

// logLevelKey is the name of the level of messages that a request wants.
//
//lint:ignore SA1019 clients of today use it
const logLevelKey = sdk.MetaKeyLogLevel

// remakeMeta adds what is used of the data about a request.
func remakeMeta(out, meta []byte) ([]byte, *refusal) {
	var problem *refusal
	var token, version, capabilities, level []byte
	if !jsontree.Members(meta, func(name, value []byte) {
		switch string(name) {
		case "progressToken":
			token = value
		case sdk.MetaKeyProtocolVersion:
			version = value
		case sdk.MetaKeyClientCapabilities:
			capabilities = value
		case logLevelKey:
			level = value
		}
	}) {
		return append(out, "{}"...), nil
	}
	out = append(out, '{')
	switch {
	case len(token) > maxToken:
		problem = tooLarge("a progress token may have %d bytes", maxToken)
	case len(version) > maxToken:
		problem = tooLarge("a version of the protocol may have %d bytes", maxToken)
	default:
		problem = checkLevel(level)
	}
	if problem != nil {
		return nil, problem
	}
	if len(token) > 0 && scalar(token) != nil {
		out = appendMember(out, "progressToken", token)
	}
	out = appendMember(out, sdk.MetaKeyProtocolVersion, version)
	if len(capabilities) > 0 && capabilities[0] == '{' {
		out = appendMember(out, sdk.MetaKeyClientCapabilities, remakeCapabilities(capabilities))
	}
	out = appendMember(out, logLevelKey, level)
	return append(out, '}'), nil
}

// remakeCapabilities says whether a client can ask its user, which is all that is of interest.
func remakeCapabilities(capabilities []byte) []byte {
	asks := false
	jsontree.Members(capabilities, func(name, value []byte) {
		if string(name) != "elicitation" || len(value) == 0 || value[0] != '{' {
			return
		}
		form, page := false, false
		jsontree.Members(value, func(name, _ []byte) {
			form = form || string(name) == "form"
			page = page || string(name) == "url"
		})
		asks = form || !page // as it was before there were two ways
	})
	if asks {
		return []byte(`{"elicitation":{"form":{}}}`)
	}
	return []byte("{}")
}

// remakeAnswer adds what is used of an answer.
func remakeAnswer(out, answer []byte) []byte {
	out = append(out, '{')
	if len(answer) <= maxParams {
		jsontree.Members(answer, func(name, value []byte) {
			if string(name) == "action" && len(value) <= maxToken && scalar(value) != nil ||
				string(name) == "content" && value[0] == '{' {
				out = appendMember(out, string(name), value)
			}
		})
	}
	return append(out, '}')
}

// keyLength is how long keys are.
const keyLength = 26

// placeholder is what the SDK gets instead of arguments.
func placeholder(key string) string { return `{"toolrun":` + strconv.Quote(key) + `}` }
