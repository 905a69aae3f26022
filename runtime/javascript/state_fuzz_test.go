package javascript_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/statetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

var stateKey = []byte("0123456789abcdef")

// TestStateSizes forges states that are not as large as they say.
func TestStateSizes(t *testing.T) {
	options := asking(nil)
	options.Session = true
	result, err := engine.Run(t.Context(), `let n = 1`, options)
	require.NoError(t, err)
	plain := statetest.Unseal(t, result.State, stateKey)
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
		_, err := engine.OpenState(statetest.Forge(t, c.plain, c.size, stateKey), stateKey, 64<<20)
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
		`let n = 1; const m = new Map([[1, { a: [1, 2] }]]); function* g() { yield n++ }
			const it = g(); it.next(); setTimeout(() => n++, 1)`,
		`const list = [1, 'a', 2n]; const answer = await Promise.all([ask(new Uint8Array(3)), ask('x')]);
			return [answer, list, require('util').inspect(list)]`,
	} {
		result, _ := engine.Run(f.Context(), script, options)
		states = append(states, statetest.Unseal(f, result.State, stateKey))
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
		state, err := engine.OpenState(statetest.Forge(t, plain, uint64(len(plain)), stateKey), stateKey,
			sandbox.DefaultMemory)
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
