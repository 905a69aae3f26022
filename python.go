package toolrun

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/tools/python"
)

// ErrNoPython means that a runner has no build of Python.
var ErrNoPython = errors.New("there is no Python here; get it with: toolrun module add python")

// findPython returns what finds the build of Python, or nil if there is none.
func (o *Options) findPython(modules *module.Store) (func() (py.Module, error), error) {
	if o.Python != nil || modules == nil {
		return o.Python, nil
	}
	installed, err := modules.Get(python.Name)
	switch {
	case errors.Is(err, module.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !installed.Manifest.Language: // a tool that somebody has given this name
		return nil, nil
	}
	m := py.Module{Bytes: installed.Read}
	if n, err := hex.Decode(m.SHA256[:], []byte(installed.Manifest.SHA256)); err != nil || n != len(m.SHA256) {
		return nil, fmt.Errorf("module %s: its sha256 is malformed", python.Name)
	}
	return func() (py.Module, error) { return m, nil }, nil
}

// loadPython loads Python into the engine.
func (r *Runner) loadPython(ctx context.Context) (*py.Interpreter, error) {
	if r.findsPython == nil {
		return nil, ErrNoPython
	}
	m, err := r.findsPython()
	if err != nil {
		return nil, err
	}
	return py.New(ctx, r.engine, m)
}

// HasPython reports whether there is a build of Python. It may still turn out to be one that cannot be used.
func (r *Runner) HasPython() bool { return r.findsPython != nil }

// Python returns what runs Python, for code of the program's own, and loads it if that has not been done. The context
// limits loading. The error is [ErrNoPython] if the options give no build of it.
func (r *Runner) Python(ctx context.Context) (*py.Interpreter, error) {
	if r.isClosed() {
		return nil, ErrClosed
	}
	return r.python.get(ctx)
}
