package mcpserver

import (
	"context"
	"errors"
	"sync"
)

// errClosing is what clients are told that call a tool of a server that is being closed.
var errClosing = errors.New("the server is shutting down: call again later")

// active counts calls that run, so that closing can wait for them.
type active struct {
	mu      sync.Mutex
	n       int
	closing bool
	// draining is closed when closing begins, and changed when no call runs any more after that.
	draining, changed chan struct{}
}

// begin begins a call, unless no more may begin.
func (a *active) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return false
	}
	a.n++
	return true
}

func (a *active) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n--
	if a.n == 0 && a.closing {
		close(a.changed)
	}
}

// drain lets no more calls begin, and waits for those that run.
func (a *active) drain(ctx context.Context) error {
	a.mu.Lock()
	if !a.closing {
		a.closing = true
		close(a.draining)
		if a.n == 0 {
			close(a.changed)
		}
	}
	a.mu.Unlock()
	select {
	case <-a.changed:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-a.changed: // it has not kept anything from its end
		return nil
	default:
		return ctx.Err()
	}
}
