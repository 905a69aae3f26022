package javascript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A setup is what install of the prelude makes from a run's functions and globals.
type setup struct {
	Mark      string            `json:"mark"`
	Functions []setupFunction   `json:"functions"`
	Globals   any               `json:"globals"`
	Lazy      map[string]string `json:"lazy,omitempty"` // names, and the modules that define them
}

type setupFunction struct {
	Path   []string `json:"path"`
	Async  bool     `json:"async"`
	Number int      `json:"number"`
}

// encodeSetup encodes the run's functions and globals for install.
func (r *run) encodeSetup() error {
	if len(r.options.Functions)+len(r.options.Globals) == 0 {
		return nil
	}
	made, globals := setup{Mark: r.mark, Functions: []setupFunction{}}, []any{}
	for n, f := range r.options.Functions {
		path, err := []string(nil), error(nil)
		if name, hidden := strings.CutPrefix(f.Name, hiddenName); hidden {
			path = []string{"", name}
		} else if path, err = splitName(f.Name); err != nil {
			return err
		}
		if number, isNew := r.number(n); isNew {
			if path[0] == "" {
				made.Lazy = map[string]string{"fetch": fetchModule}
			}
			made.Functions = append(made.Functions, setupFunction{path, f.Async, number})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.options.Globals)) {
		path, err := splitName(name)
		if err != nil {
			return err
		}
		globals = append(globals, map[string]any{"path": path, "value": r.options.Globals[name]})
	}
	var err error
	encode := func() (e encoded, err error) {
		if made.Globals, err = r.extract(globals, &e.data, 0); err != nil {
			return encoded{}, err
		}
		e.text, err = marshal(made)
		return e, err
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
	in.call.Attachment = r.setup.data
	ctx := in.Context()
	argument, err := in.checked(in.vm.ParseJSON(ctx, r.setup.text))
	if err != nil {
		return err
	}
	if _, err = in.checked(in.vm.Call(ctx, in.prelude.Install, argument)); err != nil || !r.options.Session {
		return err // with the sandbox, the argument goes
	}
	return in.reason(in.vm.Free(ctx, argument))
}

// A functionCaller lets the script call the run's functions.
type functionCaller struct{ *instance }

// invocation is a call of one of the run's functions.
type invocation struct {
	function Function
	args     []any
	call     *sandbox.Call
	number   int // of the function
	size     int // about how much of the host's memory the arguments take, in bytes
}

// invocation reads the called function and its arguments, which may take room bytes.
func (in functionCaller) invocation(c *host.Call, room int) (*invocation, error) {
	number, ok := c.Int(0)
	if !ok {
		number = -1
	}
	f, err := in.run.function(number)
	if err != nil {
		return nil, err
	}
	text, cut, ok := c.Prefix(1, maxJSON)
	if !ok {
		return nil, host.Errorf("the arguments of %s must be JSON", f.Name)
	}
	data, _ := in.vm.ArrayBuffer(c.Value(2))
	most := maxWeight + len(data)
	value, size, err := in.decode(text, data, min(room, most))
	_, over := errors.AsType[*sandbox.Stop](err)
	switch {
	case over:
		return nil, err
	case err == errLarge && cut == 0 && room < most:
		return nil, in.run.tooManyCalls()
	case err == errLarge, cut > 0:
		return nil, &host.Failure{Name: "RangeError", Message: fmt.Sprintf(
			"the arguments of %s are larger than %d MiB, or too many values: pass less at a time, or bytes",
			f.Name, maxJSON>>20)}
	case err != nil:
		return nil, host.Errorf("the arguments of %s cannot be read: %v", f.Name, err)
	}
	list, ok := value.([]any)
	if !ok {
		return nil, host.Errorf("the arguments of %s must be a list", f.Name)
	}
	if err := in.run.Calls(f.Name); err != nil {
		return nil, &sandbox.Stop{Err: err}
	}
	return &invocation{f, list, in.run.NewCall(), number, size}, nil
}

func (r *run) tooManyCalls() error {
	return &host.Failure{Name: "RangeError", Message: fmt.Sprintf(
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
	value, err := i.function.Call(i.call.Context(), i.args)
	if errors.Is(err, ErrSuspend) && i.function.Async {
		return answer{}, ErrSuspend
	}
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
	f := host.Failure{Message: err.Error()}
	var fe *FunctionError
	if errors.As(err, &fe) {
		f = host.Failure{Name: fe.Name, Message: fe.Message, Code: fe.Code}
	}
	return answer{encoded: encoded{text: `{"error":` + f.JSON() + `}`}}
}

// finished returns the answer of a call, or the one for its panic.
func (i *invocation) finished(a answer, err error) answer {
	if err != nil { // a panic
		return errorAnswer(fmt.Errorf("%s %w", i.function.Name, err))
	}
	return a
}

// answerValue hands an answer to the guest.
func (in functionCaller) answerValue(ctx context.Context, a answer) (quickjs.Value, error) {
	in.call.Attachment = a.data
	if a.text == "" {
		return in.newScalar(ctx, a.scalar)
	}
	return in.vm.ParseJSON(ctx, a.text)
}

// callFunction calls a function and waits for its answer.
func (in functionCaller) callFunction(c *host.Call) (quickjs.Value, error) {
	i, err := in.invocation(c, math.MaxInt)
	if err != nil {
		return 0, err
	}
	r := in.run
	a, err := sandbox.AwaitCall(i.call, func() (answer, error) { return i.answer(r) })
	var s *sandbox.Stop
	if errors.As(err, &s) {
		return 0, err
	}
	return in.answerValue(c.Context(), i.finished(a, err))
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
	*invocation
	id      int
	answer  answer
	suspend bool // the answer comes when the run is resumed
}

// startFunction starts an asynchronous call. Its end comes through the run's completions.
func (in functionCaller) startFunction(c *host.Call) error {
	r := in.run
	if r.pending >= maxPending {
		return r.tooManyCalls()
	}
	i, err := in.invocation(c, maxPendingSize-r.pendingSize)
	if err != nil {
		return err
	}
	id, ok := c.Int(3)
	if !ok {
		return host.Errorf("a call needs a number")
	}
	r.startCall(i, id)
	return nil
}

// startCall starts an asynchronous call with the number id.
func (r *run) startCall(i *invocation, id int) {
	if r.calls == nil {
		r.calls = map[int]*invocation{}
	}
	r.calls[id] = i
	i.call.Numbered(id)
	r.pending++
	r.pendingSize += i.size
	go sandbox.Perform(func() (answer, error) { return i.answer(r) }, func(a answer, err error) {
		c := completion{invocation: i, id: id, suspend: err == ErrSuspend}
		if !c.suspend {
			c.answer = r.hold(i, i.finished(a, err))
		}
		select {
		case r.completions <- c:
		case <-r.Context().Done():
		}
	})
}

// hold counts an answer that waits for the script, or replaces it by an error if too much waits already.
func (r *run) hold(i *invocation, a answer) answer {
	if r.waitingSize.Add(a.size()) <= maxWaitingSize {
		return a
	}
	r.waitingSize.Add(-a.size())
	a = errorAnswer(&FunctionError{Name: "RangeError", Message: fmt.Sprintf(
		"the result of %s is lost: results of more than %d MiB were waiting. Await some calls before you start more",
		i.function.Name, maxWaitingSize>>20)})
	r.waitingSize.Add(a.size())
	return a
}

// size returns about how many bytes of the host's memory an answer takes.
func (a answer) size() int64 {
	text, _ := a.scalar.(string)
	return int64(len(text) + len(a.text) + len(a.data))
}

// await waits until a call ends, and delivers its answer, or until d has passed, if d is not negative.
func (in functionCaller) await(d time.Duration) error {
	r := in.run
	if err := r.Interrupted(); err != nil {
		return err
	}
	return in.next(sandbox.TapeWait, d, func(ended *completion) (int64, error) {
		var timeout <-chan time.Time
		if d >= 0 {
			timer := time.NewTimer(d)
			defer timer.Stop()
			timeout = timer.C
		}
		if r.held() {
			defer r.Pause()()
			timeout = nil // the script's clock stands still
		}
		select {
		case *ended = <-r.completions:
			return int64(ended.id), nil
		case <-timeout:
			return sandbox.WaitTimeout, nil
		case <-r.Holding():
			return sandbox.WaitWoken, nil
		case <-r.Context().Done():
			return 0, r.Interrupted()
		}
	})
}

// next delivers the answer of the call that has ended, if the result of live is one. d is how long live waits at most.
func (in functionCaller) next(kind string, d time.Duration, live func(*completion) (int64, error)) error {
	r := in.run
	var ended completion
	id, err := r.Choose(kind, func() (int64, error) { return live(&ended) })
	switch {
	case err != nil:
		return err
	case id == sandbox.WaitTimeout && kind == sandbox.TapeWait:
		in.Waited(d)
		return nil
	case id < 0:
		return nil
	case ended.invocation == nil: // a recording has it
		if ended, err = r.endOf(int(id)); err != nil {
			return err
		}
	}
	return in.deliver(ended)
}

// endOf waits for the end of one call. Others that end meanwhile are kept.
func (r *run) endOf(id int) (completion, error) {
	if r.calls[id] == nil {
		return completion{}, fmt.Errorf(
			"javascript: the recording has the end of call %d, which the script has not made", id)
	}
	for {
		if c, ok := r.early[id]; ok {
			delete(r.early, id)
			return c, nil
		}
		select {
		case c := <-r.completions:
			if r.early == nil {
				r.early = map[int]completion{}
			}
			r.early[c.id] = c
		case <-r.Context().Done():
			return completion{}, r.Interrupted()
		}
	}
}

// held reports whether all calls that are pending wait for a person.
func (r *run) held() bool {
	for _, i := range r.calls {
		if !i.call.Held() {
			return false
		}
	}
	return len(r.calls) > 0
}

// deliverEnded delivers the answer of a call if one has ended.
func (in functionCaller) deliverEnded() error {
	return in.next(sandbox.TapePoll, 0, func(ended *completion) (int64, error) {
		select {
		case *ended = <-in.run.completions:
			return int64(ended.id), nil
		default:
			return sandbox.WaitTimeout, nil
		}
	})
}

func (in functionCaller) deliver(c completion) error {
	delete(in.run.calls, c.id)
	if c.suspend {
		in.run.suspended = append(in.run.suspended, suspendedCall{id: c.id, invocation: c.invocation})
		return nil
	}
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
