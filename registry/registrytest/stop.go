package registrytest

import (
	"context"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// stopAfter is the delay before a slow call is stopped.
const (
	stopAfter = 100 * time.Millisecond
	// A call that took less than tooSoon certainly ended by itself. The clock starts a moment before the call.
	tooSoon = stopAfter * 4 / 5
	// keepsTimeGrace is slightly less than a registry waits for a tool that enforces its time limit itself.
	keepsTimeGrace = 900 * time.Millisecond
)

const howToStop = "When the context ends, Execute has to return within half a second: pass the context to whatever " +
	"waits, and look at ctx.Err() in loops. A tool that goes on is left behind, where it costs memory and time."

func checkCancellation(s *subject, f *findings) {
	samples, _ := s.samples()
	if len(samples) == 0 && s.options.Slow == "" {
		f.noSamples()
	}
	for _, input := range samples {
		r, _, ok := s.on(input, f)
		if !ok {
			return
		}
		// A context that has ended already would prevent the call.
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		r.context = ctx
		response := s.do(r)
		cancel()
		about := fmt.Sprintf("Input %s, with a context that ends at once", short(string(input)))
		if p, ok := response.panicked(); ok {
			f.fault("%s: the tool panicked: %v\n%s", about, p.Value, frames(p.Stack))
		}
		if response.abandoned() {
			f.fault("%s: the tool did not stop. %s", about, howToStop)
		}
	}
	if s.options.Slow == "" {
		f.advise("Set Options.Slow to an input that takes two seconds or more, " +
			"if there is one, to see whether the tool can be stopped.")
		return
	}
	s.stopSlow("canceled", f, func(r *request) func() {
		ctx, cancel := context.WithCancel(context.Background())
		r.context = ctx
		timer := time.AfterFunc(stopAfter, cancel)
		return func() { timer.Stop(); cancel() }
	})
	s.stopSlow("out of time", f, func(r *request) func() {
		r.env.Limits.Timeout = stopAfter
		return func() {}
	})
}

// stopSlow makes a slow call and stops it.
func (s *subject) stopSlow(how string, f *findings, stop func(r *request) func()) {
	r, _, ok := s.on([]byte(s.options.Slow), f)
	if !ok {
		return
	}
	// Without a time limit, only the stop of this check can end the call.
	r.env.Limits.Timeout = tool.NoTimeout
	stopped := stop(&r)
	defer stopped()
	response := s.do(r)
	switch {
	case response.took < tooSoon && response.IsError():
		f.fault("Options.Slow: the call is an error at once: %s", short(response.Text()))
	case response.took < tooSoon:
		f.fault("Options.Slow: the call ended after %v, too soon to be stopped. Let it take two seconds or more.",
			response.took.Round(time.Microsecond))
	case response.abandoned():
		f.fault("Options.Slow, %s after %v: the tool did not stop. %s", how, stopAfter, howToStop)
	case how == "out of time" && s.spec.KeepsTime && response.took > stopAfter+keepsTimeGrace:
		f.fault("Options.Slow: Spec.KeepsTime says that the tool ends by itself after Env.Limits.Timeout, " +
			"but it had to be stopped.")
	default:
		s.broken(fmt.Sprintf("Options.Slow, %s", how), response, f)
	}
}
