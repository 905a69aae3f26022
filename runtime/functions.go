package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/guest"
)

// install defines the run's functions and globals.
func (in *instance) install() error {
	r := in.run
	functions, globals := []any{}, []any{}
	for _, f := range r.options.Functions {
		path, err := splitName(f.Name)
		if err != nil {
			return err
		}
		functions = append(functions, map[string]any{"path": path, "async": f.Async})
	}
	for name, value := range r.options.Globals {
		path, err := splitName(name)
		if err != nil {
			return err
		}
		globals = append(globals, map[string]any{"path": path, "value": value})
	}
	text, data, err := r.encode(map[string]any{"mark": r.mark, "functions": functions, "globals": globals})
	if err != nil {
		return fmt.Errorf("runtime: globals: %w", err)
	}
	r.attachment = data
	ctx := in.context()
	argument, err := in.vm.ParseJSON(ctx, string(text))
	if err != nil {
		return in.reason(err)
	}
	if argument == guest.Exception {
		return in.exception()
	}
	if v, err := in.vm.Call(ctx, in.prelude.Install, argument); err != nil {
		return in.reason(err)
	} else if v == guest.Exception {
		return in.exception()
	}
	return nil
}

// invocation is a call of one of the run's functions.
type invocation struct {
	function Function
	args     []any
	size     int // of the arguments, in bytes
}

// invocation reads which function is called, and with what.
func (in *instance) invocation(args arguments) (*invocation, error) {
	index, ok := args.int(1)
	if !ok || index < 0 || index >= len(in.run.options.Functions) {
		return nil, failf("there is no such function")
	}
	f := in.run.options.Functions[index]
	text, cut, ok := args.text(2, maxJSON)
	if !ok {
		return nil, failf("the arguments of %s must be JSON", f.Name)
	}
	if cut > 0 {
		return nil, &failure{name: "RangeError", message: fmt.Sprintf(
			"the arguments of %s are larger than %s: pass less at a time, or bytes", f.Name, formatBytes(maxJSON))}
	}
	data, _ := args.bytes(3)
	value, err := in.run.decode(text, data)
	if err != nil {
		return nil, failf("the arguments of %s cannot be read: %v", f.Name, err)
	}
	list, ok := value.([]any)
	if !ok {
		return nil, failf("the arguments of %s must be a list", f.Name)
	}
	return &invocation{f, list, len(text) + len(data)}, nil
}

// answer is what a function has returned.
type answer struct {
	value any
	err   error
}

// call calls the function. A panic is an error.
func (i *invocation) call(ctx context.Context) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("%s panicked: %v", i.function.Name, p)}
		}
	}()
	value, err := i.function.Call(ctx, i.args)
	return answer{value, err}
}

// answerValue makes a value for the guest of a function's answer: {value}, {value, bytes: true} or {error}.
func (in *instance) answerValue(ctx context.Context, i *invocation, a answer) (guest.Value, error) {
	var text, data []byte
	err := a.err
	if err == nil {
		if text, data, err = in.run.encode(a.value); err != nil {
			err = fmt.Errorf("%s returned a value that cannot cross: %w", i.function.Name, err)
		}
	}
	if err != nil {
		thrown := FunctionError{Message: err.Error()}
		var fe *FunctionError
		if errors.As(err, &fe) {
			thrown = *fe
		}
		var code any
		if thrown.Code != "" {
			code = thrown.Code
		}
		text, err := json.Marshal(map[string]any{"error": []any{thrown.Name, thrown.Message, code}})
		if err != nil {
			return 0, err
		}
		return in.vm.ParseJSON(ctx, string(text))
	}
	in.run.attachment = data
	envelope := `{"value":` + string(text) + `}`
	if data != nil {
		envelope = `{"bytes":true,"value":` + string(text) + `}`
	}
	return in.vm.ParseJSON(ctx, envelope)
}

// callFunction calls a function and waits for its answer.
func (in *instance) callFunction(ctx context.Context, args arguments) (guest.Value, error) {
	i, err := in.invocation(args)
	if err != nil {
		return 0, err
	}
	a, err := abandonable(in.run, func() answer { return i.call(in.run.ctx) })
	if err != nil {
		return 0, &stop{err}
	}
	return in.answerValue(ctx, i, a)
}

// abandonable runs f on a goroutine of its own and waits for it, but not longer than the run lasts. f must not touch the
// guest's memory, which may be gone before it returns.
func abandonable[T any](r *run, f func() T) (T, error) {
	result := make(chan T, 1)
	go func() { result <- f() }()
	select {
	case v := <-result:
		return v, nil
	case <-r.ctx.Done():
		var zero T
		return zero, r.done()
	}
}

// Bounds on asynchronous calls that are under way at the same time, since each has a goroutine and holds its arguments.
const (
	maxPending     = 1000
	maxPendingSize = 64 << 20 // bytes
)

// completion is the end of an asynchronous call.
type completion struct {
	id         int
	invocation *invocation
	answer     answer
}

// startFunction starts an asynchronous call. Its end comes through the run's completions.
func (in *instance) startFunction(args arguments) error {
	i, err := in.invocation(args)
	if err != nil {
		return err
	}
	id, ok := args.int(4)
	if !ok {
		return failf("a call needs a number")
	}
	r := in.run
	if r.pending >= maxPending || r.pendingSize+i.size > maxPendingSize {
		return &failure{name: "RangeError", message: fmt.Sprintf(
			"too many calls at the same time: await some of the %d that are under way first", r.pending)}
	}
	r.pending++
	r.pendingSize += i.size
	go func() {
		a := i.call(r.ctx)
		select {
		case r.completions <- completion{id, i, a}:
		case <-r.ctx.Done():
		}
	}()
	return nil
}

// await waits for a call to end, and delivers its answer, or for d to pass if that is not negative.
func (in *instance) await(d time.Duration) error {
	r := in.run
	if err := r.interrupted(); err != nil {
		return err
	}
	var timeout <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case c := <-r.completions:
		return in.deliver(c)
	case <-timeout:
		return nil
	case <-r.ctx.Done():
		return r.done()
	}
}

func (in *instance) deliver(c completion) error {
	in.run.pending--
	in.run.pendingSize -= c.invocation.size
	ctx := in.context()
	value, err := in.answerValue(ctx, c.invocation, c.answer)
	if err != nil {
		return in.reason(err)
	}
	if value == guest.Exception {
		return in.exception()
	}
	v, err := in.vm.Call(ctx, in.prelude.Deliver, guest.Int(int32(c.id)), value)
	if err != nil {
		return in.reason(err)
	}
	if v == guest.Exception {
		return in.exception()
	}
	return in.vm.Free(ctx, value)
}
