package metering_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestUnsupportedModulesAreRefused(t *testing.T) {
	imported := func(kind byte, description ...any) []byte {
		return withSections(2, code(1, str("env"), str("x"), kind, code(description...)))
	}
	memory64, table64 := code(4, 1), code(valueTypes['r'], 4, 1)
	testRefusals(t, true, []refusal{
		{"an unknown section", withSections(14, []byte{0}), "section 14"},
		{"two memories", withSections(5, code(2, limits(1), limits(1))), "several memories"},
		{"an imported and an own memory",
			withSections(2, code(1, str("env"), str("m"), kindMemory, limits(1)), 5, code(1, limits(1))),
			"several memories"},
		{"two imported memories", withSections(2, code(2, str("env"), str("m"), kindMemory, limits(1),
			str("env"), str("n"), kindMemory, limits(1))), "several memories"},
		{"a 64-bit memory", withSections(5, code(1, memory64)), "limits with flags 0x4"},
		{"an imported 64-bit memory", imported(kindMemory, memory64), "limits with flags 0x4"},
		{"a memory with a page size", withSections(5, code(1, 8, 1, 0)), "limits with flags 0x8"},
		{"a 64-bit table", withSections(4, code(1, table64)), "limits with flags 0x4"},
		{"an imported 64-bit table", imported(kindTable, table64), "limits with flags 0x4"},
		{"a table of a typed reference", withSections(4, code(1, 0x63, 0x70, limits(1))), "table of type 0x63"},
		{"an imported table of a typed reference", imported(kindTable, 0x63, 1, 0, 0), "table of type 0x63"},
		{"a table of any", withSections(4, code(1, 0x6e, limits(1))), "table of type 0x6e"},
		{"an import of an unknown kind", imported(5, 0), "import kind 5"},
		{"an imported global of a typed reference", imported(kindGlobal, 0x64, 0x70, 0), "value type 0x64"},
		{"an array type", withSections(1, code(1, 0x5e, 0x7f, 0)), "type of form 0x5e"},
		{"a structure type", withSections(1, code(1, 0x5f, 0)), "type of form 0x5f"},
		{"a group of recursive types", withSections(1, code(1, 0x4e, 1, 0x60, 0, 0)), "type of form 0x4e"},
		{"a type with supertypes", withSections(1, code(1, 0x50, 0, 0x60, 0, 0)), "type of form 0x50"},
		{"a parameter of a reference type", withSections(1, code(1, 0x60, 1, 0x64, 0, 0)), "value type 0x64"},
		{"a result that is any", withSections(1, code(1, 0x60, 0, 1, 0x6e)), "value type 0x6e"},
		{"a local of a reference type", withBody(1, 1, 0x63, 0x70, opEnd), "value type 0x63"},
		{"a block of a reference type", withCode(0x02, 0x63, 0x70, opEnd), "value type 0x63"},
		{"a null of a type", withCode(0xd0, 0, opDrop), "value type 0x0"},
		{"a select of a type", withCode(0x1c, 1, 0x63, 0x70), "value type 0x63"},
		{"a global of an i31", withSections(6, code(1, 0x6c, 0, i32(0), 0xfb, 28, opEnd)), "value type 0x6c"},
		{"a division in a constant expression", withGlobal(i32(1), i32(1), opI32DivS),
			"opcode 0x6d in a constant expression"},
		{"a vector in a constant expression", withGlobal(i32(1), vector(vectorI32x4Splat)),
			"vector instruction in a constant"},
		{"an i31 in a constant expression", withGlobal(i32(1), 0xfb, 28), "opcode 0xfb in a constant expression"},
		{"an unknown form of elements", withSections(9, code(1, 8)), "element segment of form 8"},
		{"an unknown kind of elements", withSections(9, code(1, 1, 1, 0)), "elements of type 0x1"},
		{"elements of a reference type", withSections(9, code(1, 5, 0x64, 0x70, 0)), "elements of type 0x64"},
		{"an unknown kind of catch clause", withCode(tryTable(nil, [][]byte{clause(4, 0)})), "catch clause of kind 4"},
		{"another memory in a load", withCode(i32(0), opI32Load, 0x42, 1, 0, opDrop),
			"memory argument with flags 0x42"},
		{"another memory in a vector load", withCode(i32(0), vector(0, 0x40, 1, 0), opDrop),
			"memory argument with flags 0x40"},
		{"another memory in an atomic load", withCode(i32(0), prefixAtomic, 0x10, 0x42, 1, 0, opDrop),
			"memory argument with flags 0x42"},
		{"another memory in memory.size", withCode(0x3f, 1, opDrop), "memory index 1"},
		{"another memory in memory.grow", withCode(i32(0), 0x40, 1, opDrop), "memory index 1"},
		{"another memory in memory.fill", withCode(prefixMisc, 11, 1), "memory index 1"},
		{"another memory in memory.copy", withCode(prefixMisc, 10, 0, 2), "memory index 2"},
		{"another memory in memory.init", withCode(prefixMisc, 8, 0, 3), "memory index 3"},
	})
}

