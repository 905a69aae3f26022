package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Code can make calls that wait for a person: for an approval, say. While all that a run waits for are such calls, its
// time stands still, and so does the guest's clock, timers included: people take as long as they take. A run that does
// anything else meanwhile has no more time than others.

// A Call is a call of a host function that a run waits for. Its context is for what is done for it.
type Call struct {
	run    *Run
	ctx    context.Context
	held   atomic.Int32
	number int
	order  int
}

// callKey is for the call in its context.
type callKey struct{}

// NewCall returns a new call. Call it on the goroutine of the run.
func (r *Run) NewCall() *Call {
	r.made++
	c := &Call{run: r, number: -1, order: r.made}
	c.ctx = context.WithValue(r.ctx, callKey{}, c)
	return c
}

// Numbered gives the call the number, not negative, by which the guest knows it. Without that, it is -1.
func (c *Call) Numbered(number int) { c.number = number }

// CallNumber returns the number of the call whose context ctx is, or is made from, or -1. A guest that is suspended and
// goes on makes its calls with the same numbers again.
func CallNumber(ctx context.Context) int {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c.number
	}
	return -1
}

// CallOrder returns which of its run's calls the one is whose context ctx is, or is made from: 1 for the first one that
// the code has made, and 0 for other contexts.
func CallOrder(ctx context.Context) int {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c.order
	}
	return 0
}

// Context returns the context of the call. It ends with the run.
func (c *Call) Context() context.Context { return c.ctx }

// Held reports whether the call waits for a person. A nil call does not.
func (c *Call) Held() bool { return c != nil && c.held.Load() > 0 }

// Hold says that whoever has ctx, or a context that is made from it, waits for a person, until release is called. ctx
// is that of a [Call]; for any other one, Hold does nothing. It is safe for concurrent use.
func Hold(ctx context.Context) (release func()) {
	c, ok := ctx.Value(callKey{}).(*Call)
	if !ok {
		return func() {}
	}
	c.change(1)
	return sync.OnceFunc(func() { c.change(-1) })
}

func (c *Call) change(by int32) {
	c.held.Add(by)
	select {
	case c.run.holding <- struct{}{}:
	default:
	}
}

// Holding returns a channel that gets a value when calls of the run may have begun or ceased to wait for a person.
func (r *Run) Holding() <-chan struct{} { return r.holding }

// Pause stops the run's time and the guest's clock until resume is called, on the same goroutine. No code of the guest
// may run in between. If the run is itself a part of a [Call], that waits for a person, too.
func (r *Run) Pause() (resume func()) {
	release := Hold(r.caller)
	paused := time.Now()
	if r.timer != nil {
		r.timer.Stop() // if it is too late for that, the run is over
	}
	return func() {
		release()
		d := time.Since(paused)
		r.started = r.started.Add(d)
		if r.timer != nil {
			deadline := r.deadline.Load().Add(d)
			r.deadline.Store(&deadline)
			if r.ctx.Err() == nil {
				r.timer.Reset(time.Until(deadline))
			}
		}
		if in := r.instance; in != nil && !in.started.IsZero() {
			in.started = in.started.Add(d)
		}
	}
}

// runContext is the context of a run with a deadline, which Pause moves.
type runContext struct {
	context.Context
	run *Run
}

// Deadline implements [context.Context].
func (c runContext) Deadline() (time.Time, bool) {
	deadline := *c.run.deadline.Load()
	if callers, ok := c.run.caller.Deadline(); ok && callers.Before(deadline) {
		return callers, true
	}
	return deadline, true
}

// Err implements [context.Context].
func (c runContext) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == error(c.run.outOfTime) {
		return context.DeadlineExceeded
	}
	return err
}
