package awk

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A program is compiled to functions, which are called with the machine that runs it.
type (
	expr func(m *machine) value
	stmt func(m *machine) control
)

type control uint8

const (
	normal control = iota
	breaks
	continues
	returns
	nexts
	nextFiles
	exits
)

// A node is an expression, with what else it can be used for.
type node struct {
	eval expr
	// cell is the cell of a variable or an element.
	cell func(m *machine) *cell
	// field is the number of a field, if it is one.
	field expr
	// special is the number of a special variable, if it is one.
	special int
	name    string
	bare    bool   // a variable by itself
	regex   string // of a regular expression by itself
	isRegex bool
	list    []node // in parentheses
	grouped bool
}

func (n *node) assignable() bool { return n.cell != nil || n.field != nil || n.special != 0 }

// A function is one of the program.
type function struct {
	name   string
	params []string
	body   stmt
	locals map[string]int
	known  bool
}

// A rule is a pattern with what is done for records that match.
type rule struct {
	pattern, until expr
	body           stmt
}

type program struct {
	begin, end, beginFile, endFile []stmt
	rules                          []rule
	functions                      map[string]*function
	globals                        map[string]int
	source                         string // the name of its file
}

type parser struct {
	lexer
	prog    *program
	local   map[string]int // of the function that is being read
	inFunc  bool
	loops   int
	noIn    bool // "in" ends an expression
	noGt    bool // ">" is a redirection
	depth   int
	closed  int // where the last list of arguments ended
	lines   bool
	ruleFor string
}

const maxParseDepth = 1000

// parse reads a program. It says in a panic what is wrong with it.
func parse(src, source string, warn func(byte)) *program {
	p := &parser{prog: &program{functions: map[string]*function{}, globals: map[string]int{}, source: source}}
	p.src, p.warn = src, warn
	p.lines = strings.Contains(strings.TrimSpace(src), "\n")
	p.next()
	p.newlines()
	for p.tok != tEOF {
		p.item()
		for p.tok == tNewline || p.is(";") {
			p.next()
		}
	}
	for _, f := range p.prog.functions {
		if !f.known {
			panic(fatal("function `" + f.name + "' not defined"))
		}
	}
	return p.prog
}

func (p *parser) fail(message string) {
	panic(syntaxError{at: p.start, message: message})
}

// error fails without showing where in its line.
func (p *parser) error(message string) {
	panic(syntaxError{at: p.start, message: message, plain: true})
}

func (p *parser) unexpected() {
	if p.tok == tNewline || p.tok == tEOF {
		p.fail("unexpected newline or end of string")
	}
	p.fail("syntax error")
}

func (p *parser) is(op string) bool     { return p.tok == tOp && p.text == op }
func (p *parser) keyword(s string) bool { return p.tok == tKeyword && p.text == s }
func (p *parser) accept(op string) bool {
	if p.is(op) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.unexpected()
	}
}

func (p *parser) newlines() {
	for p.tok == tNewline {
		p.next()
	}
}

func (p *parser) nest() func() {
	if p.depth++; p.depth > maxParseDepth {
		p.fail("nested too deep")
	}
	return func() { p.depth-- }
}

func (p *parser) item() {
	switch {
	case p.keyword("function"):
		p.function()
		return
	case p.keyword("BEGIN"), p.keyword("END"), p.keyword("BEGINFILE"), p.keyword("ENDFILE"):
		which := p.text
		p.ruleFor = which
		p.next()
		if !p.is("{") {
			if p.tok == tNewline || p.tok == tEOF {
				p.fail(which + " blocks must have an action part")
			}
			p.unexpected()
		}
		body := p.block()
		p.ruleFor = ""
		list := map[string]*[]stmt{"BEGIN": &p.prog.begin, "END": &p.prog.end, "BEGINFILE": &p.prog.beginFile,
			"ENDFILE": &p.prog.endFile}[which]
		*list = append(*list, body)
		return
	case p.is("@"):
		p.fail("@-directives are not supported")
	}
	var r rule
	if !p.is("{") {
		r.pattern = p.condition()
		if p.accept(",") {
			p.newlines()
			r.until = p.condition()
		}
	}
	if p.is("{") {
		r.body = p.block()
	}
	p.prog.rules = append(p.prog.rules, r)
}

func (p *parser) condition() expr {
	n := p.expr()
	return n.eval
}

