package textfile

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
)

// finder finds a text in another one, in time in proportion to the sum of their lengths. Package bytes takes the
// product of them where both repeat something with a period of some twenty bytes.
//
// Long texts are found by a hash of as many bytes that moves along. The base is random, so that nobody can make texts
// with the same hash.
//
// https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm
type finder struct {
	text, what []byte
	quick      bool // package bytes is fast enough

	at       int    // what hash is of: text[at:at+len(what)]
	hash     uint64 // modulo prime, as are the others
	wanted   uint64
	base     uint64
	outgoing uint64 // what the first byte counts for, times base
}

// maxQuick is how many bytes package bytes may have to compare.
const maxQuick = 1 << 26

// prime is the modulus of hashes.
const prime = 1<<61 - 1

// newFinder returns a finder for what, which is not empty.
func newFinder(text, what []byte) *finder {
	f := &finder{text: text, what: what}
	f.quick = len(what) <= 64 || len(text)/16 <= maxQuick/len(what) || len(what) > len(text)
	if !f.quick {
		f.begin()
	}
	return f
}

// begin makes the hashes.
func (f *finder) begin() {
	f.base = 256 + rand.Uint64N(prime-256)
	f.outgoing = 1
	for i, c := range f.what {
		f.wanted = plus(times(f.wanted, f.base), uint64(c))
		f.hash = plus(times(f.hash, f.base), uint64(f.text[i]))
		f.outgoing = times(f.outgoing, f.base)
	}
}

// next returns where the text has it first that is not before from, or -1. from must grow from call to call.
func (f *finder) next(from int) int {
	if f.quick {
		if i := bytes.Index(f.text[min(from, len(f.text)):], f.what); i >= 0 {
			return from + i
		}
		return -1
	}
	for f.at+len(f.what) <= len(f.text) {
		at, end := f.at, f.at+len(f.what)
		found := at >= from && f.hash == f.wanted && bytes.Equal(f.text[at:end], f.what)
		f.at++
		if end < len(f.text) {
			gone := times(uint64(f.text[at]), f.outgoing)
			f.hash = plus(plus(times(f.hash, f.base), uint64(f.text[end])), prime-gone)
		}
		if found {
			return at
		}
	}
	return -1
}

func plus(a, b uint64) uint64 { // of numbers that are not larger than prime
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return plus(low&prime, high<<3|low>>61)
}
