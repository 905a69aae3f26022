package javascript

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// A Function is a Go function that a script can call.
//
// Arguments and results are JSON-like: nil, bool, float64, string, []any, map[string]any, and []byte for an
// ArrayBuffer or a view of one (a result becomes a Uint8Array). An argument that is undefined becomes nil, a BigInt
// its decimal digits, and any other object what JSON.stringify makes of it. A result can be anything that
// encoding/json can marshal.
type Function struct {
	// Name is the script's name for the function: an identifier, or several joined by dots, as in "tools.search".
	// After the first dot, hyphens are allowed: a script calls "tools.git-hub" as tools["git-hub"].
	Name string

	// Call does the work. The context ends with the run. An error becomes an exception with its text as the message
	// (a [FunctionError] can set a name and a code). A panic becomes an exception too. A function that does not
	// return before the run ends is abandoned, and its result is dropped.
	Call func(ctx context.Context, args []any) (any, error)

	// Async makes the function return a promise. Calls then run concurrently with the script, each on its own
	// goroutine: up to 1000 at a time, with 64 MiB of arguments in all. Up to 128 MiB of results wait for the
	// script; further results are lost, which the script sees as an error. Without Async the script waits for each
	// call.
	Async bool

	// begin, if not nil, does what must be done in the order of the script's calls, and returns what Call would do.
	begin func(args []any) func(ctx context.Context) (any, error)
}

// A FunctionError is an error with a name and a code for the script. Its name is the error's class: Error, TypeError or
// RangeError. Any other name is that of an Error. Empty means Error.
type FunctionError = script.FunctionError

// RunOptions configure a run. The zero value gives a script only the language and the default limits.
type RunOptions struct {
	// Limits are the limits of the run.
	Limits sandbox.Limits

	// Name is the script's file name in stack traces. Empty means script.js.
	Name string

	// Owner is whom the run is for, such as a project, and Client which of the owner's clients wants it, such as
	// the name of a token. They decide how runs share places: see [sandbox.EngineOptions].MaxRuns. An empty Owner
	// is the host itself: its runs may take all places, also those that are kept for others.
	Owner, Client string

	// Files is the file system of fs. It gets absolute, slash-separated paths. Nil means no files: every path but /tmp
	// and /dev/null is missing and cannot be created.
	//
	// An operation that does not return in time is abandoned when the run ends. An operation of several steps, such
	// as rename, excludes other changes if the file system has the method Exclusively of vfs.Exclusive. Paths for
	// which a view of package vfs reports IsReadOnly are always refused, and shown as read-only.
	Files afero.Fs

	// Libraries are folders in Files. Their scripts (.js and .ts, without subfolders) run before the script, one
	// folder after the other, in global scope. Exports of CommonJS and ES modules become a global named after the
	// file, unless that global exists. A missing folder has none.
	Libraries []string

	// Language is the script's language.
	Language Language

	// Expression means that the script is an expression, whose value is the result, and not the body of a function.
	Expression bool

	// Functions are the Go functions that the script can call.
	Functions []Function

	// Globals are values for global variables, keyed by name as in Function. Values are those that a Function may
	// return.
	Globals map[string]any

	// Network is how fetch makes requests; it belongs to this run alone. Nil means that there is no network: then there
	// is no fetch either.
	//
	// A response that has not been read is lost when the run is suspended, or when the script of a session is over.
	Network network.Run

	// Session makes the script one of a session: what it declares at its top level, and all else in the sandbox, is
	// there for the next one. It goes on from State, which [Result].State of an earlier script was, or begins a session
	// if State is nil; then Libraries are loaded. A declaration takes the place of an earlier one of the same name. Of
	// timers, what is left when the script is over goes on with the next one. A function of an earlier script that is
	// not among Functions any more fails when it is called.
	//
	// Without Session, State has no effect.
	Session bool
	State   *sandbox.State

	// Stdin is the script's standard input: process.stdin and file descriptor 0. It is read when the script reads, on a
	// goroutine of its own, of which the last call may still be in progress when the run has ended. The script waits
	// meanwhile. Nil means that there is none: process.stdin is at its end, and fs.readFileSync(0) is an error that
	// says so.
	Stdin io.Reader

	// Console, if not nil, gets each entry of the console when it is printed, and the text of process.stdout.write
	// when it is written: see [sandbox.RunOptions].Console.
	Console func(sandbox.Entry)

	engineModules bool // the engine's own modules, like qjs:std, can be imported
}

func (o *RunOptions) withDefaults() (RunOptions, error) {
	var out RunOptions
	if o != nil {
		out = *o
	}
	if out.Name == "" {
		out.Name = "script.js"
	}
	if strings.ContainsFunc(out.Name, func(c rune) bool { return c < ' ' }) || strings.Contains(out.Name, "toolrun:") {
		return out, fmt.Errorf("javascript: RunOptions.Name is %q", out.Name)
	}
	if out.Language < LanguageAuto || out.Language > LanguageTypeScript {
		return out, fmt.Errorf("javascript: RunOptions.Language is %d", out.Language)
	}
	names := slices.Collect(maps.Keys(out.Globals))
	for _, f := range out.Functions {
		if f.Call == nil {
			return out, fmt.Errorf("runtime: function %q has no Call", f.Name)
		}
		names = append(names, f.Name)
	}
	out.withNetwork()
	return out, checkNames(names)
}

// runOptions returns the options for the sandbox.
func (o *RunOptions) runOptions() sandbox.RunOptions {
	return sandbox.RunOptions{Limits: o.Limits, Owner: o.Owner, Client: o.Client, Console: o.Console, State: o.State}
}

// checkNames refuses invalid names, duplicates, and names that are part of one another, as "a" and "a.b" are.
func checkNames(names []string) error {
	slices.Sort(names)
	given := make(map[string]bool, len(names))
	for _, name := range names { // what goes through another name comes after it
		path, err := splitName(name)
		if err != nil {
			return err
		}
		for end := range path {
			if other := strings.Join(path[:end+1], "."); given[other] {
				return fmt.Errorf("runtime: the names %q and %q cannot both be given to a script", other, name)
			}
		}
		given[name] = true
	}
	return nil
}

// splitName splits a name into its identifiers.
func splitName(name string) ([]string, error) {
	path := strings.Split(name, ".")
	for at, part := range path {
		for i, c := range part {
			letter := c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			inside := i > 0 && (c >= '0' && c <= '9' || c == '-' && at > 0)
			if !letter && !inside {
				return nil, nameError(name)
			}
		}
		if part == "" || part == "__proto__" {
			return nil, nameError(name)
		}
	}
	return path, nil
}

func nameError(name string) error {
	return fmt.Errorf("runtime: %q is not a name for a script: use ASCII identifiers joined by dots, "+
		"with hyphens behind the first dot at most", name)
}

// hiddenName begins the names of functions that only built-in modules can call.
const hiddenName = "toolrun:"

// withNetwork adds what fetch needs to the options.
func (o *RunOptions) withNetwork() {
	if o.Network == nil {
		return
	}
	requests := script.NewRequests(o.Network, "TypeError")
	o.Functions = append(slices.Clip(o.Functions),
		Function{Name: hiddenName + "fetchBegin", Async: true, begin: requests.Begin},
		Function{Name: hiddenName + "fetchRead", Async: true, Call: requests.Read},
		Function{Name: hiddenName + "fetchEnd", Call: requests.End})
}
