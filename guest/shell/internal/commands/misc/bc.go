package misc

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"runtime"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var bc = &command.Command{
	Name: "bc", Operands: "[OPTION]... [FILE]...", Summary: "An arbitrary precision calculator language.",
	Options: []command.Option{
		{Short: 'l', Long: "mathlib", Help: "use the predefined math routines, and a scale of 20"},
		{Short: 'q', Long: "quiet", Help: "don't print initial banner (there is none)"},
		{Short: 's', Long: "standard"}, {Short: 'w', Long: "warn"}, {Short: 'i', Long: "interactive"}, {Short: 'v'},
	},
	Run: runBC,
}

// A bcNum is a number: v / 10^scale.
type bcNum struct {
	v     *big.Int
	scale int
}

func bcInt(n int64) bcNum { return bcNum{big.NewInt(n), 0} }

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// at returns a number with another scale, cut off.
func (n bcNum) at(scale int) bcNum {
	switch {
	case scale > n.scale:
		return bcNum{new(big.Int).Mul(n.v, pow10(scale-n.scale)), scale}
	case scale < n.scale:
		return bcNum{new(big.Int).Quo(n.v, pow10(n.scale-scale)), scale}
	}
	return n
}

func (n bcNum) int() int {
	v := n.at(0).v
	if !v.IsInt64() || v.Int64() > 1<<31 || v.Int64() < -1<<31 {
		return 1 << 31 * v.Sign()
	}
	return int(v.Int64())
}

func bcCompare(a, b bcNum) int {
	scale := max(a.scale, b.scale)
	return a.at(scale).v.Cmp(b.at(scale).v)
}

// bcError is an error of a program, as a panic.
type bcError string

// bcMaxDigits bounds how long numbers get.
const bcMaxDigits = 1 << 21

type bcControl uint8

const (
	bcNormal bcControl = iota
	bcBreak
	bcContinue
	bcReturn
	bcQuit
)

type (
	bcExpr func(m *bcMachine) bcNum
	bcStmt func(m *bcMachine) bcControl
)

type bcFunction struct {
	params []string // "a[]" is an array
	autos  []string
	body   bcStmt
}

type bcMachine struct {
	c         *command.Context
	out       *bufio.Writer
	scale     int
	ibase     int
	obase     int
	last      bcNum
	vars      map[string]bcNum
	arrays    map[string]map[int]bcNum
	functions map[string]*bcFunction
	result    bcNum
	depth     int
	ticks     uint
	math      bool
	column    int
}

func runBC(c *command.Context) int {
	m := &bcMachine{c: c, out: c.Output(), ibase: 10, obase: 10, last: bcInt(0), vars: map[string]bcNum{},
		arrays: map[string]map[int]bcNum{}, functions: map[string]*bcFunction{}, math: c.Has("mathlib")}
	if m.math {
		m.scale = 20
	}
	status := 0
	for _, name := range append(c.Args, "-") {
		in, err := c.Input(name)
		if err != nil {
			_ = m.out.Flush()
			fmt.Fprintf(c.Stderr, "File %s is unavailable.\n", name)
			return 1
		}
		data, err := io.ReadAll(in)
		_ = in.Close()
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		shown := name
		if name == "-" {
			shown = "(standard_in)"
		}
		if m.source(shown, string(data)) {
			break
		}
	}
	if m.out.Flush() != nil {
		return 1
	}
	return status
}

// source runs a file, line by line. It returns whether the program has ended.
func (m *bcMachine) source(name, text string) bool {
	p := &bcParser{src: text, line: 1, machine: m}
	for {
		done, quit := m.unit(p, name)
		if done || quit {
			return quit
		}
	}
}

// unit reads and runs what is up to the end of a line. Errors are told, and end it.
func (m *bcMachine) unit(p *bcParser, name string) (done, quit bool) {
	reading := true
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bcError:
			_ = m.out.Flush()
			if reading {
				fmt.Fprintf(m.c.Stderr, "%s %d: %s\n", name, p.line, string(e))
				p.skipLine()
			} else {
				fmt.Fprintf(m.c.Stderr, "Runtime error (func=(main), adr=3): %s\n", string(e))
			}
			m.depth = 0
		default:
			panic(e)
		}
	}()
	p.next()
	for p.is("\n") || p.is(";") {
		p.next()
	}
	if p.kind == bcEOF {
		return true, false
	}
	var list []bcStmt
	for {
		list = append(list, p.statement())
		if !p.is(";") {
			break
		}
		p.next()
		if p.is("\n") || p.kind == bcEOF {
			break
		}
	}
	if !p.is("\n") && p.kind != bcEOF {
		p.fail()
	}
	reading = false
	for _, s := range list {
		if s(m) == bcQuit {
			return true, true
		}
	}
	return false, false
}

