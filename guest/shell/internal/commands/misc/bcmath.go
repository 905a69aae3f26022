package misc

import (
	"bufio"
	"math/big"
	"strings"
)

// library does the functions that bc has: those of -l only if that was given.
func (m *bcMachine) library(name string, args []bcExpr) (bcNum, bool) {
	if name == "read" && len(args) == 0 {
		line, _ := bufio.NewReader(m.c.Stdin).ReadString('\n')
		return m.readNumber(strings.TrimSpace(line)), true
	}
	if name == "j" && len(args) == 2 && m.math {
		n := args[0](m).int()
		return m.bessel(n, args[1](m)), true
	}
	if len(args) != 1 || args[0] == nil {
		return bcNum{}, false
	}
	switch name {
	case "length":
		x := args[0](m)
		digits := len(new(big.Int).Abs(x.v).String())
		if x.v.Sign() == 0 {
			digits = max(1, x.scale)
		}
		return bcInt(int64(max(digits, x.scale))), true
	case "scale":
		return bcInt(int64(args[0](m).scale)), true
	case "sqrt":
		x := args[0](m)
		if x.v.Sign() < 0 {
			panic(bcError("Square root of a negative number"))
		}
		scale := max(m.scale, x.scale)
		return bcNum{new(big.Int).Sqrt(x.at(2 * scale).v), scale}, true
	}
	if !m.math {
		return bcNum{}, false
	}
	switch name {
	case "e", "l", "s", "c", "a":
	default:
		return bcNum{}, false
	}
	x := args[0](m)
	m.tick()
	switch name {
	case "e":
		return m.exp(x), true
	case "l":
		if x.v.Sign() <= 0 {
			return bcNum{new(big.Int).Sub(big.NewInt(1), pow10(m.scale)), 0}, true
		}
		f := m.fixed(x, 10)
		return bcNum{f.log(f.of(x)), f.digits}.at(m.scale), true
	case "a":
		f := m.fixed(x, 10)
		return bcNum{f.atan(f.of(x)), f.digits}.at(m.scale), true
	case "c":
		f := m.fixed(x, 10)
		quarter := new(big.Int).Rsh(f.pi(), 1)
		return bcNum{f.sin(quarter.Add(quarter, f.of(x))), f.digits}.at(m.scale), true
	}
	f := m.fixed(x, 10)
	return bcNum{f.sin(f.of(x)), f.digits}.at(m.scale), true
}

// A fixedPoint computes with numbers that have so many digits after the point.
type fixedPoint struct {
	m      *bcMachine
	digits int
	one    *big.Int
}

// fixed returns a fixedPoint for a function of a number, with more digits than are asked for.
func (m *bcMachine) fixed(x bcNum, more int) *fixedPoint {
	digits := m.scale + more + max(0, len(x.v.String())-x.scale)
	return &fixedPoint{m, digits, pow10(digits)}
}

func (f *fixedPoint) of(x bcNum) *big.Int { return new(big.Int).Set(x.at(f.digits).v) }

func (f *fixedPoint) mul(a, b *big.Int) *big.Int {
	p := new(big.Int).Mul(a, b)
	return p.Quo(p, f.one)
}

func (f *fixedPoint) div(a, b *big.Int) *big.Int {
	q := new(big.Int).Mul(a, f.one)
	return q.Quo(q, b)
}

func (f *fixedPoint) sqrt(a *big.Int) *big.Int {
	s := new(big.Int).Mul(a, f.one)
	return s.Sqrt(s)
}

func (m *bcMachine) exp(x bcNum) bcNum {
	if x.v.Sign() < 0 {
		positive := bcNum{new(big.Int).Neg(x.v), x.scale}
		// More digits are needed, since the quotient begins with zeros.
		inner := &bcMachine{c: m.c, scale: m.scale + 10}
		return bcDivide(bcInt(1), inner.exp(positive), m.scale)
	}
	whole := x.int()
	if whole > 1<<20 {
		panic(bcError("the argument of e() is too large"))
	}
	f := m.fixed(x, 15+whole/2)
	y := f.of(x)
	halved := 0
	for limit := new(big.Int).Quo(f.one, big.NewInt(16)); y.Cmp(limit) > 0; halved++ {
		y.Rsh(y, 1)
	}
	sum, term := new(big.Int).Set(f.one), new(big.Int).Set(f.one)
	for i := int64(1); term.Sign() != 0; i++ {
		term = f.mul(term, y)
		term.Quo(term, big.NewInt(i))
		sum.Add(sum, term)
		m.tick()
	}
	for range halved {
		sum = f.mul(sum, sum)
	}
	return bcNum{sum, f.digits}.at(m.scale)
}

