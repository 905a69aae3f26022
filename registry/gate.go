package registry

import (
	"context"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// What decoding inputs may take at the same time, in all registries of the process together, in bytes by estimate. An input that
// needs more by itself is decoded alone. Small ones do not wait: what they need is little however many there are.
const (
	maxDecoding = 64 << 20
	smallInput  = 4 << 10
)

var decoding = gate{free: maxDecoding}

// A gate lets so much go on at the same time. Who comes first is let in first.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

type waiter struct {
	size int
	in   chan struct{}
}

// enter waits until there is room, or the context ends. It returns what gives back the room.
func (g *gate) enter(ctx context.Context, size int) (leave func(), err error) {
	size = min(size, maxDecoding)
	leave = func() { g.give(size) }
	g.mu.Lock()
	if len(g.waiting) == 0 && size <= g.free {
		g.free -= size
		g.mu.Unlock()
		return leave, nil
	}
	w := &waiter{size, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	select {
	case <-w.in:
		return leave, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(g.waiting, w)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	g.mu.Unlock()
	if i >= 0 {
		g.give(0) // others may have waited behind it
	} else {
		leave() // it was let in at the same moment
	}
	return nil, ctx.Err()
}

// give gives back room, and lets in who has waited for it.
func (g *gate) give(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free += size
	for len(g.waiting) > 0 && g.waiting[0].size <= g.free {
		g.free -= g.waiting[0].size
		close(g.waiting[0].in)
		g.waiting = slices.Delete(g.waiting, 0, 1)
	}
}

// decodingSize estimates how many bytes it takes to decode an input and to check it.
func decodingSize(input []byte) int {
	const perValue = 200
	return 4*len(input) + perValue*min(1+jsontree.Separators(input), jsontree.MaxValues)
}
