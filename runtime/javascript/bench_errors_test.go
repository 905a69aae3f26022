package javascript_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// errorCosts are what code does with errors in loops.
var errorCosts = []struct{ name, code string }{
	{"new Error", `new Error('m')`},
	{"new TypeError at a depth of 10", `deep(10)`},
	{"a class that extends Error", `new Custom('m')`},
	{"throw and catch", `try { throw new Error('m') } catch (e) {}`},
	{"throw through 10 calls", `try { thrown(10) } catch (e) {}`},
	{"throw what is no error", `try { throw 1 } catch (e) {}`},
	{"an error of the engine", `try { none.property } catch (e) {}`},
	{"JSON.parse", `try { JSON.parse('{x') } catch (e) {}`},
	{"read the stack", `new Error('m').stack.length`},
}

// BenchmarkErrors compares what errors cost with what they cost in the bare engine: the medians, in the same run.
func BenchmarkErrors(b *testing.B) {
	bare, err := newBareEngine(b.Context(), false)
	require.NoError(b, err)
	defer func() { require.NoError(b, bare.close(b.Context())) }()
	instance, vm, err := bare.fresh(b.Context(), "")
	require.NoError(b, err)
	defer instance.Close(b.Context())
	const setup = `class Custom extends Error { constructor(m) { super(m); this.name = 'Custom' } }
		const deep = (n) => n > 0 ? deep(n - 1) : new TypeError('m');
		const thrown = (n) => { if (n > 0) thrown(n - 1); else throw new Error('m') };
		let none;
		const t = performance.now();
		for (let i = 0; i < 200; i++) { `
	for _, cost := range errorCosts {
		b.Run(cost.name, func(b *testing.B) {
			var ours, theirs []float64
			for b.Loop() {
				code := setup + cost.code + ` } return (performance.now() - t) * 5`
				took, ok := run(b, code).Value.(float64)
				require.True(b, ok)
				ours = append(ours, took)
				v, err := bare.eval(b.Context(), instance, `String((() => {`+code+`})())`, "bench.js")
				require.NoError(b, err)
				text, _, ok := vm.String(v, 64)
				require.True(b, ok)
				took, err = strconv.ParseFloat(text, 64)
				require.NoError(b, err)
				theirs = append(theirs, took)
			}
			reportMedians(b, ours, "µs", theirs, "bare-µs")
		})
	}
}
