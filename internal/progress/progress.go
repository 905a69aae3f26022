// Package progress guards against readers that return neither data nor an error for ever.
package progress

import (
	"errors"
	"io"
)

// maxEmpty is how many reads in a row may return nothing, as in package bufio.
const maxEmpty = 100

var errCount = errors.New("a read has returned an impossible count")

type reader struct {
	from  io.Reader
	empty int
}

// Reader returns a reader of from that fails with io.ErrNoProgress after many empty reads in a row; most code that
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
