package javascript_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inScript runs a script that returns how long something has taken, or a ratio, b.N times, and reports the median.
func inScript(b *testing.B, script, unit string) {
	b.Helper()
	var all []float64
	for b.Loop() {
		took, ok := run(b, script).Value.(float64)
		require.True(b, ok)
		all = append(all, took)
	}
	slices.Sort(all)
	b.ReportMetric(all[len(all)/2], unit)
	b.ReportMetric(0, "ns/op")
}

// compared is inScript for how many times longer than another piece of code one takes, in the same run.
func compared(b *testing.B, setup, code, other string) {
	b.Helper()
	inScript(b, setup+`
		const measure = (f) => { let least = Infinity; for (let r = 0; r < repeat; r++) { const t = performance.now();
			for (let i = 0; i < times; i++) f(); least = Math.min(least, performance.now() - t) } return least };
		return measure(() => { `+code+` }) / measure(() => { `+other+` })`, "ratio")
}

// BenchmarkIntl is the first use of a formatter in a run, and sorting by a language's rules, compared with sorting by
// code units in the same way.
func BenchmarkIntl(b *testing.B) {
	b.Run("the first NumberFormat", func(b *testing.B) {
		inScript(b, `const t = performance.now(); new Intl.NumberFormat('en'); return (performance.now() - t) * 1000`,
			"µs/first")
	})
	const words = `const repeat = 3, times = 1; let seed = 1;
const random = (n) => (seed = (seed * 16807) %% 2147483647) %% n;
		const letters = %q, words = Array.from({ length: 10000 },
	() => Array.from({ length: 3 + random(8) }, () => letters[random(letters.length)]).join(''));`
	const byUnits = `words.slice().sort((a, b) => a < b ? -1 : a > b ? 1 : 0)`
	for _, text := range []struct{ name, letters string }{{"ASCII", "abcdefgh -ABE"}, {"Latin", "aàbcdeéfgöß -ABÉ"}} {
		setup := fmt.Sprintf(words, text.letters)
		for _, sort := range []struct{ name, code string }{
			{"a Collator", `words.slice().sort(new Intl.Collator('de').compare)`},
			{
				"a function of a Collator",
				`const { compare } = new Intl.Collator('de'); words.slice().sort((a, b) => compare(a, b))`,
			},
			{"localeCompare", `words.slice().sort((a, b) => a.localeCompare(b))`},
		} {
			b.Run("sort "+text.name+" by "+sort.name, func(b *testing.B) { compared(b, setup, sort.code, byUnits) })
		}
	}
}

// BenchmarkBuffer compares Buffer with what Uint8Array and the rest of the language have for the same or the most
// alike.
func BenchmarkBuffer(b *testing.B) {
	const setup = `const repeat = 20, size = %d, times = size > 1000 ? 2 : 50;
		const u = new Uint8Array(size).map((_, i) => 97 + i %% 25), b = Buffer.from(u),
	text = b.toString(), encoder = new TextEncoder();
		u[size - 1] = b[size - 1] = 122;
		const hex = b.toString('hex'), base64 = b.toString('base64'), part = Buffer.from(u.slice(-10));`
	const characters = `String.fromCharCode.apply(null, u)`
	for _, size := range []int{100, 32 << 10} {
		setup := fmt.Sprintf(setup, size)
		for _, op := range []struct{ name, code, other string }{
			{"from bytes", `Buffer.from(u)`, `new Uint8Array(u)`},
			{"from text", `Buffer.from(text)`, `encoder.encode(text)`},
			{"from latin1", `Buffer.from(text, 'latin1')`, `encoder.encode(text)`},
			{"from hex", `Buffer.from(hex, 'hex')`, `encoder.encode(hex)`},
			{"from base64", `Buffer.from(base64, 'base64')`, `encoder.encode(base64)`},
			{"toString", `b.toString()`, characters},
			{"toString of latin1", `b.toString('latin1')`, characters},
			{"toString of hex", `b.toString('hex')`, characters},
			{"toString of base64", `b.toString('base64')`, characters},
			{"concat", `Buffer.concat([b, b])`, `{ const r = new Uint8Array(2 * size); r.set(u); r.set(u, size) }`},
			{"indexOf a byte", `b.indexOf(122)`, `u.indexOf(122)`},
			{"indexOf bytes", `b.indexOf(part)`,
				`{ let at = u.indexOf(part[0]);
					while (!part.every((c, i) => u[at + i] === c)) at = u.indexOf(part[0], at + 1) }`},
			{"slice", `b.slice(10, 50)`, `u.subarray(10, 50)`},
		} {
			b.Run(fmt.Sprintf("%s, %d", op.name, size), func(b *testing.B) { compared(b, setup, op.code, op.other) })
		}
	}
}

// BenchmarkHash compares node:crypto with Go's, for 10 MiB, in the same run.
func BenchmarkHash(b *testing.B) {
	data := make([]byte, 10<<20)
	const script = `const data = Buffer.alloc(10 << 20); const { createHash } = require('crypto');
		const t = performance.now();
		createHash('sha256').update(data).digest('hex'); return performance.now() - t`
	var ours, theirs []float64
	for b.Loop() {
		took, ok := run(b, script).Value.(float64)
		require.True(b, ok)
		ours = append(ours, took)
		began := time.Now()
		sha256.Sum256(data)
		theirs = append(theirs, time.Since(began).Seconds()*1000)
	}
	reportMedians(b, ours, "ms", theirs, "Go-ms")
}

// reportMedians reports the medians of what two things have taken in one run, with their units, and their ratio.
func reportMedians(b *testing.B, ours []float64, unit string, theirs []float64, theirUnit string) {
	slices.Sort(ours)
	slices.Sort(theirs)
	middle := len(ours) / 2
	b.ReportMetric(ours[middle], unit)
	b.ReportMetric(theirs[middle], theirUnit)
	b.ReportMetric(ours[middle]/theirs[middle], "ratio")
	b.ReportMetric(0, "ns/op")
}
