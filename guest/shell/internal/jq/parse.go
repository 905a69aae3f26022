package jq

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

type op uint8

const (
	opIdentity op = iota
	opRecurse     // ..
	opLiteral     // value
	opFormat      // @name
	opString      // parts, name is a format
	opIndex       // a [ b ]
	opSlice       // a [ b : c ], which can be missing
	opIterate     // a []
	opTry         // try a catch b
	opNegate
	opPipe
	opComma
	opAlternative // a // b
	opAssign      // a = b
	opUpdate      // a |= b
	opArithmeticUpdate
	opAlternativeUpdate
	opOr
	opAnd
	opBinary // name
	opArray
	opObject
	opIf
	opReduce
	opForeach
	opAs
	opDef
	opCall
	opVariable
	opLabel
	opBreak
)

// A node is a part of a program.
type node struct {
	op      op
	name    string
	value   any
	a, b, c *node
	d       *node
	list    []*node    // arguments, parts of a string, keys and values of an object
	pattern []*pattern // several are alternatives
	def     *definition
	key     string // of a call: the name with the number of arguments
}

// A pattern is what a value is taken apart by.
type pattern struct {
	variable string
	array    []*pattern
	object   []patternEntry
}

type patternEntry struct {
	variable string
	key      *node
	value    *pattern
}

// A definition is a function.
type definition struct {
	name   string
	params []string
	body   *node
}

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokIdent
	tokField    // .name
	tokVariable // $name
	tokNumber
	tokString
	tokFormat
	tokOp
	tokKeyword
)

type parser struct {
	src    string
	pos    int
	start  int
	kind   tokenKind
	text   string
	number float64
	parts  *node // of a string
	depth  int
}

// A CompileError is what is wrong with a program.
type CompileError struct {
	Text string
	At   int // the place in the program
}

func (e *CompileError) Error() string { return e.Text }

var keywords = map[string]bool{"def": true, "if": true, "then": true, "elif": true, "else": true, "end": true,
	"as":     true,
	"reduce": true, "foreach": true, "try": true, "catch": true, "label": true, "and": true, "or": true, "import": true,
	"include": true, "__loc__": true}

func parse(src string) (n *node, err error) {
	p := &parser{src: src}
	defer func() {
		if e := recover(); e != nil {
			compile, ok := e.(*CompileError)
			if !ok {
				panic(e)
			}
			err = compile
		}
	}()
	p.next()
	if p.kind == tokEOF {
		return &node{}, nil
	}
	n = p.pipe(true)
	if p.kind != tokEOF {
		p.unexpected()
	}
	return n, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(&CompileError{fmt.Sprintf(format, args...), p.pos})
}

func (p *parser) unexpected() {
	what := map[tokenKind]string{tokEOF: "$end", tokIdent: "IDENT", tokField: "FIELD", tokVariable: "'$'",
		tokNumber: "LITERAL",
		tokString: "QQSTRING_START", tokFormat: "FORMAT"}[p.kind]
	if what == "" {
		what = p.text
		if len(what) == 1 {
			what = "'" + what + "'"
		}
	}
	p.fail("syntax error, unexpected %s (Unix shell quoting issues?)", what)
}

func isIdentStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool      { return c >= '0' && c <= '9' }

func (p *parser) ident() string {
	from := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if isIdentStart(c) || isDigit(c) && p.pos > from {
			p.pos++
		} else if c == ':' && strings.HasPrefix(p.src[p.pos:], "::") && p.pos+2 < len(p.src) &&
			isIdentStart(p.src[p.pos+2]) {
			p.pos += 2
		} else {
			break
		}
	}
	return p.src[from:p.pos]
}

