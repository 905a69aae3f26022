// Package registrytest checks tools: [TestTool] checks whether a tool does everything that package registry asks of it,
// and says what to change if it does not.
//
//	func TestWordCount(t *testing.T) {
//		registrytest.TestTool(t, wordCount, &registrytest.Options{
//			Inputs: []string{`{"text": "one two"}`},
//		})
//	}
//
// The tool is really executed, also with inputs that the kit invents: a few dozen for each argument, most of them bad.
// It gets projects in memory as its files. Replace everything else that it can reach, such as a server, by a fake.
//
// # What is checked
//
// Each of these is a subtest:
//
//   - registration: registry.New accepts the tool, and Spec returns the same each time.
//   - description: the tool has a meaningful description, and its arguments have descriptions.
//   - options: for many combinations of option values, descriptions, schemas and system prompts are sound.
//   - definitions: every API of package provider gets a definition, in strict mode and not, and the same each time.
//   - inputs: Options.Inputs succeed, with a result that is not empty, is sound, and fits the OutputSchema.
//   - bad inputs: mistakes of a model give a result, and no panic or failure of the tool. The kit tries inputs that are
//     not objects, values of other types, texts that are empty, huge or not UTF-8, extreme numbers, and deep nesting.
//   - no project: a tool without NeedsProject works without files, or explains that it cannot.
//   - cancellation: a call ends soon after its context has ended, or its time is up.
//   - isolation: concurrent calls on separate projects give the same results as sequential ones. Run tests with
//     -race to find data races, which this check cannot see.
//   - environment: a call does not change its Env.
//   - annotations: ReadOnly calls change no file, and repeating Idempotent ones changes nothing more.
//   - rendering: the methods that format inputs and results for people do not panic.
//
// Some findings are advice, which go test -v shows; a missing sample input is one. Without samples the kit sees little
// of the tool.
package registrytest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// Options describe what [TestTool] cannot know about a tool. All are optional.
type Options struct {
	// Inputs are valid inputs, as JSON. Each call has its own project. Give at least two with different results.
	Inputs []string
	// Slow is an input with which a call takes at least two seconds, unless it is stopped. Without it, a tool that
	// ignores cancellation is found only if every call is slow.
	Slow string
	// Prepare puts the files that Inputs and Slow refer to into a project. Nil means that projects are empty.
	Prepare func(files afero.Fs) error
	// Skip names checks to leave out.
	Skip []string
}

// TestTool runs all checks of the package on a tool. It takes a few seconds at most, unless calls with Options.Inputs
// take longer.
func TestTool(t *testing.T, one tool.Tool, options *Options) {
	t.Helper()
	if options == nil {
		options = &Options{}
	}
	for _, name := range options.Skip {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			t.Fatalf("Options.Skip: there is no check %q", name)
		}
	}
	var s *subject
	if !t.Run(registration, func(t *testing.T) {
		f := new(findings)
		s = newSubject(one, options, f)
		f.report(t)
	}) || s == nil {
		return // the other checks need it
	}
	for _, c := range checks {
		if slices.Contains(options.Skip, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			f := new(findings)
			c.run(s, f)
			f.report(t)
		})
	}
}

// registration is the check that all others depend on.
const registration = "registration"

// A check tests one requirement.
type check struct {
	name string
	run  func(s *subject, f *findings)
}

var checks = []check{
	{"description", checkDescription},
	{"options", checkOptions},
	{"definitions", checkDefinitions},
	{"inputs", checkInputs},
	{"bad inputs", checkBadInputs},
	{"no project", checkNoProject},
	{"cancellation", checkCancellation},
	{"isolation", checkIsolation},
	{"environment", checkEnvironment},
	{"annotations", checkAnnotations},
	{"rendering", checkRendering},
}

// findings are the results of a check.
type findings struct {
	faults, advice []string
}

// fault records a fault, which fails the test.
func (f *findings) fault(format string, args ...any) {
	f.faults = add(f.faults, fmt.Sprintf(format, args...))
}

// advise records advice, which does not fail the test.
func (f *findings) advise(format string, args ...any) {
	f.advice = add(f.advice, fmt.Sprintf(format, args...))
}

func add(to []string, text string) []string {
	if slices.Contains(to, text) {
		return to
	}
	return append(to, text)
}

// maxFindings limits the findings that a check shows. One mistake often shows with many inputs.
const maxFindings = 10

func (f *findings) report(t *testing.T) {
	t.Helper()
	for _, text := range f.advice[:min(len(f.advice), maxFindings)] {
		t.Log("advice: " + text)
	}
	for _, text := range f.faults[:min(len(f.faults), maxFindings)] {
		t.Error(text)
	}
	if n := len(f.faults) - maxFindings; n > 0 {
		t.Errorf("and %d more", n)
	}
}

func short(text string) string { return plaintext.Clean(text, 300) }
