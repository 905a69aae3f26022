package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the most bytes that a message of a client may have: what a call's input may have, and as much for its escapes.
const maxMessage = 32 << 20

// ServeStdio serves one client, whose messages are lines of the input, and which gets lines of the output. It returns nil when
// the input has ended and everything has been answered. When the context ends, it returns the context's error after
// the calls that run; [Server.Shutdown] stops these. What is no message is answered with an error, and the rest goes on.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &stdio{server: s, out: out, done: make(chan struct{})}
	reader, writer := io.Pipe()
	session, err := s.sdk.Connect(context.WithoutCancel(ctx), &sdk.IOTransport{Reader: reader, Writer: t, MaxLineLength: -1}, nil)
	if err != nil {
		return err
	}
	t.session = session
	defer close(t.done)
	defer func() {
		t.mu.Lock()
		t.server.unanswered.Add(-int64(t.pending))
		t.mu.Unlock()
	}()
	go func() { // it is left behind if it waits for input when the context ends
		err := t.forward(in, writer)
		if err == nil {
			t.settle(ctx)
		}
		writer.CloseWithError(err)
	}()
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if writeErr := t.failed(); writeErr != nil {
			return writeErr
		}
		return err
	case <-ctx.Done():
		t.settle(s.stopped)
		_ = session.Close() // the reason is the context's
		return ctx.Err()
	}
}

// stdio is between the streams and the SDK, for which a line that is no message is the end.
type stdio struct {
	server  *Server
	session *sdk.ServerSession
	done    chan struct{}

	mu      sync.Mutex
	out     io.Writer
	pending int   // requests that have not been answered
	err     error // of writing
}

// forward passes messages on until the input ends.
func (t *stdio) forward(in io.Reader, to io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(lines)
		if text := bytes.TrimSpace(line); tooLong {
			t.refuse(jsonrpc.CodeInvalidRequest, "the message is too long")
		} else if len(text) > 0 {
			if code, problem := t.check(text); problem != "" {
				t.refuse(code, problem)
			} else if _, err := to.Write(append(text, '\n')); err != nil {
				return nil // the session has ended
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line. Of one that is too long, nothing is kept.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if len(line)+len(piece) > maxMessage {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

const notJSON = "the message is not JSON in UTF-8"

// isJSON reports whether a message is JSON, and UTF-8, which package json does not ask for.
//
// https://www.rfc-editor.org/rfc/rfc8259#section-8.1
func isJSON(message []byte) bool { return utf8.Valid(message) && json.Valid(message) }

// check says what is wrong with a message, if anything is, and otherwise counts its requests.
func (t *stdio) check(line []byte) (code int64, problem string) {
	if !isJSON(line) {
		return jsonrpc.CodeParseError, notJSON
	}
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		params := t.session.InitializeParams()
		if params == nil || params.ProtocolVersion >= "2025-06-18" {
			return jsonrpc.CodeInvalidRequest, "this version of the protocol has no batches"
		}
		if json.Unmarshal(line, &messages) != nil || len(messages) == 0 {
			return jsonrpc.CodeInvalidRequest, "the batch is empty"
		}
	}
	requests := 0
	ids := map[any]bool{}
	for _, raw := range messages {
		message, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return jsonrpc.CodeInvalidRequest, "the message is not JSON-RPC 2.0"
		}
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			if ids[request.ID.Raw()] {
				return jsonrpc.CodeInvalidRequest, "the batch has an id twice"
			}
			ids[request.ID.Raw()] = true
			requests++
		}
	}
	t.mu.Lock()
	t.pending += requests
	t.mu.Unlock()
	t.server.unanswered.Add(int64(requests))
	return 0, ""
}

// refuse answers what is no message.
func (t *stdio) refuse(code int64, problem string) {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": problem}})
	if err == nil {
		_, _ = t.write(append(answer, '\n')) // Write learns of it
	}
}

// Write takes what the SDK sends: a message each time.
func (t *stdio) Write(message []byte) (int, error) {
	n, err := t.write(message)
	var kind struct {
		Method string `json:"method"`
	}
	answers := []json.RawMessage{message}
	if message[0] == '[' {
		_ = json.Unmarshal(message, &answers) // it is the SDK's
	}
	if json.Unmarshal(answers[0], &kind) == nil && kind.Method == "" {
		t.mu.Lock()
		t.pending -= len(answers)
		t.mu.Unlock()
		t.server.unanswered.Add(-int64(len(answers)))
	}
	return n, err
}

func (t *stdio) write(message []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.out.Write(message)
	if err != nil && t.err == nil {
		t.err = err
	}
	return n, err
}

// Close leaves the streams to their owner.
func (*stdio) Close() error { return nil }

func (t *stdio) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// settle waits until all requests have been answered. Those that a client has canceled need not be.
func (t *stdio) settle(ctx context.Context) {
	const step, quiet = 5 * time.Millisecond, 40
	for idle := 0; idle < quiet; idle++ {
		t.mu.Lock()
		pending, failed := t.pending, t.err != nil
		t.mu.Unlock()
		if pending <= 0 || failed {
			return
		}
		if len(t.server.requests) > 0 {
			idle = 0
		}
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return
		case <-t.done:
			return
		}
	}
}
