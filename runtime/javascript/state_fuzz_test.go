package javascript_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

var stateKey = []byte("0123456789abcdef")

const (
	stateMagic = "toolrun state 1\n"
	stateHead  = len(stateMagic) + sha256.Size
)

// unsealed returns what is behind a state's seal, without compression.
func unsealed(t testing.TB, state *sandbox.State) []byte {
	sealed, err := state.Seal(stateKey, 0)
	require.NoError(t, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	plain, err := decoder.DecodeAll(sealed[stateHead:], nil)
	require.NoError(t, err)
	return plain
}

// forge seals what is no state, or another one, and says that it has a size.
func forge(t testing.TB, plain []byte, size uint64) []byte {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer encoder.Close()
	sealed := append([]byte(stateMagic), make([]byte, sha256.Size)...)
	sealed = append(sealed, 0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0) // a frame that decoders skip
	sealed = encoder.EncodeAll(plain, binary.LittleEndian.AppendUint64(sealed, size))
	mac := hmac.New(sha256.New, stateKey)
	mac.Write(sealed[:len(stateMagic)])
	mac.Write(sealed[stateHead:])
	copy(sealed[len(stateMagic):], mac.Sum(nil))
	return sealed
}

// TestStateSizes forges states that are not as large as they say.
func TestStateSizes(t *testing.T) {
	options := asking(nil)
	options.Session = true
	result, err := engine.Run(t.Context(), `let n = 1`, options)
	require.NoError(t, err)
	plain := unsealed(t, result.State)
	size := uint64(len(plain))
	bomb := append(plain, make([]byte, 64<<20)...)
	for _, c := range []struct {
		plain   []byte
		size    uint64
		problem string
	}{
		{plain, size, ""},
		{plain, size + 100, ""},
		{plain, size - 1, "it is damaged"},
		{plain, 0, "it is damaged"},
		{plain, 1 << 63, "it is damaged"},
		{plain, 1 << 40, "it needs more memory than 64 MiB"},
		{bomb, size, "it is damaged"},
		{bomb, uint64(len(bomb)), "it is damaged"},
		{append(plain, make([]byte, 128<<20)...), size + 128<<20, "it needs more memory than 64 MiB"},
	} {
		_, err := engine.OpenState(forge(t, c.plain, c.size), stateKey, 64<<20)
		if c.problem == "" {
			require.NoError(t, err)
			continue
		}
		var refused *sandbox.StateError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, c.problem, refused.Reason, "%d bytes that are said to be %d", len(c.plain), c.size)
	}
}

// FuzzState changes states, which have the right seal, as somebody could who has the key. What runs from them may do
// anything that a script could do, and nothing else.
func FuzzState(f *testing.F) {
	options := asking(nil)
	options.Session = true
	var states [][]byte
	for _, script := range []string{
		`let n = 1; const m = new Map([[1, { a: [1, 2] }]]); function* g() { yield n++ } const it = g(); it.next(); setTimeout(() => n++, 1)`,
		`const list = [1, 'a', 2n]; const answer = await Promise.all([ask(new Uint8Array(3)), ask('x')]); return [answer, list, require('util').inspect(list)]`,
	} {
		result, _ := engine.Run(f.Context(), script, options)
		states = append(states, unsealed(f, result.State))
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{})
	f.Add(uint8(0), []byte{0, 0, 0, 1, 7})                      // the length of the header
	f.Add(uint8(1), []byte{0, 0, 0x80, 60, 255, 0, 1, 0, 0, 9}) // the header
	f.Add(uint8(1), []byte{1, 0, 0, 0, 200, 1, 20, 20, 0, 1})   // pages
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		same := len(changes) < 5
		plain := append([]byte{}, states[int(which)%len(states)]...)
		for ; len(changes) >= 5; changes = changes[5:] { // each is a place and a byte
			plain[binary.BigEndian.Uint32(changes)%uint32(len(plain))] ^= changes[4]
		}
		state, err := engine.OpenState(forge(t, plain, uint64(len(plain))), stateKey, sandbox.DefaultMemory)
		if err != nil {
			var refused *sandbox.StateError
			require.ErrorAs(t, err, &refused)
			require.False(t, same, "what is forged is as good as what is not")
			return
		}
		options := asking(func(x any) (any, error) { return x, nil })
		options.Session, options.State = true, state
		options.Limits = sandbox.Limits{Work: 50_000_000}
		for _, run := range []func() (*javascript.Result, error){
			func() (*javascript.Result, error) {
				return engine.Run(t.Context(), `return [n, m, it.next()]`, options)
			},
			func() (*javascript.Result, error) { return engine.Resume(t.Context(), state, options) },
		} {
			_, err := run()
			var refused *sandbox.StateError
			if err != nil && !errors.As(err, &refused) && !errors.Is(err, javascript.ErrSuspend) {
				require.True(t, javascript.IsScriptFailure(err), "%v", err)
			}
		}
	})
}
