package javascript

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/nodecrypto"
)

// What node:crypto and crypto.subtle compute. The states of hashes and ciphers lie in the guest's memory, in buffers
// that scripts do not get: an operation reads one and writes what becomes of it back.

// stateHeader is how many bytes are in front of the state of a hash: two numbers.
const stateHeader = 8

// cryptoError makes an error for the script of one that nodecrypto has for wrong input.
func cryptoError(err error) error {
	for _, known := range []error{
		nodecrypto.ErrState, nodecrypto.ErrKey, nodecrypto.ErrIV, nodecrypto.ErrBlockLength, nodecrypto.ErrPadding,
		nodecrypto.ErrAnySize, nodecrypto.ErrScrypt,
	} {
		if errors.Is(err, known) {
			return &failure{name: "Error", message: err.Error()}
		}
	}
	return err
}

func (in *instance) cryptoHashes(ctx context.Context, _ arguments) (quickjs.Value, error) {
	return in.webObject(ctx, map[string]any{"list": nodecrypto.HashNames()})
}

// cryptoBegin returns a buffer: the size of the hash's sum, or its complement if it can be any; the size of a block;
// and the state.
func (in *instance) cryptoBegin(ctx context.Context, args arguments) (quickjs.Value, error) {
	name, cut, _ := args.text(firstWeb, maxName)
	h := nodecrypto.HashNamed(name)
	if h == nil || cut > 0 {
		return quickjs.Undefined, nil
	}
	size := int32(h.Size)
	if h.AnySize {
		size = ^size
	}
	data := binary.LittleEndian.AppendUint32(nil, uint32(size))
	data = binary.LittleEndian.AppendUint32(data, uint32(h.Block))
	return in.vm.NewArrayBuffer(ctx, append(data, h.Begin()...))
}

// state returns an argument that is the state of a hash or a cipher.
func (in *instance) state(args arguments, header int) ([]byte, error) {
	memory, ok := args.bytes(firstWeb)
	if !ok || len(memory) < header {
		return nil, cryptoError(nodecrypto.ErrState)
	}
	return memory[header:], nil
}

// stateAndData returns the arguments of functions that add data to a state.
func (in *instance) stateAndData(args arguments, header int) (state, data []byte, err error) {
	if state, err = in.state(args, header); err != nil {
		return nil, nil, err
	}
	data, ok := args.view(firstWeb + 1)
	if !ok {
		return nil, nil, failf("the bytes must be an ArrayBuffer or a view of one")
	}
	return state, data, nil
}

func (in *instance) cryptoUpdate(_ context.Context, args arguments) (quickjs.Value, error) {
	state, data, err := in.stateAndData(args, stateHeader)
	if err != nil {
		return 0, err
	}
	return quickjs.Undefined, cryptoError(nodecrypto.Update(state, data, in.Spend))
}

// size returns an argument that is how many bytes the script wants, which must fit into its memory.
func (in *instance) size(args arguments, i int) (int, error) {
	size, ok := args.int(i)
	if !ok || size < 0 {
		return 0, failf("the size must be a number of bytes")
	}
	if size > in.memoryLimit() {
		return 0, quickjs.ErrNoMemory
	}
	return size, nil
}

func (in *instance) cryptoSum(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, err := in.state(args, stateHeader)
	if err != nil {
		return 0, err
	}
	size, err := in.size(args, firstWeb+1)
	if err != nil {
		return 0, err
	}
	sum, err := nodecrypto.Sum(state, size, in.Spend)
	if err != nil {
		return 0, cryptoError(err)
	}
	return in.vm.NewArrayBuffer(ctx, sum)
}

// twoBuffers returns two arguments that are whole buffers.
func (in *instance) twoBuffers(args arguments, i int) (a, b []byte, err error) {
	a, ok1 := args.bytes(i)
	b, ok2 := args.bytes(i + 1)
	if !ok1 || !ok2 {
		return nil, nil, failf("the bytes must be ArrayBuffers")
	}
	return a, b, nil
}

