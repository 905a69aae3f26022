package host

import (
	"context"
	"errors"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/runtime"
)

// An Engine is the sandbox with the JavaScript engine in it, as the host sees it. It is of one goroutine.
type Engine struct {
	*runtime.Instance
	Runner  Runner
	VM      *quickjs.VM      // nil until the engine has started
	Prelude *quickjs.Prelude // nil until there is one

	Translated Translation // of a regular expression

	call  Call       // the one that is being served
	asked []question // requests that the engine is working on
}

// A Translation is a pattern that the engine is compiling instead of another one.
type Translation struct {
	Pattern    Value
	Duplicates bool // of names are all right
}

// Reset forgets the run before.
func (e *Engine) Reset() { e.Translated, e.call, e.asked = Translation{}, Call{Engine: e}, nil }

// Attach leaves bytes for the script, which belong to the value that is handed to it next.
func (e *Engine) Attach(data []byte) { e.call.Attachment = data }

// away reports whether there is nobody who could use an answer: the engine is starting, or works on a request that runs
// no code.
func (e *Engine) away() bool { return e.VM == nil || e.VM.Leaf() }

// Serve answers a call of the primitive by which the script's JavaScript calls the host, with the arguments of the
// engine. The first one is the name of a function in the set.
func (e *Engine) Serve(ctx context.Context, s *Set, argc, argv uint32) Value {
	if e.away() {
		return quickjs.Undefined
	}
	// The guest's fuel does not include the host's work, so many short calls must not delay the end of the run.
	if err := e.Run().Interrupted(); err != nil {
		panic(&runtime.Stop{Err: err})
	}
	c := e.begin(ctx)
	c.count, c.first = e.VM.Arguments(argc, argv, c.values[:]), 1
	s.serve(c)
	return e.Answer(ctx, c.result, c.err)
}

// Do answers a call of the engine itself, with values as arguments.
func (e *Engine) Do(ctx context.Context, f Function, values ...Value) Value {
	if e.away() {
		return quickjs.Undefined
	}
	c := e.begin(ctx)
	c.count, c.first = copy(c.values[:], values), 0
	f(c)
	return e.Answer(ctx, c.result, c.err)
}

func (e *Engine) begin(ctx context.Context) *Call {
	c := &e.call
	c.Engine, c.ctx, c.result, c.err = e, ctx, quickjs.Undefined, nil
	return c
}

// Answer returns the result of a function. An error ends the run unless it is a [*Failure].
func (e *Engine) Answer(ctx context.Context, v Value, err error) Value {
	if e.Ended() != nil { // whatever else has happened
		panic(&runtime.Stop{Err: e.Ended()})
	}
	if f, ok := err.(*Failure); ok {
		v, err = e.VM.ParseJSON(ctx, f.JSON())
	}
	if err != nil {
		panic(&runtime.Stop{Err: e.Reason(err)})
	}
	return v
}

// Reason turns the error of a call into the engine into that of the run.
func (e *Engine) Reason(err error) error {
	if errors.Is(err, quickjs.ErrNoMemory) {
		return e.MemoryError()
	}
	return e.Instance.Reason(err)
}

// Checked turns what a call into the engine returned into the error that ends the run, if it failed or threw.
func (e *Engine) Checked(v Value, err error) (Value, error) {
	if err != nil {
		return 0, e.Reason(err)
	}
	if v == quickjs.Exception {
		return 0, e.Runner.Exception()
	}
	return v, nil
}

// Host functions never call into the engine to run or compile code: each such call would have a native stack of its
// own, which grows to tens of megabytes. Instead they return a request. The engine carries it out on its present stack
// and calls the host with the answer.

// A question is a request to the engine, and what to do with the answer: return a value to the waiting code, or ask
// another question.
type question struct {
	request quickjs.Request
	then    func(ctx context.Context, v Value) Value
}

// maxQuestions is how many questions can wait for an answer. One can lead to another, as a required file requires
// others, but the engine's stack ends long before.
const maxQuestions = 10_000

// Ask returns the value with which a function makes a request. The answer goes to then, which returns a value to the
// code that waits, or asks again.
func (e *Engine) Ask(request quickjs.Request, then func(ctx context.Context, v Value) Value) Value {
	if len(e.asked) >= maxQuestions {
		panic(&runtime.Stop{Err: &runtime.LimitError{Limit: runtime.LimitRecursion}})
	}
	e.asked = append(e.asked, question{request, then})
	return request.Value()
}

// AskFor is [Engine.Ask] with the answer as the value.
func (e *Engine) AskFor(request quickjs.Request, err error) (Value, error) {
	if err != nil {
		return 0, err
	}
	return e.Ask(request, func(_ context.Context, v Value) Value { return v }), nil
}

// Answered serves [quickjs.ResumeArgc]: v is the answer to the last question.
func (e *Engine) Answered(ctx context.Context, v Value) Value {
	last := len(e.asked) - 1
	if last < 0 || e.away() { // a script has taken over the guest
		return quickjs.Undefined
	}
	q := e.asked[last]
	e.asked = e.asked[:last]
	if err := e.VM.Release(ctx, q.request); err != nil {
		panic(&runtime.Stop{Err: e.Reason(err)})
	}
	return q.then(ctx, v)
}

// Raise makes an error the pending exception of the script and returns 0, which code of the engine takes for an
// exception. If the error is no [*Failure], it ends the run.
func (e *Engine) Raise(ctx context.Context, err error) Value {
	f, ok := err.(*Failure)
	if !ok {
		panic(&runtime.Stop{Err: e.Reason(err)})
	}
	request, err := e.RequestException(ctx, f)
	if err != nil {
		panic(&runtime.Stop{Err: e.Reason(err)})
	}
	if request == 0 {
		return 0
	}
	return e.Ask(request, func(context.Context, Value) Value { return 0 })
}

// RequestException makes a request that turns a failure into the pending exception. It is 0 if another exception is
// already pending.
func (e *Engine) RequestException(ctx context.Context, f *Failure) (quickjs.Request, error) {
	description, err := e.VM.ParseJSON(ctx, f.JSON())
	if err != nil || description == quickjs.Exception {
		return 0, err
	}
	return e.VM.RequestCall(ctx, e.Prelude.Raise, description)
}
