package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolrun/toolrun/internal/cachedir"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// A start from the cache directory needs neither the code of the module, which has been compiled, nor its data, which
// are in the base image. But wazero decodes and validates all of the module before it looks for compiled code, which
// takes most of such a start. So an entry also has a skeleton of the module, and wazero finds the compiled code of the
// module in the place of the skeleton's own.
//
// That this works is tested when an entry is made, with the same checks of the guest as otherwise; if it does not, the
// entry has no skeleton. Should wazero ever not find the compiled code, it makes the skeleton's own, in which every
// function traps, and [cachedir.Entry.Guard] notices.

// compiledCode says where in an entry wazero's compiled code is, as paths with slashes.
type compiledCode struct {
	Module   []string // of the module
	Skeleton string   // the same, in the place of the skeleton's; empty if there is no skeleton
}

func readCode(engine *cachedir.Entry) (code compiledCode, err error) {
	data, err := engine.Read(codeFile)
	if err == nil {
		err = json.Unmarshal(data, &code)
	}
	return code, err
}

// codeIn returns the paths of the files that wazero keeps in a directory.
func codeIn(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	return names, err
}

// compileSkeleton takes the compiled guest from an entry. It can only be started from an image then.
func (p *Program) compileSkeleton(ctx context.Context, engine *cachedir.Entry) error {
	code, err := readCode(engine)
	if err != nil {
		return cacheError(err)
	}
	file, guarded := skeletonFile, []string{code.Skeleton}
	if code.Skeleton == "" {
		file, guarded = moduleFile, code.Module
	}
	module, err := engine.Read(file)
	if err != nil {
		return cacheError(err)
	}
	return damaged(engine.Guard(func() error {
		return withHugePages(engine.Size(code.Skeleton), func() error { return p.compileIn(ctx, engine.Dir(), module) })
	}, guarded...))
}

// addSkeleton adds a skeleton of the module to a new entry, which has the compiled code of the module, unless that
// cannot be. An error means that the directory cannot be used.
func (p *Program) addSkeleton(ctx context.Context, engine *cachedir.Entry, module []byte, code *compiledCode) error {
	skeleton, err := metering.Skeleton(module)
	if err != nil {
		return nil
	}
	own, err := p.skeletonName(ctx, engine.Dir(), skeleton)
	if err != nil || own == "" || own == code.Module[0] {
		return cacheError(err)
	}
	from, to := filepath.Join(engine.Dir(), filepath.FromSlash(code.Module[0])),
		filepath.Join(engine.Dir(), filepath.FromSlash(own))
	if os.Link(from, to) != nil { // not every file system has links
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
		if err != nil {
			return cacheError(err)
		}
	}
	before, err := os.Stat(to)
	if err != nil {
		return cacheError(err)
	}
	err = p.trySkeleton(ctx, engine.Dir(), skeleton)
	if after, statErr := os.Stat(to); err != nil || statErr != nil || !os.SameFile(before, after) {
		return cacheError(os.Remove(to))
	}
	code.Skeleton = own
	return cacheError(engine.Write(skeletonFile, skeleton))
}

// skeletonName returns the path at which wazero would keep the skeleton's own code, or nothing if it does not.
func (p *Program) skeletonName(ctx context.Context, dir string, skeleton []byte) (name string, err error) {
	temp, err := os.MkdirTemp(dir, "skeleton-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	other := &Program{engine: p.engine, guest: p.guest}
	err = other.compileIn(ctx, temp, skeleton)
	if errors.Join(err, other.close(context.WithoutCancel(ctx))) != nil {
		return "", context.Cause(ctx)
	}
	names, err := codeIn(temp)
	if err != nil || len(names) != 1 {
		return "", err
	}
	return names[0], nil
}

// trySkeleton runs the guest as it is started from an entry with a skeleton, and verifies it.
func (p *Program) trySkeleton(ctx context.Context, dir string, skeleton []byte) (err error) {
	limits, err := Limits{}.withDefaults()
	if err != nil {
		return err
	}
	other := &Program{engine: p.engine, guest: p.guest, base: p.base}
	defer func() {
		other.base = nil // it is not its own
		err = errors.Join(err, other.close(context.WithoutCancel(ctx)))
	}()
	if err := other.compileIn(ctx, dir, skeleton); err != nil {
		return err
	}
	in, err := other.newSandbox(DefaultMemory)
	if err != nil {
		return err
	}
	r := newRun(ctx, other, RunOptions{Limits: limits, Args: p.guest.Args, Env: p.guest.Env})
	defer r.finish()
	in.begin(r)
	if v, ok := in.driver.(Verifier); ok {
		err = v.Verify()
	}
	if err := errors.Join(err, in.close()); err != nil {
		return fmt.Errorf("runtime: from a skeleton: %w", err)
	}
	return nil
}