func (p *parser) function() {
	p.next()
	if p.tok != tName && p.tok != tCall {
		p.unexpected()
	}
	name := p.text
	f := p.called(name)
	if f.known {
		p.error("function name `" + name + "' previously defined")
	}
	f.known = true
	p.next()
	p.expect("(")
	f.locals = map[string]int{}
	for !p.is(")") {
		p.newlines()
		if p.tok != tName {
			p.unexpected()
		}
		f.locals[p.text] = len(f.params)
		f.params = append(f.params, p.text)
		p.next()
		p.newlines()
		if !p.accept(",") {
			break
		}
		p.newlines()
	}
	p.expect(")")
	p.newlines()
	p.local, p.inFunc = f.locals, true
	f.body = p.block()
	p.local, p.inFunc = nil, false
}

func (p *parser) called(name string) *function {
	f := p.prog.functions[name]
	if f == nil {
		f = &function{name: name}
		p.prog.functions[name] = f
	}
	return f
}

func (p *parser) block() stmt {
	defer p.nest()()
	p.expect("{")
	var list []stmt
	for {
		for p.tok == tNewline || p.is(";") {
			p.next()
		}
		if p.accept("}") {
			break
		}
		if p.tok == tEOF {
			p.unexpected()
		}
		list = append(list, p.statement())
	}
	return sequence(list)
}

func sequence(list []stmt) stmt {
	switch len(list) {
	case 0:
		return func(*machine) control { return normal }
	case 1:
		return list[0]
	}
	return func(m *machine) control {
		for _, s := range list {
			if c := s(m); c != normal {
				return c
			}
		}
		return normal
	}
}

// end reads the end of a simple statement.
func (p *parser) end() {
	switch {
	case p.tok == tNewline || p.is(";"):
		p.next()
	case p.is("}") || p.tok == tEOF:
	default:
		p.unexpected()
	}
}

// body reads the statement that a loop or condition is about.
func (p *parser) body() stmt {
	p.newlines()
	if p.accept(";") {
		return sequence(nil)
	}
	return p.statement()
}

func (p *parser) loop() stmt {
	p.loops++
	body := p.body()
	p.loops--
	return body
}

func (p *parser) statement() stmt {
	defer p.nest()()
	if p.is("{") {
		body := p.block()
		return body
	}
	if p.tok != tKeyword || p.text == "getline" {
		return p.onLine(p.simpleStatement)
	}
	switch word := p.text; word {
	case "if":
		p.next()
		p.expect("(")
		cond := p.inParens()
		then := p.body()
		p.skipToElse()
		if !p.keyword("else") {
			return func(m *machine) control {
				if cond(m).bool() {
					return then(m)
				}
				return normal
			}
		}
		p.next()
		other := p.body()
		return func(m *machine) control {
			if cond(m).bool() {
				return then(m)
			}
			return other(m)
		}
	case "while":
		p.next()
		p.expect("(")
		cond := p.inParens()
		if p.tok == tNewline || p.is(";") {
			if p.accept(";") {
				return while(cond, sequence(nil))
			}
		}
		return while(cond, p.loop())
	case "do":
		p.next()
		body := p.loop()
		for p.tok == tNewline || p.is(";") {
			p.next()
		}
		if !p.keyword("while") {
			p.unexpected()
		}
		p.next()
		p.expect("(")
		cond := p.inParens()
		p.end()
		return func(m *machine) control {
			for {
				if c, ends := m.turn(body); ends || !cond(m).bool() {
					return c
				}
			}
		}
	case "for":
		return p.forLoop()
	case "switch":
		return p.switches()
	case "break", "continue":
		if p.loops == 0 {
			p.fail("`" + word + "' is not allowed outside a loop or switch")
		}
		p.next()
		p.end()
		c := breaks
		if word == "continue" {
			c = continues
		}
		return func(*machine) control { return c }
	case "next", "nextfile":
		if p.ruleFor == "BEGIN" || p.ruleFor == "END" {
			p.error("`" + word + "' used in " + p.ruleFor + " action")
		}
		p.next()
		p.end()
		c := nexts
		if word == "nextfile" {
			c = nextFiles
		}
		return func(*machine) control { return c }
	case "exit", "return":
		if word == "return" && !p.inFunc {
			p.fail("`return' used outside function context")
		}
		p.next()
		var value expr
		if p.tok != tNewline && p.tok != tEOF && !p.is(";") && !p.is("}") {
			n := p.expr()
			value = n.eval
		}
		p.end()
		if word == "exit" {
			return func(m *machine) control {
				if value != nil {
					m.status = int(value(m).num()) & 0xff
				}
				return exits
			}
		}
		return func(m *machine) control {
			m.result = value0(value, m)
			return returns
		}
	}
	return p.onLine(p.simpleStatement)
}

