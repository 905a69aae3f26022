package python

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/internal/net/responses"
	"github.com/toolrun/toolrun/network"
)

// What urllib.request and requests are made of (guest/python/boot/network.py): functions of the host like those of the
// options, so that a request is a call that is counted and stopped as others are.

// hiddenName begins the names of functions that only the boot code can call.
const hiddenName = "toolrun:"

// networkPart is how many bytes of a response code gets at once at most.
const networkPart = 128 << 10

// withNetwork adds what requests, and the environment, need to the options.
func (o *RunOptions) withNetwork() {
	if len(o.Environment) > 0 {
		environment := maps.Clone(o.Environment)
		o.Functions = append(slices.Clip(o.Functions), Function{Name: hiddenName + "environment",
			Call: func(context.Context, []any, map[string]any) (any, error) { return environment, nil }})
	}
	if o.Network == nil {
		return
	}
	r := &requests{open: responses.New(o.Network)}
	o.Functions = append(slices.Clip(o.Functions),
		Function{Name: hiddenName + "begin", Call: r.begin}, Function{Name: hiddenName + "read", Call: r.read},
		Function{Name: hiddenName + "end", Call: r.end})
}

type requests struct {
	open *responses.Table
	last atomic.Int64
}

var errRequestArguments = &FunctionError{Name: "TypeError", Message: "these are not the arguments of a request"}

// begin takes a method, a URL, a list of [name, value], a body in base64 or None, what to do with redirects, and how
// many seconds the response may take to begin, or None.
func (r *requests) begin(ctx context.Context, args []any, _ map[string]any) (any, error) {
	if len(args) != 6 {
		return nil, errRequestArguments
	}
	request := &network.Request{}
	var ok [4]bool
	request.Method, ok[0] = args[0].(string)
	request.URL, ok[1] = args[1].(string)
	fields, isList := args[2].([]any)
	ok[2] = isList
	request.Redirect, ok[3] = args[4].(string)
	if ok != [4]bool{true, true, true, true} {
		return nil, errRequestArguments
	}
	for _, field := range fields {
		pair, _ := field.([]any)
		if len(pair) != 2 {
			return nil, errRequestArguments
		}
		request.Header = append(request.Header, network.Field{Name: fmt.Sprint(pair[0]), Value: fmt.Sprint(pair[1])})
	}
	if args[3] != nil {
		text, _ := args[3].(string)
		var err error
		if request.Body, err = base64.StdEncoding.DecodeString(text); err != nil {
			return nil, errRequestArguments
		}
	}
	id := r.last.Add(1)
	var within time.Duration
	if seconds, isNumber := asNumber(args[5]); isNumber && seconds > 0 && seconds < 1e6 {
		within = time.Duration(seconds * float64(time.Second))
	}
	got, err := r.open.Begin(ctx, id, request, within)
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			return nil, &FunctionError{
				Name:    "TimeoutError",
				Message: fmt.Sprintf("there was no response after %v seconds", args[5]),
				Code:    "timeout",
			}
		}
		return nil, requestError(err)
	}
	headers := [][2]string{}
	for _, h := range got.Header {
		headers = append(headers, [2]string{h.Name, h.Value})
	}
	return map[string]any{"number": id, "status": got.Status, "reason": got.StatusText,
		"url": got.URL, "redirected": got.Redirected,
		"headers": headers}, nil
}

func asNumber(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// read takes a number and how many bytes are wanted, and returns {data, done}.
func (r *requests) read(ctx context.Context, args []any, _ map[string]any) (any, error) {
	if len(args) != 2 {
		return nil, errRequestArguments
	}
	id, ok := asNumber(args[0])
	most, ok2 := asNumber(args[1])
	if !ok || !ok2 || most < 1 {
		return nil, errRequestArguments
	}
	data, done, err := r.open.Read(ctx, int64(id), int(min(most, networkPart)))
	if err != nil {
		return nil, requestError(err)
	}
	return map[string]any{"data": base64.StdEncoding.EncodeToString(data), "done": done}, nil
}

// end takes a number.
func (r *requests) end(_ context.Context, args []any, _ map[string]any) (any, error) {
	if len(args) == 1 {
		if id, ok := asNumber(args[0]); ok {
			r.open.End(int64(id))
		}
	}
	return nil, nil
}

// requestError is what code gets of an error. Nothing of the host's is for it.
func requestError(err error) error {
	if errors.Is(err, ErrSuspend) {
		return err
	}
	if e, ok := errors.AsType[*network.Error](err); ok {
		return &FunctionError{Name: "OSError", Message: e.Message, Code: string(e.Kind)}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &FunctionError{Name: "OSError", Message: "the request was stopped"}
	}
	return &FunctionError{Name: "OSError", Message: err.Error()}
}
