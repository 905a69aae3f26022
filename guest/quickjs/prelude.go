package quickjs

import (
	"context"
	"fmt"
)

// A PreludeSource is the JavaScript of a prelude.
type PreludeSource struct {
	// Scripts run in this order. Each is a function of the kernel, an object that all of them share, and of the host
	// primitive.
	Scripts []Script
	// Globals is JSON: the global variables that belong to modules, each with the module's name.
	Globals string
}

// A Script is a file of a prelude.
type Script struct{ Name, Source string }

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
	// StartTop takes what Start takes beside the script. Call it before [VM.EvalTop], and EndTop with the promise and
	// what Start takes.
	StartTop, EndTop Value
	// StartModule takes an object with the name by which the script can be imported (module).
	StartModule Value
	// Library takes the path of a file with exports, the name of the global for them, and whether the file is an ES
	// module.
	Library Value
	// Shim takes the path of a file that is not an ES module, or the name of a built-in module, and whether a package
	// imports it. It returns the source of an ES module for it.
	Shim Value
	// Meta takes the import.meta of a module, and the module's path, and gives it its properties.
	Meta Value
	// Builtin takes the name of a built-in module and returns its exports.
	Builtin Value
	// Preload takes what the script will require or import, and whether by require. It returns the promise of that.
	Preload Value
	// Raise takes the description of an error, and throws it.
	Raise Value
	// Tick takes the number of pending calls, and whether there are rejections to look at. It runs what
	// process.nextTick got, or a timer if one is due, and returns 0. Otherwise it returns the milliseconds until the
	// next one is due, -1 if there is none, or -2 if the host has to look at the rejections first. With a negative
	// number of calls, no timer runs.
	Tick Value
	// Deliver takes the id and the answer of a call of a promise-returning host function.
	Deliver Value
	// Fail takes an exception and reports it to the host.
	Fail Value
	// Dropped returns what has become of the value of the script's last expression: 0 if there is none that could be a
	// result, 1 for a value, 2 for a promise that has one, 3 for a function, and 4
	// if the script is a module that exports nothing.
	Dropped Value
	// Rejected takes the reason of an unhandled rejection, and the promise.
	Rejected Value
}

// LoadPrelude runs the prelude, which defines scripts' globals and hides the internal ones.
func LoadPrelude(ctx context.Context, vm *VM, source PreludeSource) (*Prelude, error) {
	if err := vm.startModules(ctx); err != nil {
		return nil, err
	}
	kernel, err := vm.newObject(ctx)
	if err != nil {
		return nil, err
	}
	host, err := vm.NewHostFunction(ctx)
	if err != nil {
		return nil, err
	}
	for _, script := range source.Scripts {
		file, err := vm.Eval(ctx, script.Source, PreludeName+script.Name+".js")
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
			return nil, fmt.Errorf("quickjs: the prelude's %s.js: %s", script.Name, vm.describeException(ctx))
		}
	}
	p := &Prelude{}
	for name, entry := range map[string]*Value{
		"install": &p.Install, "start": &p.Start, "tick": &p.Tick, "deliver": &p.Deliver, "fail": &p.Fail,
		"rejected": &p.Rejected, "startTop": &p.StartTop, "endTop": &p.EndTop, "startModule": &p.StartModule,
		"library": &p.Library, "shim": &p.Shim, "raise": &p.Raise,
		"builtin": &p.Builtin, "meta": &p.Meta, "preload": &p.Preload, "dropped": &p.Dropped,
	} {
		if *entry, err = vm.Property(ctx, kernel, name); err != nil {
			return nil, err
		}
		if !entry.IsObject() {
			return nil, fmt.Errorf("quickjs: the prelude does not define %s", name)
		}
	}
	return p, vm.defineLazyGlobals(ctx, kernel, source.Globals)
}

func (vm *VM) defineLazyGlobals(ctx context.Context, kernel Value, list string) error {
	define, err := vm.Property(ctx, kernel, "lazyGlobals")
	if err != nil {
		return err
	}
	globals, err := vm.ParseJSON(ctx, list)
	if err != nil {
		return err
	}
	result, err := vm.Call(ctx, define, globals)
	if err == nil && result == Exception {
		err = fmt.Errorf("quickjs: lazy globals: %s", vm.describeException(ctx))
	}
	return err
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
