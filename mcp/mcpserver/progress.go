package mcpserver

import (
	"context"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

// progressInterval is how often a client is told of a call's progress at most.
const progressInterval = 50 * time.Millisecond

// progress returns what tells a client of a call's progress, or nil if the client has not asked for it. The protocol wants the
// number to grow with each notification: where a tool's does not, it is that of the notifications.
func progress(ctx context.Context, request *sdk.CallToolRequest) func(registry.Progress) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var mu sync.Mutex
	last := -1.0 // a call may begin by saying that nothing has been done
	var lastTime time.Time
	return func(p registry.Progress) {
		mu.Lock()
		defer mu.Unlock()
		finished := p.Total > 0 && p.Done >= p.Total
		if ctx.Err() != nil || time.Since(lastTime) < progressInterval && !finished {
			return
		}
		done := p.Done
		if !(done > last) { // which holds for NaN, too
			if p.Total > 0 {
				return
			}
			done = last + 1
		}
		last, lastTime = done, time.Now()
		// A client that is gone need not know.
		_ = request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Message: strings.ToValidUTF8(p.Message, "\uFFFD"), Progress: done, Total: p.Total,
		})
	}
}
