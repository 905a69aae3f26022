package runtime

import (
	"container/list"
	"context"
	"sync"
)

// places are the places for runs, shared among owners and their clients. A nil *places is without limit.
//
// A fair queue alone would not do: runs keep their places until they end, so whoever came first could hold all of them
// for as long as scripts may take. Therefore some are kept for owners that hold none. [EngineOptions].MaxRuns says
// what that promises.
type places struct {
	total int

	mu      sync.Mutex
	taken   int
	owners  map[string]*owner // those that hold a place or wait for one
	waiting int
	inner   list.List // of *waiter: the runs that other runs wait for
	clock   uint64    // the last value of turn.since
}

// owner is whom runs are for. The one without a name is the host itself.
type owner struct {
	name    string
	waiting int // runs, inner ones left out
	clients map[string]*client
	turn
}

// client is one of an owner's clients.
type client struct {
	name  string
	owner *owner
	uses  int       // runs that hold or wait for a place
	queue list.List // of *waiter
	turn
}

// A turn ranks the waiting runs: those whose owner holds the fewest places come first, and among them the one that
// has waited longest.
type turn struct {
	held  int
	since uint64 // when the last place was granted or waiting began, whichever was later
}

func (t *turn) before(other *turn) bool {
	if t.held != other.held {
		return t.held < other.held
	}
	return t.since < other.since
}

// waiter is a run that waits for a place.
type waiter struct {
	client  *client
	granted chan struct{} // closed when it has one
}

// heldPlace is the place of a run.
type heldPlace struct {
	places *places
	client *client
	left   bool
}

// placeKey is the key of the *heldPlace of a run in the contexts of its functions.
type placeKey struct{}

// take waits for a place until ctx or closing ends.
//
// A run whose context belongs to a function of another run may take any free place, and goes first: the other run
// keeps its own place meanwhile, and the two would wait for each other if this one could not use places that are
// kept for others.
func (p *places) take(ctx, closing context.Context, ownerName, clientName string) (*heldPlace, error) {
	if p == nil {
		return nil, nil
	}
	outer, _ := ctx.Value(placeKey{}).(*heldPlace)
	p.mu.Lock()
	inner := outer != nil && outer.places == p && !outer.left
	c := p.client(ownerName, clientName)
	c.uses++
	if p.waiting == 0 && p.isFree(c, inner) {
		p.grant(c)
		p.mu.Unlock()
		return &heldPlace{places: p, client: c}, nil
	}
	w := &waiter{c, make(chan struct{})}
	queue := &c.queue
	if inner {
		queue = &p.inner
	} else {
		if c.owner.waiting++; c.owner.waiting == 1 {
			c.owner.since = p.now()
		}
		if queue.Len() == 0 {
			c.since = p.now()
		}
	}
	element := queue.PushBack(w)
	p.waiting++
	p.serve()
	p.mu.Unlock()

	var err error
	select {
	case <-w.granted:
		return &heldPlace{places: p, client: c}, nil
	case <-ctx.Done():
		err = &LimitError{Limit: LimitRuns, Value: int64(p.total), cause: context.Cause(ctx)}
	case <-closing.Done():
		err = ErrClosed
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.granted: // just now
		p.giveBack(c)
	default:
		p.dequeue(queue, element)
		p.release(c)
	}
	return nil, err
}

// leave gives a place back.
func (h *heldPlace) leave() {
	if h == nil {
		return
	}
	p := h.places
	p.mu.Lock()
	defer p.mu.Unlock()
	h.left = true
	p.giveBack(h.client)
}

// isFree reports whether a run of a client can have a place now. A quarter of the places is for owners that hold none,
// and another one for these and for clients that hold none. The host itself, and inner runs, may take any.
func (p *places) isFree(c *client, inner bool) bool {
	kept := 0
	switch {
	case inner || c.owner.name == "" || c.owner.held == 0:
	case c.held == 0:
		kept = p.total / 4
	default:
		kept = p.total / 2
	}
	return p.total-p.taken > kept
}

// serve grants what can be granted to runs that wait.
func (p *places) serve() {
	for p.taken < p.total && p.waiting > 0 {
		queue := &p.inner
		if queue.Len() == 0 {
			c := p.next()
			if c == nil {
				return
			}
			queue = &c.queue
		}
		w := p.dequeue(queue, queue.Front())
		p.grant(w.client)
		close(w.granted)
	}
}

// next returns the client whose turn it is of those that wait and can have a place, or nil.
func (p *places) next() *client {
	var next *client
	for _, o := range p.owners {
		if o.waiting == 0 || next != nil && !o.before(&next.owner.turn) {
			continue
		}
		var first *client
		for _, c := range o.clients {
			if c.queue.Len() > 0 && p.isFree(c, false) && (first == nil || c.before(&first.turn)) {
				first = c
			}
		}
		if first != nil {
			next = first
		}
	}
	return next
}

func (p *places) grant(c *client) {
	p.taken++
	c.held++
	c.owner.held++
	c.since = p.now()
	c.owner.since = c.since
}

func (p *places) giveBack(c *client) {
	p.taken--
	c.held--
	c.owner.held--
	p.serve()
	p.release(c)
}

func (p *places) dequeue(queue *list.List, element *list.Element) *waiter {
	w := queue.Remove(element).(*waiter)
	p.waiting--
	if queue != &p.inner {
		w.client.owner.waiting--
	}
	return w
}

// client finds a client, or adds it.
func (p *places) client(ownerName, name string) *client {
	o := p.owners[ownerName]
	if o == nil {
		o = &owner{name: ownerName, clients: map[string]*client{}}
		p.owners[ownerName] = o
	}
	c := o.clients[name]
	if c == nil {
		c = &client{name: name, owner: o}
		o.clients[name] = c
	}
	return c
}

// release says that one run less uses a client, which is forgotten with the last one.
func (p *places) release(c *client) {
	if c.uses--; c.uses > 0 {
		return
	}
	delete(c.owner.clients, c.name)
	if len(c.owner.clients) == 0 {
		delete(p.owners, c.owner.name)
	}
}

func (p *places) now() uint64 {
	p.clock++
	return p.clock
}
