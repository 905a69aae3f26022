package command

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
)

// Random returns random bytes, for seeds.
func Random() string {
	b := make([]byte, 16)
	_, _ = cryptorand.Read(b)
	return string(b)
}

// NewRand returns a source of random numbers that differs from run to run: that of package rand does not, since runs
// begin from one image of the memory.
func NewRand() *rand.Rand {
	seed := []byte(Random())
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed), binary.LittleEndian.Uint64(seed[8:])))
}
