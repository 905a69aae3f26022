//go:build suites

package javascript_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
	nodeTestsOnly = flag.String("nodetests-only", "",
		"run Node's tests whose file matches the regular expression, and print why they fail")
	nodeTestsModule = flag.String("nodetests-module", "", "run Node's tests of a module, and print why they fail")
)

// nodeModuleTests are the modules whose tests are run, and what their files begin with after "test-".
var nodeModuleTests = map[string]string{
	"assert":              "assert",
	"buffer":              "buffer|btoa-atob|atob",
	"console":             "console",
	"crypto":              "crypto|webcrypto",
	"diagnostics_channel": "diagnostics-channel",
	"events":              "event|events|eventemitter|eventtarget|nodeeventtarget|abortcontroller|abortsignal",
	"fs":                  "fs|file-write-stream[0-9]*|file-read-noexist|file-validate-mode-flag",
	"path":                "path",
	"perf_hooks":          "perf-hooks|performance|performanceobserver",
	"process":             "process",
	"querystring":         "querystring",
	"readline":            "readline",
	"stream":              "stream[0-9]*|streams",
	"string_decoder":      "string-decoder",
	"structuredClone":     "structuredClone|structured-clone",
	"timers":              "timers",
	"url":                 "url",
	"util":                "util|parse-args",
	"whatwg":              "whatwg",
	"zlib":                "zlib",
}

// nodeExclusions say which tests cannot count, as they need what a sandbox has not. A test that one of them excludes
// must not pass.
var nodeExclusions = []struct {
	reason  string
	pattern *regexp.Regexp // of the source
}{
	{"Node's own internals", regexp.MustCompile(
		`(?m)^// Flags:.*--(expose[-_]internals|allow-natives-syntax)` +
			`|\binternalBinding\b|require\('internal/|process\.binding\(`)},
	{"control of the garbage collector",
		regexp.MustCompile(`(?m)^// Flags:.*--expose[-_]gc|require\('(\.\./common/gc|v8)'\)|\bgc\(\)`)},
	{"other command-line flags of Node or V8",
		regexp.MustCompile(
			`(?m)^// Flags:.*--(expose_externalize|experimental-vm|max-old` +
				`|permission|experimental-permission|title|throw-|trace-|inspect)`,
		)},
	{"processes", regexp.MustCompile(
		`require\('((node:)?(child_process|cluster)|\.\./common/child_process)'\)|from ` +
			`'node:child_process'|common\.(spawnPromisified|opensslCli|nodeProcessAborted|childShouldThrowAndAbort)` +
			`|\bspawnPromisified\b|process\.(kill|execPath|initgroups|setgroups|setuid|seteuid)\(`)},
	{"the network", regexp.MustCompile(
		`require\('(node:)?(net|http|https|http2|tls|dgram|dns)'\)|from ` +
			`'(node:)?(net|http|https)'|common\.PORT|hasIPv6`)},
	{"threads", regexp.MustCompile(`require\('(node:)?worker_threads'\)|common/wpt`)},
	{"separate realms", regexp.MustCompile(`require\('(node:)?vm'\)`)},
	{"domains", regexp.MustCompile(`require\('(node:)?domain'\)`)},
	{"a terminal", regexp.MustCompile(`require\('(node:)?(tty|repl)'\)|getTTYfd`)},
	{"other files of Node's source",
		regexp.MustCompile(
			`'\.\./\.\./(deps|doc|lib|src|tools)\b|'\.\.', '\.\.', '(deps|doc|lib|src|tools)\b|\(rootDir, 'doc'`,
		)},
	{"the inspector", regexp.MustCompile(`require\('(node:)?inspector'\)|skipIfInspectorDisabled`)},
	{"tracing", regexp.MustCompile(`require\('(node:)?trace_events'\)`)},
	{"links, which the files of a project cannot be", regexp.MustCompile(`\b(symlink|symlinkSync|link|linkSync)\(`)},
	{"modes of files, which only the host sets",
		regexp.MustCompile(`\bfs\.f?chmod(Sync)?\(.*mustSucceed|fileHandle\.chmod\(`)},
	{"files of the machine", regexp.MustCompile(`'/proc/|(open|createReadStream)\(process\.execPath`)},
	{"watching files", regexp.MustCompile(`\b(watch|watchFile|unwatchFile)\(`)},
	{"public keys, which node:crypto has only in subtle",
		regexp.MustCompile(
			`\b(createSign|createVerify|publicEncrypt|privateEncrypt|publicDecrypt|privateDecrypt` +
				`|createDiffieHellman|createDiffieHellmanGroup|getDiffieHellman|DiffieHellman|DiffieHellmanGroup` +
				`|createECDH|X509Certificate|Certificate|createPublicKey|createPrivateKey|diffieHellman|generatePrime` +
				`|generatePrimeSync|checkPrime|checkPrimeSync|setEngine)\b|\bgenerateKeyPair(Sync)?\((type, ` +
				`|keyType, |'[^']*', (\{|common))|\bgenerateKeyPair\b\)|\bECDH\.convertKey\b|\{ ECDH \}`,
		)},
	{"ciphers that are not here", regexp.MustCompile(`aes-128-ccm|'des3-wrap'|crypto\.createCipher\(`)},
	{"curves of 448 bits", regexp.MustCompile(`name: '(Ed448|X448)'`)},
}

