package runtime

import (
	"errors"
	"time"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// An Image is a sandbox at one moment, from which others can start. It is immutable and safe for concurrent use.
type Image struct {
	program   *Program
	memory    *linearmem.Image
	globals   []uint64      // the mutable ones
	state     any           // of the driver
	work      int64         // done before the image was taken
	remainder int           // of that, in bytes
	elapsed   time.Duration // the guest's clock when the image was taken
	// idleMemory is that of the [Preparation], or zero.
	idleMemory uint64
}

// Base returns the image from which runs start that name none.
func (p *Program) Base() *Image { return p.base }

// State returns what [Driver].State returned when the image was taken.
func (i *Image) State() any { return i.state }

// Capture takes an image of an instance in which nothing is in progress. Pass it to [Program.Keep].
func (in *Instance) Capture() (*Image, error) {
	memory, err := in.memory.Capture()
	if err != nil {
		return nil, err
	}
	i := &Image{program: in.program, memory: memory, globals: make([]uint64, len(in.globals)),
		state: in.driver.State(), elapsed: in.elapsed(), idleMemory: in.memory.Kept}
	for n, g := range in.globals {
		i.globals[n] = g.Get()
	}
	if in.image != nil {
		i.work, i.remainder = in.Work(), in.remainder
	}
	return i, nil
}

// become puts the instance into the state of an image. After an error the instance can only be closed.
func (in *Instance) become(i *Image) error {
	in.session = session{}
	in.image = i
	if missing := i.memory.Size() - in.memory.Size(); missing > 0 {
		in.memory.SetLimit(i.memory.Size())
		if _, ok := in.module.Memory().Grow(uint32(missing / linearmem.PageSize)); !ok {
			return errors.New("there is no memory for an image")
		}
	}
	in.memory.Kept = max(i.idleMemory, linearmem.DefaultKept)
	if err := in.memory.Restore(i.memory); err != nil {
		return err
	}
	if len(i.globals) != len(in.globals) {
		return errors.New("an image of another module")
	}
	for n, g := range in.globals {
		g.Set(i.globals[n])
	}
	return in.driver.Resume(i.state)
}

// reset prepares the instance for another run, and reports whether that succeeded.
func (in *Instance) reset() bool {
	return in.driver.Idle() && in.shrink(in.image.memory.Size()) && in.become(in.image) == nil
}

// shrink makes the memory as small as it was, and reports whether it is.
func (in *Instance) shrink(size uint64) bool {
	memory := in.module.Memory()
	if in.memory.Size() > size {
		if err := in.memory.Shrink(size, func() { memory.Grow(1) }); err != nil {
			return false
		}
	}
	return in.memory.Size() == size && uint64(memory.Size()) == size%(1<<32)
}
