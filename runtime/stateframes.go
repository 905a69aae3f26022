package runtime

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// frames are the pages of a state as they were compressed, a frame for each part of the memory. The state after it
// needs to compress only those parts again that have changed: most calls of a session change little.
type frames struct {
	mu     sync.Mutex
	before *State           // the state before this one, until this one is sealed
	parts  map[uint32]frame // by the number of the part; nil until the state is sealed, and then always the same
}

// A frame has the pages from first to end, by their place in the state.
type frame struct {
	first, end int
	data       []byte
}

// framePages is how many pages a part of the memory has.
const framePages = 64 << 10 / linearmem.DeltaPage

// framesAfter returns the frames of a state after another one, which is nil for none.
func framesAfter(before *State) *frames {
	f := &frames{}
	if before != nil {
		before.frames.mu.Lock()
		defer before.frames.mu.Unlock()
		if before.frames.parts != nil { // otherwise it is of no use, and would keep those before it
			f.before = before
		}
	}
	return f
}

// appendPages appends the pages as frames.
func (s *State) appendPages(sealed []byte) []byte {
	f := s.frames
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.before
	if f.parts != nil {
		known = s
	}
	pages := s.memory.Pages
	type span struct {
		frame
		number uint32
		at, to int // in sealed, which may move
	}
	var spans []span
	for first := 0; first < len(pages); {
		number, end := pages[first]/framePages, first+1
		for end < len(pages) && pages[end]/framePages == number {
			end++
		}
		at := len(sealed)
		if same := known.frame(number, pages[first:end], s.pages(first, end)); same != nil {
			sealed = append(sealed, same...)
		} else {
			sealed = stateEncoder.EncodeAll(s.pages(first, end), sealed)
		}
		spans = append(spans, span{frame{first: first, end: end}, number, at, len(sealed)})
		first = end
	}
	if f.before = nil; f.parts == nil {
		f.parts = make(map[uint32]frame, len(spans))
		for _, p := range spans {
			p.data = sealed[p.at:p.to:p.to]
			f.parts[p.number] = p.frame
		}
	}
	return sealed
}

// pages is the data of the pages from first to end.
func (s *State) pages(first, end int) []byte {
	return s.memory.Data[first*linearmem.DeltaPage : end*linearmem.DeltaPage]
}

// frame returns the frame of a part of the memory if it has the same pages, or nil. The state is nil or has been
// sealed, so that its frames do not change any more.
func (s *State) frame(number uint32, pages []uint32, data []byte) []byte {
	if s == nil {
		return nil
	}
	part, ok := s.frames.parts[number]
	if !ok || !slices.Equal(s.memory.Pages[part.first:part.end], pages) ||
		!bytes.Equal(s.pages(part.first, part.end), data) {
		return nil
	}
	return part.data
}

// skippable begins a frame with eight bytes that decoders skip.
var skippable = binary.LittleEndian.AppendUint32([]byte{0x50, 0x2a, 0x4d, 0x18}, 8)

// appendSize appends a frame that only says how large all others are without compression, so that they are decoded
// into a buffer that need not grow.
func appendSize(to []byte, size int) []byte {
	return binary.LittleEndian.AppendUint64(append(to, skippable...), uint64(size))
}

// sizeOf returns the size that the first frame says, or 0.
func sizeOf(frames []byte) int64 {
	if rest, ok := bytes.CutPrefix(frames, skippable); ok && len(rest) >= 8 {
		return max(0, int64(binary.LittleEndian.Uint64(rest)))
	}
	return 0
}
