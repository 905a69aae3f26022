package misc

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var factor = &command.Command{
	Name: "factor", Operands: "[NUMBER]...",
	Summary: "Print the prime factors of each specified integer NUMBER. If none are specified, read them\n" +
		"from standard input.",
	Run: runFactor,
}

func runFactor(c *command.Context) int {
	out := c.Output()
	ok := true
	one := func(s string) bool {
		s = strings.TrimSpace(s)
		n, valid := new(big.Int).SetString(strings.TrimPrefix(s, "+"), 10)
		if !valid || n.Sign() < 0 || strings.Contains(s, "_") {
			_ = out.Flush()
			c.Errorf("%s is not a valid positive integer", command.QuoteText(s))
			ok = false
			return true
		}
		fmt.Fprintf(out, "%s:", n)
		factors, complete := factorize(c, n)
		if !complete {
			return false
		}
		for _, f := range factors {
			fmt.Fprintf(out, " %s", f)
		}
		fmt.Fprintln(out)
		return true
	}
	if len(c.Args) > 0 {
		for _, arg := range c.Args {
			if !one(arg) {
				break
			}
		}
	} else {
		words := bufio.NewScanner(io.Reader(c.Stdin))
		words.Split(bufio.ScanWords)
		for words.Scan() && one(words.Text()) {
			_ = out.Flush()
		}
	}
	return command.Status(out.Flush() == nil && ok)
}

// factorize returns the prime factors of a number, sorted. It stops if the command must end.
func factorize(c *command.Context, n *big.Int) ([]*big.Int, bool) {
	var factors []*big.Int
	n = new(big.Int).Set(n)
	one := big.NewInt(1)
	var q, r big.Int
	for p := int64(2); p < 10000 && n.Cmp(one) > 0; p++ {
		prime := big.NewInt(p)
		for {
			q.QuoRem(n, prime, &r)
			if r.Sign() != 0 {
				break
			}
			factors = append(factors, prime)
			n.Set(&q)
		}
		if n.IsInt64() && p*p > n.Int64() {
			break
		}
	}
	pending := []*big.Int{n}
	for len(pending) > 0 {
		m := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch {
		case m.Cmp(one) <= 0:
		case m.ProbablyPrime(20):
			factors = append(factors, m)
		default:
			d := divisor(c, m)
			if d == nil {
				return nil, false
			}
			pending = append(pending, d, new(big.Int).Quo(m, d))
		}
	}
	slices.SortFunc(factors, (*big.Int).Cmp)
	return factors, true
}

// divisor returns a divisor of a number that is not prime, by Pollard's method. It returns nil if the command must end.
func divisor(c *command.Context, n *big.Int) *big.Int {
	one := big.NewInt(1)
	for add := int64(1); ; add++ {
		x, y, d := big.NewInt(2), big.NewInt(2), big.NewInt(1)
		k := big.NewInt(add)
		step := func(v *big.Int) { v.Mul(v, v).Add(v, k).Mod(v, n) }
		product := big.NewInt(1)
		diff := new(big.Int)
		for d.Cmp(one) == 0 {
			if c.Context().Err() != nil {
				return nil
			}
			sx, sy := new(big.Int).Set(x), new(big.Int).Set(y)
			product.SetInt64(1)
			for range 100 {
				step(x)
				step(y)
				step(y)
				product.Mul(product, diff.Abs(diff.Sub(x, y))).Mod(product, n)
			}
			d.GCD(nil, nil, product, n)
			if d.Cmp(n) == 0 || product.Sign() == 0 {
				// Again, one by one.
				x, y = sx, sy
				d.SetInt64(1)
				for d.Cmp(one) == 0 {
					step(x)
					step(y)
					step(y)
					d.GCD(nil, nil, diff.Abs(diff.Sub(x, y)), n)
				}
			}
		}
		if d.Cmp(n) != 0 {
			return d
		}
	}
}
