package selftest

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

const (
	// DefaultTimeLimit stops scripts that do not end by themselves.
	DefaultTimeLimit = 250 * time.Millisecond

	// DefaultMostLate is more than the delay on even the busiest machine.
	DefaultMostLate = 10 * time.Second

	// patience is the time limit of scripts that end by themselves or at another limit: enough for the slowest machine.
	patience = 5 * time.Minute
)

// Options configure how attacks are made.
type Options struct {
	// TimeLimit is for scripts that may end by it; others have minutes. Zero means DefaultTimeLimit.
	TimeLimit time.Duration

	// MostLate is how long after its time limit a script may be stopped. Zero means DefaultMostLate.
	MostLate time.Duration

	// AtOnce is how many attacks are made at the same time, except those whose memory is measured. Zero means the
	// number of processors, but at least two.
	AtOnce int

	// Rounds is how often each attack is made. Zero means once.
	Rounds int

	// Python runs the attacks of [PythonAttacks], and Shell those of [ShellAttacks].
	Python *py.Interpreter
	Shell  code.Interpreter
}

// An Outcome is the result of one attack.
type Outcome struct {
	Attack   string        `json:"script"`
	Ending   string        `json:"ending"`   // as Ending has it, or in the words of an attack that is no script
	Duration time.Duration `json:"duration"` // in nanoseconds
	// Late is how long after its time limit the attack ended. It is zero if something else ended it.
	Late time.Duration `json:"late,omitempty"`

	// MemoryBefore is the resident memory of the process before the attack, MemoryMost its peak, and MemoryAllowed
	// the largest allowed peak, in bytes. They are zero if memory is not measured, or cannot be.
	MemoryBefore  int64 `json:"memoryBefore,omitempty"`
	MemoryMost    int64 `json:"memoryMost,omitempty"`
	MemoryAllowed int64 `json:"memoryAllowed,omitempty"`

	// Wrong describes what went wrong. Empty means nothing.
	Wrong string `json:"wrong,omitempty"`
}

// A Report is the result of a self-test.
type Report struct {
	Outcomes []Outcome `json:"outcomes"` // in the order of the attacks, each as often as there were rounds
	Process  Process   `json:"process"`
}

