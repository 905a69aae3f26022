package linearmem

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
)

// An Image is the content of a memory at one moment. It is immutable and safe for concurrent use.
type Image struct {
	size   uint64
	pieces []piece // the non-zero parts, in order

	mu     sync.RWMutex
	closed bool
	data   []byte   // the pieces in a row
	file   *os.File // the source of data, if the system can map it copy-on-write; else nil
	start  uint64   // where in the file data begins; if not at zero, other processes may use the file
}

// piece is a part of a memory that consists of whole pages of the system.
type piece struct {
	at, length uint64 // in the memory
	offset     uint64 // in the data
}

// Capture takes an image of the memory. The caller closes it.
func (m *Memory) Capture() (*Image, error) {
	memory := m.reserved[:m.size]
	pieces := pieces(memory)
	return newImage(m.size, pieces, func(to io.Writer) error {
		for _, p := range pieces {
			if _, err := to.Write(memory[p.at : p.at+p.length]); err != nil {
				return err
			}
		}
		return nil
	})
}

// newImage makes an image of pieces whose content is written by write.
func newImage(size uint64, pieces []piece, write func(io.Writer) error) (*Image, error) {
	image := &Image{size: size, pieces: pieces}
	var err error
	if image.file, image.data, err = share(write); errors.Is(err, errors.ErrUnsupported) {
		var data bytes.Buffer
		err = write(&data)
		image.data = data.Bytes()
	}
	if err != nil {
		return nil, err
	}
	return image, nil
}

// Size returns the size of the captured memory in bytes.
func (i *Image) Size() uint64 { return i.size }

// Bytes returns how many bytes of memory the image takes: the parts that it stores, or nothing if it is mapped from a
// file of a file system.
func (i *Image) Bytes() int64 {
	if i.start > 0 {
		return 0
	}
	var n int64
	for _, p := range i.pieces {
		n += int64(p.length)
	}
	return n
}

// Close frees the image. It can no longer be restored, but memories restored from it stay valid.
func (i *Image) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.file != nil && !i.closed {
		unshare(i.file, i.data)
	}
	i.closed, i.data = true, nil
}

// Closed reports whether the image has been closed.
func (i *Image) Closed() bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.closed
}

// place puts the pieces into a zero memory, and reports whether they are mapped copy-on-write.
func (i *Image) place(memory []byte) (shared bool, err error) {
	if i.file != nil {
		return true, i.placeShared(memory)
	}
	for _, p := range i.pieces {
		copy(memory[p.at:p.at+p.length], i.data[p.offset:])
	}
	return false, nil
}

// A process can have about 65,000 mappings: each piece of an image is one in every restored memory, and so is each gap.
// The code that wrote to the memory decides where its pages lie.
const (
	maxPieces = 32
	// Smaller gaps are filled: 10,000 sandboxes of QuickJS take 60,000 mappings, and Python's image grows by 1.5 %.
	smallGap = 256 << 10 // bytes
)

// pieces finds the non-zero parts. They include small gaps, and larger ones if there would be too many pieces.
func pieces(memory []byte) []piece {
	page := os.Getpagesize()
	var found []piece
	for at := 0; at < len(memory); at += page {
		if !isZero(memory[at : at+page]) {
			found = append(found, piece{at: uint64(at), length: uint64(page)})
		}
	}
	if len(found) == 0 {
		return nil
	}
	gap := max(uint64(page), smallGap)
	for found = join(found, gap); len(found) > maxPieces; found = join(found, gap) {
		gap *= 2
	}
	offset := uint64(0)
	for i := range found {
		found[i].offset = offset
		offset += found[i].length
	}
	return found
}

// join merges pieces that are less than gap apart. It reuses the slice.
func join(pieces []piece, gap uint64) []piece {
	joined := pieces[:1]
	for _, p := range pieces[1:] {
		if last := &joined[len(joined)-1]; p.at-(last.at+last.length) < gap {
			last.length = p.at + p.length - last.at
		} else {
			joined = append(joined, p)
		}
	}
	return joined
}

var zeros [64 << 10]byte // at least one page on any system

func isZero(page []byte) bool { return string(page) == string(zeros[:len(page)]) }
