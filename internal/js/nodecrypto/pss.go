package nodecrypto

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"encoding/binary"
	"math/big"
)

// RSA-PSS without a salt, for which Go's library has no option: its 0 means any length.
//
// See https://www.rfc-editor.org/rfc/rfc8017#section-9.1

// encodeUnsalted returns the encoded message for a modulus of some bits, or nil if that is too short.
func encodeUnsalted(hash crypto.Hash, digest []byte, bits int) []byte {
	size := (bits - 1 + 7) / 8
	if size < hash.Size()+2 {
		return nil
	}
	h := hash.New()
	h.Write(make([]byte, 8))
	h.Write(digest)
	sum := h.Sum(nil)
	encoded := make([]byte, size)
	db := encoded[:size-len(sum)-1]
	db[len(db)-1] = 1
	var counter [4]byte
	for at := 0; at < len(db); at += hash.Size() {
		binary.BigEndian.PutUint32(counter[:], uint32(at/hash.Size()))
		h.Reset()
		h.Write(sum)
		h.Write(counter[:])
		for i, b := range h.Sum(nil) {
			if at+i < len(db) {
				db[at+i] ^= b
			}
		}
	}
	db[0] &= 0xff >> (8*size - (bits - 1))
	copy(encoded[len(db):], sum)
	encoded[size-1] = 0xbc
	return encoded
}

func signUnsalted(key *rsa.PrivateKey, hash crypto.Hash, digest []byte) ([]byte, error) {
	encoded := encodeUnsalted(hash, digest, key.N.BitLen())
	if encoded == nil {
		return nil, ErrPair
	}
	signature := new(big.Int).Exp(new(big.Int).SetBytes(encoded), key.D, key.N)
	return signature.FillBytes(make([]byte, key.Size())), nil
}

func verifyUnsalted(key *rsa.PublicKey, hash crypto.Hash, digest, signature []byte) bool {
	encoded := encodeUnsalted(hash, digest, key.N.BitLen())
	s := new(big.Int).SetBytes(signature)
	if encoded == nil || len(signature) != key.Size() || s.Cmp(key.N) >= 0 {
		return false
	}
	got := new(big.Int).Exp(s, big.NewInt(int64(key.E)), key.N)
	return got.BitLen() <= 8*len(encoded) && bytes.Equal(got.FillBytes(make([]byte, len(encoded))), encoded)
}
