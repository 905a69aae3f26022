package runtime

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
)

// trapping has a function for each way to trap.
var trapping = []struct {
	trap string
	body []byte
}{
	{"unreachable", []byte{0x00}},
	{"out of bounds memory access", []byte{0x41, 0x7f, 0x28, 2, 0, 0x1a}},         // i32.load at -1
	{"integer divide by zero", []byte{0x41, 1, 0x41, 0, 0x6d, 0x1a}},              // 1/0
	{"integer overflow", []byte{0x43, 0, 0, 0, 0x7f, 0xa8, 0x1a}},                 // i32.trunc_f32_s of 2**127
	{"invalid conversion to integer", []byte{0x43, 0, 0, 0xc0, 0x7f, 0xa8, 0x1a}}, // i32.trunc_f32_s of NaN
	{"invalid table access", []byte{0x41, 5, 0x11, 0, 0}},                         // call_indirect of 5
	{"indirect call type mismatch", []byte{0x41, 0, 0x41, 0, 0x11, 1, 0}},         // call_indirect of 0 as another type
	{"stack overflow", []byte{0x10, 8}},                                           // calls itself
	{"", []byte{0x10, 0}},                                                         // calls the host, which panics
}

// trappingModule imports a function and exports "0", "1" and so on.
func trappingModule() []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	count := byte(len(trapping))
	functions, exports, code := []byte{count}, []byte{count}, []byte{count}
	for i, f := range trapping {
		functions = append(functions, 0)
		exports = append(exports, 1, '0'+byte(i), 0, byte(i)+1)
		code = append(code, byte(len(f.body)+2), 0)
		code = append(append(code, f.body...), 0x0b)
	}
	module := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	for _, s := range [][]byte{
		section(1, 2, 0x60, 0, 0, 0x60, 1, 0x7f, 0), // () -> (), (i32) -> ()
		section(2, 1, 1, 'h', 1, 'f', 0, 0),
		section(3, functions...),
		section(4, 1, 0x70, 0, 1),
		section(5, 1, 0, 1),
		section(7, exports...),
		section(9, 1, 0, 0x41, 0, 0x0b, 1, 1),
		section(10, code...),
	} {
		module = append(module, s...)
	}
	return module
}

func TestTrapsAreTold(t *testing.T) {
	for name, config := range map[string]wazero.RuntimeConfig{"compiled": wazero.NewRuntimeConfig(),
		"interpreted": wazero.NewRuntimeConfigInterpreter()} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			rt := wazero.NewRuntimeWithConfig(ctx, config)
			defer rt.Close(ctx)
			var panics any
			_, err := rt.NewHostModuleBuilder("h").NewFunctionBuilder().WithGoFunction(
				api.GoFunc(func(context.Context, []uint64) { panic(panics) }), nil, nil).Export("f").Instantiate(ctx)
			require.NoError(t, err)
			instance, err := rt.Instantiate(ctx, trappingModule())
			require.NoError(t, err)
			for i, f := range trapping {
				if f.trap == "" {
					continue
				}
				_, err := instance.ExportedFunction(fmt.Sprint(i)).Call(ctx)
				trap, stack, ok := asTrap(err)
				require.True(t, ok, "%v", err)
				require.Equal(t, f.trap, trap)
				require.Equal(t, trap != stackOverflow || name == "interpreted", stack != "")
			}
			for _, panics = range []any{
				"unreachable", errors.New("unreachable"), errors.New("wasm error: unreachable"),
				fmt.Errorf("wasm error: %w\nwasm stack trace:", errors.New("unreachable")),
				&CrashError{Trap: "unreachable"}, struct{}{},
			} {
				_, err := instance.ExportedFunction(fmt.Sprint(len(trapping) - 1)).Call(ctx)
				_, _, ok := asTrap(err)
				require.False(t, ok, "%v", err)
			}
			_, _, ok := asTrap(nil)
			require.False(t, ok)
		})
	}
}

func TestCrashesAreThoseOfUntrustedCode(t *testing.T) {
	memory, err := linearmem.Reserve(MinMemory)
	require.NoError(t, err)
	defer memory.Free()
	in := &Instance{program: &Program{guest: Guest{Name: "test guest", CrashAdvice: "Do it otherwise."}},
		memory: memory}
	trap := fmt.Errorf("wasm error: %w\nwasm stack trace:\n\t.f()", errors.New("unreachable"))
	require.False(t, IsGuestFailure(in.Reason(trap)))
	require.ErrorContains(t, in.Reason(trap), "runtime: the test guest has crashed")
	in.Untrusted()
	require.True(t, IsGuestFailure(in.Reason(trap)))
	crash, ok := errors.AsType[*CrashError](in.Reason(trap))
	require.True(t, ok)
	require.Equal(t, "unreachable", crash.Trap)
	require.Equal(t, ".f()", crash.Stack)
	require.EqualError(t, crash, "the test guest failed on this code, through a bug of its own (unreachable), and "+
		"the run has ended. Do it otherwise.")
}
