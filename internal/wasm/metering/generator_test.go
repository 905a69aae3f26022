package metering_test

import (
	"slices"
	"strings"
)

// source turns bytes into choices. After the last byte, every choice is the first, so that generation ends.
type source struct{ left []byte }

func (s *source) choose(n int) int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return int(b) % n
}

func (s *source) oneOf(letters string) rune { return rune(letters[s.choose(len(letters))]) }

// some returns up to n letters.
func (s *source) some(letters string, n int) string {
	var b strings.Builder
	for range s.choose(n + 1) {
		b.WriteRune(s.oneOf(letters))
	}
	return b.String()
}

type signature struct{ params, results string }

func (s signature) String() string { return s.params + ":" + s.results }

func (s signature) hasReference() bool { return strings.Contains(s.String(), "x") }

// generator makes a valid module from random bytes. It uses the types iIF, which the host can pass to functions, and v
// within functions. Functions that take or give references to exceptions are not exported, and not in the table: calls
// through it cannot tell these references from numbers once they are lowered.
type generator struct {
	source
	builder
	signatures []signature // of all functions, the imported ones first
	first      int         // of the defined functions
	callable   []uint32    // the elements of the table, repeated
	recursive  bool        // whether functions may call themselves
	budget     uint32      // a global: the number of calls left before recursion ends in a trap
	tagTypes   []string
}

const (
	generatedTypes   = "iIFv"
	globalsPerType   = 2
	tableSlots       = 8
	maxDepth         = 8
	callsPerFunction = 6
)

// tagTypes are the types of the tags of generated modules. References to the first are short, and to others long.
var tagTypes = [][]string{{"i", ""}, {"", "iI", "F"}}

func generate(data []byte) *generator {
	g := &generator{source: source{data}}
	g.recursive = g.choose(2) == 1
	for _, f := range []struct {
		name string
		signature
	}{{"log", signature{"i", ""}}, {"successor", signature{"i", "i"}}, {"note", signature{}}}[:g.choose(4)] {
		g.importFunction("host", f.name, f.String())
		g.signatures = append(g.signatures, f.signature)
	}
	g.first = len(g.signatures)
	for n := 1 + g.choose(4); n > 0; n-- {
		letters := "iIFx"
		if n == 1 { // the one that is always in the table
			letters = "iIF"
		}
		g.signatures = append(g.signatures, signature{g.some(letters, 3), g.some(letters, 2)})
	}

	g.memory(limitsTo(1, 3))
	g.activeData(16, "some text to begin with")
	g.passiveData("some text that can be copied to memory")
	g.dataCount = true
	for n := range globalsPerType {
		g.exportGlobal("g"+string(rune('0'+3*n)), "i", i32(int32(n)))
		g.exportGlobal("g"+string(rune('1'+3*n)), "I", i64(1<<40))
		g.exportGlobal("g"+string(rune('2'+3*n)), "F", f64(-0.5))
		g.global(code(valueTypes['v'], 1), v128(5))
	}
	g.budget = g.exportGlobal("budget", "i", i32(0))
	g.tagTypes = tagTypes[g.choose(len(tagTypes))]
	for _, types := range g.tagTypes {
		g.tag(types + ":")
	}
	g.table(funcTable(limitsTo(tableSlots, 2*tableSlots)))
	for f, types := range g.signatures {
		if types.hasReference() {
			continue
		}
		if g.recursive || f < g.first || f == len(g.signatures)-1 {
			g.callable = append(g.callable, uint32(f))
		}
	}
	slots := slices.Repeat(g.callable, tableSlots)[:tableSlots]
	g.element(0, i32(0), opEnd, indices(slots...))
	g.element(1, elementKindFunctions, indices(slots...))

	rest := g.left
	for f := g.first; f < len(g.signatures); f++ {
		share := len(rest) / (len(g.signatures) - f)
		g.left, rest = rest[:share], rest[share:]
		add(&g.functions, u32(g.typ(g.signatures[f].String())))
		if !g.signatures[f].hasReference() {
			g.export("f"+string(rune('0'+f-g.first)), kindFunction, uint32(f))
		}
		g.define(f)
	}
	return g
}

// scope holds everything that code can refer to at the current position.
type scope struct {
	*generator
	self   int
	locals string   // with the parameters
	hidden int      // the number of i32 locals reserved for counted loops
	labels []string // the types that branches to them take, the innermost last
	depth  int
	calls  int
}

func (g *generator) define(f int) {
	types := g.signatures[f]
	s := &scope{generator: g, self: f, locals: types.params + generatedTypes + generatedTypes + "x",
		labels: []string{types.results}}
	body := code(s.statements(), s.values(types.results))
	if s.recursive {
		body = code(globalGet(s.budget), opI32Eqz, when(nil, opUnreachable),
			globalGet(s.budget), i32(1), opI32Sub, globalSet(s.budget), body)
	}
	var groups [][]byte
	for _, t := range valueTypesOf(s.locals[len(types.params):] + strings.Repeat("i", s.hidden)) {
		groups = append(groups, code(1, t))
	}
	g.body(entries(groups), body)
}

