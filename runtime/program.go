package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/internal/cachedir"
	"github.com/toolrun/toolrun/internal/wasm/linearmem"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// A Program is a [Guest] that an [Engine] has loaded: compiled, and with an image from which its runs start. It is
// safe for concurrent use, and closed together with the engine.
type Program struct {
	engine   *Engine
	guest    Guest
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache
	base     *Image // of a sandbox in which nothing has run

	imagesDir string       // where images are kept; empty for nowhere
	imagesKey cachedir.Key // that of the first image

	preparing  sync.Mutex       // held while an image is made
	unprepared map[string]error // why there is no image, by the names of preparations

	digesting sync.Mutex
	digest    string // see stateDigest; empty before the first state
}

// Load compiles a guest, starts it and takes the image from which its runs start, or loads all that from the cache
// directory. Compiling takes about a second of one processor for each megabyte of the module. Loading a guest again
// (the same Name, Digest, Setup, Args, Env and Files) returns the same program. The context applies only to Load
// itself.
func (e *Engine) Load(ctx context.Context, guest Guest) (*Program, error) {
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.runs.Done()
	e.loading.Lock()
	defer e.loading.Unlock()
	if p := e.loaded(&guest); p != nil {
		return p, nil
	}
	p, err := e.load(ctx, guest, e.cacheDir)
	if err != nil && e.cacheDir != "" && e.cacheFailed != nil && ctx.Err() == nil {
		cacheErr := err
		if p, err = e.load(ctx, guest, ""); err == nil {
			e.cacheFailed(cacheErr)
		}
	}
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.programs = append(e.programs, p)
	return p, nil
}

// loaded returns the program of a guest that has been loaded, or nil.
func (e *Engine) loaded(guest *Guest) *Program {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.programs {
		if p.guest.Name == guest.Name && p.guest.Digest == guest.Digest && p.guest.setup() == guest.setup() {
			return p
		}
	}
	return nil
}

func (e *Engine) load(ctx context.Context, guest Guest, cacheDir string) (*Program, error) {
	p := &Program{engine: e, guest: guest}
	load := p.loadNew
	if cacheDir != "" {
		load = func(ctx context.Context) error { return p.loadCached(ctx, cacheDir) }
	}
	if err := load(ctx); err != nil {
		return nil, errors.Join(err, p.close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

func (p *Program) loadNew(ctx context.Context) error {
	module, err := p.guest.Module()
	if err != nil {
		return err
	}
	if err := p.compile(ctx, module); err != nil {
		return err
	}
	return p.prepare(ctx)
}

func (p *Program) compile(ctx context.Context, module []byte) (err error) {
	config := wazero.NewRuntimeConfig().WithDebugInfoEnabled(false)
	if p.cache != nil {
		config = config.WithCompilationCache(p.cache)
	}
	p.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := instantiateImports(ctx, p.runtime, p.guest.Imports); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	compile := p.compileKnown
	if p.guest.Foreign {
		compile = p.compileForeign
	}
	if err := compile(ctx, module); err != nil {
		return fmt.Errorf("runtime: compiling the %s: %w", p.guest.Name, err)
	}
	for _, memory := range p.compiled.ExportedMemories() {
		if size := int64(memory.Min()) * linearmem.PageSize; size > DefaultMemory {
			return fmt.Errorf("runtime: the %s has %s of memory from the start, and may have %s", p.guest.Name,
				formatBytes(size), formatBytes(DefaultMemory))
		}
	}
	return nil
}

func (p *Program) compileKnown(ctx context.Context, module []byte) (err error) {
	ctx = experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	p.compiled, err = p.runtime.CompileModule(ctx, module)
	return err
}

// compileForeign compiles a module that the compiler may fail on. If the context ends first, the compiler, which cannot
// be stopped, is left behind, with the runtime and the cache that it uses.
func (p *Program) compileForeign(ctx context.Context, module []byte) error {
	runtime, cache := p.runtime, p.cache
	var compiled wazero.CompiledModule
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if panicked := recover(); panicked != nil {
				err = fmt.Errorf("the compiler failed: %v", panicked)
			}
		}()
		// With one worker it compiles in this goroutine, so that a panic ends here.
		compiled, err = runtime.CompileModule(
			experimental.WithCompilationWorkers(context.WithoutCancel(ctx), 1), module)
	}()
	select {
	case <-done:
		p.compiled = compiled
		return err
	case <-ctx.Done():
	}
	p.runtime, p.cache = nil, nil
	go func() {
		<-done
		_ = runtime.Close(context.Background())
		if cache != nil {
			_ = cache.Close(context.Background())
		}
	}()
	return context.Cause(ctx)
}

// prepare makes the base image. It then resets the captured instance to the image and lets the driver verify with
// it that the guest is the one that the driver was written for.
func (p *Program) prepare(ctx context.Context) error {
	limits, err := Limits{}.withDefaults()
	if err != nil {
		return err
	}
	r := newRun(WithSource(ctx, Source{}), p, RunOptions{Limits: limits, Args: p.guest.Args, Env: p.guest.Env})
	defer r.finish()
	in, err := p.instantiate(DefaultMemory)
	if err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	if err := p.verify(in, r); err != nil {
		return errors.Join(err, in.close())
	}
	p.engine.pool.put(in)
	return nil
}

func (p *Program) verify(in *Instance, r *Run) (err error) {
	// This run stands in for all runs that will start from the image. The image must not contain anything of it: the
	// clock stands still, and there is no randomness yet.
	in.run = r
	if start := in.module.ExportedFunction(metering.StartExport); start != nil {
		if _, err := start.Call(in.ctx); err != nil {
			return fmt.Errorf("runtime: the start function: %w%s", in.Reason(err), r.output.lastWords())
		}
	}
	if err := in.driver.Start(); err != nil {
		return fmt.Errorf("runtime: %w%s", in.Reason(err), r.output.lastWords())
	}
	if p.base, err = in.Capture(); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	in.image = p.base
	in.begin(r)
	if v, ok := in.driver.(Verifier); ok {
		return v.Verify()
	}
	return nil
}

// newSandbox makes an instance in the state of the base image, whose memory can grow to limit bytes.
func (p *Program) newSandbox(limit int64) (*Instance, error) {
	in, err := p.instantiate(max(limit, DefaultMemory))
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	if err := in.become(p.base); err != nil {
		return nil, errors.Join(fmt.Errorf("runtime: %w", err), in.close())
	}
	return in, nil
}

func (p *Program) close(ctx context.Context) error {
	if p.base != nil {
		p.engine.pool.drop(p.base)
		p.base.memory.Close()
	}
	var errs []error
	if p.runtime != nil {
		errs = append(errs, p.runtime.Close(ctx))
	}
	if p.cache != nil {
		errs = append(errs, p.cache.Close(ctx))
	}
	return errors.Join(errs...)
}

// Meter rewrites a module so that the host can stop its code at any time, and put back what the code has changed.
// [Guest].Module must return such a module. A module that cannot be metered, or that changes its tables, is refused.
func Meter(module []byte) ([]byte, error) {
	return metering.Rewrite(module, metering.Options{Functions: true, State: true})
}
