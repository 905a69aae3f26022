package webapi

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"slices"
	"strings"
)

// Digest returns the hash of data by Web Crypto's name of the algorithm, in upper or lower case: SHA-1, SHA-256,
// SHA-384 or SHA-512. It is nil for any other name. The error is that of work.
func Digest(algorithm string, data []byte, work Work) (sum []byte, err error) {
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
		return nil, nil
	}
	// Hashes are computed in assembly, which Go cannot preempt: without parts, a garbage collection, and with it
	// the process, would wait for the whole hash.
	for part := range slices.Chunk(data, digestPart) {
		if err := work(len(part)); err != nil {
			return nil, err
		}
		h.Write(part)
	}
	return h.Sum(nil), nil
}

// digestPart is how many bytes are hashed without a pause: about a tenth of a millisecond.
const digestPart = 64 << 10
