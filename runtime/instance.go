package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	goruntime "runtime"
	"runtime/metrics"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// An Instance is one sandbox: a WebAssembly instance with its memory, and its driver. It serves one run at a time
// and starts each from an image. Only the goroutine that drives the run may use it.
type Instance struct {
	program   *Program
	memory    *linearmem.Memory
	module    api.Module
	fuel      api.MutableGlobal // the unused part of the granted fuel
	exception api.Global        // not zero after an exception that nothing caught; nil if there are none
	globals   []api.MutableGlobal
	ctx       context.Context // for calls into the guest; it tells host functions who calls
	driver    Driver
	image     *Image // to which it is reset; nil until there is one

	runnable [1]metrics.Sample // see makeWay

	session
}

// session is the host's state of the present run. Nothing of it may reach the next one.
type session struct {
	run       *Run
	untrusted bool      // code of the run's author may have run
	started   time.Time // when the guest's clock started; while zero, it stands still

	timed    bool              // the guest has asked for the time
	imagined time.Duration     // the clock of a guest or a run that has none of the machine
	random   *mathrand.ChaCha8 // random numbers that are not the machine's; nil before the first

	impure bool // it has read something else that may differ in another run, or has had an effect outside

	open *descriptors // what the guest has open through WASI; nil until it asks

	granted int32     // fuel
	portion int32     // of fuel, to be granted next
	yielded time.Time // when it was granted last
	used    int64     // work done with the fuel that was granted before, and by the host

	remainder int   // bytes of the host's work not counted in used yet
	unlooked  int   // bytes of it since the host last checked for the end of the run
	ended     error // why Spend has ended the run
}

// How much work the guest does between two calls of the host. A unit takes between one nanosecond and some hundreds,
// so portions are made smaller or larger until one takes some hundred microseconds: runs can be stopped then, and
// garbage collections need not wait long, while asking the host takes a few thousandths of the time.
const (
	leastFuel = 1 << 10
	firstFuel = 1 << 15
	mostFuel  = 1 << 16

	shortPortion = 125 * time.Microsecond
	longPortion  = 500 * time.Microsecond
)

// instantiate makes an instance whose memory can grow to limit bytes. Nothing has been started in it yet.
func (p *Program) instantiate(limit int64) (*Instance, error) {
	memory, err := linearmem.Reserve(uint64(limit))
	if err != nil {
		return nil, err
	}
	in := &Instance{program: p, memory: memory}
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	ctx := experimental.WithMemoryAllocator(in.ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return memory }))
	// Without a source of randomness, which our WASI does not ask for, wazero would seed one for each instance.
	in.module, err = p.runtime.InstantiateModule(ctx, p.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader))
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("instantiating the %s: %w", p.guest.Name, err)
	}
	var ok bool
	if in.fuel, ok = in.module.ExportedGlobal(metering.FuelExport).(api.MutableGlobal); !ok {
		return nil, errors.Join(fmt.Errorf("the %s is not metered", p.guest.Name), in.close())
	}
	in.exception = in.module.ExportedGlobal(metering.ExceptionExport)
	if in.globals, err = variables(in.module); err != nil {
		return nil, errors.Join(fmt.Errorf("the %s cannot be put back to an image: %w", p.guest.Name, err), in.close())
	}
	if in.driver, err = p.guest.New(in); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// variables returns the globals of an instance that can change.
func variables(module api.Module) ([]api.MutableGlobal, error) {
	var variables []api.MutableGlobal
	for n := 0; ; n++ {
		global := module.ExportedGlobal(metering.GlobalExport(n))
		if global == nil {
			return variables, nil
		}
		variable, ok := global.(api.MutableGlobal)
		if !ok {
			continue
		}
		switch t := variable.Type(); t {
		case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64:
			variables = append(variables, variable)
		default:
			return nil, fmt.Errorf("global %d is a variable of the type %s", n, api.ValueTypeName(t))
		}
	}
}

// begin makes the instance, which is in the state of its image, the sandbox of a run.
func (in *Instance) begin(r *Run) {
	in.session = session{
		run: r, started: time.Now().Add(-in.image.elapsed), used: in.image.work, remainder: in.image.remainder,
	}
	in.memory.SetLimit(uint64(r.options.Limits.Memory))
	in.fuel.Set(0)
}

// Context returns the context for calls into the guest. It does not end with the run: host functions and the
// guest's metered code ask the run instead.
func (in *Instance) Context() context.Context { return in.ctx }

// Module returns the WebAssembly instance. Call its functions with the instance's context.
func (in *Instance) Module() api.Module { return in.module }

// Driver returns the driver that the guest's New made for the instance.
func (in *Instance) Driver() Driver { return in.driver }

// Run returns the run that the instance serves.
func (in *Instance) Run() *Run { return in.run }

// Untrusted marks the point from which the guest executes code of the run. A trap before it is the host's failure,
// a later one a [*CrashError]. An instance that goes on from a [State] is past it.
func (in *Instance) Untrusted() { in.untrusted = true }

// Refused reports whether the run's limit has denied the guest memory.
func (in *Instance) Refused() bool { return in.memory.Refused() }

// Exhausted reports whether the run's memory limit has refused memory because of what the run has already: a piece that
// is larger than the limit itself does not count.
func (in *Instance) Exhausted() bool { return in.memory.Exhausted() }

// MemorySize returns the size of the instance's memory in bytes.
func (in *Instance) MemorySize() int64 { return int64(in.memory.Size()) }

