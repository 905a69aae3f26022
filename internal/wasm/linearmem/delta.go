package linearmem

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"
)

// DeltaPage is the size of the pages that a [Delta] consists of, in bytes. It is the same on all systems.
const DeltaPage = 4 << 10

// A Delta is what a memory has that an image has not. Unlike an [Image], it is the same on all systems.
type Delta struct {
	// Size is the size of the memory in bytes.
	Size uint64
	// Pages are the numbers of the pages that differ, in ascending order. Data is the exclusive or of their content and
	// that of the image, which is mostly zeros, and so compresses well: where a guest counts references to objects, it
	// changes few bytes in many pages.
	Pages []uint32
	Data  []byte
}

// Check reports whether a delta is one, and fits a memory of at most limit bytes.
func (d *Delta) Check(limit uint64) error {
	if d.Size == 0 || d.Size%PageSize != 0 || d.Size > limit || len(d.Data) != len(d.Pages)*DeltaPage {
		return errBadDelta
	}
	last := int64(-1)
	for _, p := range d.Pages {
		if int64(p) <= last || uint64(p) >= d.Size/DeltaPage {
			return errBadDelta
		}
		last = int64(p)
	}
	return nil
}

var errBadDelta = errors.New("linearmem: not a delta")

// Delta returns how the memory differs from an image, which must not be larger.
func (m *Memory) Delta(from *Image) (*Delta, error) {
	from.mu.RLock()
	defer from.mu.RUnlock()
	if from.closed {
		return nil, errClosed
	}
	if m.size < from.size {
		return nil, fmt.Errorf("linearmem: a memory of %d bytes has no delta to an image of %d", m.size, from.size)
	}
	d := &Delta{Size: m.size}
	used := m.reserved[:m.size]
	compare := func(at, end uint64) {
		for ; at < end; at += DeltaPage {
			page := used[at : at+DeltaPage]
			if before := from.page(at); !bytes.Equal(page, before) {
				d.Pages = append(d.Pages, uint32(at/DeltaPage))
				d.Data = append(d.Data, page...)
				changed := d.Data[len(d.Data)-DeltaPage:]
				subtle.XORBytes(changed, changed, before)
			}
		}
	}
	var own []uint64 // pages that may differ
	known := false
	if m.image == from {
		own, known = ownPages(used, nil, len(used))
	}
	if !known {
		compare(0, m.size)
		return d, nil
	}
	page := uint64(os.Getpagesize())
	size := len(own) * int(page)
	d.Pages, d.Data = make([]uint32, 0, size/DeltaPage), make([]byte, 0, size)
	for _, at := range own {
		compare(at, at+page)
	}
	return d, nil
}

// page returns a part of DeltaPage bytes of the image. The lock is held.
func (i *Image) page(at uint64) []byte {
	if next := sort.Search(len(i.pieces), func(n int) bool { return i.pieces[n].at > at }); next > 0 {
		if p := i.pieces[next-1]; at-p.at < p.length {
			return i.data[p.offset+at-p.at:][:DeltaPage]
		}
	}
	return zeros[:DeltaPage]
}

// Apply makes a memory that has been restored to an image the one of which the delta was taken. The memory must have
// grown to the delta's size.
func (m *Memory) Apply(d *Delta) error {
	if err := d.Check(m.size); err != nil || d.Size != m.size {
		return errBadDelta
	}
	at := func(n int) uint64 { return uint64(d.Pages[n]) * DeltaPage }
	for first := 0; first < len(d.Pages); { // pages in a row
		end := first + 1
		for end < len(d.Pages) && d.Pages[end] == d.Pages[end-1]+1 {
			end++
		}
		if end-first >= leastPrepared {
			prepareWrites(m.reserved[:m.size], at(first), at(end-1)+DeltaPage)
		}
		for n := first; n < end; n++ {
			page := m.reserved[at(n):][:DeltaPage]
			subtle.XORBytes(page, page, d.Data[n*DeltaPage:][:DeltaPage])
		}
		first = end
	}
	return nil
}

// leastPrepared is how many pages in a row are worth a system call before they are written.
const leastPrepared = 4

// Digest returns a hash of the image's size and content. It is the same on all systems.
func (i *Image) Digest() ([sha256.Size]byte, error) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if i.closed {
		return [sha256.Size]byte{}, errClosed
	}
	h := sha256.New()
	var number [8]byte
	write := func(n uint64) {
		binary.LittleEndian.PutUint64(number[:], n)
		h.Write(number[:])
	}
	write(i.size)
	for _, p := range i.pieces {
		for at := p.at; at < p.at+p.length; at += DeltaPage {
			if page := i.data[p.offset+at-p.at:][:DeltaPage]; !isZero(page) {
				write(at)
				h.Write(page)
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
