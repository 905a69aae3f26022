package fetch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/internal/net/responses"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// moment is how long a response waits for the first bytes of its body, which most have at once.
const moment = time.Millisecond

// part is how many bytes of a response a script gets at once.
const part = 128 << 10

// Requests are what fetch (internal/fetching.js) is made of: functions of the host like those of the options of a run,
// so that a request is a call that is pending, counted and stopped as others are.
type Requests struct{ open *responses.Table }

// NewRequests returns the requests of a run, which n makes.
func NewRequests(n network.Run) *Requests { return &Requests{responses.New(n)} }

// Begin takes a number, a method, a URL, what to do with redirects, a list of names and values of headers, and the
// bytes of a body or null. It returns {status, statusText, url, redirected, headers, data, done}, the last two as Read
// does.
func (r *Requests) Begin(ctx context.Context, args []any) (any, error) {
	id, err := number(args)
	if err != nil || len(args) != 6 {
		return nil, errArguments
	}
	request := &network.Request{}
	var ok [4]bool
	request.Method, ok[0] = args[1].(string)
	request.URL, ok[1] = args[2].(string)
	request.Redirect, ok[2] = args[3].(string)
	var fields []any
	fields, ok[3] = args[4].([]any)
	if ok != [4]bool{true, true, true, true} || len(fields)%2 != 0 {
		return nil, errArguments
	}
	for i := 0; i < len(fields); i += 2 {
		name, ok1 := fields[i].(string)
		value, ok2 := fields[i+1].(string)
		if !ok1 || !ok2 {
			return nil, errArguments
		}
		request.Header = append(request.Header, network.Field{Name: name, Value: toBytes(value)})
	}
	if args[5] != nil {
		if request.Body, ok[0] = args[5].([]byte); !ok[0] {
			return nil, errArguments
		}
	}
	got, err := r.open.Begin(ctx, id, request, 0)
	if err != nil {
		return nil, failure(err)
	}
	headers := []any{}
	for _, h := range got.Header {
		headers = append(headers, h.Name, fromBytes(h.Value))
	}
	answer := map[string]any{
		"status": got.Status, "statusText": fromBytes(got.StatusText), "url": got.URL,
		"redirected": got.Redirected, "headers": headers,
		"data": nil, "done": false,
	}
	if data, done, ok := r.open.Early(ctx, id, part, moment); ok {
		answer["done"] = done
		if len(data) > 0 {
			answer["data"] = data
		}
	}
	return answer, nil
}

// Read takes a number and returns {data, done}. data is null if it is empty.
func (r *Requests) Read(ctx context.Context, args []any) (any, error) {
	id, err := number(args)
	if err != nil {
		return nil, err
	}
	data, done, err := r.open.Read(ctx, id, part)
	if err != nil {
		return nil, failure(err)
	}
	if len(data) == 0 {
		return map[string]any{"data": nil, "done": done}, nil
	}
	return map[string]any{"data": data, "done": done}, nil
}

// End takes a number.
func (r *Requests) End(_ context.Context, args []any) (any, error) {
	id, err := number(args)
	if err == nil {
		r.open.End(id)
	}
	return nil, err
}

// errArguments is for scripts that have got hold of what only built-in modules call.
var errArguments = &host.Failure{Name: "TypeError", Message: "these are not the arguments of a request"}

func number(args []any) (int64, error) {
	if len(args) > 0 {
		if n, ok := args[0].(float64); ok {
			return int64(n), nil
		}
	}
	return 0, errArguments
}

// failure is what a script gets of an error. Nothing of the host's is for it.
func failure(err error) error {
	if errors.Is(err, host.ErrSuspend) {
		return err
	}
	if e, ok := errors.AsType[*network.Error](err); ok {
		return &host.Failure{Name: "TypeError", Message: e.Message, Code: string(e.Kind)}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &host.Failure{Name: "TypeError", Message: "the request was stopped"}
	}
	return &host.Failure{Name: "TypeError", Message: fmt.Sprint(err)}
}

// toBytes turns characters below U+0100 into bytes, as JavaScript has headers, and fromBytes does the reverse.
func toBytes(text string) string {
	data := make([]byte, 0, len(text))
	for _, c := range text {
		data = append(data, byte(c))
	}
	return string(data)
}

func fromBytes(data string) string {
	text := make([]rune, len(data))
	for i := range len(data) {
		text[i] = rune(data[i])
	}
	return string(text)
}
