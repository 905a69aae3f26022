package javascript

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/language"
)

// An Interpreter runs scripts on an engine. It is safe for concurrent use, and closed together with the engine.
type Interpreter struct {
	engine  *sandbox.Engine
	program *sandbox.Program
	effects effects
}

// Engine returns the engine that the interpreter runs on.
func (i *Interpreter) Engine() *sandbox.Engine { return i.engine }

// New loads the JavaScript engine, and checks that it is the one that this package is written for. The first time
// takes about a second of one processor, or some tens of milliseconds if the cache directory has the compiled code.
// The context applies only to New itself.
func New(ctx context.Context, engine *sandbox.Engine) (*Interpreter, error) {
	guest, err := newGuest()
	if err != nil {
		return nil, err
	}
	program, err := engine.Load(ctx, guest)
	if err != nil {
		return nil, err
	}
	return &Interpreter{engine: engine, program: program}, nil
}

func newGuest() (sandbox.Guest, error) {
	guest := sandbox.Guest{
		Name:   "JavaScript engine",
		Module: quickjs.Module,
		Imports: []sandbox.Import{{
			Module: "env", Name: "jsFunctionProxy",
			Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeI32, api.ValueTypeI32},
			Results: []api.ValueType{api.ValueTypeI64},
			Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) {
				in.Driver().(*instance).called(ctx, stack)
			},
		}},
		New:         func(in *sandbox.Instance) (sandbox.Driver, error) { return newInstance(in), nil },
		DecodeState: decodeState,
		Setup:       features.PreludeSHA256(),
		CrashAdvice: "Do it in another way, with plainer means (loops, arrays and objects instead of generators, " +
			"proxies, resizable buffers or finalizers), and in smaller steps, to find what it fails on.",
	}
	_, err := hex.Decode(guest.Digest[:], []byte(quickjs.ModuleSHA256))
	return guest, err
}

// called serves every call of the engine to the host.
func (in *instance) called(ctx context.Context, stack []uint64) {
	this := quickjs.Value(stack[1])
	argc, argv := api.DecodeU32(stack[2]), api.DecodeU32(stack[3])
	answer := quickjs.Undefined
	switch int32(argc) {
	case quickjs.RejectionArgc:
		in.rejected(ctx, this)
	case quickjs.MemoryArgc:
		in.exhausted()
	case quickjs.ResolveArgc:
		answer = in.Modules().Resolve(ctx, uint32(this), uint32(this>>32))
	case quickjs.LoadArgc:
		answer = in.Modules().Load(ctx, uint32(this))
	case quickjs.ResumeArgc:
		answer = in.Answered(ctx, this)
	case quickjs.DateArgc:
		answer = in.Do(ctx, language.ParseDate, this)
	case quickjs.RegexpArgc:
		answer = in.Do(ctx, language.TranslateRegexp, this, quickjs.Int(int32(argv)))
	case quickjs.RadixArgc:
		answer = in.Do(ctx, language.FormatRadix, this, quickjs.Int(int32(argv)))
	default:
		if in.VM == nil {
			break
		}
		if e, ok := in.VM.ErrorStack(this, int32(argc), argv); ok {
			answer = in.errorStack(ctx, e)
		} else {
			answer = in.Serve(ctx, features, argc, argv)
		}
	}
	stack[0] = uint64(answer)
}

// Run runs a script in a fresh sandbox. The script is the body of an async function: return gives
// the result, and await works; or it is an expression: see [RunOptions].Expression. The run lasts until the function
// has returned and no timer and no asynchronous call is pending. If the function throws, the run ends at once.
//
// The error is a [*ScriptError], [*sandbox.LimitError], [*ExitError], [*sandbox.CrashError] or
// [*sandbox.StoppedError], [ErrNeverSettles], [ErrHalted] or [sandbox.ErrClosed]; any other error is the host's.
// The result is never nil: it has the console output before an error, and the usage.
func (i *Interpreter) Run(ctx context.Context, script string, options *RunOptions) (*Result, error) {
	o, err := options.withDefaults()
	if err != nil {
		return &Result{}, err
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
	r.effects = &i.effects
	r.script, r.builtins = script, r.builtinsIn(script)
	if o.Expression {
		r.expression = &expression{lines: 1 + strings.Count(script, "\n")}
	}
	if err := r.Interrupted(); err != nil {
		return &Result{}, err
	}
	in, err := r.sandbox(i.program)
	if err == nil {
		err = in.execute(i.program, script)
	}
	return r.end(err)
}

// end returns the result of a run that has ended with an error.
func (r *run) end(err error) (*Result, error) {
	if exit, ok := err.(*sandbox.ExitError); ok { // of the engine itself
		err = &ExitError{Code: exit.Code}
	}
	exited := err == errExited
	if exited {
		err = nil
	}
	out := r.result(err)
	keep := r.options.Session && err == nil && !exited && r.returned() && r.calls.Len() == 0
	if keep || err == ErrSuspend {
		state, stateErr := r.state()
		if stateErr != nil {
			return out, stateErr
		}
		if out.State = state; keep {
			out.State = state.Renewed()
		}
	}
	return out, err
}

// sandbox returns a fresh instance for the run, with its libraries already loaded if there is an image of them.
func (r *run) sandbox(program *sandbox.Program) (*instance, error) {
	if r.options.Session && r.options.State != nil {
		return r.resumed()
	}
	if err := r.encodeSetup(); err != nil {
		return nil, err
	}
	if err := r.findLibraries(program); err != nil {
		return nil, err
	}
	if r.libraries != nil && r.libraries.image != nil {
		if started, err := r.Start(r.libraries.image); err == nil {
			r.libraries = nil // they are loaded
			in := started.Driver().(*instance)
			in.begin(r)
			return in, nil
		}
	}
	return r.fresh(program)
}

// fresh returns a fresh instance for the run.
func (r *run) fresh(program *sandbox.Program) (*instance, error) {
	in, err := r.withBuiltins(program)
	if err != nil {
		return nil, err
	}
	in.VM.CollectAt(r.collectAt()) // images with libraries keep the engine's own value
	return in, in.install()
}

func (r *run) collectAt() uint32 {
	if r.options.Session {
		return sessionCollectAt
	}
	return uint32(min(maxCollectAt, r.Limits().Memory/8))
}

const (
	// maxCollectAt is how many bytes a script may allocate before the first collection of cycles, if its memory limit
	// is at least eight times as large. A collection visits all objects, and most scripts end without garbage in
	// cycles.
	maxCollectAt = 8 << 20
	// sessionCollectAt is the same for a session, whose garbage is part of each state until it is collected.
	sessionCollectAt = 700 << 10
)

func decodeState(data []byte) (any, error) {
	var s imageState
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if s.Prelude == nil {
		return nil, errors.New("an image without a prelude")
	}
	return &s, nil
}