func (p *parser) next() {
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if c == '#' {
			for p.pos < len(p.src) && p.src[p.pos] != '\n' {
				p.pos++
			}
		} else if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			p.pos++
		} else {
			break
		}
	}
	p.start, p.text = p.pos, ""
	if p.pos >= len(p.src) {
		p.kind = tokEOF
		return
	}
	c := p.src[p.pos]
	rest := p.src[p.pos:]
	switch {
	case c == '"':
		p.kind = tokString
		p.pos++
		p.parts = p.stringParts()
	case c == '.' && len(rest) > 1 && isIdentStart(rest[1]):
		p.pos++
		p.kind, p.text = tokField, p.ident()
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.kind = tokNumber
		n := 0
		for n < len(rest) && (isDigit(rest[n]) || rest[n] == '.' || (rest[n]|0x20 == 'e') ||
			(rest[n] == '+' || rest[n] == '-') && n > 0 && rest[n-1]|0x20 == 'e') {
			n++
		}
		v, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil && !strings.Contains(err.Error(), "range") {
			p.fail("syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)")
		}
		p.number = v
		p.pos += n
	case isIdentStart(c):
		p.text = p.ident()
		p.kind = tokIdent
		if keywords[p.text] {
			p.kind = tokKeyword
		}
	case c == '$' && len(rest) > 1 && isIdentStart(rest[1]):
		p.pos++
		p.kind, p.text = tokVariable, p.ident()
	case c == '@' && len(rest) > 1 && isIdentStart(rest[1]):
		p.pos++
		p.kind, p.text = tokFormat, "@"+p.ident()
	default:
		p.kind = tokOp
		for _, o := range []string{"?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//",
			".."} {
			if strings.HasPrefix(rest, o) {
				p.pos += len(o)
				p.text = o
				return
			}
		}
		if strings.IndexByte(".[]{}()|,:;=<>+-*/%?$", c) < 0 {
			p.pos++
			p.fail("syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)")
		}
		p.pos++
		p.text = string(c)
	}
}

// stringParts reads a string, whose first quote was read.
func (p *parser) stringParts() *node {
	n := &node{op: opString}
	var b []byte
	for {
		if p.pos >= len(p.src) {
			p.fail("syntax error, unexpected $end, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END " +
				"(Unix shell quoting issues?)")
		}
		c := p.src[p.pos]
		p.pos++
		switch {
		case c == '"':
			n.list = append(n.list, &node{op: opLiteral, value: string(b)})
			return n
		case c == '\\' && p.pos < len(p.src) && p.src[p.pos] == '(':
			n.list = append(n.list, &node{op: opLiteral, value: string(b)})
			b = nil
			p.pos++
			inner := &parser{src: p.src, pos: p.pos, depth: p.depth + 1}
			inner.next()
			n.list = append(n.list, inner.pipe(true))
			if inner.kind != tokOp || inner.text != ")" {
				inner.unexpected()
			}
			p.pos = inner.pos
		case c == '\\':
			from := p.pos - 1
			length := 2
			if p.pos < len(p.src) && p.src[p.pos] == 'u' {
				length = 6
				if p.surrogate(from) {
					length = 12
				}
			}
			if from+length > len(p.src) {
				p.fail("syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)")
			}
			s, message := unquote([]byte(p.src[from : from+length]))
			if message != "" {
				p.fail("%s at line 1, column 4 (while parsing '\"%s\"')", message, p.src[from:from+length])
			}
			b = append(b, s...)
			p.pos = from + length
		default:
			b = append(b, c)
		}
	}
}

// surrogate says whether two escapes make one character.
func (p *parser) surrogate(from int) bool {
	if from+12 > len(p.src) || p.src[from+6:from+8] != `\u` {
		return false
	}
	s, message := unquote([]byte(p.src[from : from+12]))
	return message == "" && utf8.RuneCountInString(s) == 1
}

func (p *parser) is(o string) bool      { return p.kind == tokOp && p.text == o }
func (p *parser) keyword(s string) bool { return p.kind == tokKeyword && p.text == s }

func (p *parser) expect(o string) {
	if !p.is(o) {
		p.unexpected()
	}
	p.next()
}

func (p *parser) expectKeyword(s string) {
	if !p.keyword(s) {
		p.unexpected()
	}
	p.next()
}

