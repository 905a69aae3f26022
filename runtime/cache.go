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
	"github.com/toolrun/toolrun/internal/linearmem"
)

// Kinds of entries in a cache directory, and the files in them.
const (
	engineKind = "engine" // compiled code, which wazero reads and writes, and the module that it is of
	moduleFile = "module.wasm"

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
	key, err := p.engineKey()
	if err != nil {
		return cacheError(err)
	}
	entry, err := cachedir.Open(dir, engineKind, key)
	if err != nil {
		return cacheError(err)
	}
	defer entry.Close()
	if p.cache, err = wazero.NewCompilationCacheWithDir(entry.Dir()); err != nil {
		return cacheError(err)
	}
	module := entry.Read(moduleFile)
	if !entry.Found() {
		if module, err = p.guest.Module(); err != nil {
			return err
		}
	}
	if err := p.compile(ctx, module); err != nil {
		return err
	}
	if entry.Found() {
		return p.prepareCached(ctx, dir, key)
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := entry.Write(moduleFile, module); err != nil {
		return cacheError(err)
	}
	return cacheError(entry.Publish())
}

// prepareCached is prepare for code that has been verified before.
func (p *Program) prepareCached(ctx context.Context, dir string, engine cachedir.Key) error {
	if p.guest.DecodeState == nil {
		return p.prepare(ctx)
	}
	key, err := p.imageKey(engine)
	if err != nil { // the program's file is unknown
		return p.prepare(ctx)
	}
	entry, err := cachedir.Open(dir, imageKind, key)
	if err != nil {
		return cacheError(err)
	}
	defer entry.Close()
	if entry.Found() {
		if p.base, err = p.loadImage(entry); err != nil {
			return cacheError(err)
		}
		in, err := p.newSandbox(DefaultMemory)
		if err != nil {
			return err
		}
		p.engine.pool.put(in)
		return context.Cause(ctx)
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.base.save(entry); err != nil {
		return cacheError(err)
	}
	return cacheError(entry.Publish())
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

// savedState is saved with the base image's memory.
type savedState struct {
	Globals []uint64
	State   json.RawMessage
}

// save writes a base image, in which no work has been done.
func (i *Image) save(entry *cachedir.Entry) error {
	memory, err := i.memory.Append(nil)
	if err != nil {
		return err
	}
	state, err := json.Marshal(i.state)
	if err != nil {
		return err
	}
	if state, err = json.Marshal(savedState{i.globals, state}); err != nil {
		return err
	}
	return errors.Join(entry.Write(memoryFile, memory), entry.Write(stateFile, state))
}

func (p *Program) loadImage(entry *cachedir.Entry) (*Image, error) {
	var saved savedState
	if err := json.Unmarshal(entry.Read(stateFile), &saved); err != nil {
		return nil, err
	}
	state, err := p.guest.DecodeState(saved.State)
	if err != nil {
		return nil, err
	}
	memory, err := linearmem.DecodeImage(entry.Read(memoryFile))
	if err != nil {
		return nil, err
	}
	return &Image{program: p, memory: memory, globals: saved.Globals, state: state}, nil
}

// engineKey hashes everything that compiled code depends on.
func (p *Program) engineKey() (key cachedir.Key, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return key, errors.New("the program does not know its compiler of WebAssembly, since it has been built without module information")
	}
	h := sha256.New()
	fmt.Fprintln(h, goruntime.GOOS, goruntime.GOARCH, cpu.X86, cpu.ARM64, hex.EncodeToString(p.guest.Digest[:]), wazeroVersion)
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