func (p *parser) simpleStatement() stmt {
	s := p.simple()
	p.end()
	return s
}

// onLine reads a statement, which remembers its line when it is run if the program has several.
func (p *parser) onLine(read func() stmt) stmt {
	if !p.lines {
		return read()
	}
	line := 1 + strings.Count(p.src[:p.start], "\n")
	s := read()
	return func(m *machine) control {
		m.line = line
		return s(m)
	}
}

func value0(e expr, m *machine) (v value) {
	if e != nil {
		v = e(m)
	}
	return v
}

// skipToElse moves to an "else" behind newlines and a semicolon, if there is one.
func (p *parser) skipToElse() {
	saved := p.lexer
	for p.tok == tNewline || p.is(";") {
		p.next()
	}
	if !p.keyword("else") {
		p.lexer = saved
	}
}

// turn runs the body of a loop once. Ends says whether the loop does, and c how.
func (m *machine) turn(body stmt) (c control, ends bool) {
	m.tick()
	switch c := body(m); c {
	case normal, continues:
		return normal, false
	case breaks:
		return normal, true
	default:
		return c, true
	}
}

func while(cond expr, body stmt) stmt {
	return func(m *machine) control {
		for cond(m).bool() {
			if c, ends := m.turn(body); ends {
				return c
			}
		}
		return normal
	}
}

// inParens reads an expression and the parenthesis behind it.
func (p *parser) inParens() expr {
	gt, in := p.noGt, p.noIn
	p.noGt, p.noIn = false, false
	p.newlines()
	n := p.expr()
	p.newlines()
	p.noGt, p.noIn = gt, in
	p.expect(")")
	return n.eval
}

func (p *parser) forLoop() stmt {
	p.next()
	p.expect("(")
	// for (name in array)
	saved := p.lexer
	if p.tok == tName {
		variable := p.variable()
		if p.keyword("in") {
			p.next()
			if p.tok == tName {
				over := p.arrayRef()
				if p.is(")") {
					p.next()
					return p.forIn(variable, over)
				}
			}
		}
		p.lexer = saved
	}
	first, step := sequence(nil), sequence(nil)
	cond := expr(func(*machine) value { return num(1) })
	if !p.is(";") {
		first = p.simple()
	}
	p.expect(";")
	p.newlines()
	if !p.is(";") {
		n := p.expr()
		cond = n.eval
	}
	p.expect(";")
	p.newlines()
	if !p.is(")") {
		step = p.simple()
	}
	p.newlines()
	p.expect(")")
	body := p.loop()
	return func(m *machine) control {
		for first(m); cond(m).bool(); step(m) {
			if c, ends := m.turn(body); ends {
				return c
			}
		}
		return normal
	}
}

func (p *parser) forIn(variable node, over func(*machine) *array) stmt {
	assign := p.assigner(variable)
	body := p.loop()
	return func(m *machine) control {
		a := over(m)
		for _, key := range m.ordered(a) {
			assign(m, inputs(key).asKey())
			if c, ends := m.turn(body); ends {
				return c
			}
		}
		return normal
	}
}

// asKey is the value of a subscript: a text.
func (v value) asKey() value { return str(v.s) }

