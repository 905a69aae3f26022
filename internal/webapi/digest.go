package webapi

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"slices"
	"strings"
)

// Digest returns the hash of data by the name that Web Crypto has for the algorithm, in any case: SHA-1, SHA-256, SHA-384
// or SHA-512. It is false for any other name.
func Digest(algorithm string, data []byte) (sum []byte, ok bool) {
	var h hash.Hash
	switch strings.ToUpper(algorithm) {
	case "SHA-1":
		h = sha1.New()
	case "SHA-256":
		h = sha256.New()
	case "SHA-384":
		h = sha512.New384()
	case "SHA-512":
		h = sha512.New()
	default:
		return nil, false
	}
	// A hash is computed in assembly, which Go cannot preempt: garbage collections, and with them the process, would wait for all of it.
	for part := range slices.Chunk(data, digestPart) {
		h.Write(part)
	}
	return h.Sum(nil), true
}

// digestPart is how many bytes are hashed without a pause, which takes about a tenth of a millisecond.
const digestPart = 64 << 10
