// Package linearmem provides the linear memory of WebAssembly instances: a reservation of address space with a hard
// limit, whose pages cost nothing until they are touched and whose address never changes.
//
// A [Memory] satisfies wazero's experimental.LinearMemory.
package linearmem

import "fmt"

// PageSize is the size of a WebAssembly page, in bytes.
const PageSize = 64 << 10

// Memory is one linear memory. It is not safe for concurrent use.
type Memory struct {
	reserved []byte
	size     uint64
	refused  bool
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
	return &Memory{reserved: reserved}, nil
}

// Reallocate returns the memory with a size of size bytes, or nil if that is over the limit. New bytes are zero.
func (m *Memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.reserved)) {
		m.refused = true
		return nil
	}
	m.size = size
	return m.reserved[:size:size]
}

// Size returns the size of the memory, in bytes. Since a memory never shrinks, it is also the most that it was.
func (m *Memory) Size() uint64 { return m.size }

// Refused says whether a growth was refused because of the limit.
func (m *Memory) Refused() bool { return m.refused }

// Free gives the memory back. Slices from Reallocate must not be used any more. Freeing twice does nothing.
func (m *Memory) Free() {
	if m.reserved != nil {
		release(m.reserved)
		m.reserved = nil
	}
}