const maxNesting = 2000

func (p *parser) pipe(comma bool) *node {
	if p.depth++; p.depth > maxNesting {
		p.fail("the program is nested too deep")
	}
	defer func() { p.depth-- }()
	if p.keyword("def") {
		def := p.define()
		return &node{op: opDef, def: def, a: p.pipe(comma)}
	}
	if p.keyword("label") {
		p.next()
		if p.kind != tokVariable {
			p.unexpected()
		}
		name := p.text
		p.next()
		p.expect("|")
		return &node{op: opLabel, name: name, a: p.pipe(comma)}
	}
	if p.keyword("import") || p.keyword("include") {
		p.fail("modules are not supported here: put the functions into the program")
	}
	left := p.comma(comma)
	if p.is("|") {
		p.next()
		return &node{op: opPipe, a: left, b: p.pipe(comma)}
	}
	return left
}

func (p *parser) patterns() []*pattern {
	list := []*pattern{p.pattern()}
	for p.is("?//") {
		p.next()
		list = append(list, p.pattern())
	}
	return list
}

func (p *parser) pattern() *pattern {
	switch {
	case p.kind == tokVariable:
		t := &pattern{variable: p.text}
		p.next()
		return t
	case p.is("["):
		p.next()
		t := &pattern{array: []*pattern{p.pattern()}}
		for p.is(",") {
			p.next()
			t.array = append(t.array, p.pattern())
		}
		p.expect("]")
		return t
	case p.is("{"):
		p.next()
		t := &pattern{}
		for {
			var e patternEntry
			switch {
			case p.kind == tokVariable:
				e.variable = p.text
				e.key = &node{op: opLiteral, value: p.text}
				p.next()
			case p.kind == tokIdent || p.kind == tokKeyword:
				e.key = &node{op: opLiteral, value: p.text}
				p.next()
			case p.kind == tokString:
				e.key = p.parts
				p.next()
			case p.is("("):
				p.next()
				e.key = p.pipe(true)
				p.expect(")")
			default:
				p.unexpected()
			}
			if p.is(":") {
				p.next()
				e.value = p.pattern()
			} else if e.variable == "" {
				p.unexpected()
			}
			t.object = append(t.object, e)
			if !p.is(",") {
				break
			}
			p.next()
		}
		p.expect("}")
		return t
	}
	p.unexpected()
	return nil
}

func (p *parser) define() *definition {
	p.next()
	if p.kind != tokIdent && p.kind != tokKeyword {
		p.unexpected()
	}
	def := &definition{name: p.text}
	p.next()
	if p.is("(") {
		for {
			p.next()
			switch p.kind {
			case tokIdent, tokKeyword:
				def.params = append(def.params, p.text)
			case tokVariable:
				def.params = append(def.params, "$"+p.text)
			default:
				p.unexpected()
			}
			p.next()
			if !p.is(";") {
				break
			}
		}
		p.expect(")")
	}
	p.expect(":")
	def.body = p.pipe(true)
	p.expect(";")
	return def
}

func (p *parser) comma(allowed bool) *node {
	left := p.binary(0)
	for allowed && p.is(",") {
		p.next()
		left = &node{op: opComma, a: left, b: p.binary(0)}
	}
	return left
}

type level struct {
	ops   string
	right bool
	none  bool // not associative
}

var levels = []level{
	{ops: " // ", right: true}, {ops: " = |= += -= *= /= %= //= ", none: true}, {ops: " or "}, {ops: " and "},
	{ops: " == != < <= > >= ", none: true}, {ops: " + - "}, {ops: " * / % "},
}

