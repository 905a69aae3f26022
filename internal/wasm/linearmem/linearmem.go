// Package linearmem provides the linear memory of WebAssembly instances: a reservation of address space with a hard
// limit. Its pages cost nothing until they are touched, and its address never changes. An [Image] is a snapshot of a
// memory, to which memories can be restored any number of times.
//
// A [Memory] satisfies wazero's experimental.LinearMemory.
package linearmem

import (
	"errors"
	"fmt"
	"os"
)

// PageSize is the size of a WebAssembly page, in bytes.
const PageSize = 64 << 10

// DefaultKept is enough for what most code writes.
const DefaultKept = 1600 << 10 // bytes

// A Memory is one linear memory. It is not safe for concurrent use.
type Memory struct {
	// Kept is how many bytes of pages that were written Restore leaves in memory, so that the next use causes no page
	// faults. If there are more, all return to the system. At first it is DefaultKept.
	Kept uint64

	reserved []byte
	limit    uint64
	size     uint64
	refused  bool
	// exhausted says that the limit has refused less than itself.
	exhausted bool
	shrinks   bool     // the next Reallocate makes it smaller
	image     *Image   // the image mapped copy-on-write, or nil
	touched   []uint64 // the pages that the last Restore reset; nil if unknown
}

// Reserve reserves address space for a memory of at most limit bytes, rounded down to whole pages.
func Reserve(limit uint64) (*Memory, error) {
	limit -= limit % PageSize
	if limit == 0 || limit > 1<<32 {
		return nil, fmt.Errorf("linearmem: a limit of %d bytes is not between one page and 4 GiB", limit)
	}
	reserved, err := reserve(int(limit))
	if err != nil {
		return nil, fmt.Errorf("linearmem: reserving %d bytes: %w", limit, err)
	}
	return &Memory{reserved: reserved, limit: limit, Kept: DefaultKept}, nil
}

// Reserved returns how many bytes are reserved: the largest possible limit.
func (m *Memory) Reserved() uint64 { return uint64(len(m.reserved)) }

// SetLimit sets another limit, at most the reserved size, rounded down to whole pages, and clears Refused and
// Exhausted. A memory that is already larger keeps its size.
func (m *Memory) SetLimit(limit uint64) {
	m.limit = min(limit-limit%PageSize, m.Reserved())
	m.refused, m.exhausted = false, false
}

// Reallocate returns the memory with a new size in bytes, or nil if that exceeds the limit. New bytes are zero.
func (m *Memory) Reallocate(size uint64) []byte {
	if m.shrinks {
		return m.reserved[:m.size:m.size]
	}
	if size > m.limit || commit(m.reserved[m.size:max(m.size, size)]) != nil {
		m.refused = true
		m.exhausted = m.exhausted || size-m.size <= m.limit
		return nil
	}
	m.size = size
	return m.reserved[:size:size]
}

// Shrink makes the memory of an instance in which nothing runs smaller, to a size in whole pages. WebAssembly cannot do
// that, and wazero has no function for it. But an instance has the memory that Reallocate returns when it grows, so
// Shrink calls grow, which must make the instance grow by one page, and returns the smaller memory. The caller checks
// that the instance has the new size. After an error, do not use the memory any more.
func (m *Memory) Shrink(size uint64, grow func()) error {
	if size > m.size || size%PageSize != 0 {
		return fmt.Errorf("linearmem: a memory of %d bytes cannot shrink to %d", m.size, size)
	}
	rest := m.reserved[size:m.size]
	if len(rest) <= mostCleared {
		clear(rest)
	} else if err := clearPages(rest); err != nil {
		return err
	}
	m.size, m.shrinks = size, true
	defer func() { m.shrinks = false }()
	grow()
	return nil
}

// mostCleared is how many bytes Shrink keeps, zero, so that the next use causes no page faults.
const mostCleared = 4 * PageSize

// Size returns the size of the memory in bytes.
func (m *Memory) Size() uint64 { return m.size }

// Refused reports whether the limit has refused a growth.
func (m *Memory) Refused() bool { return m.refused }

// Exhausted reports whether the limit has refused a growth because of what is there already: one that was not larger
// than the limit itself.
func (m *Memory) Exhausted() bool { return m.exhausted }

// Restore resets the memory to an image, which must have the memory's size. Nothing else remains in it. After an
// error, do not use the memory any more.
func (m *Memory) Restore(image *Image) error {
	if m.size != image.size {
		return fmt.Errorf("linearmem: a memory of %d bytes cannot be restored from an image of %d", m.size, image.size)
	}
	image.mu.RLock()
	defer image.mu.RUnlock()
	if image.closed {
		return errClosed
	}
	used := m.reserved[:m.size]
	if m.image == image {
		return m.revert(used)
	}
	m.image, m.touched = nil, nil
	if m.size == 0 { // systems refuse to map nothing, or take it for everything
		return nil
	}
	if err := clearPages(used); err != nil {
		return err
	}
	shared, err := image.place(used)
	if shared {
		m.image = image
	}
	return err
}

// Touched returns an approximate upper bound on the bytes in a part of the memory that had been written to when it was
// last restored from the same image as before.
func (m *Memory) Touched(at, length uint64) uint64 {
	if m.touched == nil {
		return length
	}
	page := uint64(os.Getpagesize())
	n := uint64(0)
	for _, t := range m.touched {
		if t+page > at && t < at+length {
			n += page
		}
	}
	return n
}

// Free frees the memory. Do not use slices from Reallocate after that. Freeing twice does nothing.
func (m *Memory) Free() {
	if m.reserved != nil {
		release(m.reserved)
		m.reserved = nil
	}
}

// errClosed means that an image has been closed.
var errClosed = errors.New("linearmem: the image is closed")
