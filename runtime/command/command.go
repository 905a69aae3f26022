// Package command runs programs that were compiled to WebAssembly for WASI preview 1, in any language. A program reads
// its input from standard input, works on the files of the run at "/", and writes its result to standard output;
// standard error is its log. Exit status 0 is success.
//
//	c, err := command.Load(ctx, engine, module, nil)
//	...
//	result, err := c.Run(ctx, sandbox.RunOptions{Stdin: []byte(`{"text":"hello"}`)})
//	fmt.Printf("%s\n", result.Output)
//
// There are two forms of modules. A command exports _start, as programs with a main function do: each run starts from
// an image of the memory as it is before main. A reactor exports toolrun_call, with the type () -> () or () -> (i32),
// where the result is the exit status. Its export _initialize, if there is one, runs once, when the module is loaded,
// and each run starts from an image of the memory after that. If its language needs time to start, it answers much
// faster. The random numbers that _initialize gets are the same in each run.
//
// Modules may use WebAssembly's exceptions in their standard form (try_table). One that nothing catches ends the run
// with a [sandbox.CrashError].
//
// A module that may call tools imports these functions from "toolrun". They never trap: wrong sizes and addresses give
// an error as the result, or nothing.
//
//	call(tool, toolSize, input, inputSize i32) i64  // status << 32 | size of the result
//	result(to, size i32) i32                        // copies the next part of the result, and returns its size
//
// The input is the JSON that the tool takes. Status 0 is success; with status 1 the result is the text of an error. The
// result is kept until the next call.
//
// A module that may make requests over the network imports these, which never trap either:
//
//	request(head, headSize, body, bodySize i32) i64     // status << 32 | number of the request
//	response(number, milliseconds i32) i64              // status << 32 | size of the response's head
//	body(number, to, size, milliseconds i32) i64        // status << 32 | how many bytes were copied
//	close(number i32)
//
// request begins a request and does not wait for it. Its head is JSON such as
//
//	{"method": "POST", "url": "https://example.com/", "headers": [["accept", "*/*"]], "redirect": "follow"}
//
// where only the URL is required, and redirect can also be "error" or "manual". response waits until the response
// begins, or for the given milliseconds if they are not negative; then the size is 0. Its head is read with result, and
// has "status", "statusText", "url", "redirected" and "headers". A character of a header stands for one byte, in both
// directions. body waits in the same way, and copies the next bytes. Its status is 2 at the end. Status 1 means that
// the request has failed; the value is the size of the error's text, which is read with result. A request whose
// response has been read to its end, or that has failed, need not be closed. 100 requests can be open.
//
// Modules need not be trusted. [Check] refuses those that cannot be run, and those that a compiler cannot compile in
// reasonable time and memory.
//
// # Experimental
//
// Package tools/module is built on it. The Go API may change with any version; what modules import may only grow.
package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// Options configure a command. The zero value is fine.
type Options struct {
	// Name is the module's name in errors. Empty means "module".
	Name string
	// Files gives the module the files of the run. Without it no path leads anywhere.
	Files bool
	// Env is the environment, each entry of the form NAME=value.
	Env []string
	// NoClock and NoRandom withhold the time and randomness: see [sandbox.Guest].
	NoClock, NoRandom bool
}

// A Command is a module that is ready to run. It is safe for concurrent use.
type Command struct {
	program  *sandbox.Program
	form     Form
	options  Options
	language bool
}

// Load checks, compiles and starts a module. That takes about a second of one processor for each megabyte, unless the
// engine has a cache. The context applies only to Load itself, and limits how long compiling can take, but for single
// functions. The error is a [*RefusedError] if the module cannot be run, also if it fails in its start function or in
// _initialize.
func Load(ctx context.Context, engine *sandbox.Engine, module []byte, options *Options) (*Command, error) {
	form, err := formOf(module)
	if err != nil {
		return nil, err
	}
	return load(ctx, engine, script.FromBytes(module), form, options)
}

// LoadLanguage is [Load] for the interpreter of a language, which the operator has chosen: a reactor. It is compiled on
// all processors, and not even read if the engine's cache has it. Standard output is a part of the log, where both
// streams are in their order, and runs can go on from where others have ended: see [Host].Keep.
func LoadLanguage(ctx context.Context, engine *sandbox.Engine, module script.Module, options *Options) (*Command,
	error) {
	return load(ctx, engine, module, "", options)
}

