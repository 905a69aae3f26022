package crypto

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/internal/js/nodecrypto"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Keys of pairs for crypto.subtle. The guest holds them as PKCS #8 or SubjectPublicKeyInfo, in buffers that scripts do
// not get; but whatever a buffer holds does no harm. A result of undefined means that a key is not valid, or that the
// operation has failed, which crypto.subtle does not tell apart.

// pairWork is charged for every operation, in bytes: it is what one with an elliptic curve takes.
const pairWork = 256 << 10

// withPair does an operation with copies of buffers, which may take long, apart from the run. bits tell how long.
func withPair[T any](c *host.Call, bits int, f func(buffers [][]byte) (T, error), buffers ...[]byte) (T, error) {
	size := 0
	copies := make([][]byte, len(buffers))
	for i, b := range buffers {
		size += len(b)
		copies[i] = bytes.Clone(b)
	}
	if err := c.Spend(4*size + pairWork + nodecrypto.PairWork(bits)); err != nil {
		var none T
		return none, err
	}
	return host.Await(c, func() (T, error) { return f(copies) })
}

// keyBits bounds the work of an operation by the size of a key: no modulus is longer than its encoding.
func keyBits(der []byte) int { return min(4*len(der), nodecrypto.MaxModulus) }

// returnPair returns a value, or undefined if there is an error because of what the script gave.
func returnPair(c *host.Call, value any, err error) {
	if !errors.Is(err, nodecrypto.ErrPair) && !errors.Is(err, nodecrypto.ErrKey) && !errors.Is(err, nodecrypto.ErrIV) {
		c.Return(value, err)
	}
}

func generate(c *host.Call) {
	kind, bits := c.Name(0), c.Number(1)
	if bits < 0 || bits > nodecrypto.MaxGeneratedModulus || c.Spend(pairWork+nodecrypto.GenerateWork(bits)) != nil {
		return
	}
	der, err := host.Await(c, func() ([]byte, error) { return nodecrypto.GeneratePair(kind, bits) })
	returnPair(c, der, err)
}

// A described is a key that was read.
type described struct {
	info nodecrypto.PairInfo
	der  []byte
}

// returnDescribed returns a key's description; the key is the attachment.
func returnDescribed(c *host.Call, read described, err error) {
	if err == nil {
		c.Attachment = read.der
	}
	returnPair(c, read.info, err)
}

func read(c *host.Call) {
	form, key := c.Name(0), c.Bytes(1)
	read, err := withPair(c, keyBits(key), func(data [][]byte) (r described, err error) {
		switch form {
		case "pkcs8", "spki":
			r.info, r.der, err = nodecrypto.ReadPair(data[0], form == "pkcs8")
		default:
			r.info, r.der, err = nodecrypto.RawPair(form, data[0])
		}
		return r, err
	}, key)
	returnDescribed(c, read, err)
}

// maxJWK is the longest key as JSON, in bytes.
const maxJWK = 64 << 10

func fromJWK(c *host.Call) {
	text := []byte(c.ShortText(0, maxJWK))
	var jwk nodecrypto.JWK
	if json.Unmarshal(text, &jwk) != nil {
		return
	}
	read, err := withPair(c, min(6*len(jwk.N), nodecrypto.MaxModulus), func([][]byte) (r described, err error) {
		r.info, r.der, err = nodecrypto.FromJWK(jwk)
		return r, err
	}, text)
	returnDescribed(c, read, err)
}

func toJWK(c *host.Call) {
	private, key := c.Name(0) == "private", c.Bytes(1)
	jwk, err := withPair(c, keyBits(key), func(data [][]byte) (nodecrypto.JWK, error) {
		return nodecrypto.ToJWK(data[0], private)
	}, key)
	returnPair(c, jwk, err)
}

// pairOperations have a scheme as JSON and up to three buffers.
var pairOperations = map[string]struct {
	buffers int
	do      func(scheme nodecrypto.Scheme, data [][]byte) ([]byte, error)
}{
	"public": {1, func(_ nodecrypto.Scheme, data [][]byte) ([]byte, error) { return nodecrypto.PublicOf(data[0]) }},
	"point":  {1, func(_ nodecrypto.Scheme, data [][]byte) ([]byte, error) { return nodecrypto.PointOf(data[0]) }},
	"agree": {2, func(_ nodecrypto.Scheme, data [][]byte) ([]byte, error) {
		return nodecrypto.Agree(data[0], data[1])
	}},
	"sign": {2, func(s nodecrypto.Scheme, data [][]byte) ([]byte, error) { return s.Sign(data[0], data[1]) }},
	"verify": {3, func(s nodecrypto.Scheme, data [][]byte) ([]byte, error) {
		ok, err := s.Verify(data[0], data[1], data[2])
		if err != nil || !ok {
			return []byte{0}, err
		}
		return []byte{1}, nil
	}},
	"encrypt": {3, func(s nodecrypto.Scheme, data [][]byte) ([]byte, error) {
		return s.Encrypt(data[0], data[1], data[2])
	}},
	"decrypt": {3, func(s nodecrypto.Scheme, data [][]byte) ([]byte, error) {
		return s.Decrypt(data[0], data[1], data[2])
	}},
}

func do(c *host.Call) {
	operation, ok := pairOperations[c.Name(0)]
	var scheme nodecrypto.Scheme
	if !ok || json.Unmarshal([]byte(c.Name(1)), &scheme) != nil {
		c.Fail(host.Errorf("unknown operation of keys"))
		return
	}
	if scheme.Salt < 0 || scheme.Salt > 1<<16 {
		return
	}
	buffers := make([][]byte, operation.buffers)
	for i := range buffers {
		buffers[i] = c.Bytes(2 + i)
	}
	out, err := withPair(c, keyBits(buffers[0]), func(data [][]byte) ([]byte, error) {
		return operation.do(scheme, data)
	}, buffers...)
	returnPair(c, out, err)
}
