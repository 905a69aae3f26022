package script

import (
	"fmt"
	"sync/atomic"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Bounds on calls that are under way at the same time. Each has a goroutine and holds its arguments, and later its
// answer until the code takes it.
const (
	MaxPending     = 1000
	MaxPendingSize = 64 << 20  // bytes of arguments
	MaxWaitingSize = 128 << 20 // bytes of answers
)

// Calls are the calls of functions of the host that are under way while the code of a run goes on. Languages have their
// own calls, C, and answers, A. Only the goroutine of the run uses them. The zero value has none.
type Calls[C Pending[A], A any] struct {
	count     int // of calls without an answer
	pending   map[int]C
	suspended []Ended[C, A]
	arguments int // bytes
	waiting   atomic.Int64
	ended     chan Ended[C, A]    // nil before the first one
	early     map[int]Ended[C, A] // that have ended, while a recording says that another one ends first
}

// A Pending is a call that has no answer.
type Pending[A any] interface {
	// Held is that of [sandbox.Call].
	Held() bool
	// ArgumentSize is about how much of the host's memory the arguments take, in bytes, and AnswerSize what an answer
	// takes.
	ArgumentSize() int
	AnswerSize(A) int64
	// Perform makes the call, on a goroutine of its own. It returns the answer, or [sandbox.ErrSuspend].
	Perform() (A, error)
	// Failed is the answer for another error of Perform, which is a panic, and Lost the one for an answer that has no
	// room.
	Failed(err error) A
	Lost() A
}

// An Ended is the end of a call, or [sandbox.WaitTimeout] or [sandbox.WaitWoken] as its number.
type Ended[C Pending[A], A any] struct {
	Number int
	Call   C
	Answer A
	// Suspended means that there is no answer yet, and none while the run lasts.
	Suspended bool

	size int64 // of the answer
}

// Len is the number of calls without an answer, those that are suspended included.
func (c *Calls[C, A]) Len() int { return c.count }

// Room is how many bytes the arguments of one more call may take. It is negative if there are too many calls.
func (c *Calls[C, A]) Room() int {
	if c.count >= MaxPending {
		return -1
	}
	return MaxPendingSize - c.arguments
}

// Has reports whether a call with a number is under way.
func (c *Calls[C, A]) Has(number int) bool { _, ok := c.pending[number]; return ok }

// Suspended returns the calls whose answers come later, in the order in which that was known.
func (c *Calls[C, A]) Suspended() []Ended[C, A] { return c.suspended }

// OnlySuspended reports whether there are calls, and none of them will have an answer.
func (c *Calls[C, A]) OnlySuspended() bool { return c.count > 0 && len(c.suspended) == c.count }

// Start makes a call on a goroutine of its own.
func (c *Calls[C, A]) Start(run *sandbox.Run, number int, call C) {
	if c.ended == nil {
		c.ended = make(chan Ended[C, A])
		c.pending = map[int]C{}
	}
	c.pending[number] = call
	c.count++
	c.arguments += call.ArgumentSize()
	go c.perform(run, number, call)
}

func (c *Calls[C, A]) perform(run *sandbox.Run, number int, call C) {
	sandbox.Perform(call.Perform, func(answer A, err error) {
		ended := Ended[C, A]{Number: number, Call: call, Answer: answer, Suspended: err == sandbox.ErrSuspend}
		if !ended.Suspended {
			if err != nil {
				ended.Answer = call.Failed(err)
			}
			if ended.size = call.AnswerSize(ended.Answer); c.waiting.Add(ended.size) > MaxWaitingSize {
				c.waiting.Add(-ended.size)
				ended.Answer = call.Lost()
				ended.size = call.AnswerSize(ended.Answer)
				c.waiting.Add(ended.size)
			}
		}
		select {
		case c.ended <- ended:
		case <-run.Context().Done():
		}
	})
}

// Wait waits for the end of a call, or for a timeout, which may be nil. The timeout does not count while all calls wait
// for a person: the code's clock stands still.
func (c *Calls[C, A]) Wait(run *sandbox.Run, timeout <-chan time.Time) (Ended[C, A], error) {
	return c.next(run, sandbox.TapeWait, timeout)
}

// Poll returns a call that has ended, or [sandbox.WaitTimeout] at once.
func (c *Calls[C, A]) Poll(run *sandbox.Run) (Ended[C, A], error) {
	return c.next(run, sandbox.TapePoll, nil)
}

// live does what Wait or Poll do, without a recording.
func (c *Calls[C, A]) live(run *sandbox.Run, kind string, timeout <-chan time.Time) (Ended[C, A], error) {
	if kind == sandbox.TapePoll {
		select {
		case ended := <-c.ended:
			return ended, nil
		default:
			return Ended[C, A]{Number: sandbox.WaitTimeout}, nil
		}
	}
	if c.held() {
		defer run.Pause()()
		timeout = nil
	}
	select {
	case ended := <-c.ended:
		return ended, nil
	case <-timeout:
		return Ended[C, A]{Number: sandbox.WaitTimeout}, nil
	case <-run.Holding():
		return Ended[C, A]{Number: sandbox.WaitWoken}, nil
	case <-run.Context().Done():
		return Ended[C, A]{}, run.Interrupted()
	}
}

// next takes the call away that has ended, if one has.
func (c *Calls[C, A]) next(run *sandbox.Run, kind string, timeout <-chan time.Time) (Ended[C, A], error) {
	var got struct { // one piece of memory
		Ended[C, A]
		live bool
	}
	number, err := run.Choose(kind, func() (int64, error) {
		var err error
		got.Ended, err = c.live(run, kind, timeout)
		got.live = true
		return int64(got.Number), err
	})
	ended := got.Ended
	switch {
	case err != nil || number < 0:
		return Ended[C, A]{Number: int(number)}, err
	case !got.live: // a recording has it
		if ended, err = c.endOf(run, int(number)); err != nil {
			return ended, err
		}
	}
	delete(c.pending, ended.Number)
	if ended.Suspended {
		c.suspended = append(c.suspended, ended)
		return ended, nil
	}
	c.remove(ended)
	c.waiting.Add(-ended.size)
	return ended, nil
}

func (c *Calls[C, A]) remove(ended Ended[C, A]) {
	c.count--
	c.arguments -= ended.Call.ArgumentSize()
}

// GiveUp takes the first call away that is suspended.
func (c *Calls[C, A]) GiveUp() Ended[C, A] {
	first := c.suspended[0]
	c.suspended = c.suspended[1:]
	c.remove(first)
	return first
}

// endOf waits for the end of one call. Others that end meanwhile are kept.
func (c *Calls[C, A]) endOf(run *sandbox.Run, number int) (Ended[C, A], error) {
	if !c.Has(number) {
		return Ended[C, A]{}, fmt.Errorf("the recording has the end of call %d, which the code has not made", number)
	}
	for {
		if ended, ok := c.early[number]; ok {
			delete(c.early, number)
			return ended, nil
		}
		select {
		case ended := <-c.ended:
			if c.early == nil {
				c.early = map[int]Ended[C, A]{}
			}
			c.early[ended.Number] = ended
		case <-run.Context().Done():
			return Ended[C, A]{}, run.Interrupted()
		}
	}
}

// held reports whether all calls that could get an answer wait for a person.
func (c *Calls[C, A]) held() bool {
	for _, call := range c.pending {
		if !call.Held() {
			return false
		}
	}
	return len(c.pending) > 0
}
