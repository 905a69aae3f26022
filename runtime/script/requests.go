package script

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/internal/net/responses"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
)

const (
	// moment is how long a response waits for the first bytes of its body, which most have at once.
	moment = time.Millisecond
	// part is how many bytes of a response code gets at once at most.
	part = 128 << 10
	// maxWithin is how many seconds code can wait for a response to begin. More is for as long as the run lasts.
	maxWithin = 1e6
)

// Requests are the requests of one run, as functions of the host for the JavaScript or Python of which fetch, say, is
// made. So a request is a call that is counted and stopped as others are. The arguments may be an attacker's. Bytes
// cross as the language does that, []byte or base64, and headers as texts, of which each character is a byte.
type Requests struct {
	table   *responses.Table
	failure string
}

// NewRequests returns the requests of a run, which n makes. failure is the name of their errors for the code.
func NewRequests(n network.Run, failure string) *Requests {
	return &Requests{responses.New(n), failure}
}

// Begin opens a request, which [Requests.End] can end from now on, and returns the function that makes it. The
// arguments are a number, a method, a URL, what to do with redirects, a list of names and values of headers, the bytes
// of a body or nil, and, if the response has to begin in some time, how many seconds. The function returns {status,
// statusText, url, redirected, headers, data, done}, the last two as [Requests.Read] does.
func (r *Requests) Begin(args []any) func(context.Context) (any, error) {
	id, ok := number(args, 0)
	if !ok {
		return func(context.Context) (any, error) { return nil, errArguments }
	}
	made := r.table.Open(int64(id))
	return func(ctx context.Context) (any, error) {
		request, err := r.parse(args[1:])
		if err != nil {
			made.End()
			return nil, err
		}
		seconds, within := number(args, 6)
		if within = within && seconds > 0 && seconds < maxWithin; !within {
			seconds = 0
		}
		got, err := made.Begin(ctx, request, time.Duration(seconds*float64(time.Second)))
		switch {
		case within && errors.Is(err, context.Canceled) && ctx.Err() == nil:
			return nil, &FunctionError{Name: "TimeoutError", Code: "timeout",
				Message: fmt.Sprintf("there was no response after %v seconds", args[6])}
		case err != nil:
			return nil, r.failed(err)
		}
		headers := []any{}
		for _, f := range got.Header {
			headers = append(headers, responses.Text(f.Name), responses.Text(f.Value))
		}
		data, done, _ := r.table.Early(ctx, int64(id), part, moment)
		answer := body(data, done)
		answer["status"], answer["statusText"] = got.Status, responses.Text(got.StatusText)
		answer["url"], answer["redirected"], answer["headers"] = got.URL, got.Redirected, headers
		return answer, nil
	}
}

// parse returns the request that the arguments of Begin after the first one describe.
func (r *Requests) parse(args []any) (*network.Request, error) {
	if len(args) < 5 {
		return nil, errArguments
	}
	request := &network.Request{}
	var ok [4]bool
	request.Method, ok[0] = args[0].(string)
	request.URL, ok[1] = args[1].(string)
	request.Redirect, ok[2] = args[2].(string)
	var fields []any
	fields, ok[3] = args[3].([]any)
	if ok != [4]bool{true, true, true, true} || len(fields)%2 != 0 {
		return nil, errArguments
	}
	for i := 0; i < len(fields); i += 2 {
		name, ok1 := fields[i].(string)
		value, ok2 := fields[i+1].(string)
		if !ok1 || !ok2 {
			return nil, errArguments
		}
		field, err := responses.NewField(name, value)
		if err != nil {
			return nil, r.failed(err)
		}
		request.Header = append(request.Header, field)
	}
	switch data := args[4].(type) {
	case nil:
	case []byte:
		request.Body = data
	case string:
		var err error
		if request.Body, err = base64.StdEncoding.DecodeString(data); err != nil {
			return nil, errArguments
		}
	default:
		return nil, errArguments
	}
	return request, nil
}

// Read takes a number and how many bytes are wanted, or nothing for as many as there may be. It returns {data, done}.
// data is nil if it is empty.
func (r *Requests) Read(ctx context.Context, args []any) (any, error) {
	id, ok := number(args, 0)
	most, limited := number(args, 1)
	if !ok || limited && !(most >= 1) {
		return nil, errArguments
	}
	if !limited {
		most = part
	}
	data, done, err := r.table.Read(ctx, int64(id), int(min(most, part)))
	if err != nil {
		return nil, r.failed(err)
	}
	return body(data, done), nil
}

func body(data []byte, done bool) map[string]any {
	if len(data) == 0 {
		return map[string]any{"data": nil, "done": done}
	}
	return map[string]any{"data": data, "done": done}
}

// End takes a number.
func (r *Requests) End(_ context.Context, args []any) (any, error) {
	id, ok := number(args, 0)
	if !ok {
		return nil, errArguments
	}
	r.table.End(int64(id))
	return nil, nil
}

// errArguments is for code that has got hold of what is not for it.
var errArguments = &FunctionError{Name: "TypeError", Message: "these are not the arguments of a request"}

// number returns an argument that is a number.
func number(args []any, i int) (float64, bool) {
	if i >= len(args) {
		return 0, false
	}
	switch n := args[i].(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// failed is what code gets of an error. Nothing of the host's is for it.
func (r *Requests) failed(err error) error {
	if errors.Is(err, sandbox.ErrSuspend) {
		return err
	}
	failure := &FunctionError{Name: r.failure, Message: err.Error()}
	if e, ok := errors.AsType[*network.Error](err); ok {
		failure.Message, failure.Code = e.Message, string(e.Kind)
	} else if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		failure.Message = "the request was stopped"
	}
	return failure
}
