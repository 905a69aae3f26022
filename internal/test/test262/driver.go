package test262

import (
	_ "embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Driver is the body of an async function that runs a case in QuickJS. It takes the case from the global variable
// test262, and reports what happens by calls of its function emit, each with one of the texts that [Case.Judge] takes.
// It is over when nothing is left that could still happen.
//
//go:embed driver.js
var Driver string

// Input is what the driver takes from the global variable test262, beside the function emit.
type Input struct {
	Harness []string `json:"harness"` // sources, which are run before the script
	Script  string   `json:"script"`
	Module  string   `json:"module"` // what is imported instead of running the script, or ""
}

// Input returns what the driver needs. The root of the engine's files is the test's folder.
func (s *Suite) Input(c Case) (Input, error) {
	harness, err := s.sources(c.Test)
	input := Input{Harness: harness, Script: c.Script()}
	if c.Mode == Module {
		input.Module = "./" + path.Base(c.path)
	}
	return input, err
}

// Prefixes of the texts that the driver emits.
const (
	ran    = "ran"     // the test has come to its end
	threw  = "threw "  // it has thrown; the name of the error's constructor, a space, and how it reads follow
	print  = "print "  // it has printed what follows
	broken = "broken " // the harness has thrown what follows
)

// What an asynchronous test prints when it is over.
const (
	complete = "Test262:AsyncTestComplete"
	failure  = "Test262:AsyncTestFailure:"
)

// Judge returns why a case has failed, or nil if it has passed. events are the driver's texts, and err is the error
// with which the engine stopped the case.
//
// The phase of an expected error is not looked at, since tests for which it matters throw something else when they
// begin to run.
func (c Case) Judge(events []string, err error) error {
	if err != nil {
		return err
	}
	ended := false
	var thrown, printed []string
	for _, event := range events {
		if event == ran {
			ended = true
		} else if text, ok := strings.CutPrefix(event, threw); ok {
			thrown = append(thrown, text)
		} else if text, ok := strings.CutPrefix(event, print); ok {
			printed = append(printed, text)
		} else {
			return errors.New(event)
		}
	}
	switch {
	case c.Negative != nil && len(thrown) == 0:
		return fmt.Errorf("no %s was thrown", c.Negative.Type)
	case c.Negative != nil:
		if name, _, _ := strings.Cut(thrown[0], " "); name != c.Negative.Type {
			return fmt.Errorf("instead of a %s: %s", c.Negative.Type, thrown[0])
		}
		return nil
	case len(thrown) > 0:
		return errors.New(thrown[0])
	case !ended:
		return errors.New("the test has not come to its end")
	case !c.has("async"):
		return nil
	}
	for _, text := range printed {
		if strings.HasPrefix(text, failure) {
			return errors.New(text)
		}
	}
	if !slices.Contains(printed, complete) {
		return errors.New("$DONE was not called")
	}
	return nil
}
