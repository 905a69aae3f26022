//go:build systemtest

package replicas_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/mailtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
)

// BenchmarkResume goes on with code that waits and whose one call has been approved: from the claim to the result. The
// stores write through to the disk, except one. Disks are slow now and then, so the median says more than the mean.
func BenchmarkResume(b *testing.B) {
	const unsynced = "directory without syncing"
	for name, data := range map[string]func(b *testing.B) string{
		"directory": func(b *testing.B) string { return b.TempDir() },
		unsynced:    func(b *testing.B) string { return b.TempDir() },
		"database":  func(b *testing.B) string { return pgtest.StartFor(b, "fsync=on").Base(0) },
	} {
		b.Run(name, func(b *testing.B) {
			m := &mailtest.Mail{}
			runner := open(b, toolrun.Options{DataDir: data(b), Tools: m.Tools(),
				Projects: vfs.Options{NoSync: name == unsynced}})
			session := openSession(b, runner, "p", &toolrun.SessionOptions{Select: mailtest.Choose})
			var took []time.Duration
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				token := mailtest.Ask(b, session, "javascript",
					mailtest.Code(fmt.Sprintf(`return await tools.send({to: 'x'}) + %d`, i))).Pending.Token
				_, err := runner.Waiting().Decide(b.Context(), token, mailtest.Approve("call_1.1"))
				require.NoError(b, err)
				b.StartTimer()
				start := time.Now()
				result, err := session.Resume(b.Context(), token, nil)
				took = append(took, time.Since(start))
				require.NoError(b, err)
				require.Empty(b, result.Code, result.Text())
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}

// heap is how much memory is in use.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Calls that wait take no memory and no goroutine.
func TestManyCallsWait(t *testing.T) {
	many := 100
	if *soak {
		many = 10_000
	}
	for name, options := range map[string]func(*testing.T) toolrun.Options{
		"memory":   func(*testing.T) toolrun.Options { return toolrun.Options{} },
		"disk":     func(t *testing.T) toolrun.Options { return toolrun.Options{DataDir: t.TempDir()} },
		"database": func(t *testing.T) toolrun.Options { return toolrun.Options{DataDir: pgtest.URL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			m := &mailtest.Mail{}
			o := options(t)
			o.Tools, o.Projects = m.Tools(), vfs.Options{NoSync: true}
			runner := open(t, o)
			session := func(i int) *toolrun.Session {
				return openSession(t, runner, fmt.Sprint("p", i%(many/50)),
					&toolrun.SessionOptions{Select: mailtest.Choose})
			}
			wait := func(i int) string {
				s := session(i)
				defer func() { require.NoError(t, s.Close()) }()
				result := mailtest.Ask(t, s, "javascript",
					mailtest.Code(fmt.Sprintf(`return await tools.send({to: 'x'}) + %d`, i)))
				require.NotNil(t, result.Pending, "%d: %s %v", i, result.Text(), result.Err)
				return result.Pending.Token
			}
			first := wait(0)
			goroutines, before := runtime.NumGoroutine(), heap()
			for i := 1; i < many; i++ {
				wait(i)
			}
			require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+20, "many fewer than there are calls")
			if name != "memory" {
				require.Less(t, heap(), before+16<<20)
			}
			result, err := session(0).Resume(t.Context(), first, mailtest.Approve("call_1.1"))
			require.NoError(t, err)
			require.Equal(t, "sent to x0", result.Text()[:10])
		})
	}
}
