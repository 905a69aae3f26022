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
	"github.com/toolrun/toolrun/runtime/javascript/modules"
	"github.com/toolrun/toolrun/runtime/script"
)

// instance is a sandbox with the JavaScript engine in it. It implements [sandbox.Driver].
type instance struct {
	host.Engine
	image *imageState // from which it has started; nil before that

	session
}

func newInstance(started *sandbox.Instance) *instance {
	in := &instance{}
	in.Engine = host.Engine{Instance: started, Runner: in}
	return in
}

// session is the host's state of the present run. Nothing of it may reach the next one.
type session struct {
	run *run

	rejections []quickjs.Value // promises rejected since all jobs had last run
	caller     string          // the first frame of the stack that was captured last

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
	if in.VM, err = quickjs.Start(in.Context(), in.Module()); err != nil {
		return in.Reason(err)
	}
	prelude, err := quickjs.LoadPrelude(in.Context(), in.VM, features.Prelude())
	if err != nil {
		return in.Reason(err)
	}
	if err := in.VM.GrowHeap(in.Context(), heap); err != nil {
		return in.Reason(err)
	}
	if in.MemorySize() > sandbox.MinMemory {
		return fmt.Errorf("the engine has %d bytes of memory before it has done anything", in.MemorySize())
	}
	in.Prelude = prelude
	in.VM.SeedRandom(0) // the engine has used the time; each run gets its own seed
	return nil
}

// Verify implements [sandbox.Verifier].
func (in *instance) Verify() error {
	in.image = &imageState{}
	in.begin(newRun(in.Instance.Run(), RunOptions{}))
	if err := quickjs.Verify(in.Context(), in.VM); err != nil {
		return err
	}
	if len(in.rejections) == 0 { // Verify has left one
		return errors.New("javascript: the engine does not tell the host of rejected promises")
	}
	return nil
}

// State implements [sandbox.Driver].
func (in *instance) State() any {
	s := &imageState{VM: in.VM.State(), Prelude: in.Prelude}
	if in.image != nil {
		s.origins, s.originsSize = maps.Clone(in.run.origins), in.run.originsSize
		s.wrapped = maps.Clone(in.run.modules.Wrapped)
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
	in.Reset()
	in.Prelude = in.image.Prelude
	if in.VM == nil {
		in.VM, err = quickjs.Resume(in.Module(), in.image.VM)
		return err
	}
	in.VM.Reset(in.image.VM)
	if base, size := in.VM.Stack(); in.Touched(uint64(base), uint64(size)) > deepStack {
		in.VM.ForgetFunctions()
	}
	return nil
}

// Idle implements [sandbox.Driver].
func (in *instance) Idle() bool { return !in.VM.Broken() && in.VM.Depth() == 0 }

// begin makes the instance, which is in the state of its image, the sandbox of a run.
func (in *instance) begin(r *run) {
	in.session = session{run: r}
	in.Reset()
	if r.options.State == nil {
		in.reseed()
	}
	in.VM.Work = in.Spend
	r.origins, r.originsSize, r.frames = maps.Clone(in.image.origins), in.image.originsSize, nil
	if r.origins == nil {
		r.origins = map[string]origin{}
	}
	r.modules.Wrapped = maps.Clone(in.image.wrapped)
}

// reseed gives Math.random other numbers.
func (in *instance) reseed() {
	in.seed = in.RandomSeed()
	in.VM.SeedRandom(in.seed)
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

// Modules implements [modules.Runner].
func (in *instance) Modules() *modules.Loader {
	l := &in.run.modules
	l.Engine, l.Script = &in.Engine, in.run.options.Name // a run can get another sandbox, and a script another name
	return l
}
