// Package nodecrypto computes what Node's crypto module and Web Crypto compute: hashes, and AES.
//
// Hashes and ciphers are kept as states, which are bytes: whoever holds a state can go on where it stands, and copies
// of it go on separately. So a sandbox keeps its own, and nothing has to be released. A state that someone has tampered
// with gives wrong results or [ErrState], and nothing worse.
//
// Everything that takes time in proportion to a size or a count calls a [Work] function, which can end it.
package nodecrypto

import "errors"

// Work is told how many bytes are about to be processed. If it returns an error, the function that has called it
// returns that error at once.
type Work func(bytes int) error

// ErrState is the error for bytes that are no state.
var ErrState = errors.New("this is not the state of a hash or a cipher")

// pieceSize is how many bytes are processed without a pause: about a tenth of a millisecond. Hashes and ciphers are
// computed in assembly, which Go cannot preempt: without pieces, a garbage collection would wait for all of it.
const pieceSize = 64 << 10

// inPieces calls f with pieces of data, after work for each. The cost is how often each byte is read or written.
func inPieces(data []byte, cost int, work Work, f func(piece []byte)) error {
	for len(data) > 0 {
		piece := data[:min(len(data), pieceSize)]
		if err := work(cost * len(piece)); err != nil {
			return err
		}
		f(piece)
		data = data[len(piece):]
	}
	return nil
}