func (p *parser) binary(at int) *node {
	if at == len(levels) {
		return p.unary()
	}
	l := levels[at]
	left := p.binary(at + 1)
	for (p.kind == tokOp || p.keyword("or") || p.keyword("and")) && strings.Contains(l.ops, " "+p.text+" ") {
		o := p.text
		p.next()
		var right *node
		if l.right {
			right = p.binary(at)
		} else {
			right = p.binary(at + 1)
		}
		n := &node{op: opBinary, name: o, a: left, b: right}
		switch o {
		case "//":
			n.op = opAlternative
		case "=":
			n.op = opAssign
		case "|=":
			n.op = opUpdate
		case "//=":
			n.op = opAlternativeUpdate
		case "+=", "-=", "*=", "/=", "%=":
			n.op, n.name = opArithmeticUpdate, o[:1]
		case "or":
			n.op = opOr
		case "and":
			n.op = opAnd
		}
		left = n
		if l.none && p.kind == tokOp && strings.Contains(l.ops, " "+p.text+" ") {
			p.unexpected()
		}
	}
	return left
}

func (p *parser) unary() *node {
	if p.is("-") {
		p.next()
		return &node{op: opNegate, a: p.unary()}
	}
	return p.postfix()
}

func (p *parser) postfix() *node {
	n := p.source()
	if !p.keyword("as") {
		return n
	}
	// "term as $x | body" takes all that follows.
	p.next()
	as := &node{op: opAs, a: n, pattern: p.patterns()}
	p.expect("|")
	as.b = p.pipe(true)
	return as
}

// suffix reads what is in brackets behind a term.
func (p *parser) suffix(n *node) *node {
	p.next()
	if p.is("]") {
		p.next()
		return &node{op: opIterate, a: n}
	}
	if p.is(":") {
		p.next()
		to := p.pipe(true)
		p.expect("]")
		return &node{op: opSlice, a: n, c: to}
	}
	from := p.pipe(true)
	if p.is(":") {
		p.next()
		s := &node{op: opSlice, a: n, b: from}
		if !p.is("]") {
			s.c = p.pipe(true)
		}
		p.expect("]")
		return s
	}
	p.expect("]")
	return &node{op: opIndex, a: n, b: from}
}

func (p *parser) term() *node {
	if p.depth++; p.depth > maxNesting {
		p.fail("the program is nested too deep")
	}
	defer func() { p.depth-- }()
	switch p.kind {
	case tokNumber:
		n := &node{op: opLiteral, value: p.number}
		p.next()
		return n
	case tokString:
		n := p.parts
		p.next()
		return simplify(n)
	case tokFormat:
		name := p.text
		if formats[name] == nil {
			p.fail("%s is not a valid format", name[1:])
		}
		p.next()
		if p.kind == tokString {
			n := p.parts
			n.name = name
			p.next()
			return n
		}
		return &node{op: opFormat, name: name}
	case tokField:
		n := &node{op: opIndex, a: &node{}, b: &node{op: opLiteral, value: p.text}}
		p.next()
		return n
	case tokVariable:
		n := &node{op: opVariable, name: p.text}
		if p.text == "__loc__" {
			line := float64(1 + strings.Count(p.src[:p.start], "\n"))
			loc := &Object{}
			loc.Put("file", "<top-level>")
			loc.Put("line", line)
			n = &node{op: opLiteral, value: loc}
		}
		p.next()
		return n
	case tokIdent:
		return p.call()
	case tokKeyword:
		return p.construct()
	}
	switch p.text {
	case ".":
		p.next()
		if p.kind == tokString {
			n := &node{op: opIndex, a: &node{}, b: p.parts}
			p.next()
			return n
		}
		return &node{}
	case "..":
		p.next()
		return &node{op: opRecurse}
	case "(":
		p.next()
		n := p.pipe(true)
		p.expect(")")
		return n
	case "[":
		p.next()
		if p.is("]") {
			p.next()
			return &node{op: opLiteral, value: []any{}}
		}
		n := &node{op: opArray, a: p.pipe(true)}
		p.expect("]")
		return n
	case "{":
		return p.object()
	}
	p.unexpected()
	return nil
}

// simplify makes a literal of a string without parts.
func simplify(n *node) *node {
	if len(n.list) == 1 {
		return n.list[0]
	}
	return n
}

