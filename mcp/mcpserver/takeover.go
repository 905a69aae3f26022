package mcpserver

//lint:file-ignore SA1019 The newest version of the protocol discourages logs, but still has them, and those before do.

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A liveSession is a shared session that a handler has.
type liveSession struct {
	id       string
	endpoint *endpoint
	ready    chan struct{} // closed when it has been taken over, or could not be
	err      error         // why it could not be

	session   *sdk.ServerSession
	transport *sdk.StreamableServerTransport // nil if the session began here, in the SDK's handler

	mu      sync.Mutex
	known   sharedSession // as this handler has acted upon it
	touched time.Time     // when the record was last told that the session is in use
	idle    *time.Timer   // ends a session that was taken over
	active  int           // requests of it
}

// beganHere remembers a session that has begun at this handler, until it ends.
func (h *Handler) beganHere(e *endpoint, session *sdk.ServerSession) {
	live := &liveSession{id: session.ID(), endpoint: e, session: session, ready: make(chan struct{})}
	live.known.State.InitializeParams = session.InitializeParams()
	close(live.ready)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live[live.id] = live
	h.watch()
}

// watch begins to watch records, unless that is done already. The lock is held.
func (h *Handler) watch() {
	if h.unwatch == nil && !h.closed {
		var ctx context.Context
		ctx, h.unwatch = context.WithCancel(context.Background())
		go h.watchShared(ctx)
	}
}

// takeOver returns a session that other handlers have begun, if there is a record of it, or that this one has. The
// caller calls done after the request.
func (h *Handler) takeOver(ctx context.Context, e *endpoint, id string) (live *liveSession, done func(), err error) {
	h.mu.Lock()
	live = h.live[id]
	first := live == nil
	if first {
		live = &liveSession{id: id, endpoint: e, ready: make(chan struct{})}
		h.live[id] = live
		h.watch()
	}
	h.mu.Unlock()
	if first {
		if live.err = h.connect(ctx, live); live.err != nil {
			h.mu.Lock()
			delete(h.live, id)
			h.mu.Unlock()
		}
		close(live.ready)
	}
	select {
	case <-live.ready:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if live.err != nil {
		return nil, nil, live.err
	}
	if live.endpoint != e { // the token of another
		return nil, nil, errNoSession
	}
	return live, live.use(h.options.SessionTimeout), nil
}

// use counts a request of a session until done is called. A session that was taken over ends here some time after its
// last request; its record stays as long as any handler has it in use.
func (l *liveSession) use(timeout time.Duration) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active++
	if l.idle != nil {
		l.idle.Stop()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.active--
		if l.active == 0 && l.transport != nil {
			l.idle = time.AfterFunc(timeout, func() { _ = l.session.Close() })
		}
	}
}

// connect takes a session over from its record.
func (h *Handler) connect(ctx context.Context, live *liveSession) error {
	server := live.endpoint.server
	if server.options.Identity == "" {
		return errNoSession
	}
	data, err := h.options.Shared.Get(ctx, live.id)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid): // or the id cannot be that of a session
		return errNoSession
	case err != nil:
		return err
	}
	shared, err := decodeShared(data, server.options.Identity)
	if err != nil {
		return errors.Join(errNoSession, err)
	}
	if !h.open(server) {
		return errSessions
	}
	defer h.opened(server)
	live.transport = &sdk.StreamableServerTransport{SessionID: live.id}
	// The session outlasts the request, as one that begins does.
	ctx = context.WithValue(context.WithoutCancel(ctx), shareKey{}, h)
	live.session, err = server.sdk.Connect(ctx, live.transport, &sdk.ServerSessionOptions{State: &shared.State})
	if err != nil {
		return err
	}
	live.known.State, live.known.Canceled = shared.State, shared.Canceled // that was before it was here
	live.follow(ctx, shared)
	h.began(live.endpoint, live.session)
	return nil
}

// follow does what the client has told other handlers.
func (l *liveSession) follow(ctx context.Context, now *sharedSession) {
	l.mu.Lock()
	before := l.known
	l.known = *now
	l.mu.Unlock()

	for _, uri := range now.Subscriptions {
		if !slices.Contains(before.Subscriptions, uri) {
			l.deliver(ctx, "resources/subscribe", sdk.SubscribeParams{URI: uri}) // the file may be gone meanwhile
		}
	}
	for _, uri := range before.Subscriptions {
		if !slices.Contains(now.Subscriptions, uri) {
			l.deliver(ctx, "resources/unsubscribe", sdk.UnsubscribeParams{URI: uri})
		}
	}
	if before.State.LogLevel != now.State.LogLevel {
		l.deliver(ctx, "logging/setLevel", sdk.SetLoggingLevelParams{Level: now.State.LogLevel})
	}
	for _, id := range now.Canceled {
		if !before.hasCanceled(id) {
			l.deliver(ctx, "notifications/cancelled", map[string]any{"requestId": id})
		}
	}
}

