package javascript

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/fetch"
)

// Most of Node's modules are loaded when they are first used, which takes some milliseconds. If the script seems to use
// some, they are loaded before it begins, and an image of the instance is kept, from which later runs start.

// builtinsIn returns the built-in modules that a script seems to use.
func (r *run) builtinsIn(script string) []string {
	names := features.ModulesIn(script)
	if r.options.Network != nil && fetch.UsedIn(script) {
		names = append(names, fetch.Module)
		slices.Sort(names)
	}
	return names
}

// withBuiltins returns a fresh instance for the run, which has the modules that the script seems to use.
func (r *run) withBuiltins(program *sandbox.Program) (*instance, error) {
	var image *sandbox.Image
	var key [sha256.Size]byte
	if len(r.builtins) > 0 {
		key = sha256.Sum256([]byte("built-in modules\x00" + strings.Join(r.builtins, " ")))
		image = program.Kept(key)
	}
	start := r.Start
	if r.started {
		start = func(image *sandbox.Image) (*sandbox.Instance, error) { return r.Restart(image, nil) }
	}
	started, err := start(image)
	if err != nil && image != nil { // with the run's limit of memory
		started, err = r.Start(nil)
	}
	r.started = true
	if err != nil {
		return nil, err
	}
	in := started.Driver().(*instance)
	in.begin(r)
	if image != nil {
		return in, nil
	}
	for _, name := range r.builtins {
		if err := in.preload(name); err != nil {
			return nil, err
		}
	}
	if len(r.builtins) > 0 && in.untouched() && !in.Timed() && in.MemorySize() <= program.ImageRoom() {
		if image, err := in.Capture(); err == nil {
			program.Keep(key, image, 0)
		}
	}
	return in, nil
}

// preload loads a built-in module. If there is no memory for that, the script will find out when it uses the module.
func (in *instance) preload(name string) error {
	argument, err := in.VM.NewString(in.Context(), name)
	if err != nil {
		return in.Reason(err)
	}
	v, err := in.VM.Call(in.Context(), in.Prelude.Builtin, argument)
	if err != nil {
		return in.Reason(err)
	}
	if v == quickjs.Exception {
		return in.forgetException()
	}
	return in.Reason(in.VM.Free(in.Context(), v))
}
