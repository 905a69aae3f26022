package javascript_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// reported makes the text that says what a value is as data, by what JSON.stringify does and [javascript.Result].Value
// promises.
const reported = `((v) => {
	try {
		return JSON.stringify(v, (_, item) => {
			if (typeof item === 'bigint') return String(item);
			if (!(item instanceof ArrayBuffer || ArrayBuffer.isView(item))) return item;
			const bytes = new Uint8Array(item.buffer ?? item, item.byteOffset ?? 0, item.byteLength);
			return 'bytes ' + Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
		}) ?? 'null';
	} catch {
		return 'null';
	}
})`

// FuzzResults returns, throws and prints values of all kinds.
func FuzzResults(f *testing.F) {
	// as data; returned, thrown, printed
	addChoices(f, []string{"\x00\x00\x01"}, []string{"\x01\x02\x00", "\x00\x03\x00", "\x01\x04\x00"})
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 300 {
			return
		}
		c := &chooser{choices}
		limit := choose(c, []int{100, 4 << 10, 64 << 10})
		how, odd := c.roll(9), c.roll(2) == 0
		value := c.expression(3, odd && how > 1)
		switch how {
		case 0, 1:
			testData(t, value)
		case 2:
			testOutput(t, limit, "return "+value)
		case 3:
			testOutput(t, limit, "throw "+value)
		case 4:
			testOutput(t, limit, "console.log("+value+"); console.error("+c.expression(3, odd)+", 1)")
		case 5:
			testOutput(t, limit, "console.table("+value+")")
		case 6:
			testOutput(t, limit, "Promise.reject("+value+"); setTimeout(() => { throw "+c.expression(2, odd)+" })")
		case 7:
			testOutput(t, limit, "f("+value+", "+c.expression(2, odd)+")")
		case 8:
			testOutput(t, limit, "return await g("+value+")")
		}
	})
}

// testData returns a value that is the same for everybody who looks at it.
func testData(t *testing.T, value string) {
	var want any
	result := run(t, "const v = ["+value+"]; report("+reported+"(v)); return v", javascript.RunOptions{
		Functions: []javascript.Function{{Name: "report", Call: func(_ context.Context, args []any) (any, error) {
			return nil, json.Unmarshal([]byte(args[0].(string)), &want)
		}}},
	})
	require.Equal(t, want, spelled(result.Value), "%s", value)
}

// spelled is a value with text in the place of bytes.
func spelled(value any) any {
	switch v := value.(type) {
	case []byte:
		return "bytes " + hex.EncodeToString(v)
	case []any:
		for i := range v {
			v[i] = spelled(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = spelled(v[key])
		}
	}
	return value
}

// testOutput runs a script with a limit of its output, and looks at what comes out.
func testOutput(t *testing.T, limit int, script string) {
	echo := func(_ context.Context, args []any) (any, error) { return args, nil }
	result, err := tryRun(t, script, javascript.RunOptions{
		Limits:    sandbox.Limits{Time: 5 * time.Second, Work: 3_000_000, Output: limit},
		Functions: []javascript.Function{{Name: "f", Call: echo}, {Name: "g", Async: true, Call: echo}},
	})
	size := len(result.Text)
	require.True(t, utf8.ValidString(result.Text), "%s", script)
	for _, entry := range result.Console {
		require.True(t, utf8.ValidString(entry.Text), "%s", script)
		size += len(entry.Text)
	}
	require.LessOrEqual(t, size, limit, "%s", script)
	if err != nil {
		require.True(t, javascript.IsScriptFailure(err), "%s: %v", script, err)
		require.True(t, utf8.ValidString(err.Error()), "%s", script)
		require.LessOrEqual(t, len(err.Error()), limit+200, "%s", script) // what it says of itself
	}
	_, err = json.Marshal(result.Value)
	require.NoError(t, err, "%s", script)
}
