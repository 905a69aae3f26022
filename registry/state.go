package registry

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolrun/toolrun/tool"
)

// A State says where a call stands. This is how it changes, and what changes it:
//
//	first           Begun    Dispatch gets the call
//	first           Waiting  Dispatch gets a call that has waited, and goes on with it, perhaps in another process
//	Begun           Waiting  a rule wants an approval, which can be asked for now or later
//	Begun, Waiting  Running  the call has been checked, and approved if a rule wants that
//	Running         Waiting  its code needs the results of calls that have been put off
//	any other       Ended    the call has a result, and the state does not change any more
//
// A call that is put off stays Waiting when Dispatch returns, and so does one whose context ends while it goes on: it
// can go on later, with the same id. A call that was put off ends at the latest with the call that made it. Code whose
// requests over the network, or whose calls, wait for a person while it runs is Running.
type State string

// The states of a call.
const (
	Begun   State = "begun"   // it is being checked
	Waiting State = "waiting" // a person has to decide; perhaps no process has it
	Running State = "running" // its tool has it
	Ended   State = "ended"
)

// A course is the state of a call, for those who watch. A nil course is that of a call that nobody can watch.
type course struct {
	mu    sync.Mutex
	state State
	told  []func(State, *tool.Result)
	// putOff are calls that this one has made, and that wait.
	putOff []*course
}

// courseOf returns the course of a call that Dispatch gets. Only middleware can watch.
func (r *Registry) courseOf(env *Env) *course {
	if len(r.middleware) == 0 {
		return nil
	}
	_, waited := env.waited()
	if waited || env.call == nil && env.resumed != nil {
		return &course{state: Waiting}
	}
	return &course{state: Begun}
}

// Watch is for middleware: it calls told with the state of its call, at once and when it changes. When Dispatch
// returns, told gets the result, too, with Ended, or with Waiting if the call goes on later. Calls of told come one
// after the other, and the call waits for them. A panic of told is logged.
func (e Env) Watch(told func(state State, result *tool.Result)) {
	c := e.course
	if c == nil {
		return
	}
	guarded := func(state State, result *tool.Result) {
		defer func() {
			if p := recover(); p != nil {
				e.log(context.Background(), slog.LevelError, "watching a call panicked", "state", state, "panic", p)
			}
		}()
		told(state, result)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, guarded)
	guarded(c.state, nil)
}

// to changes the state. The result is nil as long as Dispatch has not returned.
func (c *course) to(state State, result *tool.Result) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == Ended || c.state == state && result == nil {
		return
	}
	c.state = state
	for _, told := range c.told {
		told(state, result)
	}
	for _, inner := range c.putOff {
		inner.endWith(c)
	}
}

// endWith ends a call that was put off if the one that made it, whose lock is held, has ended.
func (c *course) endWith(outer *course) {
	if outer.state == Ended {
		result := withCause(tool.Failure(tool.CodeCanceled, "The call was not made: "+errEnded.Error()+"."), errEnded)
		c.to(Ended, &result)
	}
}

// returns notes the result with which Dispatch returns.
func (e *Env) returns(ctx context.Context, result *tool.Result) {
	goesOn := e.resumed
	if e.call != nil && e.number != nil {
		goesOn = e.call.inner.outer.resumed
	}
	var stopped error
	if goesOn != nil {
		if stopped = goesOn.Journal.Err(); stopped == nil && result.IsError() && result.Code != tool.CodeRefused {
			stopped = context.Cause(ctx)
		}
		if e.call == nil {
			goesOn.stopped = stopped
		}
	}
	c := e.course
	if c == nil {
		return
	}
	told := *result
	c.mu.Lock()
	before := c.state
	c.mu.Unlock()
	switch {
	case result.Code == tool.CodePending && before != Begun, // otherwise it is another call, with its input, that waits
		stopped != nil && (before != Running || e.call == nil && goesOn.State != nil): // or nobody knows what it did
		c.to(Waiting, &told)
	default:
		c.to(Ended, &told)
		return
	}
	if e.call != nil {
		outer := e.call.env.course
		outer.mu.Lock()
		defer outer.mu.Unlock()
		outer.putOff = append(outer.putOff, c)
		c.endWith(outer)
	}
}
