package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sys/cpu"

	"github.com/toolrun/toolrun/guest/quickjs"
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
	// wazeroVersion is what go.mod requires. A program can be built with another version, but not all programs know theirs.
	wazeroVersion = "v1.12.0"
)

// compileCached compiles the engine and makes the base image, or takes what a cache directory has of them. What it does not have is
// kept there after it has been verified.
func (e *Engine) compileCached(ctx context.Context, dir string) error {
	key, err := engineKey()
	if err != nil {
		return cacheError(err)
	}
	entry, err := cachedir.Open(dir, engineKind, key)
	if err != nil {
		return cacheError(err)
	}
	defer entry.Close()
	if e.cache, err = wazero.NewCompilationCacheWithDir(entry.Dir()); err != nil {
		return cacheError(err)
	}
	module := entry.Read(moduleFile)
	if !entry.Found() {
		if module, err = quickjs.Module(); err != nil {
			return err
		}
	}
	if err := e.compileModule(ctx, module); err != nil {
		return err
	}
	if entry.Found() {
		return e.prepareCached(ctx, dir, key)
	}
	if err := e.prepare(ctx); err != nil {
		return err
	}
	if err := entry.Write(moduleFile, module); err != nil {
		return cacheError(err)
	}
	return cacheError(entry.Publish())
}

// prepareCached is prepare for code that has been verified before.
func (e *Engine) prepareCached(ctx context.Context, dir string, engine cachedir.Key) error {
	key, err := imageKey(engine)
	if err != nil { // the program does not know what it is
		return e.prepare(ctx)
	}
	entry, err := cachedir.Open(dir, imageKind, key)
	if err != nil {
		return cacheError(err)
	}
	defer entry.Close()
	if entry.Found() {
		if e.base, err = loadImage(entry); err != nil {
			return cacheError(err)
		}
		in, err := e.newSandbox(DefaultMemory)
		if err != nil {
			return err
		}
		e.pool.put(in)
		return context.Cause(ctx)
	}
	if err := e.prepare(ctx); err != nil {
		return err
	}
	if err := e.base.save(entry); err != nil {
		return cacheError(err)
	}
	return cacheError(entry.Publish())
}

func cacheError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("runtime: cache directory: %w", err)
}

// savedState is what is kept of the base image beside the memory. In others work has been done, and files have been loaded.
type savedState struct {
	State   quickjs.State
	Prelude *quickjs.Prelude
}

func (i *image) save(entry *cachedir.Entry) error {
	memory, err := i.memory.Append(nil)
	if err != nil {
		return err
	}
	state, err := json.Marshal(savedState{i.state, i.prelude})
	if err != nil {
		return err
	}
	return errors.Join(entry.Write(memoryFile, memory), entry.Write(stateFile, state))
}

func loadImage(entry *cachedir.Entry) (*image, error) {
	var s savedState
	if err := json.Unmarshal(entry.Read(stateFile), &s); err != nil {
		return nil, err
	}
	if s.Prelude == nil {
		return nil, errors.New("an image without a prelude")
	}
	memory, err := linearmem.DecodeImage(entry.Read(memoryFile))
	if err != nil {
		return nil, err
	}
	return &image{memory: memory, state: s.State, prelude: s.Prelude}, nil
}

// engineKey hashes everything that compiled code depends on.
func engineKey() (key cachedir.Key, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return key, errors.New("the program does not know its compiler of WebAssembly, since it has been built without module information")
	}
	h := sha256.New()
	fmt.Fprintln(h, goruntime.GOOS, goruntime.GOARCH, cpu.X86, cpu.ARM64, quickjs.ModuleSHA256, wazeroVersion)
	if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == wazeroPath }); i >= 0 {
		for m := info.Deps[i]; m != nil; m = m.Replace {
			fmt.Fprintln(h, m.Path, m.Version, m.Sum)
		}
	}
	return cachedir.Key(h.Sum(nil)), nil
}

// imageKey hashes everything that the base image depends on: above all the Go code that starts the engine, so that each program, and
// each build of it, has its own.
func imageKey(engine cachedir.Key) (key cachedir.Key, err error) {
	program, err := os.Executable()
	if err != nil {
		return key, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return key, err
	}
	prelude, err := quickjs.PreludeSHA256()
	if err != nil {
		return key, err
	}
	h := sha256.New()
	h.Write(engine[:])
	h.Write(prelude[:])
	fmt.Fprintln(h, program, file.Size(), file.ModTime().UnixNano(), os.Getpagesize())
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	return cachedir.Key(h.Sum(nil)), nil
}
