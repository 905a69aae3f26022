package nodecrypto

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

// ripemd160 is the hash RIPEMD-160, which Go's library does not have. Old formats use it: Bitcoin's addresses are the
// best known.
//
// https://homes.esat.kuleuven.be/~bosselae/ripemd160/pdf/AB-9601/AB-9601.pdf
type ripemd160 struct {
	sum    [5]uint32
	rest   [64]byte // bytes that are not a whole block yet
	length uint64   // of all that has been written, in bytes
}

func newRIPEMD160() hash.Hash {
	h := &ripemd160{}
	h.Reset()
	return h
}

func (*ripemd160) Size() int      { return 20 }
func (*ripemd160) BlockSize() int { return 64 }
func (h *ripemd160) Reset() {
	*h = ripemd160{sum: [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}}
}

func (h *ripemd160) Write(data []byte) (int, error) {
	n := len(data)
	used := int(h.length % 64)
	h.length += uint64(n)
	if used > 0 {
		copied := copy(h.rest[used:], data)
		data = data[copied:]
		if used+copied < 64 {
			return n, nil
		}
		h.block(h.rest[:])
	}
	for ; len(data) >= 64; data = data[64:] {
		h.block(data[:64])
	}
	copy(h.rest[:], data)
	return n, nil
}

func (h *ripemd160) Sum(out []byte) []byte {
	c := *h
	padding := [72]byte{0x80}
	size := 1 + (119-int(c.length%64))%64
	binary.LittleEndian.PutUint64(padding[size:], 8*c.length)
	c.Write(padding[:size+8])
	for _, word := range c.sum {
		out = binary.LittleEndian.AppendUint32(out, word)
	}
	return out
}

// AppendBinary implements [encoding.BinaryAppender].
func (h *ripemd160) AppendBinary(b []byte) ([]byte, error) {
	for _, word := range h.sum {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	b = append(b, h.rest[:]...)
	return binary.LittleEndian.AppendUint64(b, h.length), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (h *ripemd160) UnmarshalBinary(b []byte) error {
	if len(b) != 20+64+8 {
		return ErrState
	}
	for i := range h.sum {
		h.sum[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	copy(h.rest[:], b[20:])
	h.length = binary.LittleEndian.Uint64(b[84:])
	return nil
}

// The order of the words of a block, the distances of rotation and the constants, of the left and the right line. Each
// row is a round.
var (
	ripemdWords = [2][80]byte{{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
		3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
		1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
		4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
	}, {
		5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
		6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
		15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
		8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
		12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
	}}
	ripemdTurns = [2][80]byte{{
		11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
		7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
		11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
		11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
		9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
	}, {
		8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
		9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
		9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
		15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
		8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
	}}
	ripemdConstants = [2][5]uint32{
		{0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e},
		{0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0},
	}
)

func (h *ripemd160) block(data []byte) {
	var words [16]uint32
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	var lines [2][5]uint32
	for side := range lines {
		a, b, c, d, e := h.sum[0], h.sum[1], h.sum[2], h.sum[3], h.sum[4]
		for i := range 80 {
			round := i / 16
			function := round
			if side == 1 {
				function = 4 - round
			}
			var f uint32
			switch function {
			case 0:
				f = b ^ c ^ d
			case 1:
				f = b&c | ^b&d
			case 2:
				f = (b | ^c) ^ d
			case 3:
				f = b&d | c&^d
			case 4:
				f = b ^ (c | ^d)
			}
			t := a + f + words[ripemdWords[side][i]] + ripemdConstants[side][round]
			t = bits.RotateLeft32(t, int(ripemdTurns[side][i])) + e
			a, e, d, c, b = e, d, bits.RotateLeft32(c, 10), b, t
		}
		lines[side] = [5]uint32{a, b, c, d, e}
	}
	l, r := lines[0], lines[1]
	h.sum = [5]uint32{
		h.sum[1] + l[2] + r[3], h.sum[2] + l[3] + r[4], h.sum[3] + l[4] + r[0], h.sum[4] + l[0] + r[1],
		h.sum[0] + l[1] + r[2],
	}
}
