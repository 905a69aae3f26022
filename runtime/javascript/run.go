package javascript

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolrun/toolrun/internal/wasm/scratch"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/modules"
	"github.com/toolrun/toolrun/runtime/javascript/timers"
	"github.com/toolrun/toolrun/runtime/script"
)

// run is the state of one run on the host's side.
type run struct {
	*sandbox.Run
	options  RunOptions
	script   string   // the original text
	builtins []string // built-in modules that the script seems to use
	outcome  *outcome // nil until the script has ended

	expression  *expression       // the script, if it is one
	ending      ending            // of the script
	changed     bool              // it has changed files, or tried to
	origins     map[string]origin // by file
	originsSize int               // in bytes
	frames      map[string]string // the stack frames that nodeFrame has shown, by the engine's
	uncalled    string            // the explanation of a method that is used as a value; empty if none was seen

	setup     encoded          // the functions and globals, encoded
	libraries *librarySet      // to be loaded before the script; nil if there are none
	scratch   *scratch.FS      // the files with /tmp; nil before they are used
	evidence  *script.Evidence // of what libraries read while they load; nil otherwise
	library   string           // the path of the one that is being loaded; empty otherwise
	left      bool             // it has called halt or process.exit

	loadingFirst bool     // the modules that the script loads first are being loaded
	effects      *effects // which modules have effects while they are loaded
	started      bool     // the run has had a sandbox

	firstName string            // of the session's first script
	scripts   int               // how many of the session have run before
	functions []sessionFunction // those that scripts can have, by their numbers; nil if these are those of the options
	restored  int               // how many of them come from a state

	mark    string // the prefix of strings in JSON that stand for bytes
	modules modules.Loader
	calls   script.Calls[*invocation, answer]
}

// outcome is the end of a script: an error or its result.
type outcome struct {
	err   error
	text  string
	value any
}

func newRun(r *sandbox.Run, options RunOptions) *run {
	random := rand.Text() // 26 letters of five bits
	made := &run{
		Run: r, options: options, origins: map[string]origin{}, mark: newMark(random[:12]), firstName: options.Name,
	}
	made.modules = modules.Loader{
		Features: features, Builtins: builtins, Online: options.Network != nil, EngineModules: options.engineModules,
		Entry: "toolrun:" + random[12:], Code: made,
	}
	return made
}

// result makes the run's result. err is the error of the run.
func (r *run) result(err error) *Result {
	out := &Result{Usage: r.Usage()}
	out.Console, out.Truncated = r.Output().End()
	if r.returned() && !errors.Is(err, ErrHalted) {
		out.Text, out.Value = r.outcome.text, r.outcome.value
	}
	return out
}

// execute runs the libraries, unless they are already loaded, and then a script to its end.
func (in *instance) execute(program *sandbox.Program, script string) error {
	in.Untrusted()
	source := strings.ToValidUTF8(script, "\ufffd") // the engine reads UTF-8
	if in.run.libraries != nil {
		err := libraryLoader{in}.loadLibraries(program)
		if err == errEffect {
			in, err = in.run.again(program)
		}
		for in != nil && in.run.leaveOut(err, in) {
			in, err = in.run.reload(program)
		}
		if err != nil {
			return err
		}
	}
	if in.run.options.Session {
		details := map[string]any{"mark": in.run.mark, "name": in.run.options.Name}
		if _, err := in.Checked(in.callWith(in.Prelude.StartTop, details)); err != nil {
			return err
		}
	}
	c, err := compiler{in}.compile(source)
	if err == nil {
		err = in.startScript(c)
	}
	if err != nil {
		return atNUL(err, source)
	}
	return in.loop()
}

// again gives the run another sandbox, in which nothing has been loaded for the script yet, and loads the libraries in
// folders there, which had no effect. The modules that the script itself loads are left to it.
func (r *run) again(program *sandbox.Program) (*instance, error) {
	r.effects.add(r.options.Owner, r.libraries.imports)
	r.libraries.imports = nil
	return r.reload(program)
}

// reload gives the run another sandbox, and loads the libraries there.
func (r *run) reload(program *sandbox.Program) (*instance, error) {
	r.evidence, r.outcome = nil, nil
	in, err := r.fresh(program)
	if err == nil && r.libraries.any() {
		in.Untrusted()
		err = libraryLoader{in}.loadLibraries(program)
	}
	if err == nil {
		in.Untrusted()
	}
	return in, err
}

// maxLeftOver is how long a turn may take after the script has returned and still count as waiting.
const maxLeftOver = 100 * time.Millisecond

// loop runs the script's jobs, timers and calls until none is left.
func (in *instance) loop() error {
	for {
		began := time.Now()
		wait, done, err := in.turn()
		switch {
		case done || err != nil:
		case wait != 0 && in.run.calls.OnlySuspended() && in.run.files().IsEmpty():
			return ErrSuspend
		case wait != 0 && in.run.calls.OnlySuspended():
			err = functionCaller{in}.giveUp()
		case wait != 0:
			err = functionCaller{in}.await(wait)
			began = time.Now()
		case in.run.calls.Len() > 0:
			err = functionCaller{in}.deliverEnded() // even if a timer is always due
		}
		var limit *sandbox.LimitError
		if errors.As(err, &limit) && limit.Limit == sandbox.LimitTime && in.run.returned() &&
			time.Since(began) < maxLeftOver {
			// Time is up, but the script has its result and is only waiting, most likely for a timer that nobody
			// cleared.
			in.run.Output().Log(sandbox.LevelWarn, fmt.Sprintf("stopped after %v: "+
				"timers or calls were still pending when the script had returned", in.run.Limits().Time), 0)
			return nil
		}
		if done || err != nil {
			return err
		}
	}
}

// turn runs all jobs and at most one timer. It returns how long to wait before the next turn; a negative duration means
// until a call ends.
func (in *instance) turn() (wait time.Duration, done bool, err error) {
	if _, err := in.Checked(in.VM.RunJobs(in.Context())); err != nil {
		return 0, false, err
	}
	if o := in.run.outcome; o != nil && o.err != nil {
		return 0, false, o.err
	}
	if wait, err = timers.Tick(&in.Engine, in.run.calls.Len(), len(in.rejections) > 0); err != nil {
		return 0, false, err
	}
	if wait == timers.RejectionsFirst {
		return 0, false, in.reportRejections()
	}
	if wait >= 0 || in.run.calls.Len() > 0 {
		return wait, false, nil
	}
	if in.run.outcome == nil {
		return 0, false, ErrNeverSettles
	}
	return 0, true, in.noteEnding()
}

// errExited ends a run that has been successful.
var errExited = errors.New("exited")

// exit returns the error that ends the run when the script exits with a status.
func (r *run) exit(status int) error {
	if status != 0 || r.library != "" { // a library cannot speak for the script
		return &ExitError{status}
	}
	if !r.returned() {
		r.outcome = &outcome{text: "undefined"}
	}
	return errExited
}

// returned reports whether the script has its result.
func (r *run) returned() bool { return r.outcome != nil && r.outcome.err == nil }
