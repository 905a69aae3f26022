// Package test262 reads tests of the official conformance suite of ECMAScript, tc39/test262, describes how an
// engine must run them, and judges the results. It runs nothing itself.
//
// See https://github.com/tc39/test262/blob/main/INTERPRETING.md
package test262

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Test is one file of the suite.
type Test struct {
	// path is where the file is below the suite's folder test, with slashes.
	path string
	// Source is its content.
	Source string

	Meta
}

// Meta is the front matter of a test.
type Meta struct {
	// Flags say how the test is to be run.
	Flags []string
	// Includes are the files of the harness that it needs beside those that all need.
	Includes []string
	// Features are the parts of the language that it uses.
	Features []string
	// Negative is the error that the test must end in, or nil if it must end in none.
	Negative *Negative
}

// Negative describes an error that is expected.
type Negative struct {
	// Phase is when the error occurs: parse, resolution or runtime.
	Phase string
	// Type is the name of its constructor.
	Type string
}

// Mode is how the source of a test is run.
type Mode string

const (
	Sloppy Mode = "sloppy" // as an unchanged script
	Strict Mode = "strict" // as a script in strict mode
	Module Mode = "module" // as a module
)

// Case is a test in one of its modes.
type Case struct {
	*Test
	Mode Mode
}

func (c Case) String() string { return c.path + " " + string(c.Mode) }

// Parse reads a test.
func Parse(path, source string) (*Test, error) {
	t := &Test{path: path, Source: source}
	_, rest, ok := strings.Cut(source, "/*---")
	matter, _, closed := strings.Cut(rest, "---*/")
	if !ok || !closed {
		return nil, fmt.Errorf("test262: %s has no front matter", path)
	}
	matter = strings.ReplaceAll(strings.ReplaceAll(matter, "\r\n", "\n"), "\r", "\n")
	if err := yaml.Unmarshal([]byte(matter), &t.Meta); err != nil {
		return nil, fmt.Errorf("test262: %s: %w", path, err)
	}
	for _, flag := range t.Flags {
		if !slices.Contains(knownFlags, flag) {
			return nil, fmt.Errorf("test262: %s has the flag %s, which is not known", path, flag)
		}
	}
	if n := t.Negative; n != nil &&
		(n.Type == "" || !slices.Contains([]string{"parse", "resolution", "runtime"}, n.Phase)) {
		return nil, fmt.Errorf("test262: %s does not say which error it must end in", path)
	}
	return t, nil
}

var knownFlags = []string{"onlyStrict", "noStrict", "module", "raw", "async", "generated",
	"CanBlockIsFalse", "CanBlockIsTrue", "non-deterministic"}

// has reports whether a test has a flag.
func (t *Test) has(flag string) bool { return slices.Contains(t.Flags, flag) }

// Cases returns the test in all its modes.
func (t *Test) Cases() []Case {
	switch {
	case t.has("module"):
		return []Case{{t, Module}}
	case t.has("raw"), t.has("noStrict"):
		return []Case{{t, Sloppy}}
	case t.has("onlyStrict"):
		return []Case{{t, Strict}}
	}
	return []Case{{t, Sloppy}, {t, Strict}}
}

// Script returns what is run as a script. It is empty for modules, which are imported from their files.
func (c Case) Script() string {
	switch c.Mode {
	case Module:
		return ""
	case Strict:
		return "\"use strict\";\n" + c.Source
	}
	return c.Source
}

// Harness returns the names of the files of the harness that are run as scripts before the test, in their order.
func (t *Test) Harness() []string {
	if t.has("raw") {
		return nil
	}
	files := []string{"assert.js", "sta.js"}
	if t.has("async") {
		files = append(files, "doneprintHandle.js")
	}
	return append(files, t.Includes...)
}
