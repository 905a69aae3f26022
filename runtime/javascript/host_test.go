package javascript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// testEngine is an engine with JavaScript, for tests that look inside of the package.
type testEngine struct {
	*Interpreter
	engine *sandbox.Engine
}

func (e *testEngine) Close(ctx context.Context) error { return e.engine.Close(ctx) }

func newTestEngine(options sandbox.EngineOptions) (*testEngine, error) {
	options.CacheDir = testCacheDir()
	engine, err := sandbox.New(&options)
	if err != nil {
		return nil, err
	}
	i, err := New(context.Background(), engine)
	return &testEngine{i, engine}, err
}

// hostEngine is an engine that tests share.
var hostEngine = sync.OnceValues(func() (*testEngine, error) { return newTestEngine(sandbox.EngineOptions{}) })

// begin begins a run of an engine, which the caller ends.
func (e *testEngine) begin(t testing.TB, options RunOptions) *run {
	options, err := options.withDefaults()
	require.NoError(t, err)
	begun, err := e.program.Begin(t.Context(), sandbox.RunOptions{Limits: options.Limits})
	require.NoError(t, err)
	return newRun(begun, options)
}

// testCacheDir is enginetest.CacheDir, which imports this package.
func testCacheDir() string {
	return cmp.Or(os.Getenv("TOOLRUN_TEST_CACHE"),
		filepath.Join(os.TempDir(), fmt.Sprintf("toolrun-test-%d", os.Getuid())))
}

// stealPrimitive gives a script what no script can get: the native function that calls the host, as the global raw.
const stealPrimitive = `(function (wrapper) {
	const {call} = Function.prototype;
	Function.prototype.call = function () { globalThis.raw = this };
	wrapper();
	Function.prototype.call = call;
})`

// attackHost runs a script that has the host primitive.
func attackHost(t testing.TB, script string) error {
	return attackHostWithin(t, script, sandbox.Limits{Time: patient})
}

func attackHostWithin(t testing.TB, script string, limits sandbox.Limits) error {
	engine, err := hostEngine()
	require.NoError(t, err)
	r := engine.begin(t, RunOptions{
		Files:  afero.NewMemMapFs(),
		Limits: limits,
		Functions: []Function{{Name: "f", Call: func(_ context.Context, args []any) (any, error) { return args, nil }},
			{Name: "g", Async: true, Call: func(_ context.Context, args []any) (any, error) { return args, nil }}},
	})
	defer r.End()
	in, err := r.sandbox(engine.program)
	require.NoError(t, err)

	ctx := in.Context()
	steal, err := in.VM.Eval(ctx, stealPrimitive, "steal.js")
	require.NoError(t, err)
	wrapper, err := in.VM.NewHostFunction(ctx)
	require.NoError(t, err)
	v, err := in.VM.Call(ctx, steal, wrapper)
	require.NoError(t, err)
	require.NotEqual(t, quickjs.Exception, v)

	return in.execute(engine.program, script)
}

// hostileValues are expressions for what a script may hand to the host.
var hostileValues = []string{
	`undefined`, `null`, `true`, `0`, `1`, `2`, `3`, `-1`, `5`, `2147483647`, `-2147483648`, `4294967296`, `1e300`,
	`NaN`, `1.5`, `10n`, `2n ** 64n`,
	`''`, `'/a'`, `'/'`, `'..'`, `'\0'`, `'\ud800'`, `'€'`, `'x'.repeat(10000)`, `'[]'`, `'[1]'`, `'{'`, `'"x"'`,
	`'['.repeat(5000)`, `'[' + '1,'.repeat(5000) + '1]'`,
	`{}`, `[]`, `[1, 2]`, `() => 1`, `Symbol('s')`, `new Date(0)`, `/x/`, `new Map()`, `Promise.resolve(1)`,
	`new Proxy({}, {})`, `new Proxy(new ArrayBuffer(8), {})`,
	`new ArrayBuffer(0)`, `new ArrayBuffer(100)`, `new SharedArrayBuffer(8)`, `new Uint8Array(8)`,
	`new DataView(new ArrayBuffer(4))`,
	`(() => { const b = new ArrayBuffer(8, {maxByteLength: 16}); b.resize(2); return b })()`,
	`new ArrayBuffer(8, {maxByteLength: 1e6})`,
	`{valueOf() { throw 1 }, toString() { throw 2 }}`, `globalThis`, `raw`, `fs`,
	`'hex'`, `'utf16le'`, `'wx'`,
}

