// Package selftest runs hostile scripts against the sandbox and measures how well they are stopped, on the machine
// where it is called, while all processors are busy and garbage collections go on. It also sends small hostile
// inputs to everything that takes outside input, and measures how large the process becomes.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/testdata/hostile"
)

// An Attack is something that models, clients, servers or untrusted code might do. Most are scripts, whose files
// begin with comments:
//
//	// Asks each element of an array that has 2**53-1 of them.
//	// ends: time limit
//	// grows: 228 MiB
//
// The second line says how the attack must end, for a script in a form that [Ending] returns; the name of an
// exception can be left out. Several endings, with " or " between them, are for attacks that depend on the
// machine's speed. The third line is for attacks on the memory of the process. Attacks that are not scripts are
// functions of this package.
type Attack struct {
	Name    string // family, hyphen, what is special; a script's is that of its file, without ".js"
	Attempt string // what it attempts, a sentence
	Endings []string

	// Grows is how many bytes the process may grow during the attack. Such attacks are made one at a time. Zero
	// means that the attack's memory is not measured separately.
	Grows int64

	// Source is the script.
	Source string
	// language is that of the script: "" for JavaScript, "python" or "shell".
	language string

	// prepare, if not nil, makes an attack that is not a script.
	prepare preparation
}

// A preparation makes what an attack needs; its memory does not count as growth. The attack returns how it has ended,
// and free releases what was made.
type preparation func(ctx context.Context) (attack func() (ending string, err error), free func(), err error)

// amplification is the family of small inputs that make the process large. It has families of its own: messages,
// schemas and so on.
const amplification = "amplification"

// IsPython and IsShell report whether the attack is a script in Python, or one of the shell.
func (a Attack) IsPython() bool { return a.language == "python" }
func (a Attack) IsShell() bool  { return a.language == "shell" }

// Family returns the kind of attack: the name's first word, or its second if the first is "amplification".
func (a Attack) Family() string {
	family, rest, _ := strings.Cut(a.Name, "-")
	if family == amplification {
		kind, _, _ := strings.Cut(rest, "-")
		family += "-" + kind
	}
	return family
}

// Attacks returns the built-in attacks, sorted by name.
func Attacks() ([]Attack, error) {
	attacks, err := read(hostile.Scripts, "*.js")
	if err != nil {
		return nil, err
	}
	attacks = slices.Concat(attacks, messages(), schemas(), archives(), streams(), modules(), page())
	slices.SortFunc(attacks, func(a, b Attack) int { return strings.Compare(a.Name, b.Name) })
	return attacks, nil
}

// dataFamily is the family of attacks by packages of a build, which are dataPackages.
const dataFamily = "data"

var dataPackages = []string{"numpy", "pandas", "matplotlib", "PIL"}

// Possible reports whether the attack can be made with a build of Python, if it is a script in that: some need
// packages.
func (a Attack) Possible(python *py.Interpreter) bool {
	if !a.IsPython() || a.Family() != dataFamily {
		return true
	}
	if python == nil {
		return false
	}
	packages := python.Packages()
	return !slices.ContainsFunc(dataPackages, func(name string) bool {
		imported := strings.Contains(a.Source, "\nimport "+name) || strings.Contains(a.Source, "\nfrom "+name)
		return imported && !slices.Contains(packages, name)
	})
}

// PythonAttacks returns the built-in attacks that are Python, sorted by name. They are made only where [Options] has
// Python.
func PythonAttacks() ([]Attack, error) { return read(hostile.Python, "python/*.py") }

// ShellAttacks returns the built-in attacks that are scripts of the shell, as PythonAttacks does for [Options].Shell.
func ShellAttacks() ([]Attack, error) { return read(hostile.Shell, "shell/*.sh") }

func read(files fs.FS, pattern string) ([]Attack, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	scripts := make([]Attack, 0, len(names))
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		extension := path.Ext(name)
		language := map[string]string{".py": "python", ".sh": "shell"}[extension]
		comment := "// "
		if language != "" {
			comment = "# "
		}
		script, err := parse(strings.TrimSuffix(path.Base(name), extension), string(source), comment)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		script.language = language
		scripts = append(scripts, script)
	}
	return scripts, nil
}

// parse reads the comments at the beginning of a script.
func parse(name, source, comment string) (Attack, error) {
	attempt, rest, _ := strings.Cut(source, "\n")
	ends, rest, _ := strings.Cut(rest, "\n")
	a := Attack{Name: name, Source: source}
	var ok bool
	if a.Attempt, ok = strings.CutPrefix(attempt, comment); !ok {
		return a, errors.New("the first line does not say what the script attempts")
	}
	if ends, ok = strings.CutPrefix(ends, comment+"ends: "); !ok {
		return a, errors.New("the second line does not say how the script ends")
	}
	a.Endings = strings.Split(ends, " or ")
	for _, ending := range a.Endings {
		kind, _, _ := strings.Cut(ending, " ")
		limit, isLimit := strings.CutSuffix(ending, " limit")
		switch {
		case isLimit && slices.Contains(limits, sandbox.Limit(limit)), slices.Contains([]string{"exception", "returns",
			"exits", crashes}, kind), ending == neverSettles:
		default:
			return a, fmt.Errorf("no script ends with %q", ending)
		}
	}
	if grows, ok := strings.CutPrefix(rest, comment+"grows: "); ok {
		grows, _, _ = strings.Cut(grows, "\n")
		mebibytes, err := strconv.ParseUint(strings.TrimSuffix(grows, " MiB"), 10, 20)
		if err != nil {
			return a, fmt.Errorf("no process grows by %q", grows)
		}
		a.Grows = int64(mebibytes) << 20
	}
	return a, nil
}

// limits are those that a script can reach.
var limits = []sandbox.Limit{sandbox.LimitTime, sandbox.LimitMemory, sandbox.LimitRecursion}

const (
	timeLimit    = "time limit"
	neverSettles = "never settles"
)

// Ending describes how a run has ended: "time limit", "memory limit", "recursion limit", "exception NAME", "never
// settles", "exits STATUS" or "returns TEXT". If a script has returned but left work that the time limit stopped,
// the ending is the time limit. For anything that must not happen, it is the text of the error.
func Ending(result *js.Result, err error) string {
	if err == nil {
		if n := len(result.Console); n > 0 && strings.HasPrefix(result.Console[n-1].Text, "stopped after") {
			return timeLimit
		}
		return "returns " + result.Text
	}
	if errors.Is(err, js.ErrNeverSettles) {
		return neverSettles
	}
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok && slices.Contains(limits, limit.Limit) {
		return string(limit.Limit) + " limit"
	}
	if script, ok := errors.AsType[*js.ScriptError](err); ok {
		return strings.TrimSpace("exception " + script.Name)
	}
	if exit, ok := errors.AsType[*js.ExitError](err); ok {
		return fmt.Sprintf("exits %d", exit.Code)
	}
	return err.Error()
}

// Allows reports whether the attack may end in this way.
func (a Attack) Allows(ending string) bool {
	return slices.ContainsFunc(a.Endings, func(want string) bool {
		kind, _, more := strings.Cut(ending, " ")
		return want == ending || more && want == kind && (kind == "exception" || kind == "returns")
	})
}
