package shell

import (
	"math/bits"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// arithmetic evaluates an expression.
func (sh *Shell) arithmetic(x syntax.ArithmExpr) int64 {
	a := arithmetic{sh: sh}
	if a.expand(x) {
		return a.eval(x)
	}
	// What expansions give has operators of its own: the text counts, as in bash.
	return a.text(a.whole(x))
}

// evaluate evaluates an expression that is a text.
func (sh *Shell) evaluate(s string) int64 {
	a := arithmetic{sh: sh}
	return a.text(s)
}

// calculated is the status of a command that is an expression. An error in it does not end more than the command.
func calculated(evaluate func() int64) (status int) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case discard:
			status = e.status
		default:
			panic(e)
		}
	}()
	return command.Status(evaluate() != 0)
}

type arithmetic struct {
	sh    *Shell
	depth int
	// expanded are the words that have expansions, and what these gave.
	expanded map[*syntax.Word]string
}

// expand expands the words of an expression, and returns whether each gives one operand.
func (a *arithmetic) expand(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		if _, _, ok := a.place(x); ok || len(x.Parts) == 1 && x.Lit() != "" {
			return true
		}
		text := a.sh.literal(x)
		if a.expanded == nil {
			a.expanded = map[*syntax.Word]string{}
		}
		a.expanded[x] = text
		operand := strings.TrimLeft(strings.TrimSpace(text), "-+")
		for i := range len(operand) {
			if c := operand[i]; c != '_' && c != '#' && !isHex(c|0x20) && (c|0x20 < 'a' || c|0x20 > 'z') && c != '@' {
				return false
			}
		}
		return operand != "" || text == ""
	case *syntax.ParenArithm:
		return a.expand(x.X)
	case *syntax.UnaryArithm:
		return a.expand(x.X)
	case *syntax.BinaryArithm:
		left := a.expand(x.X)
		return a.expand(x.Y) && left
	}
	return true
}

// whole returns an expression as a text, with what its words were expanded to.
func (a *arithmetic) whole(x syntax.ArithmExpr) string {
	switch x := x.(type) {
	case *syntax.Word:
		if text, ok := a.expanded[x]; ok {
			return text
		}
		return source(x)
	case *syntax.ParenArithm:
		return "(" + a.whole(x.X) + ")"
	case *syntax.UnaryArithm:
		if x.Post {
			return a.whole(x.X) + x.Op.String()
		}
		return x.Op.String() + " " + a.whole(x.X)
	case *syntax.BinaryArithm:
		return a.whole(x.X) + " " + x.Op.String() + " " + a.whole(x.Y)
	}
	return ""
}

// fail reports an error and leaves the command.
func (a *arithmetic) fail(format string, args ...any) {
	a.sh.errorf(format, args...)
	panic(discard{1})
}

// text evaluates a text: a number, the name of a variable, or an expression.
func (a *arithmetic) text(s string) int64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if n, ok := a.number(s); ok {
		return n
	}
	if a.depth++; a.depth > 256 {
		a.fail("%s: expression recursion level exceeded (error token is \"%s\")", s, s)
	}
	defer func() { a.depth-- }()
	if validName(s) {
		value, ok := a.sh.get(s)
		if !ok {
			if a.sh.options.on['u'] {
				a.sh.errorf("%s: unbound variable", s)
				panic(exit{unbound(a.sh)})
			}
			return 0
		}
		return a.text(value)
	}
	x, at := expression(s)
	if x == nil {
		a.fail("%s: syntax error: invalid arithmetic operator (error token is \"%s\")", s, s[at:])
	}
	if word, ok := x.(*syntax.Word); ok && word.Lit() == s {
		a.fail("%s: syntax error: operand expected (error token is \"%s\")", s, s)
	}
	return a.eval(x)
}

// expression parses the text of an expression. If it is none, it returns where it ends to be one.
func expression(s string) (x syntax.ArithmExpr, at int) {
	const begin = "(("
	file, err := newParser().Parse(strings.NewReader(begin+s+"))"), "")
	if err != nil {
		at = max(0, errorAt(err)-len(begin))
	} else if len(file.Stmts) == 1 && len(file.Stmts[0].Redirs) == 0 {
		if cmd, ok := file.Stmts[0].Cmd.(*syntax.ArithmCmd); ok && int(cmd.End().Offset()) == len(s)+len("(())") {
			return cmd.X, 0
		}
	}
	return nil, min(at, len(s))
}

