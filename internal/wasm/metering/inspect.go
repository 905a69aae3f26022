package metering

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Info is what a host needs to know of a module before it compiles it.
type Info struct {
	// Imports and Exports are in the module's order. An import's Module is where it comes from.
	Imports, Exports []External
	// Memory is the first memory, or nil.
	Memory *MemoryType
	// Functions, Globals and Tags are how many the module defines. Elements are those of all tables at the start.
	Functions, Globals, Tags int
	Elements                 uint64
	// Custom is how many bytes are in custom sections, which [Rewrite] leaves out.
	Custom int
	// Code is the largest value for any function, and Total the sum for all. The latter has no Nesting and no Loops.
	Code, Total CodeSize
}

// CodeSize says how much work the code of a function can be for a compiler.
type CodeSize struct {
	Bytes   int    // of the body
	Locals  uint64 // with the parameters
	Blocks  uint64 // how many there are
	Nesting int    // how deep they are nested
	Loops   int    // how deep loops are nested
	// Carried is the product of Locals and Loops.
	Carried uint64
	// Joins is the product of Locals and Blocks. A compiler may have to decide for each local, at the end of each
	// block, where its value comes from.
	Joins uint64
	// Values is the number of calls, throws, catch clauses and branch targets in tables, and of the values that they
	// and blocks take and give.
	Values uint64
	// Exits is the square of the number of conditional branches, and in modules with tags also of calls, throws, catch
	// clauses, and the values that clauses pass on. Some of a compiler's passes take that much time.
	Exits uint64
}

// An External is something that a module imports or exports.
type External struct {
	Module, Name string
	Kind         Kind
	// Type is the type of a function, such as "(i32, i64) -> (i32)". It is empty for everything else.
	Type string
}

// A Kind is a kind of import or export.
type Kind byte

// The kinds.
const (
	Function Kind = iota
	Table
	Memory
	Global
	Tag
)

