package metering_test

import "slices"

const (
	opUnreachable        = 0x00
	opNop                = 0x01
	opElse               = 0x05
	opThrowRef           = 0x0a
	opEnd                = 0x0b
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opDrop               = 0x1a
	opSelect             = 0x1b
	opI32Load            = 0x28
	opI64Load            = 0x29
	opF64Load            = 0x2b
	opI32Load8U          = 0x2d
	opI32Store           = 0x36
	opI64Store           = 0x37
	opF64Store           = 0x39
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opI32Eqz             = 0x45
	opI32Eq              = 0x46
	opI32LtS             = 0x48
	opI32LtU             = 0x49
	opI32GtS             = 0x4a
	opI32GeS             = 0x4e
	opI64Eqz             = 0x50
	opI64LtS             = 0x53
	opF64Eq              = 0x61
	opF64Lt              = 0x63
	opI32Clz             = 0x67
	opI32Popcnt          = 0x69
	opI32Add             = 0x6a
	opI32Sub             = 0x6b
	opI32Mul             = 0x6c
	opI32DivS            = 0x6d
	opI32RemU            = 0x70
	opI32And             = 0x71
	opI32Or              = 0x72
	opI32Xor             = 0x73
	opI32Shl             = 0x74
	opI32ShrU            = 0x76
	opI32Rotl            = 0x77
	opI64Add             = 0x7c
	opI64Sub             = 0x7d
	opI64Mul             = 0x7e
	opI64DivU            = 0x80
	opI64Xor             = 0x85
	opI64Rotr            = 0x8a
	opF64Abs             = 0x99
	opF64Neg             = 0x9a
	opF64Add             = 0xa0
	opF64Sub             = 0xa1
	opF64Mul             = 0xa2
	opF64Copysign        = 0xa6
	opI32WrapI64         = 0xa7
	opI32TruncF64S       = 0xaa
	opI64ExtendI32S      = 0xac
	opI64ExtendI32U      = 0xad
	opF64ConvertI32S     = 0xb7
	opF64ConvertI64U     = 0xba
	opI64ReinterpretF64  = 0xbd
	opF64ReinterpretI64  = 0xbf
	opI32Extend8S        = 0xc0
	opI64Extend16S       = 0xc3
	opRefIsNull          = 0xd1
	prefixMisc           = 0xfc
	prefixVector         = 0xfd
	prefixAtomic         = 0xfe
	blockEmpty           = 0x40
	catchTag             = 0
	catchTagRef          = 1
	catchAll             = 2
	catchAllRef          = 3
	vectorI32x4Splat     = 17
	vectorI32x4Extract0  = 27
	vectorI32x4Add       = 0xae
	elementKindFunctions = 0
)

func localGet(i uint32) []byte  { return code(0x20, u32(i)) }
func localSet(i uint32) []byte  { return code(0x21, u32(i)) }
func localTee(i uint32) []byte  { return code(0x22, u32(i)) }
func globalGet(i uint32) []byte { return code(0x23, u32(i)) }
func globalSet(i uint32) []byte { return code(0x24, u32(i)) }
func tableGet(i uint32) []byte  { return code(0x25, u32(i)) }
func tableSet(i uint32) []byte  { return code(0x26, u32(i)) }

func call(f uint32) []byte                  { return code(0x10, u32(f)) }
func callIndirect(typ, tab uint32) []byte   { return code(0x11, u32(typ), u32(tab)) }
func returnCall(f uint32) []byte            { return code(0x12, u32(f)) }
func returnCallIndirect(t, i uint32) []byte { return code(0x13, u32(t), u32(i)) }
func refFunc(f uint32) []byte               { return code(0xd2, u32(f)) }
func refNull(letter rune) []byte            { return code(0xd0, valueTypes[letter]) }
func throw(tag uint32) []byte               { return code(0x08, u32(tag)) }

func br(label uint32) []byte   { return code(0x0c, u32(label)) }
func brIf(label uint32) []byte { return code(0x0d, u32(label)) }

// brTable takes the default label last.
func brTable(labels ...uint32) []byte {
	last := len(labels) - 1
	return code(opBrTable, indices(labels[:last]...), u32(labels[last]))
}

// load and store use no alignment hint, which is valid for every opcode.
func load(op byte, offset uint32) []byte  { return code(op, 0, u32(offset)) }
func store(op byte, offset uint32) []byte { return code(op, 0, u32(offset)) }

func memorySize() []byte { return code(0x3f, 0) }
func memoryGrow() []byte { return code(0x40, 0) }

func memoryInit(segment uint32) []byte     { return code(prefixMisc, 8, u32(segment), 0) }
func dataDrop(segment uint32) []byte       { return code(prefixMisc, 9, u32(segment)) }
func memoryCopy() []byte                   { return code(prefixMisc, 10, 0, 0) }
func memoryFill() []byte                   { return code(prefixMisc, 11, 0) }
func tableInit(segment, tab uint32) []byte { return code(prefixMisc, 12, u32(segment), u32(tab)) }
func elementDrop(segment uint32) []byte    { return code(prefixMisc, 13, u32(segment)) }
func tableCopy(to, from uint32) []byte     { return code(prefixMisc, 14, u32(to), u32(from)) }
func tableGrow(tab uint32) []byte          { return code(prefixMisc, 15, u32(tab)) }
func tableSize(tab uint32) []byte          { return code(prefixMisc, 16, u32(tab)) }
func tableFill(tab uint32) []byte          { return code(prefixMisc, 17, u32(tab)) }
func vector(op uint32, immediates ...any) []byte {
	return code(prefixVector, u32(op), code(immediates...))
}

// atomic takes the binary logarithm of the alignment, which must be the natural one.
func atomic(op byte, align int) []byte { return code(prefixAtomic, op, align, 0) }

// kindOf returns a block type: empty for nil, one result for a letter, or a type index.
func kindOf(kind any) []byte {
	switch k := kind.(type) {
	case nil:
		return []byte{blockEmpty}
	case rune:
		return []byte{valueTypes[k]}
	case uint32:
		return sleb(int64(k))
	}
	panic("no such block type")
}

func block(kind any, body ...any) []byte { return code(0x02, kindOf(kind), code(body...), opEnd) }
func loop(kind any, body ...any) []byte  { return code(0x03, kindOf(kind), code(body...), opEnd) }
func when(kind any, body ...any) []byte  { return code(0x04, kindOf(kind), code(body...), opEnd) }

// tryTable takes catch clauses, each with its kind, its tag if it has one, and its label.
func tryTable(kind any, clauses [][]byte, body ...any) []byte {
	return code(0x1f, kindOf(kind), entries(clauses), code(body...), opEnd)
}

func clause(kind byte, operands ...uint32) []byte {
	return slices.Concat([]byte{kind}, indices(operands...)[1:])
}

// increment adds a constant to a local variable of type i32.
func increment(local uint32, by int32) []byte {
	return code(localGet(local), i32(by), opI32Add, localSet(local))
}