func (p *parser) switches() stmt {
	p.next()
	p.expect("(")
	subject := p.inParens()
	p.newlines()
	p.expect("{")
	type branch struct {
		value expr
		regex *node
		body  stmt
	}
	var branches []branch
	fallback := -1
	p.loops++
	for {
		for p.tok == tNewline || p.is(";") {
			p.next()
		}
		if p.accept("}") {
			break
		}
		var b branch
		switch {
		case p.keyword("default"):
			p.next()
			fallback = len(branches)
		case p.keyword("case"):
			p.next()
			n := p.unary()
			if n.isRegex {
				b.regex = &n
			} else {
				b.value = n.eval
			}
		default:
			p.unexpected()
		}
		p.expect(":")
		var list []stmt
		for {
			for p.tok == tNewline || p.is(";") {
				p.next()
			}
			if p.keyword("case") || p.keyword("default") || p.is("}") {
				break
			}
			if p.tok == tEOF {
				p.unexpected()
			}
			list = append(list, p.statement())
		}
		b.body = sequence(list)
		branches = append(branches, b)
	}
	p.loops--
	return func(m *machine) control {
		v := subject(m).decide()
		at := fallback
		for i, b := range branches {
			if b.regex != nil && m.regex(b.regex.regex).match(v.str(m.convfmt)) {
				at = i
				break
			}
			if b.value != nil {
				w := b.value(m)
				if (v.kind == text) == (w.kind == text) && compare(v, w, m.convfmt) == 0 {
					at = i
					break
				}
			}
		}
		if at < 0 {
			return normal
		}
		for _, b := range branches[at:] {
			switch c := b.body(m); c {
			case normal:
			case breaks:
				return normal
			default:
				return c
			}
		}
		return normal
	}
}

// simple reads a statement without parts that are statements.
func (p *parser) simple() stmt {
	switch {
	case p.keyword("print"), p.keyword("printf"):
		return p.print()
	case p.keyword("delete"):
		p.next()
		grouped := p.accept("(")
		if p.tok != tName {
			p.unexpected()
		}
		s := p.delete()
		if grouped {
			p.expect(")")
		}
		return s
	}
	n := p.expr()
	eval := n.eval
	return func(m *machine) control {
		eval(m)
		return normal
	}
}

func (p *parser) delete() stmt {
	name := p.text
	base := p.name(name)
	p.next()
	get := base.cell
	if get == nil {
		p.unexpected()
	}
	if !p.is("[") {
		return func(m *machine) control {
			get(m).array(name).clear()
			return normal
		}
	}
	for {
		p.next()
		key := p.subscript()
		p.expect("]")
		before := get
		if !p.is("[") {
			return func(m *machine) control {
				delete(before(m).array(name).m, key(m))
				return normal
			}
		}
		get = func(m *machine) *cell { return before(m).array(name).at(key(m)) }
	}
}

func (p *parser) print() stmt {
	isPrintf := p.text == "printf"
	p.next()
	var args []node
	gt := p.noGt
	p.noGt = true
	if !p.atPrintEnd() {
		args = p.exprList()
		if len(args) == 1 && args[0].list != nil {
			args = args[0].list
		}
	}
	p.noGt = gt
	if isPrintf && len(args) == 0 {
		p.unexpected()
	}
	var redirect string
	var target expr
	if p.is(">") || p.is(">>") || p.is("|") || p.is("|&") {
		redirect = p.text
		p.next()
		n := p.concatenation(true)
		target = n.eval
	}
	evals := make([]expr, len(args))
	for i, a := range args {
		evals[i] = a.eval
	}
	return func(m *machine) control {
		out := m.out
		if isPrintf {
			values := make([]value, len(evals)-1)
			format := evals[0](m).str(m.convfmt)
			for i := range values {
				values[i] = evals[i+1](m)
			}
			s := formatValues(format, values, m.convfmt)
			if target != nil {
				out = m.output(redirect, target(m).str(m.convfmt))
			}
			_, err := out.WriteString(s)
			m.written(target, err)
			return normal
		}
		if len(evals) == 0 {
			s := m.record()
			if target != nil {
				out = m.output(redirect, target(m).str(m.convfmt))
			}
			_, _ = out.WriteString(s)
			_, err := out.WriteString(m.ors)
			m.written(target, err)
			return normal
		}
		if len(evals) == 1 && target == nil {
			s := evals[0](m).str(m.ofmt)
			_, _ = out.WriteString(s)
			_, _ = out.WriteString(m.ors)
			return normal
		}
		values := make([]string, len(evals))
		for i, e := range evals {
			values[i] = e(m).str(m.ofmt)
		}
		if target != nil {
			out = m.output(redirect, target(m).str(m.convfmt))
		}
		for i, s := range values {
			if i > 0 {
				_, _ = out.WriteString(m.ofs)
			}
			_, _ = out.WriteString(s)
		}
		_, err := out.WriteString(m.ors)
		m.written(target, err)
		return normal
	}
}