// number reads a number: decimal, 0x..., 0..., or base#...
func (a *arithmetic) number(s string) (int64, bool) {
	if s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	if base, digits, ok := strings.Cut(s, "#"); ok {
		n, err := strconv.Atoi(base)
		if err != nil {
			return 0, false
		}
		if n < 2 || n > 64 {
			a.fail("%s: invalid arithmetic base (error token is \"%s\")", s, s)
		}
		var value int64
		for i := range len(digits) {
			d := -1
			switch c := digits[i]; {
			case c >= '0' && c <= '9':
				d = int(c - '0')
			case c >= 'a' && c <= 'z':
				d = int(c-'a') + 10
			case c >= 'A' && c <= 'Z' && n <= 36:
				d = int(c-'A') + 10
			case c >= 'A' && c <= 'Z':
				d = int(c-'A') + 36
			case c == '@':
				d = 62
			case c == '_':
				d = 63
			}
			if d < 0 {
				return 0, false
			}
			if d >= n {
				a.fail("%s: value too great for base (error token is \"%s\")", s, s)
			}
			value = value*int64(n) + int64(d)
		}
		return value, true
	}
	base := int64(10)
	digits := s
	if len(s) > 1 && s[0] == '0' {
		base, digits = 8, s[1:]
		if s[1] == 'x' || s[1] == 'X' {
			base, digits = 16, s[2:]
		}
	}
	var value int64
	for i := range len(digits) {
		var d int64
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
			d = int64(c - '0')
		case base == 16 && isHex(c):
			d = int64(c|0x20-'a') + 10
		default:
			return 0, false
		}
		if d >= base {
			a.fail("%s: value too great for base (error token is \"%s\")", s, s)
		}
		value = value*base + d
	}
	return value, true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (a *arithmetic) eval(x syntax.ArithmExpr) int64 {
	switch x := x.(type) {
	case nil:
		return 0
	case *syntax.Word:
		if name, index, ok := a.place(x); ok {
			return a.load(name, index)
		}
		if text, ok := a.expanded[x]; ok {
			return a.text(text)
		}
		return a.text(a.sh.literal(x))
	case *syntax.ParenArithm:
		return a.eval(x.X)
	case *syntax.UnaryArithm:
		return a.unary(x)
	case *syntax.BinaryArithm:
		return a.binary(x)
	}
	a.fail("%s: syntax error in expression", source(x))
	return 0
}

// place returns the variable that a word is, which can have a subscript.
func (a *arithmetic) place(word *syntax.Word) (name string, index syntax.ArithmExpr, ok bool) {
	if len(word.Parts) != 1 {
		return "", nil, false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, nil, validName(p.Value)
	case *syntax.ParamExp:
		if p.Short && p.Index != nil && !p.Dollar.IsValid() && p.Param != nil {
			return p.Param.Value, p.Index, true
		}
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 {
			return a.place(&syntax.Word{Parts: p.Parts})
		}
	}
	return "", nil, false
}

func (a *arithmetic) load(name string, index syntax.ArithmExpr) int64 {
	if index == nil {
		value, ok := a.sh.get(name)
		if !ok && a.sh.options.on['u'] {
			a.sh.errorf("%s: unbound variable", name)
			panic(exit{unbound(a.sh)})
		}
		if a.depth++; a.depth > 256 {
			a.fail("%s: expression recursion level exceeded (error token is \"%s\")", name, name)
		}
		defer func() { a.depth-- }()
		return a.text(value)
	}
	return a.text(a.sh.subject(name, index).value())
}

