package javascript_test

import (
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestClocksThatAScriptHasChanged lets scripts put other clocks in place of their own. Timers and limits have theirs.
func TestClocksThatAScriptHasChanged(t *testing.T) {
	const broken = `
		let n = 0;
		Date.now = performance.now = () => (n++ % 2 ? -1 : 1) * 1e15;
		globalThis.Date = class { constructor() { for (;;); } static now() { return NaN } };
		Object.defineProperty(globalThis, 'performance', {get() { throw 1 }, configurable: true});
	`
	require.Equal(t, "1,2,aborted", run(t, broken+`
		const out = [];
		setTimeout(() => out.push(2), 10);
		await new Promise((r) => setTimeout(r, 1)); out.push(1);
		await new Promise((r) => AbortSignal.timeout(20).addEventListener('abort', r));
		return [...out, 'aborted'].join()`).Text)
	for _, script := range []string{`for (;;);`, `await new Promise((r) => setTimeout(r, 1e9))`,
		`for (;;) await new Promise((r) => setTimeout(r, 0))`} {
		_, err := tryRun(t, broken+script, javascript.RunOptions{Limits: sandbox.Limits{Time: 10 * time.Millisecond}})
		require.Equal(t, byTime, endedAs(err))
	}
}

// TestLibrariesOfAnotherTime has libraries whose files have times that no clock has had, or are ahead.
func TestLibrariesOfAnotherTime(t *testing.T) {
	files := filesWith(t, map[string]string{"/lib/a.js": `var a = Date.now() > 0`, "/m.mjs": `export default 1`})
	for _, year := range []int{-1000, 1, 9999, 200_000} {
		then := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		require.NoError(t, files.Chtimes("/lib/a.js", then, then))
		require.NoError(t, files.Chtimes("/m.mjs", then, then))
		for range 2 {
			result := run(t,
				`import m from '/m.mjs'; const s = fs.statSync('/m.mjs');
					export default [a, m, typeof s.mtimeMs].join()`,
				javascript.RunOptions{Files: afero.NewReadOnlyFs(files), Libraries: []string{"/lib"}})
			require.Regexp(t, "^true,1,number$", result.Text)
		}
	}
}
