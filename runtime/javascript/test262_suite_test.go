//go:build suites

package javascript_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/test/test262"
)

var (
	test262Only = flag.String("test262-only", "", "run the tests of test262 whose path matches the regular "+
		"expression")
	test262Every  = flag.Int("test262-every", 1, "run every nth test of test262")
	test262InBare = flag.Bool("test262-bare", false, "run all of test262 that is run in the bare engine too")
	test262Record = flag.Bool("test262-record", false, "record what fails of test262 in the bare engine too")
)

// Where the records are: what fails in a sandbox and in the bare engine, and what fails in a sandbox only, with the
// reasons.
const (
	test262Failures    = "../../testdata/test262/failures.txt"
	test262Differences = "../../testdata/test262/differences.txt"
)

// test262Results is what has come of the suite.
type test262Results struct {
	mu      sync.Mutex
	ours    map[string]error // of the cases that were run
	bare    map[string]error // of those that were run in the bare engine
	skipped map[string]int   // tests, by reason
}

// TestTest262 runs the checkout that TOOLRUN_TEST262 names in sandboxes, and compares with the records.
func TestTest262(t *testing.T) {
	dir := os.Getenv("TOOLRUN_TEST262")
	if dir == "" {
		t.Skip("TOOLRUN_TEST262 does not say where test262 is")
	}
	suite, err := test262.Open(dir)
	require.NoError(t, err)
	record, differences := readTest262Records(t)
	require.Equal(t, quickjs.SHA256, record.Engine,
		"the record is of another engine: make it again by .ci/test262 -record")
	same := suite.Commit() == record.Commit
	if !same {
		fmt.Printf("warning: the record is of the commit %s, and the checkout of %q\n", record.Commit, suite.Commit())
	}
	paths := chooseTest262(t, suite)
	bare, err := newBareEngine(t.Context(), true)
	require.NoError(t, err)
	defer bare.close(context.WithoutCancel(t.Context()))

	// Beside those that are recorded, the bare engine runs what fails unexpectedly, to tell what is to blame.
	r := runTest262Suite(t, suite, paths, bare, func(c test262.Case, failed bool) bool {
		_, known := record.Failures[c.String()]
		_, different := differences[c.String()]
		return *test262InBare || failed && (*test262Record || !known && !different)
	})
	r.printSkipped()
	whole := *test262Only == "" && *test262Every == 1
	if *test262Record {
		require.True(t, whole, "a record is of the whole suite")
		record, same = r.record(suite.Commit()), true
		require.NoError(t, os.WriteFile(test262Failures, []byte(record.String()), 0o644))
	}
	r.compare(t, record, differences, same)
	if whole && same {
		require.Len(t, r.ours, record.Cases, "other cases are run than have been when the record was made")
	}
}

func readTest262Records(t *testing.T) (*test262.Record, test262.Failures) {
	text, err := os.ReadFile(test262Failures)
	if os.IsNotExist(err) && *test262Record {
		text = fmt.Appendf(nil, "engine %s\n", quickjs.SHA256)
	} else {
		require.NoError(t, err)
	}
	record, err := test262.ParseRecord(string(text))
	require.NoError(t, err)
	text, err = os.ReadFile(test262Differences)
	require.NoError(t, err)
	differences, err := test262.ParseFailures(string(text))
	require.NoError(t, err)
	for name, reason := range differences {
		require.NotEmpty(t, reason, "no reason is given for %s", name)
		require.NotContains(t, record.Failures, name, "the engine fails it too")
	}
	return record, differences
}

// chooseTest262 returns the paths of the tests that the flags ask for.
func chooseTest262(t *testing.T, suite *test262.Suite) []string {
	only, err := regexp.Compile(*test262Only)
	require.NoError(t, err)
	require.Positive(t, *test262Every)
	paths, err := suite.Paths()
	require.NoError(t, err)
	var chosen []string
	for _, path := range paths {
		if only.MatchString(path) {
			chosen = append(chosen, path)
		}
	}
	sample := chosen[:0]
	for i := 0; i < len(chosen); i += *test262Every {
		sample = append(sample, chosen[i])
	}
	require.NotEmpty(t, sample, "there are no such tests")
	return sample
}

