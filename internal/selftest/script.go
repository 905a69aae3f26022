// Package selftest runs hostile scripts against the sandbox, and measures how well they are stopped: on the machine where
// it is called, while all processors are busy and garbage collections go on.
package selftest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/testdata/hostile"
)

// A Script is something that code which nobody has read might do. Its file begins with two comments:
//
//	// Asks each element of an array that has 2**53-1 of them.
//	// ends: time limit
//
// The second says how a run of it must end, in one of the forms that [Ending] has; an exception may be without its name. Several, with
// " or " between them, are for what depends on the machine's speed.
type Script struct {
	Name    string // of the file, without ".js": family, hyphen, what is special
	Attempt string // what it attempts, a sentence
	Endings []string
	Source  string
}

// Family is the kind of attack.
func (s Script) Family() string {
	family, _, _ := strings.Cut(s.Name, "-")
	return family
}

// Scripts are those that come with the program, sorted by name.
func Scripts() ([]Script, error) { return read(hostile.Scripts) }

func read(files fs.FS) ([]Script, error) {
	names, err := fs.Glob(files, "*.js")
	if err != nil {
		return nil, err
	}
	scripts := make([]Script, 0, len(names))
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		script, err := parse(strings.TrimSuffix(path.Base(name), ".js"), string(source))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		scripts = append(scripts, script)
	}
	return scripts, nil
}

func parse(name, source string) (Script, error) {
	attempt, rest, _ := strings.Cut(source, "\n")
	ends, _, _ := strings.Cut(rest, "\n")
	s := Script{Name: name, Source: source}
	var ok bool
	if s.Attempt, ok = strings.CutPrefix(attempt, "// "); !ok {
		return s, errors.New("the first line does not say what the script attempts")
	}
	if ends, ok = strings.CutPrefix(ends, "// ends: "); !ok {
		return s, errors.New("the second line does not say how the script ends")
	}
	s.Endings = strings.Split(ends, " or ")
	for _, ending := range s.Endings {
		kind, _, _ := strings.Cut(ending, " ")
		limit, isLimit := strings.CutSuffix(ending, " limit")
		switch {
		case isLimit && slices.Contains(limits, sandbox.Limit(limit)), slices.Contains([]string{"exception", "returns", "exits"}, kind), ending == neverSettles:
		default:
			return s, fmt.Errorf("no script ends with %q", ending)
		}
	}
	return s, nil
}

// limits are those that a script can reach.
var limits = []sandbox.Limit{sandbox.LimitTime, sandbox.LimitMemory, sandbox.LimitRecursion}

const (
	timeLimit    = "time limit"
	neverSettles = "never settles"
)

// Ending says in a few words how a run has ended: "time limit", "memory limit", "recursion limit", "exception NAME", "never settles",
// "exits STATUS" or "returns TEXT". What has returned, and has left something going on that the time limit has stopped, ends by that. For
// what should never be, it is the text of the error.
func Ending(result *sandbox.Result, err error) string {
	if err == nil {
		if n := len(result.Console); n > 0 && strings.HasPrefix(result.Console[n-1].Text, "stopped after") {
			return timeLimit
		}
		return "returns " + result.Text
	}
	if errors.Is(err, sandbox.ErrNeverSettles) {
		return neverSettles
	}
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok && slices.Contains(limits, limit.Limit) {
		return string(limit.Limit) + " limit"
	}
	if script, ok := errors.AsType[*sandbox.ScriptError](err); ok {
		return strings.TrimSpace("exception " + script.Name)
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		return fmt.Sprintf("exits %d", exit.Code)
	}
	return err.Error()
}

// Allows says whether the script may end like that.
func (s Script) Allows(ending string) bool {
	return slices.ContainsFunc(s.Endings, func(want string) bool {
		return want == ending || want == "exception" && strings.HasPrefix(ending, "exception ")
	})
}
