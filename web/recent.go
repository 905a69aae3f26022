package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// A recent is the history of a project that somebody looks at, so that only what is new is read of it.
type recent struct {
	mu      sync.Mutex
	changes []vfs.Change // the oldest first; only appended to
	whole   time.Time    // when all of it was read
}

// recentTime is how old it may be as a whole: what the history drops and thins out is noticed then.
const recentTime = time.Minute

// read returns all changes of a project, the oldest first. They must not be changed.
func (h *recent) read(ctx context.Context, p vfs.Project) ([]vfs.Change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.changes); n > 0 && time.Since(h.whole) < recentTime {
		last := h.changes[n-1]
		fresh, err := vfs.ChangesAfter(ctx, p, last.ID-1)
		if err != nil {
			return nil, err
		}
		// Another last one means that this is another project of the same name, or that its history is gone.
		if n := len(fresh); n > 0 && fresh[n-1].ID == last.ID && fresh[n-1].Time.Equal(last.Time) {
			slices.Reverse(fresh)
			h.changes = append(h.changes, fresh[1:]...)
			return slices.Clip(h.changes), nil
		}
	}
	changes, err := p.Changes(ctx, "/")
	if err != nil {
		return nil, err
	}
	slices.Reverse(changes)
	h.changes, h.whole = changes, time.Now()
	return slices.Clip(changes), nil
}

// changes returns all changes of a project, the oldest first. They must not be changed.
func (s *Server) changes(r *request, id string, p vfs.Project) ([]vfs.Change, error) {
	if w := s.watches.find(s.store(r), id); w != nil {
		return w.history.read(r.Context(), p)
	}
	return new(recent).read(r.Context(), p) // nobody looks at it for long
}
