package linearmem

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// Append appends the image to a slice, for [DecodeImage]: the system's page size, the size of the memory, the
// number of pieces, the position and length of each, and their content. All numbers are 64 bits, little-endian.
func (i *Image) Append(to []byte) ([]byte, error) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if i.closed {
		return nil, ErrClosed
	}
	for _, n := range []uint64{uint64(os.Getpagesize()), i.size, uint64(len(i.pieces))} {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	for _, p := range i.pieces {
		to = binary.LittleEndian.AppendUint64(to, p.at)
		to = binary.LittleEndian.AppendUint64(to, p.length)
	}
	return append(to, i.data...), nil
}

// DecodeImage decodes an image that Append encoded on a system with the same page size. The caller closes it.
func DecodeImage(data []byte) (*Image, error) {
	bad := errors.New("linearmem: not an image")
	if len(data) < 3*8 {
		return nil, bad
	}
	next := func() uint64 {
		n := binary.LittleEndian.Uint64(data)
		data = data[8:]
		return n
	}
	page := uint64(os.Getpagesize())
	if got := next(); got != page {
		return nil, fmt.Errorf("linearmem: not an image with pages of %d bytes", page)
	}
	size, n := next(), next()
	if size == 0 || size%PageSize != 0 || size > 1<<32 || n > min(maxPieces, uint64(len(data)/16)) {
		return nil, bad
	}
	var pieces []piece
	end, length := uint64(0), uint64(0)
	for range n {
		p := piece{at: next(), length: next(), offset: length}
		if p.at < end || p.at > size || p.length == 0 || p.length > size-p.at || p.at%page != 0 || p.length%page != 0 {
			return nil, bad
		}
		end, length = p.at+p.length, length+p.length
		pieces = append(pieces, p)
	}
	if length != uint64(len(data)) {
		return nil, bad
	}
	return newImage(size, pieces, func(p piece) []byte { return data[p.offset : p.offset+p.length] })
}
