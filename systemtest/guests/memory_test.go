//go:build systemtest

package guests

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/race"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// soak makes tests that look for slow leaks run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

// mostResident is the most memory that the process has while do runs.
func mostResident(do func()) int64 {
	var most atomic.Int64
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				most.Store(max(most.Load(), procmem.Resident()))
			}
		}
	})
	defer func() {
		close(stop)
		watch.Wait()
	}()
	do()
	return most.Load()
}

// alone runs the test in a process of its own, since memory left by other tests must not count. It reports whether
// this is that process. It skips the test where the process's memory says nothing.
func alone(t *testing.T) bool {
	if procmem.Resident() == 0 {
		t.Skip("the process's memory is not known on this system")
	}
	if race.Enabled {
		t.Skip("the race detector's own memory would be counted")
	}
	if os.Getenv("TOOLRUN_TEST_ALONE") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-soak="+strconv.FormatBool(*soak))
	cmd.Env = append(os.Environ(), "TOOLRUN_TEST_ALONE=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// startScripts starts an engine with JavaScript for one test.
func startScripts(t testing.TB) *javascript.Interpreter {
	scripts, err := javascript.New(t.Context(), newEngine(t, sandbox.EngineOptions{}))
	require.NoError(t, err)
	_, err = scripts.Run(t.Context(), `return 1`, nil)
	require.NoError(t, err)
	debug.FreeOSMemory() // what compiling has left, if the engine was not in the cache
	return scripts
}

func TestMemoryOfTheProcess(t *testing.T) {
	if !alone(t) {
		return
	}
	const limit = 64 << 20
	scripts := startScripts(t)
	run := func(script string, files afero.Fs) error {
		_, err := scripts.Run(t.Context(), script, &javascript.RunOptions{Files: files})
		require.True(t, err == nil || javascript.IsScriptFailure(err), "%s: %v", script, err)
		return err
	}
	t.Run("stays within the limit of the script and 64 MiB", func(t *testing.T) {
		scripts := []string{
			`const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))`,
			`let s = 'x'; for (;;) s += s`,
			`const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)`,
			`const a = []; for (;;) a.push([a.length])`,
			`'x'.repeat(2 ** 30)`,
		}
		if !*soak {
			scripts = scripts[:2]
		}
		for _, script := range scripts {
			most := mostResident(func() {
				reached, ok := errors.AsType[*sandbox.LimitError](run(script, nil))
				require.True(t, ok, script)
				require.Equal(t, sandbox.LimitMemory, reached.Limit, script)
			})
			require.Less(t, most, int64(limit+64<<20), script)
		}
	})
	t.Run("stays within some times the limit in the functions of the host", func(t *testing.T) {
		large := afero.NewMemMapFs()
		require.NoError(t, afero.WriteFile(large, "/large", bytes.Repeat([]byte{0xff}, 60_000_000), 0o644))
		long := strings.Repeat("/"+strings.Repeat("<", 240), 15)
		for i := range 10_000 {
			require.NoError(t, afero.WriteFile(large, fmt.Sprintf("%s/%d", long, i), nil, 0o644))
		}
		scripts := []string{
			`fs.readFileSync('/large', 'utf8')`,
			`fs.readdirSync('/', {recursive: true})`,
			`new TextDecoder('windows-1251').decode(new Uint8Array(55e6).fill(255))`,
			`new URLSearchParams('<&'.repeat(5e5)).toString()`,
			`fs.readFileSync('/large', 'latin1')`,
			`fs.readFileSync('/large', 'utf16le')`,
			`fs.writeFileSync('/x', 'x'.repeat(55e6), 'utf16le')`,
			`new TextDecoder().decode(new Uint8Array(55e6).fill(255))`,
			`new TextDecoder().decode(new Uint8Array(50e6).fill(1), {stream: true})`,
			`btoa('\xff'.repeat(55e6))`,
			`new URLSearchParams('%01&'.repeat(2.5e5)).toString()`,
		}
		if !*soak {
			scripts = scripts[:2]
		}
		for _, script := range scripts {
			debug.FreeOSMemory()
			before := procmem.Resident()
			most := mostResident(func() { _ = run(script, large) })
			require.Less(t, most-before, int64(5*limit), script)
		}
	})
	t.Run("stays flat over many runs", func(t *testing.T) {
		runs := 30
		if *soak {
			runs = 10_000
		}
		script := func(i int) string {
			switch i % 10 {
			case 0:
				return `const a = []; for (;;) a.push(new ArrayBuffer(1e6))`
			case 1:
				return `function r() { r() } try { r() } catch {}`
			}
			return fmt.Sprintf(`console.log('x'.repeat(1000)); return %d`, i)
		}
		for i := range runs / 3 {
			_ = run(script(i), nil)
		}
		before := leakcheck.Take()
		for i := range runs {
			_ = run(script(i), nil)
		}
		before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 48 << 20})
	})
}
