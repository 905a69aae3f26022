// Package responses is how code in a sandbox reads responses of the network: in pieces, whenever it wants to. Until
// then, a little of each is read ahead, so that small responses come at once and need no connection while they wait.
package responses

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/toolrun/toolrun/network"
)

const (
	// aheadOfOne is how many bytes of one response are read ahead, and aheadOfAll of those of a run together.
	aheadOfOne = 256 << 10
	aheadOfAll = 4 << 20
	// mostOpen is how many responses of a run there can be that have not been read to their ends.
	mostOpen = 1000
	// readSize is how many bytes are read at once.
	readSize = 32 << 10
)

// A Table has the requests of one run whose responses code has not read to their ends. It is safe for concurrent use.
type Table struct {
	run network.Run

	mu      sync.Mutex
	changed *sync.Cond // with mu: something of what follows, or of a request
	open    map[int64]*Request
	ahead   int // bytes that have been read and not been taken
}

// New returns a table for the requests of a run.
func New(run network.Run) *Table {
	t := &Table{run: run, open: map[int64]*Request{}}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// Errors of ids, which only a mistake of the sandbox's own code, or a run that was suspended, can bring about.
var (
	errTwice = errors.New("there is a request with this number already")
	errGone  = errors.New("the response is not there any more: it was cancelled, or the run was suspended meanwhile; " +
		"make the request again")
)

// A Request is one in progress, and then its response.
type Request struct {
	table *Table
	id    int64

	// These are guarded by the table's mu.
	cancel context.CancelFunc // nil until it is made
	data   []byte
	err    error // after data; io.EOF at the end
	wanted bool  // somebody waits for data
	ended  bool  // nobody wants it any more
}

// Open returns a request that is to be made: call Begin. From now on, End ends it by the number id.
func (t *Table) Open(id int64) *Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &Request{table: t, id: id}
	switch {
	case t.open[id] != nil:
		r.err = errTwice
	case len(t.open) >= mostOpen:
		r.err = &network.Error{
			Kind: network.KindLimit, Message: "too many responses have not been read: read or cancel some first",
		}
	default:
		t.open[id] = r
	}
	return r
}

// begin is Begin without a recording.
func (r *Request) begin(
	ctx context.Context, request *network.Request, within time.Duration,
) (*network.Response, error) {
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	r.table.mu.Lock()
	err := r.err
	if r.ended {
		err = context.Canceled
	}
	r.cancel = cancel
	r.table.mu.Unlock()
	if err != nil {
		cancel()
		return nil, err
	}
	if within > 0 {
		timer := time.AfterFunc(within, r.End)
		defer timer.Stop()
	}
	got, err := r.table.run.Do(ctx, request)
	if err != nil {
		r.End()
		return nil, err
	}
	stop := context.AfterFunc(whole, r.End)
	go func() {
		defer stop()
		r.fill(got.Body)
	}()
	return got, nil
}

// fill reads a body until it ends or nobody wants it, and not more ahead than it may.
func (r *Request) fill(body io.ReadCloser) {
	t := r.table
	defer r.cancel() // which does not change any more
	defer body.Close()
	chunk := make([]byte, readSize)
	for {
		n, err := body.Read(chunk)
		t.mu.Lock()
		if !r.ended {
			r.data = append(r.data, chunk[:n]...)
			t.ahead += n
		}
		if r.err = err; err == nil && r.ended {
			r.err = errGone
		}
		r.wanted = r.wanted && len(r.data) == 0 && r.err == nil
		t.changed.Broadcast()
		for r.err == nil && !r.ended && !r.wanted && (len(r.data) >= aheadOfOne || t.ahead >= aheadOfAll) {
			t.changed.Wait()
		}
		over := r.err != nil || r.ended
		t.mu.Unlock()
		if over {
			return
		}
	}
}

// comes waits at most some time until Read has something to return other than an error, and reports whether it has.
func (t *Table) comes(id int64, most time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.open[id]
	if r == nil {
		return false
	}
	t.wait(r, most)
	return len(r.data) > 0 || r.err == io.EOF
}

// wait waits at most some time until Read returns at once. The caller holds the lock.
func (t *Table) wait(r *Request, most time.Duration) {
	late := false
	timer := time.AfterFunc(most, func() {
		t.mu.Lock()
		late = true
		t.changed.Broadcast()
		t.mu.Unlock()
	})
	defer timer.Stop()
	for len(r.data) == 0 && r.err == nil && !r.ended && !late {
		t.want(r)
		t.changed.Wait()
	}
}

// want has the next part of a response read. Who waits for another one need not look again for that: two who woke each
// other would never rest.
func (t *Table) want(r *Request) {
	if !r.wanted {
		r.wanted = true
		t.changed.Broadcast()
	}
}

// ReadWithin is Read for who waits at most some time, or as long as it takes if that is negative. If there is nothing
// by then, it returns no data, and done is false.
func (t *Table) ReadWithin(id int64, size int, most time.Duration) (data []byte, done bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.open[id]
	if r == nil {
		return nil, false, errGone
	}
	if most >= 0 {
		t.wait(r, most)
	}
	for most < 0 && len(r.data) == 0 && r.err == nil && !r.ended {
		t.want(r)
		t.changed.Wait()
	}
	if r.ended {
		return nil, false, errGone
	}
	n := min(size, len(r.data))
	if n == len(r.data) {
		data, r.data = r.data, nil
	} else {
		data = append(data, r.data[:n]...)
		r.data = append(r.data[:0], r.data[n:]...)
	}
	t.ahead -= n
	t.changed.Broadcast()
	switch {
	case len(r.data) > 0 || r.err == nil:
		return data, false, nil
	case r.err == io.EOF:
		delete(t.open, id)
		return data, true, nil
	case len(data) > 0: // the error is for the next time
		return data, false, nil
	}
	delete(t.open, id)
	return nil, false, r.err
}

// End ends a request and its response, in whatever state they are. It does nothing if there is none.
func (t *Table) End(id int64) {
	t.mu.Lock()
	r := t.open[id]
	t.mu.Unlock()
	if r != nil {
		r.End()
	}
}

// End is [Table.End] of this request.
func (r *Request) End() {
	t := r.table
	t.mu.Lock()
	if t.open[r.id] != r {
		t.mu.Unlock()
		return
	}
	delete(t.open, r.id)
	r.ended = true
	t.ahead -= len(r.data)
	r.data = nil
	cancel := r.cancel
	t.changed.Broadcast()
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
