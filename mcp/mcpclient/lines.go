package mcpclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// readLine reads a line of at most limit bytes, without its end. The line is valid until the next call. At the end of
// the input, it returns the rest and io.EOF.
func readLine(r *bufio.Reader, line []byte, limit int) ([]byte, error) {
	line = line[:0]
	for {
		piece, err := r.ReadSlice('\n')
		if len(line)+len(piece) > limit {
			return nil, &tooLargeError{limit}
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// maxBatch limits the messages in one array, which older versions of the protocol permit.
const maxBatch = 1000

// A lineReader filters the standard output of a server.
type lineReader struct {
	in     *bufio.Reader
	filter *filter
	// fail receives the error that ends the stream.
	fail func(error)

	line    []byte
	pending []byte
}

// Read returns whole messages, each with a newline.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.pending) == 0 {
		line, err := readLine(r.in, r.line, r.filter.limit)
		if err != nil {
			if _, ok := errors.AsType[*tooLargeError](err); !ok {
				// also if this side has closed the pipe, which other processes hold open after the server's end
				err = errLost
			}
			r.fail(err)
			return 0, io.EOF // an incomplete line is not a message
		}
		r.line = line
		if cap(r.line) > 1<<20 {
			r.line = nil
		}
		r.take(line)
	}
	n := copy(p, r.pending)
	if r.pending = r.pending[n:]; len(r.pending) == 0 {
		r.pending = nil
	}
	return n, nil
}

func (r *lineReader) take(line []byte) {
	line = bytes.TrimSpace(line)
	batch := [][]byte{line}
	switch {
	case len(line) == 0:
		return
	case line[0] != '[':
	default:
		batch = batch[:0]
		if !json.Valid(line) || !jsontree.Elements(line, func(message []byte) bool {
			batch = append(batch, message)
			return len(batch) <= maxBatch
		}) || len(batch) > maxBatch {
			r.filter.odd("an array that is not one of messages")
			return
		}
	}
	for _, message := range batch {
		if out := r.filter.message(message); out != nil {
			r.pending = append(append(r.pending, out...), '\n')
		}
	}
}
