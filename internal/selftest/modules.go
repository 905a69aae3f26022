package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

const (
	memoryLimit    = "memory limit"
	recursionLimit = "recursion limit"
	crashes        = "crash"

	wasi = "wasi_snapshot_preview1"
)

// moduleTime is the time limit of hostile modules, and moduleLate how long after it they may end.
const (
	moduleTime = DefaultTimeLimit
	moduleLate = DefaultMostLate
)

// modules are attacks by WebAssembly modules that somebody has added as tools.
func modules() []Attack {
	var all []Attack
	add := func(name, attempt string, endings []string, build func(m *asm.Module)) {
		all = append(all, Attack{
			Name: "wasm-" + name, Attempt: attempt, Endings: endings, prepare: runningModule(build),
		})
	}
	// Loading can take as much memory as the limits of package runtime/command allow.
	compiles := func(name, attempt string, endings []string, grows int64, build func(m *asm.Module)) {
		all = append(all, Attack{Name: amplification + "-modules-wasm-" + name, Attempt: attempt,
			Endings: endings, Grows: grows,
			prepare: runningModule(build)})
	}
	start := func(locals string, body ...any) func(m *asm.Module) {
		return func(m *asm.Module) { m.Export("_start", m.Func(":", locals, body...)) }
	}
	repeat := func(n int, code ...any) []byte { return bytes.Repeat(asm.Code(code...), n) }
	calling := func(name, signature string, args ...any) func(m *asm.Module) {
		return func(m *asm.Module) {
			f := m.Import(wasi, name, signature)
			m.Export("_start", m.Func(":", "", asm.Forever(asm.Code(args...), asm.Call(f), asm.Drop)))
		}
	}
	growing := asm.Code(asm.I32(16), asm.MemoryGrow, 0, asm.I32(-1), 0x46, asm.If, asm.Empty, asm.Unreachable, asm.End)
	stopped := []string{timeLimit}

	add("loop", "Loops for ever.", stopped, start("", asm.Forever()))
	add("loop-nested", "Nests 50 loops that never end.", stopped,
		start("", asm.Forever(repeat(50, asm.Loop, asm.Empty), repeat(50, asm.End))))
	add("loop-table", "Loops through a table of branches.", stopped,
		start("", asm.Loop, asm.Empty, asm.I32(7), 0x0e, 1, 0, 0, asm.End))
	add("loop-fill", "Fills 50 MB again and again.", stopped,
		start("", asm.I32(900), asm.MemoryGrow, 0, asm.Drop,
			asm.Forever(asm.I32(0), asm.I32(1), asm.I32(50<<20), 0xfc, 0x0b, 0)))
	add("loop-copy", "Copies 50 MB again and again.", stopped,
		start("", asm.I32(900), asm.MemoryGrow, 0, asm.Drop,
			asm.Forever(asm.I32(1), asm.I32(0), asm.I32(50<<20), 0xfc, 0x0a, 0, 0)))
	add("loop-tail", "Calls itself in place of itself, without end.", []string{refused, timeLimit}, start("", 0x12, 0))
	increment := asm.Code(asm.I32(8), asm.I32(8), asm.Load(), asm.I32(1), asm.Add, asm.Store())
	add("straight", "Has no loops, but calls that double 60 times, and long functions.", stopped, func(m *asm.Module) {
		f := m.Func(":", "", bytes.Repeat(increment, 1000))
		for range 60 {
			f = m.Func(":", "", asm.Call(f), asm.Call(f))
		}
		m.Export("_start", f)
	})
	add("straight-table", "Has no loops, but calls through a table that double 60 times.",
		stopped, func(m *asm.Module) {
			m.Table(asm.Code(0, asm.U32(61)))
			kind := m.Type(":")
			f := []uint32{m.Func(":", "", increment)}
			for i := range int32(60) {
				again := asm.Code(asm.I32(i), 0x11, asm.U32(kind), 0)
				f = append(f, m.Func(":", "", again, again))
			}
			m.Elements(f...)
			m.Export("_start", f[60])
		})
	add("returns", "Calls itself 400 000 times, and is slow to return.",
		[]string{timeLimit, recursionLimit, returnsNothing},
		func(m *asm.Module) {
			f := m.Func("i:", "", asm.LocalGet, 0, asm.If, asm.Empty, asm.LocalGet,
				0, asm.I32(-1), asm.Add, asm.Call(0), asm.End, bytes.Repeat(increment, 600))
			m.Export("_start", m.Func(":", "", asm.I32(400_000), asm.Call(f)))
		})
	add("recursion", "Calls itself without end.", []string{recursionLimit, timeLimit}, start("", asm.Call(0)))
	add("recursion-tree", "Calls itself twice, without end.", []string{recursionLimit, timeLimit},
		start("", asm.Call(0), asm.Call(0)))
	add("memory", "Takes memory until it gets no more.", []string{memoryLimit}, start("", asm.Forever(growing)))
	add("memory-again", "Asks for memory that it does not get, for ever.", stopped,
		start("", asm.Forever(asm.I32(1000), asm.MemoryGrow, 0, asm.Drop)))
	add("memory-outside", "Reads outside of its memory.", []string{crashes},
		start("", asm.I32(-4), asm.Load(), asm.Drop))
	add("table-empty", "Calls a function through a table that has none.", []string{crashes}, func(m *asm.Module) {
		m.Table([]byte{0, 1})
		kind := m.Type(":")
		m.Export("_start", m.Func(":", "", asm.I32(0), 0x11, asm.U32(kind), 0))
	})
	add("table-changed", "Changes a table, which would stay changed.", []string{refused}, func(m *asm.Module) {
		m.Table([]byte{0, 1})
		m.Export("_start", m.Func(":", "", asm.I32(0), 0xd0, 0x70, 0x26, 0))
	})
	add("table-growth", "Makes a table larger, for ever.", []string{refused}, func(m *asm.Module) {
		m.Table([]byte{0, 1})
		m.Export("_start", m.Func(":", "", asm.Forever(0xd0, 0x70, asm.I32(1000), 0xfc, 0x0f, 0, asm.Drop)))
	})
	throwing(add, compiles)
	add("start-trap", "Traps before it has begun.", []string{refused}, func(m *asm.Module) {
		m.Export("_start", m.Func(":", ""))
		m.Start(m.Func(":", "", asm.Unreachable))
	})
	add("start-memory", "Takes all memory before it has begun.", []string{refused}, func(m *asm.Module) {
		m.Export("toolrun_call", m.Func(":", ""))
		m.Export("_initialize", m.Func(":", "", asm.Forever(growing)))
	})
	add("import-lie", "Imports a function with another type than it has.", []string{refused}, func(m *asm.Module) {
		m.Import(wasi, "fd_write", "IIII:I")
		m.Export("_start", m.Func(":", ""))
	})
	add("import-yield", "Imports what meters it.", []string{refused}, func(m *asm.Module) {
		m.Import("toolrun", "yield", "i:i")
		m.Export("_start", m.Func(":", ""))
	})
	add("call-write", "Writes from outside of its memory.", stopped,
		calling("fd_write", "iiii:i", asm.I32(1), asm.I32(-8), asm.I32(1000), asm.I32(-4)))
	add("call-flood", "Floods its output.", stopped,
		calling("fd_write", "iiii:i", asm.I32(4), asm.I32(60000), asm.Store(),
			asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8)))
	add("call-random", "Wants randomness in all addresses.", stopped,
		calling("random_get", "ii:i", asm.I32(0), asm.I32(-1)))
	add("call-path", "Opens paths that are not in its memory.", stopped,
		calling("path_open", "iiiiiIIii:i", asm.I32(3), asm.I32(-1),
			asm.I32(-1), asm.I32(-1), asm.I32(-1), 0x42, 0x7f, 0x42, 0x7f, asm.I32(-1), asm.I32(-1)))
	add("call-tool", "Calls tools that it has not been granted, with a name and an input from outside of its memory.",
		stopped,
		func(m *asm.Module) {
			call, result := m.Import("toolrun", "call", "iiii:I"), m.Import("toolrun", "result", "ii:i")
			m.Export("_start", m.Func(":", "", asm.Forever(
				asm.I32(-8), asm.I32(200), asm.I32(-4), asm.I32(-1), asm.Call(call), asm.Drop,
				asm.I32(-8), asm.I32(-1), asm.Call(result), asm.Drop)))
		})
	add("custom-broken", "Has a custom section whose name is longer than it.", []string{refused}, func(m *asm.Module) {
		m.Custom = asm.Section(0, []byte{200, 1, 'x'})
		m.Export("_start", m.Func(":", ""))
	})
	compiles("locals", "Has a function with 4 294 967 295 local variables.", []string{
		refused}, most, func(m *asm.Module) {
		m.Export("_start", m.FuncRaw(":", asm.Code(1, asm.U32(1<<32-1), 0x7f, asm.End)))
	})
	compiles("functions", "Has 16 MB of functions.", []string{refused}, 4*most, func(m *asm.Module) {
		m.Export("_start", m.Func(":", "", repeat(150, 0x01)))
		m.Repeat(16_000_000 / 155)
	})
	compiles("types", "Has a million types.", []string{refused}, most, func(m *asm.Module) {
		m.Export("_start", m.Func(":", ""))
		m.RepeatType(1_000_000)
	})
	compiles("table", "Has a table for 100 million functions.", []string{refused}, most, func(m *asm.Module) {
		m.Table(asm.Code(0, asm.U32(100_000_000)))
		m.Export("_start", m.Func(":", ""))
	})
	compiles("nesting", "Nests 100 000 blocks.", []string{refused}, most,
		start("", repeat(100_000, asm.Block, asm.Empty), repeat(100_000, asm.End)))
	compiles("throws", "Has as many throws of 16 numbers as can be.", []string{returnsNothing}, 8*most,
		func(m *asm.Module) {
			tag := m.Tag("iiiiiiiiiiiiiiii:")
			throw := asm.Code(asm.Block, asm.Empty, asm.I32(1), asm.BrIf, 0,
				repeat(16, asm.I32(1)), asm.Throw, asm.U32(tag), asm.End)
			m.Export("_start", m.Func(":", "", repeat(1000, throw)))
			m.Repeat(320)
		})
	compiles("results", "Has functions that throw instead of making eight million results.", []string{refused}, most,
		func(m *asm.Module) {
			tag := m.Tag(":")
			m.Export("_start", m.Func(":", ""))
			m.Func(":"+strings.Repeat("v", 1000), "", asm.Throw, asm.U32(tag))
			m.Repeat(7_800)
		})
	compiles("branches", "Has 100 000 conditional branches in each of 20 functions.", []string{refused}, most,
		func(m *asm.Module) {
			m.Export("_start", m.Func(":", "", repeat(100_000, asm.I32(1), asm.BrIf, 0)))
			m.Repeat(19)
		})
	compiles("joins", "Has as many local variables and blocks as can be.", []string{
		returnsNothing}, 4*most, func(m *asm.Module) {
		var moves []byte
		for i := range 600 {
			moves = append(moves, asm.Code(asm.LocalGet, asm.U32(uint32(i)), asm.LocalSet, asm.U32(uint32(599-i)))...)
		}
		m.Export("_start", m.FuncRaw(":", asm.Code(1, asm.U32(600), 0x7f,
			repeat(600, asm.Loop, asm.Empty, 0x41, 0, asm.BrIf, 0, asm.End), moves, asm.End)))
	})
	return all
}

