package javascript

import (
	"context"
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/console"
	"github.com/toolrun/toolrun/runtime/javascript/crypto"
	jsfs "github.com/toolrun/toolrun/runtime/javascript/fs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
	"github.com/toolrun/toolrun/runtime/javascript/language"
)

// Operations of the one function that a guest can call. The numbers are those of language/prelude/kernel.js.
const (
	opLog = 1 // level, text; and 1 if it is a piece of a line
	// 0, text, JSON of the value or true if the text is that, its bytes: false if JSON is needed; or 1, text, JSON of a
	// thrownValue; or the same with 2, which does not return
	opFinish     = 2
	opBuiltin    = 3  // name of a module of Node: a function, or undefined if there is none
	opClass      = 4  // value: the number of its class, 0 if it is no object
	opCall       = 5  // number of the function, JSON of the arguments, their bytes: an answer
	opCallAsync  = 6  // the same, id of the call: nothing yet
	opAttachment = 7  // the bytes that belong to the value that was handed over last
	opRandom     = 8  // how many bytes: that many random bytes
	opFile       = 9  // name of a function of fs, flags or a number, its paths, what else it takes: what it gives
	opHalt       = 10 // message, an error: does not return, except in a library, which is to throw the error
	opWeb        = 11 // name of a function of a feature, its arguments
	// specifier, path of the file that has it, 1 for an import: a path, or the name of a built-in module
	opResolve  = 12
	opLoadFile = 13 // path: a function, the text of a JSON file, or the promise of an ES module
	// stack of an error: its frames of scripts, with the lines and columns that were written; or a frame of the engine
	// and 1
	opStack     = 14
	opExit      = 16 // status, an error: the same
	opPlain     = 17 // value: whether it is an array or an object that holds nothing beside its properties
	opUncalled  = 18 // a method of Stats has been read and not called
	opState     = 19 // value: 0 for a promise that is pending, 1 fulfilled, 2 rejected; -1 for anything else
	opInside    = 20 // see language.Inside
	opNamespace = 21 // path of an ES module that require has loaded, true for __esModule too: its namespace object
	opHook      = 22 // a function: from now on, it is the hook of quickjs.VM.SetReactionHook
	opMatch     = 24 // see language.LastMatch
	opInput     = 23 // how many bytes at most: some of standard input; none at its end, undefined if there is none
)

// served are the operations that capabilities serve.
var served = [...]host.Function{
	opLog: console.Log, opRandom: crypto.Random, opFile: jsfs.Serve, opWeb: features.Serve, opInside: language.Inside,
	opMatch: language.LastMatch,
}

// Bounds on a JSON text from a guest, since the host decodes it into its own memory. Bytes do not count: they cross
// beside the JSON.
const (
	maxJSON   = 4 << 20  // bytes of text
	maxWeight = 64 << 20 // bytes of memory that the value takes, about
)

// hostCall serves a call of the host primitive.
func (in *instance) hostCall(ctx context.Context, argc, argv uint32) quickjs.Value {
	if in.vm == nil || in.vm.Leaf() {
		return quickjs.Undefined
	}
	// The guest's fuel does not include the host's work, so many short calls must not delay the end of the run.
	if err := in.run.Interrupted(); err != nil {
		panic(&sandbox.Stop{Err: err})
	}
	c := &in.call
	v, err := in.serve(c, c.Begin(ctx, in.Instance, in.vm, in, argc, argv))
	return in.answer(ctx, v, err)
}

// engineCall serves a call of the engine itself, with values as arguments.
func (in *instance) engineCall(ctx context.Context, f host.Function, values ...quickjs.Value) quickjs.Value {
	if in.vm == nil || in.vm.Leaf() {
		return quickjs.Undefined
	}
	c := &in.call
	c.BeginWith(ctx, in.Instance, in.vm, in, values...)
	f(c)
	v, err := c.Result()
	return in.answer(ctx, v, err)
}

