package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// allocated returns how many bytes do allocates, including those that are freed again.
func allocated(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// filters is the schema of a tool with nested filters, which are common in search tools.
const filters = `{"type":"object","properties":{"filter":{"$ref":"#/$defs/f"}},"$defs":{"f":{"anyOf":[
	{"type":"array","items":{"$ref":"#/$defs/f"}},{"type":"array","items":{"$ref":"#/$defs/f"},"minItems":1},
	{"type":"array","items":{"$ref":"#/$defs/f"},"maxItems":9},
		{"type":"array","items":{"$ref":"#/$defs/f"},"minItems":0}]}}}`

// pieces returns n pieces of JSON, separated by commas. The format may contain a verb for their numbers.
func pieces(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

func nested(levels int, inside string) string {
	return strings.Repeat("[", levels) + inside + strings.Repeat("]", levels)
}

// TestInputsAndSchemasThatTakeMemory combines schemas and inputs whose cost could multiply.
func TestInputsAndSchemasThatTakeMemory(t *testing.T) {
	const complex = "the arguments are too complex to be checked: pass something simpler"
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name, schema, input string
		// want is part of the result.
		want string
		// most limits the bytes that the call may allocate.
		most int
	}{
		{"20 KB of brackets", filters, `{"filter":` + nested(10_000, "1") + `}`,
			"invalid tool call: the arguments are nested deeper than 128 levels. Pass something flatter, for example " +
				"text or the name of a file.", 64 << 10},
		{"as deep as may be", filters, `{"filter":` + nested(127, `"x"`) + `}`, complex, 8 << 20},
		{"texts that are deep", filters, `{"filter":` + nested(60, `"`+nested(127, "1")+`"`) + `}`, complex, 8 << 20},
		{"arrays as texts", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"array"}}}}`,
			`{"a":[` + pieces(40, `"[`+pieces(9_999, "[]")+`]"`) + `]}`, "did it", 64 << 20},
		{"many alternatives of what is not evaluated",
			`{"type":"object","properties":{"a":{"unevaluatedProperties":true,"allOf":[` + pieces(1000,
				`{"minProperties":%d}`) + `]}}}`,
			`{"a":{` + pieces(20_000, `"%d":1`) + `}}`, complex, 64 << 20},
		{"many schemas for long text", `{"type":"object","properties":{"a":{"allOf":[` + pieces(1200,
			`{"minLength":%d}`) + `]}}}`,
			`{"a":"` + long + `"}`, complex, 16 << 20},
		{"long text that is not matched", `{"type":"object","properties":{"a":{"allOf":[` + pieces(20,
			`{"pattern":"%d"}`) + `]}}}`,
			`{"a":"` + long + `"}`, "/a: 'xxx", 16 << 20},
		{"long names that are unknown", `{"type":"object","properties":{"a":{"items":{"additionalProperties":false}}}}`,
			`{"a":[` + pieces(20, `{"%d`+strings.Repeat("y", 1<<16)+`":1}`) + `]}`, "/a/0: additional properties '0yyy",
			16 << 20},
		{"many names that are unknown", `{"type":"object","properties":{"a":{"allOf":[` + pieces(20,
			`{"title":"%d","additionalProperties":false}`) + `]}}}`,
			`{"a":{` + pieces(10_000, `"%d":1`) + `}}`, "/a: additional properties '0', '1', '10'", 32 << 20},
		{"many values that are not",
			`{"type":"object","properties":{"a":{"items":{"$ref":"#/$defs/e"}}},"$defs":{"e":{"enum":[` +
				pieces(4000, `"%d"`) + `]}}}`,
			`{"a":[` + pieces(20, "true") + `]}`, "/a/0: value must be one of '0', '1', '2'", 4 << 20},
		{"long places", `{"type":"object","properties":{"a":{"additionalProperties":{"items":{"type":"string"}}}}}`,
			`{"a":{"` + long + `":[` + pieces(30, "1") + `]}}`, "/a/xxx", 16 << 20},
		{"schemas that refer to each other in a ring",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/0"}},"$defs":{` + pieces(900,
				`"%d":{"anyOf":[{"$ref":"#/$defs/0"}]}`) + `}}`,
			`{"a":1}`, "causing reference cycle", 1 << 20},
		{"schemas that refer to each other in a chain",
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/1"}},"$defs":{` + chain(2400) + `}}`,
			`{"a":1}`, complex, 8 << 20},
		{"equal numbers", `{"type":"object","properties":{"a":{"uniqueItems":true}}}`, `{"a":[` + pieces(20_000,
			"1%d") + `]}`, "did it", 32 << 20},
		{"references that are long", `{"type":"object","properties":{"a":{"items":{"$ref":"#/$defs/` +
			strings.Repeat("%61", 100_000) + `"}}},"$defs":{"` + strings.Repeat("a", 100_000) +
			`":{"type":"integer"}}}`,
			`{"a":[` + pieces(5000, `"1"`) + `]}`, "did it", 64 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRegistry(t, doing("search", func(context.Context, tool.Call, tool.Env) (tool.Result,
				error) {
				return tool.Text("did it"), nil
			}, func(s *tool.Spec) { s.Schema = json.RawMessage(test.schema) }))
			var result tool.Result
			n := allocated(func() { result = r.Dispatch(t.Context(), call("search", test.input), registry.Env{}) })
			require.Contains(t, result.Text(), test.want)
			require.Less(t, len(result.Text()), 64<<10)
			require.Less(t, n, test.most)
		})
	}
}

