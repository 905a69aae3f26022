//go:build suites

package javascript_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

var (
	wptOnly    = flag.String("wpt-only", "", "run the web platform tests whose path matches the regular expression")
	wptRecord  = flag.Bool("wpt-record", false, "record what fails of the web platform tests; reasons stay")
	wptVerbose = flag.Bool("wpt-verbose", false, "print the messages of the tests that fail")
)

//go:embed testdata/wpt/driver.js
var wptDriver string

// wptFolders are the folders of the suite whose tests are run, and of which the table has a line.
var wptFolders = []string{
	"FileAPI", "WebCryptoAPI", "compression", "console", "dom/abort", "dom/events", "encoding", "hr-time",
	"html/webappapis",
	"performance-timeline", "streams", "url", "urlpattern", "user-timing", "webidl", "webmessaging",
}

// wptFetchFolders are those that make requests, or are about what requests and responses are made of.
var wptFetchFolders = []string{
	"fetch/api/abort", "fetch/api/basic", "fetch/api/body", "fetch/api/cors", "fetch/api/crashtests",
	"fetch/api/credentials",
	"fetch/api/headers", "fetch/api/redirect", "fetch/api/request", "fetch/api/response", "fetch/content-encoding",
	"fetch/content-length",
	"fetch/content-type", "fetch/data-urls", "fetch/range", "fetch/security", "mimesniff", "xhr/formdata",
}

const (
	wptMemory = 512 << 20
	wptTime   = 10 * time.Minute // longer than the driver gives the tests, also on a slow machine
)

// A wptSuite is a part of the suite, in a folder, with lists of what is not run and of what fails, and why.
type wptSuite struct {
	dir                string
	folders            []string
	excluded, failures string     // files
	server             *wptServer // nil if requests are for files only
}

// read returns a file of the suite.
func (s *wptSuite) read(name string) ([]byte, error) {
	if s.server != nil {
		return s.server.read(name)
	}
	return os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path.Join("/", name))))
}

// wptTest is a test with one of its variants.
type wptTest struct {
	path, variant string
	title         string
	scripts       []string // texts
	long          bool
}

func (t *wptTest) name() string { return t.path + t.variant }

// wptResult is what a subtest reports.
type wptResult struct {
	name    string
	passed  bool
	message string
}

var wptMeta = regexp.MustCompile(`(?m)^// META: ([a-z]+)=(.*?)\r?$`)

// load reads a test, and returns one for each variant.
func (s *wptSuite) load(name string) ([]*wptTest, error) {
	data, err := s.read(name)
	if err != nil {
		return nil, err
	}
	test := wptTest{path: name}
	var variants []string
	for _, m := range wptMeta.FindAllStringSubmatch(string(data), -1) {
		switch m[1] {
		case "title":
			test.title = m[2]
		case "timeout":
			test.long = m[2] == "long"
		case "variant":
			variants = append(variants, m[2])
		case "script":
			file := m[2]
			if !strings.HasPrefix(file, "/") {
				file = path.Join("/", path.Dir(name), file)
			}
			if file == "/resources/WebIDLParser.js" {
				file = "/resources/webidl2/lib/webidl2.js"
			}
			script, err := s.read(file)
			if err != nil {
				return nil, err
			}
			test.scripts = append(test.scripts, string(script))
		}
	}
	test.scripts = append(test.scripts, string(data))
	if len(variants) == 0 {
		return []*wptTest{&test}, nil
	}
	var tests []*wptTest
	for _, v := range variants {
		one := test
		one.variant = v
		tests = append(tests, &one)
	}
	return tests, nil
}

