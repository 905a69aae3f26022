package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/linearmem"
)

// image is a sandbox at one moment, from which others go on. It does not change.
type image struct {
	memory    *linearmem.Image
	state     quickjs.State
	prelude   *quickjs.Prelude
	work      int64         // what counts as done by those that go on from here
	remainder int           // of it, in bytes
	elapsed   time.Duration // from when their clocks go on

	origins     map[string]origin // of the files that have been loaded
	originsSize int
}

// heap is how much memory every sandbox has from the start, in bytes: less than MinMemory together with what it has of the engine.
// An instance whose memory has grown cannot be used again, since memory does not shrink.
const heap = 2 << 20

// start starts the engine and loads the prelude. The session is one that stands for all that will go on from here, so that nothing
// of it can matter: there is no time and no randomness yet.
func (in *instance) start(r *run) (err error) {
	in.run = r
	in.memory.SetLimit(MinMemory)
	if in.vm, err = quickjs.Start(in.context(), in.module); err != nil {
		return in.reason(err)
	}
	prelude, err := quickjs.LoadPrelude(in.context(), in.vm)
	if err != nil {
		return in.reason(err)
	}
	if err := in.vm.GrowHeap(in.context(), heap); err != nil {
		return in.reason(err)
	}
	in.prelude = prelude
	return nil
}

// capture takes an image of an instance in which nothing is under way.
func (in *instance) capture() (*image, error) {
	memory, err := in.memory.Capture()
	if err != nil {
		return nil, err
	}
	i := &image{memory: memory, state: in.vm.State(), prelude: in.prelude, elapsed: in.elapsed()}
	if in.image != nil {
		i.work, i.remainder = in.work(), in.remainder
		i.origins, i.originsSize = maps.Clone(in.run.origins), in.run.originsSize
	}
	return i, nil
}

// become makes the instance what the image is of. After an error it can only be closed.
func (in *instance) become(i *image) error {
	in.session = session{}
	in.image = i
	if missing := i.memory.Size() - in.memory.Size(); missing > 0 {
		in.memory.SetLimit(i.memory.Size())
		if _, ok := in.module.Memory().Grow(uint32(missing / linearmem.PageSize)); !ok {
			return errors.New("there is no memory for an image")
		}
	}
	if err := in.memory.Restore(i.memory); err != nil {
		return err
	}
	if in.vm == nil {
		vm, err := quickjs.Resume(in.module, i.state)
		if err != nil {
			return err
		}
		in.vm = vm
	} else {
		in.vm.Reset(i.state)
	}
	in.prelude = i.prelude
	return nil
}

// deepStack is how much of the C stack a run may have used for its instance's native stacks, which grow with it, to be worth keeping.
const deepStack = 64 << 10 // bytes

// reset makes an instance ready for another run, and says whether it could.
func (in *instance) reset() bool {
	if in.vm.Broken() || in.vm.Depth() > 0 || in.memory.Size() != in.image.memory.Size() {
		return false
	}
	if in.become(in.image) != nil {
		return false
	}
	if base, size := in.vm.Stack(); in.memory.Touched(uint64(base), uint64(size)) > deepStack {
		in.vm.ForgetFunctions()
	}
	return true
}

// newSandbox makes an instance that is as the base image, and whose memory can have up to limit bytes.
func (e *Engine) newSandbox(limit int64) (*instance, error) {
	in, err := e.instantiate(max(limit, DefaultMemory))
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	if err := in.become(e.base); err != nil {
		return nil, errors.Join(fmt.Errorf("runtime: %w", err), in.close())
	}
	return in, nil
}

// prepare makes the base image, and checks with the instance that it was taken of, and that has to become what it was again, that the
// engine is the one that this package is written for.
func (e *Engine) prepare(ctx context.Context) error {
	limits, err := Limits{}.withDefaults()
	if err != nil {
		return err
	}
	r := newRun(ctx, e.closing, RunOptions{Limits: limits})
	defer r.end()
	in, err := e.instantiate(DefaultMemory)
	if err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	if err := e.verify(in, r); err != nil {
		return errors.Join(err, in.close())
	}
	e.pool.put(in)
	return nil
}

func (e *Engine) verify(in *instance, r *run) (err error) {
	if err := in.start(r); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	if e.base, err = in.capture(); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	in.image = e.base
	in.begin(r)
	if err := quickjs.Verify(in.context(), in.vm); err != nil {
		return err
	}
	if len(in.rejections) == 0 { // Verify has left one
		return errors.New("runtime: the engine does not tell the host of rejected promises")
	}
	return nil
}
