package javascript

import (
	"context"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Host functions never call into the guest to run or compile code: each such call would have a native stack of its own,
// which grows to tens of megabytes. Instead they return a request. The guest carries it out on its present stack and
// calls the host with the answer.

// A question is a request to the guest, and what to do with the answer: return a value to the guest's waiting code,
// or ask another question.
type question struct {
	request quickjs.Request
	then    func(ctx context.Context, v quickjs.Value) quickjs.Value
}

// maxQuestions is how many questions can wait for an answer. One can lead to another, as a required file requires
// others, but the engine's stack ends long before.
const maxQuestions = 10_000

// ask returns the value with which a host function makes a request.
func (in *instance) ask(request quickjs.Request,
	then func(ctx context.Context, v quickjs.Value) quickjs.Value) quickjs.Value {
	if len(in.asked) >= maxQuestions {
		panic(&sandbox.Stop{Err: &sandbox.LimitError{Limit: sandbox.LimitRecursion}})
	}
	in.asked = append(in.asked, question{request, then})
	return request.Value()
}

// resume serves [quickjs.ResumeArgc]: v is the answer to the last question.
func (in *instance) resume(ctx context.Context, v quickjs.Value) quickjs.Value {
	last := len(in.asked) - 1
	if last < 0 || in.vm == nil || in.vm.Leaf() { // a script has taken over the guest
		return quickjs.Undefined
	}
	q := in.asked[last]
	in.asked = in.asked[:last]
	if err := in.vm.Release(ctx, q.request); err != nil {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	return q.then(ctx, v)
}

// raise makes an error the pending exception of the guest and returns 0, which the guest's waiting code takes for
// an exception. If the error ends the run, raise ends it.
func (in *instance) raise(ctx context.Context, err error) quickjs.Value {
	f, ok := err.(*host.Failure)
	if !ok {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	request, err := in.requestException(ctx, f)
	if err != nil {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	if request == 0 {
		return 0
	}
	return in.ask(request, func(context.Context, quickjs.Value) quickjs.Value { return 0 })
}

// requestException makes a request that turns a failure into the pending exception. It is 0 if another exception is
// already pending.
func (in *instance) requestException(ctx context.Context, f *host.Failure) (quickjs.Request, error) {
	description, err := in.vm.ParseJSON(ctx, f.JSON())
	if err != nil || description == quickjs.Exception {
		return 0, err
	}
	return in.vm.RequestCall(ctx, in.prelude.Raise, description)
}
