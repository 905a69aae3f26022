// Package budget bounds the memory that the requests of a server take together. A request counts what it is about to
// take, and waits for its share, or is told to come back.
package budget

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// ErrBusy means that a request did not get its share in time.
var ErrBusy = errors.New("there are too many large requests: try again later")

const (
	// smallRequest is up to how many bytes a request is small.
	smallRequest = 64 << 10

	// LargeCost is from how many bytes on the work of a small request counts like that of large ones.
	LargeCost = 4 << 20
)

// Sizes are bytes that requests may take together, by estimate: that is how many are alive at a time, and the garbage
// collector lets a process grow to twice as many before it collects them. The parts are apart so that no kind of
// request waits for another one.
type Sizes struct {
	Small    int64 // all of requests of up to [smallRequest] bytes
	Reading  int64 // the bytes of larger ones, as they come, until they are answered
	Decoding int64 // what is made of those, until they are answered
}

// The parts of a Memory.
const (
	small = iota
	reading
	decoding
	parts
)

// A Memory is what requests share. It is safe for concurrent use.
type Memory struct{ parts [parts]amount }

// New returns a Memory that has a part of the sizes: the half if share is 2, and so on.
func New(sizes Sizes, share int64) *Memory {
	m := &Memory{}
	m.parts[small].most, m.parts[reading].most, m.parts[decoding].most = sizes.Small/share,
		sizes.Reading/share, sizes.Decoding/share
	return m
}

// An amount is a number of bytes.
type amount struct {
	most int64

	mu    sync.Mutex
	used  int64
	freed chan struct{} // closed when something has been given back, if somebody waits
}

// take takes n bytes for somebody who has some of it already, and reports whether it has got them before done is closed
// and patience is over. What is larger than all that there is gets it when nobody else has anything.
func (b *amount) take(done <-chan struct{}, patience time.Duration, has, n int64) bool {
	var late <-chan time.Time
	for {
		b.mu.Lock()
		if b.used == has || b.used+n <= b.most {
			b.used += n
			b.mu.Unlock()
			return true
		}
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-freed:
		case <-late:
			return false
		case <-done:
			return false
		}
	}
}

// give gives back what has been taken.
func (b *amount) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.freed != nil && n > 0 {
		close(b.freed)
		b.freed = nil
	}
}

// A Holding is what a request has of some memories: that of all, and that of its server or its client. Only its Drop is
// safe for concurrent use.
type Holding struct {
	Memories []*Memory
	Done     <-chan struct{} // ends waiting
	Patience time.Duration   // is how long it waits for each part

	held [parts]int64
}

// read makes room for n more bytes that come, which so far are length.
func (h *Holding) read(n, length int64) bool {
	if length+n <= smallRequest {
		return h.take(small, n)
	}
	if !h.take(reading, h.held[small]+n) {
		return false
	}
	h.give(small, h.held[small])
	return true
}

// Read makes room for a request of n bytes that has been read. It reports whether it has got it.
func (h *Holding) Read(n int64) bool { return h.read(n, 0) }

// Decode makes room for what is made of a request that has been read, in bytes. It reports whether it has got it.
func (h *Holding) Decode(cost int64) bool {
	if h.held[reading] == 0 && cost < LargeCost {
		return h.take(small, cost)
	}
	return h.take(decoding, cost)
}

func (h *Holding) take(part int, n int64) bool {
	for i, m := range h.Memories {
		if !m.parts[part].take(h.Done, h.Patience, h.held[part], n) {
			for _, m := range h.Memories[:i] {
				m.parts[part].give(n)
			}
			return false
		}
	}
	h.held[part] += n
	return true
}

func (h *Holding) give(part int, n int64) {
	for _, m := range h.Memories {
		m.parts[part].give(n)
	}
	h.held[part] -= n
}

// Keep gives all of it back but n bytes.
func (h *Holding) Keep(n int64) {
	for part := range h.held {
		stays := min(n, h.held[part])
		h.give(part, h.held[part]-stays)
		n -= stays
	}
}

// Drop gives all of it back.
func (h *Holding) Drop() { h.Keep(0) }

// ReadAll reads up to limit bytes, as long as there is room for them; otherwise the error is [ErrBusy]. If there are
// more, they are in more. What is announced is -1 if that is not known; it is taken at its word when some of it has
// come.
func ReadAll(r io.Reader, announced, limit int64, held *Holding) (body []byte, more io.Reader, err error) {
	for {
		if room := cap(body); len(body) == room {
			if int64(room) >= limit {
				next := make([]byte, 1)
				if _, err := io.ReadFull(r, next); errors.Is(err, io.EOF) {
					return body, nil, nil
				} else if err != nil {
					return nil, nil, err
				}
				return body, io.MultiReader(bytes.NewReader(next), r), nil
			}
			more := max(room, 4<<10)
			// one more, to see the end
			if left := int(announced) + 1 - room; left > 0 && (left < more || room+more > smallRequest) {
				more = left // at once, since many that have some and wait for more would wait for each other
			}
			more = int(min(int64(more), limit-int64(room)))
			if !held.read(int64(more), int64(room)) {
				return nil, nil, ErrBusy
			}
			body = append(make([]byte, 0, room+more), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}
