package runtime

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"
)

// RunOptions configure a run. The zero value has the default limits.
type RunOptions struct {
	// Limits are the limits of the run.
	Limits Limits

	// Owner is whom the run is for, such as a project, and Client which of the owner's clients wants it, such as
	// the name of a token. They decide how runs share places: see [EngineOptions].MaxRuns. An empty Owner is the
	// host itself: its runs may take all places, also those that are kept for others.
	Owner, Client string

	// Args are the guest's WASI arguments; the first one is by convention the name of the program.
	Args []string
	// Env is the guest's environment, each entry of the form NAME=value.
	Env []string
	// Stdin is the guest's standard input. Do not change it until the run has ended.
	Stdin []byte
	// StdinFrom, if not nil, is the rest of the standard input, after Stdin. It is read when the guest reads, on a
	// goroutine of its own, of which the last call may still be in progress when the run has ended.
	StdinFrom io.Reader
	// Stdout, if not nil, gets what the guest writes to its standard output, as the result of the run: it is not part
	// of the console then.
	Stdout *Stream

	// State, if not nil, is where the run goes on, by [Run.Resume]. Its time, output and work so far count as the
	// run's.
	State *State

	// Files are the files that the guest works on through WASI, if it is one with [Guest].Files. Nil is an empty
	// directory that cannot be changed. Beside them the guest has /dev/null and, unless they have a /tmp, an empty
	// directory /tmp for this run, in memory, for as many bytes as Limits.Memory. Package vfs has what is safe to give
	// to a guest. Operations on files end before the run does; only one that hangs may still be in progress then.
	Files afero.Fs

	// Console, if not nil, gets each entry of the console when it is printed, in order, on a goroutine of its own.
	// A line that is written without its end comes at once, too, in as many pieces as it takes: each is Unfinished
	// and continued by the next entry. Printing each text, with a newline unless it is Unfinished, gives exactly what
	// the code has written.
	//
	// The run does not wait for it, except at its end: until Console has had all entries, or the run's time is up or
	// its context has ended, and then at most a quarter of a second. A Console that is slower, or panics, misses the
	// last entries; the output has them all. One call may still be in progress then.
	Console func(Entry)
}

// A Run is one execution of guest code, from [Program.Begin] to [Run.End]. It is not safe for concurrent use,
// except for methods that say so.
type Run struct {
	program  *Program
	options  RunOptions
	source   Source
	started  time.Time
	output   Output
	stdin    []byte // the unread rest
	place    *heldPlace
	instance *Instance // nil before Start

	ctx      context.Context // ends with the run
	cancel   context.CancelFunc
	caller   context.Context
	deadline atomic.Pointer[time.Time] // nil without a limit
	timer    *time.Timer               // ends ctx at the deadline; nil without a limit
	holding  chan struct{}             // see Holding
	made     int                       // how many calls
	// outOfTime is the cause of ctx's end if the run's own deadline ended it.
	outOfTime *LimitError

	tasks chan func() // for AwaitInTurn; nil before its first call
}

// Begin waits for a place and begins a run. The caller ends it with [Run.End]. The error is a [*LimitError] for
// LimitRuns if the context ends first, or [ErrClosed]; any other error concerns the options.
func (p *Program) Begin(ctx context.Context, options RunOptions) (*Run, error) {
	var err error
	if options.Limits, err = options.Limits.withDefaults(); err != nil {
		return nil, err
	}
	e := p.engine
	place, err := e.places.take(ctx, e.closing, options.Owner, options.Client)
	if err != nil {
		return nil, err
	}
	if err := e.enter(); err != nil {
		place.leave()
		return nil, err
	}
	r := newRun(ctx, p, options)
	if r.place = place; place != nil {
		r.ctx = context.WithValue(r.ctx, placeKey{}, place)
	}
	return r, nil
}

