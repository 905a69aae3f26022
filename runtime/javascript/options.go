package javascript

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Function is a Go function that a script can call.
//
// Arguments and results are JSON-like: nil, bool, float64, string, []any, map[string]any, and []byte for an ArrayBuffer
// or a view of one (which comes back as a Uint8Array). From the script, undefined comes as nil, a BigInt as its decimal
// digits, and any other object as JSON.stringify sees it. To the script, everything goes that encoding/json can marshal.
type Function struct {
	// Name is what the script calls: an identifier, or several joined by dots, as in "tools.search". Behind the first dot there can be
	// hyphens, as in "tools.git-hub", which a script calls as tools["git-hub"].
	Name string

	// Call does the work. The context ends with the run. An error becomes an exception with its text as the message (a
	// [FunctionError] can give it a name and a code); a panic too, and ends nothing else. A function that outlives its
	// run is abandoned: its result is dropped.
	Call func(ctx context.Context, args []any) (any, error)

	// Async makes the function return a promise. Calls then run concurrently, each on its own goroutine, and the script
	// goes on meanwhile: up to 1000 at a time, with arguments of 64 MiB in all. Of results that a script does not take, 128 MiB
	// are kept; more are lost, which the script sees as an error. Otherwise the script waits for each call.
	Async bool
}

// FunctionError is an error with more to say to a script than a message.
type FunctionError struct {
	// Name is the error's class: Error, TypeError or RangeError. Any other name is that of an Error. Empty means Error.
	Name string
	// Message is the error's message.
	Message string
	// Code is the error's code property. Empty means none.
	Code string
}

func (e *FunctionError) Error() string { return e.Message }

// RunOptions are what one run may use. The zero value gives a script nothing but the language and the default limits.
type RunOptions struct {
	// Limits are the limits of the run.
	Limits sandbox.Limits

	// Name is the script's file name in stack traces. Empty means script.js.
	Name string

	// Owner is whom the run is for, and Client which of the owner's clients wants it, such as a project and the name of
	// a token. They say how runs share places: see [sandbox.EngineOptions].MaxRuns. An empty Owner is the host itself, for which
	// nothing is kept back; its runs may take all places, and what they take others do not have.
	Owner, Client string

	// Files is what fs works on, with absolute slash-separated paths. Nil means that there are no files, and that every
	// path is missing and cannot be made. An operation that does not return in time is abandoned when the run ends. One
	// that consists of several, as rename does, is done while nobody else changes the files, if the file system has the
	// method Exclusively of vfs.Exclusive. What is read-only for the method IsReadOnly of views of package vfs is
	// refused whatever there is, and shown as such.
	Files afero.Fs

	// Libraries is a folder in Files whose scripts (.js and .ts, not those in folders in it) run before the script, in global
	// scope. Those that export something, as CommonJS or ES modules, are made globals named after their files, unless there is
	// such a global. Empty means that there are none; a folder that is missing has none.
	Libraries string

	// Language is what the script is written in.
	Language Language

	// Functions are the Go functions that the script can call.
	Functions []Function

	// Globals are values that the script finds as global variables, by name as in Function. Values are those that
	// a Function may return.
	Globals map[string]any

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
	return out, checkNames(names)
}

// checkNames refuses names that are none, are given twice, or go through one another, as "a" and "a.b" do.
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
	return fmt.Errorf("runtime: %q is not a name for a script: use ASCII identifiers joined by dots, with hyphens behind the first dot at most", name)
}