func (m *bcMachine) tick() {
	if m.ticks++; m.ticks&0xff == 0 {
		runtime.Gosched()
		if m.c.Context().Err() != nil {
			panic(bcError("interrupted"))
		}
	}
}

// write writes a text, of which long numbers are split.
func (m *bcMachine) write(s string) {
	for _, r := range s {
		if r == '\n' {
			m.column = 0
		}
		_, _ = m.out.WriteRune(r)
	}
}

const bcLine = 68

// print writes a number in the output base.
func (m *bcMachine) print(n bcNum) {
	s := m.format(n)
	for _, r := range []byte(s) {
		if m.column == bcLine {
			_, _ = m.out.WriteString("\\\n")
			m.column = 0
		}
		_ = m.out.WriteByte(r)
		m.column++
	}
}

func (m *bcMachine) format(n bcNum) string {
	negative := n.v.Sign() < 0
	abs := new(big.Int).Abs(n.v)
	if m.obase == 10 {
		s := abs.String()
		if n.scale > 0 {
			for len(s) <= n.scale {
				s = "0" + s
			}
			s = s[:len(s)-n.scale] + "." + s[len(s)-n.scale:]
			s = strings.TrimPrefix(s, "0")
			if abs.Sign() == 0 {
				return "0"
			}
		}
		if negative {
			s = "-" + s
		}
		return s
	}
	whole, rest := new(big.Int).QuoRem(abs, pow10(n.scale), new(big.Int))
	base := big.NewInt(int64(m.obase))
	var digits []int
	for whole.Sign() > 0 {
		digit := new(big.Int)
		whole.QuoRem(whole, base, digit)
		digits = append(digits, int(digit.Int64()))
	}
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	width := len(strconv.Itoa(m.obase - 1))
	show := func(d int) {
		if m.obase <= 16 {
			b.WriteByte("0123456789ABCDEF"[d])
		} else {
			fmt.Fprintf(&b, " %0*d", width, d)
		}
	}
	for i := len(digits) - 1; i >= 0; i-- {
		show(digits[i])
	}
	if rest.Sign() != 0 {
		b.WriteByte('.')
		limit := pow10(n.scale)
		for reached := big.NewInt(1); reached.Cmp(limit) < 0; reached.Mul(reached, base) {
			rest.Mul(rest, base)
			digit := new(big.Int)
			digit.QuoRem(rest, limit, rest)
			show(int(digit.Int64()))
		}
	} else if len(digits) == 0 {
		return "0"
	}
	return b.String()
}

func (m *bcMachine) binary(op byte, a, b bcNum) bcNum {
	switch op {
	case '+', '-':
		scale := max(a.scale, b.scale)
		x, y := a.at(scale).v, b.at(scale).v
		if op == '+' {
			return bcNum{new(big.Int).Add(x, y), scale}
		}
		return bcNum{new(big.Int).Sub(x, y), scale}
	case '*':
		product := bcNum{new(big.Int).Mul(a.v, b.v), a.scale + b.scale}
		m.bound(product)
		return product.at(min(a.scale+b.scale, max(m.scale, a.scale, b.scale)))
	case '/':
		if b.v.Sign() == 0 {
			panic(bcError("Divide by zero"))
		}
		return bcDivide(a, b, m.scale)
	case '%':
		if b.v.Sign() == 0 {
			panic(bcError("Modulo by zero"))
		}
		scale := max(m.scale+b.scale, a.scale)
		q := bcDivide(a, b, m.scale)
		product := bcNum{new(big.Int).Mul(q.v, b.v), q.scale + b.scale}
		return m.binary('-', a.at(scale), product.at(scale))
	}
	return m.power(a, b)
}

// bcDivide returns a quotient, cut off at a scale.
func bcDivide(a, b bcNum, scale int) bcNum {
	x := new(big.Int).Mul(a.v, pow10(scale+b.scale))
	y := new(big.Int).Mul(b.v, pow10(a.scale))
	return bcNum{x.Quo(x, y), scale}
}

func (m *bcMachine) bound(n bcNum) {
	if n.v.BitLen() > bcMaxDigits*3 {
		panic(bcError("the number is too long"))
	}
	m.tick()
}

func (m *bcMachine) power(a, b bcNum) bcNum {
	n := b.int()
	negative := n < 0
	if negative {
		n = -n
	}
	if n >= 1<<31 || int64(n)*int64(max(1, a.v.BitLen())) > bcMaxDigits*3 && a.v.CmpAbs(big.NewInt(1)) > 0 {
		panic(bcError("exponent too large in raise"))
	}
	full := bcNum{new(big.Int).Exp(a.v, big.NewInt(int64(n)), nil), a.scale * n}
	if negative {
		if full.v.Sign() == 0 {
			panic(bcError("Divide by zero"))
		}
		return bcDivide(bcInt(1), full, m.scale)
	}
	return full.at(min(a.scale*n, max(m.scale, a.scale)))
}

