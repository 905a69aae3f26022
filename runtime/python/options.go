package python

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// A Module is a build of CPython. Package guest/python says which ones can be used.
type Module = script.Module

// FromBytes returns a module that is in memory. Do not change the bytes.
func FromBytes(module []byte) Module { return script.FromBytes(module) }

// RunOptions configure a run. The zero value gives the code the language with its standard library and the default
// limits.
type RunOptions struct {
	// Limits are the limits of the run. Python has about 24 MiB of memory from the start, and a build with packages
	// about twice as much, which are part of Limits.Memory. Without a limit of memory, a build with packages has
	// PackagesMemory.
	Limits sandbox.Limits

	// Name is the code's file name in tracebacks. Empty means script.py.
	Name string

	// Args are the code's arguments: sys.argv after the name.
	Args []string

	// Owner is whom the run is for, such as a project, and Client which of the owner's clients wants it, such as
	// the name of a token. They decide how runs share places: see [sandbox.EngineOptions].MaxRuns. An empty Owner
	// is the host itself: its runs may take all places, also those that are kept for others. Images of libraries are
	// never shared among owners.
	Owner, Client string

	// Stdin is the code's standard input. With neither Stdin nor StdinFrom, input() is an error that
	// says so. Do not change it until the run
	// has ended.
	Stdin []byte

	// StdinFrom, if not nil, is the rest of the standard input: see [sandbox.RunOptions].StdinFrom.
	StdinFrom io.Reader

	// Expression means that the code is an expression, whose value is the result. Code of any other kind is a syntax
	// error.
	Expression bool

	// Files are the files that the code works on, at "/": see [sandbox.RunOptions].Files.
	Files afero.Fs

	// Libraries are the folders of Files whose packages can be imported, absolute, the first one first. Nil means
	// /lib/python. Modules that the code imports before it does anything else are kept for later runs of the same
	// Owner, if one of them is from these folders and importing them has no effect outside the sandbox.
	Libraries []string

	// Functions are the Go functions that the code can call.
	Functions []Function

	// Network is how urllib.request and the module requests make requests; it belongs to this run alone. Nil means that
	// there is no network.
	Network network.Run

	// Environment is what the code finds in os.environ, beside what was there before.
	Environment map[string]string

	// Session makes the code one of a session: its variables, functions, classes and imports, and all else in the
	// sandbox, are there for the code after it. It goes on from State, which [Result].State of an earlier run was, or
	// begins a session if State is nil. Tasks of asyncio that are left when code ends well go on while later code
	// awaits. The generator of the module random goes on as well: whoever uses one state twice gets the same numbers
	// twice. A function of earlier code that is not among Functions any more fails when it is called.
	//
	// Without Session, State has no effect.
	Session bool
	State   *sandbox.State

	// Console, if not nil, gets each entry of the console when it is printed: see [sandbox.RunOptions].Console.
	// A line appears when it ends, or when its stream is flushed.
	Console func(sandbox.Entry)
}

// PackagesMemory is the default limit of memory, in bytes, for a build with packages. With pandas imported, 60 MiB are
// in use.
const PackagesMemory = 256 << 20

func (o *RunOptions) withDefaults(program *sandbox.Program) (RunOptions, error) {
	var out RunOptions
	if o != nil {
		out = *o
	}
	if out.Limits.Memory == 0 && len(packagesOf(program)) > 0 {
		out.Limits.Memory = PackagesMemory
	}
	if out.Name == "" {
		out.Name = "script.py"
	}
	if !isFileName(out.Name) {
		return out, fmt.Errorf("python: RunOptions.Name is %q", out.Name)
	}
	for _, arg := range out.Args {
		if !utf8.ValidString(arg) || strings.Contains(arg, "\x00") {
			return out, fmt.Errorf("python: one of RunOptions.Args is %q", arg)
		}
	}
	for _, dir := range out.Libraries {
		if !utf8.ValidString(dir) || strings.Contains(dir, "\x00") || !path.IsAbs(dir) {
			return out, fmt.Errorf("python: one of RunOptions.Libraries is %q", dir)
		}
	}
	err := checkFunctions(out.Functions)
	out.withNetwork()
	return out, err
}

// hiddenName begins the names of functions that only the boot code can call.
const hiddenName = "toolrun:"

// withNetwork adds what requests (guest/python/boot/network.py), and the environment, need to the options.
func (o *RunOptions) withNetwork() {
	hidden := func(name string, call func(context.Context, []any) (any, error)) {
		o.Functions = append(slices.Clip(o.Functions), Function{Name: hiddenName + name,
			Call: func(ctx context.Context, args []any, _ map[string]any) (any, error) { return call(ctx, args) }})
	}
	if len(o.Environment) > 0 {
		environment := maps.Clone(o.Environment)
		hidden("environment", func(context.Context, []any) (any, error) { return environment, nil })
	}
	if o.Network != nil {
		requests := script.NewRequests(o.Network, "OSError")
		hidden("begin", func(ctx context.Context, args []any) (any, error) { return requests.Begin(args)(ctx) })
		hidden("read", requests.Read)
		hidden("end", requests.End)
	}
}

func isFileName(name string) bool {
	return name != "" && utf8.ValidString(name) && name[0] != '<' &&
		!strings.ContainsFunc(name, func(c rune) bool { return c < ' ' })
}

// runOptions returns the options of the sandbox's run.
func (o *RunOptions) runOptions() sandbox.RunOptions {
	return sandbox.RunOptions{
		Limits: o.Limits, Owner: o.Owner, Client: o.Client, Console: o.Console, Stdin: o.Stdin,
		StdinFrom: o.StdinFrom, Files: o.Files,
		State: o.State,
	}
}