func (a *arithmetic) store(x syntax.ArithmExpr, value int64) {
	if word, ok := x.(*syntax.Word); ok {
		name, index, ok := a.place(word)
		if !ok {
			// It can be in an expansion: (( $name = 1 )).
			text := a.sh.literal(word)
			base, subscript, element := cutSubscript(text)
			if element {
				a.sh.assignElement(base, subscript, itoa(value), false)
				return
			}
			name, ok = text, validName(text)
		}
		if ok {
			if index == nil {
				a.sh.assign(name, itoa(value))
			} else if v := a.sh.lookup(name); v != nil && v.kind == associative {
				name = a.sh.resolve(name)
				a.sh.changing(name)
				a.sh.own(name).put(a.sh.key(index), itoa(value))
			} else {
				name = a.sh.resolve(name)
				a.sh.changing(name)
				a.sh.assignAt(name, int(a.eval(index)), itoa(value), false)
			}
			return
		}
	}
	a.fail("%s: attempted assignment to non-variable (error token is \"= %d\")", source(x), value)
}

func (a *arithmetic) unary(x *syntax.UnaryArithm) int64 {
	value := a.eval(x.X)
	switch x.Op {
	case syntax.Not:
		return truth(value == 0)
	case syntax.BitNegation:
		return ^value
	case syntax.Plus:
		return value
	case syntax.Minus:
		return -value
	}
	next := value + 1
	if x.Op == syntax.Dec {
		next = value - 1
	}
	a.store(x.X, next)
	if x.Post {
		return value
	}
	return next
}

// assignments are the operators that assign, and what they do before.
var assignments = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (a *arithmetic) binary(x *syntax.BinaryArithm) int64 {
	switch x.Op {
	case syntax.Assgn:
		value := a.eval(x.Y)
		a.store(x.X, value)
		return value
	case syntax.AndArit:
		return truth(a.eval(x.X) != 0 && a.eval(x.Y) != 0)
	case syntax.OrArit:
		return truth(a.eval(x.X) != 0 || a.eval(x.Y) != 0)
	case syntax.Comma:
		a.eval(x.X)
		return a.eval(x.Y)
	case syntax.TernQuest:
		choice, ok := x.Y.(*syntax.BinaryArithm)
		if !ok || choice.Op != syntax.TernColon {
			a.fail("%s: `:' expected for conditional expression", source(x))
		}
		if a.eval(x.X) != 0 {
			return a.eval(choice.X)
		}
		return a.eval(choice.Y)
	}
	if op, ok := assignments[x.Op]; ok {
		value := a.calculate(op, a.eval(x.X), a.eval(x.Y), x)
		a.store(x.X, value)
		return value
	}
	return a.calculate(x.Op, a.eval(x.X), a.eval(x.Y), x)
}

func (a *arithmetic) calculate(op syntax.BinAritOperator, l, r int64, x syntax.ArithmExpr) int64 {
	switch op {
	case syntax.Add:
		return l + r
	case syntax.Sub:
		return l - r
	case syntax.Mul:
		return l * r
	case syntax.Quo, syntax.Rem:
		if r == 0 {
			a.fail("%s: division by 0 (error token is \"%s\")", rawIndex(x), itoa(r))
		}
		if r == -1 {
			if op == syntax.Quo {
				return -l
			}
			return 0
		}
		if op == syntax.Quo {
			return l / r
		}
		return l % r
	case syntax.Pow:
		if r < 0 {
			a.fail("%s: exponent less than 0 (error token is \"%s\")", rawIndex(x), itoa(-r))
		}
		value := int64(1)
		for i := bits.Len64(uint64(r)) - 1; i >= 0; i-- {
			value *= value
			if r>>i&1 == 1 {
				value *= l
			}
		}
		return value
	case syntax.Eql:
		return truth(l == r)
	case syntax.Neq:
		return truth(l != r)
	case syntax.Lss:
		return truth(l < r)
	case syntax.Gtr:
		return truth(l > r)
	case syntax.Leq:
		return truth(l <= r)
	case syntax.Geq:
		return truth(l >= r)
	case syntax.And:
		return l & r
	case syntax.Or:
		return l | r
	case syntax.Xor:
		return l ^ r
	case syntax.Shl:
		return l << uint(r&63)
	case syntax.Shr:
		return l >> uint(r&63)
	}
	a.fail("%s: syntax error in expression", source(x))
	return 0
}
