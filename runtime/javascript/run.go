package javascript

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// run is the state of one run on the host's side.
type run struct {
	*sandbox.Run
	options RunOptions
	script  string   // as it was given
	outcome *outcome // nil until the script has ended

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
}

// outcome is how a script has ended.
type outcome struct {
	err   error
	text  string
	value any
}

func newRun(r *sandbox.Run, options RunOptions) *run {
	return &run{
		Run: r, options: options, origins: map[string]origin{}, mark: newMark(), entry: "toolrun:" + rand.Text(),
		completions: make(chan completion),
	}
}

// result collects what the run left behind. err is the error of the run.
func (r *run) result(err error) *Result {
	out := &Result{Usage: r.Usage()}
	out.Console, out.Truncated = r.Output().End()
	if err == nil {
		out.Text, out.Value = r.outcome.text, r.outcome.value
	}
	return out
}

// execute runs the libraries, if they are not there yet, and a script to its end.
func (in *instance) execute(program *sandbox.Program, script string) error {
	in.Untrusted()
	source, err := checkSource(script, in.run.options.Name)
	if err != nil {
		return err
	}
	if in.run.libraries != nil {
		if err := in.loadLibraries(program); err != nil {
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
		var limit *sandbox.LimitError
		if errors.As(err, &limit) && limit.Limit == sandbox.LimitTime && in.run.returned() && time.Since(began) < maxLeftOver {
			// Time is up, but the script has its result and does little else than wait: for a timer that nobody
			// cleared, most likely.
			in.run.Output().Log(sandbox.LevelWarn, fmt.Sprintf("stopped after %v: timers or calls were still pending when the script had returned",
				in.run.Limits().Time), 0)
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
	if _, err := in.checked(in.vm.RunJobs(in.Context())); err != nil {
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
	if status != 0 || r.Output().Library() != "" { // a library cannot speak for the script
		return &ExitError{status}
	}
	if !r.returned() {
		r.outcome = &outcome{text: "undefined"}
	}
	return errExited
}

// returned reports whether the script has its result.
func (r *run) returned() bool { return r.outcome != nil && r.outcome.err == nil }

// tick runs a timer if one is due, and returns 0. Otherwise it returns how long to wait for the next one, or a
// negative duration if there is no timer.
func (in *instance) tick() (time.Duration, error) {
	v, err := in.checked(in.vm.Call(in.Context(), in.prelude.Tick, quickjs.Int(int32(in.run.pending))))
	if err != nil {
		return 0, err
	}
	ms, ok := v.Int()
	if !ok {
		return 0, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}
