package selftest_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/selftest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// BenchmarkLate makes all attacks by scripts, one after another, and reports how long after their time limit they were
// stopped: the median, and the worst. The log has the worst five. Run it on a quiet machine, with -benchtime=1x.
func BenchmarkLate(b *testing.B) {
	b.Run("javascript", func(b *testing.B) {
		attacks, err := selftest.Attacks()
		require.NoError(b, err)
		reportLate(b, attacks, selftest.Options{})
	})
	b.Run("python", func(b *testing.B) {
		attacks, err := selftest.PythonAttacks()
		require.NoError(b, err)
		reportLate(b, attacks, selftest.Options{Python: pythontest.New(b, sandbox.EngineOptions{})})
	})
}

func reportLate(b *testing.B, attacks []selftest.Attack, options selftest.Options) {
	// The others do not end by a time limit, or are no scripts.
	attacks = slices.DeleteFunc(attacks, func(a selftest.Attack) bool {
		return a.Source == "" || !a.Allows("time limit") || !a.Possible(options.Python)
	})
	options.AtOnce, options.TimeLimit = 1, 100*time.Millisecond
	var late []selftest.Outcome
	for b.Loop() {
		report, err := selftest.Run(b.Context(), engine.Interpreter, attacks, options)
		require.NoError(b, err)
		require.Empty(b, report.Wrong())
		late = append(late, slices.DeleteFunc(report.Outcomes, func(o selftest.Outcome) bool { return o.Late == 0 })...)
	}
	slices.SortFunc(late, func(x, y selftest.Outcome) int { return cmp.Compare(y.Late, x.Late) })
	var worst strings.Builder
	for _, o := range late[:min(5, len(late))] {
		worst.WriteString("\n" + o.Attack + " " + o.Late.Round(time.Microsecond).String())
	}
	b.Log(worst.String())
	b.ReportMetric(float64(late[len(late)/2].Late.Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(late[0].Late.Microseconds())/1000, "worst-ms")
	b.ReportMetric(0, "ns/op")
}
