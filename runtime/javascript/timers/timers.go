// Package timers is timers, and the clocks of performance and node:perf_hooks.
//
// # Experimental
//
// Only runtime/javascript needs this package.
package timers

import (
	"embed"
	"strconv"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

//go:embed internal *.js prelude timers
var scripts embed.FS

// Feature is what the package gives to scripts.
var Feature = host.Feature{
	Name:    "timers",
	Scripts: scripts,
	Prelude: []string{"timers", "performance"},
	Functions: map[string]host.Function{
		"atomics.sleep": sleep, // milliseconds as text: nothing, after that time
	},
	Globals: map[string]string{
		"internal/atomics": "Atomics",
		"internal/performance": "Performance PerformanceEntry PerformanceMark PerformanceMeasure " +
			"PerformanceObserver PerformanceObserverEntryList performance",
	},
}

// sleep lets the script's only thread wait, at most until the run ends.
func sleep(c *host.Call) {
	milliseconds, err := strconv.ParseFloat(c.Name(0), 64)
	if err != nil || milliseconds != milliseconds {
		c.Fail(host.Errorf("the time must be a number"))
		return
	}
	const longest = 24 * time.Hour // no run lasts that long
	duration := longest
	if milliseconds < float64(longest/time.Millisecond) {
		duration = time.Duration(milliseconds * float64(time.Millisecond))
	}
	c.Waited(duration)
	if c.Run().Replays() {
		return
	}
	ctx := c.Run().Context()
	_, err = host.Await(c, func() (struct{}, error) {
		timer := time.NewTimer(duration)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return struct{}{}, nil
	})
	c.Fail(err)
}

// RejectionsFirst is what [Tick] returns if rejections have to be looked at before a timer may run.
const RejectionsFirst = -2 * time.Millisecond

// Tick runs callbacks of process.nextTick, or a timer if one is due, and returns 0. Otherwise it returns how long to
// wait for the next one, a negative duration if there is no timer, or RejectionsFirst. With a negative number of
// pending calls, no timer runs.
func Tick(e *host.Engine, calls int, rejections bool) (time.Duration, error) {
	v, err := e.Checked(e.VM.Call(e.Context(), e.Prelude.Tick, quickjs.Int(int32(calls)), quickjs.Bool(rejections)))
	milliseconds, _ := v.Int()
	return time.Duration(milliseconds) * time.Millisecond, err
}
