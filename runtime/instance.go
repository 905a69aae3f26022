package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/linearmem"
)

// instance is one sandbox: a WebAssembly instance with its memory, and everything that the host knows about it. It serves one run
// at a time, and begins each from an image.
type instance struct {
	memory  *linearmem.Memory
	module  api.Module
	fuel    api.MutableGlobal // what is left of the fuel that was granted
	ctx     context.Context   // for calls into the guest; it tells host functions who calls
	vm      *quickjs.VM
	prelude *quickjs.Prelude // nil as long as there is none
	image   *image           // what it is reset to; nil as long as there is none

	session
}

// session is what the host knows about the present run, and nothing of which must reach the next one.
type session struct {
	run      *run
	scripted bool      // code of the run's script or libraries may have run
	started  time.Time // from when the guest's clock runs; as long as that is zero, it stands still

	asked        []question      // what the guest has been asked to do, and is doing
	importFailed bool            // a module that another one imports could not be found or compiled
	rejections   []quickjs.Value // promises that have been rejected since jobs last ran out

	timed  bool // the guest has asked for the time
	impure bool // it has asked for something else that need not be the same in another run, or done something outside

	seed    uint64    // of Math.random
	granted int32     // fuel
	portion int32     // of fuel, to be granted next
	yielded time.Time // when it was granted last
	used    int64     // work done with the fuel that was granted before, and by the host

	remainder int   // bytes of the host's work that are not in used yet
	unlooked  int   // bytes of it since the host has looked whether the run is over
	ended     error // why the host has stopped in the middle of something: the run is over
}

// How much work the guest does between two calls of the host. A unit takes between one nanosecond and some hundreds, so portions are
// made smaller or larger until one takes some hundred microseconds: runs can be stopped then, and garbage collections need not wait
// long, while asking the host takes a few thousandths of the time.
const (
	leastFuel = 1 << 10
	firstFuel = 1 << 15
	mostFuel  = 1 << 16

	shortPortion = 125 * time.Microsecond
	longPortion  = 500 * time.Microsecond
)

// maxCollectAt is how many bytes a script may have allocated before garbage in cycles is collected for the first time, if it has
// eight times the memory. A collection takes time for all objects that there are, and most scripts end without garbage in cycles.
const maxCollectAt = 8 << 20

// instantiate makes an instance whose memory can have up to limit bytes. There is no engine in it yet.
func (e *Engine) instantiate(limit int64) (*instance, error) {
	memory, err := linearmem.Reserve(uint64(limit))
	if err != nil {
		return nil, err
	}
	in := &instance{memory: memory}
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	ctx := experimental.WithMemoryAllocator(in.ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return memory }))
	in.module, err = e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("instantiating the engine: %w", err)
	}
	var ok bool
	if in.fuel, ok = in.module.ExportedGlobal(quickjs.FuelExport).(api.MutableGlobal); !ok {
		return nil, errors.Join(errors.New("the engine has no fuel"), in.close())
	}
	return in, nil
}

// begin makes the instance, which is as its image, the sandbox of a run.
func (in *instance) begin(r *run) {
	in.session = session{run: r, started: time.Now().Add(-in.image.elapsed), seed: rand.Uint64(), used: in.image.work, remainder: in.image.remainder}
	in.memory.SetLimit(uint64(r.options.Limits.Memory))
	in.fuel.Set(0)
	in.vm.SeedRandom(in.seed)
	in.vm.Work = in.spend
	r.origins, r.originsSize = maps.Clone(in.image.origins), in.image.originsSize
	if r.origins == nil {
		r.origins = map[string]origin{}
	}
}

// context returns the context for calls into the guest. That the run is over, host functions see in the run.
func (in *instance) context() context.Context { return in.ctx }

// close frees the instance. Its memory must not be used any more.
func (in *instance) close() error { return in.module.Close(context.Background()) }

// yield is called by the guest when its fuel is used up. It ends the run if it is over, or grants the next portion.
func (in *instance) yield(left int32) int32 {
	in.used += int64(in.granted) - int64(left)
	in.granted = 0
	took := time.Since(in.yielded)
	if in.portion != 0 {
		// Otherwise a script would have 10 ms before anything else that the process does, such as one step of answering a request.
		goruntime.Gosched()
	}
	now := time.Now()
	if err := in.run.interruptedAt(now); err != nil {
		panic(&stop{err})
	}
	switch {
	case in.portion == 0:
		in.portion = firstFuel
	case took < shortPortion:
		in.portion = min(in.portion*2, mostFuel)
	case took > longPortion:
		in.portion = max(in.portion/2, leastFuel)
	}
	in.yielded = now
	portion := int64(in.portion)
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

// hostBytes is how many bytes the host reads or writes for a unit of work.
const hostBytes = 32

// spend counts work that the host is about to do for the script, by the bytes that it reads or writes, as work of the
// script. Where the host looks at each of many bytes, it calls spend for some [quickjs.PieceSize] of them at a time. If
// the run is over, it returns what ends it, and will do so each time from then on.
//
// What is counted must not depend on the machine, the time, or what the engine keeps of other runs.
func (in *instance) spend(bytes int) error {
	if in.ended != nil {
		return &stop{in.ended}
	}
	in.remainder += bytes
	in.used += int64(in.remainder / hostBytes)
	in.remainder %= hostBytes
	if limit := in.run.options.Limits.Work; limit != Unlimited {
		left := limit - in.work()
		if left <= 0 {
			in.ended = &LimitError{Limit: LimitWork, Value: limit}
			return &stop{in.ended}
		}
		if fuel := int64(api.DecodeI32(in.fuel.Get())); fuel > left { // it was granted before
			in.granted -= int32(fuel - left)
			in.fuel.Set(uint64(left))
		}
	}
	if in.unlooked += bytes; in.unlooked >= quickjs.PieceSize {
		in.unlooked = 0
		if in.ended = in.run.interrupted(); in.ended != nil {
			return &stop{in.ended}
		}
	}
	return nil
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

// reason turns the error of a call into the guest into the one that the caller of Run gets.
func (in *instance) reason(err error) error {
	if err == nil {
		return nil
	}
	var s *stop
	trap, stack, trapped := asTrap(err)
	switch {
	case errors.As(err, &s):
		return s.err
	case errors.Is(err, quickjs.ErrNoMemory), trapped && in.memory.Refused():
		return in.memoryError() // a trap in code that did not expect to get no memory
	case trap == stackOverflow:
		return &LimitError{Limit: LimitRecursion}
	case trapped && in.scripted:
		return &CrashError{Trap: trap, Stack: stack}
	}
	return fmt.Errorf("runtime: the engine has crashed: %w", err)
}

func (in *instance) memoryError() error {
	return &LimitError{Limit: LimitMemory, Value: in.run.options.Limits.Memory}
}

// memoryLimit is how many bytes the script may have.
func (in *instance) memoryLimit() int { return int(in.run.options.Limits.Memory) }

// workLeft is for how many bytes of the host's work the script has work left.
func (in *instance) workLeft() int {
	limit := in.run.options.Limits.Work
	if limit == Unlimited {
		return math.MaxInt
	}
	return int(min(max(0, limit-in.work()), math.MaxInt/hostBytes) * hostBytes)
}
