package command_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

// A toolCall is what a module says of a call: where the name and the input are, and where it wants the result.
type toolCall struct {
	tool, toolSize, input, inputSize, to, size int32
}

// goodCall calls the tool "echo" with {"a":1}, and prints what it gets.
var goodCall = toolCall{1000, 4, 1100, 7, 4096, 1 << 20}

// calling is a module that makes a call, prints the result and ends with the status of the call. It has two pages.
func calling(c toolCall) []byte {
	m := &asm.Module{}
	call, result := m.Import("toolrun", "call", "iiii:I"), m.Import("toolrun", "result", "ii:i")
	write, exit := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i"), m.Import("wasi_snapshot_preview1",
		"proc_exit", "i:")
	const local, wrap = 0, 0xa7
	m.Export("_start", m.Func(":", "I",
		asm.I32(c.tool), asm.I32(c.toolSize), asm.I32(c.input), asm.I32(c.inputSize), asm.Call(call),
		asm.LocalSet, local,
		asm.I32(0), asm.I32(c.to), asm.Store(), asm.I32(4), asm.I32(c.to), asm.I32(c.size), asm.Call(result),
		asm.Store(),
		asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop,
		asm.LocalGet, local, 0x42, 32, 0x88, wrap, asm.Call(exit)))
	m.Data(1000, "echo")
	m.Data(1100, `{"a":1}`)
	m.Memory(2)
	return m.Bytes()
}

// TestModulesCallTools has the calls of a module, and what one that lies gets: an error or nothing.
func TestModulesCallTools(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, tool string, input []byte) ([]byte, error) {
		return append([]byte(tool+" "), input...), nil
	}
	returning := func(result []byte, err error) command.Caller {
		return func(context.Context, string, []byte) ([]byte, error) { return result, err }
	}
	with := func(change func(c *toolCall)) toolCall {
		c := goodCall
		change(&c)
		return c
	}
	for _, c := range []struct {
		why    string
		call   toolCall
		caller command.Caller
		status int
		want   string
	}{
		{"a call", goodCall, echo, 0, `echo {"a":1}`},
		{"without a caller", goodCall, nil, 1, "this module cannot call tools: it has not been granted any"},
		{"an error", goodCall, returning(nil, errors.New("no such thing")), 1, "no such thing"},
		{"nothing", goodCall, returning(nil, nil), 0, ""},
		{"a panic", goodCall, func(context.Context, string, []byte) ([]byte, error) { panic("on purpose") }, 1,
			"panicked: on purpose"},
		{"a result beyond the limit", goodCall, returning(make([]byte, 64<<20+1), nil), 1,
			"the result has 67108865 bytes, and may have 67108864"},
		{"a name outside of the memory", with(func(c *toolCall) { c.tool = -4 }), echo, 1,
			"the name of the tool is not within the memory"},
		{"a name over its end", with(func(c *toolCall) { c.tool = 2<<16 - 1 }), echo, 1,
			"the name of the tool is not within the memory"},
		{"a long name", with(func(c *toolCall) { c.toolSize = -1 }), echo, 1,
			"the name of the tool has 4294967295 bytes, and may have 256"},
		{"an input outside of the memory", with(func(c *toolCall) { c.input = -7 }), echo, 1,
			"the input is not within the memory"},
		{"an input over its end", with(func(c *toolCall) { c.input, c.inputSize = 2<<16, 1 }), echo, 1,
			"the input is not within the memory"},
		{"a long input", with(func(c *toolCall) { c.inputSize = -1 }), echo, 1,
			"the input has 4294967295 bytes, and may have 16777216"},
		{"no name and no input", with(func(c *toolCall) { c.toolSize, c.inputSize = 0, 0 }), echo, 0, " "},
		{"a part of the result", with(func(c *toolCall) { c.size = 6 }), echo, 0, "echo {"},
		{"none of it", with(func(c *toolCall) { c.size = 0 }), echo, 0, ""},
		{"a result to outside of the memory", with(func(c *toolCall) { c.to = -4 }), echo, 0, ""},
		{"a result over its end", with(func(c *toolCall) { c.to = 2<<16 - 2 }), echo, 0, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			result, err := load(t, calling(c.call), nil).RunWith(t.Context(), sandbox.RunOptions{},
				command.Host{Call: c.caller})
			if c.status == 0 {
				require.NoError(t, err)
			} else {
				exit, ok := errors.AsType[*sandbox.ExitError](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, c.status, exit.Code)
			}
			require.Equal(t, c.want, string(result.Output))
		})
	}
}

