// Package metering rewrites WebAssembly modules so that no code in them can run for long without calling the host.
//
// Compiled WebAssembly is native code: nothing outside it can stop it, not a context, not a timer, not Go's
// scheduler. [Rewrite] therefore gives a module a counter, its fuel, and makes the module itself count it down:
//
//   - Every iteration of a loop costs 1. In a loop that few branches start again and that seldom calls, the first
//     iteration is free, but calls within it cost 1 each: most loops over hash chains run once.
//   - Every tail call costs 1, because tail calls can loop without a loop instruction.
//   - A bulk operation over n bytes or table elements (memory.copy, memory.fill, memory.init, and the same for
//     tables, and table.grow) costs n/64, and memory.grow by n pages n/64.
//   - If [Options].Functions is set, every function call costs 1 too, except for small functions: those that execute at
//     most 300 instructions besides the repetition of loops, and call only small functions, and these directly. They
//     cannot recurse. Straight-line code costs 1 for at most 4,000 instructions, those of small functions included, or
//     1,000 after a call of another function.
//
// When the fuel is used up, the module calls an imported host function with the rest (zero or less) and gets its
// next portion. The host function decides whether the code may go on. It stops the code by panicking, which ends
// the call with an error that nothing in the module can catch.
//
// The fuel is a global variable of the module, not a place in its memory, so code that corrupts its own memory
// cannot refill it. If the host grants nothing, the code asks again at the latest when a loop starts again. The
// fuel used depends only on the code and its input: the same run uses the same fuel everywhere.
//
// # What is not metered
//
//   - Straight-line code, unless [Options].Functions is set. This includes loops that do not start again, but not the
//     calls within them.
//   - Returning. A stack that is n calls deep can return with n stretches of 1,000 instructions. The host's stack
//     bounds n.
//   - Recursion, unless [Options].Functions is set. The host's stack bounds its depth, not its time: f calling
//     itself twice, a thousand levels deep, can be stopped only with function metering.
//   - Single bulk operations. memory.copy and memory.fill over more than 512 KiB are done in parts and can be
//     stopped between them; any other bulk operation is one instruction and is not interrupted.
//   - Instructions that wait (memory.atomic.wait32 and wait64) block without using fuel.
//
// # Exceptions
//
// No instruction for exceptions is left in a rewritten module. A throw sets global variables and returns, each call of
// a function that can throw is followed by a check of one of them, and a try_table is a block. So an exception costs
// what returning through as many calls costs, a try_table in which nothing is thrown costs nothing, and the host keeps
// nothing for either. A module without tags gets no such code.
//
// Exceptions stay in the module: its tags can be neither imported nor, after rewriting, exported, and an exception
// that leaves an exported function, or the start function, is a trap: see [ExceptionExport]. After this trap the host
// can go on to use the instance, as with any other. A function that throws and that the host, or another instance,
// calls through a table returns zeros instead, and its exception stays pending: such an instance must not be used again
// unless its globals are put back, and neither must one that the host function has stopped.
//
// An exnref becomes an i64, or a v128 if exceptions carry more than 32 bits, and up to 96. Those that carry more can be
// thrown and caught, but not by reference. Refused are also tags with references, vectors or more than 16 values, and
// tables of exceptions. As an exnref is a number, ref.is_null of one makes the module invalid, and calls through tables
// cannot tell the two types. The legacy form of exceptions (try and catch) is refused with [ErrLegacyExceptions].
//
// # Supported modules
//
// WebAssembly 2.0, and the proposals for tail calls, threads, extended constant expressions and exception handling
// (with try_table). Modules that use anything else, such as several or 64-bit memories, garbage-collected types or
// relaxed SIMD, are refused with an error; Rewrite never guesses the length of an instruction. Rewrite reads only a
// module's structure, so a module that it accepts may still be invalid: compile the result to find out. A valid
// module stays valid. Custom sections (names, debugging information) are dropped, because they describe the
// original code, and data segments that are close to each other are joined.
//
// See https://webassembly.github.io/spec/core/binary/index.html
package metering

import (
	"errors"
	"fmt"
)

// Names in a rewritten module.
const (
	// YieldModule and YieldName name the host function that the module imports and calls when its fuel is used up. Its
	// type is (i32) -> (i32): it gets the fuel that is left, zero or less, and returns the fuel to go on with. The
	// fuel starts at zero, so the first loop that goes on calls it.
	YieldModule, YieldName = "toolrun", "yield"

	// FuelExport is the name under which the fuel is exported, as a mutable i32 global.
	FuelExport = "toolrun_fuel"

	// ExceptionExport is the name under which a module with exceptions exports a mutable i32 global, which is not zero
	// after an exception that nothing caught. The exported function that the host called has trapped then, with
	// unreachable. Nothing in the module reads the global, and only the host sets it to zero.
	ExceptionExport = "toolrun_exception"

	// StartExport is the name under which [Options].State exports the module's start function.
	StartExport = "toolrun_start"

	// Version changes, for caches, when Rewrite makes another module of the same one or Inspect reads one in another
	// way.
	Version = 4
)

// GlobalExport returns the name under which [Options].State exports the global with an index.
func GlobalExport(index int) string { return fmt.Sprintf("toolrun_global_%d", index) }

// Options configure how a module is rewritten.
type Options struct {
	// Functions also meters function entries and straight-line code.
	Functions bool

	// Replacements changes the bodies of functions of the module, which are then metered as any other. Those of one
	// function must not overlap.
	Replacements []Replacement

	// State ensures that an instance can change only its memory and globals, so that restoring these restores the whole
	// instance. It exports all globals under the names of [GlobalExport], at the end those that are added for
	// exceptions, and refuses modules with instructions that change tables or drop segments. The error wraps
	// [ErrUnsupported]. A start function is exported as StartExport instead of running when the module is instantiated;
	// the host must call it once, before any other function.
	State bool
}

// Replacement changes a part of a function's body, or all of it.
type Replacement struct {
	// Function is the index of the function in the original module, imports counted.
	Function uint32
	// At is the position of Old in the original body, in bytes, counted from the end of the body's size. It must be the
	// start of an instruction, or 0 for the start of the body, which is the local declarations.
	At int
	// Old is the expected code: instructions in the binary format. Rewrite fails if it finds other code, because then
	// the module is not the one that the replacement was made for.
	Old []byte
	// New takes the place of Old, with indices as in the original module. It ends where an instruction ends.
	New []byte
}

// ErrUnsupported is wrapped by the errors for modules that use an unsupported feature of WebAssembly, and so by
// ErrLegacyExceptions.
var (
	ErrUnsupported      = errors.New("unsupported WebAssembly feature")
	ErrLegacyExceptions = fmt.Errorf("%w: exceptions in the legacy form", ErrUnsupported)
)

// bytesPerFuelLog2 is the binary logarithm of the bytes, or table elements, of a bulk operation that cost as much as
// one iteration of a loop. 64 bytes are a cache line, which takes about as long to write as a short loop body takes to
// run.
const bytesPerFuelLog2 = 6

// Rewrite returns a copy of module with metering added. It fails if module is not a WebAssembly binary, if it uses an
// unsupported feature (then the error wraps [ErrUnsupported]), or if a name that it adds is taken.
func Rewrite(module []byte, options Options) ([]byte, error) {
	return rewrite(module, options, defaultBounds)
}

func rewrite(module []byte, options Options, bounds bounds) ([]byte, error) {
	m, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	out, err := m.rewrite(options, bounds)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	return out, nil
}