// written ends the program if nobody reads any more what it writes to a command, or a file cannot be written.
func (m *machine) written(target expr, err error) {
	if err != nil && target != nil {
		if errors.Is(err, io.ErrClosedPipe) {
			err = syscall.EPIPE
		}
		panic(fatal("print to \"" + target(m).str(m.convfmt) + "\" failed: " + command.Text(err)))
	}
}

func (p *parser) atPrintEnd() bool {
	return p.tok == tNewline || p.tok == tEOF || p.is(";") || p.is("}") || p.is(">") || p.is(">>") || p.is("|") ||
		p.is("|&")
}

func (p *parser) exprList() []node {
	list := []node{p.expr()}
	for p.accept(",") {
		p.newlines()
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) expr() node {
	defer p.nest()()
	n := p.ternary()
	if p.tok != tOp || !n.assignable() || n.grouped {
		return n
	}
	op := p.text
	switch op {
	case "=":
		p.next()
		p.newlines()
		right := p.expr().eval
		if n.cell != nil {
			get := n.cell
			name := n.name
			return node{eval: func(m *machine) value {
				v := right(m)
				get(m).scalar(name).v = v
				return v
			}}
		}
		assign := p.assigner(n)
		return node{eval: func(m *machine) value {
			v := right(m)
			assign(m, v)
			return v
		}}
	case "+=", "-=", "*=", "/=", "%=", "^=":
		p.next()
		p.newlines()
		right := p.expr().eval
		return p.update(n, op[0], right, false)
	}
	return n
}

// update returns an expression that changes a variable by the value of another expression, which is evaluated first.
// The result is what the variable becomes, or for post what it was.
func (p *parser) update(n node, op byte, by expr, post bool) node {
	do := arithmetic(op)
	result := func(old, becomes value) value {
		if post {
			return old
		}
		return becomes
	}
	switch {
	case n.cell != nil:
		return node{eval: func(m *machine) value {
			by := by(m).num()
			c := n.cell(m).scalar(n.name)
			old := num(c.v.num())
			c.v = num(do(old.n, by))
			return result(old, c.v)
		}}
	case n.field != nil:
		return node{eval: func(m *machine) value {
			by := by(m).num()
			i := m.fieldIndex(n.field(m))
			old := num(m.field(i).num())
			becomes := num(do(old.n, by))
			m.setField(i, becomes.str(m.convfmt))
			return result(old, becomes)
		}}
	}
	return node{eval: func(m *machine) value {
		by := by(m).num()
		old := num(m.special(n.special).num())
		becomes := num(do(old.n, by))
		m.setSpecial(n.special, becomes)
		return result(old, becomes)
	}}
}

// one is what "++" and "--" change a variable by.
func one(*machine) value { return num(1) }

func (p *parser) assigner(n node) func(m *machine, v value) {
	switch {
	case n.cell != nil:
		return func(m *machine, v value) {
			n.cell(m).scalar(n.name).v = v
		}
	case n.field != nil:
		return func(m *machine, v value) { m.assignField(m.fieldIndex(n.field(m)), v) }
	case n.special != 0:
		return func(m *machine, v value) { m.setSpecial(n.special, v) }
	}
	p.unexpected()
	return nil
}

func arithmetic(op byte) func(a, b float64) float64 {
	switch op {
	case '+':
		return func(a, b float64) float64 { return a + b }
	case '-':
		return func(a, b float64) float64 { return a - b }
	case '*':
		return func(a, b float64) float64 { return a * b }
	case '/':
		return func(a, b float64) float64 {
			if b == 0 {
				panic(fatal("division by zero attempted"))
			}
			return a / b
		}
	case '%':
		return func(a, b float64) float64 {
			if b == 0 {
				panic(fatal("division by zero attempted in `%'"))
			}
			return math.Mod(a, b)
		}
	}
	return math.Pow
}

func (p *parser) ternary() node {
	cond := p.or()
	if !p.is("?") {
		return cond
	}
	p.next()
	p.newlines()
	yes := p.expr()
	p.newlines()
	p.expect(":")
	p.newlines()
	no := p.expr()
	return node{eval: func(m *machine) value {
		if cond.eval(m).bool() {
			return yes.eval(m)
		}
		return no.eval(m)
	}}
}

func (p *parser) or() node {
	left := p.and()
	for p.is("||") {
		p.next()
		p.newlines()
		a, b := left.eval, p.and().eval
		left = node{eval: func(m *machine) value { return boolean(a(m).bool() || b(m).bool()) }}
	}
	return left
}

func (p *parser) and() node {
	left := p.membership()
	for p.is("&&") {
		p.next()
		p.newlines()
		a, b := left.eval, p.membership().eval
		left = node{eval: func(m *machine) value { return boolean(a(m).bool() && b(m).bool()) }}
	}
	return left
}

func (p *parser) membership() node {
	left := p.matching()
	for p.keyword("in") && !p.noIn {
		p.next()
		if p.tok != tName {
			p.unexpected()
		}
		key := p.keyOf(left)
		over := p.arrayRef()
		left = node{eval: func(m *machine) value {
			k := key(m)
			_, ok := over(m).m[k]
			return boolean(ok)
		}}
	}
	return left
}

// keyOf returns the subscript that an expression, or a list of them, is.
func (p *parser) keyOf(n node) func(*machine) string {
	if n.list != nil {
		return keys(n.list)
	}
	return keys([]node{n})
}

func keys(list []node) func(*machine) string {
	if len(list) == 1 {
		eval := list[0].eval
		return func(m *machine) string { return eval(m).str(m.convfmt) }
	}
	return func(m *machine) string {
		var b strings.Builder
		for i, n := range list {
			if i > 0 {
				b.WriteString(m.subsep)
			}
			b.WriteString(n.eval(m).str(m.convfmt))
		}
		return b.String()
	}
}

func (p *parser) matching() node {
	left := p.comparison()
	for p.is("~") || p.is("!~") {
		negate := p.text == "!~"
		p.next()
		right := p.comparison()
		match := p.matcher(right)
		subject := left.eval
		left = node{eval: func(m *machine) value {
			return boolean(match(m).match(subject(m).str(m.convfmt)) != negate)
		}}
	}
	return left
}

// matcher returns the regular expression that an expression stands for.
func (p *parser) matcher(n node) func(*machine) *pattern {
	if n.isRegex {
		var compiled *pattern
		fold := false
		return func(m *machine) *pattern {
			if compiled == nil || fold != m.ignoreCase {
				compiled, fold = m.regex(n.regex), m.ignoreCase
			}
			return compiled
		}
	}
	return func(m *machine) *pattern { return m.regex(n.eval(m).str(m.convfmt)) }
}

// comparisons say what operators make of the result of compare.
var comparisons = map[string]func(int) bool{
	"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
	"==": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
	">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
}

func (p *parser) comparison() node {
	left := p.concatenation(false)
	for p.tok == tOp {
		op := p.text
		switch op {
		case "|", "|&":
			saved := p.lexer
			p.next()
			if !p.keyword("getline") {
				p.lexer = saved
				return left
			}
			p.next()
			left = p.getline(left.eval, "|")
			continue
		case "<", "<=", "==", "!=", ">=":
		case ">":
			if p.noGt {
				return left
			}
		default:
			return left
		}
		p.next()
		a, b := left.eval, p.concatenation(false).eval
		test := comparisons[op]
		left = node{eval: func(m *machine) value { x := a(m); return boolean(test(compare(x, b(m), m.convfmt))) }}
	}
	return left
}

// concatenation reads expressions next to each other. The target of a redirection is one, too.
func (p *parser) concatenation(target bool) node {
	left := p.additive()
	if !p.startsOperand() {
		return left
	}
	parts := []expr{left.eval}
	for p.startsOperand() {
		parts = append(parts, p.additive().eval)
	}
	if len(parts) == 2 {
		a, b := parts[0], parts[1]
		return node{eval: func(m *machine) value {
			s := a(m).str(m.convfmt)
			return str(s + b(m).str(m.convfmt))
		}}
	}
	return node{eval: func(m *machine) value {
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(part(m).str(m.convfmt))
		}
		return str(b.String())
	}}
}

