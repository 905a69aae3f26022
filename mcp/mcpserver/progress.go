package mcpserver

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/tool"
)

const (
	// progressInterval is the least time between two notifications of a call's progress.
	progressInterval = 50 * time.Millisecond
	// heartbeat is how often a client hears that a call still waits or runs.
	heartbeat = 5 * time.Second
	// lastProgress is how long the answer of a call waits for its last notification, which must come before it.
	lastProgress = time.Second
)

// A feed tells a client of a call's progress: what the tool reports, the console of code, and every few seconds that
// the call still waits for others or runs. One goroutine sends it all, so a tool never waits for the client. What waits
// to be sent is bounded: reports replace each other, and console lines beyond maxLogText bytes are counted. Clients
// show the latest message, so a line that code has not ended is sent from its beginning each time it has grown.
type feed struct {
	ctx   context.Context // ends with the call, or when the client takes no more
	send  func(ctx context.Context, params *sdk.ProgressNotificationParams)
	token any
	tool  string

	wake  chan struct{} // has a value if there may be something to send
	over  chan struct{} // closed when the call has ended
	ended chan struct{} // closed when everything has been sent

	cancel  context.CancelFunc // ends ctx
	endOnce sync.Once

	mu      sync.Mutex
	start   time.Time       // of the call, or zero while it waits for others
	report  *tool.Progress  // the latest one, unless it has been sent
	console strings.Builder // lines
	dropped int             // lines that had no room
	line    tool.Progress   // the unfinished line of the console, from its beginning; none if Console is nil
	grown   bool            // line has not been sent

	// The last notification's numbers, only for the goroutine. The first one must grow.
	last, total float64
}

// openFeed opens the feed of a call that may have to wait before it starts. It returns nil if the client has not asked
// for one. close must be called.
func openFeed(ctx context.Context, request sdk.Request) *feed {
	call, ok := request.(*sdk.CallToolRequest)
	if !ok || call.Params.GetProgressToken() == nil {
		return nil
	}
	f := &feed{
		send: func(ctx context.Context, params *sdk.ProgressNotificationParams) {
			_ = call.Session.NotifyProgress(ctx, params) // a client that is gone need not know
		},
		token: call.Params.GetProgressToken(), tool: call.Params.Name,
		wake: make(chan struct{}, 1), over: make(chan struct{}), ended: make(chan struct{}),
		last: -1, // a call may begin by saying that nothing has been done
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	go f.run()
	return f
}

// begin returns the function for [registry.Env].Progress of a call that starts now. Nothing is sent after the context
// has ended. It is nil for a nil feed.
func (f *feed) begin(ctx context.Context) func(tool.Progress) {
	if f == nil {
		return nil
	}
	context.AfterFunc(ctx, f.cancel)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start = time.Now()
	return f.add
}

func (f *feed) add(p tool.Progress) {
	f.mu.Lock()
	if p.Console == nil {
		f.report = &p
	} else {
		f.print(p)
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// print adds an entry of the console, or a part of a line.
func (f *feed) print(p tool.Progress) {
	if begun := f.line.Console; begun != nil && begun.Level == p.Console.Level && begun.Library == p.Console.Library {
		p.Message = f.line.Message + p.Console.Text
	} else if f.grown {
		f.printLines(f.line.Message)
	}
	f.line, f.grown = tool.Progress{}, false
	if p.Console.Unfinished {
		p.Message = p.Message[:min(len(p.Message), maxLogText+1)] // beyond that it is cut
		f.line, f.grown = p, true
		return
	}
	f.printLines(p.Message)
}

// printLines adds lines of the console.
func (f *feed) printLines(text string) {
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
// may not be reading. Once is enough.
func (f *feed) end() {
	if f == nil {
		return
	}
	f.endOnce.Do(func() {
		close(f.over)
		timer := time.NewTimer(lastProgress)
		defer timer.Stop()
		select {
		case <-f.ended:
		case <-timer.C:
		}
	})
}

// close ends a feed that may not have ended, for it is not known how far its call has come. Nothing is sent after it.
func (f *feed) close() {
	if f != nil {
		f.end()
		f.cancel()
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
	if f.grown {
		f.printLines(f.line.Message)
		f.grown = false
	}
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

// beat says that the call still waits or runs.
func (f *feed) beat() {
	f.mu.Lock()
	start := f.start
	f.mu.Unlock()
	text := "waiting for earlier calls"
	if !start.IsZero() {
		text = fmt.Sprintf("%s has been running for %v", f.tool, time.Since(start).Round(time.Second))
	}
	f.notify(text, math.NaN(), 0)
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
	f.send(f.ctx, &sdk.ProgressNotificationParams{
		ProgressToken: f.token, Message: message, Progress: done, Total: total,
	})
}
