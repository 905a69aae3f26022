package nodecrypto

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/subtle"
	"encoding/binary"
	"errors"
)

// A Mode is a block cipher and a way to use it. It is AES where the name does not say otherwise.
type Mode byte

// The modes. Those that encrypt whole blocks are with PKCS #7's padding, or none.
const (
	CBC Mode = iota + 1
	CTR
	GCM
	ECB
	TripleCBC // of triple DES
	TripleECB

	lastMode = TripleECB
)

// triple reports whether the cipher is triple DES.
func (m Mode) triple() bool { return m == TripleCBC || m == TripleECB }

// whole reports whether only whole blocks are encrypted.
func (m Mode) whole() bool { return m != CTR && m != GCM }

// electronic reports whether each block is encrypted by itself.
func (m Mode) electronic() bool { return m == ECB || m == TripleECB }

// fitsIV reports whether an initialization vector can have a length.
func (m Mode) fitsIV(length int) bool {
	switch m {
	case GCM:
		return length > 0
	case ECB, TripleECB:
		return length == 0
	case TripleCBC:
		return length == des.BlockSize
	}
	return length == aes.BlockSize
}

// tripleCost is how much longer triple DES takes than AES, which processors have instructions for.
const tripleCost = 64

// Errors of ciphers.
var (
	ErrKey         = errors.New("invalid length of a key")
	ErrIV          = errors.New("invalid initialization vector")
	ErrBlockLength = errors.New("wrong final block length")
	ErrPadding     = errors.New("bad decrypt")
)

// A state of a cipher has fields at fixed places.
const (
	stateMode    = 0  // a byte
	stateDecrypt = 1  // a byte: 1 to decrypt
	stateKeySize = 2  // a byte
	statePending = 3  // a byte: how many bytes wait in stateBlock
	stateKey     = 4  // up to 32 bytes
	stateIV      = 36 // 16 bytes: the last block of CBC (8 of triple DES), the first counter of CTR and GCM
	stateCount   = 52 // 8 bytes: the bytes of data so far
	stateAAD     = 60 // 8 bytes: those of additional data
	stateHash    = 68 // 16 bytes: of GCM
	stateBlock   = 84 // 16 bytes: what is no whole block yet, of data or of GCM's hash
	stateSize    = 100
)

// A Cipher is the state of a cipher: bytes that its methods change. Its methods fail with ErrState if they are not.
type Cipher []byte

// NewCipher begins to encrypt or decrypt. The key has 16, 24 or 32 bytes, for triple DES 24; the initialization vector
// has the size of a block, for GCM any but zero, and for ECB it is empty.
func NewCipher(mode Mode, decrypt bool, key, iv []byte, work Work) (Cipher, error) {
	if len(key) != 24 && (mode.triple() || len(key) != 16 && len(key) != 32) {
		return nil, ErrKey
	}
	if mode < CBC || mode > lastMode || !mode.fitsIV(len(iv)) {
		return nil, ErrIV
	}
	if err := work(stateSize); err != nil {
		return nil, err
	}
	c := make(Cipher, stateSize)
	c[stateMode] = byte(mode)
	if decrypt {
		c[stateDecrypt] = 1
	}
	c[stateKeySize] = byte(len(key))
	copy(c[stateKey:], key)
	switch {
	case mode != GCM:
		copy(c[stateIV:], iv)
	case len(iv) == 12:
		copy(c[stateIV:], iv)
		c[stateIV+15] = 1
	default: // the counter is the hash of the vector
		block, err := c.open()
		if err != nil {
			return nil, err
		}
		g := newGHASH(block)
		if err := inPieces(iv, ghashCost, work, func(piece []byte) { g.write(piece) }); err != nil {
			return nil, err
		}
		g.pad()
		g.lengths(0, uint64(len(iv)))
		copy(c[stateIV:], g.sum())
	}
	return c, nil
}