// webValues are further expressions, of arguments that functions take, several of them at a time where these
// belong together.
var webValues = []string{
	`new ArrayBuffer(100), 0, 100`, `new Uint8Array(4).buffer, 1, 2`, `new ArrayBuffer(8), 4, 2147483647`,
	`new ArrayBuffer(8), -1, 8`, `new SharedArrayBuffer(8), 0, 8`,
	`raw('zlib.begin', 'gzip')`, `raw('zlib.begin')`, `raw('crypto.begin', 'sha512')`,
	`raw('crypto.begin', 'shake128')`,
	`raw('crypto.cipher', 'gcm', 0, new ArrayBuffer(16), new ArrayBuffer(12))`,
	`raw('crypto.cipher', 'cbc', 1, new ArrayBuffer(16), new ArrayBuffer(16))`,
	`new ArrayBuffer(16), new ArrayBuffer(16)`, `raw('pair.generate', 'P-256', 0)`,
	`raw('pair.generate', 'X25519', 0), raw('pair.generate', 'Ed25519', 0)`,
	`'sha256'`, `'gzip'`, `'raw'`, `'any'`, `'gzip 6 3'`, `'raw -9 99'`, `'11 24 1 0 0 0'`, `'16 8 1 1000000'`,
	`'pkcs8'`, `'sign'`, `'verify'`, `'encrypt'`, `'agree'`,
	`'{"name":"ECDSA","hash":"SHA-256","salt":-1}'`, `'{"kty":"EC","crv":"P-256","x":"","y":"","d":""}'`, `'P-256'`,
	`'RSA'`, `'base64'`, `'utf-8'`, `'shift_jis'`,
	`'en'`, `'ar-EG zh-u-nu-hanidec'`, `'en sort default variant false true upper'`, `'th grapheme'`, `'en word'`,
	`'collator'`, `'number'`, `'currency'`, `'day'`, `'ordinal'`,
	`'-1e300'`, `'1e4096'`, `'9'.repeat(1e5)`, `'Infinity'`, `'8.64e15'`, `'{"locale":"en","zone":"UTC"}'`,
	`'{"locale":"ar","calendar":"islamic","zone":"Asia/Tokyo","dateStyle":"full"}'`,
	`'\u{1f600}\u0301'.repeat(3000)`, `'\ufdfa'.repeat(3000)`, `'http://a:1/?b=c#d'`, `'host'`, `'lt'`, `'upper'`,
	`'[[1,2],[3,4]]'`,
}

// TestCraftedHostCalls calls every function of the host with many combinations of values.
func TestCraftedHostCalls(t *testing.T) {
	t.Parallel()
	// By these a script can say that it has ended in any way, or replace what promises call.
	ends := []string{"run.finish", "run.halt", "run.exit", "promise.hook"}
	calls := 60
	if testing.Short() {
		calls = 20
	}
	for i, name := range append(features.Functions(), "nothing", "") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 2))
			var script strings.Builder
			for range calls {
				fmt.Fprintf(&script, "try { raw('%s'", name)
				for range 3 + random.IntN(6) {
					values := webValues
					if random.IntN(3) > 0 {
						values = hostileValues
					}
					script.WriteString(", " + values[random.IntN(len(values))])
				}
				script.WriteString(") } catch (e) { String(e) }\n")
			}
			script.WriteString(`
				await fs.writeFile('/check', 'abc');
				if (await fs.readFile('/check', 'utf8') !== 'abc') throw 'wrong content';
				if (f(1, 'x')[1] !== 'x') throw 'wrong answer';
				const missing = raw('fs.readFile', 0, '/missing', undefined);
				if (missing[2] !== 'ENOENT') throw 'the calls have not reached the host'`)
			// Some of them wait for what never comes.
			err := attackHostWithin(t, script.String(), sandbox.Limits{Time: 5 * time.Second, Work: 50_000_000})
			_, limit := errors.AsType[*sandbox.LimitError](err)
			require.True(t, err == nil || limit || slices.Contains(ends, name), "%s: %v", name, err)
		})
	}
}

// TestWhatIsNoFunctionOfTheHost calls what no name stands for.
func TestWhatIsNoFunctionOfTheHost(t *testing.T) {
	require.NoError(t, attackHost(t, `
		for (const value of [`+strings.Join(hostileValues, ", ")+`]) {
			if (raw(value, 0, 0, 0)[1] !== 'unknown function of the host') throw 'there is one';
		}`))
}

func TestFailuresOfTheHostAreNoCrashes(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	r := engine.begin(t, RunOptions{})
	in, err := r.sandbox(engine.program)
	require.NoError(t, err)
	in.Untrusted()
	r.End()
	in.VM.Work = nil
	_, err = in.VM.Eval(in.Context(), "console.log(1); 1", "script.js") // there is no run, so the host panics
	require.Error(t, err)
	require.False(t, IsScriptFailure(in.Reason(err)))
}

func FuzzHostCalls(f *testing.F) {
	names := features.Functions()
	for i := range names {
		f.Add([]byte{byte(i), byte(i), byte(3 * i), byte(7 * i), byte(11 * i), byte(13 * i), byte(i), byte(17 + i)})
	}
	values := append(slices.Clone(hostileValues), webValues...)
	f.Add([]byte{byte(slices.Index(names, "run.exit")), 0, 0}) // ends the run, without an error for its caller
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 200 {
			t.Skip()
		}
		var script strings.Builder
		for len(data) > 0 {
			n := min(len(data), 2+int(data[0])%6)
			fmt.Fprintf(&script, "try { raw('%s'", names[int(data[0])%len(names)])
			for i := range 5 {
				value := 0
				if i+1 < n {
					value = int(data[i+1])
				}
				script.WriteString(", " + values[value%len(values)])
			}
			script.WriteString(") } catch (e) { String(e) }\n")
			data = data[n:]
		}
		err := attackHost(t, script.String())
		if err != nil && err != errExited && !IsScriptFailure(err) {
			t.Fatalf("%v\n%s", err, script.String())
		}
	})
}

// FuzzScripts runs arbitrary source. Whatever it is, the error must be the script's.
func FuzzScripts(f *testing.F) {
	for _, seed := range []string{`return 1`, `}`, `throw 1`, `}, async function(){`, "`${", `/(/`, `console.log(1`,
		`await 0`, "\x00", "\xff", `import('qjs:std')`, `#x`, `class A{#x}`, `label: for(;;) break label`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		engine, err := hostEngine()
		require.NoError(t, err)
		result, err := engine.Run(t.Context(), script, &RunOptions{Limits: sandbox.Limits{Time: 2 * time.Second,
			Work: 50_000_000}})
		require.NotNil(t, result)
		if err != nil && !IsScriptFailure(err) {
			t.Fatalf("%q: %v", script, err)
		}
	})
}
