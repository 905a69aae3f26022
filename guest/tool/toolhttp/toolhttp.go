// Package toolhttp makes requests over the network for tools that are written with package tool, through [net/http]:
//
//	response, err := toolhttp.Client.Get("https://api.example.com/weather")
//
// For libraries that use [http.DefaultClient]:
//
//	http.DefaultTransport = toolhttp.Transport{}
//
// The tool must ask for its requests in its Spec (tool.Asks), and the operator must grant them and allow them in the
// project. Outside of toolrun, every request fails.
//
// Requests work as with other transports: bodies of responses are streams, several requests can be in progress, and the
// context ends them. Differences: the body of a request is read to its end before it is made; there are no cookies and
// proxies; some headers, such as Host, cannot be set.
package toolhttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client makes requests, and follows redirects as others do.
var Client = &http.Client{Transport: Transport{}}

// Secret returns what stands for a secret of the operator, such as the token of an API, in a header or in a value of
// the query of a request. The request gets the secret itself, outside of the tool, if it goes to a host of the secret.
func Secret(name string) string { return "secret-" + name + "-is-put-in-outside" }

// Transport makes requests. It is safe for concurrent use.
type Transport struct{}

// head is that of a request, and fields are headers as the host has them: a character for each byte.
type head struct {
	Method   string   `json:"method"`
	URL      string   `json:"url"`
	Headers  []fields `json:"headers"`
	Redirect string   `json:"redirect"`
}

type fields [2]string

// begun is the head of a response.
type begun struct {
	Status     int      `json:"status"`
	StatusText string   `json:"statusText"`
	Headers    []fields `json:"headers"`
}

// An Error is why there is no response, or why it has ended. The text is for the author of the tool, or for a model.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// RoundTrip implements [http.RoundTripper]. The error is an [*Error], or that of the context.
func (Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		defer request.Body.Close()
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	ctx := request.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := head{Method: request.Method, URL: request.URL.String(), Redirect: "manual"} // the client follows them
	for name, values := range request.Header {
		for _, value := range values {
			h.Headers = append(h.Headers, fields{name, toChars(value)})
		}
	}
	slices.SortFunc(h.Headers, func(a, b fields) int { return slices.Compare(a[:], b[:]) })
	data, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	number, err := begin(data, body)
	if err != nil {
		return nil, err
	}
	for {
		answer, err := response(number, turn)
		if err != nil {
			return nil, err
		}
		if len(answer) > 0 {
			return newResponse(request, number, answer)
		}
		if err := pause(ctx); err != nil {
			end(number)
			return nil, err
		}
	}
}

// turn is how long the host waits until other goroutines have their turn, in milliseconds.
const turn = 5

// pause lets other goroutines run, and returns the error of a context that has ended.
func pause(ctx context.Context) error {
	runtime.Gosched()
	if late, ok := ctx.Deadline(); ok && !time.Now().Before(late) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

func newResponse(request *http.Request, number uint32, answer []byte) (*http.Response, error) {
	var got begun
	if err := json.Unmarshal(answer, &got); err != nil {
		end(number)
		return nil, fmt.Errorf("the head of the response: %w", err)
	}
	r := &http.Response{
		Status: strconv.Itoa(got.Status) + " " + toBytes(got.StatusText), StatusCode: got.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, ContentLength: -1, Request: request,
		Body: &body{ctx: request.Context(), number: number},
	}
	for _, field := range got.Headers {
		r.Header.Add(field[0], toBytes(field[1]))
	}
	if n, err := strconv.ParseInt(r.Header.Get("Content-Length"), 10, 64); err == nil {
		r.ContentLength = n
	}
	return r, nil
}

// body is the body of a response.
type body struct {
	ctx    context.Context
	number uint32
	err    error
}

var errClosed = errors.New("http: read on closed response body")

func (b *body) Read(p []byte) (int, error) {
	for b.err == nil && len(p) > 0 {
		n, done, err := read(b.number, p, turn)
		switch {
		case err != nil:
			b.err = err
		case done:
			b.err = io.EOF
		case n == 0:
			if b.err = pause(b.ctx); b.err != nil {
				end(b.number)
			}
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, b.err
}

func (b *body) Close() error {
	if b.err == nil {
		b.err = errClosed
		end(b.number)
	}
	return nil
}

// toChars turns bytes into characters, and toBytes the reverse.
func toChars(bytes string) string {
	var b strings.Builder
	for i := range len(bytes) {
		b.WriteRune(rune(bytes[i]))
	}
	return b.String()
}

func toBytes(chars string) string {
	b := make([]byte, 0, len(chars))
	for _, c := range chars {
		b = append(b, byte(c))
	}
	return string(b)
}
