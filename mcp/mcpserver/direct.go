package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// callMethod is the method of calls.
const callMethod = "tools/call"

// directMethod is what the SDK takes direct calls for. It is a method of our own, which has no parameters that the SDK
// would decode; they are in the context. No client can name it.
var directMethod = "toolrun/" + rand.Text()

// knownVersions are the versions of the protocol that the SDK knows.
var knownVersions = sdk.SupportedProtocolVersions()

// A direct is an HTTP request without a session that calls a tool. The SDK's handler decodes such a message a dozen
// times, each time into a new buffer of 32 KiB. So a call with which nothing is wrong goes around it: it is decoded
// once, here, and this is the connection of an SDK's session that lasts as long as the request. Everything else goes to
// the SDK's handler, which finds out what is wrong.
type direct struct {
	server  *Server
	carrier context.Context // the request's
	version string          // of the protocol
	id      jsonrpc.ID
	params  *sdk.CallToolParamsRaw
	level   sdk.LoggingLevel //lint:ignore SA1019 clients of today use it
	asks    bool             // the client can ask its user

	incoming chan jsonrpc.Message // the call
	closed   chan struct{}        // closed when the session ends
	closing  sync.Once
	answered chan struct{} // closed when there is an answer

	mu     sync.Mutex
	w      http.ResponseWriter
	begun  bool              // something has been written
	over   bool              // the request has been served
	answer *jsonrpc.Response // without its result
	result json.RawMessage   // that of the answer, which is set before it
}

type directKey struct{}

// directOf returns the direct call that a context belongs to, or nil.
func directOf(ctx context.Context) *direct {
	d, _ := ctx.Value(directKey{}).(*direct)
	return d
}