// open returns the block cipher of a state.
func (c Cipher) open() (cipher.Block, error) {
	if len(c) != stateSize || c[stateMode] < byte(CBC) || c[stateMode] > byte(lastMode) || c[stateKeySize] > 32 {
		return nil, ErrState
	}
	open := aes.NewCipher
	if Mode(c[stateMode]).triple() {
		open = des.NewTripleDESCipher
	}
	block, err := open(c[stateKey:][:c[stateKeySize]])
	if err != nil || int(c[statePending]) > block.BlockSize() {
		return nil, ErrState
	}
	return block, nil
}

func (c Cipher) field(at int) []byte { return c[at : at+16] }

// add adds to a count in the state.
func (c Cipher) add(at, n int) {
	binary.LittleEndian.PutUint64(c[at:], binary.LittleEndian.Uint64(c[at:])+uint64(n))
}

// Additional adds data that GCM authenticates and does not encrypt. It must come before all other data.
func (c Cipher) Additional(data []byte, work Work) error {
	block, err := c.open()
	if err != nil {
		return err
	}
	if Mode(c[stateMode]) != GCM || binary.LittleEndian.Uint64(c[stateCount:]) != 0 {
		return ErrState
	}
	g := c.ghash(block)
	c.add(stateAAD, len(data))
	if err := inPieces(data, ghashCost, work, func(piece []byte) { g.write(piece) }); err != nil {
		return err
	}
	c.keep(g)
	return nil
}

// Update encrypts or decrypts data. Modes of whole blocks hold back an incomplete block, and the last one if that may
// be padding.
func (c Cipher) Update(data []byte, padded bool, work Work) ([]byte, error) {
	block, err := c.open()
	if err != nil {
		return nil, err
	}
	if err := work(stateSize); err != nil {
		return nil, err
	}
	if Mode(c[stateMode]).whole() {
		return c.blocks(block, data, padded, work)
	}
	out := make([]byte, 0, len(data))
	var g *ghash
	cost := 2
	if Mode(c[stateMode]) == GCM {
		cost += ghashCost
		g = c.ghash(block)
		if binary.LittleEndian.Uint64(c[stateCount:]) == 0 { // the additional data ends here
			g.pad()
		}
	}
	err = inPieces(data, cost, work, func(piece []byte) {
		if g != nil && c[stateDecrypt] == 1 {
			g.write(piece)
		}
		start := len(out)
		out = append(out, piece...)
		c.stream(block, out[start:])
		if g != nil && c[stateDecrypt] == 0 {
			g.write(out[start:])
		}
		c.add(stateCount, len(piece))
	})
	if err != nil {
		return nil, err
	}
	if g != nil {
		c.keep(g)
	}
	return out, nil
}

// stream adds the cipher's stream to data, from where the state stands.
func (c Cipher) stream(block cipher.Block, data []byte) {
	at := binary.LittleEndian.Uint64(c[stateCount:])
	counter := [16]byte(c.field(stateIV))
	blocks := at / 16
	if Mode(c[stateMode]) == GCM {
		blocks++ // the first one is for the tag
		for skip := int(at % 16); len(data) > 0; skip = 0 {
			// GCM's counter has 32 bits, that of Go's CTR has 128.
			low := binary.BigEndian.Uint32(counter[12:])
			from := low + uint32(blocks)
			part := data[:min(uint64(len(data)), (1<<32-uint64(from))*16-uint64(skip))]
			next := counter
			binary.BigEndian.PutUint32(next[12:], from)
			xor(block, next, skip, part)
			blocks += uint64(len(part)+skip) / 16
			data = data[len(part):]
		}
		return
	}
	high, low := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	if low+blocks < low {
		high++
	}
	binary.BigEndian.PutUint64(counter[:], high)
	binary.BigEndian.PutUint64(counter[8:], low+blocks)
	xor(block, counter, int(at%16), data)
}

// xor adds the stream from a counter to data, without the first bytes of it.
func xor(block cipher.Block, counter [16]byte, skip int, data []byte) {
	s := cipher.NewCTR(block, counter[:])
	var skipped [16]byte
	s.XORKeyStream(skipped[:skip], skipped[:skip])
	s.XORKeyStream(data, data)
}