const returnsNothing = "returns "

// throwing adds the attacks with exceptions.
func throwing(
	add func(name, attempt string, endings []string, build func(m *asm.Module)),
	measured func(name, attempt string, endings []string, grows int64, build func(m *asm.Module)),
) {
	stopped := []string{timeLimit}
	const all, allAndReference = 2, 3 // kinds of catch clauses
	// catching is a try_table with one clause, which leads to the label.
	catching := func(kind, label byte, body ...any) []byte {
		return asm.Code(asm.TryTable, asm.Empty, 1, kind, label, asm.Code(body...), asm.End)
	}
	// caught throws what the body throws away.
	caught := func(body ...any) []byte { return asm.Code(asm.Block, asm.Empty, catching(all, 0, body...), asm.End) }
	// rethrown throws it again.
	rethrown := func(body ...any) []byte {
		return asm.Code(asm.Block, asm.Empty, asm.Block, exnref,
			catching(allAndReference, 0, asm.Code(body...)), asm.Br, 1, asm.End, asm.ThrowRef, asm.End)
	}
	// kept keeps it in a local variable.
	kept := func(body ...any) []byte {
		return asm.Code(asm.Block, exnref, catching(allAndReference, 0, asm.Code(body...)), asm.Unreachable, asm.End,
			asm.LocalSet, 0)
	}
	less := asm.Code(asm.LocalGet, 0, asm.I32(-1), asm.Add)
	add("throw", "Throws what it catches, for ever.", stopped, func(m *asm.Module) {
		tag := m.Tag(":")
		m.Export("_start", m.Func(":", "", asm.Loop, asm.Empty, catching(all, 0, asm.Throw, asm.U32(tag)), asm.End))
	})
	add("throw-calls", "Throws through 20 functions, for ever.", stopped, func(m *asm.Module) {
		f := m.Func(":", "", asm.I32(7), asm.Throw, asm.U32(m.Tag("i:")))
		for range 20 {
			f = m.Func(":", "", asm.Call(f))
		}
		m.Export("_start", m.Func(":", "", asm.Forever(caught(asm.Call(f)))))
	})
	add("throw-again", "Throws an exception again and again, for ever.", stopped, func(m *asm.Module) {
		tag := m.Tag("i:")
		m.Export("_start", m.Func(":", "x", caught(asm.I32(1), asm.Throw, asm.U32(tag)),
			kept(asm.I32(7), asm.Throw, asm.U32(tag)), asm.Forever(kept(asm.LocalGet, 0, asm.ThrowRef))))
	})
	measured("throw-deep", "Throws through 8 000 calls, each of which catches and throws again, for ever.",
		stopped, most, func(m *asm.Module) {
			tag := m.Tag(":")
			m.Func("i:", "", asm.LocalGet, 0, 0x45, asm.If, asm.Empty, asm.Throw, asm.U32(tag), asm.End,
				rethrown(less, asm.Call(0)))
			m.Export("_start", m.Func(":", "", asm.Forever(caught(asm.I32(8000), asm.Call(0)))))
		})
	measured("throw-recursion", "Calls itself within a try_table, without end.",
		[]string{recursionLimit, timeLimit}, 3*most, func(m *asm.Module) { // the host's stack, as without try_table
			m.Tag(":")
			m.Export("_start", m.Func(":", "", rethrown(asm.Call(0))))
		})
	add("throw-tree", "Calls itself twice, and throws at the end of each of 400 calls.", stopped, func(m *asm.Module) {
		tag := m.Tag(":")
		m.Func("i:", "", asm.LocalGet, 0, asm.If, asm.Empty, caught(less, asm.Call(0)), caught(less, asm.Call(0)),
			asm.End, asm.Throw, asm.U32(tag))
		m.Export("_start", m.Func(":", "", asm.I32(400), asm.Call(0)))
	})
	add("throw-table", "Throws through a table, for ever.", stopped, func(m *asm.Module) {
		m.Table([]byte{0, 1})
		m.Elements(m.Func("i:i", "", asm.LocalGet, 0, asm.Throw, asm.U32(m.Tag("i:"))))
		kind := m.Type("i:i")
		m.Export("_start", m.Func(":", "", asm.Forever(
			caught(asm.I32(7), asm.I32(0), 0x11, asm.U32(kind), 0, asm.Drop))))
	})
	add("throw-nothing", "Enters a try_table in which nothing is thrown, for ever.", stopped, func(m *asm.Module) {
		m.Tag(":")
		m.Export("_start", m.Func(":", "", asm.Forever(caught())))
	})
	add("throw-clauses", "Throws what 1 000 clauses in each of 400 calls do not catch, for ever.", stopped,
		func(m *asm.Module) {
			one, two := m.Tag(":"), m.Tag(":")
			m.Func("i:", "", asm.LocalGet, 0, 0x45, asm.If, asm.Empty, asm.Throw, asm.U32(one), asm.End,
				asm.Block, asm.Empty, asm.TryTable, asm.Empty, asm.U32(1000),
				bytes.Repeat(asm.Code(0, asm.U32(two), 0), 1000), less, asm.Call(0), asm.End, asm.End)
			m.Export("_start", m.Func(":", "", asm.Forever(caught(asm.I32(400), asm.Call(0)))))
		})
	add("throw-uncaught", "Throws what nothing catches.", []string{crashes}, func(m *asm.Module) {
		m.Export("_start", m.Func(":", "", asm.Throw, asm.U32(m.Tag(":"))))
	})
	add("throw-start", "Throws before it has begun.", []string{refused}, func(m *asm.Module) {
		m.Export("_start", m.Func(":", ""))
		m.Start(m.Func(":", "", asm.Throw, asm.U32(m.Tag(":"))))
	})
	add("throw-import", "Imports what it throws.", []string{refused}, func(m *asm.Module) {
		m.ImportRaw("env", "tag", 4, asm.Code(0, asm.U32(m.Type(":"))))
		m.Export("_start", m.Func(":", "", asm.Throw, 0))
	})
}