// load loads a module of a form. That of a language is "" here.
func load(ctx context.Context, engine *sandbox.Engine, module script.Module, form Form, options *Options) (*Command,
	error) {
	c := &Command{form: cmp.Or(form, FormReactor), language: form == ""}
	if options != nil {
		c.options = *options
	}
	if c.options.Name == "" {
		c.options.Name = "module"
	}
	args := []string{c.options.Name}
	if c.form == FormCommand {
		args = nil
	}
	var err error
	c.program, err = engine.Load(ctx, sandbox.Guest{
		Name:   c.options.Name,
		Module: sync.OnceValues(func() ([]byte, error) { return metered(module, c.form) }),
		// What is in the cache has been checked by the same rules.
		Digest:      sha256.Sum256(fmt.Append(module.SHA256[:], "checked and metered by ", rules())),
		Args:        args,
		Env:         c.options.Env,
		Files:       c.options.Files,
		NoClock:     c.options.NoClock,
		NoRandom:    c.options.NoRandom,
		Foreign:     !c.language,
		SameImage:   c.language,
		Imports:     slices.Concat(callImports, requestImports),
		New:         func(in *sandbox.Instance) (sandbox.Driver, error) { return &driver{in: in, form: c.form}, nil },
		DecodeState: func([]byte) (any, error) { return nil, nil },
	})
	if err != nil {
		if _, refused := errors.AsType[*RefusedError](err); refused || ctx.Err() != nil ||
			errors.Is(err, sandbox.ErrClosed) {
			return nil, err
		}
		if _, cache := errors.AsType[*sandbox.CacheError](err); cache {
			return nil, err
		}
		return nil, &RefusedError{Reason: err.Error(), Err: err}
	}
	return c, nil
}

// metered checks a module of a form, and returns it metered.
func metered(module script.Module, form Form) ([]byte, error) {
	code, err := module.Read()
	if err != nil {
		return nil, err
	}
	is, err := Check(code)
	if err != nil {
		return nil, err
	}
	if is != form {
		return nil, &RefusedError{Reason: fmt.Sprintf("it is a %s, and has to be a %s", is, form)}
	}
	out, err := sandbox.Meter(code)
	if err != nil {
		return nil, refusal(err)
	}
	return out, nil
}

// Strip returns a module without its custom sections: names and debugging information, for example.
func Strip(module []byte) ([]byte, error) {
	out, err := metering.Strip(module)
	if err != nil {
		return nil, refusal(err)
	}
	return out, nil
}

// Form returns the form of the module.
func (c *Command) Form() Form { return c.form }

// A Result is what is left of a run.
type Result struct {
	// Output is what the module has written to standard output. Cut is how many bytes of it were left out because of
	// the output limit.
	Output []byte
	Cut    int64
	// Log is standard error, a line each. Truncated is how many bytes of it were left out.
	Log       []sandbox.Entry
	Truncated int64
	// LogEnd is the end of what was left out of the log. It can begin within a line or a character.
	LogEnd []byte
	Usage  sandbox.Usage
	// State is where a run can go on, if [Host].Keep wants it, and the call of the module has returned. It is nil with
	// every other error than a status.
	State *sandbox.State
}

// Run runs the module once. Stdin is its input; the first of Args, if there are any, follow its name; Env is added to
// that of the module for a command, and a reactor has what it had when it was loaded. Stdout of the options is not
// used.
//
// The result is never nil, but for errors of the host. The error is a [*sandbox.ExitError] if the module ended with
// another status than 0, and otherwise as package runtime says.
func (c *Command) Run(ctx context.Context, options sandbox.RunOptions) (*Result, error) {
	return c.RunWith(ctx, options, Host{})
}

// A Host is what a module can use of the host, beside its files. The zero value is nothing.
type Host struct {
	// Call makes its calls of tools. Nil means that it may call none.
	Call Caller
	// Network makes its requests, and belongs to this run alone. Nil means that there is no network.
	Network network.Run
	// Keep wants [Result].State, for a module of [LoadLanguage]. What is in /tmp is not in there. The error of
	// the run is [sandbox.ErrOpenFiles] if the module has left files open.
	Keep bool
}

