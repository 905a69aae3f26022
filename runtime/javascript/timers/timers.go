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
		"Atomics":                      "internal/atomics",
		"Performance":                  "internal/performance",
		"PerformanceEntry":             "internal/performance",
		"PerformanceMark":              "internal/performance",
		"PerformanceMeasure":           "internal/performance",
		"PerformanceObserver":          "internal/performance",
		"PerformanceObserverEntryList": "internal/performance",
		"performance":                  "internal/performance",
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
