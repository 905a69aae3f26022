package javascript

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/script"
)

// instance is a sandbox with the JavaScript engine in it. It implements [sandbox.Driver].
type instance struct {
	*sandbox.Instance
	vm      *quickjs.VM
	prelude *quickjs.Prelude // nil until there is one
	image   *imageState      // from which it has started; nil before that

	session
}

// session is the host's state of the present run. Nothing of it may reach the next one.
type session struct {
	run *run

	asked        []question      // requests that the guest is working on
	importFailed bool            // an imported module could not be found or compiled
	rejections   []quickjs.Value // promises rejected since all jobs had last run
	translated   translation     // of a regular expression
	call         host.Call       // the one that is being served
	caller       string          // the first frame of the stack that was captured last

	seed uint64 // of Math.random
}

// imageState is the part of an image that is not in memory.
type imageState struct {
	VM      quickjs.State
	Prelude *quickjs.Prelude

	// In the first image, nothing has been loaded, and all of these are zero.
	origins     map[string]origin // of the files that have been loaded
	originsSize int
	wrapped     map[string]bool
	libraries   script.Libraries
}

// heap is how many bytes of memory every sandbox has from the start. With the engine's own it is less than MinMemory.
const heap = 1792 << 10

// Start implements [sandbox.Driver]: it starts the engine and loads the prelude.
func (in *instance) Start() error {
	in.run = newRun(in.Instance.Run(), RunOptions{})
	var err error
	if in.vm, err = quickjs.Start(in.Context(), in.Module()); err != nil {
		return in.reason(err)
	}
	prelude, err := quickjs.LoadPrelude(in.Context(), in.vm, features.Prelude())
	if err != nil {
		return in.reason(err)
	}
	if err := in.vm.GrowHeap(in.Context(), heap); err != nil {
		return in.reason(err)
	}
	if in.MemorySize() > sandbox.MinMemory {
		return fmt.Errorf("the engine has %d bytes of memory before it has done anything", in.MemorySize())
	}
	in.prelude = prelude
	in.vm.SeedRandom(0) // the engine has used the time; each run gets its own seed
	return nil
}

// Verify implements [sandbox.Verifier].
func (in *instance) Verify() error {
	in.image = &imageState{}
	in.begin(newRun(in.Instance.Run(), RunOptions{}))
	if err := quickjs.Verify(in.Context(), in.vm); err != nil {
		return err
	}
	if len(in.rejections) == 0 { // Verify has left one
		return errors.New("javascript: the engine does not tell the host of rejected promises")
	}
	return nil
}

// State implements [sandbox.Driver].
func (in *instance) State() any {
	s := &imageState{VM: in.vm.State(), Prelude: in.prelude}
	if in.image != nil {
		s.origins, s.originsSize, s.wrapped = maps.Clone(in.run.origins), in.run.originsSize, maps.Clone(in.run.wrapped)
	}
	return s
}

// deepStack is how much of the C stack a run may use before its instance's native stacks, which grow with it, are
// freed.
const deepStack = 64 << 10 // bytes

// Resume implements [sandbox.Driver].
func (in *instance) Resume(state any) (err error) {
	in.image = state.(*imageState)
	in.session = session{}
	in.prelude = in.image.Prelude
	if in.vm == nil {
		in.vm, err = quickjs.Resume(in.Module(), in.image.VM)
		return err
	}
	in.vm.Reset(in.image.VM)
	if base, size := in.vm.Stack(); in.Touched(uint64(base), uint64(size)) > deepStack {
		in.vm.ForgetFunctions()
	}
	return nil
}

// Idle implements [sandbox.Driver].
func (in *instance) Idle() bool { return !in.vm.Broken() && in.vm.Depth() == 0 }

// begin makes the instance, which is in the state of its image, the sandbox of a run.
func (in *instance) begin(r *run) {
	in.session = session{run: r}
	if r.options.State == nil {
		in.reseed()
	}
	in.vm.Work = in.Spend
	r.origins, r.originsSize, r.frames = maps.Clone(in.image.origins), in.image.originsSize, nil
	if r.origins == nil {
		r.origins = map[string]origin{}
	}
	r.wrapped = maps.Clone(in.image.wrapped)
}

// reseed gives Math.random other numbers.
func (in *instance) reseed() {
	in.seed = in.RandomSeed()
	in.vm.SeedRandom(in.seed)
}

// checked turns what a call into the guest returned into the error that ends the run, if it failed or threw.
func (in *instance) checked(v quickjs.Value, err error) (quickjs.Value, error) {
	if err != nil {
		return 0, in.reason(err)
	}
	if v == quickjs.Exception {
		return 0, in.exception()
	}
	return v, nil
}

// reason turns the error of a call into the guest into the error of the run.
func (in *instance) reason(err error) error {
	if errors.Is(err, quickjs.ErrNoMemory) {
		return in.MemoryError()
	}
	err = in.Reason(err)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		return &ExitError{Code: exit.Code}
	}
	return err
}

// Files implements [host.Runner].
func (in *instance) Files(use host.FileUse) (afero.Fs, error) {
	r := in.run
	if r.evidence != nil && use == host.Witnesses {
		return r.files().On(r.evidence), nil
	}
	if err := in.Effect(); err != nil {
		return nil, err
	}
	r.changed = r.changed || use == host.Changes
	return r.files(), nil
}

// Stdin implements [host.Runner].
func (in *instance) Stdin() io.Reader { return in.run.options.Stdin }
