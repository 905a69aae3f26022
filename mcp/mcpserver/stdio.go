package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/budget"
)

// maxMessage is the most bytes that a message of a client may have.
const maxMessage = DefaultBody

// ServeStdio serves one client. Each line of in is a message from the client, each line of out one to the client.
// It returns nil when in has ended and every request has been answered. When the context ends, it waits for running
// calls and returns the context's error; [Server.Shutdown] stops these calls. A read or write that does not return
// is left behind then. A malformed message is answered with an error and does not end the session.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	t := &stdio{
		server: s, done: make(chan struct{}), gone: make(chan struct{}), writes: make(chan writing),
		slots:   make(chan struct{}, 2*s.options.Requests+maxListens+maxBatch),
		pending: map[jsonrpc.ID]pending{}, memory: newMemory(1),
	}
	leave := sync.OnceFunc(func() { close(t.gone) })
	defer leave()
	defer context.AfterFunc(s.stopped, func() { time.AfterFunc(lastAnswers, leave) })()
	go t.writeAll(out)
	reader, writer := io.Pipe()
	session, err := s.sdk.Connect(context.WithoutCancel(ctx),
		&sdk.IOTransport{Reader: reader, Writer: t, MaxLineLength: -1}, nil)
	if err != nil {
		return err
	}
	t.session = session
	defer t.forget()
	defer close(t.done)
	go func() { // it is left behind if it waits for input when the context ends
		err := t.forward(in, writer)
		if err == nil {
			t.settle(ctx, forgottenAfter)
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
		t.settle(s.stopped, lastAnswers)
		time.AfterFunc(lastAnswers, leave) // the client may not read, and the answers wait for it
		_ = session.Close()                // the reason is the context's
		return ctx.Err()
	}
}

// stdio is between the streams and the SDK, for which a line that is no message is the end.
type stdio struct {
	server  *Server
	session *sdk.ServerSession
	done    chan struct{} // closed when the session has ended
	gone    chan struct{} // closed when nothing is written any more
	writes  chan writing
	// slots has something for each request that has not been answered. There are more of them than requests that are
	// served at a time: when they are full, the client does not read, and what it sends can wait.
	slots  chan struct{}
	memory *budget.Memory

	mu      sync.Mutex
	pending map[jsonrpc.ID]pending // requests that have not been answered
	err     error                  // of writing
}

// pending is a request that has not been answered.
type pending struct {
	waits bool // the server waits for the answer when it ends
	key   string
	load  *load
}