// exnref is the type of references to exceptions.
const exnref byte = 0x69

// runningModule loads a module into an engine of its own and runs it, with files.
func runningModule(build func(m *asm.Module)) preparation {
	return func(context.Context) (func() (string, error), func(), error) {
		m := &asm.Module{}
		build(m)
		m.Memory(1)
		code := m.Bytes()
		engine, err := sandbox.New(nil)
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errPatience)
			defer cancel()
			loaded, err := command.Load(ctx, engine, code, &command.Options{Files: true})
			if _, is := errors.AsType[*command.RefusedError](err); is {
				return refused, nil
			}
			if err != nil {
				return "", err
			}
			began := time.Now()
			result, err := loaded.Run(ctx, sandbox.RunOptions{Limits: sandbox.Limits{Time: moduleTime}})
			if late := time.Since(began) - moduleTime; late > moduleLate {
				return "", fmt.Errorf("it was stopped %v after its time limit", late.Round(time.Millisecond))
			}
			if limit, ok := errors.AsType[*sandbox.LimitError](err); ok {
				return string(limit.Limit) + " limit", nil
			}
			if _, ok := errors.AsType[*sandbox.CrashError](err); ok {
				return crashes, nil
			}
			if err != nil {
				return err.Error(), nil
			}
			return "returns " + string(result.Output), nil
		}
		return attack, func() { _ = engine.Close(context.Background()) }, nil
	}
}
