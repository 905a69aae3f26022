package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
)

// Outside is what lies beyond the sandbox: other tools and the network, as far as the host grants them. The texts of
// errors are for whoever wrote the script.
type Outside interface {
	// CallTool calls a tool, with JSON as its input.
	CallTool(tool string, input []byte) (result []byte, err error)
	// Do makes a request. The context ends it, and the reading of its body.
	Do(ctx context.Context, request Request) (*Response, error)
}

// A Request is one over the network.
type Request struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"` // a character stands for a byte
	// Redirect is "follow", or "manual" for a response that is a redirect itself.
	Redirect string `json:"redirect"`
	Body     []byte `json:"-"`
}

// A Response is the answer to a request. Close its body.
type Response struct {
	Status     int           `json:"status"`
	StatusText string        `json:"statusText"`
	URL        string        `json:"url"`
	Headers    [][2]string   `json:"headers"`
	Body       io.ReadCloser `json:"-"`
}

// Inside is an Outside that has nothing.
type Inside struct{}

// CallTool implements [Outside].
func (Inside) CallTool(string, []byte) ([]byte, error) {
	return nil, errors.New("tools can be called only where toolrun runs the shell")
}

// Do implements [Outside].
func (Inside) Do(context.Context, Request) (*Response, error) {
	return nil, errors.New("requests can be made only where toolrun runs the shell")
}

// CallTool calls a tool with an input that is encoded as JSON.
func (c *Context) CallTool(tool string, input any) ([]byte, error) {
	data, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	return c.Outside.CallTool(tool, data)
}
