// Package kdf derives keys from passwords, with PBKDF2 (RFC 8018) and scrypt (RFC 7914). Unlike the packages of Go and
// its authors, it says what work it is about to do, so that a sandbox can charge for it and stop it.
package kdf

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"math/bits"
	"slices"
)

// Work is told how many bytes are about to be processed. If it returns an error, the function that has called it
// returns that error at once.
type Work func(bytes int) error

// pieceSize is how many bytes are hashed without a pause: hashes are computed in assembly, which Go cannot preempt.
const pieceSize = 64 << 10

// iterationWork is how many bytes of work an iteration of PBKDF2 is: the blocks that it hashes, and what surrounds
// them.
const iterationWork = 384

// PBKDF2 returns size bytes of a key from a password, by HMAC with the hash that sums makes. iterations is positive.
// The error is that of work.
func PBKDF2(sums func() hash.Hash, password, salt []byte, iterations, size int, work Work) ([]byte, error) {
	long := sums()
	if len(password) > long.BlockSize() { // as HMAC does
		if err := write(long, password, work); err != nil {
			return nil, err
		}
		password = long.Sum(nil)
	}
	prf := hmac.New(sums, password)
	var key, u []byte
	for block := uint32(1); len(key) < size; block++ {
		prf.Reset()
		if err := write(prf, salt, work); err != nil {
			return nil, err
		}
		prf.Write(binary.BigEndian.AppendUint32(nil, block))
		u = prf.Sum(u[:0])
		start := len(key)
		key = append(key, u...)
		t := key[start:]
		if err := work(iterationWork); err != nil {
			return nil, err
		}
		for range iterations - 1 {
			if err := work(iterationWork); err != nil {
				return nil, err
			}
			prf.Reset()
			prf.Write(u)
			u = prf.Sum(u[:0])
			for i, b := range u {
				t[i] ^= b
			}
		}
	}
	return key[:size], nil
}

// write hashes data, after work for each piece.
func write(h hash.Hash, data []byte, work Work) error {
	for piece := range slices.Chunk(data, pieceSize) {
		if err := work(len(piece)); err != nil {
			return err
		}
		h.Write(piece)
	}
	return nil
}

// ErrScrypt is the error for parameters that scrypt cannot have, or that need more memory than it may have.
var ErrScrypt = errors.New("invalid parameters of scrypt")

// ScryptMemory returns how many bytes of memory scrypt needs, or false if the parameters are invalid or that is more
// than limit.
func ScryptMemory(n, r, p uint64, limit uint64) (bytes uint64, ok bool) {
	if n < 2 || n&(n-1) != 0 || r == 0 || p == 0 {
		return 0, false
	}
	high, product := bits.Mul64(p, r)
	if high != 0 || product > 1<<30-1 {
		return 0, false
	}
	if r < 4 && n >= 1<<(16*r) { // n must be less than 2^(128*r/8)
		return 0, false
	}
	high, blocks := bits.Mul64(n, r)
	if high != 0 || blocks > limit/128 || product > limit/128 {
		return 0, false
	}
	bytes = 128 * (blocks + product + 2*r)
	return bytes, bytes <= limit
}

// Scrypt returns size bytes of a key from a password. The memory that it needs is that of ScryptMemory with the same
// limit: if that is false, the error is ErrScrypt.
func Scrypt(password, salt []byte, n, r, p uint64, size int, limit uint64, work Work) ([]byte, error) {
	if _, ok := ScryptMemory(n, r, p, limit); !ok {
		return nil, ErrScrypt
	}
	b, err := PBKDF2(sha256.New, password, salt, 1, int(128*r*p), work)
	if err != nil {
		return nil, err
	}
	words := int(32 * r)
	s := scrypt{
		r: int(r), table: make([]uint32, words*int(n)), x: make([]uint32, words), y: make([]uint32, words), work: work,
	}
	for i := range int(p) {
		if err := s.mix(b[128*int(r)*i:][:128*int(r)], int(n)); err != nil {
			return nil, err
		}
	}
	return PBKDF2(sha256.New, password, b, 1, size, work)
}

// scrypt is the memory of one call, of the functions that RFC 7914 names.
type scrypt struct {
	r           int
	table, x, y []uint32
	work        Work
}

// mix is scryptROMix.
func (s *scrypt) mix(b []byte, n int) error {
	words := len(s.x)
	for i := range s.x {
		s.x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	for i := range n {
		if err := s.work(16 * words); err != nil {
			return err
		}
		copy(s.table[i*words:], s.x)
		s.blocks()
	}
	for range n {
		if err := s.work(16 * words); err != nil {
			return err
		}
		j := int(uint64(s.x[words-16])|uint64(s.x[words-15])<<32) & (n - 1)
		for i, word := range s.table[j*words:][:words] {
			s.x[i] ^= word
		}
		s.blocks()
	}
	for i, word := range s.x {
		binary.LittleEndian.PutUint32(b[4*i:], word)
	}
	return nil
}

// blocks is scryptBlockMix, from x to x.
func (s *scrypt) blocks() {
	var t [16]uint32
	copy(t[:], s.x[len(s.x)-16:])
	for i := range 2 * s.r {
		for k, word := range s.x[16*i:][:16] {
			t[k] ^= word
		}
		salsa(&t)
		to := 16 * (i / 2)
		if i%2 == 1 {
			to += 16 * s.r
		}
		copy(s.y[to:], t[:])
	}
	s.x, s.y = s.y, s.x
}

// salsa is the core of Salsa20/8.
func salsa(b *[16]uint32) {
	x := *b
	for range 4 {
		quarter(&x[0], &x[4], &x[8], &x[12])
		quarter(&x[5], &x[9], &x[13], &x[1])
		quarter(&x[10], &x[14], &x[2], &x[6])
		quarter(&x[15], &x[3], &x[7], &x[11])
		quarter(&x[0], &x[1], &x[2], &x[3])
		quarter(&x[5], &x[6], &x[7], &x[4])
		quarter(&x[10], &x[11], &x[8], &x[9])
		quarter(&x[15], &x[12], &x[13], &x[14])
	}
	for i := range b {
		b[i] += x[i]
	}
}

func quarter(a, b, c, d *uint32) {
	*b ^= bits.RotateLeft32(*a+*d, 7)
	*c ^= bits.RotateLeft32(*b+*a, 9)
	*d ^= bits.RotateLeft32(*c+*b, 13)
	*a ^= bits.RotateLeft32(*d+*c, 18)
}