func TestSchemasThatTakeMemory(t *testing.T) {
	deep := func(inside string) string {
		return `{"type":"object","properties":{"a":` + strings.Repeat(`{"not":`, 150) + inside + strings.Repeat("}",
			150) + `}}`
	}
	long := strings.Repeat("x", 500_000)
	for _, test := range []struct {
		name, schema string
		// want is the beginning of the error, or empty.
		want string
		most int
	}{
		{"many values that are wrong, far inside", deep(`{"type":[` + pieces(90_000, `1`) + `]}`),
			"the schema has 90155 values, which are nested too deep", 32 << 20},
		{"many schemas that are wrong, far inside",
			deep(`{"properties":{` + pieces(4700, `"%d":{"type":1,"required":1}`) + `}}`), "the schema has", 32 << 20},
		{"many schemas far inside", deep(`{"properties":{` + pieces(4700, `"%d":{}`) + `}}`),
			"the schema has 4855 values", 32 << 20},
		{"many schemas in one with a long name", `{"type":"object","properties":{"` + long + `":{"properties":{` +
			pieces(4700, `"%d":{}`) + `}}}}`,
			"the schema has names that are too long", 32 << 20},
		{"schemas in places of their own", `{"type":"object","properties":{` + pieces(2400,
			`"%d":{"$ref":"#/x/%[1]d"}`) + `},"x":{` + pieces(2400, `"%d":{}`) + `}}`,
			"it refers to 2400 schemas outside of $defs", 32 << 20},
		{"places that are spelled differently", `{"type":"object","allOf":[{"properties":{` + pieces(2400, `"%d":{}`) +
			`}}],"properties":{` +
			pieces(2400, `"%d":{"$ref":"#%%2FallOf/0%[1]d"}`) + `}}`, "the schema does not compile: it refers to",
			32 << 20},
		{"something wrong with a long name", `{"type":"object","properties":{"` + long + `":{"type":[` + pieces(20,
			"1") + `]}}}`, "the schema does not compile: ", 128 << 20},
		{"as many schemas as may be", `{"type":"object","properties":{` + pieces(4999, `"%d":{"type":"string"}`) + `}}`,
			"", 128 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			var err error
			n := allocated(func() { _, err = schema.CompileObject([]byte(test.schema)) })
			require.Less(t, n, test.most)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			require.Less(t, len(err.Error()), 3000)
		})
	}
}

// TestCheckingStops ends calls while their inputs are being checked.
func TestCheckingStops(t *testing.T) {
	// Each step matches 1 MiB of text.
	slow := `{"type":"object","properties":{"a":{"type":"array","items":{"allOf":[` + pieces(400,
		`{"minLength":%d}`) + `]}}}}`
	input := `{"a":["` + strings.Repeat("x", 1<<20) + `"]}`
	ran := false
	r := newRegistry(t, doing("search", func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
		ran = true
		return tool.Result{}, nil
	}, func(s *tool.Spec) { s.Schema = json.RawMessage(slow) }))
	result := r.Dispatch(t.Context(), call("search", input),
		registry.Env{Limits: registry.Limits{Timeout: 20 * time.Millisecond}})
	require.Equal(t, tool.CodeTimeout, result.Code, result.Text())
	require.Equal(t, "Tool execution timed out after 20ms.", result.Text())
	require.ErrorIs(t, result.Err, context.DeadlineExceeded)

	ctx, cancel := context.WithCancel(t.Context())
	result = r.Using(func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			go cancel() // while it is being checked
			return next(ctx, call, env)
		}
	}).Dispatch(ctx, call("search", input), registry.Env{})
	require.Equal(t, tool.CodeCanceled, result.Code, result.Text())
	require.False(t, ran)
}

// TestInputsTogether checks large inputs concurrently. Their total memory is limited.
func TestInputsTogether(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own memory would be counted")
	}
	r := newRegistry(t, echo(
		`{"type":"object",`+
			`"properties":{"a":{"items":{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"array"}]}}}}}}`))
	input := `{"a":[` + pieces(33_000, `{"a":"1"}`) + `]}` // each item takes about 400 bytes when decoded
	before := debug.SetGCPercent(50)
	defer debug.SetGCPercent(before)
	debug.FreeOSMemory()
	if !procmem.ResetPeak() {
		t.Skip("the memory of the process is not known here")
	}
	start := procmem.Resident()
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			result := r.Dispatch(t.Context(), call("echo", input), registry.Env{})
			if result.IsError() {
				t.Error(result.Text())
			}
		})
	}
	calls.Wait()
	require.Less(t, procmem.Peak()-start, int64(150<<20))
}

// chain returns n schemas, each of which refers to the next.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	return b.String() + fmt.Sprintf(`"%d":{}`, n)
}