func newRun(caller context.Context, p *Program, options RunOptions) *Run {
	r := &Run{program: p, options: options, stdin: options.Stdin, started: time.Now(), holding: make(chan struct{}, 1)}
	r.source, caller = takeSource(caller)
	r.caller = caller
	r.output = limitOutput(options.Limits.Output)
	if s := options.State; s != nil {
		r.started = r.started.Add(-s.Spent)
		r.output.restore(s.Console, s.Truncated, s.Pictures)
	}
	r.output.live = newLive(options.Console)
	ctx, cancel := context.WithCancelCause(caller)
	r.ctx = ctx
	if limit := options.Limits.Time; limit != Unlimited {
		deadline := r.started.Add(limit)
		r.deadline.Store(&deadline)
		r.outOfTime = &LimitError{Limit: LimitTime, Value: int64(limit)}
		r.timer = time.AfterFunc(time.Until(deadline), func() {
			if callers, ok := caller.Deadline(); !ok || !callers.Before(*r.deadline.Load()) { // its timer may be late
				cancel(r.outOfTime)
			}
		})
		r.ctx = runContext{ctx, r}
	}
	closing := func() { cancel(nil) }
	stop := context.AfterFunc(p.engine.closing, closing)
	r.cancel = func() {
		stop()
		if r.timer != nil {
			r.timer.Stop()
		}
		cancel(nil)
	}
	return r
}

// Start gives the run a sandbox in the state of an image of the program; a nil image is the one from which all runs
// start. Call it once; it may be repeated only after an error. The error is a [*LimitError] if the image has more
// memory than the run may have.
func (r *Run) Start(image *Image) (*Instance, error) {
	if image == nil {
		image = r.program.base
	}
	limit := r.options.Limits.Memory
	if image.memory.Size() > uint64(limit) {
		return nil, &LimitError{Limit: LimitMemory, Value: limit}
	}
	in, err := r.program.engine.pool.get(image, limit)
	if err != nil {
		return nil, err
	}
	in.begin(r)
	r.instance = in
	return in, nil
}

// Restart gives the run another sandbox in the place of the one that it has, whose files are closed. Its work begins at
// zero again. files are those that the guest works on from now on.
func (r *Run) Restart(image *Image, files afero.Fs) (*Instance, error) {
	old := r.instance
	r.instance = nil
	if err := old.CloseFiles(); err != nil {
		r.program.engine.pool.put(old)
		return nil, err
	}
	r.program.engine.pool.put(old)
	r.options.Files = files
	return r.Start(image)
}

// End ends the run. It tells everything still in progress that the run is over, and returns its sandbox and its
// place. Use only its usage and its output after that.
func (r *Run) End() {
	if r.instance != nil {
		_ = r.instance.CloseFiles()
		r.program.engine.pool.put(r.instance)
	}
	r.finish()
	r.place.leave()
	r.output.live.end(r)
	r.program.engine.runs.Done()
}

// finish releases what the run itself holds.
func (r *Run) finish() {
	r.cancel()
	if r.tasks != nil {
		close(r.tasks)
	}
}

// Context returns the context of everything done for the run. It ends with the run. Context is safe for concurrent
// use.
func (r *Run) Context() context.Context { return r.ctx }

// Limits returns the limits of the run, with defaults in place of zeros.
func (r *Run) Limits() Limits { return r.options.Limits }

// Output returns what the run prints.
func (r *Run) Output() *Output { return &r.output }

// Started returns when the run began.
func (r *Run) Started() time.Time { return r.started }

// Usage returns what the run has used so far. Do not call it after the end of the run.
func (r *Run) Usage() Usage {
	u := Usage{Duration: time.Since(r.started)}
	if in := r.instance; in != nil {
		u.Memory, u.Work = in.MemorySize(), in.Work()
	}
	return u
}

// Interrupted returns why the run must end now, or nil. Host functions that do not wait call it, and panic with a
// [*Stop] of the result. It looks at the clock itself, because timers may be late while code in a guest runs.
func (r *Run) Interrupted() error { return r.interruptedAt(time.Now()) }

// interruptedAt is Interrupted with the current time supplied.
func (r *Run) interruptedAt(now time.Time) error {
	switch {
	case r.ctx.Err() != nil && context.Cause(r.ctx) == error(r.outOfTime): // other reasons came later
		return r.outOfTime
	case r.program.engine.closing.Err() != nil:
		return ErrClosed
	case r.caller.Err() != nil:
		return &StoppedError{context.Cause(r.caller)}
	}
	deadline, ok := r.ctx.Deadline() // the run's or the caller's, whichever is first
	switch {
	case !ok || now.Before(deadline):
		return nil
	case r.outOfTime != nil && !deadline.Before(*r.deadline.Load()):
		return r.outOfTime
	}
	return &StoppedError{context.DeadlineExceeded}
}

// wait waits for d, or returns the error that ends the run.
func (r *Run) wait(d time.Duration) error {
	if err := r.Interrupted(); err != nil || d <= 0 || r.Replays() {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.ctx.Done():
		return r.Interrupted()
	}
}
