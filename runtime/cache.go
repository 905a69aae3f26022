package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sys/cpu"

	"github.com/toolrun/toolrun/internal/cachedir"
	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// Kinds of entries in a cache directory, and the files in them.
const (
	engineKind   = "engine" // compiled code, which wazero reads and writes, and the module that it is of
	moduleFile   = "module.wasm"
	skeletonFile = "skeleton.wasm"
	codeFile     = "code.json"

	imageKind  = "image" // the base image
	memoryFile = "memory"
	stateFile  = "state.json"
)

const (
	wazeroPath = "github.com/tetratelabs/wazero"
	// wazeroVersion is what go.mod requires. A program can be built with another version, but not all programs know
	// theirs.
	wazeroVersion = "v1.12.0"
)

// loadCached takes the compiled guest and the base image from a cache directory. It makes what is missing, verifies it,
// and keeps it there.
func (p *Program) loadCached(ctx context.Context, dir string) error {
	for tries := 1; ; tries++ {
		err := p.tryCached(ctx, dir)
		if tries == maxDamaged || !errors.Is(err, cachedir.ErrDamaged) {
			return err
		}
		// The damaged entry has been removed.
		_ = p.close(context.WithoutCancel(ctx))
		*p = Program{engine: p.engine, guest: p.guest}
	}
}

// maxDamaged is how many damaged entries are made again: one of each kind, and one that another process removes.
const maxDamaged = 4

func (p *Program) tryCached(ctx context.Context, dir string) error {
	key, err := p.engineKey()
	if err != nil {
		return cacheError(err)
	}
	engine, err := cachedir.Open(dir, engineKind, key)
	if err != nil {
		return cacheError(err)
	}
	defer engine.Close()
	var image *cachedir.Entry
	// else the program's file is unknown
	if imageKey, err := p.imageKey(key); err == nil && p.guest.DecodeState != nil {
		p.imagesDir, p.imagesKey = dir, imageKey
		if image, err = cachedir.Open(dir, imageKind, imageKey); err != nil {
			return cacheError(err)
		}
		defer image.Close()
	}
	switch {
	case !engine.Found():
		err = p.compileInto(ctx, engine, image != nil)
	case image != nil && image.Found():
		return p.startFrom(ctx, engine, image)
	default:
		err = p.compileFrom(ctx, engine)
	}
	if err != nil || image == nil || image.Found() {
		return err
	}
	if err := p.base.save(image); err != nil {
		return cacheError(err)
	}
	return cacheError(image.Publish())
}

// compileInto compiles the guest, makes its base image, and keeps the compiled code in a new entry.
func (p *Program) compileInto(ctx context.Context, engine *cachedir.Entry, images bool) error {
	module, err := p.guest.Module()
	if err != nil {
		return err
	}
	if err := p.compileIn(ctx, engine.Dir(), module); err != nil {
		return err
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	names, err := codeIn(engine.Dir())
	if err != nil {
		return cacheError(err)
	}
	code := compiledCode{Module: names}
	if images && len(names) == 1 {
		if err := p.addSkeleton(ctx, engine, module, &code); err != nil {
			return err
		}
	}
	list, err := json.Marshal(code)
	if err != nil {
		return err
	}
	if err := errors.Join(engine.Write(moduleFile, module), engine.Write(codeFile, list)); err != nil {
		return cacheError(err)
	}
	return cacheError(engine.Publish())
}

// compileFrom takes the compiled guest from an entry, and makes its base image.
func (p *Program) compileFrom(ctx context.Context, engine *cachedir.Entry) error {
	code, err := readCode(engine)
	if err != nil {
		return cacheError(err)
	}
	module, err := engine.Read(moduleFile)
	if err != nil {
		return cacheError(err)
	}
	err = engine.Guard(func() error { return p.compileIn(ctx, engine.Dir(), module) }, code.Module...)
	if err != nil {
		return damaged(err)
	}
	return p.prepare(ctx)
}

// startFrom takes the compiled guest and its base image, which have been verified before, from entries.
func (p *Program) startFrom(ctx context.Context, engine, image *cachedir.Entry) error {
	type loaded struct {
		image *Image
		err   error
	}
	images := make(chan loaded, 1)
	go func() {
		base, err := p.loadImage(image)
		images <- loaded{base, err}
	}()
	err := p.compileSkeleton(ctx, engine)
	base := <-images
	p.base = base.image
	if err != nil {
		return err
	}
	if base.err != nil {
		return cacheError(errors.Join(base.err, image.Damaged()))
	}
	in, err := p.newSandbox(DefaultMemory)
	if err != nil {
		return cacheError(errors.Join(err, image.Damaged()))
	}
	p.engine.pool.put(in)
	return context.Cause(ctx)
}

func (p *Program) compileIn(ctx context.Context, dir string, module []byte) (err error) {
	if p.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
		return cacheError(err)
	}
	return p.compile(ctx, module)
}

