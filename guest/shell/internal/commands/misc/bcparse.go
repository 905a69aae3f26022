package misc

import "strings"

type bcKind uint8

const (
	bcEOF bcKind = iota
	bcNumber
	bcName
	bcString
	bcOp
)

type bcParser struct {
	src     string
	pos     int
	line    int
	kind    bcKind
	text    string
	machine *bcMachine
	depth   int
}

func (p *bcParser) fail() { panic(bcError("syntax error")) }

func (p *bcParser) skipLine() {
	if p.is("\n") {
		return
	}
	for p.pos < len(p.src) && p.src[p.pos] != '\n' {
		p.pos++
	}
}

func (p *bcParser) is(s string) bool   { return p.kind == bcOp && p.text == s }
func (p *bcParser) word(s string) bool { return p.kind == bcName && p.text == s }
func (p *bcParser) expect(s string) {
	if !p.is(s) {
		p.fail()
	}
	p.next()
}

func (p *bcParser) next() {
	for p.pos < len(p.src) {
		rest := p.src[p.pos:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			p.pos++
			continue
		case strings.HasPrefix(rest, "\\\n"):
			p.pos += 2
			p.line++
			continue
		case rest[0] == '#':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' {
				p.pos++
			}
			continue
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				p.pos = len(p.src)
				continue
			}
			p.line += strings.Count(rest[:end], "\n")
			p.pos += end + 2
			continue
		}
		break
	}
	if p.pos >= len(p.src) {
		p.kind, p.text = bcEOF, ""
		return
	}
	from := p.pos
	c := p.src[p.pos]
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }
	switch {
	case isDigit(c) || c == '.' && p.pos+1 < len(p.src) && isDigit(p.src[p.pos+1]):
		p.kind = bcNumber
		dot := false
		var b strings.Builder
		for p.pos < len(p.src) {
			c := p.src[p.pos]
			if strings.HasPrefix(p.src[p.pos:], "\\\n") {
				p.pos += 2
				continue
			}
			if !isDigit(c) && (c != '.' || dot) {
				break
			}
			dot = dot || c == '.'
			b.WriteByte(c)
			p.pos++
		}
		p.text = b.String()
	case c >= 'a' && c <= 'z':
		for p.pos < len(p.src) && (p.src[p.pos] >= 'a' && p.src[p.pos] <= 'z' || p.src[p.pos] == '_' ||
			p.src[p.pos] >= '0' && p.src[p.pos] <= '9') {
			p.pos++
		}
		p.kind, p.text = bcName, p.src[from:p.pos]
	case c == '"':
		end := strings.IndexByte(p.src[p.pos+1:], '"')
		if end < 0 {
			p.pos = len(p.src)
			p.fail()
		}
		p.kind, p.text = bcString, p.src[p.pos+1:p.pos+1+end]
		p.line += strings.Count(p.text, "\n")
		p.pos += end + 2
	default:
		p.kind = bcOp
		for _, op := range []string{"++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "!=", "<=", ">=", "&&",
			"||"} {
			if strings.HasPrefix(p.src[p.pos:], op) {
				p.text = op
				p.pos += 2
				return
			}
		}
		p.text = string(c)
		p.pos++
		if c == '\n' {
			p.line++
		}
	}
}

func (p *bcParser) newlines() {
	for p.is("\n") {
		p.next()
	}
}

const bcMaxDepth = 1000

