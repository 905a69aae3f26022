package javascript_test

import (
	"bytes"
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/race"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// hostWork is what the host does for a script in proportion to a size that the script chooses. In each script n is that
// size, in bytes, and the text or the bytes are made in before, which takes the engine hardly any work.
var hostWork = map[string]struct{ before, script string }{
	"console.log":              {`const s = 'x'.repeat(n)`, `console.log(s)`},
	"console.log of wide text": {`const s = '€'.repeat(n / 3)`, `console.log(s)`},
	"writing to the output":    {`const s = 'x\n'.repeat(n / 2)`, `process.stdout.write(s)`},
	"halt":                     {`const s = 'x'.repeat(n)`, `halt(s)`},
	"TextEncoder":              {`const s = 'x'.repeat(n)`, `new TextEncoder().encode(s)`},
	"TextEncoder of wide text": {`const s = '€'.repeat(n / 3)`, `new TextEncoder().encode(s)`},
	"encodeInto": {`const s = 'x'.repeat(n); const b = new Uint8Array(n)`,
		`new TextEncoder().encodeInto(s, b)`},
	"a long label":          {`const s = 'x'.repeat(n)`, `try { new TextDecoder(s) } catch {}`},
	"decoding UTF-8":        {`const b = new Uint8Array(n)`, `new TextDecoder().decode(b)`},
	"decoding what is none": {`const b = new Uint8Array(n).fill(255)`, `new TextDecoder().decode(b)`},
	"decoding UTF-16":       {`const b = new Uint8Array(n)`, `new TextDecoder('utf-16le').decode(b)`},
	"decoding single bytes": {`const b = new Uint8Array(n).fill(255)`,
		`new TextDecoder('windows-1251').decode(b)`},
	"decoding GB 18030": {`const b = new Uint8Array(n)`, `new TextDecoder('gb18030').decode(b)`},
	"decoding a stream": {`const b = new Uint8Array(n)`,
		`new TextDecoder('iso-2022-jp').decode(b, {stream: true})`},
	"atob":                {`const s = 'A'.repeat(n)`, `atob(s)`},
	"atob of white space": {`const s = ' '.repeat(n)`, `atob(s)`},
	"btoa":                {`const s = 'x'.repeat(n)`, `btoa(s)`},
	"SHA-1":               {`const b = new Uint8Array(n)`, `await crypto.subtle.digest('SHA-1', b)`},
	"createHash": {`const b = Buffer.alloc(n); const h = require('crypto').createHash('sha256')`,
		`h.update(b)`},
	"a long sum": {`const h = require('crypto').createHash('shake128', {outputLength: n})`,
		`h.digest()`},
	"pbkdf2": {`const { pbkdf2Sync } = require('crypto')`,
		`pbkdf2Sync('p', 's', n >> 4, 20, 'sha1')`},
	"scrypt": {`const { scryptSync } = require('crypto')`,
		`scryptSync('p', 's', 20, {N: 2 ** Math.floor(Math.log2(n) - 8), r: 2, maxmem: 2 ** 40})`},
	"AES-CBC": {
		`const b = Buffer.alloc(n);
			const c = require('crypto').createCipheriv('aes-128-cbc', b.subarray(0, 16), b.subarray(0, 16))`,
		`c.update(b)`,
	},
	"AES-GCM": {
		`const b = Buffer.alloc(n);
			const c = require('crypto').createCipheriv('aes-128-gcm', b.subarray(0, 16), b.subarray(0, 12))`,
		`c.update(b)`,
	},
	"compression": {`const b = Buffer.alloc(n); const zlib = require('zlib')`, `zlib.deflateSync(b)`},
	"decompression": {`const zlib = require('zlib'); const b = zlib.deflateSync(Buffer.alloc(n))`,
		`zlib.inflateSync(b)`},
	"decompression of a stream": {
		`const z = require('zlib').deflateSync(Buffer.alloc(n)); const w = new DecompressionStream('deflate');
			w.readable.pipeTo(new WritableStream()); const b = w.writable.getWriter()`,
		`await b.write(z)`,
	},
	"compressing a stream": {`const b = Buffer.alloc(n); const z = require('zlib').createGzip()`,
		`await new Promise((done) => z.on('end', done).resume().end(b))`},
	"decompressing a stream": {
		`const zlib = require('zlib'); const b = zlib.gzipSync(Buffer.alloc(n)), z = zlib.createGunzip()`,
		`await new Promise((done) => z.on('end', done).resume().end(b))`,
	},
	"Brotli": {`const b = Buffer.alloc(n); const zlib = require('zlib')`,
		`zlib.brotliCompressSync(b, {params: {1: 4}})`},
	"decompressing Brotli": {
		`const zlib = require('zlib'); const b = zlib.brotliCompressSync(Buffer.alloc(n), {params: {1: 1}})`,
		`zlib.brotliDecompressSync(b)`,
	},
	"dividing a text": {`const s = 'e' + '\u0301'.repeat(n / 4) + 'a'.repeat(n / 2)`,
		`new Intl.Segmenter().segment(s).containing(n / 2)`},
	"comparing texts":        {`const s = 'x'.repeat(n / 2)`, `(s + 'a').localeCompare(s)`},
	"the case of a language": {`const s = 'I'.repeat(n)`, `s.toLocaleLowerCase('tr')`},
	"a set of characters":    {`const s = '[' + 'a'.repeat(n) + ']'`, `new RegExp(s, 'v')`},
	"crc32":                  {`const b = Buffer.alloc(n); const zlib = require('zlib')`, `zlib.crc32(b)`},
	"SHA-512":                {`const b = new Uint8Array(n)`, `await crypto.subtle.digest('SHA-512', b)`},
	"a URL's query":          {`const s = 'http://a/?' + 'x'.repeat(n)`, `new URL(s)`},
	"parsing a query":        {`const s = 'a&'.repeat(n / 2)`, `new URLSearchParams(s)`},
	"formatting a query": {
		`const s = '&'.repeat(n); const p = new URLSearchParams(); p.append('', s)`, `p.toString()`,
	},
	"writing text to a file":     {`const s = 'x'.repeat(n)`, `fs.writeFileSync('/new', s)`},
	"writing base64 to a file":   {`const s = 'A'.repeat(n)`, `fs.writeFileSync('/new', s, 'base64')`},
	"writing hex to a file":      {`const s = 'ab'.repeat(n / 2)`, `fs.writeFileSync('/new', s, 'hex')`},
	"writing UTF-16 to a file":   {`const s = 'x'.repeat(n / 2)`, `fs.writeFileSync('/new', s, 'utf16le')`},
	"writing bytes to a file":    {`const b = new Uint8Array(n)`, `fs.writeFileSync('/new', b)`},
	"reading bytes":              {``, `fs.readFileSync('/file')`},
	"reading text":               {``, `fs.readFileSync('/file', 'utf8')`},
	"reading Latin-1":            {``, `fs.readFileSync('/file', 'latin1')`},
	"reading base64":             {``, `fs.readFileSync('/file', 'base64')`},
	"text of what has been read": {`const b = fs.readFileSync('/file')`, `b.toString('latin1')`},
	"copying a file":             {``, `fs.copyFileSync('/file', '/new')`},
	"copying directories":        {``, `fs.cpSync('/dir', '/new', {recursive: true})`},
	"appending to a file":        {`const s = 'x'.repeat(n)`, `fs.appendFileSync('/file', s)`},
	"lengthening a file":         {``, `fs.truncateSync('/file', n + 1)`},
	"listing directories":        {``, `fs.readdirSync('/many', {recursive: true})`},
	"arguments of a function":    {`const s = 'x'.repeat(n)`, `count(s)`},
	"many arguments":             {`const a = new Array(n / 8).fill({})`, `count(a)`},
	"bytes for a function":       {`const b = new Uint8Array(n)`, `count(b)`},
	"bytes from a function":      {``, `zeros(n)`},
	"text from a function":       {``, `text(n)`},
	"an asynchronous function":   {``, `await later(n)`},
	"the result":                 {`const s = 'x'.repeat(n)`, `return s`},
	"a result with bytes":        {`const b = new Uint8Array(n)`, `return {b}`},
	"an exception":               {`const s = 'x'.repeat(n)`, `throw s`},
	"the trace of a stack": {
		`const e = new Error(); e.stack = '    at f (script.js:1:1)\n'.repeat(n / 25)`, `console.log(e)`,
	},
	"rejections": {``, `for (let i = 0; i < 1200; i++) Promise.reject(i); await 1`},
}

// mostHostWork is the largest n of those rows of hostWork that refuse more, or for which more would take minutes.
var mostHostWork = map[string]int{
	"a set of characters": 1e6, "a URL's query": 1e6, "parsing a query": 1e6, "formatting a query": 4e6,
	"arguments of a function": 4e6, "many arguments": 8 * 4e5, "a result with bytes": 1e6, "the trace of a stack": 1e5,
	"listing directories": 300 * 3000, "rejections": 128 << 10,
	"comparing texts": 4e6, "dividing a text": 8 << 20, "the case of a language": 16 << 20,
}

// sizeOfHostWork returns n for a row of hostWork, which is at most the given one.
func sizeOfHostWork(name string, n int) int {
	if most, ok := mostHostWork[name]; ok {
		return min(n, most)
	}
	return n
}

// workOptions gives a script what hostWork needs.
func workOptions(t testing.TB, n int) javascript.RunOptions {
	files := afero.NewMemMapFs()
	content := bytes.Repeat([]byte("x"), n)
	for _, name := range []string{"/file", "/dir/a/file"} {
		require.NoError(t, afero.WriteFile(files, name, content, 0o644))
	}
	for i := range min(n, mostHostWork["listing directories"]) / 300 {
		require.NoError(t, afero.WriteFile(files, fmt.Sprintf("/many/%d/a-file-in-a-directory", i), nil, 0o644))
	}
	length := func(args []any) int { return int(args[0].(float64)) }
	functions := []javascript.Function{
		{Name: "count", Call: func(_ context.Context, args []any) (any, error) { return len(args), nil }},
		{Name: "zeros", Call: func(_ context.Context, args []any) (any, error) {
			return make([]byte, length(args)), nil
		}},
		{Name: "text", Call: func(_ context.Context, args []any) (any, error) {
			return strings.Repeat("x", length(args)), nil
		}},
		{Name: "later", Async: true, Call: func(_ context.Context, args []any) (any, error) {
			return strings.Repeat("x", length(args)), nil
		}},
	}
	return javascript.RunOptions{
		Files: files, Functions: functions, Globals: map[string]any{"n": n},
		Limits: sandbox.Limits{Memory: int64(max(64<<20, 8*n)), Output: sandbox.Unlimited, Time: patience},
	}
}

// workUsed returns the work of a row of hostWork: what comes before, and all.
func workUsed(t testing.TB, e *javascript.Interpreter, name string, n int) (before, all int64) {
	used := func(script string) int64 {
		options := workOptions(t, n)
		result, err := e.Run(t.Context(), script, &options)
		require.True(t, err == nil || javascript.IsScriptFailure(err), "%s: %v", name, err)
		return result.Usage.Work
	}
	test := hostWork[name]
	return used(test.before), used(test.before + "\n" + test.script)
}

// TestWorkOfTheHostIsCounted checks that what the host does for a script is work of the script, in proportion to what
// is worked on, and the same each time. A script that has half of the work that it needs stops in the middle of that,
// and none of it goes on.
func TestWorkOfTheHostIsCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	n := 128 << 10
	if *soak {
		n = 120 << 20
	}
	synctest.Test(t, func(t *testing.T) {
		e := enginetest.New(sandbox.EngineOptions{})
		defer func() { require.NoError(t, e.Close(t.Context())) }()
		for name, test := range hostWork {
			n := sizeOfHostWork(name, n)
			before, all := workUsed(t, e.Interpreter, name, n)
			require.Greater(t, all-before, int64(n/40), "%s: n bytes are n/32 units of work at least", name)

			options := workOptions(t, n)
			options.Limits.Work = (before + all) / 2
			result, err := e.Run(t.Context(), test.before+"\n"+test.script, &options)
			synctest.Wait()
			require.Zero(t, abandoned(), "%s: something goes on", name)
			var limit *sandbox.LimitError
			require.ErrorAs(t, err, &limit, name)
			require.Equal(t, sandbox.LimitError{Limit: sandbox.LimitWork, Value: options.Limits.Work}, *limit)
			require.LessOrEqual(t, result.Usage.Work, all)

			options = workOptions(t, n)
			options.Limits.Work = all + 1
			result, err = e.Run(t.Context(), test.before+"\n"+test.script, &options)
			require.True(t, err == nil || javascript.IsScriptFailure(err), "%s: %v", name, err)
			require.Equal(t, all, result.Usage.Work, "%s: it is the same each time", name)
		}
	})
}

