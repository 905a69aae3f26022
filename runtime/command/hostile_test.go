package command_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

// module returns a module with a memory of one page, and what build adds.
func module(build func(m *asm.Module)) []byte {
	m := &asm.Module{}
	build(m)
	m.Memory(1)
	return m.Bytes()
}

// running is a module whose _start has this body.
func running(locals string, body ...any) []byte {
	return module(func(m *asm.Module) { m.Export("_start", m.Func(":", locals, body...)) })
}

func repeat(n int, code ...any) []byte { return bytes.Repeat(asm.Code(code...), n) }

// TestModulesThatCannotRunAreRefused has the reason and what to do.
func TestModulesThatCannotRunAreRefused(t *testing.T) {
	importing := func(from, name, signature string) []byte {
		return module(func(m *asm.Module) {
			m.Import(from, name, signature)
			m.Export("_start", m.Func(":", ""))
		})
	}
	data := func(sections ...any) []byte { return asm.Code([]byte(asm.Header), asm.Code(sections...)) }
	for _, c := range []struct {
		why    string
		module []byte
		want   []string
	}{
		{"nothing", nil, []string{"not a WebAssembly module"}},
		{"another file", []byte("#!/bin/sh\necho"), []string{"not a WebAssembly module"}},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00rest"), []string{"component", "wasm32-wasip1"}},
		{"half a module", running("")[:30], []string{"unexpected end"}},
		{"a preview 2 import", importing("wasi:cli/run", "run", ":"), []string{`"run" from "wasi:cli/run"`,
			"preview 2"}},
		{"a preview 0 import", importing("wasi_unstable", "fd_write", "iiii:i"), []string{"wasi_unstable",
			"preview 0"}},
		{"an unknown WASI function", importing("wasi_snapshot_preview1", "sock_open", "ii:i"), []string{`"sock_open"`,
			"Rebuild"}},
		{"a WASI function of another type", importing("wasi_snapshot_preview1", "fd_write", "i:i"),
			[]string{"(i32) -> (i32), and the type is (i32, i32, i32, i32) -> (i32)"}},
		{"Emscripten", importing("env", "emscripten_notify", "i:"), []string{`"emscripten_notify" from "env"`,
			"-sSTANDALONE_WASM"}},
		{"Go for the browser", importing("gojs", "runtime.wasmExit", "i:"), []string{"GOOS=wasip1"}},
		{"wasm-bindgen", importing("__wbindgen_placeholder__", "x", ":"), []string{"wasm-bindgen"}},
		{"somebody's host", importing("acme", "do", ":"), []string{`"do" from "acme"`, "WASI preview 1"}},
		{"metering's own import", importing("toolrun", "yield", "i:i"), []string{`"yield" from "toolrun"`}},
		{"an imported global", module(func(m *asm.Module) {
			m.ImportRaw("env", "g", 3, []byte{0x7f, 0})
			m.Export("_start", m.Func(":", ""))
		}), []string{`the global "g" from "env"`}},
		{"an imported memory", func() []byte {
			m := &asm.Module{}
			m.ImportRaw("env", "memory", 2, []byte{0, 1})
			return m.Bytes()
		}(), []string{"imports its memory", "threads"}},
		{"a shared memory", func() []byte {
			m := &asm.Module{}
			m.MemoryRaw([]byte{3, 1, 2})
			m.Export("_start", m.Func(":", ""))
			return m.Bytes()
		}(), []string{"shared", "threads"}},
		{"a 64-bit memory", func() []byte {
			m := &asm.Module{}
			m.MemoryRaw([]byte{4, 1})
			return m.Bytes()
		}(), []string{"memory64", "wasm32"}},
		{"no memory", func() []byte {
			m := &asm.Module{}
			m.Export("_start", m.Func(":", ""))
			return m.Bytes()
		}(), []string{"no memory"}},
		{"much memory from the start", func() []byte {
			m := &asm.Module{}
			m.MemoryRaw(asm.Code(0, asm.U32(65536)))
			m.Export("_start", m.Func(":", ""))
			return m.Bytes()
		}(), []string{"4096 MiB of memory from the start"}},
		{"no entry point", module(func(m *asm.Module) { m.Export("main", m.Func(":", "")) }),
			[]string{"neither _start nor toolrun_call"}},
		{"an entry point with parameters", module(func(m *asm.Module) { m.Export("_start", m.Func("i:", "")) }),
			[]string{`"_start"`, "(i32) -> ()"}},
		{"an entry point that is none", module(func(m *asm.Module) {
			m.Export("toolrun_call", m.Func(":I", "", 0x42, 0))
		}),
			[]string{`"toolrun_call"`, "() -> (i64)"}},
		{"changes of tables", module(func(m *asm.Module) {
			m.Table([]byte{0, 1})
			m.Export("_start", m.Func(":", "", asm.I32(0), 0xd0, 0x70, 0x26, 0))
		}), []string{"cannot be limited"}},
		{"an unknown opcode", running("", 0xff), []string{"cannot be limited", "0xff"}},
		{"exceptions in the legacy form", running("", 0x06, 0x40, 0x19, asm.End), // try and catch_all
			[]string{"legacy form. Compile and link", "-wasm-use-legacy-eh=false"}},
		{"an imported tag", module(func(m *asm.Module) {
			m.ImportRaw("env", "__cpp_exception", 4, asm.Code(0, asm.U32(m.Type("i:"))))
			m.Export("_start", m.Func(":", ""))
		}), []string{`the tag "__cpp_exception" from "env"`}},
		{"too many types", data(asm.Section(1, asm.Code(asm.U32(100_001), bytes.Repeat([]byte{0x60, 0, 0}, 100_001)))),
			[]string{"more than 100000 types"}},
		{"too many tags", data(asm.Section(1, []byte{1, 0x60, 0, 0}),
			asm.Section(13, asm.Code(asm.U32(10_001), make([]byte, 2*10_001)))), []string{"10001 tags of exceptions"}},
		{"several memories", data(asm.Section(5, []byte{2, 0, 1, 0, 1})), []string{"several memories"}},
		{"code that is not valid", running("", asm.Add), []string{"cannot be run"}},
		{"a tail call", module(func(m *asm.Module) { m.Export("_start", m.FuncRaw(":", []byte{0, 0x12, 0, asm.End})) }),
			[]string{"tail-call"}},
		{"code behind the end", module(func(m *asm.Module) {
			m.Export("_start", m.FuncRaw(":", []byte{0, asm.End, asm.End}))
		}),
			[]string{"behind the end"}},
		{"two exports of a name", module(func(m *asm.Module) {
			f := m.Func(":", "")
			m.Export("_start", f)
			m.Export("_start", f)
		}), []string{"same name"}},
		{"an export of nothing", module(func(m *asm.Module) { m.Export("_start", 7) }), []string{"no function 7"}},
		{"a broken custom section", data(asm.Section(0, []byte{200, 1, 'x'})), []string{"custom section"}},
		{"a number of types that is a lie", data(asm.Section(1, asm.U32(1<<31))), []string{"unexpected end"}},
		{"a number of segments that is a lie", data(asm.Section(11, asm.U32(1<<31))), []string{"unexpected end"}},
		{"a number of exports that is a lie", data(asm.Section(7, asm.U32(1<<31))), []string{"unexpected end"}},
		{"a segment that is a lie", data(asm.Section(5, []byte{1, 0, 1}),
			asm.Section(11, asm.Code(1, 1, asm.U32(1<<31)))),
			[]string{"unexpected end"}},
		{"four thousand million local variables", module(func(m *asm.Module) {
			m.Export("_start", m.FuncRaw(":", asm.Code(1, asm.U32(1<<32-1), 0x7f, asm.End)))
		}), []string{"4294967295 local variables"}},
		{"a table of a hundred million", module(func(m *asm.Module) {
			m.Table(asm.Code(0, asm.U32(100_000_000)))
			m.Export("_start", m.Func(":", ""))
		}), []string{"100000000 elements of tables"}},
		{"nested blocks", running("", repeat(5000, asm.Block, asm.Empty), repeat(5000, asm.End)),
			[]string{"blocks in one function"}},
		{"nested loops", running("", repeat(200, asm.Loop, asm.Empty), repeat(200, asm.End)), []string{"nested loops"}},
		{"many joins", module(func(m *asm.Module) {
			m.Export("_start", m.FuncRaw(":", asm.Code(1, asm.U32(1000), 0x7f, repeat(1000, asm.Block, asm.Empty,
				asm.End), asm.End)))
		}), []string{"local variables times blocks"}},
		{"a large function", running("", repeat(600<<10, 0x01)), []string{"bytes in one function"}},
		{"16 MB of functions", module(func(m *asm.Module) {
			m.Export("_start", m.Func(":", "", repeat(150, 0x01)))
			m.Repeat(16_000_000 / 155)
		}), []string{"103226 functions"}},
		{"a start function that traps", module(func(m *asm.Module) {
			m.Export("_start", m.Func(":", ""))
			m.Start(m.Func(":", "", asm.Unreachable))
		}), []string{"start function", "unreachable"}},
		{"a start function that exits", module(func(m *asm.Module) {
			exit := m.Import("wasi_snapshot_preview1", "proc_exit", "i:")
			m.Export("_start", m.Func(":", ""))
			m.Start(m.Func(":", "", asm.I32(3), asm.Call(exit)))
		}), []string{"start function", "exited with status 3"}},
		{"an _initialize that fills memory", module(func(m *asm.Module) {
			m.Export("toolrun_call", m.Func(":", ""))
			m.Export("_initialize", m.Func(":", "", asm.Forever(
				asm.I32(16), asm.MemoryGrow, 0, asm.I32(-1), 0x46, asm.If, asm.Empty, asm.Unreachable, asm.End)))
		}), []string{"memory limit"}},
		{"data outside of the memory", module(func(m *asm.Module) {
			m.Export("_start", m.Func(":", ""))
			m.Data(1<<20, "x")
		}), []string{"cannot be run"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: t.TempDir(), CacheFailed: func(err error) {
				require.NoError(t, err)
			}})
			require.NoError(t, err)
			defer func() { require.NoError(t, engine.Close(context.Background())) }()
			for range 2 { // what is found the first time is not taken for good the second time
				loaded, err := command.Load(t.Context(), engine, c.module, nil)
				require.Nil(t, loaded)
				_, refused := errors.AsType[*command.RefusedError](err)
				require.True(t, refused, "%v", err)
				for _, want := range c.want {
					require.ErrorContains(t, err, want)
				}
			}
		})
	}
}