// forward passes messages on until the input ends.
func (t *stdio) forward(in io.Reader, to io.Writer) error {
	lines := bufio.NewReaderSize(&until{in, t.done}, 64<<10)
	for {
		line, tooLong, err := readLine(lines)
		if text := bytes.TrimSpace(line); tooLong != nil {
			problem := tooLarge("the message is too long: it may have %d bytes. %s", maxMessage, sendLess)
			problem.id = tooLong.found()
			t.refuse(problem)
		} else if len(text) > 0 {
			if lines, problem := t.check(text); problem != nil {
				t.refuse(problem)
			} else if !t.pass(lines, to) {
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

// until reads until done is closed, so that nothing goes on reading what has no end.
type until struct {
	io.Reader
	done <-chan struct{}
}

func (u *until) Read(p []byte) (int, error) {
	select {
	case <-u.done:
		return 0, io.EOF
	default:
		return u.Reader.Read(p)
	}
}

// pass passes lines on, and reports whether somebody takes them.
func (t *stdio) pass(lines [][]byte, to io.Writer) bool {
	for _, line := range lines {
		if _, err := to.Write(append(line, '\n')); err != nil {
			return false
		}
	}
	return true
}

// readLine reads a line. Of one that is too long, nothing is kept but what tooLong finds in it.
func readLine(r *bufio.Reader) (line []byte, tooLong *idScanner, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if tooLong == nil && len(line)+len(piece) > maxMessage {
			tooLong = &idScanner{}
			_, _ = tooLong.Write(line) // never fails
			line = nil
		}
		if tooLong != nil {
			_, _ = tooLong.Write(piece)
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// check says what is wrong with a line, if anything is, and otherwise returns what the SDK gets for it. Its requests
// are pending then.
func (t *stdio) check(line []byte) (lines [][]byte, problem *refusal) {
	m, problem := read(line, false)
	if problem != nil {
		return nil, problem
	}
	if m.batch {
		if params := t.session.InitializeParams(); params == nil || params.ProtocolVersion >= "2025-06-18" {
			return nil, invalid("this version of the protocol has no batches")
		}
	}
	l := &load{holding: budget.Holding{Memories: []*budget.Memory{t.memory}, Done: t.done, Patience: patience}}
	l.use()
	defer l.letGo()
	calls := &messages{batch: m.batch}
	requests := map[jsonrpc.ID]pending{}
	var id json.RawMessage
	for _, made := range m.list {
		message, err := jsonrpc.DecodeMessage(made.text)
		if err != nil {
			return nil, invalid("the message is not JSON-RPC 2.0")
		}
		request, ok := message.(*jsonrpc.Request)
		if !ok || !request.IsCall() {
			lines = append(lines, made.text)
			continue
		}
		if _, ok := requests[request.ID]; ok {
			return nil, invalid("the batch has an id twice")
		}
		p := pending{waits: request.Method != listen, key: made.key}
		if p.waits { // the other ones last
			p.load = l
		}
		requests[request.ID] = p
		calls.list = append(calls.list, made)
		id, _ = json.Marshal(request.ID.Raw()) // a number or a string
	}
	if m.hasArguments() && !l.holding.Read(int64(len(line))) || !l.holding.Decode(m.cost) {
		busy := &refusal{code: jsonrpc.CodeInternalError, text: budget.ErrBusy.Error()}
		if !m.batch {
			busy.id = id
		}
		return nil, busy
	}
	if !t.expect(requests) {
		return nil, invalid("a request with this id is under way")
	}
	t.server.passing.put(calls.list, l, t.server.turns.enter(t))
	if len(calls.list) > 0 { // and nothing else: the SDK would wait for answers to notifications
		lines = append(lines, calls.text())
	}
	return lines, nil
}

// expect makes requests pending, when there is room for them. It reports whether they can be told from those that are
// already.
func (t *stdio) expect(requests map[jsonrpc.ID]pending) bool {
	t.mu.Lock()
	for id := range requests {
		if _, ok := t.pending[id]; ok {
			t.mu.Unlock()
			return false
		}
	}
	for id, p := range requests {
		t.pending[id] = p
		if p.load != nil {
			p.load.use()
		}
		if p.waits {
			t.server.unanswered.Add(1)
		}
	}
	t.mu.Unlock()
	for range requests {
		select {
		case t.slots <- struct{}{}:
		case <-t.done:
		}
	}
	return true
}

// answered ends what expect has begun.
func (t *stdio) answered(id jsonrpc.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.pending[id]
	if !ok {
		return
	}
	delete(t.pending, id)
	t.server.passing.forget(p.key)
	if p.load != nil {
		p.load.letGo()
	}
	if p.waits {
		t.server.unanswered.Add(-1)
	}
	select {
	case <-t.slots:
	default: // the session ends
	}
}

// forget ends all requests, which nobody answers any more.
func (t *stdio) forget() {
	t.mu.Lock()
	ids := slices.Collect(maps.Keys(t.pending))
	t.mu.Unlock()
	for _, id := range ids {
		t.answered(id)
	}
}

// refuse answers what is not passed on. The id of a request that is under way is not used: the client would take the
// answer for that request's.
func (t *stdio) refuse(problem *refusal) {
	if problem.id != nil {
		var raw any
		_ = json.Unmarshal(problem.id, &raw) // it is valid
		if id, err := jsonrpc.MakeID(raw); err == nil {
			t.mu.Lock()
			if _, ok := t.pending[id]; ok {
				problem.id = nil
			}
			t.mu.Unlock()
		}
	}
	_, _ = t.write(append(problem.answer(), '\n')) // Write learns of it
}

// Write takes what the SDK sends: a message each time.
func (t *stdio) Write(line []byte) (int, error) {
	n, err := t.write(line)
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		_ = json.Unmarshal(line, &messages) // it is the SDK's
	}
	for _, raw := range messages {
		if message, err := jsonrpc.DecodeMessage(raw); err == nil {
			if response, ok := message.(*jsonrpc.Response); ok {
				t.answered(response.ID)
			}
		}
	}
	return n, err
}

// A writing is a line to be written, and where to say how that went.
type writing struct {
	line []byte
	done chan error
}

// writeAll writes lines. A client that does not read holds it up, and nothing else.
func (t *stdio) writeAll(out io.Writer) {
	for {
		select {
		case w := <-t.writes:
			_, err := out.Write(w.line)
			w.done <- err
		case <-t.gone:
			return
		}
	}
}

var errNotRead = errors.New("the client does not read")

func (t *stdio) write(line []byte) (int, error) {
	w := writing{line, make(chan error, 1)}
	err := errNotRead
	select {
	case t.writes <- w:
		select {
		case err = <-w.done:
		case <-t.gone:
		}
	case <-t.gone:
	}
	if err == nil {
		return len(line), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = cmp.Or(t.err, err)
	return 0, err
}

// Close leaves the streams to their owner.
func (*stdio) Close() error { return nil }

func (t *stdio) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// forgottenAfter is after how long without a request being served one is given up that the SDK has not answered,
// which is not known to happen.
const forgottenAfter = 10 * time.Second

// settle waits until all requests have been answered, but those that last until the client goes. It gives up when
// nothing has been served for a while.
func (t *stdio) settle(ctx context.Context, giveUp time.Duration) {
	for served := time.Now(); time.Since(served) < giveUp; {
		t.mu.Lock()
		waiting, failed := 0, t.err != nil
		for _, p := range t.pending {
			if p.waits {
				waiting++
			}
		}
		t.mu.Unlock()
		if waiting == 0 || failed {
			return
		}
		if len(t.server.requests) > 0 {
			served = time.Now()
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return
		case <-t.done:
			return
		}
	}
}
