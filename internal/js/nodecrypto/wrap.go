package nodecrypto

import (
	"crypto/aes"
	"crypto/subtle"
	"encoding/binary"
)

// WrapIV is the initial value of AES-KW that RFC 3394 gives, and paddedWrapIV that of AES-KWP in RFC 5649.
var (
	WrapIV       = [8]byte{0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6}
	paddedWrapIV = [4]byte{0xa6, 0x59, 0x59, 0xa6}
)

// wrapCost is what a round of AES-KW takes, of which there are six: it encrypts a block for each 8 bytes.
const wrapCost = 16

// WrapKey encrypts data by AES-KW with an initial value of 8 bytes, or by AES-KWP with one of 4. AES-KW needs data
// whose length is a multiple of 8 and at least 16, AES-KWP any but none. The error is that of work, ErrKey or ErrIV.
func WrapKey(key, iv, data []byte, work Work) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, ErrKey
	}
	padded := len(iv) == len(paddedWrapIV)
	switch {
	case !padded && len(iv) != len(WrapIV):
		return nil, ErrIV
	case padded && (len(data) == 0 || uint64(len(data)) > 1<<32-1), !padded && (len(data)%8 != 0 || len(data) < 16):
		return nil, ErrKey
	}
	if err := work(wrapCost); err != nil {
		return nil, err
	}
	out := make([]byte, 8+(len(data)+7)/8*8)
	copy(out, iv)
	if padded {
		binary.BigEndian.PutUint32(out[4:], uint32(len(data)))
	}
	copy(out[8:], data)
	if len(out) == 16 {
		block.Encrypt(out, out)
		return out, nil
	}
	n := len(out)/8 - 1
	var b [16]byte
	copy(b[:8], out)
	for round := range 6 {
		if err := work(wrapCost * len(out)); err != nil {
			return nil, err
		}
		for i := 1; i <= n; i++ {
			copy(b[8:], out[8*i:])
			block.Encrypt(b[:], b[:])
			binary.BigEndian.PutUint64(b[:], binary.BigEndian.Uint64(b[:])^uint64(n*round+i))
			copy(out[8*i:], b[8:])
		}
	}
	copy(out, b[:8])
	return out, nil
}

// UnwrapKey decrypts what WrapKey has made with the same key and initial value. The error is ErrKey if it has not.
func UnwrapKey(key, iv, data []byte, work Work) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, ErrKey
	}
	padded := len(iv) == len(paddedWrapIV)
	switch {
	case !padded && len(iv) != len(WrapIV):
		return nil, ErrIV
	case len(data)%8 != 0 || len(data) < 16 || !padded && len(data) < 24:
		return nil, ErrKey
	}
	if err := work(wrapCost); err != nil {
		return nil, err
	}
	out := append([]byte(nil), data...)
	if len(out) == 16 {
		block.Decrypt(out, out)
	} else {
		n := len(out)/8 - 1
		var b [16]byte
		copy(b[:8], out)
		for round := 5; round >= 0; round-- {
			if err := work(wrapCost * len(out)); err != nil {
				return nil, err
			}
			for i := n; i >= 1; i-- {
				binary.BigEndian.PutUint64(b[:], binary.BigEndian.Uint64(b[:])^uint64(n*round+i))
				copy(b[8:], out[8*i:])
				block.Decrypt(b[:], b[:])
				copy(out[8*i:], b[8:])
			}
		}
		copy(out, b[:8])
	}
	check, out := out[:8], out[8:]
	valid := subtle.ConstantTimeCompare(check[:len(iv)], iv)
	size := len(out)
	if padded {
		size = int(binary.BigEndian.Uint32(check[4:]))
		if size <= len(out)-8 || size > len(out) {
			return nil, ErrKey
		}
		valid &= subtle.ConstantTimeCompare(out[size:], make([]byte, len(out)-size))
	}
	if valid != 1 {
		return nil, ErrKey
	}
	return out[:size], nil
}