// run runs a test in a fresh sandbox. What keeps it from ending is one more result, which has failed.
func (s *wptSuite) run(t *testing.T, harness string, test *wptTest) []wptResult {
	var mu sync.Mutex
	var results []wptResult
	done := false
	report := func(_ context.Context, args []any) (any, error) {
		var parts [3]any
		if err := json.Unmarshal([]byte(args[0].(string)), &parts); err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if parts[0] == "(done)" {
			done = true
			return nil, nil
		}
		const passed, failedPrecondition = 0, 4 // an optional feature that is not there
		if status := parts[1].(float64); status != failedPrecondition {
			results = append(results, wptResult{parts[0].(string), status == passed, parts[2].(string)})
		}
		return nil, nil
	}
	read := func(_ context.Context, args []any) (any, error) {
		return s.read(args[0].(string))
	}
	options := javascript.WithEngineModules(javascript.RunOptions{
		Limits:    sandbox.Limits{Time: wptTime, Memory: wptMemory, Output: sandbox.Unlimited},
		Functions: []javascript.Function{{Name: "wpt.report", Call: report}, {Name: "wpt.read", Call: read}},
		Globals: map[string]any{
			"wpt.path": test.path, "wpt.variant": test.variant, "wpt.title": test.title, "wpt.long": test.long,
			"wpt.harness": harness, "wpt.scripts": test.scripts, "wpt.base": "http://wpt",
		},
	})
	if s.server != nil {
		options.Globals["wpt.base"] = s.server.first.URL
		gate := s.server.gate(t)
		defer gate.Close()
		options.Network = gate.Run("wpt")
	}
	_, err := engine.Run(t.Context(), wptDriver, &options)
	mu.Lock()
	defer mu.Unlock()
	switch {
	case err != nil:
		results = append(results, wptResult{name: "(the run)", message: err.Error()})
	case !done && !slices.ContainsFunc(results, func(r wptResult) bool { return r.name == "(the script)" }):
		results = append(results, wptResult{name: "(the run)", message: "it has ended before the tests"})
	}
	return results
}

// wptList is a file of names, in groups that begin with their reason in a line that begins with "# ".
type wptList struct {
	header  []string          // lines before the first reason
	reasons map[string]string // by name
}

const wptNoReason = "TODO"

// wptMany is how many failing subtests of a test are listed one by one. Of others, the list has only the number.
const wptMany = 40

func readWPTList(t *testing.T, file string) *wptList {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	list := &wptList{reasons: map[string]string{}}
	reason := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			reason = line[2:]
		case reason == "":
			list.header = append(list.header, line)
		case line != "":
			require.NotContains(t, list.reasons, line, "%s is in %s twice", line, file)
			list.reasons[line] = reason
		}
	}
	return list
}

