package python_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/recording"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// Whatever code gets from outside, in an order that is by chance.
const draws = `
import random, time, datetime, uuid, secrets, os, asyncio, mylib
print(random.random(), time.time(), time.monotonic(), uuid.uuid4(), secrets.token_hex(4),
    datetime.datetime.now(), mylib.drawn)
async def one(n):
    print('answered', (await tools.echo(n))['x'], random.random())
async def ticking():
    for n in range(3):
        await asyncio.sleep(0.001)
        print('tick', time.monotonic())
await asyncio.gather(one(1), ticking(), one(2), one(3))
open('/out.txt', 'w').write('drawn %s' % random.random())
time.sleep(0.001)
print(open('/in.txt').read(), open('/out.txt').read(), sorted(os.listdir('/')), os.stat('/out.txt').st_mtime, input())
try:
    open('/none')
except OSError as e:
    print(e)
hash('text'), id(object()) > 0, time.perf_counter()
`

func TestCodeIsRecordedAndPlayedBack(t *testing.T) {
	needPython(t)
	functions := []python.Function{{Name: "tools.echo", Call: func(_ context.Context, args []any,
		_ map[string]any) (any, error) {
		for range rand.IntN(100) { // so that answers come in any order
			goruntime.Gosched()
		}
		return map[string]any{"x": args[0]}, nil
	}}}
	for n := range 5 {
		code := draws
		if n%2 == 1 {
			code = strings.Replace(code, "tools.echo(n)", "tools.echo({'n': n})", 1)
		}
		files := afero.NewMemMapFs()
		require.NoError(t, afero.WriteFile(files, "/in.txt", []byte("what is there"), 0o600))
		require.NoError(t, afero.WriteFile(files, "/lib/python/mylib.py", []byte("import random\ndrawn = "+
			"random.random()"), 0o600))
		var tape bytes.Buffer
		recorder := recording.NewRecorder(&tape, recording.Header{}, nil)
		want, err := interpreter.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: recorder}), code,
			&python.RunOptions{
				Functions: functions, Files: recorder.Files(wrapfs.Foreign(files)),
				StdinFrom: recorder.Stdin(strings.NewReader(fmt.Sprintln(n))),
			})
		require.NoError(t, err)
		require.NoError(t, recorder.End(nil))

		recorded, err := recording.Read(&tape, nil)
		require.NoError(t, err)
		player := recorded.Player()
		got, err := interpreter.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: player}), code,
			&python.RunOptions{
				Functions: functions, Files: player.Files(), StdinFrom: player.Stdin(),
			})
		if d := player.Difference(); d != nil {
			require.NoError(t, d)
		}
		require.NoError(t, err)
		require.Equal(t, want.Text, got.Text)
		require.Equal(t, want.Console, got.Console)
		require.Equal(t, want.Usage.Work, got.Usage.Work)
	}
}

func TestSeededRunsAreTheSameEverywhere(t *testing.T) {
	needPython(t)
	run := func(seed string, clock time.Time) string {
		ctx := sandbox.WithSource(t.Context(), sandbox.Source{Seed: seed, Clock: clock})
		result, err := interpreter.Run(ctx, `
import random, time, datetime, uuid, secrets, asyncio
await asyncio.sleep(0.002)
str([random.random(), secrets.token_hex(4), str(uuid.uuid4()), time.time(),
    str(datetime.datetime.now()), time.monotonic()])`, nil)
		require.NoError(t, err)
		return result.Text
	}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := run("7", day)
	require.Equal(t, first, run("7", day))
	require.NotEqual(t, first, run("8", day))
	require.NotEqual(t, first, run("", day), "without a seed the numbers are the machine's")
	require.Contains(t, first, "2026-01-02 03:04:05.")
}
