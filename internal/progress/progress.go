// Package progress reads from what may never give anything, nor an end.
package progress

import (
	"errors"
	"io"
)

// maxEmpty is how many reads in a row may give nothing, as in package bufio.
const maxEmpty = 100

var errCount = errors.New("a read has returned an impossible count")

type reader struct {
	from  io.Reader
	empty int
}

// Reader returns a reader of the same, which fails with io.ErrNoProgress after many reads in a row that have given nothing: most of what
// reads to the end would go on for ever. An impossible count is an error, too.
func Reader(from io.Reader) io.Reader { return &reader{from: from} }

func (r *reader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	switch {
	case n < 0 || n > len(b):
		return 0, errCount
	case n > 0 || err != nil || len(b) == 0:
		r.empty = 0
	case r.empty >= maxEmpty:
		return 0, io.ErrNoProgress
	default:
		r.empty++
	}
	return n, err
}