// hasSubtest tells whether the list has a subtest: the path of its test, a space, and a part of its name.
func (l *wptList) hasSubtest(test *wptTest, name string) bool {
	for pattern := range l.reasons {
		if file, part, ok := strings.Cut(pattern, " "); ok && file == test.path && strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func (l *wptList) write(file string) error {
	groups := map[string][]string{}
	for name, reason := range l.reasons {
		groups[reason] = append(groups[reason], name)
	}
	var text strings.Builder
	text.WriteString(strings.TrimRight(strings.Join(l.header, "\n"), "\n") + "\n")
	for _, reason := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[reason])
		fmt.Fprintf(&text, "\n# %s\n%s\n", reason, strings.Join(groups[reason], "\n"))
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

// versions returns the commits of the suite's folders, which the suite's selection in Node's source states. That of
// undici has no such file: its own version is known.
func (s *wptSuite) versions(t *testing.T) map[string]string {
	data, err := os.ReadFile(filepath.Join(s.dir, "versions.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	var entries map[string]struct{ Commit string }
	require.NoError(t, json.Unmarshal(data, &entries))
	versions := map[string]string{}
	for name, entry := range entries {
		versions[name] = entry.Commit
	}
	return versions
}

// tests finds the tests, and counts those that are left out.
func (s *wptSuite) tests(t *testing.T, excluded *wptList) (tests []*wptTest, left map[string]int) {
	only := regexp.MustCompile(*wptOnly)
	left = map[string]int{}
	used := map[string]bool{}
	for _, folder := range s.folders {
		if _, err := os.Stat(filepath.Join(s.dir, filepath.FromSlash(folder))); err != nil {
			fmt.Printf("!! %s IS LEFT OUT: it is not in this version of the suite\n", folder)
			continue
		}
		require.NoError(t, filepath.WalkDir(filepath.Join(s.dir, filepath.FromSlash(folder)),
			func(file string, entry fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(file, ".any.js") {
					return err
				}
				name, _ := filepath.Rel(s.dir, file)
				name = filepath.ToSlash(name)
				for pattern := range excluded.reasons {
					if strings.Contains(pattern, " ") { // subtests
						continue
					}
					matched := name
					if !strings.Contains(pattern, "/") {
						matched = path.Base(name)
					}
					if ok, err := path.Match(pattern, matched); err != nil || ok {
						used[pattern] = true
						left[folder]++
						return err
					}
				}
				if !only.MatchString(name) {
					return nil
				}
				found, err := s.load(name)
				if errors.Is(err, fs.ErrNotExist) { // Debian's archive has no files that are made from others
					fmt.Printf("!! %s IS LEFT OUT: %v\n", name, err)
					left[folder]++
					return nil
				}
				tests = append(tests, found...)
				return err
			}))
	}
	for pattern := range excluded.reasons {
		if !used[pattern] && !strings.Contains(pattern, " ") {
			fmt.Printf("%s is to be left out, but is not there\n", pattern)
		}
	}
	return tests, left
}

// TestWebPlatform runs the web platform tests in the folder that TOOLRUN_WPT names (test/fixtures/wpt of Node's source:
// a selection of what makes sense without a page), and compares with the list of those that fail.
func TestWebPlatform(t *testing.T) {
	dir := os.Getenv("TOOLRUN_WPT")
	if dir == "" {
		t.Skip("TOOLRUN_WPT does not say where the web platform tests are")
	}
	suite := wptSuite{dir: dir, folders: wptFolders, excluded: "testdata/wpt/excluded.txt",
		failures: "testdata/wpt/failures.txt"}
	suite.check(t)
}

// TestWebPlatformFetch runs those that need a server, from the folder that TOOLRUN_WPT_FETCH names (test/fixtures/wpt
// of the source of undici). A server of the test answers.
func TestWebPlatformFetch(t *testing.T) {
	dir := os.Getenv("TOOLRUN_WPT_FETCH")
	if dir == "" {
		t.Skip("TOOLRUN_WPT_FETCH does not say where the web platform tests are")
	}
	suite := wptSuite{
		dir: dir, folders: wptFetchFolders, excluded: "testdata/wpt/fetch-excluded.txt",
		failures: "testdata/wpt/fetch-failures.txt",
		server:   newWPTServer(t, dir),
	}
	suite.check(t)
}

// check runs the tests and compares with the lists.
func (s *wptSuite) check(t *testing.T) {
	harness, err := s.read("resources/testharness.js")
	require.NoError(t, err)
	excluded := readWPTList(t, s.excluded)
	tests, left := s.tests(t, excluded)
	require.NotEmpty(t, tests)

	results := make([][]wptResult, len(tests))
	next := make(chan int)
	var workers sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i] = slices.DeleteFunc(s.run(t, string(harness), tests[i]), func(r wptResult) bool {
					return excluded.hasSubtest(tests[i], r.name)
				})
			}
		})
	}
	for i := range tests {
		next <- i
	}
	close(next)
	workers.Wait()

	type count struct{ files, passed, all int }
	counts := map[string]*count{"all": {}}
	failed := map[string]string{} // messages by name
	ran := map[string]bool{}      // subtests that passed
	for i, test := range tests {
		for _, r := range results[i] {
			quoted, _ := json.Marshal(r.name)
			name := test.name() + " " + string(quoted)
			if r.passed {
				ran[name] = true
			} else {
				failed[name] = r.message
			}
		}
		for _, folder := range []string{s.folderOf(test.path), "all"} {
			if counts[folder] == nil {
				counts[folder] = &count{}
			}
			c := counts[folder]
			c.files++
			c.all += len(results[i])
			for _, r := range results[i] {
				if r.passed {
					c.passed++
				}
			}
		}
	}
	fmt.Printf("%-22s %6s %6s %8s %8s %7s\n", "folder", "left", "tests", "passed", "subtests", "")
	for _, folder := range append(slices.Clone(s.folders), "all") {
		if c := counts[folder]; c != nil {
			fmt.Printf("%-22s %6d %6d %8d %8d %6.1f%%\n", folder, left[folder], c.files, c.passed, c.all,
				100*float64(c.passed)/float64(max(c.all, 1)))
		}
	}
	if *wptVerbose {
		for _, name := range slices.Sorted(maps.Keys(failed)) {
			fmt.Printf("FAIL %s\n     %s\n", name, failed[name])
		}
	}
	s.compare(t, s.versions(t), ran, failed)
	if *wptOnly == "" {
		require.Greater(t, counts["all"].passed*100, counts["all"].all*90, "fewer than nine in ten pass")
	}
}

