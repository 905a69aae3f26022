package crypto

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/internal/js/nodecrypto"
	"github.com/toolrun/toolrun/internal/kdf"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// The states of hashes and ciphers lie in the guest's memory, in buffers that scripts do not get: a function reads one
// and writes what becomes of it back.

// known makes an error for the script of one that nodecrypto has for wrong input.
func known(err error) error {
	for _, known := range []error{
		nodecrypto.ErrState, nodecrypto.ErrKey, nodecrypto.ErrIV, nodecrypto.ErrBlockLength, nodecrypto.ErrPadding,
		kdf.ErrScrypt,
	} {
		if errors.Is(err, known) {
			return &host.Failure{Name: "Error", Message: err.Error()}
		}
	}
	return err
}

func hashes(c *host.Call) { c.Return(map[string]any{"list": nodecrypto.HashNames()}, nil) }

// stateHeader is how many bytes are in front of the state of a hash: two numbers.
const stateHeader = 8

// begin returns a buffer: the size of the hash's sum, or its complement if it can be any; the size of a block; and the
// state.
func begin(c *host.Call) {
	h := nodecrypto.HashNamed(c.Name(0))
	if h == nil {
		return
	}
	size := int32(h.Size)
	if h.AnySize {
		size = ^size
	}
	data := binary.LittleEndian.AppendUint32(nil, uint32(size))
	data = binary.LittleEndian.AppendUint32(data, uint32(h.Block))
	c.Return(append(data, h.Begin()...), nil)
}

// hashState returns the first argument, which is the state of a hash.
func hashState(c *host.Call) []byte {
	memory := c.Bytes(0)
	if len(memory) < stateHeader {
		c.Fail(known(nodecrypto.ErrState))
		return nil
	}
	return memory[stateHeader:]
}

func update(c *host.Call) { c.Fail(known(nodecrypto.Update(hashState(c), c.View(1), c.Spend))) }

func sum(c *host.Call) {
	sum, err := nodecrypto.Sum(hashState(c), c.Size(1), c.Spend)
	c.Return(sum, known(err))
}

func pbkdf2(c *host.Call) {
	h := nodecrypto.HashNamed(c.Name(0))
	if h == nil {
		return
	}
	sums := h.Sums()
	if sums == nil {
		return
	}
	iterations := c.Number(3)
	if iterations < 1 {
		c.Fail(host.Errorf("the number of iterations must be positive"))
		return
	}
	key, err := kdf.PBKDF2(sums, c.Bytes(1), c.Bytes(2), iterations, c.Size(4), c.Spend)
	c.Return(key, known(err))
}

// scrypt uses memory of the host beside that of the guest, as much as the guest may have at most.
func scrypt(c *host.Call) {
	var n, r, p, most uint64
	if _, err := fmt.Sscanf(c.Name(2), "%d %d %d %d", &n, &r, &p, &most); err != nil {
		c.Fail(known(kdf.ErrScrypt))
		return
	}
	need, ok := kdf.ScryptMemory(n, r, p, most)
	switch {
	case !ok:
		c.Fail(known(kdf.ErrScrypt))
	case need > uint64(c.MemoryLimit()):
		c.Fail(host.ErrNoMemory)
	default:
		key, err := kdf.Scrypt(c.Bytes(0), c.Bytes(1), n, r, p, c.Size(3), most, c.Spend)
		c.Return(key, known(err))
	}
}

var cipherModes = map[string]nodecrypto.Mode{
	"cbc": nodecrypto.CBC, "ctr": nodecrypto.CTR, "gcm": nodecrypto.GCM, "ecb": nodecrypto.ECB,
	"des-ede3-cbc": nodecrypto.TripleCBC, "des-ede3": nodecrypto.TripleECB,
}

func cipher(c *host.Call) {
	state, err := nodecrypto.NewCipher(cipherModes[c.Name(0)], c.Flag(1), c.Bytes(2), c.Bytes(3), c.Spend)
	c.Return([]byte(state), known(err))
}

func add(c *host.Call) { c.Fail(known(nodecrypto.Cipher(c.Bytes(0)).Additional(c.View(1), c.Spend))) }

func convert(c *host.Call) {
	out, err := nodecrypto.Cipher(c.Bytes(0)).Update(c.View(1), c.Flag(4), c.Spend)
	c.Return(out, known(err))
}

func final(c *host.Call) {
	state := c.Bytes(0)
	out, err := nodecrypto.Cipher(state).Final(c.Flag(1))
	c.Spend(len(state))
	c.Return(out, known(err))
}

func tag(c *host.Call) {
	state := c.Bytes(0)
	tag, err := nodecrypto.Cipher(state).Tag()
	c.Spend(len(state))
	c.Return(tag, known(err))
}

// wrap encrypts a key by AES-KW, or decrypts it.
func wrap(c *host.Call) {
	convert := nodecrypto.WrapKey
	if c.Flag(0) {
		convert = nodecrypto.UnwrapKey
	}
	data, err := convert(c.Bytes(1), c.Bytes(2), c.Bytes(3), c.Spend)
	returnPair(c, data, err)
}

// maxRandom is how many random bytes there are at once.
const maxRandom = 1 << 16

// random returns so many random bytes.
func random(c *host.Call) {
	n, ok := c.Int(0)
	if !ok || n < 0 || n > maxRandom {
		c.Fail(host.Errorf("invalid number of random bytes"))
		return
	}
	if c.Spend(n) != nil {
		return
	}
	data := make([]byte, n)
	if err := c.Instance.Random(data); err != nil {
		c.End(err)
		return
	}
	c.Return(data, nil)
}
