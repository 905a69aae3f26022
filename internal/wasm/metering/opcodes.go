package metering

import (
	"fmt"
	"slices"
)

// Opcodes that the code refers to. The others are known only by the immediates that follow them. See
// https://webassembly.github.io/spec/core/binary/instructions.html
const (
	opUnreachable        = 0x00
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opThrow              = 0x08
	opThrowRef           = 0x0a
	opEnd                = 0x0b
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opDrop               = 0x1a
	opSelectTyped        = 0x1c
	opTryTable           = 0x1f
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opLocalTee           = 0x22
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opTableGet           = 0x25
	opTableSet           = 0x26
	opI32Load            = 0x28
	opI64Store32         = 0x3e
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opI32Eqz             = 0x45
	opI32Eq              = 0x46
	opI32GtS             = 0x4a
	opI32GtU             = 0x4b
	opI32LeS             = 0x4c
	opI32GeU             = 0x4f
	opI64LeU             = 0x58
	opI32Add             = 0x6a
	opI32Sub             = 0x6b
	opI32Mul             = 0x6c
	opI32ShrU            = 0x76
	opI64Add             = 0x7c
	opI64Sub             = 0x7d
	opI64Mul             = 0x7e
	opI64Or              = 0x84
	opI64Shl             = 0x86
	opI64ShrU            = 0x88
	opI32WrapI64         = 0xa7
	opI64ExtendI32U      = 0xad
	opI32ReinterpretF32  = 0xbc
	opI64ReinterpretF64  = 0xbd
	opF32ReinterpretI32  = 0xbe
	opF64ReinterpretI64  = 0xbf
	opI64Extend32S       = 0xc4
	opRefNull            = 0xd0
	opRefIsNull          = 0xd1
	opRefFunc            = 0xd2
	prefixMisc           = 0xfc
	prefixVector         = 0xfd
	prefixAtomic         = 0xfe

	blockEmpty = 0x40
)

// Kinds of catch clauses in a try_table.
const (
	catch       = 0
	catchRef    = 1
	catchAll    = 2
	catchAllRef = 3
)

// skipImmediates skips the immediates of the one-byte opcode op.
func skipImmediates(r *reader, op byte) {
	switch {
	case r.err != nil:
	case op == opBlock, op == opLoop, op == opIf:
		skipBlockType(r)
	case op <= 0x01, op == opElse, op == opThrowRef, op == opEnd, op == opReturn, // unreachable, nop
		op == 0x1a, op == 0x1b, op == opRefIsNull, // drop, select
		op >= 0x45 && op <= opI64Extend32S: // the numeric instructions
	case op == opBr, op == opBrIf, op == opThrow,
		op >= opLocalGet && op <= opTableSet,
		op == opCall, op == opReturnCall, op == opRefFunc:
		r.u32()
	case op == opBrTable:
		for n := uint64(r.u32()) + 1; n > 0 && r.err == nil; n-- {
			r.u32()
		}
	case op == opCallIndirect, op == opReturnCallIndirect:
		r.u32()
		r.u32()
	case op == opSelectTyped:
		readValueTypes(r)
	case op >= opI32Load && op <= opI64Store32:
		skipMemoryArgument(r)
	case op == opMemorySize, op == opMemoryGrow:
		skipZero(r)
	case op == opI32Const:
		r.skipLEB(32)
	case op == opI64Const:
		r.skipLEB(64)
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op == opRefNull:
		skipValueType(r)
	case op == prefixMisc:
		skipMisc(r)
	case op == 0x06, op == 0x07, op == 0x09, op == 0x18, op == 0x19: // try, catch, rethrow, delegate, catch_all
		r.fail(fmt.Errorf("%w: opcode %#x", ErrLegacyExceptions, op))
	case op == prefixVector:
		skipVector(r)
	case op == prefixAtomic:
		skipAtomic(r)
	default:
		r.fail(fmt.Errorf("%w: opcode %#x", ErrUnsupported, op))
	}
}

