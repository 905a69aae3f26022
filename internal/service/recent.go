package service

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// A recent is the history of a project that somebody looks at, so that only what is new is read of it.
type recent struct {
	used time.Time // guarded by the lock of the recents

	mu      sync.Mutex
	changes []vfs.Change // the oldest first; only appended to
	calls   []callSum    // those that made the changes, by their first change
	byID    map[string]int
	whole   time.Time     // when all of it was read
	took    time.Duration // to read all of it
}

// A callSum is what a history says of a call.
type callSum struct {
	id      string
	began   time.Time // its first change
	changes int
	undone  bool // and not redone since
}

// recentTime is how old it may be as a whole: what the history drops and thins out is noticed then. It is longer if
// reading takes long, so that little time is spent on it.
const recentTime = time.Minute

// read returns all changes of a project, the oldest first. They must not be changed.
func (h *recent) read(ctx context.Context, p vfs.Project) ([]vfs.Change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.update(ctx, p)
	return slices.Clip(h.changes), err
}

// update reads what is new. The lock is held.
func (h *recent) update(ctx context.Context, p vfs.Project) error {
	if n := len(h.changes); n > 0 && time.Since(h.whole) < max(recentTime, 200*h.took) {
		last := h.changes[n-1]
		fresh, err := p.ChangesAfter(ctx, last.ID-1)
		if err != nil {
			return err
		}
		// Another last one means that this is another project of the same name, or that its history is gone.
		if n := len(fresh); n > 0 && fresh[n-1].ID == last.ID && fresh[n-1].Time.Equal(last.Time) {
			slices.Reverse(fresh)
			// A purge changes what earlier changes are.
			if !slices.ContainsFunc(fresh[1:], func(c vfs.Change) bool { return c.Op == vfs.OpPurged }) {
				h.add(fresh[1:])
				return nil
			}
		}
	}
	began := time.Now()
	changes, err := p.Changes(ctx, "/")
	if err != nil {
		return err
	}
	slices.Reverse(changes)
	h.changes, h.calls, h.byID = nil, nil, map[string]int{}
	h.add(changes)
	h.whole, h.took = time.Now(), time.Since(began)
	return nil
}

func (h *recent) add(changes []vfs.Change) {
	h.changes = append(h.changes, changes...)
	for _, c := range changes {
		if i, known := h.byID[c.Undoes]; known && c.Op == vfs.OpUndone {
			h.calls[i].undone = true
		}
		if i, known := h.byID[c.Redoes]; known {
			h.calls[i].undone = false
		}
		if c.Call == "" {
			continue
		}
		i, known := h.byID[c.Call]
		if !known {
			i = len(h.calls)
			h.byID[c.Call] = i
			h.calls = append(h.calls, callSum{id: c.Call, began: c.Time})
		}
		h.calls[i].changes++
	}
}

const (
	// keepTime is how long a history is kept after somebody has looked at it.
	keepTime = 2 * time.Minute
	// maxRecents is how many are kept.
	maxRecents = 16
)

// recents are the histories that have been looked at lately.
type recents struct {
	mu sync.Mutex
	by map[watchKey]*recent
}

// of returns the history of a project, which may not have been read yet.
func (a *recents) of(store vfs.Store, id string) *recent {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	key := watchKey{store, id}
	h := a.by[key]
	if h == nil {
		var oldest watchKey
		for other, o := range a.by {
			if now.Sub(o.used) > keepTime {
				delete(a.by, other)
			} else if first := a.by[oldest]; first == nil || o.used.Before(first.used) {
				oldest = other
			}
		}
		if len(a.by) >= maxRecents {
			delete(a.by, oldest)
		}
		h = &recent{}
		a.by[key] = h
	}
	h.used = now
	return h
}

// changes returns all changes of a project, the oldest first. They must not be changed.
func (s *Service) changes(ctx context.Context, id string, p vfs.Project) ([]vfs.Change, error) {
	return s.recents.of(s.store(), id).read(ctx, p)
}
