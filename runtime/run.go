package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// Run runs a script in a fresh sandbox. The script is the body of an async function in strict mode: return gives the
// result, await works. It runs until the function has returned and nothing is left that could still happen: no timer, no
// call of an asynchronous function. If the function throws, the run ends at once.
//
// The error says why there is no result: a [*ScriptError], [*LimitError], [*ExitError], [*CrashError] or [*StoppedError],
// [ErrNeverSettles], [ErrHalted] or [ErrClosed]; any other error is the host's, not the script's. The result is never nil: what was
// written to the console before an error, and what the run used, are in it.
func (e *Engine) Run(ctx context.Context, script string, options *RunOptions) (*Result, error) {
	o, err := options.withDefaults()
	if err != nil {
		return &Result{}, err
	}
	place, err := e.enter(ctx, &o)
	if err != nil {
		return &Result{}, err
	}
	defer e.leave(place)

	r := newRun(ctx, e.closing, o)
	defer r.end()
	if place != nil && len(o.Functions) > 0 {
		r.ctx = context.WithValue(r.ctx, placeKey{}, place)
	}
	r.script = script
	if err := r.interrupted(); err != nil {
		return &Result{}, err
	}
	in, err := e.sandbox(r)
	if in != nil {
		defer e.pool.put(in)
	}
	if err == nil {
		err = in.execute(e, script)
	}
	if err == errExited {
		err = nil
	}
	return r.result(in, err), err
}

// sandbox returns an instance for a run in which nothing has run but its libraries, if there is an image of them. There can be one with
// an error, too: the run's functions and globals have found no room in it.
func (e *Engine) sandbox(r *run) (in *instance, err error) {
	if err := r.encodeSetup(); err != nil {
		return nil, err
	}
	if err := r.findLibraries(&e.images); err != nil {
		return nil, err
	}
	limit := r.options.Limits.Memory
	if r.libraries != nil && r.libraries.image != nil {
		if in, err := e.pool.get(r.libraries.image, limit); err == nil {
			r.libraries = nil // they are there
			in.begin(r)
			return in, nil
		}
	}
	if in, err = e.pool.get(e.base, limit); err != nil {
		return nil, err
	}
	in.begin(r)
	in.vm.CollectAt(uint32(min(maxCollectAt, limit/8))) // an image of libraries has what the engine has made of that
	return in, in.install()
}

// run is the state of one run on the host's side.
type run struct {
	options RunOptions
	script  string // as it was given
	started time.Time
	output  output
	outcome *outcome // nil until the script has ended

	ctx      context.Context // of everything that is done for the run; it ends with it
	cancel   context.CancelFunc
	caller   context.Context
	closing  context.Context
	deadline time.Time // zero if there is none
	// outOfTime is why ctx has ended if the deadline was the first reason for that.
	outOfTime *LimitError

	origins     map[string]origin // by file: where what the engine runs comes from
	originsSize int               // bytes of them

	setup     encoded     // the functions and globals
	libraries *librarySet // what is to be loaded before the script; nil if there is nothing
	evidence  *evidence   // notes what is read while libraries are loaded; nil otherwise

	attachment  []byte       // bytes for the script to fetch
	mark        string       // stands for bytes in JSON
	entry       string       // by which the prelude, and nobody else, can import the script
	pending     int          // asynchronous calls under way
	pendingSize int          // the size of their arguments, in bytes
	waitingSize atomic.Int64 // the size of the answers that wait for the script, in bytes
	completions chan completion

	tasks chan func() // for abandonableInTurn; nil as long as there is nothing for it
}

// outcome is how a script has ended.
type outcome struct {
	err   error
	text  string
	value any
}

func newRun(caller, closing context.Context, options RunOptions) *run {
	r := &run{options: options, started: time.Now(), caller: caller, closing: closing, origins: map[string]origin{}}
	r.output = limitOutput(options.Limits.Output)
	if limit := options.Limits.Time; limit != Unlimited {
		r.deadline = r.started.Add(limit)
		r.outOfTime = &LimitError{Limit: LimitTime, Value: int64(limit)}
		r.ctx, r.cancel = context.WithDeadlineCause(caller, r.deadline, r.outOfTime)
	} else {
		r.ctx, r.cancel = context.WithCancel(caller)
	}
	stop := context.AfterFunc(closing, r.cancel)
	cancel := r.cancel
	r.cancel = func() { stop(); cancel() }
	r.mark = newMark()
	r.entry = "toolrun:" + rand.Text()
	r.completions = make(chan completion)
	return r
}

// end releases what the run holds, and tells functions that are still under way that it is over.
func (r *run) end() {
	r.cancel()
	if r.tasks != nil {
		close(r.tasks)
	}
}

