package mcpserver

import (
	"context"
	"math"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

// progressInterval is how often a client is told of a call's progress at most.
const progressInterval = 50 * time.Millisecond

// progress returns what tells a client of a call's progress, or nil if the client has not asked for it, and what must
// be called before the call is answered. The protocol wants the number to grow with each notification: where a tool's
// does not, it is that of the notifications.
func progress(ctx context.Context, request *sdk.CallToolRequest) (report func(registry.Progress), end func()) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil, func() {}
	}
	var mu sync.Mutex
	ended := false
	last := -1.0 // a call may begin by saying that nothing has been done
	var lastTime time.Time
	report = func(p registry.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if !(p.Total > 0) || math.IsInf(p.Total, 0) {
			p.Total = 0
		}
		finishes := p.Total > 0 && p.Done >= p.Total && last < p.Total
		if ended || ctx.Err() != nil || time.Since(lastTime) < progressInterval && !finishes {
			return
		}
		done := p.Done
		if !(done > last) && p.Total == 0 { // which holds for NaN, too
			done = last + 1
		}
		if !(done > last) || math.IsInf(done, 0) {
			return
		}
		last, lastTime = done, time.Now()
		// A client that is gone need not know.
		_ = request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Message: logText(p.Message), Progress: done, Total: p.Total,
		})
	}
	return report, func() {
		mu.Lock() // after what is being sent
		defer mu.Unlock()
		ended = true
	}
}
