// Package nodezlib compresses and decompresses as Node's zlib module does, with zlib's errors.
//
// Compressed data is that of Go's library: zlib decompresses it, but its own would have other bytes.
package nodezlib

import "errors"

// Work is told how many bytes are about to be processed, or about as much other work. If it returns an error, the
// function that has called it returns that error at once.
type Work func(bytes int) error

// A Format is how compressed data is framed.
type Format string

// The formats.
const (
	Raw  Format = "raw"  // nothing but the data
	Zlib Format = "zlib" // RFC 1950
	Gzip Format = "gzip" // RFC 1952, several ones in a row
	One  Format = "one"  // RFC 1952, a single one: to decompress
	Any  Format = "any"  // Gzip or Zlib, by what the data begins with: to decompress
)

// An Error is one of zlib's.
type Error struct {
	Code    string // Z_DATA_ERROR, Z_BUF_ERROR or Z_NEED_DICT
	Message string
}

func (e *Error) Error() string { return e.Message }

var (
	// ErrTooLong is the error for an output that would be longer than its limit.
	ErrTooLong = errors.New("the output is too long")

	errEnd = &Error{"Z_BUF_ERROR", "unexpected end of file"}
)

func corrupt(message string) error { return &Error{"Z_DATA_ERROR", message} }

// An Output collects data in pieces, so that it is never copied while it grows.
type Output struct {
	limit  int
	size   int
	pieces [][]byte
}

// outputPiece is the size of a piece of an output, in bytes.
const outputPiece = 64 << 10

// NewOutput returns an empty output, which takes at most limit bytes.
func NewOutput(limit int) *Output { return &Output{limit: limit} }

// Len returns how many bytes there are.
func (o *Output) Len() int { return o.size }

// Pieces returns the data. It must not be changed.
func (o *Output) Pieces() [][]byte { return o.pieces }

// Write adds a copy of data. The error is ErrTooLong.
func (o *Output) Write(data []byte) (int, error) {
	if len(data) > o.limit-o.size {
		return 0, ErrTooLong
	}
	n := len(data)
	o.size += n
	for len(data) > 0 {
		last := len(o.pieces) - 1
		if last < 0 || len(o.pieces[last]) == cap(o.pieces[last]) {
			size := outputPiece
			if last < 0 && n < outputPiece/16 {
				size = max(512, n) // most are short
			}
			o.pieces = append(o.pieces, make([]byte, 0, size))
			last++
		}
		piece := o.pieces[last]
		room := min(cap(piece)-len(piece), len(data))
		o.pieces[last] = append(piece, data[:room]...)
		data = data[room:]
	}
	return n, nil
}
