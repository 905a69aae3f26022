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

// maxBodies is how many bytes all requests may have together.
const maxBodies = 256 << 20

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
	w.Header().Set("Access-Control-Expose-Headers", sessionHeader)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, "+sessionHeader+", "+versionHeader)
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// readBody reads a request's body, within a time, which has begun, and a size, so that slow and large requests hold nothing else up.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (release func(), status int, problem string) {
	control := http.NewResponseController(w)
	if r.Body == nil || r.Body == http.NoBody {
		_ = control.SetReadDeadline(time.Time{})
		return func() {}, 0, ""
	}
	size := r.ContentLength
	if size < 0 {
		size = h.options.Body
	}
	if size > h.options.Body {
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request may have %d bytes", h.options.Body)
	}
	if h.bodies.Add(size) > maxBodies {
		h.bodies.Add(-size)
		w.Header().Set("Retry-After", "1")
		return nil, http.StatusServiceUnavailable, "there are too many large requests: try again later"
	}
	release = func() { h.bodies.Add(-size) }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.Body))
	_, _, tooMany := batch(body)
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // it would end what follows, too
	}
	if err == nil && isJSON(body) && !tooMany {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return release, 0, ""
	}
	release()
	if err == nil && tooMany {
		return nil, http.StatusBadRequest, tooManyInBatch
	}
	if err == nil {
		return nil, http.StatusBadRequest, notJSON
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request may have %d bytes", h.options.Body)
	}
	w.Header().Set("Connection", "close")
	return nil, http.StatusRequestTimeout, "the request did not come in time"
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
