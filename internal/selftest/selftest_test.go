package selftest_test

import (
	"context"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/selftest"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/internal/test/race"
	sandbox "github.com/toolrun/toolrun/runtime"
)

var soak = flag.Bool("soak", false, "make all attacks that take long, too")

var engine *enginetest.Engine

func TestMain(m *testing.M) {
	flag.Parse()
	engine = enginetest.New(sandbox.EngineOptions{})
	code := m.Run()
	_ = engine.Close(context.Background())
	os.Exit(code)
}

// TestHostileScripts is the kill suite, or every tenth script of it without -soak. How late they were stopped is in
// the log: machines that run tests are too busy to judge by it.
func TestHostileScripts(t *testing.T) {
	scripts, err := selftest.Attacks()
	require.NoError(t, err)
	scripts = slices.DeleteFunc(scripts, func(a selftest.Attack) bool { return a.Grows > 0 })
	require.GreaterOrEqual(t, len(scripts), 600, "some are gone")
	if !*soak {
		var some []selftest.Attack
		for i := 0; i < len(scripts); i += 10 {
			some = append(some, scripts[i])
		}
		scripts = some
	}
	// More at once than there are processors, since some only wait, and a short limit, since most go on until it.
	report, err := selftest.Run(t.Context(), engine.Interpreter, scripts,
		selftest.Options{AtOnce: 8, TimeLimit: 100 * time.Millisecond})
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log("\n" + table.String())
	require.Len(t, report.Outcomes, len(scripts))
	require.Empty(t, report.Wrong())
}

// quick are attacks that together take a second or two. With -soak all of them are made.
var quick = regexp.MustCompile(
	`^amplification-(messages-(http-(meta|values|at-once-small)|stdio-(meta|text)` +
		`|server-(greeting|largest))|schemas-f.*|` +
		`modules-(chain|required|dynamic)|decoders-search-params|archives-(zip-lies|zip-entries|tar-deep-names)` +
		`|page-(login-slow|calls-(arrays|deep)|searches|differences)|streams-openai-chat-.*)$`)

// TestAmplification has only what is small and hostile, and a process that must not become large.
func TestAmplification(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	attacks, err := selftest.Attacks()
	require.NoError(t, err)
	families := map[string]bool{}
	attacks = slices.DeleteFunc(attacks, func(a selftest.Attack) bool {
		if a.Grows > 0 {
			families[a.Family()] = true
		}
		return a.Grows == 0 || !*soak && !quick.MatchString(a.Name)
	})
	require.Equal(t, []string{"amplification-archives", "amplification-decoders", "amplification-messages",
		"amplification-modules", "amplification-page", "amplification-schemas", "amplification-streams"},
		slices.Sorted(maps.Keys(families)))
	if race.Enabled { // its own memory would be counted
		for i := range attacks {
			attacks[i].Grows = 0
		}
	}
	report, err := selftest.Run(t.Context(), engine.Interpreter, attacks, selftest.Options{})
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log("\n" + table.String())
	require.Len(t, report.Outcomes, len(attacks))
	require.Empty(t, report.Wrong())
	if race.Enabled || procmem.Resident() == 0 {
		return
	}
	for _, o := range report.Outcomes {
		require.Positive(t, o.MemoryMost, o.Attack)
		require.GreaterOrEqual(t, report.Process.MemoryMost, o.MemoryMost, o.Attack)
	}
}

func TestAProcessThatBecomesTooLarge(t *testing.T) {
	if race.Enabled || procmem.Resident() == 0 {
		t.Skip("the process's memory is not known")
	}
	script := selftest.Attack{Name: "a-b", Endings: []string{"returns 1"}, Grows: 8 << 20,
		Source: `new Uint8Array(32e6).fill(1); return 1`}
	report, err := selftest.Run(t.Context(), engine.Interpreter, []selftest.Attack{script}, selftest.Options{})
	require.NoError(t, err)
	o := report.Outcomes[0]
	require.Regexp(t, `^the process grew by \d\d\.\d MiB, and not by 8\.0 MiB at most$`, o.Wrong)
	require.Greater(t, o.MemoryMost, o.MemoryBefore+16<<20,
		"pages that the process gives back meanwhile take away from the 30.5 MiB that the script fills")
	require.Equal(t, o.MemoryBefore+8<<20, o.MemoryAllowed)
	require.Less(t, report.Process.MemoryAfter, o.MemoryMost)
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	require.Regexp(t, `(?m)^ +a +1 +0 +0 +[\d.]+ MiB +\d\d\.\d MiB of 8\.0 MiB \(b\)$`, table.String())
}

