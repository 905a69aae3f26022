package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/budget"
	"github.com/toolrun/toolrun/internal/net/sameorigin"
)

// foreign says why a request is not for this handler, or "". Whoever makes a browser believe that a name is that of
// this machine has it send that name; whoever has another page use the handler has it send where the page is from.
func (o *HandlerOptions) foreign(r *http.Request) string {
	own := sameorigin.Server{Hosts: o.Hosts, Origins: o.Origins,
		OriginAdvice: "; to allow them, start toolrun mcp with --allow-origin and their origin"}
	return own.Refuse(r)
}

// crossOrigin lets pages of other origins use the handler that may do so, and reports whether that was all that the
// request is for.
//
// https://fetch.spec.whatwg.org/#http-cors-protocol
func (o *HandlerOptions) crossOrigin(w http.ResponseWriter, r *http.Request) (done bool) {
	origin := r.Header.Get("Origin")
	if !slices.Contains(o.Origins, origin) {
		return false
	}
	w.Header().Add("Vary", "Origin")
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", sessionHeader+", Retry-After, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, "+
		strings.Join([]string{sessionHeader, versionHeader, methodHeader, nameHeader}, ", "))
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// readBody reads a request's messages, within a time, which has begun, and a size, so that slow and large requests
// hold nothing else up, and replaces its body by what the SDK gets. What has come, and not what has been announced,
// counts against what all may have. The calls in the messages get their turns in the given place. What is returned
// must be called when the request has been served. There are no messages if there is no body.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, e *endpoint,
	place *turn) (m *messages, served func(), problem *refusal) {
	if r.Method != http.MethodPost { // the server reads what there is, up to a limit of its own
		r.Body = http.NoBody
		return nil, func() {}, nil
	}
	if r.ContentLength > h.options.Body {
		return nil, nil, h.bodyTooLarge(nil, r.Body)
	}
	l := &load{holding: budget.Holding{
		Memories: []*budget.Memory{e.memory, h.memory}, Done: r.Context().Done(), Patience: patience,
	}}
	l.use()
	if m, problem = h.readMessages(w, r, &l.holding); problem != nil {
		l.letGo()
		return nil, nil, problem
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // it would end what follows, too
	r.Body = io.NopCloser(bytes.NewReader(m.text()))
	keys := m.keys()
	e.server.passing.put(m.list, l, place)
	return m, func() {
		forget := func() {
			e.server.passing.forget(keys...)
			l.letGo()
		}
		if len(keys) > 0 && r.Context().Err() != nil { // in a session, the call goes on without the client
			time.AfterFunc(takenAfter, forget)
		} else {
			forget()
		}
	}, nil
}

// takenAfter is after how long the SDK has passed a call on for certain, unless it never will.
const takenAfter = 10 * time.Second

// bodyTooLarge refuses a request whose body goes on with rest.
func (h *Handler) bodyTooLarge(body []byte, rest io.Reader) *refusal {
	problem := tooLarge("a request may have %d bytes. %s", h.options.Body, sendLess)
	problem.id = requestID(body, rest)
	return problem
}

func (h *Handler) readMessages(w http.ResponseWriter, r *http.Request, held *budget.Holding) (*messages, *refusal) {
	body, more, err := budget.ReadAll(r.Body, r.ContentLength, h.options.Body, held)
	switch {
	case more != nil:
		return nil, h.bodyTooLarge(body, more)
	case errors.Is(err, budget.ErrBusy):
		return nil, &refusal{status: http.StatusServiceUnavailable, text: err.Error()}
	case err != nil:
		w.Header().Set("Connection", "close")
		return nil, &refusal{status: http.StatusRequestTimeout, text: "the request did not come in time"}
	}
	whole := false
	for name := range r.Header {
		whole = whole || strings.HasPrefix(name, paramHeader)
	}
	m, problem := read(body, whole)
	if problem != nil {
		return nil, problem
	}
	if !m.hasArguments() { // nothing of the body is needed
		held.Drop()
	}
	if !held.Decode(m.cost) {
		return nil, &refusal{status: http.StatusServiceUnavailable, text: budget.ErrBusy.Error()}
	}
	return m, nil
}

// paramHeader begins the names of headers that have arguments of a call.
const paramHeader = "Mcp-Param-"

// refuse answers a request whose messages are not passed on: by the protocol, if it is about one of them.
func (r *refusal) refuse(w http.ResponseWriter) {
	switch {
	case r.status == http.StatusServiceUnavailable:
		tooMuch(w, r.status, r.text)
	case r.id == nil:
		http.Error(w, r.text, r.status)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.status)
		_, _ = w.Write(r.answer())
	}
}

// A deadlineWriter gives a client time for each message, and not for all of them together, which can take as long as
// a call. There is no time that runs between messages: over HTTP/2 it would end the stream.
type deadlineWriter struct {
	http.ResponseWriter
	timeout time.Duration
}

// hurry begins the time that a client has, and rest ends it. Not all servers can do that.
func (w *deadlineWriter) hurry() {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeout))
}

func (w *deadlineWriter) rest() {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Time{})
}

func (w *deadlineWriter) Write(data []byte) (int, error) {
	w.hurry()
	defer w.rest()
	return w.ResponseWriter.Write(data)
}

// FlushError is for http.ResponseController.
func (w *deadlineWriter) FlushError() error {
	w.hurry()
	defer w.rest()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Guard returns a handler that refuses foreign hosts and origins as h does, and otherwise calls next. It protects
// other endpoints of the same server.
func (h *Handler) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if problem := h.options.foreign(r); problem != "" {
			http.Error(w, problem, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Allow reports whether the rate of a server ([Options].Rate) admits another request, and counts it. Use it for
// requests that do not reach [Handler.ServeHTTP], such as those of a page for people. The handler must not have
// [HandlerOptions].NewSession.
func (h *Handler) Allow(s *Server) bool {
	if h.options.NewSession != nil {
		return false
	}
	e, err := h.endpoint(nil, s)
	if err != nil {
		return false
	}
	if h.shares(s) {
		h.share.asked.Store(true)
	}
	return e.limiter.Allow()
}