func (in *instance) cryptoPBKDF2(ctx context.Context, args arguments) (quickjs.Value, error) {
	name, _, _ := args.text(firstWeb, maxName)
	h := nodecrypto.HashNamed(name)
	if h == nil {
		return quickjs.Undefined, nil
	}
	password, salt, err := in.twoBuffers(args, firstWeb+1)
	if err != nil {
		return 0, err
	}
	iterations, ok := args.int(firstWeb + 3)
	if !ok || iterations < 1 {
		return 0, failf("the number of iterations must be positive")
	}
	size, err := in.size(args, firstWeb+4)
	if err != nil {
		return 0, err
	}
	key, err := h.PBKDF2(password, salt, iterations, size, in.Spend)
	if err != nil {
		return 0, cryptoError(err)
	}
	return in.vm.NewArrayBuffer(ctx, key)
}

// cryptoScrypt uses memory of the host beside that of the guest, as much as the guest may have at most.
func (in *instance) cryptoScrypt(ctx context.Context, args arguments) (quickjs.Value, error) {
	password, salt, err := in.twoBuffers(args, firstWeb)
	if err != nil {
		return 0, err
	}
	text, _, _ := args.text(firstWeb+2, maxName)
	var n, r, p, most uint64
	if _, err := fmt.Sscanf(text, "%d %d %d %d", &n, &r, &p, &most); err != nil {
		return 0, cryptoError(nodecrypto.ErrScrypt)
	}
	size, err := in.size(args, firstWeb+3)
	if err != nil {
		return 0, err
	}
	need, ok := nodecrypto.ScryptMemory(n, r, p, most)
	if !ok {
		return 0, cryptoError(nodecrypto.ErrScrypt)
	}
	if need > uint64(in.memoryLimit()) {
		return 0, quickjs.ErrNoMemory
	}
	key, err := nodecrypto.Scrypt(password, salt, n, r, p, size, most, in.Spend)
	if err != nil {
		return 0, cryptoError(err)
	}
	return in.vm.NewArrayBuffer(ctx, key)
}

var cipherModes = map[string]nodecrypto.Mode{
	"cbc": nodecrypto.CBC, "ctr": nodecrypto.CTR, "gcm": nodecrypto.GCM, "ecb": nodecrypto.ECB,
	"des-ede3-cbc": nodecrypto.TripleCBC, "des-ede3": nodecrypto.TripleECB,
}

func (in *instance) cryptoCipher(ctx context.Context, args arguments) (quickjs.Value, error) {
	mode, _, _ := args.text(firstWeb, maxName)
	decrypt, _ := args.int(firstWeb + 1)
	key, iv, err := in.twoBuffers(args, firstWeb+2)
	if err != nil {
		return 0, err
	}
	c, err := nodecrypto.NewCipher(cipherModes[mode], decrypt == 1, key, iv, in.Spend)
	if err != nil {
		return 0, cryptoError(err)
	}
	return in.vm.NewArrayBuffer(ctx, c)
}

func (in *instance) cryptoAdd(_ context.Context, args arguments) (quickjs.Value, error) {
	state, data, err := in.stateAndData(args, 0)
	if err != nil {
		return 0, err
	}
	return quickjs.Undefined, cryptoError(nodecrypto.Cipher(state).Additional(data, in.Spend))
}

func (in *instance) cryptoConvert(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, data, err := in.stateAndData(args, 0)
	if err != nil {
		return 0, err
	}
	padded, _ := args.int(firstWeb + 4)
	out, err := nodecrypto.Cipher(state).Update(data, padded == 1, in.Spend)
	if err != nil {
		return 0, cryptoError(err)
	}
	return in.vm.NewArrayBuffer(ctx, out)
}

func (in *instance) cryptoFinal(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, err := in.state(args, 0)
	if err != nil {
		return 0, err
	}
	padded, _ := args.int(firstWeb + 1)
	out, err := nodecrypto.Cipher(state).Final(padded == 1)
	if err != nil {
		return 0, cryptoError(err)
	}
	if err := in.Spend(len(state)); err != nil {
		return 0, err
	}
	return in.vm.NewArrayBuffer(ctx, out)
}

func (in *instance) cryptoTag(ctx context.Context, args arguments) (quickjs.Value, error) {
	state, err := in.state(args, 0)
	if err != nil {
		return 0, err
	}
	tag, err := nodecrypto.Cipher(state).Tag()
	if err != nil {
		return 0, cryptoError(err)
	}
	if err := in.Spend(len(state)); err != nil {
		return 0, err
	}
	return in.vm.NewArrayBuffer(ctx, tag)
}