// RunWith is [Command.Run] for a module that may call tools or make requests.
func (c *Command) RunWith(ctx context.Context, options sandbox.RunOptions, host Host) (*Result, error) {
	export := startExport
	if c.form == FormReactor {
		export = callExport
	}
	return c.run(ctx, export, options, host)
}

// Describe asks the module for the description of the tool that it is: a command gets the argument --describe, and the
// export toolrun_describe of a reactor is called. The result has it, if the module knows the question.
func (c *Command) Describe(ctx context.Context, options sandbox.RunOptions) (*Result, error) {
	options.Stdin = nil
	if c.form == FormReactor {
		return c.run(ctx, describeExport, options, Host{})
	}
	options.Args = []string{"--describe"}
	return c.run(ctx, startExport, options, Host{})
}

func (c *Command) run(ctx context.Context, export string, options sandbox.RunOptions, host Host) (*Result, error) {
	stdout := &sandbox.Stream{}
	if options.Stdout = stdout; c.language {
		options.Stdout = nil
	}
	options.Args = append([]string{c.options.Name}, options.Args...)
	options.Env = append(c.options.Env[:len(c.options.Env):len(c.options.Env)], options.Env...)
	r, err := c.program.Begin(ctx, options)
	if err != nil {
		return nil, err
	}
	result := &Result{}
	result.State, err = call(r, export, options.State != nil, host)
	result.Usage = r.Usage()
	result.Log, result.Truncated = r.Output().End()
	result.Truncated -= stdout.Cut
	result.LogEnd = r.Output().Lost()
	r.End()
	result.Output, result.Cut = stdout.Data, stdout.Cut
	return result, err
}

// call starts a run's sandbox, or goes on with that of its state, and calls an export. It returns the state after that
// if the host wants it.
func call(r *sandbox.Run, export string, goesOn bool, host Host) (*sandbox.State, error) {
	start := func() (*sandbox.Instance, error) { return r.Start(nil) }
	if goesOn {
		start = r.Resume
	}
	in, err := start()
	if err != nil {
		return nil, err
	}
	entry := in.Module().ExportedFunction(export)
	if entry == nil {
		return nil, fmt.Errorf("command: the module does not export %q", export)
	}
	in.Untrusted()
	in.Driver().(*driver).host = host
	results, err := entry.Call(in.Context())
	err = in.Reason(err)
	keep := host.Keep && err == nil
	if err == nil && len(results) > 0 {
		err = &sandbox.ExitError{Code: int(api.DecodeI32(results[0]))}
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok && exit.Code == 0 {
		err = nil
	}
	open := in.OpenFiles()
	if closing := in.CloseFiles(); closing != nil {
		return nil, cmp.Or(err, closing)
	}
	switch {
	case !keep:
		return nil, err
	case open > 0:
		return nil, sandbox.ErrOpenFiles
	}
	left, failure := r.Suspend(nil)
	if failure != nil {
		return nil, failure
	}
	return left.Renewed(), err
}

// OpenState decodes a state, as [sandbox.Program.OpenState] does.
func (c *Command) OpenState(sealed, key []byte, memory int64) (*sandbox.State, error) {
	return c.program.OpenState(sealed, key, memory)
}

// driver drives a module, whose state is only its memory and its globals.
type driver struct {
	in   *sandbox.Instance
	form Form

	// Of one run.
	host   Host
	result []byte    // the unread rest of what the last call has left
	made   *requests // nil until there is one
}

// Start runs _initialize of a reactor.
func (d *driver) Start() error {
	if d.form != FormReactor {
		return nil
	}
	if initialize := d.in.Module().ExportedFunction(initializeExport); initialize != nil {
		_, err := initialize.Call(d.in.Context())
		return err
	}
	return nil
}

func (d *driver) State() any { return nil }

func (d *driver) Resume(any) error {
	d.host, d.result, d.made = Host{}, nil, nil
	return nil
}

// Idle says that the instance can always be put back: nothing of the module can be in progress when its call is over.
func (d *driver) Idle() bool { return true }