func (p *parser) call() *node {
	n := &node{op: opCall, name: p.text}
	p.next()
	if !p.is("(") {
		switch n.name {
		case "null":
			return &node{op: opLiteral}
		case "true", "false":
			return &node{op: opLiteral, value: n.name == "true"}
		}
	}
	if n.name == "break" && p.kind == tokVariable {
		n.op, n.name = opBreak, p.text
		p.next()
		return n
	}
	if p.is("(") {
		for {
			p.next()
			n.list = append(n.list, p.pipe(true))
			if !p.is(";") {
				break
			}
		}
		p.expect(")")
	}
	return n
}

func (p *parser) construct() *node {
	word := p.text
	switch word {
	case "if":
		p.next()
		n := &node{op: opIf, a: p.pipe(true)}
		p.expectKeyword("then")
		n.b = p.pipe(true)
		switch {
		case p.keyword("elif"):
			p.text = "if"
			n.c = p.construct()
			return n
		case p.keyword("else"):
			p.next()
			n.c = p.pipe(true)
		}
		p.expectKeyword("end")
		return n
	case "try":
		p.next()
		n := &node{op: opTry, a: p.source()}
		if p.keyword("catch") {
			p.next()
			n.b = p.source()
		}
		return n
	case "reduce", "foreach":
		p.next()
		n := &node{op: opReduce, a: p.source()}
		if word == "foreach" {
			n.op = opForeach
		}
		p.expectKeyword("as")
		n.pattern = p.patterns()
		p.expect("(")
		n.b = p.pipe(true)
		p.expect(";")
		n.c = p.pipe(true)
		if word == "foreach" && p.is(";") {
			p.next()
			n.d = p.pipe(true)
		}
		p.expect(")")
		return n
	case "def":
		def := p.define()
		return &node{op: opDef, def: def, a: p.pipe(true)}
	case "label":
		return p.pipe(true)
	}
	p.unexpected()
	return nil
}

// source reads a term with suffixes, but without "as".
func (p *parser) source() *node {
	n := p.term()
	for {
		switch {
		case p.kind == tokField:
			n = &node{op: opIndex, a: n, b: &node{op: opLiteral, value: p.text}}
			p.next()
		case p.is("."):
			p.next()
			if p.kind == tokString {
				n = &node{op: opIndex, a: n, b: p.parts}
				p.next()
			} else if !p.is("[") {
				p.unexpected()
			}
		case p.is("["):
			n = p.suffix(n)
		case p.is("?"):
			p.next()
			n = &node{op: opTry, a: n}
		default:
			return n
		}
	}
}

func (p *parser) object() *node {
	n := &node{op: opObject}
	p.next()
	for !p.is("}") {
		var key, value *node
		switch {
		case p.kind == tokVariable:
			key = &node{op: opLiteral, value: p.text}
			value = &node{op: opVariable, name: p.text}
			if p.text == "__loc__" {
				value = p.term()
			} else {
				p.next()
			}
		case p.kind == tokIdent || p.kind == tokKeyword:
			key = &node{op: opLiteral, value: p.text}
			p.next()
		case p.kind == tokNumber:
			key = &node{op: opLiteral, value: p.number}
			p.next()
		case p.kind == tokString:
			key = simplify(p.parts)
			p.next()
		case p.kind == tokFormat:
			key = p.term()
		case p.is("("):
			p.next()
			key = p.pipe(true)
			p.expect(")")
			if !p.is(":") {
				p.unexpected()
			}
		default:
			p.unexpected()
		}
		if p.is(":") {
			p.next()
			value = p.objectValue()
		} else if value == nil {
			value = &node{op: opIndex, a: &node{}, b: key}
		}
		n.list = append(n.list, key, value)
		if !p.is(",") {
			break
		}
		p.next()
	}
	p.expect("}")
	return n
}

func (p *parser) objectValue() *node {
	n := p.binary(0)
	for p.is("|") {
		p.next()
		n = &node{op: opPipe, a: n, b: p.binary(0)}
	}
	return n
}