// damaged returns an error of the cache directory if err is one, and else err.
func damaged(err error) error {
	if errors.Is(err, cachedir.ErrDamaged) {
		return cacheError(err)
	}
	return err
}

func cacheError(err error) error {
	if err == nil {
		return nil
	}
	return &CacheError{err}
}

// A CacheError means that the directory of [EngineOptions].CacheDir cannot be used.
type CacheError struct{ Err error }

func (e *CacheError) Error() string { return "runtime: cache directory: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CacheError) Unwrap() error { return e.Err }

// savedState is saved with an image's memory.
type savedState struct {
	Globals   []uint64
	State     json.RawMessage
	Work      int64
	Remainder int
}

// save writes an image of which no run is the author: the guest's clock has not begun.
func (i *Image) save(entry *cachedir.Entry) error {
	memory, err := i.memory.Append(nil)
	if err != nil {
		return err
	}
	state, err := json.Marshal(i.state)
	if err != nil {
		return err
	}
	if state, err = json.Marshal(savedState{i.globals, state, i.work, i.remainder}); err != nil {
		return err
	}
	return errors.Join(entry.Write(memoryFile, memory), entry.Write(stateFile, state))
}

func (p *Program) loadImage(entry *cachedir.Entry) (*Image, error) {
	data, err := entry.Read(stateFile)
	if err != nil {
		return nil, err
	}
	var saved savedState
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, err
	}
	state, err := p.guest.DecodeState(saved.State)
	if err != nil {
		return nil, err
	}
	file, err := entry.Open(memoryFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if saved.Work < 0 || saved.Remainder < 0 || saved.Remainder >= HostBytes {
		return nil, errors.New("an image of work that nobody can have done")
	}
	memory, err := linearmem.DecodeImage(file, file.File())
	if err != nil {
		return nil, err
	}
	return &Image{program: p, memory: memory, globals: saved.Globals, state: state, work: saved.Work,
		remainder: saved.Remainder}, nil
}

// engineKey hashes everything that compiled code depends on.
func (p *Program) engineKey() (key cachedir.Key, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return key, errors.New("the program does not know its compiler of WebAssembly, " +
			"since it has been built without module information")
	}
	h := sha256.New()
	fmt.Fprintln(h, "format 2", goruntime.GOOS, goruntime.GOARCH, cpu.X86, cpu.ARM64,
		hex.EncodeToString(p.guest.Digest[:]), wazeroVersion)
	if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == wazeroPath }); i >= 0 {
		for m := info.Deps[i]; m != nil; m = m.Replace {
			fmt.Fprintln(h, m.Path, m.Version, m.Sum)
		}
	}
	return cachedir.Key(h.Sum(nil)), nil
}

// imageKey hashes everything that the base image depends on: above all the Go code that starts the guest, so that each
// program, and each build of it, has its own.
func (p *Program) imageKey(engine cachedir.Key) (key cachedir.Key, err error) {
	program, err := os.Executable()
	if err != nil {
		return key, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return key, err
	}
	h := sha256.New()
	h.Write(engine[:])
	setup := p.guest.setup()
	h.Write(setup[:])
	fmt.Fprintln(h, program, file.Size(), file.ModTime().UnixNano(), os.Getpagesize())
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	return cachedir.Key(h.Sum(nil)), nil
}
