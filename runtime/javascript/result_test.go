package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestPromisesInResults shows promises by their states, as Node does, and says what to write where a result has some.
func TestPromisesInResults(t *testing.T) {
	const note = "The result has promises in it. To get their values, write: return await Promise.all(promises)"
	for script, want := range map[string]string{
		`return [1, 2].map(async (x) => x * 2)`: "[\n  Promise { " +
			"2 },\n  Promise { 4 }\n]",
		`return {a: new Promise(() => {})}`: "{\n  \"a\": Promise { <pending> }\n}",
		`const p = Promise.reject(new Error('no')); p.catch(() => {}); return [p]`: "[\n  Promise { " +
			"<rejected> [Error: no] }\n]",
		`return new Map([['k', Promise.resolve('v')]])`:                   "Map(1) {\n  \"k\" => Promise { \"v\" }\n}",
		`return new Set([(class extends Promise {}).resolve(undefined)])`: "Set(1) {\n  Promise { undefined }\n}",
		`return [Promise.resolve({a: [1]})]`: "[\n  Promise { " +
			"{\n    \"a\": [\n      1\n    ]\n  } }\n]",
		`const o = {}; o.p = Promise.resolve(o);
			return o`: "{\n  \"p\": Promise { [Circular] }\n}",
		`Promise.prototype.then = Promise.prototype.toString = null;
			return {p: (async () => 1)()}`: "{\n  \"p\": Promise { 1 }\n}",
	} {
		t.Run(script, func(t *testing.T) {
			result := run(t, script)
			require.Equal(t, want, result.Text)
			require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: note}}, result.Console)
		})
	}
	require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "Promise { 1 } Promise { <pending> }"}},
		run(t, `console.log(Promise.resolve(1), new Promise(() => {})); return 1`).Console)
	for _, script := range []string{`return [Object.create(Promise.prototype)]`,
		`return await Promise.all([1, 2].map(async (x) => x))`, `return Promise.resolve([1])`} {
		require.Empty(t, run(t, script).Console, script)
	}
}

// TestResultsAsTextAndData has results whose text is their JSON, and those where it is not.
func TestResultsAsTextAndData(t *testing.T) {
	type object = map[string]any
	for script, want := range map[string]any{
		`return {a: [1, 'x', true, null, {}], b: []}`: object{"a": []any{1.0, "x", true, nil,
			object{}}, "b": []any{}},
		`return {'"\\\n': '"\\\n\ud800', __proto__: null, ['__proto__']: 1}`: object{"\"\\\n": "\"\\\n\ufffd",
			"__proto__": 1.0},
		`return [1e21, 1e-7, -1.5, 123456789012345680000]`:        []any{1e21, 1e-7, -1.5, 123456789012345680000.0},
		`return {a: undefined, b: 1}`:                             object{"b": 1.0},
		`return [undefined, , NaN, -Infinity, () => 1, Symbol()]`: []any{nil, nil, nil, nil, nil, nil},
		`return [10n]`:                        []any{"10"},
		`return [-0]`:                         []any{0.0},
		`return [new Date(0)]`:                []any{"1970-01-01T00:00:00.000Z"},
		`return {a: {toJSON() { return 5 }}}`: object{"a": 5.0},
		`return [new Map([[1, 2]]), new Set([1]), /x/, new Number(3)]`: []any{object{}, object{},
			object{}, 3.0},
		`return {a: new Uint8Array([1, 2])}`:                                    object{"a": []byte{1, 2}},
		`return new (class { x = 1; #y = 2; get z() { return 3 } })`:            object{"x": 1.0},
		`const a = [1]; a.push(a); return a`:                                    nil,
		`let n = 0; return {get a() { return ++n }}`:                            object{"a": 1.0},
		`Object.defineProperty(Array.prototype, 0, {set() {}}); return {a: 1}`:  object{"a": 1.0},
		`Object.prototype.odd = 1; Object.prototype.json = 2; return {a: [-0]}`: object{"a": []any{0.0}},
		`Array.prototype.join = JSON.stringify = () => 'x'; return {a: 1}`:      object{"a": 1.0},
		`return new Proxy({a: 1}, {get: () => 2})`:                              object{"a": 2.0},
	} {
		t.Run(script, func(t *testing.T) { require.Equal(t, want, run(t, script).Value) })
	}

	t.Run("data that is within the limit where the text is not", func(t *testing.T) {
		result := run(t, `return Array(100).fill(1)`, javascript.RunOptions{Limits: sandbox.Limits{Output: 300}})
		require.Len(t, result.Value, 100)
		require.Len(t, result.Text, 300)
		require.Positive(t, result.Truncated)
	})
	t.Run("neither is within the limit", func(t *testing.T) {
		result := run(t, `return Array(1000).fill(1)`, javascript.RunOptions{Limits: sandbox.Limits{Output: 300}})
		require.Nil(t, result.Value)
		require.Len(t, result.Text, 300)
	})
}
