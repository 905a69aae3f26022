package nodecrypto

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding"
	"hash"
	"io"
	"strings"
)

// A Hash describes a hash function.
type Hash struct {
	name  string // as Node lists it
	Size  int    // of the sum, in bytes; for one that can be of any size, what it is without a choice
	Block int    // the size of a block, in bytes, for HMAC

	// AnySize is true if the sum can have any size.
	AnySize bool

	id    byte // the first byte of its states
	begin func() accumulator
}

// An accumulator is a hash in Go's library.
type accumulator interface {
	io.Writer
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

var hashes = func() []*Hash {
	of := func(f func() hash.Hash) func() accumulator {
		return func() accumulator { return f().(accumulator) }
	}
	return []*Hash{
		{name: "md5", begin: of(md5.New)},
		{name: "ripemd160", begin: of(newRIPEMD160)},
		{name: "sha1", begin: of(sha1.New)},
		{name: "sha224", begin: of(sha256.New224)},
		{name: "sha256", begin: of(sha256.New)},
		{name: "sha384", begin: of(sha512.New384)},
		{name: "sha512", begin: of(sha512.New)},
		{name: "sha512-224", begin: of(sha512.New512_224)},
		{name: "sha512-256", begin: of(sha512.New512_256)},
		{name: "sha3-224", begin: func() accumulator { return sha3.New224() }},
		{name: "sha3-256", begin: func() accumulator { return sha3.New256() }},
		{name: "sha3-384", begin: func() accumulator { return sha3.New384() }},
		{name: "sha3-512", begin: func() accumulator { return sha3.New512() }},
		{name: "shake128", Size: 16, AnySize: true, begin: func() accumulator { return sha3.NewSHAKE128() }},
		{name: "shake256", Size: 32, AnySize: true, begin: func() accumulator { return sha3.NewSHAKE256() }},
	}
}()

// hashNames finds hashes by their names, and by further names that OpenSSL has for them.
var hashNames = func() map[string]*Hash {
	names := map[string]*Hash{}
	for i, h := range hashes {
		h.id = byte(i + 1)
		switch a := h.begin().(type) {
		case hash.Hash:
			h.Size, h.Block = a.Size(), a.BlockSize()
		case *sha3.SHAKE:
			h.Block = a.BlockSize()
		}
		names[h.name] = h
		names["rsa-"+h.name] = h
		// SHA-1 and SHA-2
		if digits, ok := strings.CutPrefix(h.name, "sha"); ok && !strings.HasPrefix(digits, "3-") && digits[0] != 'k' {
			names["sha-"+digits] = h
			names["sha2-"+digits] = h
			names[strings.Replace(h.name, "-", "/", 1)] = h
			names["sha-"+strings.Replace(digits, "-", "/", 1)] = h
		}
	}
	names["ripemd"], names["rmd160"] = names["ripemd160"], names["ripemd160"]
	names["shake-128"], names["shake-256"] = names["shake128"], names["shake256"]
	delete(names, "sha2-1")
	return names
}()

// HashNamed returns the hash that OpenSSL has under a name, in upper or lower case, or nil.
func HashNamed(name string) *Hash { return hashNames[strings.ToLower(name)] }

// HashNames returns the names of all hashes, one each.
func HashNames() []string {
	names := make([]string, len(hashes))
	for i, h := range hashes {
		names[i] = h.name
	}
	return names
}

// Begin returns the state of the hash before any bytes.
func (h *Hash) Begin() []byte { return h.state(h.begin()) }

func (h *Hash) state(a accumulator) []byte {
	state, err := a.AppendBinary([]byte{h.id})
	if err != nil { // the hashes of Go's library do not fail
		panic(err)
	}
	return state
}

// open returns the hash that a state belongs to.
func open(state []byte) (*Hash, accumulator, error) {
	if len(state) == 0 || state[0] == 0 || int(state[0]) > len(hashes) {
		return nil, nil, ErrState
	}
	h := hashes[state[0]-1]
	a := h.begin()
	if err := a.UnmarshalBinary(state[1:]); err != nil {
		return nil, nil, ErrState
	}
	switch a.(type) {
	case *sha3.SHA3, *sha3.SHAKE: // the last byte says that it has been read, after which Go's library panics
		if state[len(state)-1] != 0 {
			return nil, nil, ErrState
		}
	}
	return h, a, nil
}

// Update adds data to the hash whose state it gets, and changes the state. The error is that of work or ErrState, and
// then the state is as it was.
func Update(state, data []byte, work Work) error {
	h, a, err := open(state)
	if err != nil {
		return err
	}
	if err := work(len(state)); err != nil {
		return err
	}
	if err := inPieces(data, 1, work, func(piece []byte) { a.Write(piece) }); err != nil { // hashes do not fail
		return err
	}
	if next := h.state(a); len(next) != len(state) || copy(state, next) != len(state) {
		return ErrState
	}
	return nil
}

// Sum returns the hash of what has been added to a state, which it does not change. The size counts only for hashes
// that can have any.
func Sum(state []byte, size int, work Work) ([]byte, error) {
	_, a, err := open(state)
	if err != nil {
		return nil, err
	}
	if err := work(len(state)); err != nil {
		return nil, err
	}
	switch a := a.(type) {
	case *sha3.SHAKE:
		if size < 0 {
			return nil, ErrState
		}
		sum := make([]byte, size)
		err := inPieces(sum, 1, work, func(piece []byte) { a.Read(piece) }) // does not fail
		return sum, err
	case hash.Hash:
		return a.Sum(nil), nil
	}
	return nil, ErrState
}

// Sums returns a function that makes hashes of the kind for HMAC, or nil if its sums can have any size.
func (h *Hash) Sums() func() hash.Hash {
	if h.AnySize {
		return nil
	}
	return func() hash.Hash { return h.begin().(hash.Hash) }
}