func (k Kind) String() string {
	names := []string{"function", "table", "memory", "global", "tag"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// A MemoryType is the type of a memory. Sizes are in pages of 64 KiB.
type MemoryType struct {
	Least  uint64
	Shared bool
}

// Errors of [Inspect] for what is not a module that this package knows. Others wrap [ErrUnsupported] or are about bytes
// that are no module at all.
var (
	ErrComponent = errors.New("a component, not a core module")
	ErrMemory64  = errors.New("a 64-bit memory or table (memory64)")
)

// Inspect reads a module. It takes memory in proportion to the module, whatever that says of itself, and so does
// compiling a module that Inspect has read, but for what [Info] counts.
func Inspect(module []byte) (*Info, error) {
	info, err := inspect(module)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	return info, nil
}

// Exports returns what a module exports. It does not look at the code, which is what takes [Inspect] most of its time.
func Exports(module []byte) ([]External, error) {
	m, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	i := &inspector{module: m}
	if err := m.read([]sectionReader{{sectionImport, i.readExternals}, {sectionExport, i.readExports}}); err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	return i.Info.Exports, nil
}

func inspect(data []byte) (*Info, error) {
	if len(data) >= 8 && string(data[:4]) == "\x00asm" && data[6] == 1 {
		return nil, ErrComponent
	}
	i := &inspector{}
	// The limits come first: parse refuses 64-bit ones as unknown.
	if err := i.sections(data); err != nil {
		return nil, err
	}
	m, err := parse(data)
	if err != nil {
		return nil, err
	}
	i.module = m
	if err := m.read([]sectionReader{
		{sectionImport, i.readExternals},
		{sectionGlobal, i.readGlobals},
		{sectionExport, i.readExports},
		{sectionStart, func(r *reader) { r.u32(); _ = r.end() }},
		{sectionCode, i.readCode},
		{sectionData, i.readData},
	}); err != nil {
		return nil, err
	}
	i.Functions, i.Globals, i.Tags = len(m.functions), int(m.globals), len(m.tagTypes)
	return &i.Info, nil
}

// inspector collects an Info.
type inspector struct {
	Info
	*module
	constants rewriter // copies constant expressions, which checks them
}

// sections looks at the limits of memories and tables, and at custom sections.
func (i *inspector) sections(data []byte) error {
	r := &reader{data: data}
	r.take(uint32(len(header)))
	for !r.done() {
		id := r.byte()
		content := r.take(r.u32())
		switch id {
		case sectionCustom:
			if i.Custom += len(content); r.err == nil {
				name := &reader{data: content}
				if name.name(); name.err != nil {
					return fmt.Errorf("a custom section: %w", name.err)
				}
			}
		case sectionMemory, sectionTable:
			limits := &reader{data: content}
			for n := limits.u32(); n > 0 && !limits.done(); n-- {
				if id == sectionTable {
					limits.byte()
				}
				i.limits(limits, id == sectionMemory)
			}
			if errors.Is(limits.err, ErrMemory64) {
				return limits.err
			}
		}
	}
	return nil // what is malformed is found later
}

// limits reads the limits of a memory or a table.
func (i *inspector) limits(r *reader, memory bool) {
	flags := r.byte()
	if flags&4 != 0 && flags < 8 {
		r.fail(ErrMemory64)
		return
	}
	t := MemoryType{Least: uint64(r.u32()), Shared: flags&2 != 0}
	if flags&1 != 0 {
		r.u32() // the most
	}
	if r.err != nil {
		return
	}
	if !memory {
		i.Elements += t.Least
	} else if i.Memory == nil {
		i.Memory = &t
	}
}

func (t functionType) String() string { return typeNames(t.params) + " -> " + typeNames(t.results) }

// values is how many values the type names.
func (t functionType) values() uint64 { return uint64(len(t.params) + len(t.results)) }

// typeNames formats value types. Those of a long list are left out.
func typeNames(types []byte) string {
	const most = 20
	var names []string
	for _, t := range types[:min(len(types), most)] {
		names = append(names, typeName(t))
	}
	if len(types) > most {
		names = append(names, "...")
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func typeName(t byte) string {
	switch t {
	case 0x7f:
		return "i32"
	case 0x7e:
		return "i64"
	case 0x7d:
		return "f32"
	case 0x7c:
		return "f64"
	case 0x7b:
		return "v128"
	case 0x70:
		return "funcref"
	case 0x6f:
		return "externref"
	case typeExnref:
		return "exnref"
	}
	return fmt.Sprintf("%#x", t)
}

func (i *inspector) readExternals(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		e := External{Module: r.name(), Name: r.name(), Kind: Kind(r.byte())}
		switch e.Kind {
		case Function:
			e.Type = i.typeOf(r.u32()).String()
		case Table:
			r.byte()
			i.limits(r, false)
		case Memory:
			i.limits(r, true)
		case Global:
			skipValueType(r)
			r.byte()
		case Tag:
			r.byte()
			r.u32()
		}
		i.Imports = append(i.Imports, e)
	}
}

// typeOf returns the type with an index, or one without values if there is none.
func (i *inspector) typeOf(index uint32) functionType {
	if int(index) < len(i.types) {
		return i.types[index]
	}
	return functionType{}
}

func (i *inspector) readGlobals(r *reader) {
	i.constants.module = i.module
	r.each(func() {
		skipValueType(r)
		r.byte()
		i.constants.constant(r, nil)
	})
}

func (i *inspector) readExports(r *reader) {
	seen := map[string]bool{}
	r.each(func() {
		e := External{Name: r.name(), Kind: Kind(r.byte())}
		index := r.u32()
		if seen[e.Name] {
			r.fail(errors.New("two exports have the same name"))
		}
		seen[e.Name] = true
		if defined := int64(index) - int64(i.importFunctions); e.Kind == Function && r.err == nil {
			switch {
			case defined >= int64(len(i.functions)):
				r.fail(fmt.Errorf("there is no function %d", index))
			case defined >= 0:
				e.Type = i.typeOf(i.functions[defined]).String()
			default:
				imported := slices.DeleteFunc(slices.Clone(i.Imports), func(e External) bool {
					return e.Kind != Function
				})
				e.Type = imported[index].Type
			}
		}
		i.Exports = append(i.Exports, e)
	})
}

// readData checks that there are as many segments as the section says.
func (i *inspector) readData(r *reader) {
	i.constants.module = i.module
	r.each(func() {
		switch form := r.u32(); form {
		case 0:
			i.constants.constant(r, nil)
		case 1:
		case 2:
			r.u32()
			i.constants.constant(r, nil)
		default:
			r.fail(fmt.Errorf("%w: data segment of form %d", ErrUnsupported, form))
		}
		r.take(r.u32())
	})
}

func (i *inspector) readCode(r *reader) {
	n := r.u32()
	if r.err == nil && int(n) != len(i.functions) {
		r.fail(fmt.Errorf("%d bodies for %d functions", n, len(i.functions)))
	}
	for f := uint32(0); f < n && r.err == nil; f++ {
		body := r.take(r.u32())
		if r.err != nil {
			return
		}
		size, err := i.codeSize(body, i.typeOf(i.functions[f]))
		if err != nil {
			r.fail(fmt.Errorf("function %d: %w", i.importFunctions+f, err))
			return
		}
		most := &i.Code
		most.Bytes = max(most.Bytes, size.Bytes)
		most.Locals = max(most.Locals, size.Locals)
		most.Nesting = max(most.Nesting, size.Nesting)
		most.Carried = max(most.Carried, size.Carried)
		most.Loops = max(most.Loops, size.Loops)
		most.Joins = max(most.Joins, size.Joins)
		most.Blocks = max(most.Blocks, size.Blocks)
		most.Values = max(most.Values, size.Values)
		most.Exits = max(most.Exits, size.Exits)
		total := &i.Total
		total.Bytes += size.Bytes
		total.Locals += size.Locals
		total.Carried += size.Carried
		total.Joins += size.Joins
		total.Blocks += size.Blocks
		total.Values += size.Values
		total.Exits += size.Exits
	}
	r.end()
}

// codeSize measures the body of a function.
func (i *inspector) codeSize(body []byte, of functionType) (CodeSize, error) {
	r := &reader{data: body}
	s := CodeSize{Bytes: len(body), Locals: uint64(len(of.params))}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		s.Locals += uint64(r.u32())
		skipValueType(r)
	}
	s.Blocks = 1
	open := []byte{opBlock} // the opcodes of the blocks that are open
	loops, tries := 0, 0
	var exits, leaves uint64
	if len(i.tagTypes) > 0 {
		// A wrapper passes on parameters. Results may have to be made up, with as much code as 9 other values take.
		s.Values += uint64(len(of.params) + 9*len(of.results))
		leaves = 1
	}
	for len(open) > 0 && r.err == nil {
		start := r.pos
		switch op := r.byte(); op {
		case opBlock, opLoop, opIf, opTryTable:
			s.Blocks++
			open = append(open, op)
			switch op {
			case opLoop:
				loops++
				s.Loops = max(s.Loops, loops)
			case opTryTable:
				tries++
			}
			s.Nesting = max(s.Nesting, len(open)+tries)
			kind := *r
			if op == opTryTable {
				s.Blocks++
				readTryTable(r, func(c clause) {
					s.Blocks++
					s.Values += i.carried(c.tag)
					exits += i.carried(c.tag)
				})
			} else {
				skipImmediates(r, op)
			}
			if r.err != nil {
				break
			}
			if first := body[start+1]; first&0xc0 != 0x40 && first != blockEmpty { // a type's index
				s.Values += i.typeOf(kind.u32()).values()
			}
		case opElse:
			s.Blocks++
		case opEnd:
			switch open[len(open)-1] {
			case opLoop:
				loops--
			case opTryTable:
				tries--
			}
			open = open[:len(open)-1]
		case opBrTable:
			n := uint64(r.u32()) + 1
			s.Values += n
			for ; n > 0 && r.err == nil; n-- {
				r.u32()
			}
		case opBrIf:
			r.u32()
			exits++
		case opThrow:
			s.Values += i.carried(r.u32())
			exits++
		case opCall, opReturnCall:
			s.Values++
			exits += leaves
			if index := r.u32(); index >= i.importFunctions && int(index-i.importFunctions) < len(i.functions) {
				s.Values += i.typeOf(i.functions[index-i.importFunctions]).values()
			}
		case opCallIndirect, opReturnCallIndirect:
			s.Values += i.typeOf(r.u32()).values() + 1
			exits += leaves
			r.u32()
		default:
			skipImmediates(r, op)
		}
	}
	if r.err == nil && r.pos != len(body) {
		r.fail(errors.New("instructions behind the end of the function"))
	}
	s.Joins, s.Carried, s.Exits = s.Locals*s.Blocks, s.Locals*uint64(s.Loops), exits*exits
	return s, r.err
}

// carried is how many values an exception carries, and 1 for the exception itself.
func (i *inspector) carried(tag uint32) uint64 {
	if int(tag) >= len(i.tagTypes) {
		return 1
	}
	return 1 + uint64(len(i.typeOf(i.tagTypes[tag]).params))
}

// Strip returns a module without its custom sections, which describe the code and are no part of it.
func Strip(module []byte) ([]byte, error) {
	m, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	return encode(m.sections), nil
}