func (p *bcParser) statement() bcStmt {
	if p.depth++; p.depth > bcMaxDepth {
		p.fail()
	}
	defer func() { p.depth-- }()
	switch {
	case p.is("{"):
		return p.block()
	case p.kind == bcString:
		text := p.text
		p.next()
		return func(m *bcMachine) bcControl {
			m.write(text)
			return bcNormal
		}
	case p.kind == bcName:
		switch p.text {
		case "if":
			p.next()
			p.expect("(")
			cond := p.expression()
			p.expect(")")
			p.newlines()
			then := p.statement()
			var other bcStmt
			saved := *p
			for p.is("\n") || p.is(";") {
				p.next()
			}
			if p.word("else") {
				p.next()
				p.newlines()
				other = p.statement()
			} else {
				*p = saved
			}
			return func(m *bcMachine) bcControl {
				if cond(m).truthy() {
					return then(m)
				}
				if other != nil {
					return other(m)
				}
				return bcNormal
			}
		case "while":
			p.next()
			p.expect("(")
			cond := p.expression()
			p.expect(")")
			p.newlines()
			body := p.statement()
			return bcLoop(nil, cond, nil, body)
		case "for":
			p.next()
			p.expect("(")
			var parts [3]bcExpr
			for i, end := range []string{";", ";", ")"} {
				if !p.is(end) {
					parts[i] = p.expression()
				}
				p.expect(end)
			}
			p.newlines()
			body := p.statement()
			return bcLoop(parts[0], parts[1], parts[2], body)
		case "break", "continue":
			c := bcBreak
			if p.text == "continue" {
				c = bcContinue
			}
			p.next()
			return func(*bcMachine) bcControl { return c }
		case "quit":
			p.next()
			return func(*bcMachine) bcControl { return bcQuit }
		case "halt":
			p.next()
			return func(*bcMachine) bcControl { return bcQuit }
		case "return":
			p.next()
			var value bcExpr
			if !p.is(";") && !p.is("\n") && !p.is("}") {
				value = p.expression()
			}
			return func(m *bcMachine) bcControl {
				if value != nil {
					m.result = value(m)
				}
				return bcReturn
			}
		case "print":
			return p.printing()
		case "define":
			return p.define()
		case "auto":
			p.fail()
		}
	}
	value, assignment := p.assign()
	return func(m *bcMachine) bcControl {
		n := value(m)
		if !assignment {
			m.last = n
			m.print(n)
			m.write("\n")
		}
		return bcNormal
	}
}

func (p *bcParser) block() bcStmt {
	p.expect("{")
	var list []bcStmt
	for {
		for p.is("\n") || p.is(";") {
			p.next()
		}
		if p.is("}") {
			p.next()
			break
		}
		if p.kind == bcEOF {
			p.fail()
		}
		list = append(list, p.statement())
		if !p.is("\n") && !p.is(";") && !p.is("}") {
			p.fail()
		}
	}
	return func(m *bcMachine) bcControl {
		for _, s := range list {
			if c := s(m); c != bcNormal {
				return c
			}
		}
		return bcNormal
	}
}

func bcLoop(first, cond, step bcExpr, body bcStmt) bcStmt {
	return func(m *bcMachine) bcControl {
		if first != nil {
			first(m)
		}
		for cond == nil || cond(m).truthy() {
			m.tick()
			switch c := body(m); c {
			case bcBreak:
				return bcNormal
			case bcReturn, bcQuit:
				return c
			}
			if step != nil {
				step(m)
			}
		}
		return bcNormal
	}
}

func (p *bcParser) printing() bcStmt {
	p.next()
	var parts []bcStmt
	for {
		if p.kind == bcString {
			text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\q`, `"`, `\\`, `\`, `\a`, "\a", `\b`, "\b", `\f`,
				"\f", `\r`,
				"\r").Replace(p.text)
			p.next()
			parts = append(parts, func(m *bcMachine) bcControl { m.write(text); return bcNormal })
		} else {
			value := p.expression()
			parts = append(parts, func(m *bcMachine) bcControl {
				m.last = value(m)
				m.print(m.last)
				return bcNormal
			})
		}
		if !p.is(",") {
			break
		}
		p.next()
	}
	return func(m *bcMachine) bcControl {
		for _, part := range parts {
			part(m)
		}
		m.column = 0
		return bcNormal
	}
}

func (p *bcParser) names() []string {
	var list []string
	for p.kind == bcName {
		name := p.text
		p.next()
		if p.is("[") {
			p.next()
			p.expect("]")
			name += "[]"
		}
		list = append(list, name)
		if !p.is(",") {
			break
		}
		p.next()
	}
	return list
}

