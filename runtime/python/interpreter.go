package python

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/python"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// An Interpreter runs Python on an engine. It is safe for concurrent use, and closed together with the engine.
type Interpreter struct {
	engine  *sandbox.Engine
	program *sandbox.Program
}

// Engine returns the engine that the interpreter runs on.
func (i *Interpreter) Engine() *sandbox.Engine { return i.engine }

// New loads a build of CPython, and checks that it is one that this package can drive. The first time takes some ten
// seconds of one processor, later ones some tens of milliseconds if the cache directory has the compiled code. The
// context applies only to New itself.
func New(ctx context.Context, engine *sandbox.Engine, module Module) (*Interpreter, error) {
	guest, err := newGuest(module)
	if err != nil {
		return nil, err
	}
	program, err := engine.Load(ctx, guest)
	if err != nil {
		return nil, err
	}
	return &Interpreter{engine, program}, nil
}

func newGuest(module Module) (sandbox.Guest, error) {
	if module.Bytes == nil {
		return sandbox.Guest{}, errors.New("python: Module.Bytes is nil")
	}
	guest := sandbox.Guest{
		Name: "Python interpreter",
		Module: func() ([]byte, error) {
			metered, err := module.Metered()
			if err != nil {
				err = fmt.Errorf("python: %w", err)
			}
			return metered, err
		},
		Digest: module.Digest(),
		Env:    python.Environment(),
		Files:  true,

		SameImage: true, // the boot code seeds the module random in each run, and keeps no other generator
		New: func(in *sandbox.Instance) (sandbox.Driver, error) {
			vm, err := python.New(in.Module())
			return &instance{Instance: in, vm: vm}, err
		},
		DecodeState: decodeState,
		Call:        func(in *sandbox.Instance, number uint32) uint64 { return in.Driver().(*instance).called(number) },
		CrashAdvice: "Do it in another way, with plainer means, and in smaller steps, to find what it fails on.",
	}
	var err error
	if guest.Args, err = python.Arguments(); err != nil {
		return guest, err
	}
	guest.Setup, err = python.SHA256()
	return guest, err
}

// Packages returns the names of the packages that the build has beside the standard library.
func (i *Interpreter) Packages() []string { return packagesOf(i.program) }

func packagesOf(program *sandbox.Program) []string {
	return strings.Fields(program.Base().State().(*imageState).VM.Packages)
}

// Run runs code in a fresh sandbox, as the module __main__, or in that of a session. await works outside of functions,
// as in a notebook.
//
// The error is a [*ScriptError], [*sandbox.LimitError], [*ExitError], [*sandbox.CrashError], [*sandbox.StateError] or
// [*sandbox.StoppedError], [ErrNoReport], [ErrSuspend] or [sandbox.ErrClosed]; any other error is the host's. The
// result is never nil: it has the console output before an error, and the usage.
func (i *Interpreter) Run(ctx context.Context, code string, options *RunOptions) (*Result, error) {
	o, err := options.withDefaults(i.program)
	if err != nil {
		return &Result{}, err
	}
	if !utf8.ValidString(code) {
		return &Result{}, errNotText
	}
	if !o.Session {
		o.State = nil
	}
	begun, err := i.program.Begin(ctx, o.runOptions())
	if err != nil {
		return &Result{}, err
	}
	defer begun.End()
	r := newRun(begun, o)
	r.code = code
	if err := r.Interrupted(); err != nil {
		return &Result{}, err
	}
	var in *instance
	if o.State != nil {
		in, err = r.next()
	} else {
		in, err = r.execute(i.program)
	}
	return r.end(in, err)
}

// end returns the result of a run, which has ended with an error in an instance, or without one.
func (r *run) end(in *instance, err error) (*Result, error) {
	if in == nil {
		return r.result(err), err
	}
	if err == nil {
		err = in.outcome()
	}
	in.rescue()
	if err != ErrSuspend {
		if closing := in.CloseFiles(); err == nil {
			err = notWritten(closing)
		}
	}
	out := r.result(err)
	if keep := r.options.Session && err == nil && !in.broken; keep || err == ErrSuspend {
		state, stateErr := in.state()
		if stateErr != nil {
			return out, stateErr
		}
		if out.State = state; keep {
			out.State = state.Renewed()
		}
	}
	return out, err
}
