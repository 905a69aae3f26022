package responses

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/runtime"
)

// Kinds of what a tape gets: the response to a request, what is there of its body at once, and a part of the body.
const (
	tapeRequest = "request"
	tapeEarly   = "early"
	tapeBody    = "body"
)

// head is a response without its body, as it is recorded. Headers can have any bytes.
type head struct {
	Status     int         `json:"status"`
	StatusText []byte      `json:"statusText,omitempty"`
	URL        string      `json:"url"`
	Redirected bool        `json:"redirected,omitempty"`
	Header     [][2][]byte `json:"header,omitempty"`
	Failure    *failure    `json:"failure,omitempty"`
}

// part is a part of a body.
type part struct {
	Data    []byte   `json:"data,omitempty"`
	Done    bool     `json:"done,omitempty"`
	Failure *failure `json:"failure,omitempty"`
}

// failure is an error, as far as code gets it.
type failure struct {
	Kind    network.Kind `json:"kind,omitempty"`
	Text    string       `json:"text"`
	Stopped bool         `json:"stopped,omitempty"` // by whoever made the request
}

func newFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{
		Text: err.Error(), Stopped: errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded),
	}
	if e, ok := errors.AsType[*network.Error](err); ok {
		f.Kind = e.Kind
	}
	return f
}

func (f *failure) error() error {
	switch {
	case f == nil:
		return nil
	case f.Stopped:
		return context.Canceled
	case f.Kind != "":
		return &network.Error{Kind: f.Kind, Message: f.Text}
	}
	return errors.New(f.Text)
}

// taped returns what live does, or what the tape of the run says that it did. It is nil if the run has no tape.
func taped[T any](ctx context.Context, kind, about string, live func() T) (*T, error) {
	tape, call := runtime.TapeOf(ctx)
	if tape == nil {
		return nil, nil
	}
	answer, err := tape.Answer(ctx, kind, call, about, func() []byte {
		data, _ := json.Marshal(live()) // structs of texts, numbers and bytes do not fail
		return data
	})
	if err != nil {
		return nil, err
	}
	var v T
	if err := json.Unmarshal(answer, &v); err != nil {
		return nil, fmt.Errorf("the recording is damaged: %w", err)
	}
	return &v, nil
}

// Begin makes a request. The response has to begin within a time, or the request ends with [context.Canceled], as End
// does it; zero is for as long as the context lasts. If there is no error, call Read of the table until it is done, or
// End. All of it ends with the context. The error is a [*network.Error] or that of the context. If the run is recorded,
// so is the response; if it is played back, no request is made, and the response has no body of its own.
func (r *Request) Begin(
	ctx context.Context, request *network.Request, within time.Duration,
) (*network.Response, error) {
	var got *network.Response
	var failed error
	recorded, err := taped(ctx, tapeRequest, describe(request), func() head {
		if got, failed = r.begin(ctx, request, within); failed != nil {
			return head{Failure: newFailure(failed)}
		}
		h := head{Status: got.Status, StatusText: []byte(got.StatusText), URL: got.URL, Redirected: got.Redirected}
		for _, f := range got.Header {
			h.Header = append(h.Header, [2][]byte{[]byte(f.Name), []byte(f.Value)})
		}
		return h
	})
	switch {
	case err != nil:
		r.End()
		return nil, err
	case failed != nil:
		return nil, failed
	case got != nil:
		return got, nil
	case recorded == nil:
		return r.begin(ctx, request, within)
	}
	r.End() // it was made when the run was recorded
	if recorded.Failure != nil {
		return nil, recorded.Failure.error()
	}
	got = &network.Response{Status: recorded.Status, StatusText: string(recorded.StatusText),
		URL: recorded.URL, Redirected: recorded.Redirected}
	for _, f := range recorded.Header {
		got.Header = append(got.Header, network.Field{Name: string(f[0]), Value: string(f[1])})
	}
	return got, nil
}

// describe says what a request is, for people who compare two: with a digest of what is not to be seen at once.
func describe(request *network.Request) string {
	more, _ := json.Marshal([]any{request.Header, request.Body, request.Redirect})
	sum := sha256.Sum256(more)
	return fmt.Sprintf("%s %s (headers and body %x)", request.Method, request.URL, sum[:8])
}

// Early returns what Read does, if there is something within a time, and ok. Otherwise Read has it, or the error.
func (t *Table) Early(ctx context.Context, id int64, size int, most time.Duration) (data []byte, done, ok bool) {
	live := func() (data []byte, done, ok bool) {
		if !t.comes(id, most) {
			return nil, false, false
		}
		data, done, err := t.ReadWithin(id, size, -1)
		return data, done, err == nil
	}
	type early struct {
		part
		OK bool `json:"ok"`
	}
	recorded, err := taped(ctx, tapeEarly, "", func() early {
		data, done, ok := live()
		return early{part{Data: data, Done: done}, ok}
	})
	switch {
	case err != nil:
		return nil, false, false
	case recorded == nil:
		return live()
	}
	return recorded.Data, recorded.Done, recorded.OK
}

// Read returns what comes next of a response, at most size bytes, as soon as there is something. done means that
// nothing follows. The error is a [*network.Error], or another one if there is no such response.
func (t *Table) Read(ctx context.Context, id int64, size int) (data []byte, done bool, err error) {
	recorded, err := taped(ctx, tapeBody, fmt.Sprint(id, " ", size), func() part {
		data, done, err := t.ReadWithin(id, size, -1)
		return part{data, done, newFailure(err)}
	})
	switch {
	case err != nil:
		return nil, false, err
	case recorded == nil:
		return t.ReadWithin(id, size, -1)
	}
	return recorded.Data, recorded.Done, recorded.Failure.error()
}