// newDirect returns a direct call, or nil if a request is none.
func newDirect(w http.ResponseWriter, r *http.Request, s *Server, m *messages) *direct {
	if m == nil || m.batch || m.whole || r.Header["Last-Event-Id"] != nil {
		return nil
	}
	if _, problem := acceptable(r); problem != "" {
		return nil
	}
	// The text has no members but these, and some of what is missing is wrong.
	var message struct {
		Version string `json:"jsonrpc"`
		ID      any
		Method  string
		Params  struct {
			Name           string
			Arguments      json.RawMessage
			InputResponses json.RawMessage
			RequestState   json.RawMessage
			Meta           map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(m.list[0].text, &message); err != nil || message.Version != "2.0" ||
		message.Method != callMethod {
		return nil
	}
	params := &message.Params
	if number, ok := message.ID.(float64); ok && float64(int64(number)) != number {
		return nil
	}
	id, err := jsonrpc.MakeID(message.ID)
	if err != nil || !id.IsValid() || params.InputResponses != nil || params.RequestState != nil {
		return nil
	}
	d := &direct{
		server: s, w: w, carrier: r.Context(), id: id, version: r.Header.Get(versionHeader),
		params:   &sdk.CallToolParamsRaw{Name: params.Name, Arguments: params.Arguments},
		incoming: make(chan jsonrpc.Message, 1), closed: make(chan struct{}), answered: make(chan struct{}),
	}
	if token := params.Meta["progressToken"]; token != nil {
		var value any
		_ = json.Unmarshal(token, &value) // it has been
		d.params.Meta = sdk.Meta{"progressToken": value}
	}
	if !s.offers(params.Name) || !d.fits(r.Header, params.Meta) {
		return nil
	}
	return d
}

// fits reports whether what a request says of itself in its headers and its _meta is what its version wants.
func (d *direct) fits(header http.Header, meta map[string]json.RawMessage) bool {
	version, capabilities := meta[sdk.MetaKeyProtocolVersion], meta[sdk.MetaKeyClientCapabilities]
	if d.version < sessionless {
		if d.version == "" {
			d.version = "2025-03-26"
		}
		return version == nil && slices.Contains(knownVersions, d.version)
	}
	d.asks = len(capabilities) > len("{}") // see remakeCapabilities
	if level := meta[logLevelKey]; level != nil && json.Unmarshal(level, &d.level) != nil {
		return false
	}
	return slices.Contains(knownVersions, d.version) && string(version) == strconv.Quote(d.version) &&
		capabilities != nil && header.Get(methodHeader) == callMethod && header.Get(nameHeader) == d.params.Name
}

// state is that of a session of the client's version, as the SDK has it for requests without sessions.
func (d *direct) state() *sdk.ServerSessionState {
	state := &sdk.ServerSessionState{
		InitializeParams: &sdk.InitializeParams{ProtocolVersion: d.version}, LogLevel: d.level,
	}
	if d.asks {
		state.InitializeParams.Capabilities = &sdk.ClientCapabilities{
			Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}}
	}
	if d.version < sessionless {
		state.InitializedParams = &sdk.InitializedParams{}
	}
	return state
}

// serve does the call.
func (d *direct) serve() {
	header := d.w.Header()
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("Content-Type", "text/event-stream")
	header.Set("Connection", "keep-alive")
	d.incoming <- &jsonrpc.Request{ID: d.id, Method: directMethod}
	session, err := d.server.sdk.Connect(context.WithValue(d.carrier, directKey{}, d), d,
		&sdk.ServerSessionOptions{State: d.state()})
	if err != nil {
		http.Error(d.w, "failed connection", http.StatusInternalServerError)
		return
	}
	defer session.Close()
	select {
	case <-d.answered:
	case <-d.carrier.Done():
	case <-d.closed:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.answer != nil {
		d.writeAnswer()
	}
}

// writeAnswer writes the answer of the call, which leaves with the end of the request. The lock is held.
func (d *direct) writeAnswer() {
	if d.answer.Error == nil {
		id, _ := jsontree.Marshal(d.id.Raw()) // a number or a string
		writeEvent(d.w, []byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), d.result, []byte("}"))
		return
	}
	data, _ := jsonrpc.EncodeMessage(d.answer) // it has no values that could not be encoded
	wrong, ok := errors.AsType[*jsonrpc.Error](d.answer.Error)
	if ok && wrong.Code == jsonrpc.CodeInvalidParams && d.version >= sessionless && !d.begun {
		d.w.Header().Set("Content-Type", "application/json")
		d.w.WriteHeader(http.StatusBadRequest)
		_, _ = d.w.Write(data)
		return
	}
	writeEvent(d.w, data)
}

// writeEvent writes a message of several parts. A client that is gone need not know of it.
func writeEvent(w io.Writer, parts ...[]byte) {
	text := slices.Concat(append([][]byte{[]byte("event: message\ndata: ")}, append(parts, []byte("\n\n"))...)...)
	_, _ = w.Write(text)
}

// doDirect does a direct call within its session. The result does not go through the SDK, which would copy it several
// times.
func doDirect(ctx context.Context, session *sdk.ServerSession, _ *sdk.ParamsBase) (*sdk.ResultBase, error) {
	d := directOf(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.carrier, cancel)() // nobody else can get the result
	result, err := d.server.answer(ctx, callMethod, &sdk.CallToolRequest{Session: session, Params: d.params})
	if err != nil {
		return nil, err
	}
	called := result.(*sdk.CallToolResult)
	if d.version >= sessionless {
		called.Meta = sdk.Meta{sdk.MetaKeyServerInfo: d.server.self}
	}
	d.result, err = called.MarshalJSON()
	return &sdk.ResultBase{}, err
}

// Connect is for the SDK, as are the methods below.
func (d *direct) Connect(context.Context) (sdk.Connection, error) { return d, nil }

func (*direct) SessionID() string { return "" }

func (d *direct) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case call := <-d.incoming:
		return call, nil
	case <-d.closed:
		return nil, io.EOF
	}
}

var errNoRequests = errors.New("clients without sessions get no requests")

// Write writes notifications that belong to the call, and leaves its answer to serve.
func (d *direct) Write(ctx context.Context, message jsonrpc.Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch message := message.(type) {
	case *jsonrpc.Response:
		if d.answer == nil {
			d.answer = message
			close(d.answered)
		}
	case *jsonrpc.Request:
		if message.IsCall() {
			return errNoRequests
		}
		if d.over || d.answer != nil || directOf(ctx) != d {
			return nil
		}
		data, err := jsonrpc.EncodeMessage(message)
		if err != nil {
			return err
		}
		d.begun = true
		writeEvent(d.w, data)
		_ = http.NewResponseController(d.w).Flush()
	}
	return nil
}

func (d *direct) Close() error {
	d.closing.Do(func() { close(d.closed) })
	return nil
}
