package python

import (
	"bytes"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// calls are the calls of a run that are under way while its code goes on.
type calls struct {
	script.Calls[*pendingCall, []byte]
	started int
	left    bool // the code waits for those that are suspended, and has been left
}

// pendingCall is a call that has no answer.
type pendingCall struct {
	*sandbox.Call
	name    string // of the function
	payload []byte
	made    *invocation
	refused error // why there is none
}

// ArgumentSize implements [script.Pending].
func (c *pendingCall) ArgumentSize() int { return len(c.payload) }

// AnswerSize implements [script.Pending].
func (c *pendingCall) AnswerSize(answer []byte) int64 { return int64(len(answer)) }

// Perform implements [script.Pending].
func (c *pendingCall) Perform() ([]byte, error) {
	if c.refused != nil {
		return answer(nil, c.refused), nil
	}
	return c.made.perform(c.Context())
}

// Failed implements [script.Pending].
func (c *pendingCall) Failed(err error) []byte { return answer(nil, err) }

// Lost implements [script.Pending].
func (c *pendingCall) Lost() []byte {
	return answer(nil, fmt.Errorf("the result of a call is lost: results of more than %d MiB were waiting. "+
		"Await some calls before you start more", script.MaxWaitingSize>>20))
}

// start starts a call, and returns its number, or 0 if too many are under way.
func (in *instance) start(payload []byte) int {
	c := &in.run.calls
	if len(payload) == 0 || len(payload) > c.Room() {
		return 0
	}
	c.started++
	in.startAs(c.started, payload[0] == python.CanLeave && in.FilesAsAtStart(), bytes.Clone(payload[1:]))
	return c.started
}

// startAs starts a call with a number. canLeave says that the code can be left while it waits for the answer, as far as
// is known.
func (in *instance) startAs(number int, canLeave bool, payload []byte) {
	call := &pendingCall{Call: in.run.NewCall(), name: "the function", payload: payload}
	if call.made, call.refused = in.invocation(payload); call.refused == nil {
		call.name = call.made.Name
	}
	if canLeave {
		call.Numbered(number)
	}
	in.run.calls.Start(in.run.Run, number, call)
}

// wait waits for the end of a call, as [python.OpWait] says. The answer is nil if none has ended.
func (in *instance) wait(payload []byte) []byte {
	c := &in.run.calls
	wait, ok := python.ParseWait(payload)
	if c.Len() == 0 || !ok {
		return nil
	}
	var timeout <-chan time.Time
	var limit time.Duration
	if wait.Seconds >= 0 {
		limit = time.Duration(min(wait.Seconds, 1e9) * float64(time.Second))
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	if err := in.run.Interrupted(); err != nil {
		panic(&sandbox.Stop{Err: err})
	}
	for {
		if answer := in.withoutAnswers(wait); answer != nil {
			return answer
		}
		end, err := c.Wait(in.run.Run, timeout)
		switch {
		case err != nil:
			panic(&sandbox.Stop{Err: err})
		case end.Number == sandbox.WaitTimeout:
			in.Waited(limit)
			return nil
		case end.Number > 0 && !end.Suspended:
			return python.Ended(end.Number, end.Answer)
		}
	}
}

// withoutAnswers returns the answer to a wait for calls that have no answers, or nil if others may get one, or none is
// needed. Where the code cannot be left, it is an error for one of them.
func (in *instance) withoutAnswers(wait python.Wait) []byte {
	c := &in.run.calls
	if len(c.Suspended()) == 0 {
		return nil
	}
	reason := cannotWait
	if wait.CanLeave {
		if !c.OnlySuspended() || wait.Seconds == 0 {
			return nil
		}
		if in.FilesAsAtStart() {
			c.left = true
			return []byte(python.Leave)
		}
		reason = cannotWaitWithFiles
	}
	call := c.GiveUp()
	return python.Ended(call.Number, answer(nil, reason(call.Call.name)))
}
