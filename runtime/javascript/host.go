package javascript

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// Operations of the one function that a guest can call. The numbers are those of guest/quickjs/prelude/kernel.js.
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
	opWeb        = 11 // name of a function of the web platform, its arguments (see web.go)
	// specifier, path of the file that has it, 1 for an import: a path, or the name of a built-in module
	opResolve  = 12
	opLoadFile = 13 // path: a function, the text of a JSON file, or the promise of an ES module
	// stack of an error: its frames of scripts, with the lines and columns that were written; or a frame of the engine
	// and 1
	opStack    = 14
	opExit     = 16 // status, an error: the same
	opPlain    = 17 // value: whether it is an array or an object that holds nothing beside its properties
	opUncalled = 18 // a method of Stats has been read and not called
	opState    = 19 // value: 0 for a promise that is pending, 1 fulfilled, 2 rejected; -1 for anything else
	// a promise: its value or reason; a proxy and a number: its target (0) or handler (1); else undefined
	opInside    = 20
	opNamespace = 21 // path of an ES module that require has loaded, true for __esModule too: its namespace object
	opHook      = 22 // a function: from now on, it is the hook of quickjs.VM.SetReactionHook
	// 0: the number of the last match of a regular expression, 0 if there is none; 1: its string; n > 1: where that
	// begins (even n) and ends (odd n) as a group, from 2 on, or -1; -1: how many groups it has
	opMatch = 24
	opInput = 23 // how many bytes at most: some of standard input; none at its end, undefined if there is none
)

// maxArguments is how many arguments of a call the host looks at.
const maxArguments = 8

// Bounds on a JSON text from a guest, since the host decodes it into its own memory. Bytes do not count: they cross
// beside the JSON.
const (
	maxJSON   = 4 << 20  // bytes of text
	maxWeight = 64 << 20 // bytes of memory that the value takes, about
)

// failure is an error for the script: it becomes an exception there.
type failure struct {
	name, message, code, path string

	// What has failed in the system, and the number of the error there.
	syscall string
	errno   int
}

func (f *failure) Error() string { return f.message }

// json returns the failure as kernel.makeError expects it: [name, message, code, path, syscall, errno], with null for a
// missing part. The last two can be missing altogether.
func (f *failure) json() string {
	fields := []any{f.name, f.message, nil, nil}
	if f.code != "" {
		fields[2] = f.code
	}
	if f.path != "" {
		fields[3] = f.path
	}
	if f.errno != 0 {
		fields = append(fields, f.syscall, f.errno)
	}
	text, err := json.Marshal(fields)
	if err != nil { // strings can always be marshalled
		panic(err)
	}
	return string(text)
}

func failf(format string, args ...any) *failure {
	return &failure{name: "TypeError", message: fmt.Sprintf(format, args...)}
}

// arguments are the arguments of a call by the guest. A hostile script may have chosen them; an argument of the wrong
// type counts as missing.
type arguments struct {
	in     *instance
	values []quickjs.Value
}

func (a arguments) value(i int) quickjs.Value {
	if i < len(a.values) {
		return a.values[i]
	}
	return quickjs.Undefined
}

func (a arguments) int(i int) (int, bool) {
	n, ok := a.value(i).Int()
	return int(n), ok
}

// text returns at most limit bytes of a string argument, and how many bytes were left out.
func (a arguments) text(i, limit int) (text string, cut int, ok bool) {
	return a.in.vm.String(a.value(i), limit)
}

// bytes returns the content of a buffer, as the guest's own memory.
func (a arguments) bytes(i int) ([]byte, bool) { return a.in.vm.ArrayBuffer(a.value(i)) }

// view returns a part of a buffer, given by three arguments: the buffer, an offset and a length. It is the guest's own
// memory.
func (a arguments) view(i int) ([]byte, bool) {
	memory, ok := a.bytes(i)
	offset, ok1 := a.int(i + 1)
	length, ok2 := a.int(i + 2)
	if !ok || !ok1 || !ok2 || offset < 0 || length < 0 || offset > len(memory) || length > len(memory)-offset {
		return nil, false
	}
	return memory[offset : offset+length], true
}

// hostCall serves a call of the host primitive.
func (in *instance) hostCall(ctx context.Context, argc, argv uint32) quickjs.Value {
	if in.vm == nil || in.vm.Leaf() {
		return quickjs.Undefined
	}
	// The guest's fuel does not include the host's work, so many short calls must not delay the end of the run.
	if err := in.run.Interrupted(); err != nil {
		panic(&sandbox.Stop{Err: err})
	}
	args := arguments{in, in.vm.Arguments(argc, argv, maxArguments)}
	v, err := in.serve(ctx, args)
	return in.answer(ctx, v, err)
}

// answer returns the result of the host primitive. An error ends the run unless it is a failure.
func (in *instance) answer(ctx context.Context, v quickjs.Value, err error) quickjs.Value {
	if in.Ended() != nil { // whatever else has happened
		panic(&sandbox.Stop{Err: in.Ended()})
	}
	if f, ok := err.(*failure); ok {
		v, err = in.vm.ParseJSON(ctx, f.json())
	}
	if err != nil {
		panic(&sandbox.Stop{Err: in.reason(err)})
	}
	return v
}

