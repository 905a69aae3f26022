package javascript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/nodecrypto"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// Keys of pairs for crypto.subtle. The guest holds them as PKCS #8 or SubjectPublicKeyInfo, in buffers that scripts do
// not get; but whatever a buffer holds does no harm. A result of undefined means that a key is not valid, or that the
// operation has failed, which crypto.subtle does not tell apart.

// pairWork is charged for every operation, in bytes: it is what one with an elliptic curve takes.
const pairWork = 256 << 10

// withPair does an operation with copies of buffers, which may take long, apart from the run. bits tell how long.
func withPair[T any](in *instance, bits int, buffers [][]byte,
	f func(buffers [][]byte) (T, error)) (result T, err error) {
	size := 0
	copies := make([][]byte, len(buffers))
	for i, b := range buffers {
		size += len(b)
		copies[i] = bytes.Clone(b)
	}
	if err := in.Spend(4*size + pairWork + nodecrypto.PairWork(bits)); err != nil {
		return result, err
	}
	return sandbox.Await(in.run.Run, func() (T, error) { return f(copies) })
}

// keyBits bounds the work of an operation by the size of a key: no modulus is longer than its encoding.
func keyBits(der []byte) int { return min(4*len(der), nodecrypto.MaxModulus) }

// buffers returns arguments that are whole buffers.
func (in *instance) buffers(args arguments, i, n int) ([][]byte, error) {
	found := make([][]byte, n)
	for j := range n {
		data, ok := args.bytes(i + j)
		if !ok {
			return nil, failf("the bytes must be ArrayBuffers")
		}
		found[j] = data
	}
	return found, nil
}

// pairResult makes what the guest gets of bytes or an error.
func (in *instance) pairResult(ctx context.Context, data []byte, err error) (quickjs.Value, error) {
	if errors.Is(err, nodecrypto.ErrPair) || errors.Is(err, nodecrypto.ErrKey) || errors.Is(err, nodecrypto.ErrIV) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	return in.vm.NewArrayBuffer(ctx, data)
}

func (in *instance) pairGenerate(ctx context.Context, args arguments) (quickjs.Value, error) {
	kind, _, _ := args.text(firstWeb, maxName)
	bits, _ := args.int(firstWeb + 1)
	if bits < 0 || bits > nodecrypto.MaxGeneratedModulus {
		return quickjs.Undefined, nil
	}
	if err := in.Spend(pairWork + nodecrypto.GenerateWork(bits)); err != nil {
		return 0, err
	}
	der, err := sandbox.Await(in.run.Run, func() ([]byte, error) { return nodecrypto.GeneratePair(kind, bits) })
	return in.pairResult(ctx, der, err)
}

// readPair is a key that was read.
type readPair struct {
	info nodecrypto.PairInfo
	der  []byte
}

// described returns a key's description; the key is the attachment.
func (in *instance) described(ctx context.Context, read readPair, err error) (quickjs.Value, error) {
	if errors.Is(err, nodecrypto.ErrPair) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	in.run.attachment = read.der
	return in.webObject(ctx, read.info)
}

func (in *instance) pairRead(ctx context.Context, args arguments) (quickjs.Value, error) {
	form, _, _ := args.text(firstWeb, maxName)
	found, err := in.buffers(args, firstWeb+1, 1)
	if err != nil {
		return 0, err
	}
	read, err := withPair(in, keyBits(found[0]), found, func(data [][]byte) (r readPair, err error) {
		switch form {
		case "pkcs8", "spki":
			r.info, r.der, err = nodecrypto.ReadPair(data[0], form == "pkcs8")
		default:
			r.info, r.der, err = nodecrypto.RawPair(form, data[0])
		}
		return r, err
	})
	return in.described(ctx, read, err)
}

func (in *instance) pairFromJWK(ctx context.Context, args arguments) (quickjs.Value, error) {
	text, cut, ok := args.text(firstWeb, 64<<10)
	var jwk nodecrypto.JWK
	if !ok || cut > 0 || json.Unmarshal([]byte(text), &jwk) != nil {
		return quickjs.Undefined, nil
	}
	read, err := withPair(in, min(6*len(jwk.N),
		nodecrypto.MaxModulus), [][]byte{[]byte(text)}, func([][]byte) (r readPair, err error) {
		r.info, r.der, err = nodecrypto.FromJWK(jwk)
		return r, err
	})
	return in.described(ctx, read, err)
}

func (in *instance) pairToJWK(ctx context.Context, args arguments) (quickjs.Value, error) {
	form, _, _ := args.text(firstWeb, maxName)
	found, err := in.buffers(args, firstWeb+1, 1)
	if err != nil {
		return 0, err
	}
	jwk, err := withPair(in, keyBits(found[0]), found, func(data [][]byte) (nodecrypto.JWK, error) {
		return nodecrypto.ToJWK(data[0], form == "private")
	})
	if errors.Is(err, nodecrypto.ErrPair) {
		return quickjs.Undefined, nil
	}
	if err != nil {
		return 0, err
	}
	return in.webObject(ctx, jwk)
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

func (in *instance) pairDo(ctx context.Context, args arguments) (quickjs.Value, error) {
	name, _, _ := args.text(firstWeb, maxName)
	text, _, _ := args.text(firstWeb+1, maxName)
	operation, ok := pairOperations[name]
	var scheme nodecrypto.Scheme
	if !ok || json.Unmarshal([]byte(text), &scheme) != nil {
		return 0, failf("unknown operation of keys")
	}
	if scheme.Salt < 0 || scheme.Salt > 1<<16 {
		return quickjs.Undefined, nil
	}
	found, err := in.buffers(args, firstWeb+2, operation.buffers)
	if err != nil {
		return 0, err
	}
	out, err := withPair(in, keyBits(found[0]), found, func(data [][]byte) ([]byte, error) {
		return operation.do(scheme, data)
	})
	return in.pairResult(ctx, out, err)
}

// cryptoWrap encrypts a key by AES-KW, or decrypts it.
func (in *instance) cryptoWrap(ctx context.Context, args arguments) (quickjs.Value, error) {
	unwrap, _ := args.int(firstWeb)
	key, iv, err := in.twoBuffers(args, firstWeb+1)
	if err != nil {
		return 0, err
	}
	data, ok := args.bytes(firstWeb + 3)
	if !ok {
		return 0, failf("the bytes must be ArrayBuffers")
	}
	if unwrap == 1 {
		data, err = nodecrypto.UnwrapKey(key, iv, data, in.Spend)
	} else {
		data, err = nodecrypto.WrapKey(key, iv, data, in.Spend)
	}
	return in.pairResult(ctx, data, err)
}