func (s *scope) local(t rune) uint32 {
	var list []uint32
	for n, letter := range s.locals {
		if letter == t {
			list = append(list, uint32(n))
		}
	}
	return list[s.choose(len(list))]
}

func (s *scope) globalOf(t rune) uint32 {
	return uint32(strings.IndexRune(generatedTypes, t) + len(generatedTypes)*s.choose(globalsPerType))
}

// within generates code inside a block whose label takes the given types.
func (s *scope) within(label string, body func() []byte) []byte {
	s.labels = append(s.labels, label)
	b := body()
	s.labels = s.labels[:len(s.labels)-1]
	return b
}

// label returns a label, counted from the inside, and the types that it takes.
func (s *scope) label() (uint32, string) {
	l := s.choose(len(s.labels))
	if s.labels[len(s.labels)-1-l] == "x" { // a branch to it has no value to pass
		l = len(s.labels) - 1
	}
	return uint32(l), s.labels[len(s.labels)-1-l]
}

// labelsTaking returns the labels that take types.
func (s *scope) labelsTaking(types string) (list []uint32) {
	for n, t := range s.labels {
		if t == types {
			list = append(list, uint32(len(s.labels)-1-n))
		}
	}
	return list
}

// callee returns a function that accept accepts.
func (s *scope) callee(accept func(int, signature) bool) (uint32, signature, bool) {
	var list []int
	for f, types := range s.signatures {
		if accept(f, types) {
			list = append(list, f)
		}
	}
	if len(list) == 0 || s.calls == callsPerFunction {
		return 0, signature{}, false
	}
	s.calls++
	f := list[s.choose(len(list))]
	return uint32(f), s.signatures[f], true
}

// mayCall reports whether every endless chain of calls through f is metered.
func (s *scope) mayCall(f int) bool { return s.recursive || f < s.first || f > s.self }

// slotOf returns code for an index into the table that mostly is that of f.
func (s *scope) slotOf(f uint32) []byte {
	slot := slices.Index(s.callable, f)
	if slot < 0 || s.choose(8) == 7 {
		return s.small()
	}
	return i32(int32(slot))
}

// jump generates code after which nothing is reached.
func (s *scope) jump() []byte {
	results := s.labels[0]
	sameResults := func(_ int, types signature) bool { return types.results == results }
	switch s.choose(8) {
	case 1, 2:
		l, types := s.label()
		return code(s.values(types), br(l))
	case 3, 4:
		_, types := s.label()
		labels := s.labelsTaking(types)
		var table []uint32
		for range 1 + s.choose(6) {
			table = append(table, labels[s.choose(len(labels))])
		}
		return code(s.values(types), s.small(), brTable(table...))
	case 5:
		if f, types, ok := s.callee(sameResults); ok {
			return code(s.values(types.params), returnCall(f))
		}
	case 6:
		if f, types, ok := s.callee(sameResults); ok && s.recursive && !types.hasReference() {
			return code(s.values(types.params), s.slotOf(f), returnCallIndirect(s.typ(s.signatures[f].String()), 0))
		}
	case 7:
		tag := s.choose(len(s.tagTypes) + 2)
		switch tag - len(s.tagTypes) {
		case 0:
			return code(localGet(s.local('x')), opThrowRef)
		case 1:
			return []byte{opUnreachable}
		}
		return code(s.values(s.tagTypes[tag]), throw(uint32(tag)))
	}
	return code(s.values(results), opReturn)
}

// catching generates a try_table around a body that leaves nothing on the stack.
func (s *scope) catching() []byte {
	var clauses [][]byte
	for range s.choose(3) {
		tag := s.choose(len(s.tagTypes) + 1)
		if tag == len(s.tagTypes) {
			for _, l := range lastOf(s.labelsTaking("")) {
				clauses = append(clauses, clause(catchAll, l))
			}
			continue
		}
		for _, l := range lastOf(s.labelsTaking(s.tagTypes[tag])) {
			clauses = append(clauses, clause(catchTag, uint32(tag), l))
		}
	}
	return tryTable(nil, clauses, s.within("", s.statements))
}

func lastOf(list []uint32) []uint32 { return list[max(0, len(list)-1):] }

// catchingAll generates a try_table that rethrows, keeps or drops its exception, in some cases only that of a tag.
func (s *scope) catchingAll() []byte {
	then := [][]byte{{opDrop}, {opThrowRef}, localSet(s.local('x'))}[s.choose(3)]
	catching := clause(catchAllRef, 0)
	if tag := s.choose(2 * len(s.tagTypes)); tag < len(s.tagTypes) && s.tagTypes[tag] == "" {
		catching = clause(catchTagRef, uint32(tag), 0)
	}
	return block(nil, block('x', tryTable(nil, [][]byte{catching}, s.within("", func() []byte {
		return s.within("x", func() []byte { return s.within("", s.statements) })
	})), br(1)), then)
}

func reversed(letters string) string {
	runes := []rune(letters)
	slices.Reverse(runes)
	return string(runes)
}