// answer returns the result of the host primitive. An error ends the run unless it is a failure.
func (in *instance) answer(ctx context.Context, v quickjs.Value, err error) quickjs.Value {
	if in.Ended() != nil { // whatever else has happened
		panic(&sandbox.Stop{Err: in.Ended()})
	}
	if f, ok := err.(*host.Failure); ok {
		v, err = in.vm.ParseJSON(ctx, f.JSON())
	}
	if err != nil {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	return v
}

func (in *instance) serve(c *host.Call, op int) (quickjs.Value, error) {
	switch op {
	case opResolve, opLoadFile, opBuiltin, opWeb, opAttachment, opPlain, opClass,
		opState, opInside, opNamespace, opHook, opMatch:
	case opFile: // see Files
	default:
		if in.run.loadingFirst {
			return 0, &sandbox.Stop{Err: errEffect}
		}
		in.SetImpure()
	}
	if op >= 0 && op < len(served) && served[op] != nil {
		in.run.printed = in.run.printed || op == opLog
		served[op](c)
		return c.Result()
	}
	switch op {
	case opFinish:
		return in.finish(c)
	case opCall:
		return functionCaller{in}.callFunction(c)
	case opCallAsync:
		return quickjs.Undefined, functionCaller{in}.startFunction(c)
	case opAttachment:
		data := c.Attachment
		c.Attachment = nil
		return in.vm.NewArrayBuffer(c.Context(), data)
	case opHalt:
		message, cut, _ := c.Prefix(0, in.run.Output().Room())
		if in.leaveLibrary(c, message, "halt") {
			return quickjs.Undefined, nil
		}
		in.run.Output().Log(sandbox.LevelError, message, cut)
		return 0, &sandbox.Stop{Err: ErrHalted}
	case opResolve:
		return moduleLoader{in}.resolveFile(c)
	case opLoadFile:
		return moduleLoader{in}.loadFile(c)
	case opBuiltin:
		return moduleLoader{in}.loadBuiltin(c)
	case opStack:
		return in.mapStack(c)
	case opExit:
		status, _ := c.Int(0)
		if in.leaveLibrary(c, fmt.Sprintf("exit %d", status), "process.exit") {
			return quickjs.Undefined, nil
		}
		return 0, &sandbox.Stop{Err: in.run.exit(status)}
	case opPlain:
		return quickjs.Bool(in.vm.IsPlain(c.Value(0))), nil
	case opClass:
		return quickjs.Int(int32(in.vm.Class(c.Value(0)))), nil
	case opState:
		state, _ := in.vm.PromiseState(c.Value(0))
		return quickjs.Int(int32(state)), nil
	case opInput:
		return in.input(c)
	case opHook:
		if !in.vm.SetReactionHook(c.Value(0)) {
			return 0, host.Errorf("the hook must be a function")
		}
		return quickjs.Undefined, nil
	case opNamespace:
		return moduleLoader{in}.namespace(c)
	case opUncalled:
		return quickjs.Undefined, in.explainUncalled()
	}
	return 0, host.Errorf("unknown operation of the host")
}

// finish records the script's end. Only the first call counts.
func (in *instance) finish(c *host.Call) (quickjs.Value, error) {
	status, _ := c.Int(0)
	if status == 2 {
		return quickjs.Undefined, in.uncaught(c)
	}
	if in.run.outcome != nil {
		return quickjs.Undefined, nil
	}
	if status != 0 {
		in.run.outcome = &outcome{err: in.thrown(c)}
		return quickjs.Undefined, nil
	}
	limit := in.run.Output().Left()
	text, cut, ok := c.Prefix(1, limit)
	if !ok {
		return 0, host.Errorf("the result must be a string")
	}
	var value any
	if c.Value(2) == quickjs.True {
		if cut > 0 {
			return quickjs.Bool(false), nil
		}
		value = in.value(in.compactJSON(text), nil, limit)
	} else if json, cut, ok := c.Prefix(2, min(limit, maxJSON)); ok && cut == 0 {
		data, _ := in.vm.ArrayBuffer(c.Value(3))
		value = in.value(json, data, limit)
	}
	if in.Ended() != nil {
		return 0, &sandbox.Stop{Err: in.Ended()}
	}
	in.run.outcome = &outcome{text: text, value: value}
	in.run.Output().Result(text, cut)
	return quickjs.Undefined, nil
}

// value decodes the result's JSON and bytes, if they are within the limits.
func (in *instance) value(text string, data []byte, limit int) any {
	if text == "" || len(text) > maxJSON || len(text)+len(data) > limit {
		return nil
	}
	value, _, err := in.decode(text, data, maxWeight+len(data))
	if err != nil {
		return nil
	}
	return value
}