// deliver has the SDK take a message as if the client had sent it here.
func (l *liveSession) deliver(ctx context.Context, method string, params any) {
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if !strings.HasPrefix(method, "notifications/") {
		message["id"] = "toolrun-" + rand.Text() // which no client has
	}
	text, err := json.Marshal(message)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(text))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(sessionHeader, l.id)
	l.serve(&discardWriter{header: http.Header{}}, r)
}

// A discardWriter is for an answer that nobody needs.
type discardWriter struct{ header http.Header }

func (w *discardWriter) Header() http.Header            { return w.header }
func (w *discardWriter) Write(data []byte) (int, error) { return len(data), nil }
func (w *discardWriter) WriteHeader(int)                {}
func (w *discardWriter) Flush()                         {}

// serve passes a request on to the SDK.
func (l *liveSession) serve(w http.ResponseWriter, r *http.Request) {
	if l.transport == nil {
		l.endpoint.stateful.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodDelete {
		_ = l.session.Close()
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if status, problem := acceptable(r); problem != "" {
		http.Error(w, problem, status)
		return
	}
	l.transport.ServeHTTP(w, r)
}

// acceptable says what is wrong with the headers of a request, as the SDK does for sessions that it has.
func acceptable(r *http.Request) (status int, problem string) {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	all := strings.Contains(accept, "*/*")
	events := all || strings.Contains(accept, "text/event-stream")
	if r.Method == http.MethodGet {
		if !events {
			return http.StatusBadRequest, "Accept must contain 'text/event-stream' for GET requests"
		}
		return 0, ""
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return http.StatusUnsupportedMediaType, "Content-Type must be 'application/json'"
	}
	if !events || !all && !strings.Contains(accept, "application/json") {
		return http.StatusBadRequest, "Accept must contain both 'application/json' and 'text/event-stream'"
	}
	return 0, ""
}

// serveShared serves a request of a session that may have begun elsewhere.
func (h *Handler) serveShared(w http.ResponseWriter, r *http.Request, e *endpoint) {
	id := r.Header.Get(sessionHeader)
	live, done, err := h.takeOver(r.Context(), e, id)
	if err == nil {
		defer done()
		err = h.touch(r.Context(), live)
	}
	if err != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		h.fail(w, r, err)
		return
	}
	live.serve(w, r)
	if r.Method == http.MethodDelete {
		// What other handlers have of it ends as they see this.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), sharedTimeout)
		defer cancel()
		h.forgetShared(ctx, id)
	}
}

// sharedTimeout is how long a handler waits for the store of records where no client waits for it.
const sharedTimeout = 10 * time.Second

func (h *Handler) forgetShared(ctx context.Context, id string) {
	err := h.options.Shared.Change(ctx, id, 0, func([]byte) ([]byte, error) { return nil, nil })
	if err != nil { // its time will be over
		h.options.Logger.WarnContext(ctx, "the record of a session could not be removed", "error", err)
	}
}

// touch tells the record, now and then, that the session is in use. The error is errNoSession if it has ended.
func (h *Handler) touch(ctx context.Context, live *liveSession) error {
	live.mu.Lock()
	due := time.Since(live.touched) > h.options.SessionTimeout/8
	if due {
		live.touched = time.Now()
	}
	live.mu.Unlock()
	if !due {
		return nil
	}
	err := h.changeShared(ctx, live.id, live.endpoint.server.options.Identity, func(*sharedSession) {})
	if errors.Is(err, errNoSession) {
		_ = live.session.Close()
	}
	return err
}

// watchShared follows what other handlers learn of the sessions that this one has, too.
func (h *Handler) watchShared(ctx context.Context) {
	for {
		err := h.options.Shared.Watch(ctx, func(id string) { h.sharedChanged(ctx, id) })
		if ctx.Err() != nil {
			return
		}
		h.options.Logger.WarnContext(ctx, "the records of sessions are not told of for a moment", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}

// sharedChanged looks at the record of a session, or of all that the handler has.
func (h *Handler) sharedChanged(ctx context.Context, id string) {
	h.mu.Lock()
	var changed []*liveSession
	if id == "" {
		changed = slices.Collect(maps.Values(h.live))
	} else if live := h.live[id]; live != nil {
		changed = append(changed, live)
	}
	h.mu.Unlock()
	for _, live := range changed {
		select {
		case <-live.ready:
		case <-ctx.Done():
			return
		}
		if live.err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
		data, err := h.options.Shared.Get(ctx, live.id)
		var now *sharedSession
		if err == nil {
			now, err = decodeShared(data, live.endpoint.server.options.Identity)
		}
		switch {
		case err == nil:
			live.follow(ctx, now)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotOurs):
			_ = live.session.Close()
		}
		cancel()
	}
}
