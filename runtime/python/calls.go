package python

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// Bounds on calls that are under way at the same time. Each has a goroutine and holds its arguments, and later its
// answer until the code takes it.
const (
	maxPending     = 1000
	maxPendingSize = 64 << 20  // bytes of arguments
	maxWaitingSize = 128 << 20 // bytes of answers
)

// calls are the calls of a run that are under way while its code goes on.
type calls struct {
	started int
	pending map[int]*pendingCall // by their numbers
	// the numbers of those whose answers come later, in the order in which that was known
	suspended   []int
	left        bool // the code waits for these, and has been left
	pendingSize int  // bytes of arguments
	waitingSize atomic.Int64
	ended       chan endedCall    // nil before the first one
	early       map[int]endedCall // that have ended, while a recording says that another one ends first
}

// pendingCall is a call that has no answer.
type pendingCall struct {
	*sandbox.Call
	name    string // of the function
	payload []byte
}

// endedCall is the end of a call.
type endedCall struct {
	number  int
	answer  []byte
	suspend bool // there is no answer yet
}

// start starts a call, and returns its number, or 0 if too many are under way.
func (in *instance) start(payload []byte) int {
	c := &in.run.calls
	if len(payload) == 0 || len(c.pending) >= maxPending || c.pendingSize+len(payload) > maxPendingSize {
		return 0
	}
	c.started++
	in.startAs(c.started, payload[0] == python.CanLeave && in.FilesAsAtStart(), bytes.Clone(payload[1:]))
	return c.started
}

// startAs starts a call with a number. canLeave says that the code can be left while it waits for the answer, as far as
// is known.
func (in *instance) startAs(number int, canLeave bool, payload []byte) {
	c := &in.run.calls
	if c.ended == nil {
		c.ended = make(chan endedCall)
		c.pending = map[int]*pendingCall{}
	}
	call := &pendingCall{Call: in.run.NewCall(), name: "the function", payload: payload}
	i, err := in.invocation(payload)
	do := func() ([]byte, error) { return answer(nil, err), nil }
	if err == nil {
		call.name = i.Name
		do = func() ([]byte, error) { return i.perform(call.Context()) }
	}
	if canLeave {
		call.Numbered(number)
	}
	c.pending[number] = call
	c.pendingSize += len(payload)
	ctx := in.run.Context()
	go sandbox.Perform(do, func(data []byte, err error) {
		end := endedCall{number: number, suspend: err == ErrSuspend}
		if !end.suspend {
			if err != nil { // a panic
				data = answer(nil, err)
			}
			end.answer = c.hold(data)
		}
		select {
		case c.ended <- end:
		case <-ctx.Done():
		}
	})
}

// hold counts an answer that waits for the code, or replaces it by an error if too much waits already.
func (c *calls) hold(data []byte) []byte {
	if c.waitingSize.Add(int64(len(data))) <= maxWaitingSize {
		return data
	}
	c.waitingSize.Add(-int64(len(data)))
	data = answer(nil, fmt.Errorf("the result of a call is lost: results of more than %d MiB were waiting. "+
		"Await some calls before you start more", maxWaitingSize>>20))
	c.waitingSize.Add(int64(len(data)))
	return data
}

// take takes a call away, and returns it.
func (c *calls) take(number int) *pendingCall {
	call := c.pending[number]
	delete(c.pending, number)
	c.pendingSize -= len(call.payload)
	return call
}

// wait waits for the end of a call, as [python.OpWait] says. The answer is nil if none has ended.
func (in *instance) wait(payload []byte) []byte {
	c := &in.run.calls
	wait, ok := python.ParseWait(payload)
	if len(c.pending) == 0 || !ok {
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
		end, err := in.ends(timeout)
		switch {
		case err != nil:
			panic(&sandbox.Stop{Err: err})
		case end.number == sandbox.WaitTimeout:
			in.Waited(limit)
			return nil
		case end.number == sandbox.WaitWoken:
		case end.suspend:
			c.suspended = append(c.suspended, end.number)
		default:
			c.take(end.number)
			c.waitingSize.Add(-int64(len(end.answer)))
			return python.Ended(end.number, end.answer)
		}
	}
}

// ends waits for the end of a call, or something else, which its number says.
func (in *instance) ends(timeout <-chan time.Time) (end endedCall, err error) {
	c := &in.run.calls
	number, err := in.run.Choose(sandbox.TapeWait, func() (int64, error) {
		if c.held() {
			defer in.run.Pause()()
			timeout = nil // the code's clock stands still
		}
		select {
		case end = <-c.ended:
			return int64(end.number), nil
		case <-timeout:
			return sandbox.WaitTimeout, nil
		case <-in.run.Holding():
			return sandbox.WaitWoken, nil
		case <-in.run.Context().Done():
			return 0, in.run.Interrupted()
		}
	})
	if err != nil || number == int64(end.number) && number > 0 {
		return end, err
	}
	if number > 0 { // a recording has it
		return in.endOf(int(number))
	}
	return endedCall{number: int(number)}, nil
}

// endOf waits for the end of one call. Others that end meanwhile are kept.
func (in *instance) endOf(number int) (endedCall, error) {
	c := &in.run.calls
	if c.pending[number] == nil {
		return endedCall{}, fmt.Errorf(
			"python: the recording has the end of call %d, which the code has not made", number)
	}
	for {
		if end, ok := c.early[number]; ok {
			delete(c.early, number)
			return end, nil
		}
		select {
		case end := <-c.ended:
			if c.early == nil {
				c.early = map[int]endedCall{}
			}
			c.early[end.number] = end
		case <-in.run.Context().Done():
			return endedCall{}, in.run.Interrupted()
		}
	}
}

// withoutAnswers returns the answer to a wait for calls that have no answers, or nil if others may get one, or none is
// needed. Where the code cannot be left, it is an error for one of them.
func (in *instance) withoutAnswers(wait python.Wait) []byte {
	c := &in.run.calls
	if len(c.suspended) == 0 {
		return nil
	}
	reason := cannotWait
	if wait.CanLeave {
		if len(c.suspended) < len(c.pending) || wait.Seconds == 0 {
			return nil
		}
		if in.FilesAsAtStart() {
			c.left = true
			return []byte(python.Leave)
		}
		reason = cannotWaitWithFiles
	}
	number := c.suspended[0]
	c.suspended = c.suspended[1:]
	return python.Ended(number, answer(nil, reason(c.take(number).name)))
}

// held reports whether all calls that are under way wait for a person.
func (c *calls) held() bool {
	held := false
	for number, call := range c.pending {
		switch {
		case call.Held():
			held = true
		case !slices.Contains(c.suspended, number):
			return false
		}
	}
	return held
}
