package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxBodies is how many bytes all requests may have together that are being read or served, and maxServerBodies those of one server, so
// that its clients leave others some.
const (
	maxBodies       = 256 << 20
	maxServerBodies = maxBodies / 2
)

// foreign says why a request is not for this handler, or "". Whoever makes a browser believe that a name is that of this machine has it
// send that name; whoever has another page use the handler has it send where the page is from.
func (o *HandlerOptions) foreign(r *http.Request) string {
	if !o.ownHost(r.Host) {
		return fmt.Sprintf("this server is not for the host %q", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !o.ownOrigin(r, origin) {
		return fmt.Sprintf("this server is not for pages from %q", origin)
	}
	return ""
}

func (o *HandlerOptions) ownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(o.Hosts, func(own string) bool {
		return own == "*" || strings.EqualFold(own, name) || strings.EqualFold(own, host)
	})
}

func (o *HandlerOptions) ownOrigin(r *http.Request, origin string) bool {
	if slices.Contains(o.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// crossOrigin lets pages of other origins use the handler that may do so, and reports whether that was all that the request is for.
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

var errBodies = errors.New("there are too many large requests: try again later")

// readBody reads a request's body, within a time, which has begun, and a size, so that slow and large requests hold nothing else up.
// What has come, and not what has been announced, counts against what all may have, until it is released.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, e *endpoint) (release func(), status int, problem string) {
	if r.ContentLength > h.options.Body {
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request may have %d bytes", h.options.Body)
	}
	held := 0
	hold := func(n int) bool {
		held += n
		all, own := h.bodies.Add(int64(n)), e.bodies.Add(int64(n))
		return all <= maxBodies && own <= maxServerBodies
	}
	release = func() {
		h.bodies.Add(-int64(held))
		e.bodies.Add(-int64(held))
	}
	var body []byte
	var err error
	if r.Body != nil && r.Body != http.NoBody {
		body, err = readHeld(http.MaxBytesReader(w, r.Body, h.options.Body), hold)
	}
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // it would end what follows, too
		if r.Method != http.MethodPost {
			return release, 0, ""
		}
		if problem = notMessages(body); problem == "" {
			r.Body = io.NopCloser(bytes.NewReader(body))
			return release, 0, ""
		}
	}
	release()
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil:
		return nil, http.StatusBadRequest, problem
	case tooLarge:
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request may have %d bytes", h.options.Body)
	case errors.Is(err, errBodies):
		w.Header().Set("Retry-After", "1")
		return nil, http.StatusServiceUnavailable, err.Error()
	}
	w.Header().Set("Connection", "close")
	return nil, http.StatusRequestTimeout, "the request did not come in time"
}

// readHeld reads all that there is, as long as it may hold so much memory.
func readHeld(r io.Reader, hold func(n int) bool) ([]byte, error) {
	var body []byte
	for {
		if room := cap(body); len(body) == room {
			body = slices.Grow(body, max(room, 4<<10))
			if !hold(cap(body) - room) {
				return nil, errBodies
			}
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// A deadlineWriter gives a client time for each message, and not for all of them together, which can take as long as a call. There is no
// time that runs between messages: over HTTP/2 it would end the stream.
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

// Guard returns a handler that refuses foreign hosts and origins as this one does, for what is served beside it.
func (h *Handler) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if problem := h.options.foreign(r); problem != "" {
			http.Error(w, problem, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
