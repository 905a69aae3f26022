package mcpserver

import (
	"sync"
	"time"
)

// What the messages of a handler, or of a session over streams, may take together, by estimate: that is how many
// bytes are alive at a time, and the garbage collector lets a process grow to twice as many before it collects them.
// The parts are apart so that no kind of message waits for another one.
const (
	maxSmall    = 12 << 20 // all of messages of up to smallMessage bytes
	maxReading  = 6 << 20  // the bytes of larger ones, as they come, until they are answered
	maxDecoding = 12 << 20 // what is made of those, until they are answered
)

// smallMessage is up to how many bytes a message is small.
const smallMessage = 64 << 10

// What a message costs in bytes, beside its own: each, each byte of what the SDK gets, each byte of arguments, and
// each value in those.
const (
	costMessage   = 4 << 10
	costSDK       = 12
	costArguments = 2
	costValue     = 100
)

// patience is how long a message waits for room.
const patience = 3 * time.Second

// A budget is an amount of memory that messages share. It is safe for concurrent use.
type budget struct {
	most int64

	mu    sync.Mutex
	used  int64
	freed chan struct{} // closed when something has been given back, if somebody waits
}

// take takes n bytes, and reports whether it has got them before done is closed and patience is over. What is larger
// than all that there is gets it when nobody else has anything.
func (b *budget) take(done <-chan struct{}, n int64) bool {
	var late <-chan time.Time
	for {
		b.mu.Lock()
		if b.used == 0 || b.used+n <= b.most {
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
			late = time.After(patience)
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
func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.freed != nil && n > 0 {
		close(b.freed)
		b.freed = nil
	}
}

// memory is what messages share.
type memory struct{ small, reading, decoding budget }

func newMemory(share int64) *memory {
	return &memory{small: budget{most: maxSmall / share}, reading: budget{most: maxReading / share},
		decoding: budget{most: maxDecoding / share}}
}

// A holding is what a message has of some memories: that of all, and that of its server. It is not safe for
// concurrent use but for drop.
type holding struct {
	memories []*memory
	done     <-chan struct{} // ends waiting
	small    int64
	reading  int64
	decoding int64
}

// read makes room for n more bytes that come, which so far are length.
func (h *holding) read(n, length int64) bool {
	if length+n <= smallMessage {
		return h.take(n, &h.small, func(m *memory) *budget { return &m.small })
	}
	if !h.take(h.small+n, &h.reading, func(m *memory) *budget { return &m.reading }) {
		return false
	}
	h.give(&h.small, func(m *memory) *budget { return &m.small })
	return true
}

// decode makes room for what is made of a message that has been read.
func (h *holding) decode(cost int64) bool {
	if h.reading == 0 {
		return h.take(cost, &h.small, func(m *memory) *budget { return &m.small })
	}
	return h.take(cost, &h.decoding, func(m *memory) *budget { return &m.decoding })
}

func (h *holding) take(n int64, held *int64, of func(*memory) *budget) bool {
	for i, m := range h.memories {
		if !of(m).take(h.done, n) {
			for _, m := range h.memories[:i] {
				of(m).give(n)
			}
			return false
		}
	}
	*held += n
	return true
}

func (h *holding) give(held *int64, of func(*memory) *budget) {
	for _, m := range h.memories {
		of(m).give(*held)
	}
	*held = 0
}

// drop gives all of it back.
func (h *holding) drop() {
	h.give(&h.small, func(m *memory) *budget { return &m.small })
	h.give(&h.reading, func(m *memory) *budget { return &m.reading })
	h.give(&h.decoding, func(m *memory) *budget { return &m.decoding })
}