func (p *bcParser) define() bcStmt {
	p.next()
	if p.word("void") {
		p.next()
	}
	if p.kind != bcName {
		p.fail()
	}
	name := p.text
	p.next()
	p.expect("(")
	f := &bcFunction{params: p.names()}
	p.expect(")")
	p.newlines()
	if !p.is("{") {
		p.fail()
	}
	// "auto" must come first.
	saved := *p
	p.next()
	for p.is("\n") || p.is(";") {
		p.next()
	}
	if p.word("auto") {
		p.next()
		f.autos = p.names()
		if !p.is(";") && !p.is("\n") {
			p.fail()
		}
		// The rest is a block.
		p.pos--
		p.src = p.src[:p.pos] + "{" + p.src[p.pos+1:]
		if p.is("\n") {
			p.line--
		}
		p.next()
	} else {
		*p = saved
	}
	f.body = p.block()
	return func(m *bcMachine) bcControl {
		m.functions[name] = f
		return bcNormal
	}
}

// A bcTarget is what can be assigned to.
type bcTarget struct {
	get func(m *bcMachine) bcNum
	set func(m *bcMachine, n bcNum)
}

func (p *bcParser) expression() bcExpr {
	e, _ := p.assign()
	return e
}

// assign reads an expression, and says whether it is an assignment, whose value is not shown.
func (p *bcParser) assign() (bcExpr, bool) {
	if p.depth++; p.depth > bcMaxDepth {
		p.fail()
	}
	defer func() { p.depth-- }()
	if p.kind == bcName {
		saved := *p
		if t, ok := p.target(); ok && p.kind == bcOp {
			switch op := p.text; op {
			case "=":
				p.next()
				value := p.expression()
				return func(m *bcMachine) bcNum {
					n := value(m)
					t.set(m, n)
					return n
				}, true
			case "+=", "-=", "*=", "/=", "%=", "^=":
				p.next()
				value := p.expression()
				return func(m *bcMachine) bcNum {
					b := value(m)
					n := m.binary(op[0], t.get(m), b)
					t.set(m, n)
					return n
				}, true
			}
		}
		*p = saved
	}
	return p.or(), false
}

// target reads a variable or an element of an array.
func (p *bcParser) target() (bcTarget, bool) {
	name := p.text
	switch name {
	case "length", "sqrt", "read", "random":
		return bcTarget{}, false
	}
	p.next()
	if p.is("(") {
		return bcTarget{}, false
	}
	if p.is("[") {
		p.next()
		if p.is("]") {
			return bcTarget{}, false
		}
		index := p.expression()
		p.expect("]")
		at := func(m *bcMachine) int {
			i := index(m).int()
			if i < 0 || i > 1<<24 {
				panic(bcError("Array " + name + " subscript out of bounds."))
			}
			return i
		}
		return bcTarget{
			func(m *bcMachine) bcNum {
				if n, ok := m.arrays[name][at(m)]; ok {
					return n
				}
				return bcInt(0)
			},
			func(m *bcMachine, n bcNum) {
				if m.arrays[name] == nil {
					m.arrays[name] = map[int]bcNum{}
				}
				m.arrays[name][at(m)] = n
			},
		}, true
	}
	return bcTarget{func(m *bcMachine) bcNum { return m.variable(name) }, func(m *bcMachine, n bcNum) {
		m.set(name, n)
	}}, true
}

func (p *bcParser) or() bcExpr {
	left := p.and()
	for p.is("||") {
		p.next()
		a, b := left, p.and()
		left = func(m *bcMachine) bcNum { return bcBool(a(m).truthy() || b(m).truthy()) }
	}
	return left
}

func (p *bcParser) and() bcExpr {
	left := p.not()
	for p.is("&&") {
		p.next()
		a, b := left, p.not()
		left = func(m *bcMachine) bcNum { return bcBool(a(m).truthy() && b(m).truthy()) }
	}
	return left
}

