package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Caller makes a module's call of a tool, with the input as the module has written it, and returns the result for the
// module. The text of an error is for the module, too. The context ends with the run; a Caller that does not return
// before is abandoned, and its result dropped. While it waits for a person ([sandbox.Hold]), the run's time stands
// still. The input is the Caller's to keep.
type Caller func(ctx context.Context, tool string, input []byte) ([]byte, error)

// The functions that a module can import to call tools.
const (
	callsModule  = "toolrun"
	callFunction = "call"   // (tool, its size, input, its size) -> status << 32 | size of the result
	readFunction = "result" // (to, size) -> how much of the rest of the result was copied
)

// callTypes are the types of these functions, and of those for requests.
var callTypes = map[string]string{
	callFunction:     "(i32, i32, i32, i32) -> (i64)",
	readFunction:     "(i32, i32) -> (i32)",
	requestFunction:  "(i32, i32, i32, i32) -> (i64)",
	responseFunction: "(i32, i32) -> (i64)",
	bodyFunction:     "(i32, i32, i32, i32) -> (i64)",
	closeFunction:    "(i32) -> ()",
}

// Limits on calls.
const (
	maxToolName   = 256
	maxCallInput  = 16 << 20
	maxCallResult = 64 << 20
)

// statusFailed is the status of a call whose result is an error.
const statusFailed = 1

var callImports = []sandbox.Import{
	{Module: callsModule, Name: callFunction, Call: callTool,
		Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
		Results: []api.ValueType{api.ValueTypeI64}},
	{Module: callsModule, Name: readFunction, Call: readResult,
		Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI32},
		Results: []api.ValueType{api.ValueTypeI32}},
}

// callTool makes a call, and keeps its result until the next one, for readResult.
func callTool(_ context.Context, in *sandbox.Instance, stack []uint64) {
	d := in.Driver().(*driver)
	d.result = nil
	result, err := d.callTool(stack)
	if _, stopped := errors.AsType[*sandbox.Stop](err); stopped {
		panic(err)
	}
	if err == nil && len(result) > maxCallResult {
		err = fmt.Errorf("the result has %d bytes, and may have %d", len(result), maxCallResult)
	}
	status := uint64(0)
	if err != nil {
		status, result = statusFailed, []byte(err.Error())
		result = result[:min(len(result), maxCallResult)]
	}
	d.result = result
	stack[0] = status<<32 | uint64(len(result))
}

func (d *driver) callTool(stack []uint64) ([]byte, error) {
	if d.host.Call == nil {
		return nil, errors.New("this module cannot call tools: it has not been granted any")
	}
	tool, err := d.read(stack[0], stack[1], maxToolName, "the name of the tool")
	if err != nil {
		return nil, err
	}
	input, err := d.read(stack[2], stack[3], maxCallInput, "the input")
	if err != nil {
		return nil, err
	}
	d.in.SetImpure()
	call, caller := d.in.Run().NewCall(), d.host.Call
	return sandbox.AwaitCall(call, func() ([]byte, error) { return caller(call.Context(), string(tool), input) })
}

// read copies what the module says is at an address.
func (d *driver) read(at, size uint64, most uint32, what string) ([]byte, error) {
	length := api.DecodeU32(size)
	if length > most {
		return nil, fmt.Errorf("%s has %d bytes, and may have %d", what, length, most)
	}
	data, ok := d.in.Module().Memory().Read(api.DecodeU32(at), length)
	if !ok {
		return nil, fmt.Errorf("%s is not within the memory", what)
	}
	if err := d.in.Spend(len(data)); err != nil {
		return nil, err
	}
	return append([]byte(nil), data...), nil
}

// readResult copies the next part of the result of the last call.
func readResult(_ context.Context, in *sandbox.Instance, stack []uint64) {
	d := in.Driver().(*driver)
	size := min(api.DecodeU32(stack[1]), uint32(len(d.result)))
	to, ok := in.Module().Memory().Read(api.DecodeU32(stack[0]), size)
	if !ok {
		to = nil
	}
	stack[0] = uint64(len(to))
	for len(to) > 0 {
		n := min(len(to), sandbox.PieceSize)
		if err := in.Spend(n); err != nil {
			panic(err)
		}
		copy(to[:n], d.result)
		to, d.result = to[n:], d.result[n:]
	}
}
