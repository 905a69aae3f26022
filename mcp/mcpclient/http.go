package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// answerTime is how long a server may take to answer anything except a call.
	answerTime = 30 * time.Second
	// maxErrorBody limits how much of the body of an error response is read, in bytes.
	maxErrorBody = 64 << 10
	// maxRedirects limits the redirections of a request.
	maxRedirects = 5
)

// callContext marks the contexts of calls, which have their own timeout.
type callContext struct{}

// A web is the round tripper through which the SDK talks to a server over HTTP. It checks each request and response.
type web struct {
	endpoint  *url.URL
	headers   map[string]string
	filter    *filter
	transport http.RoundTripper
	ctx       context.Context // ends with the connection
	fail      func(error)
}

// transportOf returns the SDK's transport to the server.
func (w *web) transportOf(kind Transport) sdk.Transport {
	client := &http.Client{Transport: w, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("the server redirects too often")
		}
		return w.checkOrigin(req.URL)
	}}
	if kind == SSE {
		return &sdk.SSEClientTransport{Endpoint: w.endpoint.String(), HTTPClient: client, MaxEventSize: -1}
	}
	return &sdk.StreamableClientTransport{Endpoint: w.endpoint.String(), HTTPClient: client, MaxEventSize: -1}
}

// checkOrigin keeps requests on the configured server, because they have secrets in their headers and files in their
// bodies.
func (w *web) checkOrigin(to *url.URL) error {
	if to.Scheme != w.endpoint.Scheme || !strings.EqualFold(to.Host, w.endpoint.Host) {
		return fmt.Errorf("the server sends requests on to another one, %s://%s: if that is right, put it into the "+
			"configuration",
			to.Scheme, to.Host)
	}
	return nil
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := w.checkOrigin(req.URL); err != nil {
		return nil, err
	}
	outer := req.Context()
	ctx, cancel := context.WithCancelCause(outer)
	stop := context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })
	end := func() { stop(); cancel(nil) }
	req = req.Clone(ctx)
	for name, value := range w.headers {
		req.Header.Set(name, value)
	}
	// A stream may last, but its response must begin in time.
	streams := req.Method == http.MethodGet || req.Header.Get("Mcp-Method") == "subscriptions/listen"
	timer := time.AfterFunc(answerTime, func() { cancel(errConnectTime) })
	if ctx.Value(callContext{}) != nil {
		timer.Stop()
	}
	resp, err := w.transport.RoundTrip(req)
	if streams {
		timer.Stop()
	}
	if err != nil {
		timer.Stop()
		silent := ctx.Err() != nil && outer.Err() == nil && w.ctx.Err() == nil
		if silent {
			err = context.Cause(ctx)
		}
		end()
		if req.Method == http.MethodGet && (silent || w.ctx.Err() != nil) {
			return noStream(req), nil
		}
		return nil, err
	}
	resp.Body = &body{resp.Body, func() { timer.Stop(); end() }}
	if err := w.limit(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// noStream is the response of a server that has no stream. It replaces a missing response, also when the connection
// ends, because the SDK would retry forever.
func noStream(req *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// limit wraps the body of a response so that it is filtered and limited.
func (w *web) limit(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxErrorBody), resp.Body}
	case kind == "text/event-stream":
		resp.Body = newEventReader(resp.Body, w.filter, w.fail)
	case kind == "application/json":
		defer resp.Body.Close()
		data, err := io.ReadAll(io.LimitReader(resp.Body, int64(w.filter.limit)+1))
		if err == nil && len(data) > w.filter.limit {
			err = &tooLargeError{w.filter.limit}
			w.fail(err)
		}
		if err != nil {
			return err
		}
		resp.Body = io.NopCloser(bytes.NewReader(w.filter.message(data)))
	default:
		resp.Body.Close() // the SDK reads only the header
		resp.Body = http.NoBody
	}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return nil
}

// A body calls end when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}