// nodeFailures are the files that name the tests of a module that fail: a line each, after comments that begin with #
// and give the reason for the lines up to an empty one.
const nodeFailures = "testdata/nodetests/failures"

// What is asked of the tests that count.
const (
	nodeShare       = 85 // per cent of all
	nodeModuleShare = 70 // per cent of those of each module
)

// A nodeTest is a test of Node's and what has come of it.
type nodeTest struct {
	file, module string
	excluded     string // why it cannot count, by a rule
	skipped      string // why it has skipped itself
	failure      string // empty if it has passed
	took         time.Duration
}

// nodeRun keeps the books for a test that runs: what test/common tells through the functions nodetest.*.
type nodeRun struct {
	mu       sync.Mutex
	skipped  string
	failures []string
	calls    []nodeCalls
}

type nodeCalls struct {
	name, wording, where string
	expected, actual     float64
}

func (r *nodeRun) functions() []javascript.Function {
	locked := func(do func(args []any) any) func(context.Context, []any) (any, error) {
		return func(_ context.Context, args []any) (any, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return do(args), nil
		}
	}
	return []javascript.Function{
		{Name: "nodetest.expect", Call: locked(func(args []any) any {
			r.calls = append(r.calls, nodeCalls{args[0].(string), args[1].(string), args[3].(string),
				args[2].(float64), 0})
			return float64(len(r.calls) - 1)
		})},
		{Name: "nodetest.called", Call: locked(func(args []any) any {
			r.calls[int(args[0].(float64))].actual++
			return nil
		})},
		{Name: "nodetest.fail", Call: locked(func(args []any) any {
			r.failures = append(r.failures, args[0].(string))
			return nil
		})},
		{Name: "nodetest.skip", Call: locked(func(args []any) any { r.skipped = args[0].(string); return nil })},
	}
}

// failed returns what has gone wrong although no exception has ended the run.
func (r *nodeRun) failed() []string {
	failures := r.failures
	for _, c := range r.calls {
		if c.wording == "exactly" && c.actual != c.expected || c.actual < c.expected {
			failures = append(failures, fmt.Sprintf("%s was called %v times, expected %s %v\n%s", c.name, c.actual,
				c.wording, c.expected, c.where))
		}
	}
	return failures
}

// nodeTestTime is how long a test may take.
const nodeTestTime = time.Minute

// runNodeTest runs a test in a fresh sandbox.
func runNodeTest(t testing.TB, source string, test *nodeTest) {
	var r nodeRun
	began := time.Now()
	script := fmt.Sprintf("require('/test/parallel/%s')", test.file)
	if strings.HasSuffix(test.file, ".mjs") {
		script = fmt.Sprintf("await import('/test/parallel/%s')", test.file)
	}
	files, err := newNodeFiles(t.Context(), source)
	if err != nil {
		t.Error(err)
		test.failure = err.Error()
		return
	}
	result, err := engine.Run(t.Context(), script, &javascript.RunOptions{
		Files: files, Functions: r.functions(), Name: "main.js",
		Limits: sandbox.Limits{Time: nodeTestTime, Memory: 256 << 20, Output: 1 << 20},
	})
	test.took = time.Since(began)
	failures := r.failed()
	if err != nil && !javascript.IsScriptFailure(err) {
		t.Errorf("%s: %v", test.file, err)
	}
	var crash *sandbox.CrashError
	if errors.As(err, &crash) {
		t.Errorf("%s crashes the engine: %v", test.file, err)
	}
	if err != nil {
		failures = append([]string{err.Error()}, failures...)
	}
	if test.took >= nodeTestTime { // which is no error if the script has returned
		failures = append(failures, "out of time")
	}
	if r.skipped != "" {
		test.skipped, failures = r.skipped, nil
	}
	if test.failure = strings.Join(failures, "\n"); test.failure != "" {
		for _, entry := range result.Console[max(0, len(result.Console)-20):] {
			test.failure += fmt.Sprintf("\n  console: %.500s", entry.Text)
		}
	}
}

