package javascript

import (
	"context"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// TestLibrariesSeeWhatIsTheirs loads the same libraries in runs that differ in something that the libraries can find
// out.
func TestLibrariesSeeWhatIsTheirs(t *testing.T) {
	globals := func(g map[string]any) RunOptions { return RunOptions{Globals: g} }
	memory := func(n int64) RunOptions { return RunOptions{Limits: sandbox.Limits{Memory: n}} }
	for name, test := range map[string]struct {
		library string
		runs    []RunOptions
		want    []string
	}{
		"empty bytes, or a text that looks like their place": {
			`var seen = typeof x`,
			[]RunOptions{globals(map[string]any{"x": []byte{}}), globals(map[string]any{"x": "\x000:0"})},
			[]string{"object", "string"},
		},
		"bytes, and a text that looks like their place": {
			`var seen = typeof x + typeof y`,
			[]RunOptions{
				globals(map[string]any{"x": []byte("hello"), "y": "\x000:5"}),
				globals(map[string]any{"y": []byte("hello"), "x": "\x000:5"}),
			},
			[]string{"objectstring", "stringobject"},
		},
		"memory": {
			`var seen = true; try { new Uint8Array(20e6) } catch { seen = false }`,
			[]RunOptions{memory(8 << 20), memory(64 << 20), memory(8 << 20)},
			[]string{"false", "true", "false"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			engine := cachedEngine(t, sandbox.EngineOptions{})
			for range 2 {
				for i, options := range test.runs {
					options.Libraries, options.Files = []string{"/lib"},
						libraryFiles(t, map[string]string{"/lib/a.js": test.library})
					result, err := engine.Run(t.Context(), `return seen`, &options)
					require.NoError(t, err)
					require.Equal(t, test.want[i], result.Text, "run %d", i)
				}
			}
		})
	}
}

// panicsOnce is a file system that panics the first time that it is asked for a path.
type panicsOnce struct {
	afero.Fs
	path     string
	panicked bool
}

func (f *panicsOnce) Stat(name string) (os.FileInfo, error) {
	if name == f.path && !f.panicked {
		f.panicked = true
		panic("once")
	}
	return f.Fs.Stat(name)
}

func TestFailuresOfFilesAreNotKept(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	files := libraryFiles(t, map[string]string{
		"/lib/a.js":     `var x = 'none'; try { x = require('/lib/sub/b.js') } catch {}`,
		"/lib/sub/b.js": `module.exports = 'b'`,
	})
	options := &RunOptions{Libraries: []string{"/lib"}, Files: &panicsOnce{Fs: files, path: "/lib/sub/b.js"}}
	for i, want := range []string{"none", "b", "b"} {
		result, err := engine.Run(t.Context(), `return x`, options)
		require.NoError(t, err)
		require.Equal(t, want, result.Text, "run %d", i)
	}
}

// TestEvidenceIsBounded has libraries that read much and make little of it.
func TestEvidenceIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: 4 << 20})
	const n, each = 16, 4 << 20
	files := map[string]string{"/lib/a.js": fmt.Sprintf(
		`let n = 0; for (let i = 0; i < %d; i++) n += require('/data/' + i + '.json'); measure(n)`, n)}
	for i := range n {
		files[fmt.Sprintf("/data/%d.json", i)] = strings.Repeat(" ", each) + "1"
	}
	heap := func() int64 {
		goruntime.GC()
		var stats goruntime.MemStats
		goruntime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	var loaded any
	var grown int64
	options := &RunOptions{Libraries: []string{"/lib"}, Files: libraryFiles(t, files)}
	before := heap()
	options.Functions = []Function{{Name: "measure", Call: func(_ context.Context, args []any) (any, error) {
		loaded, grown = args[0], heap()-before
		return nil, nil
	}}}
	result, err := engine.Run(t.Context(), `return 1`, options)
	require.NoError(t, err)
	require.Empty(t, result.Console)
	require.EqualValues(t, n, loaded)
	require.Less(t, grown, int64(n*each/2))
}

// badList is a file system whose lists have entries that panic or hang when they are looked at.
type badList struct {
	afero.Fs
	size func() int64
}

type badListDirectory struct {
	afero.File
	size func() int64
}

type badListEntry struct {
	os.FileInfo
	size func() int64
}

func (f badList) Open(name string) (afero.File, error) {
	file, err := f.Fs.Open(name)
	return badListDirectory{file, f.size}, err
}

func (f badListDirectory) Readdir(n int) ([]os.FileInfo, error) {
	list, err := f.File.Readdir(n)
	for i := range list {
		list[i] = badListEntry{list[i], f.size}
	}
	return list, err
}

func (i badListEntry) Size() int64 { return i.size() }