// Run makes attacks, scripts with the given interpreter. Attacks whose memory is measured come first, one after
// another. Then come all others, several at the same time, while garbage collections are forced one after another.
// After each script, Run checks that a correct script still works. The error is the context's.
func Run(ctx context.Context, engine *js.Interpreter, attacks []Attack, options Options) (*Report, error) {
	if options.TimeLimit == 0 {
		options.TimeLimit = DefaultTimeLimit
	}
	if options.MostLate == 0 {
		options.MostLate = DefaultMostLate
	}
	if options.AtOnce == 0 {
		options.AtOnce = max(goruntime.GOMAXPROCS(0), 2)
	}
	rounds := max(options.Rounds, 1)

	report := &Report{Outcomes: make([]Outcome, rounds*len(attacks))}
	p := &report.Process
	if slices.ContainsFunc(attacks, func(a Attack) bool { return a.Grows > 0 }) {
		_ = check(ctx, engine) // allocates what a first run needs, before anything is measured
	}
	if slices.ContainsFunc(attacks, func(a Attack) bool { return a.IsPython() && a.Family() == dataFamily }) {
		// Makes the images with the packages, which would take the time of the first attacks.
		_ = checkPython(ctx, options.Python, nil, correctData, correctDataResult)
		if slices.Contains(options.Python.Packages(), "matplotlib") {
			_ = checkPython(ctx, options.Python, nil, "import matplotlib.pyplot\n1", "1")
		}
	}
	p.MemoryBefore = settled()
	for i := range report.Outcomes {
		if a := attacks[i/rounds]; a.Grows > 0 && ctx.Err() == nil {
			report.Outcomes[i] = attemptMeasured(ctx, engine, a, options)
			p.MemoryMost = max(p.MemoryMost, report.Outcomes[i].MemoryMost)
		}
	}

	stop := watch(p)
	next := make(chan int)
	var workers sync.WaitGroup
	for range options.AtOnce {
		workers.Go(func() {
			for i := range next {
				report.Outcomes[i] = attempt(ctx, engine, attacks[i/rounds], options)
			}
		})
	}
	for i := range report.Outcomes {
		if attacks[i/rounds].Grows == 0 && ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.MemoryAfter = settled()
	return report, nil
}

// attempt makes an attack.
func attempt(ctx context.Context, engine *js.Interpreter, a Attack, options Options) Outcome {
	do, finish, err := prepared(ctx, engine, a, options)
	if err != nil {
		return Outcome{Attack: a.Name, Wrong: err.Error()}
	}
	defer finish()
	return do()
}

// attemptMeasured makes an attack, and measures the memory of the process.
func attemptMeasured(ctx context.Context, engine *js.Interpreter, a Attack, options Options) Outcome {
	do, finish, err := prepared(ctx, engine, a, options)
	if err != nil {
		return Outcome{Attack: a.Name, Wrong: err.Error()}
	}
	defer finish()
	var o Outcome
	before, most := measure(func() { o = do() })
	if most == 0 {
		return o
	}
	o.MemoryBefore, o.MemoryMost, o.MemoryAllowed = before, most, before+a.Grows
	if o.Wrong == "" && o.MemoryMost > o.MemoryAllowed {
		o.Wrong = fmt.Sprintf("the process grew by %s, and not by %s at most", mebibytes(most-before),
			mebibytes(a.Grows))
	}
	return o
}

// prepared returns functions that make an attack and release what it needed.
func prepared(ctx context.Context, engine *js.Interpreter, a Attack, options Options) (do func() Outcome, finish func(),
	err error) {
	switch a.language {
	case "python":
		return func() Outcome { return attemptPython(ctx, a, options) }, func() {}, nil
	case "shell":
		return func() Outcome { return attemptShell(ctx, a, options) }, func() {}, nil
	}
	if a.prepare == nil {
		return func() Outcome { return attemptScript(ctx, engine, a, options) }, func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errPatience)
	attack, free, err := a.prepare(ctx)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	do = func() Outcome {
		began := time.Now()
		ending, err := attack()
		o := Outcome{Attack: a.Name, Ending: ending, Duration: time.Since(began)}
		if err != nil {
			o.Wrong = err.Error()
		} else if !a.Allows(ending) {
			o.Wrong = fmt.Sprintf("it should have ended with %q, and not with %q", a.Endings, ending)
		}
		return o
	}
	return do, func() { cancel(); free() }, nil
}

// errPatience ends attacks that do not end by themselves.
var errPatience = fmt.Errorf("it did not end within %v", patience)

// attemptCode runs hostile code, and then correct code. Both are given the files of one project.
func attemptCode(
	ctx context.Context, script Attack, options Options,
	run func(project vfs.Project, limits sandbox.Limits) (ending string), correct func(project vfs.Project) error,
) Outcome {
	store := local.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open(ctx, "selftest")
	if err != nil {
		return Outcome{Attack: script.Name, Wrong: err.Error()}
	}
	limit := options.TimeLimit
	if !script.Allows(timeLimit) {
		limit = patience
	}
	began := time.Now()
	o := Outcome{Attack: script.Name, Ending: run(project, sandbox.Limits{Time: limit})}
	o.Duration = time.Since(began)
	if o.Ending == timeLimit {
		o.Late = max(o.Duration-limit, 1)
	}
	if !script.Allows(o.Ending) {
		o.Wrong = fmt.Sprintf("it should have ended with %q, and not with %q", script.Endings, o.Ending)
		return o
	}
	if o.Late > options.MostLate {
		o.Wrong = fmt.Sprintf("it was stopped %v after its time limit", o.Late.Round(time.Millisecond))
		return o
	}
	if err := correct(project); err != nil {
		o.Wrong = err.Error()
	}
	return o
}

// attemptScript runs a script with files and functions, as in real use.
func attemptScript(ctx context.Context, engine *js.Interpreter, script Attack, options Options) Outcome {
	return attemptCode(ctx, script, options, func(project vfs.Project, limits sandbox.Limits) string {
		return Ending(engine.Run(ctx, script.Source, &js.RunOptions{
			Name: script.Name + ".js", Files: project, Functions: functions, Limits: limits,
		}))
	}, func(vfs.Project) error {
		if err := check(ctx, engine); err != nil {
			return fmt.Errorf("a correct script did not work after it: %w", err)
		}
		return nil
	})
}

// correct is a script that uses a bit of everything that a hostile script may have broken.
const correct = `
	const sorted = [3, 1, 2].toSorted(), text = JSON.stringify({sorted, map: [...new Map([[1, 'é']])]});
	fs.writeFileSync('/a/b', text);
	const [again] = await later(await fs.readFile('/a/b', 'utf8'));
	return again.replace(/\d/g, (n) => n * 2) + new URL('../c', 'http://a/b/d/') + echo(2n ** 3n === 8n)[0]`

const correctResult = `{"sorted":[2,4,6],"map":[[2,"é"]]}http://a/b/ctrue`

func check(ctx context.Context, engine *js.Interpreter) error {
	store := local.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open(ctx, "selftest")
	if err != nil {
		return err
	}
	result, err := engine.Run(ctx, correct, &js.RunOptions{Files: project, Functions: functions,
		Limits: sandbox.Limits{Time: patience}})
	if err != nil {
		return err
	}
	if result.Text != correctResult {
		return fmt.Errorf("it returned %q", result.Text)
	}
	return nil
}
