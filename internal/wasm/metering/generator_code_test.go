package metering_test

import "strings"

// operator is an instruction that computes a value from others.
type operator struct {
	operands string
	code     []byte
}

var operators = map[rune][]operator{
	'i': {
		{"ii", code(opI32Add)}, {"ii", code(opI32Sub)}, {"ii", code(opI32Mul)}, {"ii", code(opI32And)},
		{"ii", code(opI32Or)},
		{"ii", code(opI32Xor)}, {"ii", code(opI32Shl)}, {"ii", code(opI32Rotl)}, {"ii", code(opI32Eq)},
		{"ii", code(opI32LtS)},
		{"ii", code(opI32DivS)}, {"ii", code(opI32RemU)}, {"i", code(opI32Eqz)}, {"i", code(opI32Clz)},
		{"i", code(opI32Popcnt)},
		{"i", code(opI32Extend8S)}, {"I", code(opI32WrapI64)}, {"I", code(opI64Eqz)}, {"II", code(opI64LtS)},
		{"FF", code(opF64Lt)}, {"FF", code(opF64Eq)}, {"F", code(opI32TruncF64S)}, {"F", code(prefixMisc, 2)},
		{"v", vector(vectorI32x4Extract0, 1)}, {"", memorySize()}, {"", tableSize(0)},
	},
	'I': {
		{"II", code(opI64Add)}, {"II", code(opI64Sub)}, {"II", code(opI64Mul)}, {"II", code(opI64Xor)},
		{"II", code(opI64Rotr)},
		{"II", code(opI64DivU)}, {"i", code(opI64ExtendI32S)}, {"i", code(opI64ExtendI32U)},
		{"F", code(opI64ReinterpretF64)},
		{"I", code(opI64Extend16S)}, {"F", code(prefixMisc, 7)},
	},
	'F': {
		{"FF", code(opF64Add)}, {"FF", code(opF64Sub)}, {"FF", code(opF64Mul)}, {"FF", code(opF64Copysign)},
		{"F", code(opF64Neg)},
		{"F", code(opF64Abs)}, {"i", code(opF64ConvertI32S)}, {"I", code(opF64ConvertI64U)},
		{"I", code(opF64ReinterpretI64)},
	},
	'v': {
		{"i", vector(vectorI32x4Splat)}, {"vv", vector(vectorI32x4Add)}, {"", v128(7)},
		{"vv", vector(13, between(8, 23))},
	},
}

var (
	loads = map[rune][]byte{'i': load(opI32Load, 4), 'I': load(opI64Load, 8), 'F': load(opF64Load, 1),
		'v': vector(0, 0, 3)}
	stores = map[rune][]byte{'i': store(opI32Store, 4), 'I': store(opI64Store, 8), 'F': store(opF64Store, 1),
		'v': vector(11, 0, 3)}
)

func (s *scope) constant(t rune) []byte {
	n := s.choose(256)
	switch t {
	case 'i':
		return i32([]int32{int32(n), -int32(n), int32(n) << 20, -1 << 31}[n%4])
	case 'I':
		return i64([]int64{int64(n), -int64(n), int64(n) << 50, -1 << 63}[n%4])
	case 'F':
		return f64([]float64{float64(n), -float64(n) / 8, 1e300, 1e-300}[n%4])
	}
	return v128(byte(n))
}

// small returns code for a number that is suitable as an index or a size.
func (s *scope) small() []byte { return code(s.value('i'), i32(7), opI32And) }

// rarely returns code for a condition that is mostly false, so that most code is reached.
func (s *scope) rarely() []byte {
	if s.choose(8) == 7 {
		return s.value('i')
	}
	return code(s.value('i'), i32(13), opI32RemU, i32(int32(s.choose(13))), opI32Eq)
}

// tiny returns code for a number. The sum of two is suitable as an index.
func (s *scope) tiny() []byte { return code(s.value('i'), i32(3), opI32And) }

// address returns code for an address that is mostly within the memory.
func (s *scope) address() []byte {
	if s.choose(16) == 15 {
		return s.value('i')
	}
	return code(s.value('i'), i32(0x7fff), opI32And)
}

func (s *scope) values(types string) []byte {
	var b []byte
	for _, t := range types {
		b = append(b, s.value(t)...)
	}
	return b
}

// value returns code for a value of type t.
func (s *scope) value(t rune) []byte {
	if t == 'x' {
		return localGet(s.local(t))
	}
	if s.depth == maxDepth {
		return s.constant(t)
	}
	s.depth++
	defer func() { s.depth-- }()
	switch s.choose(20) {
	case 1, 2, 3:
		return localGet(s.local(t))
	case 4:
		return globalGet(s.globalOf(t))
	case 5, 6, 7:
		o := operators[t][s.choose(len(operators[t]))]
		return code(s.values(o.operands), o.code)
	case 8:
		return code(s.address(), loads[t])
	case 9:
		return block(t, s.within(string(t), func() []byte { return code(s.statements(), s.value(t)) }))
	case 10:
		return loop(t, s.within("", func() []byte { return code(s.statements(), s.value(t)) }))
	case 11:
		arm := func() []byte { return s.within(string(t), func() []byte { return code(s.statements(), s.value(t)) }) }
		return code(s.value('i'), when(t, arm(), opElse, arm()))
	case 12:
		return code(s.value(t), localTee(s.local(t)))
	case 13:
		return code(s.values(strings.Repeat(string(t), 2)), s.value('i'), 0x1c, 1, valueTypes[t])
	case 14:
		return code(s.value(t), s.value(t), s.value('i'), opSelect)
	case 15:
		f, types, ok := s.callee(func(f int, types signature) bool {
			return types.results == string(t) && s.mayCall(f)
		})
		if ok {
			return code(s.values(types.params), call(f))
		}
	case 16:
		return s.withParameters(string(t))
	case 17:
		if s.choose(8) == 7 {
			return s.jump()
		}
		return code(s.value(t), s.rarely(), when(nil, s.within("", s.jump)))
	case 18:
		// A br_if with a value, which stays on the stack if the branch is not taken.
		if labels := s.labelsTaking(string(t)); len(labels) > 0 {
			return code(s.value(t), s.rarely(), brIf(labels[s.choose(len(labels))]))
		}
	case 19:
		if t == 'i' {
			return s.growth()
		}
	}
	return s.constant(t)
}