// truthy says whether a number is not 0.
func (n bcNum) truthy() bool { return n.v.Sign() != 0 }

func bcBool(b bool) bcNum {
	if b {
		return bcInt(1)
	}
	return bcInt(0)
}

const bcMaxCalls = 5000

func (m *bcMachine) call(name string, args []bcExpr, arrays []string) bcNum {
	f := m.functions[name]
	if f == nil {
		if n, ok := m.library(name, args); ok {
			return n
		}
		panic(bcError("Function " + name + " not defined."))
	}
	if len(args) != len(f.params) {
		panic(bcError("Parameter number mismatch"))
	}
	if m.depth >= bcMaxCalls {
		panic(bcError("functions are nested too deep"))
	}
	m.tick()
	values := make([]bcNum, len(args))
	copies := make([]map[int]bcNum, len(args))
	for i, a := range args {
		if strings.HasSuffix(f.params[i], "[]") {
			copies[i] = map[int]bcNum{}
			for k, v := range m.arrays[arrays[i]] {
				copies[i][k] = v
			}
			continue
		}
		values[i] = a(m)
	}
	// Variables are dynamic: they are put aside, and come back.
	type saved struct {
		name  string
		num   bcNum
		has   bool
		array map[int]bcNum
	}
	var aside []saved
	hide := func(name string) {
		if base, ok := strings.CutSuffix(name, "[]"); ok {
			aside = append(aside, saved{name: name, array: m.arrays[base]})
			delete(m.arrays, base)
			return
		}
		n, has := m.vars[name]
		aside = append(aside, saved{name: name, num: n, has: has})
		delete(m.vars, name)
	}
	for i, p := range f.params {
		hide(p)
		if base, ok := strings.CutSuffix(p, "[]"); ok {
			m.arrays[base] = copies[i]
		} else {
			m.vars[p] = values[i]
		}
	}
	for _, a := range f.autos {
		hide(a)
	}
	m.depth++
	m.result = bcInt(0)
	f.body(m)
	m.depth--
	result := m.result
	m.result = bcInt(0)
	for i := len(aside) - 1; i >= 0; i-- {
		s := aside[i]
		if base, ok := strings.CutSuffix(s.name, "[]"); ok {
			m.arrays[base] = s.array
		} else if s.has {
			m.vars[s.name] = s.num
		} else {
			delete(m.vars, s.name)
		}
	}
	return result
}

// variable returns a variable, of which scale, ibase and obase are special.
func (m *bcMachine) variable(name string) bcNum {
	switch name {
	case "scale":
		return bcInt(int64(m.scale))
	case "ibase":
		return bcInt(int64(m.ibase))
	case "obase":
		return bcInt(int64(m.obase))
	case "last":
		return m.last
	}
	if n, ok := m.vars[name]; ok {
		return n
	}
	return bcInt(0)
}

func (m *bcMachine) set(name string, n bcNum) {
	v := n.int()
	switch name {
	case "scale":
		if v < 0 {
			panic(bcError("negative scale"))
		}
		m.scale = min(v, 1<<20)
	case "ibase":
		m.ibase = max(2, min(16, v))
	case "obase":
		m.obase = max(2, min(1<<30, v))
	case "last":
		m.last = n
	default:
		m.vars[name] = n
	}
}

// readNumber reads a number in the input base.
func (m *bcMachine) readNumber(s string) bcNum {
	whole, fraction, _ := strings.Cut(s, ".")
	if m.ibase == 10 && !strings.ContainsAny(s, "ABCDEF") {
		v, ok := new(big.Int).SetString("0"+whole+fraction, 10)
		if !ok {
			panic(bcError("syntax error"))
		}
		return bcNum{v, len(fraction)}
	}
	base := big.NewInt(int64(m.ibase))
	single := len(whole)+len(fraction) == 1
	digit := func(c byte) *big.Int {
		d := strings.IndexByte("0123456789ABCDEF", c)
		if !single {
			d = min(d, m.ibase-1)
		}
		return big.NewInt(int64(d))
	}
	v := new(big.Int)
	for i := range len(whole) {
		v.Mul(v, base).Add(v, digit(whole[i]))
	}
	n := bcNum{v, 0}
	if fraction != "" {
		part, unit := new(big.Int), big.NewInt(1)
		for i := range len(fraction) {
			part.Mul(part, base).Add(part, digit(fraction[i]))
			unit.Mul(unit, base)
		}
		f := bcDivide(bcNum{part, 0}, bcNum{unit, 0}, len(fraction))
		n = m.binary('+', n, f)
	}
	return n
}
