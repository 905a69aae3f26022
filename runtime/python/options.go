package python

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Module is a build of CPython. Package guest/python says which ones can be used.
type Module struct {
	// Bytes returns the WebAssembly module. It is called only if the cache directory does not have it.
	Bytes func() ([]byte, error)
	// SHA256 is the hash of what Bytes returns.
	SHA256 [sha256.Size]byte
}

// FromBytes returns a module that is in memory. Do not change the bytes.
func FromBytes(module []byte) Module {
	return Module{Bytes: func() ([]byte, error) { return module, nil }, SHA256: sha256.Sum256(module)}
}

// RunOptions configure a run. The zero value gives the code the language with its standard library and the default
// limits.
type RunOptions struct {
	// Limits are the limits of the run. Python has about 24 MiB of memory from the start, which are part of
	// Limits.Memory.
	Limits sandbox.Limits

	// Name is the code's file name in tracebacks. Empty means script.py.
	Name string

	// Args are the code's arguments: sys.argv after the name.
	Args []string

	// Owner is whom the run is for, such as a project, and Client which of the owner's clients wants it, such as
	// the name of a token. They decide how runs share places: see [sandbox.EngineOptions].MaxRuns. An empty Owner
	// is the host itself: its runs may take all places, also those that are kept for others.
	Owner, Client string

	// Stdin is the code's standard input. With nil, input() is an error that says so. Do not change it until the run
	// has ended.
	Stdin []byte

	// Files are the files that the code works on, at "/": see [sandbox.RunOptions].Files.
	Files afero.Fs

	// Functions are the Go functions that the code can call.
	Functions []Function

	// Console, if not nil, gets each entry of the console when it is printed: see [sandbox.RunOptions].Console.
	// A line appears when it ends, or when its stream is flushed.
	Console func(sandbox.Entry)
}

func (o *RunOptions) withDefaults() (RunOptions, error) {
	var out RunOptions
	if o != nil {
		out = *o
	}
	if out.Name == "" {
		out.Name = "script.py"
	}
	if !utf8.ValidString(out.Name) || strings.ContainsFunc(out.Name, func(c rune) bool { return c < ' ' }) || out.Name[0] == '<' {
		return out, fmt.Errorf("python: RunOptions.Name is %q", out.Name)
	}
	for _, arg := range out.Args {
		if !utf8.ValidString(arg) || strings.Contains(arg, "\x00") {
			return out, fmt.Errorf("python: one of RunOptions.Args is %q", arg)
		}
	}
	return out, checkFunctions(out.Functions)
}