func (s *wptSuite) folderOf(name string) string {
	i := slices.IndexFunc(s.folders, func(folder string) bool { return strings.HasPrefix(name, folder+"/") })
	return s.folders[i]
}

// compare compares what has failed with the list. Of folders that have another version than the list has been made
// for, it only prints the differences.
func (s *wptSuite) compare(t *testing.T, versions map[string]string, passed map[string]bool, failed map[string]string) {
	list := readWPTList(t, s.failures)
	known := map[string]string{}
	for _, line := range list.header {
		if folder, version, ok := strings.Cut(strings.TrimPrefix(line, "version "), " "); ok &&
			strings.HasPrefix(line, "version ") {
			known[folder] = version
		}
	}
	versionOf := func(name string) (folder string) {
		for folder := range versions {
			if strings.HasPrefix(name, folder+"/") {
				return folder
			}
		}
		return ""
	}
	many := map[string][]string{} // names by test, of those with more than a list is to have
	for name := range failed {
		test, _, _ := strings.Cut(name, " \"")
		many[test] = append(many[test], name)
	}
	for test, names := range many {
		if len(names) > wptMany {
			for _, name := range names {
				delete(failed, name)
			}
			failed[fmt.Sprintf("%s (%d subtests)", test, len(names))] = "many"
		}
	}
	if *wptRecord {
		for name := range list.reasons { // that have been mended, or of which there are other numbers
			if _, still := failed[name]; !still && strings.HasSuffix(name, " subtests)") {
				delete(list.reasons, name)
			}
		}
		for name := range passed {
			if _, both := failed[name]; !both {
				delete(list.reasons, name)
			}
		}
		for name := range failed {
			if _, ok := list.reasons[name]; !ok {
				list.reasons[name] = wptNoReason
			}
		}
		header := slices.DeleteFunc(list.header, func(line string) bool { return strings.HasPrefix(line, "version ") })
		list.header = header
		for _, folder := range slices.Sorted(maps.Keys(versions)) {
			list.header = append(list.header, "version "+folder+" "+versions[folder])
		}
		require.NoError(t, list.write(s.failures))
		return
	}
	complain := func(name, format string, args ...any) {
		folder := versionOf(name)
		if known[folder] == versions[folder] {
			t.Errorf(format, args...)
		} else {
			fmt.Printf("(another version) "+format+"\n", args...)
		}
	}
	for name, message := range failed {
		if _, ok := list.reasons[name]; !ok {
			complain(name, "fails: %s: %s", name, message)
		}
	}
	only := regexp.MustCompile(*wptOnly)
	for name, reason := range list.reasons {
		file, _, _ := strings.Cut(name, " ")
		file, _, _ = strings.Cut(file, "?")
		require.NotEqual(t, wptNoReason, reason, "no reason is given for %s", name)
		if _, ok := failed[name]; !ok && only.MatchString(file) {
			complain(name, "is listed, but does not fail: %s (%s)", name, reason)
		}
	}
}