// skipBlockType skips a block type: empty, a value type, or a type index as a signed 33-bit number.
func skipBlockType(r *reader) {
	if r.pos < len(r.data) {
		switch b := r.data[r.pos]; {
		case b == blockEmpty:
			r.pos++
		case b&0xc0 == 0x40: // negative in one byte: a value type
			skipValueType(r)
		default:
			// A long encoding of a negative number is possible, too, and would not be an index.
			if r.u32(); r.err == nil && r.data[r.pos-1]&0x40 != 0 {
				r.fail(fmt.Errorf("%w: block type that is a negative number", ErrUnsupported))
			}
		}
		return
	}
	r.fail(errTruncated)
}

// skipMemoryArgument skips an alignment and an offset. Bit 6 of the alignment announces a memory index.
func skipMemoryArgument(r *reader) {
	if align := r.u32(); align >= 1<<6 {
		r.fail(fmt.Errorf("%w: memory argument with flags %#x", ErrUnsupported, align))
	}
	r.u32()
}

// skipZero skips the index of a memory, which must be 0.
func skipZero(r *reader) {
	if index := r.byte(); index != 0 {
		r.fail(fmt.Errorf("%w: memory index %d", ErrUnsupported, index))
	}
}

// Opcodes after prefixMisc.
const (
	miscLastTruncation = 7
	miscMemoryInit     = 8
	miscDataDrop       = 9
	miscMemoryCopy     = 10
	miscMemoryFill     = 11
	miscTableInit      = 12
	miscElementDrop    = 13
	miscTableCopy      = 14
	miscTableGrow      = 15
	miscTableSize      = 16
	miscTableFill      = 17
)

// skipMisc skips the rest of an instruction after prefixMisc and returns its opcode.
func skipMisc(r *reader) uint32 {
	op := r.opcode()
	switch op {
	case miscMemoryInit:
		r.u32()
		skipZero(r)
	case miscMemoryCopy:
		skipZero(r)
		skipZero(r)
	case miscMemoryFill:
		skipZero(r)
	case miscDataDrop, miscElementDrop, miscTableGrow, miscTableSize, miscTableFill:
		r.u32()
	case miscTableInit, miscTableCopy:
		r.u32()
		r.u32()
	default:
		if op > miscLastTruncation {
			r.fail(fmt.Errorf("%w: opcode 0xfc %#x", ErrUnsupported, op))
		}
	}
	return op
}

// isBulk reports whether a misc instruction processes as many bytes or elements as its last operand, an i32, says.
func isBulk(op uint32) bool {
	switch op {
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableGrow, miscTableFill:
		return true
	}
	return false
}

const (
	vectorConst      = 12
	vectorShuffle    = 13
	vectorSplatI32   = 17
	vectorExtractI32 = 27
	vectorReplaceI32 = 28
	vectorExtractI64 = 29
	vectorReplaceI64 = 30
)

// vectorReserved lists the opcodes up to 0xff without a meaning.
var vectorReserved = []uint32{
	0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6,
	0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
}

// skipVector skips the rest of an instruction after prefixVector and returns its opcode.
func skipVector(r *reader) uint32 {
	op := r.opcode()
	switch {
	case slices.Contains(vectorReserved, op):
		r.fail(fmt.Errorf("%w: opcode 0xfd %#x", ErrUnsupported, op))
	case op <= 11, op == 92, op == 93: // loads and the store; v128.load32_zero, v128.load64_zero
		skipMemoryArgument(r)
	case op == vectorConst, op == vectorShuffle:
		r.take(16)
	case op >= 21 && op <= 34: // extract_lane, replace_lane
		r.byte()
	case op >= 84 && op <= 91: // v128.load8_lane to v128.store64_lane
		skipMemoryArgument(r)
		r.byte()
	case op <= 0xff:
	default:
		r.fail(fmt.Errorf("%w: opcode 0xfd %#x", ErrUnsupported, op))
	}
	return op
}

// skipAtomic skips the rest of an instruction after prefixAtomic.
func skipAtomic(r *reader) {
	switch op := r.opcode(); {
	case op == 3: // atomic.fence
		r.byte()
	case op <= 2, op >= 0x10 && op <= 0x4e:
		skipMemoryArgument(r)
	default:
		r.fail(fmt.Errorf("%w: opcode 0xfe %#x", ErrUnsupported, op))
	}
}