func (p *parser) startsOperand() bool {
	switch p.tok {
	case tNumber, tString, tRegex, tName, tCall, tBuiltin:
		return true
	case tOp:
		switch p.text {
		case "$", "!", "(", "-", "+", "++", "--":
			return true
		}
	}
	return false
}

func (p *parser) additive() node {
	left := p.multiplicative()
	for p.is("+") || p.is("-") {
		op := p.text
		p.next()
		a, b := left.eval, p.multiplicative().eval
		if op == "+" {
			left = node{eval: func(m *machine) value { x := a(m).num(); return num(x + b(m).num()) }}
		} else {
			left = node{eval: func(m *machine) value { x := a(m).num(); return num(x - b(m).num()) }}
		}
	}
	return left
}

func (p *parser) multiplicative() node {
	left := p.unary()
	for p.is("*") || p.is("/") || p.is("%") {
		do := arithmetic(p.text[0])
		p.next()
		a, b := left.eval, p.unary().eval
		left = node{eval: func(m *machine) value { x := a(m).num(); return num(do(x, b(m).num())) }}
	}
	return left
}

func (p *parser) unary() node {
	defer p.nest()()
	switch {
	case p.is("!"):
		p.next()
		n := p.unary()
		return node{eval: func(m *machine) value { return boolean(!n.eval(m).bool()) }}
	case p.is("-"):
		p.next()
		n := p.unary()
		return node{eval: func(m *machine) value { return num(-n.eval(m).num()) }}
	case p.is("+"):
		p.next()
		n := p.unary()
		return node{eval: func(m *machine) value { return num(n.eval(m).num()) }}
	}
	return p.power()
}