// growth returns code for the result of an operation that may grow the memory or the table.
func (s *scope) growth() []byte {
	switch s.choose(4) {
	case 1:
		return code(refNull('r'), s.small(), tableGrow(0))
	case 2:
		return code(s.small(), tableGet(0), opRefIsNull)
	case 3:
		return code(s.value('i'), memoryGrow())
	}
	return code(s.value('i'), i32(1), opI32And, memoryGrow())
}

// withParameters returns code for values computed by a block or loop with parameters, which are stored in locals.
func (s *scope) withParameters(results string) []byte {
	params := s.some(generatedTypes, 3)
	kind := s.typ(params + ":" + results)
	operands := s.values(params)
	body := func() []byte {
		var b []byte
		for _, t := range reversed(params) {
			if s.choose(4) == 0 {
				b = append(b, opDrop)
			} else {
				b = append(b, localSet(s.local(t))...)
			}
		}
		return code(b, s.statements(), s.values(results))
	}
	switch s.choose(3) {
	case 1:
		return code(operands, loop(kind, s.within(params, body)))
	case 2:
		return code(operands, s.value('i'), when(kind, s.within(results, body), opElse, s.within(results, body)))
	}
	return code(operands, block(kind, s.within(results, body)))
}

func (s *scope) statements() []byte {
	if s.depth == maxDepth {
		return nil
	}
	s.depth++
	defer func() { s.depth-- }()
	var b []byte
	for range s.choose(8) {
		b = append(b, s.statement()...)
	}
	return b
}

// statement returns code that leaves the stack unchanged.
func (s *scope) statement() []byte {
	t := s.oneOf(generatedTypes)
	switch s.choose(24) {
	case 0, 1, 2:
		return code(s.value(t), localSet(s.local(t)))
	case 3:
		return code(s.value(t), globalSet(s.globalOf(t)))
	case 4, 5:
		return code(s.address(), s.value(t), stores[t])
	case 6:
		return code(s.value(t), opDrop)
	case 7:
		return block(nil, s.within("", s.statements))
	case 8:
		return loop(nil, s.within("", s.statements))
	case 9, 10, 11:
		counter := uint32(len(s.locals) + s.hidden)
		s.hidden++
		rounds := int32(1 + s.choose(20))
		return code(i32(rounds), localSet(counter),
			loop(nil, s.within("", s.statements), increment(counter, -1), localGet(counter), brIf(0)))
	case 12:
		return code(s.value('i'), when(nil, s.within("", s.statements)))
	case 13:
		return code(s.value('i'), when(nil, s.within("", s.statements), opElse, s.within("", s.statements)))
	case 14, 15:
		l, types := s.label()
		return code(s.values(types), s.rarely(), brIf(l), []byte(strings.Repeat(string(rune(opDrop)), len(types))))
	case 16:
		return code(s.rarely(), when(nil, s.within("", s.jump)))
	case 17:
		if f, types, ok := s.callee(func(f int, _ signature) bool { return s.mayCall(f) }); ok {
			return code(s.values(types.params), call(f),
				[]byte(strings.Repeat(string(rune(opDrop)), len(types.results))))
		}
	case 18:
		if f, types, ok := s.callee(func(_ int, types signature) bool {
			return !types.hasReference() && (s.recursive || s.self < len(s.signatures)-1)
		}); ok {
			return code(s.values(types.params), s.slotOf(f), callIndirect(s.typ(s.signatures[f].String()), 0),
				[]byte(strings.Repeat(string(rune(opDrop)), len(types.results))))
		}
	case 19:
		if s.choose(3) == 2 {
			return code(s.address(), s.small(), s.value('i'), i32(0x1f), opI32And, memoryInit(1))
		}
		return code(s.address(), s.address(), s.value('i'), i32(0x1ff), opI32And,
			[][]byte{memoryFill(), memoryCopy()}[s.choose(2)])
	case 20:
		return s.tableOperation()
	case 21:
		return s.withParameters("")
	case 22:
		return [][]byte{s.catching(), s.catchingAll()}[s.choose(2)]
	case 23:
		return code(s.rarely(), when(nil, s.within("", func() []byte {
			return [][]byte{
				dataDrop(1), elementDrop(1), code(s.address(), s.value('i'), s.value('i'), memoryFill()),
			}[s.choose(3)]
		})))
	}
	return []byte{opNop}
}

func (s *scope) tableOperation() []byte {
	f := refFunc(uint32(s.first + len(s.signatures[s.first:]) - 1))
	switch s.choose(5) {
	case 1:
		return code(s.tiny(), f, s.tiny(), tableFill(0))
	case 2:
		return code(s.tiny(), s.tiny(), s.tiny(), tableCopy(0, 0))
	case 3:
		return code(s.tiny(), s.tiny(), s.tiny(), tableInit(1, 0))
	case 4:
		return code(s.small(), refNull('r'), tableSet(0))
	}
	return code(s.small(), f, tableSet(0))
}
