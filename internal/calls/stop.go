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

// errStopped is the cause of the end of calls that a person stops.
var errStopped = errors.New("stopped by a person")

const stoppedText = "A person has stopped this call. Do not make it again unless they ask for it."

// tellStopped returns the result of a call with a text that a person has stopped it, if the context of the call ended
// with errStopped. It adds it once.
func tellStopped(ctx context.Context, result tool.Result) tool.Result {
	if result.Code == tool.CodeCanceled && errors.Is(context.Cause(ctx), errStopped) &&
		!(len(result.Content) > 0 && result.Content[0].Text == stoppedText) {
		result.Content = append([]tool.Part{{Text: stoppedText}}, result.Content...)
	}
	return result
}

// stopTime is how long a request to stop a call is kept that no process obeys. Its record has the name of the call.
const stopTime = time.Minute

// Stop stops a call of which see, if it is not nil, reports that it may be seen, or asks the process that runs it to
// stop it, and does not wait for that. The call's model is told that a person has stopped it. It reports whether there
// is such a call.
func (l *Log) Stop(ctx context.Context, of Where, id string, see func(Call) bool) (bool, error) {
	l.mu.Lock()
	if c := l.byID[key{of.Project, id}]; c != nil && c.stop != nil && (see == nil || see(c.Call)) {
		c.stop(errStopped)
		l.mu.Unlock()
		return true, nil
	}
	l.mu.Unlock()
	others, err := l.others(ctx, of)
	for _, c := range others {
		if c.ID == id && c.Live() && (see == nil || see(c)) {
			request := func([]byte) ([]byte, error) { return []byte("stop"), nil }
			return true, l.stops.Change(ctx, fmt.Sprintf("%s-%d", c.Process, c.Number), stopTime, request)
		}
	}
	return false, err
}

// watchStops begins to watch for requests if calls run of which others know, and ends that if none do. The lock is
// held.
func (l *Log) watchStops(wanted bool) {
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
		for c := range l.running {
			if c.Number == n {
				c.stop(errStopped)
			}
		}
		l.mu.Unlock()
		err = l.stops.Change(ctx, name, 0, func([]byte) ([]byte, error) { return nil, nil })
		if err != nil && ctx.Err() == nil {
			l.failed(err)
		}
	}
}
