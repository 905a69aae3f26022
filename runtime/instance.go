package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/linearmem"
)

// instance is one sandbox: a WebAssembly instance with its memory and everything that the host knows about it. It
// serves one run.
type instance struct {
	run     *run
	memory  *linearmem.Memory
	module  api.Module
	vm      *guest.VM
	prelude *guest.Prelude
	created time.Time

	importFailed bool // a module that another one imports could not be found or compiled

	rejections []guest.Value // promises that have been rejected since jobs last ran out

	fuel    api.Global // what is left of the fuel that was granted
	granted int32
	used    int64 // work done with the fuel that was granted before
}

// fuelPortion is how much work the guest does between two calls of the host. A unit takes between one nanosecond and
// some hundreds, so the host is called at least every few milliseconds, and at most every 30 microseconds or so.
const fuelPortion = 1 << 15

// newInstance makes a fresh sandbox for a run. If it fails, nothing is left of it.
func (e *Engine) newInstance(r *run) (*instance, error) {
	memory, err := linearmem.Reserve(uint64(r.options.Limits.Memory))
	if err != nil {
		return nil, err
	}
	in := &instance{run: r, memory: memory, created: time.Now()}
	ctx := experimental.WithMemoryAllocator(in.context(), experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return memory }))
	in.module, err = e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("instantiating the engine: %w", err)
	}
	if err := in.start(e); err != nil {
		return nil, errors.Join(in.reason(err), in.close())
	}
	return in, nil
}

func (in *instance) start(e *Engine) (err error) {
	in.fuel = in.module.ExportedGlobal(guest.FuelExport)
	if in.vm, err = guest.Start(in.context(), in.module); err != nil {
		return err
	}
	if e.prelude == nil { // the first one, which verifies the engine
		if e.prelude, err = guest.CompilePrelude(in.context(), in.vm); err != nil {
			return err
		}
	}
	if in.prelude, err = guest.LoadPrelude(in.context(), in.vm, e.prelude); err != nil {
		return err
	}
	in.vm.SeedRandom(rand.Uint64())
	return nil
}

// context returns the context for calls into the guest. It tells host functions who calls; that the run is over, they
// see in the run.
func (in *instance) context() context.Context {
	return context.WithValue(context.Background(), instanceKey{}, in)
}

// close frees the instance. Its memory must not be used any more.
func (in *instance) close() error { return in.module.Close(context.Background()) }

// yield is called by the guest when its fuel is used up. It ends the run if it is over, or grants the next portion.
func (in *instance) yield(left int32) int32 {
	in.used += int64(in.granted) - int64(left)
	in.granted = 0
	if err := in.run.interrupted(); err != nil {
		panic(&stop{err})
	}
	portion := int64(fuelPortion)
	if limit := in.run.options.Limits.Work; limit != Unlimited {
		if in.used >= limit {
			panic(&stop{&LimitError{Limit: LimitWork, Value: limit}})
		}
		portion = min(portion, limit-in.used)
	}
	in.granted = int32(portion)
	return in.granted
}

// work is how much the guest has done so far.
func (in *instance) work() int64 {
	return in.used + int64(in.granted) - int64(api.DecodeI32(in.fuel.Get()))
}

// checked turns what a call into the guest returned into the error that ends the run, if it failed or threw.
func (in *instance) checked(v guest.Value, err error) (guest.Value, error) {
	if err != nil {
		return 0, in.reason(err)
	}
	if v == guest.Exception {
		return 0, in.exception()
	}
	return v, nil
}

// reason turns the error of a call into the guest into the one that the caller of Run gets.
func (in *instance) reason(err error) error {
	var s *stop
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s):
		return s.err
	case errors.Is(err, guest.ErrNoMemory), in.memory.Refused():
		return in.memoryError() // a trap in code that did not expect to get no memory
	case strings.Contains(err.Error(), "stack overflow"):
		return &LimitError{Limit: LimitRecursion}
	}
	return fmt.Errorf("runtime: the engine has crashed: %w", err)
}

func (in *instance) memoryError() error {
	return &LimitError{Limit: LimitMemory, Value: in.run.options.Limits.Memory}
}