// log returns a logarithm: roots are taken until the number is near 1.
func (f *fixedPoint) log(x *big.Int) *big.Int {
	// Each root doubles the error.
	g := &fixedPoint{f.m, f.digits + 20, pow10(f.digits + 20)}
	x = new(big.Int).Mul(x, pow10(20))
	doubled := uint(1)
	near := new(big.Int).Quo(g.one, big.NewInt(10))
	for new(big.Int).Sub(x, g.one).CmpAbs(near) > 0 {
		x = g.sqrt(x)
		doubled++
	}
	t := g.div(new(big.Int).Sub(x, g.one), new(big.Int).Add(x, g.one))
	square := g.mul(t, t)
	sum, power := new(big.Int).Set(t), t
	for i := int64(3); ; i += 2 {
		power = g.mul(power, square)
		term := new(big.Int).Quo(power, big.NewInt(i))
		if term.Sign() == 0 {
			break
		}
		sum.Add(sum, term)
		f.m.tick()
	}
	sum.Lsh(sum, doubled)
	return sum.Quo(sum, pow10(20))
}

func (f *fixedPoint) atan(x *big.Int) *big.Int {
	x = new(big.Int).Set(x)
	doubled := uint(0)
	near := new(big.Int).Quo(f.one, big.NewInt(10))
	for x.CmpAbs(near) > 0 {
		root := f.sqrt(new(big.Int).Add(f.one, f.mul(x, x)))
		x = f.div(x, root.Add(root, f.one))
		doubled++
	}
	square := f.mul(x, x)
	sum, power := new(big.Int).Set(x), x
	for i := int64(3); ; i += 2 {
		power = f.mul(power, square)
		power.Neg(power)
		term := new(big.Int).Quo(power, big.NewInt(i))
		if term.Sign() == 0 {
			break
		}
		sum.Add(sum, term)
		f.m.tick()
	}
	return sum.Lsh(sum, doubled)
}

func (f *fixedPoint) pi() *big.Int {
	pi := f.atan(f.one)
	return pi.Lsh(pi, 2)
}

func (f *fixedPoint) sin(x *big.Int) *big.Int {
	turn := f.pi()
	turn.Lsh(turn, 1)
	x = new(big.Int).Rem(x, turn)
	square := f.mul(x, x)
	sum, term := new(big.Int).Set(x), x
	for i := int64(2); ; i += 2 {
		term = f.mul(term, square)
		term.Neg(term)
		term.Quo(term, big.NewInt(i*(i+1)))
		if term.Sign() == 0 {
			return sum
		}
		sum.Add(sum, term)
		f.m.tick()
	}
}

// bessel is Bessel's function of an order, by its series.
func (m *bcMachine) bessel(n int, x bcNum) bcNum {
	f := m.fixed(x, 15)
	half := f.of(x)
	half.Rsh(half, 1)
	negative := n < 0 && n%2 != 0
	if n < 0 {
		n = -n
	}
	term := new(big.Int).Set(f.one)
	for i := range n {
		term = f.mul(term, half)
		term.Quo(term, big.NewInt(int64(i+1)))
	}
	square := f.mul(half, half)
	sum := new(big.Int).Set(term)
	for k := int64(1); term.Sign() != 0; k++ {
		term = f.mul(term, square)
		term.Neg(term)
		term.Quo(term, big.NewInt(k*(k+int64(n))))
		sum.Add(sum, term)
		m.tick()
	}
	if negative {
		sum.Neg(sum)
	}
	return bcNum{sum, f.digits}.at(m.scale)
}