func (p *bcParser) not() bcExpr {
	if p.is("!") {
		p.next()
		e := p.not()
		return func(m *bcMachine) bcNum { return bcBool(!e(m).truthy()) }
	}
	return p.relation()
}

func (p *bcParser) relation() bcExpr {
	left := p.sum()
	for p.kind == bcOp {
		var test func(int) bool
		switch p.text {
		case "<":
			test = func(c int) bool { return c < 0 }
		case "<=":
			test = func(c int) bool { return c <= 0 }
		case ">":
			test = func(c int) bool { return c > 0 }
		case ">=":
			test = func(c int) bool { return c >= 0 }
		case "==":
			test = func(c int) bool { return c == 0 }
		case "!=":
			test = func(c int) bool { return c != 0 }
		default:
			return left
		}
		p.next()
		a, b := left, p.sum()
		left = func(m *bcMachine) bcNum { x := a(m); return bcBool(test(bcCompare(x, b(m)))) }
	}
	return left
}

func (p *bcParser) sum() bcExpr {
	left := p.product()
	for p.is("+") || p.is("-") {
		op := p.text[0]
		p.next()
		a, b := left, p.product()
		left = func(m *bcMachine) bcNum { x := a(m); return m.binary(op, x, b(m)) }
	}
	return left
}

func (p *bcParser) product() bcExpr {
	left := p.power()
	for p.is("*") || p.is("/") || p.is("%") {
		op := p.text[0]
		p.next()
		a, b := left, p.power()
		left = func(m *bcMachine) bcNum { x := a(m); return m.binary(op, x, b(m)) }
	}
	return left
}

func (p *bcParser) power() bcExpr {
	left := p.unary()
	if p.is("^") {
		p.next()
		a, b := left, p.power()
		return func(m *bcMachine) bcNum { x := a(m); return m.power(x, b(m)) }
	}
	return left
}

func (p *bcParser) unary() bcExpr {
	if p.is("-") {
		p.next()
		e := p.unary()
		return func(m *bcMachine) bcNum { return m.binary('-', bcInt(0), e(m)) }
	}
	if p.is("++") || p.is("--") {
		op := p.text[0]
		p.next()
		if p.kind != bcName {
			p.fail()
		}
		t, ok := p.target()
		if !ok {
			p.fail()
		}
		return func(m *bcMachine) bcNum {
			n := m.binary(op, t.get(m), bcInt(1))
			t.set(m, n)
			return n
		}
	}
	return p.primary()
}

func (p *bcParser) primary() bcExpr {
	switch {
	case p.kind == bcNumber:
		text := p.text
		p.next()
		return func(m *bcMachine) bcNum { return m.readNumber(text) }
	case p.is("("):
		p.next()
		e := p.expression()
		p.expect(")")
		return e
	case p.is("."):
		p.next()
		return func(m *bcMachine) bcNum { return m.last }
	case p.kind == bcName:
		name := p.text
		saved := *p
		t, ok := p.target()
		if ok {
			if p.is("++") || p.is("--") {
				op := p.text[0]
				p.next()
				return func(m *bcMachine) bcNum {
					old := t.get(m)
					t.set(m, m.binary(op, old, bcInt(1)))
					return old
				}
			}
			return t.get
		}
		*p = saved
		p.next()
		return p.called(name)
	}
	p.fail()
	return nil
}

func (p *bcParser) called(name string) bcExpr {
	p.expect("(")
	var args []bcExpr
	var arrays []string
	for !p.is(")") {
		if p.kind == bcName {
			saved := *p
			array := p.text
			p.next()
			if p.is("[") {
				p.next()
				if p.is("]") {
					p.next()
					args, arrays = append(args, nil), append(arrays, array)
					if p.is(",") {
						p.next()
					}
					continue
				}
			}
			*p = saved
		}
		args, arrays = append(args, p.expression()), append(arrays, "")
		if !p.is(",") {
			break
		}
		p.next()
	}
	p.expect(")")
	return func(m *bcMachine) bcNum { return m.call(name, args, arrays) }
}
