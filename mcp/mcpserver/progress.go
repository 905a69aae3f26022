package mcpserver

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

const (
	// progressInterval is the least time between two notifications of a call's progress.
	progressInterval = 50 * time.Millisecond
	// heartbeat is how often a client hears that a call still runs.
	heartbeat = 5 * time.Second
	// lastProgress is how long the answer of a call waits for its last notification, which must come before it.
	lastProgress = time.Second
)

// A feed tells a client of a call's progress: what the tool reports, the console of code, and every few seconds that
// the call still runs. One goroutine sends it all, so a tool never waits for the client. What waits to be sent is
// bounded: reports replace each other, and console lines beyond maxLogText bytes are counted.
type feed struct {
	ctx   context.Context // ends with the call, or when the client takes no more
	send  func(ctx context.Context, params *sdk.ProgressNotificationParams)
	token any
	tool  string
	start time.Time

	wake  chan struct{} // has a value if there may be something to send
	over  chan struct{} // closed when the call has ended
	ended chan struct{} // closed when everything has been sent

	mu      sync.Mutex
	report  *registry.Progress // the latest one, unless it has been sent
	console strings.Builder    // lines
	dropped int                // lines that had no room

	// The last notification's numbers, only for the goroutine. The first one must grow.
	last, total float64
}

// startFeed starts the feed of a call. It returns nil if the client has not asked for one.
func startFeed(ctx context.Context, request *sdk.CallToolRequest) *feed {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	f := &feed{
		send: func(ctx context.Context, params *sdk.ProgressNotificationParams) {
			_ = request.Session.NotifyProgress(ctx, params) // a client that is gone need not know
		},
		token: token, tool: request.Params.Name, start: time.Now(),
		wake: make(chan struct{}, 1), over: make(chan struct{}), ended: make(chan struct{}),
		last: -1, // a call may begin by saying that nothing has been done
	}
	var cancel context.CancelFunc
	f.ctx, cancel = context.WithCancel(ctx)
	go func() {
		defer cancel()
		f.run()
	}()
	return f
}

// progress returns the function for [registry.Env].Progress. It is nil for a nil feed.
func (f *feed) progress() func(registry.Progress) {
	if f == nil {
		return nil
	}
	return f.add
}

func (f *feed) add(p registry.Progress) {
	f.mu.Lock()
	if p.Console == nil {
		f.report = &p
	} else {
		f.print(p.Message)
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// print adds lines of the console.
func (f *feed) print(text string) {
	room := maxLogText - f.console.Len() - 1
	if room <= 0 {
		f.dropped += 1 + strings.Count(text, "\n")
		return
	}
	if f.console.Len() > 0 {
		f.console.WriteByte('\n')
	}
	if len(text) > room {
		text = text[:room] + "\u2026"
	}
	f.console.WriteString(strings.ToValidUTF8(text, "\uFFFD"))
}

// end sends what is left. It is called before the call is answered, and waits for that, but not for ever: the client
// may not be reading.
func (f *feed) end() {
	if f == nil {
		return
	}
	close(f.over)
	timer := time.NewTimer(lastProgress)
	defer timer.Stop()
	select {
	case <-f.ended:
	case <-timer.C:
	}
}

func (f *feed) run() {
	defer close(f.ended)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-f.wake:
			f.flush()
		case <-beat.C:
			f.flush()
			f.beat()
		case <-f.over:
			f.flush()
			return
		case <-f.ctx.Done():
			return
		}
		pause := time.NewTimer(progressInterval)
		select {
		case <-pause.C:
		case <-f.over:
			pause.Stop()
		}
	}
}

// flush sends what has been reported.
func (f *feed) flush() {
	f.mu.Lock()
	report, console := f.report, f.console.String()
	if f.dropped > 0 {
		console += fmt.Sprintf("\n[%d more lines]", f.dropped)
	}
	f.report, f.dropped = nil, 0
	f.console.Reset()
	f.mu.Unlock()
	if report != nil {
		f.notify(logText(report.Message), report.Done, report.Total)
	}
	if console != "" {
		f.notify(console, math.NaN(), 0)
	}
}

// beat says that the call still runs.
func (f *feed) beat() {
	f.notify(fmt.Sprintf("%s has been running for %v", f.tool, time.Since(f.start).Round(time.Second)), math.NaN(), 0)
}

// notify sends a notification. The protocol wants the number to grow each time. If there is none, or one that does not
// grow although the total is unknown, the last one grows: by one or, between the reports of a tool that counts towards
// a total, by very little.
func (f *feed) notify(message string, done, total float64) {
	if !(total > 0) || math.IsInf(total, 0) {
		total = 0
	}
	if !(done > f.last) && total == 0 { // which holds for NaN, too
		done = f.last + 1
		if f.last >= 0 && f.last < f.total {
			done, total = f.last+(f.total-f.last)/1e6, f.total
		}
	}
	if !(done > f.last) || math.IsInf(done, 0) {
		return
	}
	f.last, f.total = done, total
	f.send(f.ctx, &sdk.ProgressNotificationParams{ProgressToken: f.token, Message: message, Progress: done, Total: total})
}
