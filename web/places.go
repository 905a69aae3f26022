package web

import (
	"container/list"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolrun/toolrun/internal/budget"
	"github.com/toolrun/toolrun/internal/net/clientaddr"
	"github.com/toolrun/toolrun/internal/service"
)

// A use is what a request needs its place for.
type use int

const (
	quick   use = iota // an answer that is made at once
	lasting            // a file that comes or goes
	follows            // a stream of events
	uses
)

// maxPlaces are how many requests there can be at once, of one token or address and of all together. The streams of
// tokens are not counted together: their holders are known, and some of them must not keep the others from looking.
var maxPlaces = [uses]struct{ each, all int }{quick: {128, 1024}, lasting: {16, 128}, follows: {64, 512}}

// What requests can take together, by estimate: each token, or address if there are no tokens, can have half of it.
// Those of people who have not shown a token yet have memory and places of their own.
var (
	quickSizes    = budget.Sizes{Small: 8 << 20, Reading: 4 << 20, Decoding: 12 << 20}
	lastingSizes  = budget.Sizes{Small: 8 << 20}
	strangerSizes = budget.Sizes{Small: 4 << 20}
)

// patience is how long a request waits for memory.
const patience = 10 * time.Second

// What requests cost in bytes: what is usual, a list of files or projects, reading through many files, comparing two
// texts, calls with their inputs, a file that is moved in parts, and an archive that is made. Beside that, each byte of
// JSON and each value in it cost something when it is decoded.
const (
	costUsual   = 256 << 10
	costList    = 1 << 20
	costReading = 4 << 20
	costDiff    = 12 << 20
	costCalls   = 6 << 20
	costParts   = 64 << 10
	costExport  = 2 << 20
	costImport  = 5 << 20

	costByte  = 2
	costValue = 100
)

// places are those of requests, and the memory that they share. It is safe for concurrent use.
type places struct {
	sizes  budget.Sizes // of the memory of quick requests
	memory [uses]*budget.Memory

	mu     sync.Mutex
	taken  [uses]int
	crowds map[any]*crowd
}

// A crowd is what the requests have that come from one place: of one token, or of one address.
type crowd struct {
	memory [uses]*budget.Memory
	taken  [uses]int
}

func newPlaces(sizes budget.Sizes) *places {
	return &places{sizes: sizes, memory: memories(sizes, 1), crowds: map[any]*crowd{}}
}

// memories are those of each use. A stream takes memory only until it begins.
func memories(sizes budget.Sizes, share int64) [uses]*budget.Memory {
	short := budget.New(sizes, share)
	return [uses]*budget.Memory{quick: short, lasting: budget.New(lastingSizes, share), follows: short}
}

// A place is that of one request.
type place struct {
	budget.Holding
	leave func()
}

var errBusy = &service.Error{Code: "busy",
	Message: "the server has too many requests at once: try again later"}

// errRate is for those who make more requests than their token allows.
var errRate = &service.Error{Code: "busy", Own: true, Message: "too many requests: try again later"}

// enter takes a place for a request. The key tells who makes it.
func (a *places) enter(r *http.Request, key any, kind use) (*place, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, stranger := key.(netip.Prefix)
	together := stranger || kind != follows
	c := a.crowds[key]
	if c == nil {
		c = &crowd{memory: memories(a.sizes, 2)}
	}
	switch {
	case c.taken[kind] >= maxPlaces[kind].each:
		what := [uses]string{"too many requests", "too many files on their way", "too many windows open"}[kind]
		return nil, &service.Error{Own: true, Code: "busy", Message: "you have " + what + " at once: try again later"}
	case together && a.taken[kind] >= maxPlaces[kind].all:
		return nil, errBusy
	}
	a.crowds[key] = c
	c.taken[kind]++
	if together {
		a.taken[kind]++
	}
	p := &place{Holding: budget.Holding{
		Memories: []*budget.Memory{c.memory[kind], a.memory[kind]}, Done: r.Context().Done(), Patience: patience,
	}}
	p.leave = func() {
		p.Drop()
		a.mu.Lock()
		defer a.mu.Unlock()
		if together {
			a.taken[kind]--
		}
		if c.taken[kind]--; c.taken == [uses]int{} {
			delete(a.crowds, key)
		}
	}
	return p, nil
}

// enter takes a place for a request. Unknown clients, and people without tokens, are told apart by their addresses.
func (s *Server) enter(r *http.Request, who *person, route *route) (*place, error) {
	from := clientaddr.Network(r.RemoteAddr)
	switch {
	case who == nil:
		return s.strangers.enter(r, from, route.use)
	case who.access == s.owner:
		return s.guests.enter(r, from, route.use)
	}
	return s.guests.enter(r, who.access.Holder(), route.use)
}

// Limits of tries to log in from one address, and how many addresses are remembered.
const (
	tryRate      = 10 // a second
	tryBurst     = 20
	maxAddresses = 4096
)

// tries limits tries to log in by the addresses from which they come. Of those that have not tried for the longest time
// it knows no more, if there are too many. It is safe for concurrent use.
type tries struct {
	mu     sync.Mutex
	from   map[netip.Prefix]*list.Element
	recent list.List // of *tried, the latest last
}

type tried struct {
	from    netip.Prefix
	limiter *rate.Limiter
}

// allow reports whether an address may try once more.
func (t *tries) allow(from netip.Prefix, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.from[from]
	if e == nil {
		if t.recent.Len() >= maxAddresses {
			delete(t.from, t.recent.Remove(t.recent.Front()).(*tried).from)
		}
		e = t.recent.PushBack(&tried{from, rate.NewLimiter(tryRate, tryBurst)})
		t.from[from] = e
	}
	t.recent.MoveToBack(e)
	return e.Value.(*tried).limiter.AllowN(now, 1)
}
