package quickjs

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
)

//go:embed prelude/*.js
var preludeFiles embed.FS

// preludeOrder is the order in which the files of the prelude run: each may use what those before it put into the
// kernel.
var preludeOrder = []string{
	"kernel", "iterators", "format", "console", "table", "timers", "path", "process", "files", "random", "functions",
	"classes", "exceptions", "performance", "base64", "encoding", "digest", "searchparams", "url", "events", "abort", "clone",
	"modules", "run",
}

func preludeSource(name string) ([]byte, error) {
	return preludeFiles.ReadFile("prelude/" + name + ".js")
}

// PreludeSHA256 hashes the source of the prelude.
func PreludeSHA256() ([sha256.Size]byte, error) {
	hash := sha256.New()
	for _, name := range preludeOrder {
		source, err := preludeSource(name)
		if err != nil {
			return [sha256.Size]byte{}, err
		}
		fmt.Fprintln(hash, name, len(source))
		hash.Write(source)
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// PreludeName begins the file names of the prelude in stack traces. Users do not see such frames.
const PreludeName = "toolrun:"

// A Prelude holds the JavaScript functions that the host calls.
type Prelude struct {
	// Install takes an object that describes the functions and values to define, and the mark that stands for bytes
	// in JSON.
	Install Value
	// Start takes the script as an async function, and an object with the mark that stands for bytes in JSON, and
	// its name.
	Start Value
	// StartModule takes an object with the name by which the script can be imported (module).
	StartModule Value
	// Library takes the path of a file with exports, the name of the global for them, and whether the file is an ES
	// module.
	Library Value
	// Shim takes the path of a file that is not an ES module, or the name of a built-in module, and returns the
	// source of an ES module for it.
	Shim Value
	// Raise takes the description of an error, and throws it.
	Raise Value
	// Tick takes the number of pending calls. It runs a timer if one is due, and returns 0. Otherwise it returns
	// the milliseconds until the next one is due, or -1 if there is none.
	Tick Value
	// Deliver takes the id and the answer of a call of a promise-returning host function.
	Deliver Value
	// Fail takes an exception and reports it to the host.
	Fail Value
	// Rejected takes the reason of an unhandled rejection, and prints it on the console.
	Rejected Value
}

// LoadPrelude runs the prelude, which defines scripts' globals and hides the internal ones.
func LoadPrelude(ctx context.Context, vm *VM) (*Prelude, error) {
	if err := vm.startModules(ctx); err != nil {
		return nil, err
	}
	kernel, err := vm.NewObject(ctx)
	if err != nil {
		return nil, err
	}
	host, err := vm.NewHostFunction(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range preludeOrder {
		source, err := preludeSource(name)
		if err != nil {
			return nil, err
		}
		file, err := vm.Eval(ctx, string(source), PreludeName+name+".js")
		if err != nil {
			return nil, err
		}
		result := file
		if file != Exception {
			if result, err = vm.Call(ctx, file, kernel, host); err != nil {
				return nil, err
			}
		}
		if result == Exception {
			return nil, fmt.Errorf("quickjs: prelude/%s.js: %s", name, vm.describeException(ctx))
		}
	}
	p := &Prelude{}
	for name, entry := range map[string]*Value{
		"install": &p.Install, "start": &p.Start, "tick": &p.Tick, "deliver": &p.Deliver, "fail": &p.Fail,
		"rejected": &p.Rejected, "startModule": &p.StartModule, "library": &p.Library, "shim": &p.Shim, "raise": &p.Raise,
	} {
		if *entry, err = vm.Property(ctx, kernel, name); err != nil {
			return nil, err
		}
		if !entry.IsObject() {
			return nil, fmt.Errorf("quickjs: the prelude does not define %s", name)
		}
	}
	return p, nil
}

// describeException returns the message of the exception that was thrown last, for errors that only a developer sees.
func (vm *VM) describeException(ctx context.Context) string {
	e, err := vm.TakeException(ctx)
	if err != nil {
		return err.Error()
	}
	message, err := vm.Property(ctx, e, "message")
	if err != nil {
		return err.Error()
	}
	stack, err := vm.Property(ctx, e, "stack")
	if err != nil {
		return err.Error()
	}
	m, _, _ := vm.String(message, 1000)
	s, _, _ := vm.String(stack, 1000)
	return m + "\n" + s
}
