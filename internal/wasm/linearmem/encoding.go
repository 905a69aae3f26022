package linearmem

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Append appends the image to a slice, for [DecodeImage]: the system's page size, the size of the memory, the
// number of pieces, the position and length of each, zeros up to the end of a page, and the content of the pieces. All
// numbers are 64 bits, little-endian.
func (i *Image) Append(to []byte) ([]byte, error) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if i.closed {
		return nil, errClosed
	}
	start := len(to)
	for _, n := range []uint64{uint64(os.Getpagesize()), i.size, uint64(len(i.pieces))} {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	for _, p := range i.pieces {
		to = binary.LittleEndian.AppendUint64(to, p.at)
		to = binary.LittleEndian.AppendUint64(to, p.length)
	}
	to = append(to, make([]byte, start+os.Getpagesize()-len(to))...)
	return append(to, i.data...), nil
}

// DecodeImage reads to the end an image that Append encoded on a system with the same page size. The caller closes it.
//
// If file is not nil, it is what is read, from its beginning. Where the system can do so, the image is mapped from it:
// a page takes memory once for all processes, and only after it has been touched. Whoever can write to the file can
// change the image then, and the process crashes if the file is cut short, but not if it is removed.
func DecodeImage(from io.Reader, file *os.File) (*Image, error) {
	bad := errors.New("linearmem: not an image")
	header := make([]byte, 3*8)
	if err := readFull(from, header, bad); err != nil {
		return nil, err
	}
	next := func() uint64 {
		n := binary.LittleEndian.Uint64(header)
		header = header[8:]
		return n
	}
	page := uint64(os.Getpagesize())
	if got := next(); got != page {
		return nil, fmt.Errorf("linearmem: not an image with pages of %d bytes", page)
	}
	size, n := next(), next()
	if size == 0 || size%PageSize != 0 || size > 1<<32 || n > maxPieces {
		return nil, bad
	}
	header = make([]byte, 2*8*n)
	if err := readFull(from, header, bad); err != nil {
		return nil, err
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
	rest := make([]byte, page-(3+2*n)*8)
	if err := readFull(from, rest, bad); err != nil {
		return nil, err
	}
	if !isZero(rest) {
		return nil, bad
	}
	if file != nil {
		if shared, data, err := shareFile(file, int64(page), int(length)); err == nil {
			image := &Image{size: size, pieces: pieces, file: shared, start: page, data: data}
			if err := copyAll(io.Discard, from, length, bad); err != nil {
				image.Close()
				return nil, err
			}
			return image, nil
		}
	}
	return newImage(size, pieces, func(to io.Writer) error { return copyAll(to, from, length, bad) })
}

// readFull fills a buffer. If there is too little for that, the error is bad.
func readFull(from io.Reader, buffer []byte, bad error) error {
	_, err := io.ReadFull(from, buffer)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return bad
	}
	return err
}

// copyAll copies to the end. If that is not after length bytes, the error is bad.
func copyAll(to io.Writer, from io.Reader, length uint64, bad error) error {
	buffer := make([]byte, 256<<10) // the processor's cache has room for it
	n, err := io.CopyBuffer(struct{ io.Writer }{to}, io.LimitReader(from, int64(length)+1), buffer)
	if err == nil && uint64(n) != length {
		return bad
	}
	return err
}
