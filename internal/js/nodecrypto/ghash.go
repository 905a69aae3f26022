package nodecrypto

import (
	"crypto/cipher"
	"encoding/binary"
)

// ghashCost is how often each byte counts that goes through GHASH, which is slower here than in assembly.
const ghashCost = 8

// ghash is the hash of GCM, which Go's library has only for all data at once. It takes bytes four bits at a time, from
// a table of multiples of the key. The time depends on the data by way of the processor's cache: whoever can measure
// that shares the machine's memory with the sandbox.
//
// A polynomial's bits lie in two words, the coefficient of x^0 in the highest bit.
type ghash struct {
	table     [16][2]uint64
	high, low uint64
	block     [16]byte
	pending   int // bytes in block
}

// reductions is what the four bits that are shifted out at the low end come to at the high end.
var reductions = func() (t [16]uint64) {
	for i := range t {
		v := uint64(i)
		var r uint64
		for bit := range 4 {
			if v&(1<<bit) != 0 {
				r ^= 0xe1 << 56 >> (3 - bit)
			}
		}
		t[i] = r
	}
	return t
}()

func newGHASH(block cipher.Block) *ghash {
	var key [16]byte
	block.Encrypt(key[:], key[:])
	g := &ghash{}
	// The index's highest bit is the coefficient of x^0.
	v := [2]uint64{binary.BigEndian.Uint64(key[:]), binary.BigEndian.Uint64(key[8:])}
	for i := 8; i > 0; i /= 2 {
		g.table[i] = v
		carry := v[1] & 1
		v = [2]uint64{v[0]>>1 ^ carry*(0xe1<<56), v[1]>>1 | v[0]<<63}
	}
	for i := 2; i < 16; i *= 2 {
		for j := 1; j < i; j++ {
			g.table[i+j] = [2]uint64{g.table[i][0] ^ g.table[j][0], g.table[i][1] ^ g.table[j][1]}
		}
	}
	return g
}

func (g *ghash) write(data []byte) {
	if g.pending > 0 {
		n := copy(g.block[g.pending:], data)
		data = data[n:]
		if g.pending += n; g.pending < 16 {
			return
		}
		g.add(g.block[:])
		g.pending = 0
	}
	for ; len(data) >= 16; data = data[16:] {
		g.add(data)
	}
	g.pending = copy(g.block[:], data)
}

// pad fills a block that has begun with zeros.
func (g *ghash) pad() {
	if g.pending > 0 {
		clear(g.block[g.pending:])
		g.add(g.block[:])
		g.pending = 0
	}
}

// lengths adds the last block: two lengths in bytes.
func (g *ghash) lengths(a, b uint64) {
	binary.BigEndian.PutUint64(g.block[:], 8*a)
	binary.BigEndian.PutUint64(g.block[8:], 8*b)
	g.add(g.block[:])
}

// add adds a block and multiplies by the key.
func (g *ghash) add(block []byte) {
	high, low := g.high^binary.BigEndian.Uint64(block), g.low^binary.BigEndian.Uint64(block[8:])
	var zh, zl uint64
	for _, word := range [2]uint64{low, high} {
		for range 16 {
			zh, zl = zh>>4^reductions[zl&15], zl>>4|zh<<60
			t := &g.table[word&15]
			zh, zl = zh^t[0], zl^t[1]
			word >>= 4
		}
	}
	g.high, g.low = zh, zl
}

func (g *ghash) sum() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, g.high), g.low)
}