func (p *parser) power() node {
	left := p.postfix()
	if !p.is("^") {
		return left
	}
	p.next()
	a, b := left.eval, p.exponent().eval
	return node{eval: func(m *machine) value { x := a(m).num(); return num(math.Pow(x, b(m).num())) }}
}

func (p *parser) exponent() node {
	switch {
	case p.is("-"):
		p.next()
		n := p.exponent()
		return node{eval: func(m *machine) value { return num(-n.eval(m).num()) }}
	case p.is("+"):
		p.next()
		return p.exponent()
	}
	return p.power()
}

func (p *parser) postfix() node {
	n := p.primary()
	if n.assignable() && !n.grouped && (p.is("++") || p.is("--")) {
		op := p.text[0]
		p.next()
		return p.update(n, op, one, true)
	}
	return n
}

func (p *parser) primary() node {
	defer p.nest()()
	switch p.tok {
	case tNumber:
		v := num(p.number)
		p.next()
		return node{eval: func(*machine) value { return v }}
	case tString:
		v := str(p.text)
		p.next()
		return node{eval: func(*machine) value { return v }}
	case tName:
		return p.variable()
	case tCall:
		return p.call()
	case tBuiltin:
		return p.builtin()
	case tKeyword:
		if p.text == "getline" {
			p.next()
			return p.getline(nil, "")
		}
	case tOp:
		switch p.text {
		case "/", "/=":
			return p.regexLiteral()
		case "$":
			p.next()
			return p.fieldOf()
		case "(":
			return p.group()
		case "++", "--":
			op := p.text[0]
			p.next()
			n := p.primary()
			if !n.assignable() {
				p.unexpected()
			}
			return p.update(n, op, one, false)
		case "-", "+", "!":
			return p.unary()
		case "@":
			return p.indirect()
		}
	}
	p.unexpected()
	return node{}
}

func (p *parser) regexLiteral() node {
	at := p.start
	re := p.regex()
	p.next()
	if _, err := compilePattern(re, false); err != nil {
		panic(syntaxError{at: at, message: regexProblem(err) + ": /" + re + "/", plain: true})
	}
	n := node{regex: re, isRegex: true}
	match := p.matcher(n)
	n.eval = func(m *machine) value { return boolean(match(m).match(m.record())) }
	return n
}

func (p *parser) fieldOf() node {
	constant, number := p.tok == tNumber, p.number
	index := p.primary()
	if constant && number >= 1 && number <= maxField { // as most are
		i := int(number)
		return node{field: index.eval, eval: func(m *machine) value { return m.fieldAt(i) }}
	}
	return node{field: index.eval, eval: func(m *machine) value { return m.field(m.fieldIndex(index.eval(m))) }}
}

func (p *parser) group() node {
	p.next()
	gt, in := p.noGt, p.noIn
	p.noGt, p.noIn = false, false
	p.newlines()
	list := p.exprList()
	p.newlines()
	p.noGt, p.noIn = gt, in
	p.expect(")")
	if len(list) == 1 {
		n := list[0]
		n.isRegex, n.bare = false, false
		n.grouped = true
		return n
	}
	return node{list: list, grouped: true, eval: keyValue(keys(list))}
}

func keyValue(key func(*machine) string) expr {
	return func(m *machine) value { return str(key(m)) }
}

