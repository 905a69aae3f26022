package code_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	tools "github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// TestEncodedOutput is what package json makes of it.
func TestEncodedOutput(t *testing.T) {
	for name, out := range map[string]code.Output{
		"nothing": {Console: []runtime.Entry{}},
		"no list": {},
		"everything": {Value: map[string]any{"console": nil, "x": `"console":[]`}, Error: &code.Error{Kind: "exit",
			Status: 3},
			Console: []runtime.Entry{
				{Text: `"text":"`, Library: `/lib/"text":".js`}, {Level: runtime.LevelError, Unfinished: true,
					Text: "<é\n\xff"},
				{Text: strings.Repeat("é\u2028", 100_000)}, {},
			}, Truncated: 7, Session: &code.SessionOutput{Name: "console"}},
	} {
		t.Run(name, func(t *testing.T) {
			type fields code.Output // which package json encodes
			want, err := jsontree.Marshal(fields(out))
			require.NoError(t, err)
			got, err := jsontree.Marshal(out)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
			result := tools.Result{Tool: "t", Content: []tools.Part{{Text: "text"}}, Data: json.RawMessage(got)}
			read, ok := code.ReadOutput(result, "t")
			require.Equal(t, out.Console != nil, ok)
			if ok {
				require.Len(t, read.Console, len(out.Console))
				for i, e := range out.Console {
					e.Text = strings.ToValidUTF8(e.Text, "\ufffd")
					require.Equal(t, e, read.Console[i])
				}
				require.Equal(t, out.Truncated, read.Truncated)
				require.Equal(t, out.Error, read.Error)
			}
			_, ok = code.ReadOutput(result, "other")
			require.False(t, ok)
		})
	}
	for _, data := range []any{nil, json.RawMessage(`{"console":null}`), json.RawMessage(`{"console":[1]}`),
		json.RawMessage(`[]`), 1} {
		_, ok := code.ReadOutput(tools.Result{Tool: "t", Content: []tools.Part{{Text: "text"}}, Data: data},
			"t")
		require.False(t, ok, data)
	}
}

// TestMemoryOfLargeOutputs: the result of code that has printed much, its data and the report of it each take about the
// memory of what was printed, while they are made too.
func TestMemoryOfLargeOutputs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates memory of its own")
	}
	const lines, size = 16, 1 << 20
	allocated := func(do func()) int {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		do()
		goruntime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	run := &script.Result{Text: "undefined"}
	for range lines {
		run.Console = append(run.Console, runtime.Entry{Text: strings.Repeat("x", size)})
	}
	tool := code.New(code.Language{Console: func(console []runtime.Entry) code.Pieces {
		return func(add func(string)) {
			for _, e := range console {
				add("[LOG] ")
				add(e.Text)
				add("\n")
			}
		}
	}}, func(context.Context) (code.Interpreter, error) { return printed{result: run}, nil }, nil)
	var result tools.Result
	require.Less(t, allocated(func() {
		var err error
		result, err = tool.Execute(t.Context(), tools.Call{Input: json.RawMessage(`{"code": "x"}`)}, tools.Env{})
		require.NoError(t, err)
	}), lines*size*5/4)
	require.Less(t, allocated(func() {
		data, err := jsontree.Marshal(result.Data)
		require.NoError(t, err)
		result.Data = data
	}), lines*size*3) // it is encoded in parts, which are gone at once
	result.Tool = "t"
	require.Less(t, allocated(func() {
		read, ok := code.ReadOutput(result, "t")
		require.True(t, ok)
		require.Len(t, read.Console, lines)
		goruntime.GC()
		var now goruntime.MemStats
		goruntime.ReadMemStats(&now)
		require.Less(t, int(now.HeapAlloc), lines*size*3, "what was printed is there as text and as data")
		goruntime.KeepAlive(read)
	}), lines*size*5/4)
	goruntime.KeepAlive(result)
}

// printed is an interpreter of a language in which all code has the same result.
type printed struct {
	code.Interpreter
	result *script.Result
}

func (p printed) Run(context.Context, string, *code.Run) (*script.Result, error) {
	return p.result, nil
}
