package calls

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// ErrStopped is the cause of the end of calls that a person stops.
var ErrStopped = errors.New("stopped by a person")

const stoppedText = "A person has stopped this call. Do not make it again unless they ask for it."

// TellStopped returns the result of a call with a text that a person has stopped it, if the context of the call ended
// with [ErrStopped]. It adds it once.
func TellStopped(ctx context.Context, result tool.Result) tool.Result {
	if result.Code == tool.CodeCanceled && errors.Is(context.Cause(ctx), ErrStopped) &&
		!(len(result.Content) > 0 && result.Content[0].Text == stoppedText) {
		result.Content = append([]tool.Part{{Text: stoppedText}}, result.Content...)
	}
	return result
}

const (
	// stopKind is that of requests to stop a call: records whose names are those of the calls.
	stopKind = "stops"
	// stopTime is how long a request is kept that no process obeys.
	stopTime = time.Minute
)

// Stop asks the process that runs a call to stop it, and does not wait for that. The call's model is told that a person
// has stopped it. Nothing happens if it has ended meanwhile.
func (l *Log) Stop(ctx context.Context, c Call) error {
	return l.stops.Change(ctx, c.stopName(), stopTime, func([]byte) ([]byte, error) { return []byte("stop"), nil })
}

func (c *Call) stopName() string { return fmt.Sprintf("%s-%d", c.Process, c.Number) }

// watchStops begins to watch for requests if calls run, and ends that if none do. The lock is held.
func (l *Log) watchStops() {
	wanted := len(l.running) > 0 && !l.closed
	if wanted == (l.unwatch != nil) {
		return
	}
	if !wanted {
		l.unwatch()
		l.unwatch = nil
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.unwatch = cancel
	l.watching.Go(func() {
		err := l.stops.Watch(ctx, func(name string) { l.obey(ctx, name) })
		if ctx.Err() == nil && err != nil && !errors.Is(err, errors.ErrUnsupported) {
			l.failed(err) // it begins again as calls are told
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if ctx.Err() == nil { // nobody has ended it
			cancel()
			l.unwatch = nil
		}
	})
}

// obey stops the call that a request is for, or, without a name, those of all requests.
func (l *Log) obey(ctx context.Context, name string) {
	names := []string{name}
	if name == "" {
		var err error
		// Requests are few, and kept for a minute.
		if names, err = l.stops.List(ctx, l.process, 0); err != nil {
			return
		}
	}
	for _, name := range names {
		number, own := strings.CutPrefix(name, l.process+"-")
		n, err := strconv.ParseInt(number, 10, 64)
		if !own || err != nil {
			continue
		}
		// A request that has been obeyed is gone, which is news of the same name.
		if data, err := l.stops.Get(ctx, name); err != nil || data == nil {
			continue
		}
		l.mu.Lock()
		for c, run := range l.running {
			if c.Number == n {
				run.stop(ErrStopped)
			}
		}
		l.mu.Unlock()
		err = l.stops.Change(ctx, name, 0, func([]byte) ([]byte, error) { return nil, nil })
		if err != nil && ctx.Err() == nil {
			l.failed(err)
		}
	}
}