// TestHostileModules lets modules do what a sandbox must end.
func TestHostileModules(t *testing.T) {
	t.Parallel()
	recursive := func(body func(self uint32) []byte) []byte {
		return module(func(m *asm.Module) { m.Export("_start", m.Func(":", "", body(0))) })
	}
	call := func(name, signature string, args ...any) []byte {
		return module(func(m *asm.Module) {
			f := m.Import("wasi_snapshot_preview1", name, signature)
			m.Export("_start", m.Func(":", "", asm.Forever(asm.Code(args...), asm.Call(f), asm.Drop)))
		})
	}
	for _, c := range []struct {
		why    string
		module []byte
		ends   []sandbox.Limit // or a crash
	}{
		{"an endless loop", running("", asm.Forever()), []sandbox.Limit{sandbox.LimitTime}},
		{"nested loops", running("", asm.Forever(repeat(50, asm.Loop, asm.Empty), repeat(50, asm.End))),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"a loop with parameters", module(func(m *asm.Module) {
			kind := m.Type("i:i")
			m.Export("_start", m.Func(":", "", asm.I32(1), asm.Loop, asm.U32(kind), asm.Br, 0, asm.End, asm.Drop))
		}), []sandbox.Limit{sandbox.LimitTime}},
		{"a loop through a table of branches", running("", asm.Loop, asm.Empty, asm.I32(7), 0x0e, 1, 0, 0, asm.End),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"recursion", recursive(func(self uint32) []byte { return asm.Call(self) }),
			[]sandbox.Limit{sandbox.LimitRecursion, sandbox.LimitTime}},
		{"recursion that branches", recursive(func(self uint32) []byte {
			return asm.Code(asm.Call(self), asm.Call(self))
		}),
			[]sandbox.Limit{sandbox.LimitRecursion, sandbox.LimitTime}},
		{"memory that grows", running("", asm.Forever(asm.I32(1), asm.MemoryGrow, 0, asm.I32(-1), 0x46, asm.If,
			asm.Empty, asm.Unreachable, asm.End)),
			[]sandbox.Limit{sandbox.LimitMemory}},
		{"memory that grows for ever", running("", asm.Forever(asm.I32(1), asm.MemoryGrow, 0, asm.Drop)),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"memory that is filled", running("", asm.I32(900), asm.MemoryGrow, 0, asm.Drop,
			asm.Forever(asm.I32(0), asm.I32(1), asm.I32(50<<20), 0xfc, 0x0b, 0)), []sandbox.Limit{sandbox.LimitTime}},
		{"reading outside of memory", running("", asm.I32(-4), asm.Load(), asm.Drop), nil},
		{"division by zero", running("", asm.I32(1), asm.I32(0), 0x6d, asm.Drop), nil},
		{"calling nothing through a table", module(func(m *asm.Module) {
			m.Table([]byte{0, 1})
			kind := m.Type(":")
			m.Export("_start", m.Func(":", "", asm.I32(0), 0x11, asm.U32(kind), 0))
		}), nil},
		{"a flood of output", call("fd_write", "iiii:i", asm.I32(0), asm.I32(1<<15), asm.Store(), asm.I32(4),
			asm.I32(1<<15), asm.Store(),
			asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8)), []sandbox.Limit{sandbox.LimitTime}},
		{"writing from outside of memory", call("fd_write", "iiii:i", asm.I32(2), asm.I32(-8), asm.I32(1000),
			asm.I32(-4)),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"randomness outside of memory", call("random_get", "ii:i", asm.I32(-1), asm.I32(-1)),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"reading everything", call("fd_read", "iiii:i", asm.I32(0), asm.I32(0), asm.I32(-1), asm.I32(8)),
			[]sandbox.Limit{sandbox.LimitTime}},
		{"paths that are none", call("path_open", "iiiiiIIii:i", asm.I32(3), asm.I32(-1), asm.I32(-1), asm.I32(-1),
			asm.I32(-1), 0x42, 0x7f, 0x42, 0x7f,
			asm.I32(-1), asm.I32(-1)), []sandbox.Limit{sandbox.LimitTime}},
		{"waiting for nothing", call("poll_oneoff", "iiii:i", asm.I32(0), asm.I32(0), asm.I32(-1), asm.I32(-4)),
			[]sandbox.Limit{sandbox.LimitTime}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			engine, err := sandbox.New(nil)
			require.NoError(t, err)
			defer func() { require.NoError(t, engine.Close(context.Background())) }()
			loaded, err := command.Load(t.Context(), engine, c.module, &command.Options{Files: true})
			require.NoError(t, err)
			result, err := loaded.Run(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{
				Time: 40 * time.Millisecond, Memory: 64 << 20, Output: 1 << 20}})
			require.NotNil(t, result)
			require.LessOrEqual(t, len(result.Output), 1<<20)
			if limit, ok := errors.AsType[*sandbox.LimitError](err); ok {
				require.Contains(t, c.ends, limit.Limit)
				return
			}
			_, crashed := errors.AsType[*sandbox.CrashError](err)
			require.True(t, crashed, "%v", err)
			require.Nil(t, c.ends)
		})
	}
}

// TestExceptions has a module that catches what it throws, and one that does not.
func TestExceptions(t *testing.T) {
	t.Parallel()
	throwing := func(body func(throw []byte) []byte) error {
		engine, err := sandbox.New(nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close(context.Background())) }()
		loaded, err := command.Load(t.Context(), engine, module(func(m *asm.Module) {
			thrower := m.Func("i:", "", asm.LocalGet, 0, asm.Throw, asm.U32(m.Tag("i:")))
			m.Export("_start", m.Func(":", "", body(asm.Code(asm.I32(7), asm.Call(thrower)))))
		}), nil)
		require.NoError(t, err)
		for range 2 {
			_, err = loaded.Run(t.Context(), sandbox.RunOptions{})
		}
		return err
	}
	const clauseForAll = 2
	require.NoError(t, throwing(func(throw []byte) []byte {
		return asm.Code(asm.Block, asm.Empty, asm.TryTable, asm.Empty, 1, clauseForAll, 0, throw, asm.Unreachable,
			asm.End, asm.End)
	}))
	err := throwing(func(throw []byte) []byte { return throw })
	crash, ok := errors.AsType[*sandbox.CrashError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "uncaught exception", crash.Trap)
}
