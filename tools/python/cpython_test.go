//go:build suites

package python_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

// cpythonModules are the modules of CPython's tests that are run here.
var cpythonModules = []string{
	// what takes longest
	"test_statistics", "test_zipfile", "test_decimal", "test_pathlib", "test_itertools", "test_math",
	"test_json", "test_csv", "test_re", "test_datetime", "test_collections", "test_deque", "test_defaultdict",
	"test_ordered_dict", "test_sqlite3", "test_textwrap", "test_string", "test_dataclasses", "test_enum",
	"test_functools",
	"test_heapq", "test_bisect", "test_random",
}

// TestCPython runs CPython's own tests by the tool. TOOLRUN_CPYTHON names a folder that has a folder Lib of CPython's
// source for each version, such as 3.11. What fails is listed with reasons in testdata/cpython, as is what the tests
// leave out because of what this Python does not have. Nothing may be listed in vain.
func TestCPython(t *testing.T) {
	root := named(t, "TOOLRUN_CPYTHON")
	s := newSandboxed(t, 512)
	version := s.version(t)
	lib := filepath.Join(root, version, "Lib")
	if _, err := os.Stat(lib); err != nil {
		t.Skipf("CPYTHON'S TESTS ARE NOT HERE: %v", err)
	}
	list := readDifferences(t, version)
	code, err := os.ReadFile("testdata/cpython/suite.py")
	require.NoError(t, err)
	var all tally
	t.Run("modules", func(t *testing.T) {
		for _, module := range cpythonModules {
			t.Run(module, func(t *testing.T) {
				t.Parallel()
				files := newEnv(t).Files
				copyTests(t, files, lib, module)
				args := append([]string{module}, list.slow(module)...)
				out := s.run(t, string(code), args, files)
				var here tally
				finished := here.read(t, out.stdout)
				all.add(&here)
				t.Log(here.summary())
				for _, test := range slices.Sorted(maps.Keys(here.failed)) {
					if list.fail[test] == "" {
						t.Errorf("%s: %s", test, here.failed[test])
					}
				}
				require.True(t, finished, "it has ended in %s:\n%s", here.last, out.stderr)
			})
		}
	})
	t.Log("all: " + all.summary())
	if all.modules < len(cpythonModules) {
		t.Skip("only some of the modules were run")
	}
	require.Equal(t, sorted(list.slowly), sorted(all.slow), "tests that are listed as slow")
	for _, test := range sorted(list.fail) {
		if all.failed[test] == "" {
			t.Errorf("%s is listed, but it passes or does not exist", test)
		}
	}
	list.checkSkipped(t, all.skipped)
	require.Greater(t, len(all.passed), 3000)
	// What does not need threads, processes and sockets.
	counted := len(all.passed) + len(all.slow) + len(all.failed)
	require.GreaterOrEqual(t, 100*len(all.passed), 95*counted)
}

// copyTests copies what a module of tests needs: all that is no other module of tests.
func copyTests(t *testing.T, files afero.Fs, lib, module string) {
	copyInto(t, files, filepath.Join(lib, "test"), "/lib/python/test", func(path string, d fs.DirEntry) bool {
		top, _, _ := strings.Cut(path, "/")
		if name := strings.TrimSuffix(top, ".py"); strings.HasPrefix(name, "test_") || top == "decimaltestdata" {
			return name == module || top == "decimaltestdata" && module == "test_decimal" ||
				name == "test_iter" && module == "test_math" // which has classes that the other uses
		}
		return !slices.Contains([]string{"libregrtest", "audiodata", "leakers", "crashers", "idlelib", "cjkencodings"},
			top)
	})
	// The module in Python, with which that in C is compared; the build from npm does not have it.
	if data, err := os.ReadFile(filepath.Join(lib, "_pydecimal.py")); err == nil && module == "test_decimal" {
		require.NoError(t, afero.WriteFile(files, "/lib/python/_pydecimal.py", data, 0o644))
	}
}

// A tally is what has become of tests, by their names, with the reasons.
type tally struct {
	mu                            sync.Mutex
	passed, failed, skipped, slow map[string]string
	last                          string // the last test that was begun
	modules                       int
}

// read reads what suite.py prints, and reports whether all tests have run.
func (all *tally) read(t *testing.T, output string) (finished bool) {
	all.add(nil)
	for line := range strings.Lines(output) {
		text, ok := strings.CutPrefix(line, "@suite ")
		if !ok {
			continue
		}
		var entry [3]string
		require.NoError(t, json.Unmarshal([]byte(text), &entry))
		test := strings.TrimPrefix(entry[1], "test.")
		switch entry[0] {
		case "start":
			all.last = test
		case "pass":
			all.passed[test] = "passed"
		case "fail":
			all.failed[test] = entry[2]
		case "skip":
			all.skipped[test] = entry[2]
		case "slow":
			all.slow[test] = "slow"
		case "end":
			finished = true
		}
	}
	return finished
}

func (all *tally) add(more *tally) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, m := range []*map[string]string{&all.passed, &all.failed, &all.skipped, &all.slow} {
		if *m == nil {
			*m = map[string]string{}
		}
	}
	if more != nil {
		all.modules++
		maps.Copy(all.passed, more.passed)
		maps.Copy(all.failed, more.failed)
		maps.Copy(all.skipped, more.skipped)
		maps.Copy(all.slow, more.slow)
	}
}

func (all *tally) summary() string {
	text, _ := json.Marshal(map[string]int{
		"passed": len(all.passed), "failed": len(all.failed), "skipped": len(all.skipped), "slow": len(all.slow),
	})
	return string(text)
}

// Differences are what is listed in testdata/cpython, with the reasons: tests that fail, tests that take too long, and
// beginnings of the reasons that tests give for being skipped.
type differences struct{ fail, slowly, skip map[string]string }

// readDifferences reads the list for a version. A line has what it is about (fail, slow or skip), the test or the
// beginning of the reason, and after " -- " the reason.
func readDifferences(t *testing.T, version string) differences {
	d := differences{map[string]string{}, map[string]string{}, map[string]string{}}
	data, err := os.ReadFile(filepath.Join("testdata/cpython", version+".txt"))
	require.NoError(t, err, "there is no list for this version")
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		what, reason, _ := strings.Cut(line, " -- ")
		require.NotEmpty(t, reason, line)
		kind, what, _ := strings.Cut(what, " ")
		m := map[string]map[string]string{"fail": d.fail, "slow": d.slowly, "skip": d.skip}[kind]
		require.NotNil(t, m, line)
		require.Empty(t, m[what], "%s is there twice", what)
		m[what] = reason
	}
	return d
}

// slow returns the tests of a module that take too long, as suite.py names them.
func (d differences) slow(module string) (out []string) {
	for test := range d.slowly {
		out = append(out, "test."+test)
	}
	slices.Sort(out)
	return out
}

// checkSkipped checks that each reason that tests give for being skipped is listed, and that each one listed is given.
func (d differences) checkSkipped(t *testing.T, skipped map[string]string) {
	given := map[string]bool{}
	for _, test := range sorted(skipped) {
		known := false
		for reason := range d.skip {
			if strings.HasPrefix(skipped[test], reason) {
				known, given[reason] = true, true
			}
		}
		if !known {
			t.Errorf("%s is skipped for a reason that is not listed: %s", test, skipped[test])
		}
	}
	for reason := range d.skip {
		if !given[reason] {
			t.Errorf("%q is listed, but no test is skipped for that reason", reason)
		}
	}
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