func TestUnknownOpcodesAreRefused(t *testing.T) {
	var refusals []refusal
	refuse := func(instruction ...any) {
		name := fmt.Sprintf("% x", code(instruction...))
		refusals = append(refusals, refusal{name, withCode(opUnreachable, code(instruction...)), "opcode 0x"})
	}
	// Legacy exceptions, function references, and opcodes without a meaning so far.
	for _, op := range slices.Concat([]byte{0x06, 0x07, 0x09, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1d, 0x1e,
		0x27, 0xff},
		between(0xc5, 0xcf), between(0xd3, 0xfb)) {
		refuse(op)
	}
	refuse(prefixMisc, 18)
	refuse(prefixMisc, u32(128))
	refuse(prefixMisc, u32(1<<32-1))
	for _, op := range vectorReserved {
		refuse(vector(op))
	}
	for op := uint32(0x100); op < 0x114; op++ { // relaxed
		refuse(vector(op))
	}
	refuse(vector(1<<32 - 1))
	for _, op := range slices.Concat(between(4, 0x0f), between(0x4f, 0x7f)) {
		refuse(prefixAtomic, op, 0, 0)
	}
	testRefusals(t, true, refusals)
}

// TestCodeCannotHideFromTheRewriter has modules that wazero accepts, but in which it reads other instructions than the
// specification demands.
func TestCodeCannotHideFromTheRewriter(t *testing.T) {
	endlessLoop := loop(nil, br(0))
	for _, c := range []struct {
		name string
		wasm []byte
	}{
		// The specification demands a v128.const. wazero reads an i16x8.shr_s, unreachable, and then the constant's 16
		// bytes.
		{"behind an opcode in a longer form than needed", withCode(
			0x02, blockEmpty, br(0), prefixVector, 0x8c, 0x00,
			opEnd, 0x02, blockEmpty, endlessLoop, []byte{1, 1, 1, 1, 1, 1, 1, 1}, opEnd)},
		// The specification calls it malformed. wazero reads a nullable reference with a heap type.
		{"behind a block type in a longer form than needed", withCode(0x02, 0xe3, 0x7f, 0x70, refNull('r'), opEnd,
			opDrop)},
		{"behind a block type that could be an index", func() []byte {
			var m builder
			for range 1 << 14 {
				add(&m.types, code(0x60, 0, 0))
			}
			m.function(":", "", 0x02, 0xe3, 0x7f, 0x70, refNull('r'), opEnd, opDrop)
			return m.bytes()
		}()},
		{"in the initial value of a table", func() []byte {
			var m builder
			m.function(":", "")
			m.table(code(0x40, 0, funcTable(limits(1)), refFunc(0), opEnd))
			return m.bytes()
		}()},
		{"in the initial value of an imported table", withSections(
			2, code(1, str("env"), str("t"), kindTable, 0x40, 0, funcTable(limits(1)), refNull('r'), opEnd))},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireCompiles(t, c.wasm)
			_, err := metering.Rewrite(c.wasm, metering.Options{})
			require.ErrorIs(t, err, metering.ErrUnsupported)
		})
	}
	for name, instruction := range map[string][]byte{
		"fc 8b 00 for memory.fill":  code(prefixMisc, 0x8b, 0, 0),
		"fd ae 81 00 for i32x4.add": code(prefixVector, 0xae, 0x81, 0),
		"fe 83 00 for atomic.fence": code(prefixAtomic, 0x83, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := metering.Rewrite(withCode(opUnreachable, instruction), metering.Options{})
			require.ErrorIs(t, err, metering.ErrUnsupported)
			require.ErrorContains(t, err, "in a longer form than needed")
		})
	}
}