// abandoned is how many goroutines do the host's part of a run.
func abandoned() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:goruntime.Stack(stacks, true)]), "runtime.perform[...](")
}

// TestWorkOfTheHostWhenTimeIsUp ends runs while the host works for them. What cannot be stopped in the middle ends by
// itself.
func TestWorkOfTheHostWhenTimeIsUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	n := 128 << 10
	if *soak {
		n = 120 << 20
	}
	held := leakcheck.Take()
	for name, test := range hostWork {
		n := sizeOfHostWork(name, n)
		took := func(script string) time.Duration {
			result, _ := tryRun(t, script, workOptions(t, n))
			return result.Usage.Duration
		}
		before, all := took(test.before), took(test.before+"\n"+test.script)
		options := workOptions(t, n)
		options.Limits.Time = max(before, (before+all)/2, time.Millisecond)
		_, err := tryRun(t, test.before+"\n"+test.script, options)
		require.True(t, err == nil || javascript.IsScriptFailure(err), "%s: %v", name, err)
	}
	held.Require(t, leakcheck.Growth{Mappings: 150, Descriptors: 64}) // images with modules of Node are kept
}

// TestMemoryForTheWorkOfTheHost bounds what the host allocates for a script, as a multiple of what it works on.
func TestMemoryForTheWorkOfTheHost(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own memory would be counted")
	}
	n := 1 << 18
	if *soak {
		n = 120 << 20
	}
	for name, test := range hostWork {
		n := sizeOfHostWork(name, n)
		allocated := func(script string) int64 {
			options := workOptions(t, n)
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			_, err := tryRun(t, script, options)
			goruntime.ReadMemStats(&after)
			require.True(t, err == nil || javascript.IsScriptFailure(err), "%s: %v", name, err)
			return int64(after.TotalAlloc - before.TotalAlloc)
		}
		more := allocated(test.before+"\n"+test.script) - allocated(test.before)
		t.Logf("%5.1f times: %s", float64(more)/float64(n), name)
		factor := 6
		switch name {
		case "a URL's query":
			factor = 40 // of 1 MiB at most, by a parser that others have written
		case "Brotli":
			factor = 20 // for tables, which are bounded
		case "the case of a language":
			factor = 20 // of 16 MiB at most
		case "dividing a text":
			factor = 120 // for pieces of 16 KiB, one after the other
		case "comparing texts":
			factor = 40 // of 8 MiB at most, for elements that say how a character sorts
		case "a set of characters":
			factor = 60 // of 1 MiB at most, for members that are dropped one after the other
		case "many arguments":
			factor = 20 // for values whose weight is bounded
		case "writing to the output":
			factor = 150 // for entries of one character, which count what they hold
		}
		require.Less(t, more, int64(factor*n+1<<20), name)
	}
}

// TestEntriesCountWhatTheyHold prints as many entries as there is room for, where the limit on output is that of
// memory.
func TestEntriesCountWhatTheyHold(t *testing.T) {
	const limit = sandbox.MinMemory
	options := javascript.RunOptions{Limits: sandbox.Limits{Memory: limit, Output: sandbox.Unlimited}}
	for _, script := range []string{`for (let i = 0; i < 1e5; i++) console.log('')`,
		`process.stdout.write('\n'.repeat(1e5))`, `process.stdout.write('a\n'.repeat(1e5))`} {
		before := leakcheck.Take()
		result := run(t, script, options)
		require.Positive(t, result.Truncated)
		require.Greater(t, len(result.Console), 50_000)
		if !race.Enabled {
			// an array that grows has room left
			require.Less(t, leakcheck.Take().Heap-before.Heap, int64(limit+limit/2), script)
		}
		goruntime.KeepAlive(result)
	}
}
