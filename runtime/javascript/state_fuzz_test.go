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

// FuzzState changes states, which have the right seal, as somebody could who has the key. What runs from them may do
// anything that a script could do, and nothing else.
func FuzzState(f *testing.F) {
	const head = len("toolrun state 1\n") + sha256.Size
	key := []byte("0123456789abcdef")
	encoder, err := zstd.NewWriter(nil)
	require.NoError(f, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(f, err)

	options := asking(nil)
	options.Session = true
	var states [][]byte
	for _, script := range []string{
		`let n = 1; const m = new Map([[1, { a: [1, 2] }]]); function* g() { yield n++ } const it = g(); it.next(); setTimeout(() => n++, 1)`,
		`const list = [1, 'a', 2n]; const answer = await Promise.all([ask(new Uint8Array(3)), ask('x')]); return [answer, list, require('util').inspect(list)]`,
	} {
		result, _ := engine.Run(f.Context(), script, options)
		sealed, err := result.State.Seal(key, 0)
		require.NoError(f, err)
		plain, err := decoder.DecodeAll(sealed[head:], nil)
		require.NoError(f, err)
		states = append(states, plain)
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
		sealed := append([]byte("toolrun state 1\n"), make([]byte, sha256.Size)...)
		sealed = append(sealed, 0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0) // a frame that decoders skip, with the size of the others
		sealed = encoder.EncodeAll(plain, binary.LittleEndian.AppendUint64(sealed, uint64(len(plain))))
		mac := hmac.New(sha256.New, key)
		mac.Write(sealed[:len(sealed)-len(sealed[head:])-sha256.Size])
		mac.Write(sealed[head:])
		copy(sealed[head-sha256.Size:], mac.Sum(nil))
		state, err := engine.OpenState(sealed, key, sandbox.DefaultMemory)
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