// Touched returns an upper bound, about, of how many bytes of a part of the memory the last run wrote to. It is
// meant for [Driver].Resume.
func (in *Instance) Touched(at, length uint64) uint64 { return in.memory.Touched(at, length) }

// Timed reports whether the guest has read the time since the beginning of the run.
func (in *Instance) Timed() bool { return in.timed }

// Impure reports whether the guest has read anything that may differ in another run, or has had an effect outside the
// sandbox. The time is left out, and so are its files: whoever needs to know that sees it in [RunOptions].Files.
func (in *Instance) Impure() bool { return in.impure }

// SetImpure makes Impure true until the end of the run.
func (in *Instance) SetImpure() { in.impure = true }

// close frees the instance. Its memory must not be used any more.
func (in *Instance) close() error { return in.module.Close(context.Background()) }

// yield is called by the guest when its fuel is used up. It ends the run if it is over, or grants the next portion.
func (in *Instance) yield(left int32) int32 {
	in.used += int64(in.granted) - int64(left)
	in.granted = 0
	took := time.Since(in.yielded)
	if in.portion != 0 {
		in.makeWay()
	}
	now := time.Now()
	if err := in.run.interruptedAt(now); err != nil {
		panic(&Stop{err})
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
			panic(&Stop{&LimitError{Limit: LimitWork, Value: limit}})
		}
		portion = min(portion, limit-in.used)
	}
	in.granted = int32(portion)
	return in.granted
}

// makeWay lets goroutines run that wait for a processor, such as one that answers a request. Otherwise they could wait
// 10 ms for each step. If none waits, Gosched would only wake up a thread of an idle processor, to find nothing to do:
// after each portion, that took a tenth of a run's time on a virtual machine.
func (in *Instance) makeWay() {
	in.runnable[0].Name = "/sched/goroutines/runnable:goroutines"
	metrics.Read(in.runnable[:])
	if in.runnable[0].Value.Uint64() > 0 {
		goruntime.Gosched()
	}
}

// Work returns the work so far, by the guest and by the host for it, as [Usage].Work counts it.
func (in *Instance) Work() int64 {
	return in.used + int64(in.granted) - int64(api.DecodeI32(in.fuel.Get()))
}

// HostBytes is how many bytes the host reads or writes for one unit of work.
const HostBytes = 32

// PieceSize is how many bytes the host processes at most before it calls [Instance.Spend] again.
const PieceSize = 64 << 10

// Spend counts work that the host is about to do for the guest, in bytes read or written, as the guest's own work.
// To process many bytes, call Spend for pieces of about PieceSize. If the run is over, the error is a [*Stop] with
// the reason, now and in every later call.
//
// The count must not depend on the machine, the time, or what the engine keeps of other runs.
func (in *Instance) Spend(bytes int) error {
	if in.ended != nil {
		return &Stop{in.ended}
	}
	in.remainder += bytes
	in.used += int64(in.remainder / HostBytes)
	in.remainder %= HostBytes
	if limit := in.run.options.Limits.Work; limit != Unlimited {
		left := limit - in.Work()
		if left <= 0 {
			in.ended = &LimitError{Limit: LimitWork, Value: limit}
			return &Stop{in.ended}
		}
		if fuel := int64(api.DecodeI32(in.fuel.Get())); fuel > left { // it was granted before
			in.granted -= int32(fuel - left)
			in.fuel.Set(uint64(left))
		}
	}
	if in.unlooked += bytes; in.unlooked >= PieceSize {
		in.unlooked = 0
		if in.ended = in.run.Interrupted(); in.ended != nil {
			return &Stop{in.ended}
		}
	}
	return nil
}

// Ended returns why Spend stopped the host's work, and with it the run, or nil.
func (in *Instance) Ended() error { return in.ended }

// Reason turns the error of a call into the guest into the error of the run.
func (in *Instance) Reason(err error) error {
	if err == nil {
		return nil
	}
	var s *Stop
	trap, stack, trapped := asTrap(err)
	switch {
	case errors.As(err, &s):
		if exit, ok := errors.AsType[*ExitError](s.Err); ok && exit.Code != 0 && in.memory.Refused() {
			return in.MemoryError() // the guest has ended itself because of that, most likely
		}
		return s.Err
	case trapped && in.memory.Refused():
		return in.MemoryError() // a trap in code that did not expect to get no memory
	case trap == stackOverflow:
		return &LimitError{Limit: LimitRecursion}
	case trapped && in.untrusted:
		if in.exception != nil && trap == "unreachable" && in.exception.Get() != 0 {
			trap = "uncaught exception"
		}
		return &CrashError{Trap: trap, Stack: stack, guest: in.program.guest.Name, advice: in.program.guest.CrashAdvice}
	}
	return fmt.Errorf("runtime: the %s has crashed: %w", in.program.guest.Name, err)
}

// MemoryError returns the error of a run whose memory is used up.
func (in *Instance) MemoryError() error {
	return &LimitError{Limit: LimitMemory, Value: in.run.options.Limits.Memory}
}

// WorkLeft returns how many bytes of host work the run's limit still allows.
func (in *Instance) WorkLeft() int {
	limit := in.run.options.Limits.Work
	if limit == Unlimited {
		return math.MaxInt
	}
	return int(min(max(0, limit-in.Work()), math.MaxInt/HostBytes) * HostBytes)
}