func (in *instance) serve(ctx context.Context, args arguments) (quickjs.Value, error) {
	op, _ := args.int(0)
	switch op {
	case opResolve, opLoadFile, opBuiltin, opWeb, opAttachment, opPlain, opClass,
		opState, opInside, opNamespace, opHook, opMatch:
	case opFile: // see witnessed
	default:
		if in.run.loadingFirst {
			return 0, &sandbox.Stop{Err: errEffect}
		}
		in.SetImpure()
	}
	switch op {
	case opLog:
		return quickjs.Undefined, in.log(args)
	case opFinish:
		return in.finish(args)
	case opCall:
		return in.callFunction(ctx, args)
	case opCallAsync:
		return quickjs.Undefined, in.startFunction(args)
	case opAttachment:
		data := in.run.attachment
		in.run.attachment = nil
		return in.vm.NewArrayBuffer(ctx, data)
	case opFile:
		return in.file(ctx, args)
	case opRandom:
		n, ok := args.int(1)
		if !ok || n < 0 || n > 1<<16 {
			return 0, failf("invalid number of random bytes")
		}
		if err := in.Spend(n); err != nil {
			return 0, err
		}
		data := make([]byte, n)
		if err := in.Random(data); err != nil {
			return 0, &sandbox.Stop{Err: err}
		}
		return in.vm.NewArrayBuffer(ctx, data)
	case opHalt:
		message, cut, _ := args.text(1, in.run.Output().Room())
		if in.leaveLibrary(args, message, "halt") {
			return quickjs.Undefined, nil
		}
		in.run.Output().Log(sandbox.LevelError, message, cut)
		return 0, &sandbox.Stop{Err: ErrHalted}
	case opResolve:
		return in.resolveFile(ctx, args)
	case opLoadFile:
		return in.loadFile(ctx, args)
	case opBuiltin:
		return in.loadBuiltin(ctx, args)
	case opStack:
		return in.mapStack(ctx, args)
	case opExit:
		status, _ := args.int(1)
		if in.leaveLibrary(args, fmt.Sprintf("exit %d", status), "process.exit") {
			return quickjs.Undefined, nil
		}
		return 0, &sandbox.Stop{Err: in.run.exit(status)}
	case opPlain:
		return quickjs.Bool(in.vm.IsPlain(args.value(1))), nil
	case opClass:
		return quickjs.Int(int32(in.vm.Class(args.value(1)))), nil
	case opState:
		state, _ := in.vm.PromiseState(args.value(1))
		return quickjs.Int(int32(state)), nil
	case opInside:
		return in.inside(ctx, args)
	case opMatch:
		return in.lastMatch(ctx, args)
	case opInput:
		return in.input(ctx, args)
	case opHook:
		if !in.vm.SetReactionHook(args.value(1)) {
			return 0, failf("the hook must be a function")
		}
		return quickjs.Undefined, nil
	case opNamespace:
		return in.namespace(ctx, args)
	case opWeb:
		return in.web(ctx, args)
	case opUncalled:
		return quickjs.Undefined, in.explainUncalled()
	}
	return 0, failf("unknown operation of the host")
}

// inside serves opInside.
func (in *instance) inside(ctx context.Context, args arguments) (quickjs.Value, error) {
	_, v := in.vm.PromiseState(args.value(1))
	if target, handler, ok := in.vm.ProxyParts(args.value(1)); ok {
		v = target
		if part, _ := args.int(2); part == 1 {
			v = handler
		}
	}
	return v, in.vm.Retain(ctx, v)
}

// lastMatch serves opMatch.
func (in *instance) lastMatch(ctx context.Context, args arguments) (quickjs.Value, error) {
	match, ok := in.vm.LastMatch()
	part, _ := args.int(1)
	switch {
	case part == 0 && ok:
		return quickjs.Int(int32(match.Number)), nil
	case part == 0:
		return quickjs.Int(0), nil
	case part < 0:
		return quickjs.Int(int32(match.Groups)), nil
	case part == 1 && ok:
		return match.Input, in.vm.Retain(ctx, match.Input)
	}
	start, end, ok := match.Group(part/2 - 1)
	switch {
	case !ok:
		return quickjs.Int(-1), nil
	case part%2 == 0:
		return quickjs.Int(int32(start)), nil
	}
	return quickjs.Int(int32(end)), nil
}

func (in *instance) log(args arguments) error {
	in.run.printed = true
	level, _ := args.int(1)
	if level < int(sandbox.LevelLog) || level > int(sandbox.LevelDebug) {
		return failf("invalid console level")
	}
	text, cut, ok := args.text(2, in.run.Output().Room())
	if !ok {
		return failf("the text of a console entry must be a string")
	}
	if piece, _ := args.int(3); piece == 0 {
		in.run.Output().Log(sandbox.Level(level), text, cut)
		return nil
	}
	err := in.Print(sandbox.Level(level), []byte(text))
	in.run.Output().Cut(cut)
	return err
}

// finish records the script's end. Only the first call counts.
func (in *instance) finish(args arguments) (quickjs.Value, error) {
	status, _ := args.int(1)
	if status == 2 {
		return quickjs.Undefined, in.uncaught(args)
	}
	if in.run.outcome != nil {
		return quickjs.Undefined, nil
	}
	if status != 0 {
		in.run.outcome = &outcome{err: in.thrown(args)}
		return quickjs.Undefined, nil
	}
	limit := in.run.Output().Left()
	text, cut, ok := args.text(2, limit)
	if !ok {
		return 0, failf("the result must be a string")
	}
	var value any
	if args.value(3) == quickjs.True {
		if cut > 0 {
			return quickjs.Bool(false), nil
		}
		value = in.value(in.compactJSON(text), nil, limit)
	} else if json, cut, ok := args.text(3, min(limit, maxJSON)); ok && cut == 0 {
		data, _ := args.bytes(4)
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
