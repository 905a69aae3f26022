package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// EngineOptions are the options of an engine. The zero value is fine for a long-lived process.
type EngineOptions struct {
	// CacheDir is a directory that keeps the compiled engine, so that the next process starts in a twentieth of the time. It is
	// made if it is missing, and holds some 7 MB for each of the last few versions of the engine. What lies in it is executed: on
	// Unix, NewEngine refuses a directory, or one with parents, that anyone but root and the user of the process can
	// change, and in any case one that it cannot write what is missing to. What is damaged is made again. Programs may share it. Empty means
	// that nothing is kept.
	CacheDir string

	// MaxRuns is how many runs may be under way at the same time; more wait for their turn. In the worst case each costs
	// its memory limit and up to 100 MiB of native stack. Zero means DefaultMaxRuns, Unlimited no limit.
	//
	// Places are shared fairly among the owners that [RunOptions] name, and among the clients of each: the next place that can be
	// granted goes to whoever holds the fewest. Since a run keeps its place until it ends, some places are kept back: an
	// owner that holds one gets another only while more than half of all are free, or more than a quarter if it is for a client
	// that holds none. So an owner that holds none need not wait while no more than MaxRuns/4 others have runs under way
	// (MaxRuns/2 if none has several clients), nor does a client that holds none while no more than MaxRuns/4 other clients have.
	// With more of them, it waits until a run ends.
	MaxRuns int

	// MaxIdle is how many sandboxes are kept ready for the next runs. Each takes less than 1 MiB, beside what they share; they
	// are given up when there has been no run for half a minute. Zero means DefaultMaxIdle.
	MaxIdle int

	// LibraryMemory is how many bytes the engine may use to keep what libraries have made of sandboxes, so that runs with
	// the same files in [RunOptions].Libraries need not load them again. Only what depends on nothing but these files, the
	// run's functions and globals and its memory limit is kept: not what libraries have done that ask for randomness or for
	// other files, or print something, as they are loaded. If they ask for the time it is kept for a minute. Zero means
	// DefaultLibraryMemory.
	LibraryMemory int64

	// ReloadLibraries makes every run load its libraries anew.
	ReloadLibraries bool
}

// Engine is a compiled JavaScript engine, from which runs get their instances. It is safe for concurrent use. A process
// needs only one.
type Engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache
	base     *image // of a sandbox in which nothing has run
	pool     pool
	images   libraryImages
	places   *places // nil if they are unlimited

	closing context.Context // ends when the engine is closed
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	runs   sync.WaitGroup
}

// NewEngine compiles the engine and checks that it is the one that this package is written for. Compiling takes about
// a second of one processor, or some tens of milliseconds if the cache directory has it. The context is only for
// NewEngine itself.
func NewEngine(ctx context.Context, options *EngineOptions) (*Engine, error) {
	var o EngineOptions
	if options != nil {
		o = *options
	}
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	if o.MaxIdle == 0 {
		o.MaxIdle = DefaultMaxIdle
	}
	if o.LibraryMemory == 0 {
		o.LibraryMemory = DefaultLibraryMemory
	}
	if o.LibraryMemory < 0 {
		return nil, fmt.Errorf("runtime: EngineOptions.LibraryMemory is %d", o.LibraryMemory)
	}
	if o.ReloadLibraries {
		o.LibraryMemory = 0
	}
	if o.MaxIdle < 0 {
		return nil, fmt.Errorf("runtime: EngineOptions.MaxIdle is %d", o.MaxIdle)
	}
	if o.MaxRuns < Unlimited {
		return nil, fmt.Errorf("runtime: EngineOptions.MaxRuns is %d", o.MaxRuns)
	}
	e := &Engine{}
	e.images = libraryImages{engine: e, most: o.LibraryMemory, byKey: map[libraryKey]*libraryImage{}}
	e.pool = pool{engine: e, most: o.MaxIdle, idleTime: idleTime}
	if o.MaxRuns != Unlimited {
		e.places = &places{total: o.MaxRuns, owners: map[string]*owner{}}
	}
	e.closing, e.cancel = context.WithCancelCause(context.Background())
	if err := e.compile(ctx, o.CacheDir); err != nil {
		return nil, errors.Join(err, e.Close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

func (e *Engine) compile(ctx context.Context, cacheDir string) error {
	if cacheDir != "" {
		return e.compileCached(ctx, cacheDir)
	}
	module, err := quickjs.Module()
	if err != nil {
		return err
	}
	if err := e.compileModule(ctx, module); err != nil {
		return err
	}
	return e.prepare(ctx)
}

func (e *Engine) compileModule(ctx context.Context, module []byte) (err error) {
	config := wazero.NewRuntimeConfig().WithDebugInfoEnabled(false)
	if e.cache != nil {
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := instantiateImports(ctx, e.runtime); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	workers := experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	if e.compiled, err = e.runtime.CompileModule(workers, module); err != nil {
		return fmt.Errorf("runtime: compiling the engine: %w", err)
	}
	return nil
}

// Close stops all runs, waits for their end, and frees the engine. Runs that are stopped return [ErrClosed], as do later
// ones. Closing twice does nothing.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	closed := e.closed
	e.closed = true
	e.mu.Unlock()
	if closed {
		return nil
	}
	e.cancel(ErrClosed)
	e.runs.Wait()
	e.pool.close()
	e.images.close()
	if e.base != nil {
		e.base.memory.Close()
	}
	var errs []error
	if e.runtime != nil {
		errs = append(errs, e.runtime.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	return errors.Join(errs...)
}

// enter waits for a place for a run, which is given back by leave.
func (e *Engine) enter(ctx context.Context, o *RunOptions) (*heldPlace, error) {
	place, err := e.places.take(ctx, e.closing, o.Owner, o.Client)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		place.leave()
		return nil, ErrClosed
	}
	e.runs.Add(1)
	return place, nil
}

func (e *Engine) leave(p *heldPlace) {
	p.leave()
	e.runs.Done()
}
