package javascript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// encodeSetup encodes the run's functions and globals for install.
func (r *run) encodeSetup() error {
	if len(r.options.Functions)+len(r.options.Globals) == 0 {
		return nil
	}
	functions, globals := []any{}, []any{}
	for _, f := range r.options.Functions {
		path, err := splitName(f.Name)
		if err != nil {
			return err
		}
		functions = append(functions, map[string]any{"path": path, "async": f.Async})
	}
	for _, name := range slices.Sorted(maps.Keys(r.options.Globals)) {
		path, err := splitName(name)
		if err != nil {
			return err
		}
		globals = append(globals, map[string]any{"path": path, "value": r.options.Globals[name]})
	}
	var err error
	encode := func() (encoded, error) {
		return r.encode(map[string]any{"mark": r.mark, "functions": functions, "globals": globals})
	}
	if len(globals) == 0 { // no code of the host's
		r.setup, err = encode()
	} else {
		r.setup, err = sandbox.Await(r.Run, encode)
	}
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return s.Err
	}
	if over := r.Interrupted(); over != nil { // which encoding may have noticed first
		return over
	}
	return fmt.Errorf("runtime: globals: %w", err)
}

// install defines the run's functions and globals.
func (in *instance) install() error {
	r := in.run
	if r.setup.text == "" {
		return nil
	}
	r.attachment = r.setup.data
	ctx := in.Context()
	argument, err := in.checked(in.vm.ParseJSON(ctx, r.setup.text))
	if err != nil {
		return err
	}
	_, err = in.checked(in.vm.Call(ctx, in.prelude.Install, argument))
	return err
}

// invocation is a call of one of the run's functions.
type invocation struct {
	function Function
	args     []any
	size     int // about how much of the host's memory the arguments take, in bytes
}

// invocation reads the called function and its arguments, which may take room bytes.
func (in *instance) invocation(args arguments, room int) (*invocation, error) {
	index, ok := args.int(1)
	if !ok || index < 0 || index >= len(in.run.options.Functions) {
		return nil, failf("there is no such function")
	}
	f := in.run.options.Functions[index]
	text, cut, ok := args.text(2, maxJSON)
	if !ok {
		return nil, failf("the arguments of %s must be JSON", f.Name)
	}
	data, _ := args.bytes(3)
	most := maxWeight + len(data)
	value, size, err := in.decode(text, data, min(room, most))
	_, over := errors.AsType[*sandbox.Stop](err)
	switch {
	case over:
		return nil, err
	case err == errLarge && cut == 0 && room < most:
		return nil, in.run.tooManyCalls()
	case err == errLarge, cut > 0:
		return nil, &failure{name: "RangeError", message: fmt.Sprintf(
			"the arguments of %s are larger than %d MiB, or too many values: pass less at a time, or bytes", f.Name, maxJSON>>20)}
	case err != nil:
		return nil, failf("the arguments of %s cannot be read: %v", f.Name, err)
	}
	list, ok := value.([]any)
	if !ok {
		return nil, failf("the arguments of %s must be a list", f.Name)
	}
	return &invocation{f, list, size}, nil
}

func (r *run) tooManyCalls() error {
	return &failure{name: "RangeError", message: fmt.Sprintf(
		"too many calls at the same time: await some of the %d that are under way first", r.pending)}
}

// answer is a function's result on its way to the guest: a value that isScalar, or JSON of {error: null, bytes, value}
// or {error}.
type answer struct {
	scalar any
	encoded
}

// answer calls the function. Methods of the result, such as MarshalJSON and Error, are code of the host too, so all of
// this runs where the run can abandon it.
func (i *invocation) answer(r *run) (answer, error) {
	value, err := i.function.Call(r.Context(), i.args)
	if err == nil {
		if isScalar(value) {
			return answer{scalar: value}, nil
		}
		var e encoded
		if e, err = r.encode(value); err == nil {
			e.text = fmt.Sprintf(`{"error":null,"bytes":%t,"value":%s}`, e.data != nil, e.text)
			return answer{encoded: e}, nil
		}
		err = fmt.Errorf("%s returned a value that cannot cross: %w", i.function.Name, err)
	}
	return errorAnswer(err), nil
}