func TestAttacksAreWellNamed(t *testing.T) {
	attacks, err := selftest.Attacks()
	require.NoError(t, err)
	attempts := map[string]string{}
	for _, s := range attacks {
		require.Equal(t, strings.HasPrefix(s.Name, "amplification-"), s.Grows > 0, s.Name)
		require.Regexp(t, regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`), s.Name)
		require.Regexp(t, regexp.MustCompile(`^[A-Z].*\.$`), s.Attempt, s.Name)
		require.Empty(t, attempts[s.Attempt], "%s attempts the same", s.Name)
		attempts[s.Attempt] = s.Name
	}
}

func TestWhatIsNotAsItShouldBeIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		script selftest.Attack
		wrong  string
	}{
		"another ending": {selftest.Attack{Name: "a-b", Endings: []string{"memory limit", "exception"},
			Source: `return 1`}, `it should have ended with ["memory limit" "exception"], and not with "returns 1"`},
		"another exception": {selftest.Attack{Name: "a-b", Endings: []string{"exception TypeError"},
			Source: `throw new RangeError('x')`},
			`it should have ended with ["exception TypeError"], and not with "exception RangeError"`},
		"another result": {selftest.Attack{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 12`},
			`it should have ended with ["returns 1"], and not with "returns 12"`},
		"no time limit": {selftest.Attack{Name: "a-b", Endings: []string{"never settles"},
			Source: `process.exit(3)`}, `it should have ended with ["never settles"], and not with "exits 3"`},
		"what is right": {selftest.Attack{Name: "a-b", Endings: []string{"never settles"},
			Source: `await new Promise(() => {})`}, ``},
		"in time": {selftest.Attack{Name: "a-b", Endings: []string{"time limit"}, Source: `await hangs()`},
			``},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := selftest.Run(t.Context(), engine.Interpreter, []selftest.Attack{test.script},
				selftest.Options{})
			require.NoError(t, err)
			require.Equal(t, test.wrong, report.Outcomes[0].Wrong)
			require.Equal(t, test.wrong != "", len(report.Wrong()) == 1)
		})
	}
}

func TestAScriptThatIsStoppedTooLate(t *testing.T) {
	script := selftest.Attack{Name: "a-b", Endings: []string{"time limit"}, Source: `for (;;);`}
	report, err := selftest.Run(t.Context(), engine.Interpreter, []selftest.Attack{script},
		selftest.Options{MostLate: 1})
	require.NoError(t, err)
	require.Contains(t, report.Outcomes[0].Wrong, "after its time limit")
}

func TestAnEngineThatIsBroken(t *testing.T) {
	closed := enginetest.New(sandbox.EngineOptions{})
	require.NoError(t, closed.Close(t.Context()))
	report, err := selftest.Run(t.Context(), closed.Interpreter,
		[]selftest.Attack{{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 1`}}, selftest.Options{})
	require.NoError(t, err)
	require.Contains(t, report.Outcomes[0].Wrong, sandbox.ErrClosed.Error())
}

func TestAContextThatEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := selftest.Run(ctx, engine.Interpreter,
		[]selftest.Attack{{Name: "a-b", Endings: []string{"returns 1"}, Source: `return 1`}}, selftest.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestHostilePython makes the attacks in Python, if there is Python, or every fifth of them without -soak.
func TestHostilePython(t *testing.T) {
	python := pythontest.New(t, sandbox.EngineOptions{})
	attacks, err := selftest.PythonAttacks()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(attacks), 75, "some are gone")
	attacks = slices.DeleteFunc(attacks, func(a selftest.Attack) bool { return !a.Possible(python) })
	if !*soak {
		var some []selftest.Attack
		for i := 0; i < len(attacks); i += 5 {
			some = append(some, attacks[i])
		}
		attacks = some
	}
	report, err := selftest.Run(t.Context(), engine.Interpreter, attacks,
		selftest.Options{Python: python, TimeLimit: 100 * time.Millisecond, MostLate: time.Minute})
	require.NoError(t, err)
	require.Empty(t, report.Wrong())
}