// runTest262Suite runs tests in sandboxes, and in the bare engine those cases that needBare asks for.
func runTest262Suite(t *testing.T, suite *test262.Suite, paths []string, bare *bareEngine, needBare func(c test262.Case,
	failed bool) bool) *test262Results {
	r := &test262Results{ours: map[string]error{}, bare: map[string]error{}, skipped: map[string]int{}}
	work := make(chan string)
	var workers sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		workers.Go(func() {
			for path := range work {
				test, err := suite.Load(path)
				if err != nil {
					t.Error(err)
					continue
				}
				if reason := test.Skip(); reason != "" {
					r.mu.Lock()
					r.skipped[reason]++
					r.mu.Unlock()
					continue
				}
				for _, c := range test.Cases() {
					ours := runTest262(t.Context(), suite, c)
					r.mu.Lock()
					r.ours[c.String()] = ours
					r.mu.Unlock()
					if needBare(c, ours != nil) {
						err := bare.run(t.Context(), suite, c)
						r.mu.Lock()
						r.bare[c.String()] = err
						r.mu.Unlock()
					}
				}
			}
		})
	}
	for _, path := range paths {
		work <- path
	}
	close(work)
	workers.Wait()
	return r
}

func (r *test262Results) printSkipped() {
	for _, reason := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Printf("%6d tests skipped: %s\n", r.skipped[reason], reason)
	}
}

// record notes what has failed in both.
func (r *test262Results) record(commit string) *test262.Record {
	record := &test262.Record{Commit: commit, Engine: quickjs.SHA256, Cases: len(r.ours), Failures: test262.Failures{}}
	for name, err := range r.ours {
		if err != nil && r.bare[name] != nil {
			record.Failures[name] = ""
		}
	}
	return record
}

// compare reports cases that have not ended as the records say. same says that these are of the suite's commit.
func (r *test262Results) compare(t *testing.T, record *test262.Record, differences test262.Failures, same bool) {
	passed, different := 0, 0
	for _, name := range slices.Sorted(maps.Keys(r.ours)) {
		ours := r.ours[name]
		reason, expected := differences[name]
		_, known := record.Failures[name]
		switch {
		case ours == nil:
			passed++
			if expected {
				t.Errorf("passes, so it is no difference any more: %s (%s)", name, reason)
			} else if known && same {
				t.Errorf("passes, so the record has to be made again: %s", name)
			}
		case expected:
			different++
		case !known:
			if bare := r.bare[name]; bare == nil {
				t.Errorf("fails here, and not in the bare engine: %s: %v", name, ours)
			} else if same {
				t.Errorf("fails in the bare engine too, which is not recorded: %s: %v", name, bare)
			}
		}
	}
	fmt.Printf("%d cases: %d passed, %d failed in the bare engine too, %d by a difference that is known\n",
		len(r.ours), passed, len(r.ours)-passed-different, different)
	if *test262InBare {
		failed, fewer := 0, 0
		for name, err := range r.bare {
			if err != nil {
				failed++
				if r.ours[name] == nil {
					fewer++
				}
			}
		}
		fmt.Printf("in the bare engine: %d passed, %d failed, %d of which pass here\n", len(r.bare)-failed,
			failed, fewer)
	}
	require.NotZero(t, passed)
}

// TestTest262OwnInTheBareEngine shows what the bare engine makes of our own tests: it has no memory limit that counts
// here, and else the same.
func TestTest262OwnInTheBareEngine(t *testing.T) {
	suite, cases := openTest262Own(t)
	bare, err := newBareEngine(t.Context(), true)
	require.NoError(t, err)
	defer bare.close(context.WithoutCancel(t.Context()))
	for _, c := range cases {
		checkTest262Own(t, c, bare.run(t.Context(), suite, c))
	}
}