// errorAnswer turns an error into an answer.
func errorAnswer(err error) answer {
	f := failure{message: err.Error()}
	var fe *FunctionError
	if errors.As(err, &fe) {
		f = failure{name: fe.Name, message: fe.Message, code: fe.Code}
	}
	return answer{encoded: encoded{text: `{"error":` + f.json() + `}`}}
}

// finished returns the answer of a call, or the one for its panic.
func (i *invocation) finished(a answer, err error) answer {
	if err != nil { // a panic
		return errorAnswer(fmt.Errorf("%s %w", i.function.Name, err))
	}
	return a
}

// answerValue hands an answer to the guest.
func (in *instance) answerValue(ctx context.Context, a answer) (quickjs.Value, error) {
	in.run.attachment = a.data
	if a.text == "" {
		return in.newScalar(ctx, a.scalar)
	}
	return in.vm.ParseJSON(ctx, a.text)
}

// callFunction calls a function and waits for its answer.
func (in *instance) callFunction(ctx context.Context, args arguments) (quickjs.Value, error) {
	i, err := in.invocation(args, math.MaxInt)
	if err != nil {
		return 0, err
	}
	r := in.run
	a, err := sandbox.Await(r.Run, func() (answer, error) { return i.answer(r) })
	var s *sandbox.Stop
	if errors.As(err, &s) {
		return 0, err
	}
	return in.answerValue(ctx, i.finished(a, err))
}

// Bounds on concurrent asynchronous calls. Each has a goroutine and holds its arguments, and later its result until
// the script takes it.
const (
	maxPending     = 1000
	maxPendingSize = 64 << 20  // bytes of arguments
	maxWaitingSize = 128 << 20 // bytes of answers
)

// completion is the end of an asynchronous call.
type completion struct {
	id     int
	size   int
	answer answer
}

// startFunction starts an asynchronous call. Its end comes through the run's completions.
func (in *instance) startFunction(args arguments) error {
	r := in.run
	if r.pending >= maxPending {
		return r.tooManyCalls()
	}
	i, err := in.invocation(args, maxPendingSize-r.pendingSize)
	if err != nil {
		return err
	}
	id, ok := args.int(4)
	if !ok {
		return failf("a call needs a number")
	}
	r.pending++
	r.pendingSize += i.size
	go sandbox.Perform(func() (answer, error) { return i.answer(r) }, func(a answer, err error) {
		a = r.hold(i, i.finished(a, err))
		select {
		case r.completions <- completion{id, i.size, a}:
		case <-r.Context().Done():
		}
	})
	return nil
}

// hold counts an answer that waits for the script, or replaces it by an error if too much waits already.
func (r *run) hold(i *invocation, a answer) answer {
	if r.waitingSize.Add(a.size()) <= maxWaitingSize {
		return a
	}
	r.waitingSize.Add(-a.size())
	a = errorAnswer(&FunctionError{Name: "RangeError", Message: fmt.Sprintf(
		"the result of %s is lost: results of more than %d MiB were waiting. Await some calls before you start more", i.function.Name, maxWaitingSize>>20)})
	r.waitingSize.Add(a.size())
	return a
}

// size returns about how many bytes of the host's memory an answer takes.
func (a answer) size() int64 {
	text, _ := a.scalar.(string)
	return int64(len(text) + len(a.text) + len(a.data))
}

// await waits until a call ends, and delivers its answer, or until d has passed, if d is not negative.
func (in *instance) await(d time.Duration) error {
	r := in.run
	if err := r.Interrupted(); err != nil {
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
	case <-r.Context().Done():
		return r.Interrupted()
	}
}

// deliverEnded delivers the answer of a call if one has ended.
func (in *instance) deliverEnded() error {
	select {
	case c := <-in.run.completions:
		return in.deliver(c)
	default:
		return nil
	}
}

func (in *instance) deliver(c completion) error {
	in.run.pending--
	in.run.pendingSize -= c.size
	in.run.waitingSize.Add(-c.answer.size())
	ctx := in.Context()
	value, err := in.checked(in.answerValue(ctx, c.answer))
	if err != nil {
		return err
	}
	if _, err := in.checked(in.vm.Call(ctx, in.prelude.Deliver, quickjs.Int(int32(c.id)), value)); err != nil {
		return err
	}
	return in.reason(in.vm.Free(ctx, value))
}