// nodeTests returns the tests in Node's source, by file.
func nodeTests(t testing.TB, source string) []*nodeTest {
	entries, err := os.ReadDir(filepath.Join(source, "test", "parallel"))
	require.NoError(t, err)
	only, err := regexp.Compile(*nodeTestsOnly)
	require.NoError(t, err)
	require.Contains(t, append(slices.Collect(maps.Keys(nodeModuleTests)), ""), *nodeTestsModule)
	patterns := map[string]*regexp.Regexp{}
	for module, prefixes := range nodeModuleTests {
		patterns[module] = regexp.MustCompile(`^test-(` + prefixes + `)(-.*)?\.m?js$`)
	}
	var tests []*nodeTest
	for _, entry := range entries {
		for module, pattern := range patterns {
			if pattern.MatchString(entry.Name()) && only.MatchString(entry.Name()) && (*nodeTestsModule == "" ||
				*nodeTestsModule == module) {
				tests = append(tests, &nodeTest{file: entry.Name(), module: module})
			}
		}
	}
	require.NotEmpty(t, tests, "there are no such tests")
	for _, test := range tests {
		text, err := os.ReadFile(filepath.Join(source, "test", "parallel", test.file))
		require.NoError(t, err)
		for _, exclusion := range nodeExclusions {
			if exclusion.pattern.Match(text) {
				test.excluded = exclusion.reason
				break
			}
		}
	}
	return tests
}

// readNodeFailures returns the tests of a module that are known to fail, and why.
func readNodeFailures(t testing.TB, module string) map[string]string {
	text, err := os.ReadFile(filepath.Join(nodeFailures, module+".txt"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	failures := map[string]string{}
	reason := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch comment, isComment := strings.CutPrefix(line, "#"); {
		case line == "":
			reason = ""
		case isComment:
			reason = strings.TrimSpace(reason + " " + strings.TrimSpace(comment))
		default:
			require.NotEmpty(t, reason, "no reason is given for %s", line)
			require.NotContains(t, failures, line, "it is named twice")
			failures[line] = reason
		}
	}
	return failures
}

// TestNodeTests runs Node's own tests, from the source of Node 20 that TOOLRUN_NODE_SOURCE names, and compares with the
// lists of those that fail. Files of a module of ours stand for test/common.
func TestNodeTests(t *testing.T) {
	source := os.Getenv("TOOLRUN_NODE_SOURCE")
	if source == "" {
		t.Skip("TOOLRUN_NODE_SOURCE does not say where the source of Node is")
	}
	tests := nodeTests(t, source)
	work := make(chan *nodeTest)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for test := range work {
				runNodeTest(t, source, test)
			}
		})
	}
	for _, test := range tests {
		work <- test
	}
	close(work)
	workers.Wait()

	some := *nodeTestsOnly != "" || *nodeTestsModule != ""
	modules := map[string][]*nodeTest{}
	for _, test := range tests {
		modules[test.module] = append(modules[test.module], test)
	}
	all := nodeCounts{}
	fmt.Printf("%-20s %6s %9s %8s %8s %8s\n", "module", "files", "excluded", "skipped", "counted", "passed")
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		known := readNodeFailures(t, module)
		counts := countNodeTests(t, modules[module], known, some)
		fmt.Printf("%-20s %v\n", module, counts)
		all.add(counts)
		if some {
			continue
		}
		if counts.share() < nodeModuleShare {
			t.Errorf("too few tests of %s pass", module)
		}
		for file, reason := range known {
			t.Errorf("there is no test %s that counts (%s)", file, reason)
		}
	}
	fmt.Printf("%-20s %v\n", "all", all)
	if !some {
		require.GreaterOrEqual(t, all.share(), float64(nodeShare))
	}
}

// nodeCounts count tests.
type nodeCounts struct{ files, excluded, skipped, counted, passed int }

func (c *nodeCounts) add(d nodeCounts) {
	c.files, c.excluded, c.skipped = c.files+d.files, c.excluded+d.excluded, c.skipped+d.skipped
	c.counted, c.passed = c.counted+d.counted, c.passed+d.passed
}

func (c nodeCounts) share() float64 { return 100 * float64(c.passed) / float64(max(c.counted, 1)) }

func (c nodeCounts) String() string {
	return fmt.Sprintf("%6d %9d %8d %8d %8d %5.1f %%", c.files, c.excluded, c.skipped, c.counted, c.passed, c.share())
}

// countNodeTests counts tests of a module and reports those that have not ended as expected. It removes from known the
// tests that count.
func countNodeTests(t *testing.T, tests []*nodeTest, known map[string]string, print bool) (counts nodeCounts) {
	for _, test := range tests {
		counts.files++
		reason, expected := known[test.file]
		show := func(what, why string) {
			if print {
				fmt.Printf("--- %s: %s (%v)\n%s\n", test.file, what, test.took.Round(time.Millisecond),
					strings.TrimSpace(why))
			}
		}
		switch {
		case test.skipped != "":
			counts.skipped++
			show("skipped", test.skipped)
			continue
		case test.excluded != "":
			counts.excluded++
			show("excluded: "+test.excluded, test.failure)
			if test.failure == "" {
				t.Errorf("passes, so it must not be excluded: %s (%s)", test.file, test.excluded)
			}
			continue
		case test.failure == "":
			counts.passed++
			show("passed", "")
			if expected {
				t.Errorf("passes, so it must not be in the list: %s (%s)", test.file, reason)
			}
		case !expected:
			show("failed", test.failure)
			t.Errorf("fails: %s: %.300s", test.file, test.failure)
		default:
			show("failed, as expected: "+reason, test.failure)
		}
		counts.counted++
		delete(known, test.file)
	}
	return counts
}
