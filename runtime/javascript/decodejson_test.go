package javascript

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
)

func free(int) error { return nil }

// FuzzDecodeJSON compares values with those of package encoding/json.
func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, `[]`, ` [ ] `, `{}`, `{"a":1,"b":[true,false,null],"a":2}`,
		`"\u0000\ud83d\ude00\ud800x\udc00\"\\\/\b\f\n\r\t"`, `"\ud800\ud83d\ude00"`,
		`-0`, `0.5e-7`, `01`, `1.`, `.5`, `1e`, `1e999`, `-`, `+1`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{,}`,
		`{"a":1,}`, `"a`, "\"\x01\"", "\"\xff\xe2\x82\"", `"\x"`,
		`"\u12"`, `"\u12g4"`, `nul`, `truee`, `1 2`, `[1 2]`, `{"a":1 "b":2}`, "[\v1]", `"\u+123"`, "\"\x7f\u2028\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want any
		wantErr := json.Unmarshal([]byte(text), &want)
		got, _, err := decodeJSON(text, jsonOptions{room: math.MaxInt, work: free})
		require.Equal(t, wantErr == nil, err == nil, "%q: %v, %v", text, wantErr, err)
		if err == nil {
			require.Equal(t, want, got, "%q", text)
		}
	})
}

func TestDecodingJSON(t *testing.T) {
	t.Parallel()
	t.Run("is no deeper than what encoding/json decodes", func(t *testing.T) {
		for depth, ok := range map[int]bool{10_000: true, 10_001: false} {
			text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
			_, _, err := decodeJSON(text, jsonOptions{room: math.MaxInt, work: free})
			require.Equal(t, ok, err == nil)
			require.Equal(t, ok, json.Valid([]byte(text)))
		}
	})
	t.Run("asks for each piece", func(t *testing.T) {
		const size = 1 << 20
		for _, text := range []string{
			"[" + strings.Repeat("1,", size/2) + "1]", `"` + strings.Repeat("a", size) + `"`, `"` + strings.Repeat(`\n`,
				size/2) + `"`, strings.Repeat(" ", size) + "1",
			"[" + strings.Repeat(`{"a":""},`, size/9) + "1]",
		} {
			asked := 0
			_, _, err := decodeJSON(text, jsonOptions{room: math.MaxInt, work: func(n int) error {
				require.Less(t, n, 2*quickjs.PieceSize)
				asked += n
				return nil
			}})
			require.NoError(t, err)
			require.Equal(t, len(text), asked)
			stop := errors.New("stop")
			_, _, err = decodeJSON(text, jsonOptions{room: math.MaxInt, work: func(int) error { return stop }})
			require.ErrorIs(t, err, stop)
		}
	})
}

// TestFramePositions compares with the expression that says what a position is.
func TestFramePositions(t *testing.T) {
	position := regexp.MustCompile(`([^\s(][^(]*):(\d+):(\d+)\)?$`)
	for _, frame := range []string{
		"    at f (/a/b.js:1:2)", "at /a.js:1:2", "    at <eval> (script.js:10:20)", "at f (native)", "", "at", ":1:2",
		"(:1:2)", "a:1", "a:1:", "a:b:1", "a:1:2:3", "a:1:2))", "f ( a b:1:2)",
		"f (a (b:1:2)", "f (  :1:2)", "a:1:2x", "(a:1:2", "a(:1:2", "\u00a0:1:2", "at at a:1:2",
		"a:99999999999999999999:1", "):1:2", "a):1:2)", " x :1:2", "f (a):1:2",
	} {
		file, line, column := framePosition(frame)
		m := position.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(frame), "at "))
		if m == nil {
			require.Empty(t, file, frame)
			continue
		}
		require.Equal(t, []any{m[1], number(m[2]), number(m[3])}, []any{file, line, column}, frame)
	}
}
