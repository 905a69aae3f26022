package javascript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A chooser makes choices of bytes. When there are no more it chooses the first.
type chooser struct{ bytes []byte }

func (c *chooser) roll(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

func choose[T any](c *chooser, from []T) T { return from[c.roll(len(from))] }

// Expressions for values without others in them.
var (
	primitives = []string{
		"undefined", "null", "true", "false", "0", "-0", "1", "-1.5", "1e21", "1e-7", "NaN", "Infinity", "-Infinity",
		"2147483648", "10n", "-(2n ** 70n)",
		"''", "'a'", "'a\\nb'", "'\\ud800'", "'\\u{1f600}€'", "'\\0'", "'__proto__'", "'x'.repeat(300)", "'\"\\\\'",
		"'1'", "'\\u2028'",
	}
	leaves = []string{
		"new Date(0)", "new Date(NaN)", "new Date(8.64e15)", "/a(b)?/gi", "Object.assign(/x/y, {lastIndex: 3})",
		"Object(1)", "Object('ab')", "Object(true)", "Object(3n)",
		"new ArrayBuffer(0)", "Uint8Array.of(1, 2, 255).buffer", "new ArrayBuffer(4, {maxByteLength: 8})",
		"Uint8Array.of(1, 2, 3)", "new Uint8Array(40)",
		"Float64Array.of(-0, NaN, 1.5)", "BigInt64Array.of(-1n)", "Uint8ClampedArray.of(300)",
		"new Uint16Array(Uint8Array.of(1, 2, 3, 4, 5, 6).buffer, 2, 1)",
		"new DataView(new ArrayBuffer(8), 2, 3)", "new Uint8Array(new ArrayBuffer(4, {maxByteLength: 8}))",
		"new Float32Array(0)",
		"new Error('m')", "new TypeError('')", "Object.assign(new RangeError('r'), {name: 'Other', extra: 1})",
		"Object.assign(new Error('n'), {message: 5})", "new Map()", "new Set()",
		"[]", "{}", "Object.create(null)", "[,1,,]", "new Array(3)", "Object.assign([1], {x: 2})",
		"new (class A { x = 1 })()", "new (class extends Array {})()", "new (class extends Map {})()",
		"new (class extends Error { name = 'E' })('x')", "{get a() { return 1 }}",
		"Object.defineProperty({}, 'hidden', {value: 1})", "{2: 1, 1: 2, b: 3, a: 4}",
		"{['__proto__']: 1}", "{[Symbol.iterator]: 1, a: 2}", "Object.freeze({a: [1]})", "structuredClone", "(() => 1)",
		"function named() {}", "class B {}", "async () => {}", "Symbol('s')", "Symbol.iterator", "Promise.resolve(1)",
		"new WeakMap()", "new WeakSet()",
		"(function* () {})()", "[1].values()", "new Map([[1, 2]]).entries()", "globalThis.Math", "JSON",
	}
	// What shows an engine, or whose text depends on it.
	peculiar = []string{
		"(function () { return arguments })(1, 2)", // which Node does not clone
		"globalThis", "console", "fs", "new URL('https://a.b/c?d#e')", "new URLSearchParams('a=1&b')",
		"new TextDecoder()", "new AbortController().signal", "new DOMException('m', 'DataCloneError')",
		"new Proxy({a: 1}, {get() { throw new Error('get') }})", "new Proxy([1, 2], {ownKeys() { throw 1 }})",
		"new Proxy(function () {}, {})", "Proxy.revocable({}, {}).proxy",
		"(() => { const r = Proxy.revocable([], {}); r.revoke(); return r.proxy })()",
		"{get a() { throw new Error('getter') }}", "{toJSON() { throw 1 }}", "{toJSON() { return this }}",
		"{toJSON() { return {toJSON() { return 1 }} }}",
		"Object.assign(new Date(0), {toJSON: () => 'x', toISOString() { throw 1 }})",
		"{toString() { throw 2 }, valueOf() { throw 3 }}",
		"{get [Symbol.toStringTag]() { throw 4 }}",
		"Object.defineProperty(new Error('m'), 'stack', {get() { throw 5 }})",
		"Object.assign(new Error(), {stack: 'x'.repeat(1e5)})",
		"Object.assign(new Error('m'), {stack: {}, name: Symbol('n')})",
		"new AggregateError([1, new Error('in')], 'all')", "new Array(1e9)", "new Array(2000).fill('long text')",
		"'y'.repeat(100000)", "Array.from({length: 50}, (_, i) => ({i}))", "{length: 1e9}",
		"Object.setPrototypeOf(new Map([[1, 2]]), null)", "Object.create(new Map())",
		"Object.create(Array.prototype)", "Object.create(Error.prototype)", "new SharedArrayBuffer(4)",
		"new Float16Array(2)", "(() => { let o = {}; for (let i = 0; i < 300; i++) o = {o}; return o })()",
		"(() => { let o = []; for (let i = 0; i < 5000; i++) o = [o]; return o })()",
		"(() => { const m = new Map(); m.set(m, m); return m })()", "Promise.reject(new Error('nobody'))",
		"new WeakRef({})",
		"(() => { const e = new Error('self'); e.cause = e; return e })()", "new Proxy(new Error('p'), {})",
		"Object.defineProperty([1], '0', {get() { throw 6 }})", "{then(f) { f(1) }}", "{then() { throw 7 }}",
	}
	propertyNames = []string{"a", "b", "c", "0", "2", "length", "['__proto__']", "constructor", "'x y'", "toJSON",
		"name", "['\\ud800']", "''"}
)

// expression is a JavaScript expression for a value. Without peculiar ones it means the same in all engines.
func (c *chooser) expression(depth int, odd bool) string {
	kinds := 10
	if depth == 0 {
		kinds = 2
	}
	list := func(open, end string, item func() string) string {
		var items []string
		for range c.roll(5) {
			items = append(items, item())
		}
		return open + strings.Join(items, ", ") + end
	}
	value := func() string { return c.expression(depth-1, odd) }
	switch c.roll(kinds) {
	case 0:
		return choose(c, primitives)
	case 1:
		if odd && c.roll(2) == 0 {
			return "(" + choose(c, peculiar) + ")"
		}
		return "(" + choose(c, leaves) + ")"
	case 2, 3:
		return list("[", "]", value)
	case 4, 5:
		return list("({", "})", func() string { return choose(c, propertyNames) + ": " + value() })
	case 6:
		return list("new Map([", "])", func() string { return "[" + value() + ", " + value() + "]" })
	case 7:
		return list("new Set([", "])", value)
	case 8:
		name := choose(c, []string{"Error", "TypeError", "RangeError", "SyntaxError", "EvalError", "URIError",
			"ReferenceError"})
		return fmt.Sprintf("new %s('message', {cause: %s})", name, value())
	default: // what is there twice, and contains itself
		return fmt.Sprintf("((v) => { const a = [v, {v}, %s]; a.push(a, a[1]); return %s })(%s)", value(),
			choose(c, []string{"a", "{a, b: a}", "new Map([[a, a]])", "new Set([a])"}), value())
	}
}

// addChoices adds seeds for a target that makes choices: random ones, and each single value behind each of some
// beginnings, without peculiar values and, if odd is given, with them behind that.
func addChoices(f *testing.F, plain, odd []string) {
	f.Add([]byte{})
	for seed := range 60 {
		random := rand.New(rand.NewPCG(uint64(seed), 3))
		choices := make([]byte, 10+seed*3)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		f.Add(choices)
	}
	for _, beginning := range plain {
		for i := range primitives {
			f.Add([]byte(beginning + string([]byte{0, byte(i)})))
		}
		for i := range leaves {
			f.Add([]byte(beginning + string([]byte{1, byte(i)})))
		}
	}
	for _, beginning := range odd {
		for i := range peculiar {
			f.Add([]byte(beginning + string([]byte{1, 0, byte(i)})))
		}
	}
}
