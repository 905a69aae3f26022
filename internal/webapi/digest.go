package webapi

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"strings"
)

// Digest returns the hash of data by the name that Web Crypto has for the algorithm, in any case: SHA-1, SHA-256, SHA-384
// or SHA-512. It is false for any other name.
func Digest(algorithm string, data []byte) (sum []byte, ok bool) {
	switch strings.ToUpper(algorithm) {
	case "SHA-1":
		s := sha1.Sum(data)
		return s[:], true
	case "SHA-256":
		s := sha256.Sum256(data)
		return s[:], true
	case "SHA-384":
		s := sha512.Sum384(data)
		return s[:], true
	case "SHA-512":
		s := sha512.Sum512(data)
		return s[:], true
	}
	return nil, false
}
