// Package guesttest runs programs of WebAssembly that need nothing but to be called, for tests of what guests of
// package runtime get.
package guesttest

import (
	"context"
	"crypto/sha256"
	"errors"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Guest returns a program as a guest without files. Its driver does nothing; [Run] starts it.
func Guest(name string, module []byte) sandbox.Guest {
	return sandbox.Guest{
		Name:        name,
		Module:      func() ([]byte, error) { return sandbox.Meter(module) },
		Digest:      sha256.Sum256(module),
		New:         func(in *sandbox.Instance) (sandbox.Driver, error) { return driver{}, nil },
		DecodeState: func([]byte) (any, error) { return nil, nil },
	}
}

type driver struct{}

func (driver) Start() error     { return nil }
func (driver) State() any       { return nil }
func (driver) Resume(any) error { return nil }
func (driver) Idle() bool       { return false } // Go programs grow their memory

// Ran is what is left of a run.
type Ran struct {
	Console   []sandbox.Entry
	Truncated int64 // bytes of the console
	Usage     sandbox.Usage
}

// Run runs a program to its end. An exit with status 0 is no error.
func Run(ctx context.Context, program *sandbox.Program, options sandbox.RunOptions) (Ran, error) {
	r, err := program.Begin(ctx, options)
	if err != nil {
		return Ran{}, err
	}
	defer r.End()
	in, err := r.Start(nil)
	if err != nil {
		return Ran{}, err
	}
	in.Untrusted()
	_, err = in.Module().ExportedFunction("_start").Call(in.Context())
	err = in.Reason(err)
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok && exit.Code == 0 {
		err = in.CloseFiles()
	}
	out := Ran{Usage: r.Usage()}
	out.Console, out.Truncated = r.Output().End()
	return out, err
}