// TestMemoryOfEarlierRuns is not there: reading it is outside of the memory again.
func TestMemoryOfEarlierRuns(t *testing.T) {
	t.Parallel()
	const outside = 1<<16 + 100
	loaded := load(t, module(func(m *asm.Module) {
		read := m.Import("wasi_snapshot_preview1", "fd_read", "iiii:i")
		m.Export("toolrun_call", m.Func(":i", "",
			asm.I32(0), asm.I32(100), asm.Store(), asm.I32(4), asm.I32(4), asm.Store(),
			asm.I32(0), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(read), asm.Drop,
			asm.I32(100), asm.Load(), asm.If, asm.Empty, // an input that is not zero grows the memory
			asm.I32(3), asm.MemoryGrow, 0, asm.Drop, asm.I32(outside), asm.Load(),
			asm.If, asm.Empty, asm.Unreachable, asm.End, asm.I32(outside), asm.I32(7), asm.Store(), asm.End,
			asm.I32(outside), asm.Load()))
	}), nil)
	for range 4 {
		_, err := loaded.Run(t.Context(), sandbox.RunOptions{Stdin: []byte("grow")})
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 7, exit.Code)
		_, err = loaded.Run(t.Context(), sandbox.RunOptions{})
		crash, ok := errors.AsType[*sandbox.CrashError](err)
		require.True(t, ok, "%v", err)
		require.Contains(t, crash.Trap, "out of bounds")
	}
}

// TestAResultIsReadOnce, in the run whose call it belongs to.
func TestAResultIsReadOnce(t *testing.T) {
	t.Parallel()
	m := &asm.Module{}
	call, result := m.Import("toolrun", "call", "iiii:I"), m.Import("toolrun", "result", "ii:i")
	read := asm.Code(asm.I32(0), asm.I32(10), asm.Call(result))
	// The result of an earlier call, the first part, the rest, and nothing, as digits of the status.
	m.Export("toolrun_call", m.Func(":i", "",
		read, asm.I32(1000), 0x6c,
		asm.I32(0), asm.I32(0), asm.I32(0), asm.I32(0), asm.Call(call), asm.Drop,
		read, asm.I32(100), 0x6c, asm.Add, read, asm.I32(10), 0x6c, asm.Add, read, asm.Add))
	m.Memory(1)
	loaded := load(t, m.Bytes(), nil)
	for range 3 {
		_, err := loaded.RunWith(t.Context(), sandbox.RunOptions{},
			command.Host{Call: func(context.Context, string, []byte) ([]byte, error) {
				return []byte("twenty-three bytes long"), nil
			}})
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 10*100+10*10+3, exit.Code)
	}
}

// TestCallsEndWithTheRun, also if the tool does not, and count as work.
func TestCallsEndWithTheRun(t *testing.T) {
	t.Parallel()
	loaded := load(t, calling(goodCall), nil)
	_, err := loaded.RunWith(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{Time: 20 * time.Millisecond}},
		command.Host{Call: func(context.Context, string, []byte) ([]byte, error) { select {} }})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitTime, limit.Limit)

	large := bytes.Repeat([]byte("x"), 100<<10)
	c := goodCall
	c.size = 100 << 10
	loaded = load(t, calling(c), nil)
	caller := func(context.Context, string, []byte) ([]byte, error) { return large, nil }
	result, err := loaded.RunWith(t.Context(), sandbox.RunOptions{}, command.Host{Call: caller})
	require.NoError(t, err)
	require.Equal(t, string(large), string(result.Output))
	_, err = loaded.RunWith(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{Work: 1000}},
		command.Host{Call: caller})
	limit, ok = errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitWork, limit.Limit)
}

// TestCallsBeforeTheFirstRun fail, and are no reason to refuse the module.
func TestCallsBeforeTheFirstRun(t *testing.T) {
	t.Parallel()
	m := &asm.Module{}
	call := m.Import("toolrun", "call", "iiii:I")
	m.Export("_initialize", m.Func(":", "", asm.I32(0), asm.I32(0), asm.I32(0), asm.I32(0), asm.Call(call),
		0x42, 32, 0x88, 0x50, asm.If, asm.Empty, asm.Unreachable, asm.End)) // traps if it has succeeded
	m.Export("toolrun_call", m.Func(":", ""))
	m.Memory(1)
	load(t, m.Bytes(), nil)

	_, err := command.Check(module(func(m *asm.Module) {
		m.Import("toolrun", "call", "ii:i")
		m.Export("_start", m.Func(":", ""))
	}))
	require.ErrorContains(t, err, "the type is (i32, i32, i32, i32) -> (i64)")
	require.True(t, strings.HasPrefix(err.Error(), "this module cannot be run: "))
}
