// Package statetest opens and forges sealed states of guests, for tests: what somebody could do who has the key.
package statetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

const (
	magic = "toolrun state 1\n"
	head  = len(magic) + sha256.Size
)

// Unseal returns what is behind a state's seal, without compression.
func Unseal(t testing.TB, state *sandbox.State, key []byte) []byte {
	sealed, err := state.Seal(key, 0)
	require.NoError(t, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	plain, err := decoder.DecodeAll(sealed[head:], nil)
	require.NoError(t, err)
	return plain
}

// Forge seals what is no state, or another one, and says that it has a size, which is that of plain if it is to be
// believed.
func Forge(t testing.TB, plain []byte, size uint64, key []byte) []byte {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer encoder.Close()
	sealed := append([]byte(magic), make([]byte, sha256.Size)...)
	sealed = append(sealed, 0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0) // a frame that decoders skip
	sealed = encoder.EncodeAll(plain, binary.LittleEndian.AppendUint64(sealed, size))
	mac := hmac.New(sha256.New, key)
	mac.Write(sealed[:len(magic)])
	mac.Write(sealed[head:])
	copy(sealed[len(magic):], mac.Sum(nil))
	return sealed
}