// blocks is Update for modes of whole blocks.
func (c Cipher) blocks(block cipher.Block, data []byte, padded bool, work Work) ([]byte, error) {
	size := block.BlockSize()
	pending := int(c[statePending])
	all := pending + len(data)
	ready := all - all%size
	if c[stateDecrypt] == 1 && padded && ready == all && ready > 0 {
		ready -= size
	}
	out := make([]byte, 0, all)
	out = append(out, c.field(stateBlock)[:pending]...)
	err := inPieces(data, 2, work, func(piece []byte) { out = append(out, piece...) })
	if err != nil {
		return nil, err
	}
	c[statePending] = byte(copy(c.field(stateBlock), out[ready:]))
	out = out[:ready]
	cost := 2
	if Mode(c[stateMode]).triple() {
		cost = tripleCost
	}
	err = inPieces(out, cost, work, func(piece []byte) { c.crypt(block, piece) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// crypt encrypts or decrypts whole blocks in place.
func (c Cipher) crypt(block cipher.Block, data []byte) {
	size := block.BlockSize()
	iv := c.field(stateIV)[:size]
	switch decrypt := c[stateDecrypt] == 1; {
	case Mode(c[stateMode]).electronic():
		for ; len(data) > 0; data = data[size:] {
			if decrypt {
				block.Decrypt(data[:size], data[:size])
			} else {
				block.Encrypt(data[:size], data[:size])
			}
		}
	case decrypt:
		var next [16]byte
		copy(next[:], data[len(data)-size:])
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
		copy(iv, next[:])
	default:
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
		copy(iv, data[len(data)-size:])
	}
}

// Final returns what is left to come after all data. Modes of whole blocks add padding or remove it.
func (c Cipher) Final(padded bool) ([]byte, error) {
	block, err := c.open()
	if err != nil {
		return nil, err
	}
	if !Mode(c[stateMode]).whole() {
		return nil, nil
	}
	size, pending := block.BlockSize(), int(c[statePending])
	b := make([]byte, size)
	copy(b, c.field(stateBlock))
	if c[stateDecrypt] == 1 {
		if pending%size != 0 || padded && pending == 0 {
			return nil, ErrBlockLength
		}
		if pending == 0 {
			return nil, nil
		}
		c.crypt(block, b)
		if !padded {
			return b, nil
		}
		n := int(b[size-1])
		if n == 0 || n > size {
			return nil, ErrPadding
		}
		for _, p := range b[size-n:] {
			if int(p) != n {
				return nil, ErrPadding
			}
		}
		return b[:size-n], nil
	}
	if !padded {
		if pending != 0 {
			return nil, ErrBlockLength
		}
		return nil, nil
	}
	if pending == size {
		return nil, ErrState
	}
	for i := pending; i < size; i++ {
		b[i] = byte(size - pending)
	}
	c.crypt(block, b)
	return b, nil
}

// Tag returns the 16 bytes by which GCM authenticates all that has been added.
func (c Cipher) Tag() ([]byte, error) {
	block, err := c.open()
	if err != nil {
		return nil, err
	}
	if Mode(c[stateMode]) != GCM {
		return nil, ErrState
	}
	g := c.ghash(block)
	g.pad()
	g.lengths(binary.LittleEndian.Uint64(c[stateAAD:]), binary.LittleEndian.Uint64(c[stateCount:]))
	var tag [16]byte
	block.Encrypt(tag[:], c.field(stateIV))
	subtle.XORBytes(tag[:], tag[:], g.sum())
	return tag[:], nil
}

// ghash returns the hash of GCM as the state has it.
func (c Cipher) ghash(block cipher.Block) *ghash {
	g := newGHASH(block)
	g.high = binary.BigEndian.Uint64(c[stateHash:])
	g.low = binary.BigEndian.Uint64(c[stateHash+8:])
	g.pending = copy(g.block[:], c.field(stateBlock)[:min(c[statePending], 15)])
	return g
}

// keep puts the hash into the state.
func (c Cipher) keep(g *ghash) {
	copy(c[stateHash:], g.sum())
	c[statePending] = byte(copy(c.field(stateBlock), g.block[:g.pending]))
}
