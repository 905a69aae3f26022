package python_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/statetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// forge seals what is no state, or another one.
func forge(t testing.TB, plain []byte) []byte {
	return statetest.Forge(t, plain, uint64(len(plain)), stateKey)
}

// languageWith returns what the host knows of code with calls, as a state has it.
func languageWith(calls string) string {
	data := `{"Functions":["tools.ask"],"Name":"script.py","Scripts":0,"Started":1,"Suspended":{"Calls":` + calls + `}}`
	return base64.StdEncoding.EncodeToString([]byte(data))
}

// FuzzState changes states, which have the right seal, as somebody could who has the key. What runs from them may do
// anything that code could do, and nothing else.
func FuzzState(f *testing.F) {
	needPython(f)
	options := asking(nil)
	options.Session = true
	var states [][]byte
	for _, code := range []string{
		"n = 1\nm = {1: [1, 'a', {2}]}\ndef g(): yield n\nit = g()\nclass C: pass",
		"import asyncio\nx = [1, 'a', 2**70]\nawait asyncio.gather(tools.ask([1, {'a': 2}]), tools.ask('x'), " +
			"asyncio.sleep(1)), x",
	} {
		result, _ := interpreter.Run(f.Context(), code, options)
		states = append(states, statetest.Unseal(f, result.State, stateKey))
	}
	f.Add(uint8(0), []byte{})
	f.Add(uint8(1), []byte{})
	f.Add(uint8(0), []byte{0, 0, 0, 1, 7})                      // the length of the header
	f.Add(uint8(1), []byte{0, 0, 0x80, 60, 255, 0, 1, 0, 0, 9}) // the header
	f.Add(uint8(1), []byte{1, 0, 0, 0, 200, 1, 20, 20, 0, 1})   // pages
	for n := range byte(4) {
		f.Add(n, []byte{0, n, n, 3, 1 << (n % 8), 0, 2, n, n, 255, 0, 1, n, 0, 16})
	}
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		plain := append([]byte{}, states[int(which)%len(states)]...)
		for ; len(changes) >= 5; changes = changes[5:] { // each is a place and a byte
			plain[binary.BigEndian.Uint32(changes)%uint32(len(plain))] ^= changes[4]
		}
		state, err := interpreter.OpenState(forge(t, plain), stateKey, sandbox.DefaultMemory)
		if err != nil {
			var refused *sandbox.StateError
			require.ErrorAs(t, err, &refused)
			return
		}
		options := asking(echo)
		options.Session, options.State = true, state
		options.Limits = sandbox.Limits{Work: 2_000_000}
		for _, run := range []func() (*python.Result, error){
			func() (*python.Result, error) { return interpreter.Run(t.Context(), "n, m, next(it), C()", options) },
			func() (*python.Result, error) { return interpreter.Resume(t.Context(), state, options) },
		} {
			_, err := run()
			var refused *sandbox.StateError
			if err != nil && !errors.As(err, &refused) && !errors.Is(err, python.ErrSuspend) {
				require.True(t, python.IsScriptFailure(err), "%v", err)
			}
		}
	})
}

// What the host is told in a state is checked like all else that a sandbox says.
func TestForgedStates(t *testing.T) {
	first := suspended(t, `await tools.ask(1)`)
	plain := statetest.Unseal(t, first.State, stateKey)
	state, err := interpreter.OpenState(forge(t, plain), stateKey, sandbox.DefaultMemory)
	require.NoError(t, err, "what is forged is as good as what is not")
	_, err = interpreter.Resume(t.Context(), state, asking(echo))
	require.NoError(t, err)
	for name, c := range map[string]struct{ from, to string }{
		"of the program":         {`"Program":"`, `"Program":"x`},
		"where the boot code is": {`"Run":`, `"Run":1`},
		"which function runs":    {`"Function":`, `"Function":1`},
		"where the stack is":     {`"Stack":`, `"Stack":1`},
		"no state of the driver": {`"Driver":{`, `"Driver":null,"x":{`},
		"a negative clock":       {`"Elapsed":`, `"Elapsed":-`},
		"no language":            {`"Language":"`, `"Language":"e30=","x":"`},
		"a call of no function": {`"Language":"`, `"Language":"` +
			languageWith(`[{"Number":1,"Payload":"WzIsW10se31d"}]`) + `","x":"`},
		"a call without a number": {`"Language":"`, `"Language":"` +
			languageWith(`[{"Number":0,"Payload":"WzAsW10se31d"}]`) + `","x":"`},
		"a number that comes yet": {`"Language":"`, `"Language":"` +
			languageWith(`[{"Number":2,"Payload":"WzAsW10se31d"}]`) + `","x":"`},
		"two of one number": {`"Language":"`, `"Language":"` +
			languageWith(`[{"Number":1,"Payload":"WzAsW10se31d"},{"Number":1,"Payload":"WzAsW10se31d"}]`) + `","x":"`},
	} {
		length := binary.LittleEndian.Uint32(plain)
		header := string(plain[4 : 4+length])
		require.Contains(t, header, c.from, name)
		changed := strings.Replace(header, c.from, c.to, 1)
		forged := binary.LittleEndian.AppendUint32(nil, uint32(len(changed)))
		forged = append(append(forged, changed...), plain[4+length:]...)
		state, err := interpreter.OpenState(forge(t, forged), stateKey, sandbox.DefaultMemory)
		if err == nil {
			_, err = interpreter.Resume(t.Context(), state, asking(echo))
		}
		var refused *sandbox.StateError
		require.ErrorAs(t, err, &refused, name)
	}
}
