package metering_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func between(first, last int) (list []byte) {
	for b := first; b <= last; b++ {
		list = append(list, byte(b))
	}
	return list
}

// vectorReserved lists the opcodes after the vector prefix, below the relaxed ones, that have no meaning.
var vectorReserved = []uint32{
	0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4,
	0xe2, 0xee,
}

// everyInstruction returns a module with every instruction, each in a function of its own. The instructions are
// unreachable, so they need no operands. An immediate that is not read as such would be read as the start of a block.
func everyInstruction() []byte {
	m := builder{dataCount: true}
	one := func(instruction ...any) { m.function(":", "", opUnreachable, code(instruction...), opUnreachable) }
	own := m.function(":", "")
	m.export("f", kindFunction, own)
	m.memory(sharedLimits(1, 1))
	m.table(funcTable(limits(1)))
	m.table(funcTable(limits(1)))
	m.tag(":")
	m.exportGlobal("g0", "i", i32(0))
	m.element(1, elementKindFunctions, indices(own))
	m.passiveData("data")

	for _, op := range slices.Concat([]byte{opUnreachable, opNop, opThrowRef, opReturn, opDrop, opSelect, opRefIsNull},
		between(opI32Eqz, 0xc4)) {
		one(op)
	}
	for _, kind := range []any{nil, 'i', 'I', 'f', 'F', 'v', 'r', 'e', 'x', m.typ("iI:fF")} {
		one(block(kind, opUnreachable))
		one(loop(kind, opUnreachable))
		one(when(kind, opUnreachable, opElse, opUnreachable))
		one(tryTable(kind, [][]byte{clause(catchTag, 0, 0), clause(catchAll, 0)}, opUnreachable))
	}
	one(throw(0))
	one(br(0))
	one(brIf(0))
	one(brTable(0, 0, 0))
	one(call(own))
	one(callIndirect(0, 1))
	one(returnCall(own))
	one(returnCallIndirect(0, 1))
	one(refFunc(own))
	for _, letter := range "iIfFvre" {
		one(code(0x1c, 1, valueTypes[letter]))
	}
	for _, letter := range "rex" {
		one(refNull(letter))
	}
	m.function("i:", "", localGet(0), localTee(0), localSet(0), globalGet(0), globalSet(0))
	one(tableGet(1))
	one(tableSet(1))
	for _, op := range between(opI32Load, 0x3e) {
		one(op, 0, u32(1<<32-1))
	}
	one(memorySize())
	one(memoryGrow())
	one(opI32Const, 0x80, 0x80, 0x80, 0x80, 0x78)
	one(i64(-1 << 63))
	one(f32(1))
	one(f64(1))

	for _, op := range between(0, 7) {
		one(prefixMisc, op)
	}
	for _, instruction := range [][]byte{
		memoryInit(0), dataDrop(0), memoryCopy(), memoryFill(), tableInit(0, 1), elementDrop(0), tableCopy(0, 1),
		tableGrow(1),
		tableSize(1), tableFill(1),
	} {
		one(instruction)
	}
	for op := range uint32(0x100) {
		switch {
		case slices.Contains(vectorReserved, op):
		case op <= 11, op == 92, op == 93:
			one(vector(op, 0, u32(300)))
		case op == 12, op == 13:
			one(vector(op, slices.Repeat([]byte{0x02}, 16)))
		case op == 29, op == 30, op == 33, op == 34:
			one(vector(op, 1)) // there are two lanes
		case op >= 21 && op <= 34:
			one(vector(op, 0x02))
		case op >= 84 && op <= 91:
			one(vector(op, 0, u32(300), 1))
		default:
			one(vector(op))
		}
	}
	one(prefixAtomic, 3, 0)
	for _, op := range slices.Concat([]byte{0, 1, 2}, between(0x10, 0x4e)) {
		one(prefixAtomic, op, atomicAlignment(op), 0)
	}
	return m.bytes()
}

// atomicAlignment returns the binary logarithm of the number of bytes that an atomic instruction accesses.
func atomicAlignment(op byte) int {
	if op <= 2 {
		return []int{2, 2, 3}[op]
	}
	return []int{2, 3, 0, 1, 0, 1, 2}[(op-0x10)%7]
}

func TestEveryInstructionIsKnown(t *testing.T) {
	wasm := everyInstruction()
	requireCompiles(t, wasm)
	for _, options := range []metering.Options{{}, {Functions: true}} {
		rewritten, err := metering.Rewrite(wasm, options)
		require.NoError(t, err)
		requireCompiles(t, rewritten)
		requireMetered(t, wasm, rewritten, options)
	}
}

// requireMetered compares the code added to a module with the number of instructions that a simpler reader finds to be
// metered.
func requireMetered(t *testing.T, wasm, rewritten []byte, options metering.Options) {
	before, after := censusOf(wasm), censusOf(rewritten)
	require.Equal(t, before.imported+1, after.imported)
	const loopsOfHelpers, fillsOfHelper, copiesOfHelper = 3, 2, 3
	helpers := uint64(2)
	if before.memories > 0 {
		helpers += 2
	}
	if before.tags > 0 {
		helpers += 2
	}
	wrappers := int(after.defined) - int(before.defined+helpers)
	require.GreaterOrEqual(t, wrappers, 0)
	if before.tags == 0 {
		require.Zero(t, wrappers)
	}
	require.Zero(t, after.tags)
	require.Equal(t, before.bulk, after.bulk)
	if before.memories > 0 {
		before.loops += loopsOfHelpers
		require.Equal(t, fillsOfHelper, after.fills, "all others are calls")
		require.Equal(t, copiesOfHelper, after.copies)
	}
	yield := before.imported
	refill := yield + 1 + before.defined
	charge := refill + 1
	fill, copies := charge+1, charge+2

	entries := after.loops - before.loops
	stretches := 0
	if options.Functions {
		require.LessOrEqual(t, entries, int(before.defined))
		stretches = before.instructions / 1000
	} else {
		require.Zero(t, entries)
	}
	require.Equal(t, 1, after.calls[yield])
	calls := before.indirect
	for _, n := range before.calls {
		calls += n
	}
	refills := before.loops + before.tailCalls + entries + 1 // the last one belongs to charge
	require.GreaterOrEqual(t, after.calls[refill], refills)
	require.LessOrEqual(t, after.calls[refill], refills+fillsOfHelper+copiesOfHelper+calls+stretches,
		"calls in short loops pay too")
	require.Equal(t, before.bulk, after.calls[charge])
	if before.memories > 0 {
		require.Equal(t, before.fills, after.calls[fill])
		require.Equal(t, before.copies, after.calls[copies])
	}
	require.Equal(t, before.tailCalls, after.tailCalls)
	for function, calls := range before.calls {
		if function >= before.imported {
			function++
		}
		calls = after.calls[function] - calls
		require.True(t, calls == 0 || calls == 1, "one call is that of a wrapper")
		wrappers -= calls
	}
	require.GreaterOrEqual(t, wrappers, 0, "others are for functions that the module does not call")
}
