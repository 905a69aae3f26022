package mcpserver

import (
	"context"
	"crypto/rand"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Handlers with the same records share the rates of their servers: each takes an equal part. Those that have had
// requests of late say so with a record that is kept for a short time, and all count these records. A handler that dies
// gives its part back when the time of its record is over. The store says when that is, so no two clocks are compared.

const (
	// shareEvery is how often a handler says that it is there, and counts the others.
	shareEvery = 3 * time.Second
	// shareKeep is how long its record is kept.
	shareKeep = 12 * time.Second
	// shareIdle is after how long without a request a handler leaves its part to the others.
	shareIdle = 30 * time.Second
	// sharePrefix is what the names of these records begin with. Those of sessions have no point.
	sharePrefix = "replica."
	// maxShares is how many handlers are counted.
	maxShares = 1000
)

// A share is a handler's part of the rates. What is not atomic is guarded by the handler's lock.
type share struct {
	asked atomic.Bool // since the handler has counted
	parts int         // how many handlers share the rates
	stop  context.CancelFunc
	done  chan struct{}
}

// shares reports whether a server's rate is shared.
func (h *Handler) shares(s *Server) bool { return h.options.Shared != nil && s.options.Identity != "" }

// beginSharing counts the handlers from now on, unless that is done already. The lock is held.
func (h *Handler) beginSharing() {
	if h.share.stop != nil || h.closed {
		return
	}
	var ctx context.Context
	ctx, h.share.stop = context.WithCancel(context.Background())
	h.share.done = make(chan struct{})
	h.share.asked.Store(true)
	go h.keepSharing(ctx)
}

// endSharing gives the handler's part back.
func (h *Handler) endSharing() {
	h.mu.Lock()
	stop, done := h.share.stop, h.share.done
	h.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

func (h *Handler) keepSharing(ctx context.Context) {
	defer close(h.share.done)
	name, announced := sharePrefix+rand.Text(), false
	var asked time.Time
	ticker := time.NewTicker(shareEvery)
	defer ticker.Stop()
	for {
		if h.share.asked.Swap(false) {
			asked = time.Now()
		}
		announce := time.Since(asked) < shareIdle
		announced = announced || announce
		if err := h.count(ctx, name, announce); err != nil && ctx.Err() == nil {
			h.options.Logger.WarnContext(ctx, "the rates of requests cannot be shared anew for a moment", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if announced {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedTimeout)
				defer cancel()
				h.forgetShared(ctx, name)
			}
			return
		}
	}
}

// count counts the handlers that share the rates, after saying that this one does. If it fails, the parts stay as they
// are.
func (h *Handler) count(ctx context.Context, own string, announce bool) error {
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	if announce {
		err := h.options.Shared.Change(ctx, own, shareKeep, func([]byte) ([]byte, error) { return []byte("{}"), nil })
		if err != nil {
			return err
		}
	}
	names, err := h.options.Shared.List(ctx, sharePrefix, maxShares)
	if err != nil {
		return err
	}
	parts := 1
	for _, name := range names { // in order
		if !strings.HasPrefix(name, sharePrefix) {
			break
		}
		if name != own {
			parts++
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.share.parts != parts {
		h.share.parts = parts
		for server, e := range h.endpoints {
			if h.shares(server) {
				e.setRate(parts)
			}
		}
	}
	return nil
}

// setRate makes the endpoint accept an equal part of its server's rate.
func (e *endpoint) setRate(parts int) {
	part := e.server.options.Rate / float64(parts)
	e.limiter.SetLimit(rate.Limit(part))
	e.limiter.SetBurst(int(min(2*part, math.MaxInt32)) + 1)
}

// Replicas returns how many handlers share the rates of their servers, with this one, as far as it knows: see
// [HandlerOptions].Shared.
func (h *Handler) Replicas() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.share.parts
}
