package selftest_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/enginetest"
	"github.com/toolrun/toolrun/internal/selftest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

var engine *sandbox.Engine

func TestMain(m *testing.M) {
	engine = enginetest.New(sandbox.EngineOptions{})
	code := m.Run()
	_ = engine.Close(context.Background())
	os.Exit(code)
}

// TestHostileScripts is the kill suite. How late they were stopped is in the log: machines that run tests are too busy to judge by it.
func TestHostileScripts(t *testing.T) {
	scripts, err := selftest.Scripts()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 600, "some are gone")
	// More at once than there are processors, since some only wait, and a short limit, since most go on until it.
	report, err := selftest.Run(t.Context(), engine, scripts, selftest.Options{AtOnce: 8, TimeLimit: 100 * time.Millisecond})
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log("\n" + table.String())
	require.Len(t, report.Outcomes, len(scripts))
	require.Empty(t, report.Wrong())
}

func TestScriptsAreWellNamed(t *testing.T) {
	scripts, err := selftest.Scripts()
	require.NoError(t, err)
	attempts := map[string]string{}
	for _, s := range scripts {
		require.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`), s.Name)
		require.Regexp(t, regexp.MustCompile(`^[A-Z].*\.$`), s.Attempt, s.Name)
		require.Empty(t, attempts[s.Attempt], "%s attempts the same", s.Name)
		attempts[s.Attempt] = s.Name
	}
}

func TestWhatIsNotAsItShouldBeIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		script selftest.Script
		wrong  string
	}{
		"another ending":    {selftest.Script{Name: "a-b", Endings: []string{"memory limit", "exception"}, Source: `return 1`}, `it should have ended with ["memory limit" "exception"], and not with "returns 1"`},
		"another exception": {selftest.Script{Name: "a-b", Endings: []string{"exception TypeError"}, Source: `throw new RangeError('x')`}, `it should have ended with ["exception TypeError"], and not with "exception RangeError"`},
		"another result":    {selftest.Script{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 12`}, `it should have ended with ["returns 1"], and not with "returns 12"`},
		"no time limit":     {selftest.Script{Name: "a-b", Endings: []string{"never settles"}, Source: `process.exit(3)`}, `it should have ended with ["never settles"], and not with "exits 3"`},
		"what is right":     {selftest.Script{Name: "a-b", Endings: []string{"never settles"}, Source: `await new Promise(() => {})`}, ``},
		"in time":           {selftest.Script{Name: "a-b", Endings: []string{"time limit"}, Source: `await hangs()`}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := selftest.Run(t.Context(), engine, []selftest.Script{test.script}, selftest.Options{})
			require.NoError(t, err)
			require.Equal(t, test.wrong, report.Outcomes[0].Wrong)
			require.Equal(t, test.wrong != "", len(report.Wrong()) == 1)
		})
	}
}

func TestAScriptThatIsStoppedTooLate(t *testing.T) {
	script := selftest.Script{Name: "a-b", Endings: []string{"time limit"}, Source: `for (;;);`}
	report, err := selftest.Run(t.Context(), engine, []selftest.Script{script}, selftest.Options{MostLate: 1})
	require.NoError(t, err)
	require.Contains(t, report.Outcomes[0].Wrong, "after its time limit")
}

func TestAnEngineThatIsBroken(t *testing.T) {
	closed := enginetest.New(sandbox.EngineOptions{})
	require.NoError(t, closed.Close(t.Context()))
	report, err := selftest.Run(t.Context(), closed, []selftest.Script{{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 1`}}, selftest.Options{})
	require.NoError(t, err)
	require.Contains(t, report.Outcomes[0].Wrong, sandbox.ErrClosed.Error())
}

func TestAContextThatEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := selftest.Run(ctx, engine, []selftest.Script{{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 1`}}, selftest.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