// name returns a variable by its name.
func (p *parser) name(name string) node {
	if slot, ok := p.local[name]; ok {
		cellOf := func(m *machine) *cell { return &m.frame[slot] }
		return node{name: name, bare: true, cell: cellOf, eval: func(m *machine) value {
			return m.frame[slot].scalar(name).v
		}}
	}
	if id, ok := specials[name]; ok {
		return node{name: name, special: id, eval: func(m *machine) value { return m.special(id) }}
	}
	slot, ok := p.prog.globals[name]
	if !ok {
		slot = len(p.prog.globals)
		p.prog.globals[name] = slot
	}
	cellOf := func(m *machine) *cell { return &m.globals[slot] }
	return node{name: name, bare: true, cell: cellOf, eval: func(m *machine) value {
		return m.globals[slot].scalar(name).v
	}}
}

// variable reads a variable or an element of an array.
func (p *parser) variable() node {
	n := p.name(p.text)
	p.next()
	for p.is("[") {
		if n.cell == nil {
			panic(fatal(fmt.Sprintf("attempt to use scalar `%s' as an array", n.name)))
		}
		p.next()
		n = element(n, p.subscript())
		p.expect("]")
	}
	return n
}

func element(n node, key func(*machine) string) node {
	get, name := n.cell, n.name
	cellOf := func(m *machine) *cell { return get(m).array(name).at(key(m)) }
	return node{name: name, cell: cellOf, eval: func(m *machine) value {
		return cellOf(m).scalar(name).v
	}}
}

func (p *parser) subscript() func(*machine) string {
	gt, in := p.noGt, p.noIn
	p.noGt, p.noIn = false, false
	list := p.exprList()
	p.noGt, p.noIn = gt, in
	return keys(list)
}

// arrayRef reads the name of an array, with subscripts if it is one in another.
func (p *parser) arrayRef() func(*machine) *array {
	n := p.variable()
	return p.arrayOf(n)
}

func (p *parser) arrayOf(n node) func(*machine) *array {
	if n.cell == nil {
		p.fail("syntax error")
	}
	return func(m *machine) *array { return n.cell(m).array(n.name) }
}

// getline reads what follows the word.
func (p *parser) getline(from expr, kind string) node {
	var assign func(*machine, value)
	if p.tok == tName || p.is("$") {
		var n node
		if p.is("$") {
			p.next()
			n = p.fieldOf()
		} else {
			n = p.variable()
		}
		assign = p.assigner(n)
	}
	if from == nil && p.is("<") {
		p.next()
		n := p.postfix()
		from, kind = n.eval, "<"
	}
	return node{eval: func(m *machine) value {
		name := ""
		if from != nil {
			name = from(m).str(m.convfmt)
		}
		return num(float64(m.getline(kind, name, assign)))
	}}
}

func (p *parser) arguments() []node {
	gt, in := p.noGt, p.noIn
	p.noGt, p.noIn = false, false
	p.expect("(")
	p.newlines()
	var args []node
	for !p.is(")") {
		args = append(args, p.expr())
		p.newlines()
		if !p.accept(",") {
			break
		}
		p.newlines()
	}
	p.noGt, p.noIn = gt, in
	p.closed = p.start
	p.expect(")")
	return args
}

func (p *parser) call() node {
	f := p.called(p.text)
	p.next()
	args := p.arguments()
	return node{eval: func(m *machine) value { return m.call(f, args) }}
}

// indirect reads @name(...), which calls the function whose name a variable has.
func (p *parser) indirect() node {
	p.next()
	if p.tok != tCall {
		p.unexpected()
	}
	variable := p.name(p.text)
	p.next()
	args := p.arguments()
	return node{eval: func(m *machine) value {
		name := variable.eval(m).str(m.convfmt)
		f := m.prog.functions[name]
		if f == nil {
			panic(fatal("function called indirectly through `" + variable.name + "' does not exist"))
		}
		return m.call(f, args)
	}}
}

func (p *parser) builtin() node {
	name := p.text
	b := builtins[name]
	p.next()
	behind := p.start
	var args []node
	if p.is("(") {
		args = p.arguments()
		behind = p.closed
	} else if name != "length" {
		p.unexpected()
	}
	if len(args) < b.least || len(args) > b.most {
		panic(syntaxError{at: behind, message: fmt.Sprintf("%d is invalid as number of arguments for %s", len(args),
			name)})
	}
	return node{eval: b.compile(p, args)}
}
