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
	"github.com/toolrun/toolrun/runtime/javascript/fetch"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/script"
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
				made.Lazy = map[string]string{"fetch": fetch.Module}
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
	in.Attach(r.setup.data)
	ctx := in.Context()
	argument, err := in.Checked(in.VM.ParseJSON(ctx, r.setup.text))
	if err != nil {
		return err
	}
	if _, err = in.Checked(in.VM.Call(ctx, in.Prelude.Install, argument)); err != nil || !r.options.Session {
		return err // with the sandbox, the argument goes
	}
	return in.Reason(in.VM.Free(ctx, argument))
}

// A functionCaller lets the script call the run's functions.
type functionCaller struct{ *instance }

// invocation is a call of one of the run's functions.
type invocation struct {
	function Function
	args     []any
	*sandbox.Call
	run    *run
	number int // of the function
	size   int // about how much of the host's memory the arguments take, in bytes
}

// ArgumentSize implements [script.Pending].
func (i *invocation) ArgumentSize() int { return i.size }

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
	data, _ := in.VM.ArrayBuffer(c.Value(2))
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
	return in.run.newInvocation(f, list, number, size), nil
}

// newInvocation begins a call. It is called in the order in which the script makes its calls.
func (r *run) newInvocation(f Function, args []any, number, size int) *invocation {
	if f.begin != nil {
		do := f.begin(args)
		f.Call = func(ctx context.Context, _ []any) (any, error) { return do(ctx) }
	}
	return &invocation{f, args, r.NewCall(), r, number, size}
}

func (r *run) tooManyCalls() error {
	return &host.Failure{Name: "RangeError", Message: fmt.Sprintf(
		"too many calls at the same time: await some of the %d that are under way first", r.calls.Len())}
}

// answer is a function's result on its way to the guest: a value that isScalar, or JSON of {error: null, bytes, value}
// or {error}.
type answer struct {
	scalar any
	encoded
}

// Perform implements [script.Pending]. Methods of the result, such as MarshalJSON and Error, are code of the host too,
// so all of this runs where the run can abandon it.
func (i *invocation) Perform() (answer, error) {
	value, err := i.function.Call(i.Context(), i.args)
	if errors.Is(err, ErrSuspend) && i.function.Async {
		return answer{}, ErrSuspend
	}
	if err == nil {
		if isScalar(value) {
			return answer{scalar: value}, nil
		}
		var e encoded
		if e, err = i.run.encode(value); err == nil {
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
	var known *host.Failure
	if errors.As(err, &fe) {
		f = host.Failure{Name: fe.Name, Message: fe.Message, Code: fe.Code}
	} else if errors.As(err, &known) {
		f = *known
	}
	return answer{encoded: encoded{text: `{"error":` + f.JSON() + `}`}}
}

// Failed implements [script.Pending].
func (i *invocation) Failed(err error) answer {
	return errorAnswer(fmt.Errorf("%s %w", i.function.Name, err))
}

// answerValue hands an answer to the guest.
func (in functionCaller) answerValue(ctx context.Context, a answer) (quickjs.Value, error) {
	in.Attach(a.data)
	if a.text == "" {
		return in.newScalar(ctx, a.scalar)
	}
	return in.VM.ParseJSON(ctx, a.text)
}

// callFunction calls a function and waits for its answer.
func (in functionCaller) callFunction(c *host.Call) (quickjs.Value, error) {
	i, err := in.invocation(c, math.MaxInt)
	if err != nil {
		return 0, err
	}
	a, err := sandbox.AwaitCall(i.Call, i.Perform)
	var s *sandbox.Stop
	if errors.As(err, &s) {
		return 0, err
	}
	if err != nil { // a panic
		a = i.Failed(err)
	}
	return in.answerValue(c.Context(), a)
}

// startFunction starts an asynchronous call. Its end comes through the run's completions.
func (in functionCaller) startFunction(c *host.Call) error {
	r := in.run
	room := r.calls.Room()
	if room < 0 {
		return r.tooManyCalls()
	}
	id, ok := c.Int(3)
	if !ok {
		return host.Errorf("a call needs a number")
	}
	i, err := in.invocation(c, room)
	if err != nil {
		return err
	}
	r.startCall(i, id)
	return nil
}

// startCall starts an asynchronous call with the number id.
func (r *run) startCall(i *invocation, id int) {
	i.Numbered(id)
	r.calls.Start(r.Run, id, i)
}

// Lost implements [script.Pending].
func (i *invocation) Lost() answer {
	return errorAnswer(&FunctionError{Name: "RangeError", Message: fmt.Sprintf(
		"the result of %s is lost: results of more than %d MiB were waiting. Await some calls before you start more",
		i.function.Name, script.MaxWaitingSize>>20)})
}

// AnswerSize implements [script.Pending].
func (i *invocation) AnswerSize(a answer) int64 {
	text, _ := a.scalar.(string)
	return int64(len(text) + len(a.text) + len(a.data))
}

// await waits until a call ends, and delivers its answer, or until d has passed, if d is not negative.
func (in functionCaller) await(d time.Duration) error {
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
	ended, err := r.calls.Wait(r.Run, timeout)
	if err == nil && ended.Number == sandbox.WaitTimeout {
		in.Waited(d)
	}
	return in.deliver(ended, err)
}

// deliverEnded delivers the answer of a call if one has ended.
func (in functionCaller) deliverEnded() error { return in.deliver(in.run.calls.Poll(in.run.Run)) }

// giveUp fails the first call that is suspended, since the files in /tmp could not be there when it has an answer.
func (in functionCaller) giveUp() error {
	c := in.run.calls.GiveUp()
	c.Suspended = false
	c.Answer = errorAnswer(fmt.Errorf("%s has no answer yet, and a script with files in /tmp cannot wait for it: "+
		"remove them first, or put them elsewhere", c.Call.function.Name))
	return in.deliver(c, nil)
}

// deliver delivers the answer of a call that has ended, if it has one.
func (in functionCaller) deliver(c script.Ended[*invocation, answer], err error) error {
	if err != nil || c.Number < 0 || c.Suspended {
		return err
	}
	ctx := in.Context()
	value, err := in.Checked(in.answerValue(ctx, c.Answer))
	if err != nil {
		return err
	}
	if _, err := in.Checked(in.VM.Call(ctx, in.Prelude.Deliver, quickjs.Int(int32(c.Number)), value)); err != nil {
		return err
	}
	return in.Reason(in.VM.Free(ctx, value))
}
