package selftest

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

const (
	// DefaultTimeLimit stops scripts that do not end by themselves.
	DefaultTimeLimit = 250 * time.Millisecond

	// DefaultMostLate is later than the busiest machine makes it by itself.
	DefaultMostLate = 10 * time.Second

	// patience is the time limit of scripts that end by themselves, or at another limit: long enough for the slowest machine.
	patience = 5 * time.Minute
)

// Options say how scripts are run.
type Options struct {
	// TimeLimit is for the scripts that may end by it; the others have minutes. Zero means DefaultTimeLimit.
	TimeLimit time.Duration

	// MostLate is how long after its time limit a script may be stopped. Zero means DefaultMostLate.
	MostLate time.Duration

	// AtOnce is how many scripts run at the same time. Zero means as many as there are processors, but two at least.
	AtOnce int

	// Rounds is how often each script is run. Zero means once.
	Rounds int
}

// Outcome is what one run of a script has come to.
type Outcome struct {
	Script   string        `json:"script"`
	Ending   string        `json:"ending"`         // as Ending has it
	Duration time.Duration `json:"duration"`       // in nanoseconds
	Late     time.Duration `json:"late,omitempty"` // how long after its time limit it ended; zero if another thing ended it

	// Wrong says what is not as it should be. Empty means that nothing is.
	Wrong string `json:"wrong,omitempty"`
}

// Report is what has come of a test.
type Report struct {
	Outcomes []Outcome `json:"outcomes"` // in the order of the scripts, each as often as there were rounds
	Process  Process   `json:"process"`
}

// Run runs scripts in an engine, several at the same time, while garbage collections are forced one after the other. After each script,
// it checks that the engine still runs a correct one correctly. The error is the context's.
func Run(ctx context.Context, engine *sandbox.Engine, scripts []Script, options Options) (*Report, error) {
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

	report := &Report{Outcomes: make([]Outcome, rounds*len(scripts))}
	stop := watch(&report.Process)
	next := make(chan int)
	var workers sync.WaitGroup
	for range options.AtOnce {
		workers.Go(func() {
			for i := range next {
				report.Outcomes[i] = attempt(ctx, engine, scripts[i/rounds], options)
			}
		})
	}
	for i := range report.Outcomes {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return report, nil
}

// attempt runs a script, with files and functions as it would have in earnest.
func attempt(ctx context.Context, engine *sandbox.Engine, script Script, options Options) Outcome {
	store := vfs.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open("selftest")
	if err != nil {
		return Outcome{Script: script.Name, Wrong: err.Error()}
	}
	limit := options.TimeLimit
	if !script.Allows(timeLimit) {
		limit = patience
	}
	began := time.Now()
	result, err := engine.Run(ctx, script.Source, &sandbox.RunOptions{
		Name:      script.Name + ".js",
		Files:     project,
		Functions: functions,
		Limits:    sandbox.Limits{Time: limit},
	})
	o := Outcome{Script: script.Name, Ending: Ending(result, err), Duration: time.Since(began)}
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
	if err := check(ctx, engine); err != nil {
		o.Wrong = "a correct script did not work after it: " + err.Error()
	}
	return o
}

// correct is a script that uses a bit of everything that a hostile one may have broken.
const correct = `
	const sorted = [3, 1, 2].toSorted(), text = JSON.stringify({sorted, map: [...new Map([[1, 'é']])]});
	fs.writeFileSync('/a/b', text);
	const [again] = await later(await fs.readFile('/a/b', 'utf8'));
	return again.replace(/\d/g, (n) => n * 2) + new URL('../c', 'http://a/b/d/') + echo(2n ** 3n === 8n)[0]`

const correctResult = `{"sorted":[2,4,6],"map":[[2,"é"]]}http://a/b/ctrue`

func check(ctx context.Context, engine *sandbox.Engine) error {
	store := vfs.NewMemoryStore(nil)
	defer store.Close()
	project, err := store.Open("selftest")
	if err != nil {
		return err
	}
	result, err := engine.Run(ctx, correct, &sandbox.RunOptions{Files: project, Functions: functions, Limits: sandbox.Limits{Time: patience}})
	if err != nil {
		return err
	}
	if result.Text != correctResult {
		return fmt.Errorf("it returned %q", result.Text)
	}
	return nil
}
