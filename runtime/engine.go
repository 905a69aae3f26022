package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// EngineOptions configure an engine. The zero value suits a long-lived process.
type EngineOptions struct {
	// CacheDir is a directory that keeps compiled guests, so that the next process starts in a twentieth of the
	// time. It is created if it is missing, and holds some megabytes for each of the last few versions of a guest.
	// Programs may share it. Empty means no cache.
	//
	// Its content is executed, and on Linux images are mapped from it: its files may be removed, but not changed, while
	// they are used. On Unix, loading a guest fails if anyone but root and the user of the process can change the
	// directory or one of its parents. On all systems it fails if missing entries cannot be written. Damaged entries
	// are made again.
	CacheDir string

	// CacheFailed, if not nil, is told why CacheDir cannot be used for a guest, which is then compiled without it.
	// Nil means that loading the guest fails.
	CacheFailed func(error)

	// MaxRuns is how many runs of all guests together are active at the same time; further ones wait. In the worst
	// case each costs its memory limit and up to 100 MiB of native stack. Zero means DefaultMaxRuns, Unlimited no
	// limit.
	//
	// Places are shared fairly among the owners that [RunOptions] name, and among the clients of each: the next
	// place goes to the owner that holds the fewest. A run keeps its place until it ends, so some places are kept
	// back. An owner that holds a place gets another only while more than half of all are free, or more than a
	// quarter if it is for a client that holds none. So an owner that holds none does not wait while no more than
	// MaxRuns/4 other owners have active runs (MaxRuns/2 if none has several clients), and a client that holds none
	// does not wait while no more than MaxRuns/4 other clients have. Beyond that, it waits until a run ends.
	MaxRuns int

	// MaxIdle is how many sandboxes of all guests together are kept ready for the next runs. Each takes about 2
	// MiB beside shared memory, or up to 8 with packages of Python. They are freed after half a minute without a
	// run. Zero means DefaultMaxIdle.
	MaxIdle int

	// ImageMemory is how many bytes the engine may use to keep images of sandboxes for later runs, such as those
	// with loaded libraries. With one byte nothing is kept. Zero means DefaultImageMemory.
	ImageMemory int64
}

// An Engine runs guests. It holds them compiled, and the places, sandboxes and images that they share. It is safe
// for concurrent use. A process needs only one.
type Engine struct {
	cacheDir    string
	cacheFailed func(error)
	pool        pool
	images      images
	places      *places // nil if they are unlimited

	closing context.Context // ends when the engine is closed
	cancel  context.CancelCauseFunc

	loading sync.Mutex // held while a guest is loaded

	mu       sync.Mutex
	closed   bool
	programs []*Program
	runs     sync.WaitGroup // and loading
}

// New returns an engine without guests. [Engine.Load] loads one.
func New(options *EngineOptions) (*Engine, error) {
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
	if o.ImageMemory == 0 {
		o.ImageMemory = DefaultImageMemory
	}
	switch {
	case o.MaxRuns < Unlimited:
		return nil, fmt.Errorf("runtime: EngineOptions.MaxRuns is %d", o.MaxRuns)
	case o.MaxIdle < 0:
		return nil, fmt.Errorf("runtime: EngineOptions.MaxIdle is %d", o.MaxIdle)
	case o.ImageMemory < 0:
		return nil, fmt.Errorf("runtime: EngineOptions.ImageMemory is %d", o.ImageMemory)
	}
	e := &Engine{cacheDir: o.CacheDir, cacheFailed: o.CacheFailed}
	e.pool = pool{most: o.MaxIdle, idleTime: idleTime}
	e.images = images{pool: &e.pool, most: o.ImageMemory, byKey: map[imageKey]*keptImage{}}
	if o.MaxRuns != Unlimited {
		e.places = &places{total: o.MaxRuns, owners: map[string]*owner{}}
	}
	e.closing, e.cancel = context.WithCancelCause(context.Background())
	return e, nil
}

// Close stops all runs, waits for their end, and frees the engine and its guests. Stopped and later runs return
// [ErrClosed]. Closing twice does nothing.
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
	var errs []error
	for _, p := range e.programs {
		errs = append(errs, p.close(ctx))
	}
	return errors.Join(errs...)
}

// Stats describe what an engine keeps for later runs.
type Stats struct {
	// Idle is how many sandboxes are ready.
	Idle int
	// Images is the number of kept images, beside those from which all runs of a guest start. ImageMemory is how
	// many bytes they take.
	Images      int
	ImageMemory int64
}

// Stats returns what the engine currently keeps.
func (e *Engine) Stats() Stats {
	images, size := e.images.stats()
	return Stats{Idle: e.pool.size(), Images: images, ImageMemory: size}
}

// enter counts something that Close has to wait for, until it calls e.runs.Done.
func (e *Engine) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ErrClosed
	}
	e.runs.Add(1)
	return nil
}
