package mcpserver

import (
	"context"
	"slices"
	"sync"
)

// turns keep the calls of each session in the order in which they came. Calls of read-only tools overlap; every other
// call waits for all calls before it, and those behind it wait for it. The zero value is ready to use. It is safe for
// concurrent use.
type turns struct {
	mu sync.Mutex
	// sessions are the turns of each session that have not ended, in their order. The keys are of any type.
	sessions map[any][]*turn
	changed  chan struct{} // closed when a turn changes or ends, or nil if nobody waits
}

// A turn is the place of a call in its session, or that of a message that may have calls. A nil turn never waits.
type turn struct {
	all     *turns
	session any
	reads   bool // the call only reads
}

// enter adds a turn at the end of a session.
func (t *turns) enter(session any) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil {
		t.sessions = map[any][]*turn{}
	}
	added := &turn{all: t, session: session}
	t.sessions[session] = append(t.sessions[session], added)
	return added
}

// become replaces a turn by n turns in the same place.
func (t *turn) become(n int) []*turn {
	if t == nil {
		return make([]*turn, n)
	}
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	made := make([]*turn, n)
	for i := range made {
		made[i] = &turn{all: t.all, session: t.session}
	}
	t.replace(made...)
	return made
}

// leave ends a turn. It does nothing if the turn has ended.
func (t *turn) leave() { t.become(0) }

// replace puts other turns in place of this one. The lock is held.
func (t *turn) replace(others ...*turn) {
	list := t.all.sessions[t.session]
	i := slices.Index(list, t)
	if i < 0 {
		return
	}
	if list = slices.Replace(list, i, i+1, others...); len(list) == 0 {
		delete(t.all.sessions, t.session)
	} else {
		t.all.sessions[t.session] = list
	}
	t.all.tell()
}

// tell wakes those that wait. The lock is held.
func (t *turns) tell() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// wait waits until the call may begin. It gives up when the context ends, or when the server closes.
func (t *turn) wait(ctx context.Context, closing <-chan struct{}, reads bool) error {
	if t == nil {
		return nil
	}
	all := t.all
	all.mu.Lock()
	if t.reads = reads; reads { // for calls behind it that read as well
		all.tell()
	}
	for t.mustWait() {
		if all.changed == nil {
			all.changed = make(chan struct{})
		}
		changed := all.changed
		all.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-closing:
			return errClosing
		}
		all.mu.Lock()
	}
	all.mu.Unlock()
	return nil
}

// mustWait reports whether a turn before this one keeps its call from beginning. The lock is held.
func (t *turn) mustWait() bool {
	for _, other := range t.all.sessions[t.session] {
		if other == t {
			break
		}
		if !t.reads || !other.reads {
			return true
		}
	}
	return false
}