// interrupted says why the run must end now, or nil, which it is not if ctx has ended. It looks at the clock itself: while code in a
// guest runs, timers may be late.
func (r *run) interrupted() error { return r.interruptedAt(time.Now()) }

// interruptedAt is interrupted for who knows what time it is.
func (r *run) interruptedAt(now time.Time) error {
	switch {
	case r.ctx.Err() != nil && context.Cause(r.ctx) == error(r.outOfTime): // whatever has ended after that
		return r.outOfTime
	case r.closing.Err() != nil:
		return ErrClosed
	case r.caller.Err() != nil:
		return &StoppedError{context.Cause(r.caller)}
	}
	deadline, ok := r.ctx.Deadline() // the first of two
	switch {
	case !ok || now.Before(deadline):
		return nil
	case r.outOfTime != nil && !deadline.Before(r.deadline):
		return r.outOfTime
	}
	return &StoppedError{context.DeadlineExceeded}
}

// wait waits for d, or returns the error that ends the run.
func (r *run) wait(d time.Duration) error {
	if err := r.interrupted(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.ctx.Done():
		return r.interrupted()
	}
}

// result collects what the run left behind. in is nil if there was no instance; err is the error of the run.
func (r *run) result(in *instance, err error) *Result {
	r.output.flush()
	out := &Result{Console: r.output.console, Truncated: r.output.truncated}
	if err == nil {
		out.Text, out.Value = r.outcome.text, r.outcome.value
	}
	out.Usage.Duration = time.Since(r.started)
	if in != nil {
		out.Usage.Memory = int64(in.memory.Size())
		out.Usage.Work = in.work()
	}
	return out
}

// execute runs the libraries, if they are not there yet, and a script to its end.
func (in *instance) execute(e *Engine, script string) error {
	in.scripted = true
	source, err := checkSource(script, in.run.options.Name)
	if err != nil {
		return err
	}
	if in.run.libraries != nil {
		if err := in.loadLibraries(&e.images); err != nil {
			return err
		}
	}
	c, err := in.compile(source)
	if err != nil {
		return err
	}
	if err := in.startScript(c); err != nil {
		return err
	}
	return in.loop()
}

// maxLeftOver is how long what goes on after a script has returned may run without a pause, and still count as waiting.
const maxLeftOver = 100 * time.Millisecond

// loop runs the script's jobs, timers and calls until nothing of it is left.
func (in *instance) loop() error {
	for {
		began := time.Now()
		wait, done, err := in.turn()
		switch {
		case done || err != nil:
		case wait != 0:
			err = in.await(wait)
			began = time.Now()
		case in.run.pending > 0:
			err = in.deliverEnded() // timers can be due all the time
		}
		var limit *LimitError
		if errors.As(err, &limit) && limit.Limit == LimitTime && in.run.returned() && time.Since(began) < maxLeftOver {
			// Time is up, but the script has its result and does little else than wait: for a timer that nobody cleared,
			// most likely.
			in.run.output.log(LevelWarn, fmt.Sprintf("stopped after %v: timers or calls were still pending when the script had returned",
				in.run.options.Limits.Time), 0)
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// turn runs all jobs and at most one timer. It returns how long to wait before the next turn: 0 is not at all, and a
// negative duration until a call ends.
func (in *instance) turn() (wait time.Duration, done bool, err error) {
	if _, err := in.checked(in.vm.RunJobs(in.context())); err != nil {
		return 0, false, err
	}
	if err := in.reportRejections(); err != nil {
		return 0, false, err
	}
	if o := in.run.outcome; o != nil && o.err != nil {
		return 0, false, o.err
	}
	if wait, err = in.tick(); err != nil {
		return 0, false, err
	}
	if wait >= 0 || in.run.pending > 0 {
		return wait, false, nil
	}
	if in.run.outcome == nil {
		return 0, false, ErrNeverSettles
	}
	return 0, true, nil
}

// errExited ends a run that has been successful.
var errExited = errors.New("exited")

// exit returns what ends the run when the script exits with a status.
func (r *run) exit(status int) error {
	if status != 0 || r.output.library != "" { // a library cannot speak for the script
		return &ExitError{status}
	}
	if !r.returned() {
		r.outcome = &outcome{text: "undefined"}
	}
	return errExited
}

// returned says whether the script has its result.
func (r *run) returned() bool { return r.outcome != nil && r.outcome.err == nil }

// tick runs a timer if one is due, and then returns 0. Otherwise it returns how long to wait for the next one, or a
// negative duration if there is none.
func (in *instance) tick() (time.Duration, error) {
	v, err := in.checked(in.vm.Call(in.context(), in.prelude.Tick, quickjs.Int(int32(in.run.pending))))
	if err != nil {
		return 0, err
	}
	ms, ok := v.Int()
	if !ok {
		return 0, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}