func TestLibrariesThatCannotBeListed(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	files := libraryFiles(t, map[string]string{"/lib/a.js": `var x = 1`})
	t.Run("because of a panic", func(t *testing.T) {
		result, err := engine.Run(t.Context(), `return typeof x`, &RunOptions{Libraries: []string{"/lib"},
			Files: badList{files, func() int64 { panic("no") }}})
		require.NoError(t, err)
		require.Equal(t, "undefined", result.Text)
		require.Len(t, result.Console, 1)
		require.Contains(t, result.Console[0].Text, "/lib cannot be read")
	})
	t.Run("in time", func(t *testing.T) {
		hang := make(chan struct{})
		defer close(hang)
		_, err := engine.Run(t.Context(), `return 1`, &RunOptions{
			Libraries: []string{"/lib"}, Files: badList{files, func() int64 { <-hang; return 0 }},
			Limits: sandbox.Limits{Time: 10 * time.Millisecond},
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestClocksOfRunsWithLibraries has a library that has asked when the clock began, in another run.
func TestClocksOfRunsWithLibraries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{})
		options := &RunOptions{Libraries: []string{"/lib"},
			Files: libraryFiles(t, map[string]string{"/lib/a.js": `performance.timeOrigin`})}
		for _, script := range []string{`return %s`, `export default %s`} {
			for range 2 {
				result, err := engine.Run(t.Context(),
					fmt.Sprintf(script, `Date.now() - performance.timeOrigin - performance.now()`), options)
				require.NoError(t, err)
				require.InDelta(t, 0, result.Value, 1)
				time.Sleep(time.Second)
			}
		}
	})
}

// TestEqualGlobalsHaveTheSameLibraries has several bytes in a map, which Go goes through in any order.
func TestEqualGlobalsHaveTheSameLibraries(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	options := &RunOptions{
		Libraries: []string{"/lib"}, Files: libraryFiles(t, map[string]string{"/lib/a.js": `var x = 1`}),
		Globals: map[string]any{"all": map[string]any{"a": []byte("1"), "b": []byte("2"), "c": []byte("3"),
			"d": []byte("4")}},
	}
	for range 20 {
		_, err := engine.Run(t.Context(), `return x`, options)
		require.NoError(t, err)
	}
	n := engine.engine.Stats().Images
	require.Equal(t, 1, n)
}

// TestBytesCrossWhileAModuleIsLinked calls a function from a file that runs before the script, which is a module.
func TestBytesCrossWhileAModuleIsLinked(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	options := &RunOptions{
		Libraries: []string{"/lib"},
		Files: libraryFiles(t, map[string]string{
			"/lib/a.js": `var x = 1`,
			"/b.cjs": `const got = echo(new Uint8Array([1, 2]));
				module.exports = [got instanceof Uint8Array, got.join()].join(':')`,
		}),
		Functions: []Function{{Name: "echo", Call: func(_ context.Context, args []any) (any, error) {
			return append([]byte{0}, args[0].([]byte)...), nil
		}}},
	}
	for i := range 3 {
		result, err := engine.Run(t.Context(), `import b from '/b.cjs'; export default b`, options)
		require.NoError(t, err, "run %d", i)
		require.Equal(t, "true:0,1,2", result.Text, "run %d", i)
	}
}

// TestSandboxesThatCannotBeginAreNotLost has globals that find no room, or a context that ends before they are there.
func TestSandboxesThatCannotBeginAreNotLost(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{MaxIdle: 1})
	var before leakcheck.Holdings
	for round := range 20 {
		if round == 1 { // what the process opens once is open
			before = leakcheck.Take()
		}
		result, err := engine.Run(t.Context(), `return 1`, &RunOptions{
			Limits:  sandbox.Limits{Memory: sandbox.MinMemory, Time: patient},
			Globals: map[string]any{"big": strings.Repeat("x", 8<<20)},
		})
		limit := &sandbox.LimitError{}
		require.ErrorAs(t, err, &limit)
		require.Equal(t, sandbox.LimitMemory, limit.Limit)
		require.NotZero(t, result.Usage.Memory)

		ctx, cancel := context.WithCancel(t.Context())
		_, err = engine.Run(ctx, `return 1`, &RunOptions{Globals: map[string]any{"x": cancelWhenEncoded{cancel}}})
		require.ErrorIs(t, err, context.Canceled)
	}
	before.Require(t, leakcheck.Growth{Mappings: 20})
}

// cancelWhenEncoded is a global that ends its run.
type cancelWhenEncoded struct{ cancel func() }

func (c cancelWhenEncoded) MarshalJSON() ([]byte, error) {
	c.cancel()
	return []byte("1"), nil
}

// TestLibrariesCountTheSame compares the work of runs that load libraries with those that find them.
func TestLibrariesCountTheSame(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	for name, library := range map[string]string{
		"little": `var x = 1`,
		"much garbage": `var all = []; for (let i = 0; i < 200000; i++) {
			const a = {}, b = {a}; a.b = b; if (i % 3) all.push(a) }`,
		"a module": `export const a = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			options := &RunOptions{Libraries: []string{"/lib"},
				Files: libraryFiles(t, map[string]string{"/lib/a.js": library}), Limits: sandbox.Limits{Time: patient}}
			var first *Result
			for range 3 {
				result, err := engine.Run(t.Context(),
					`let s = []; for (let i = 0; i < 30000; i++) s.push({}); return s.length`, options)
				require.NoError(t, err)
				if first == nil {
					first = result
				}
				require.Equal(t, first.Usage.Work, result.Usage.Work)
				require.Equal(t, first.Usage.Memory, result.Usage.Memory)
			}
		})
	}
}
