package system

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var expr = &command.Command{
	Name:     "expr",
	Operands: "EXPRESSION",
	Summary:  "Print the value of EXPRESSION to standard output.",
	Notes: `ARG1 | ARG2   ARG1 if it is neither null nor 0, otherwise ARG2
ARG1 & ARG2   ARG1 if neither argument is null or 0, otherwise 0
< <= = != >= >, + - * / %, STRING : REGEXP, match STRING REGEXP, substr STRING POS LENGTH, index STRING CHARS,
length STRING, + TOKEN, ( EXPRESSION )`,
	Raw:     true,
	Trouble: 2,
	Run:     runExpr,
}

// exprError is an error in an expression.
type exprError string

type exprParser struct {
	args []string
	at   int
	deep int
}

func runExpr(c *command.Context) (status int) {
	args := c.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.Missing()
	}
	p := exprParser{args: args}
	defer func() {
		if e := recover(); e != nil {
			text, ok := e.(exprError)
			if !ok {
				panic(e)
			}
			c.Errorf("%s", string(text))
			status = 2
		}
	}()
	value := p.or()
	if p.at < len(p.args) {
		panic(exprError("syntax error: unexpected argument " + command.QuoteText(p.args[p.at])))
	}
	_, _ = c.Stdout.Write([]byte(value + "\n"))
	return command.Status(!null(value))
}

// null says whether a value counts as false.
func null(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return strings.Trim(s, "0") == ""
}

func (p *exprParser) peek() string {
	if p.at < len(p.args) {
		return p.args[p.at]
	}
	return ""
}

func (p *exprParser) next() string {
	if p.at >= len(p.args) {
		panic(exprError("syntax error: missing argument after " + command.QuoteText(p.args[len(p.args)-1])))
	}
	p.at++
	return p.args[p.at-1]
}

func (p *exprParser) or() string {
	if p.deep++; p.deep > 500 {
		panic(exprError("syntax error: it is nested too deeply"))
	}
	defer func() { p.deep-- }()
	left := p.and()
	for p.peek() == "|" {
		p.at++
		right := p.and()
		if null(left) {
			if left = right; null(right) {
				left = "0"
			}
		}
	}
	return left
}

func (p *exprParser) and() string {
	left := p.compare()
	for p.peek() == "&" {
		p.at++
		right := p.compare()
		if null(left) || null(right) {
			left = "0"
		}
	}
	return left
}

func integer(s string) (*big.Int, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(s, 10)
}

func (p *exprParser) compare() string {
	left := p.sum()
	for {
		op := p.peek()
		switch op {
		case "<", "<=", "=", "==", "!=", ">=", ">":
		default:
			return left
		}
		p.at++
		right := p.sum()
		a, ok1 := integer(left)
		b, ok2 := integer(right)
		order := strings.Compare(left, right)
		if ok1 && ok2 {
			order = a.Cmp(b)
		}
		ok := map[string]bool{"<": order < 0, "<=": order <= 0, "=": order == 0, "==": order == 0, "!=": order != 0,
			">=": order >= 0, ">": order > 0}[op]
		left = strconv.Itoa(1 - command.Status(ok))
	}
}

func (p *exprParser) sum() string {
	left := p.product()
	for p.peek() == "+" || p.peek() == "-" {
		op := p.next()
		left = calculate(left, op, p.product())
	}
	return left
}

func (p *exprParser) product() string {
	left := p.match()
	for p.peek() == "*" || p.peek() == "/" || p.peek() == "%" {
		op := p.next()
		left = calculate(left, op, p.match())
	}
	return left
}

func calculate(left, op, right string) string {
	a, ok1 := integer(left)
	b, ok2 := integer(right)
	if !ok1 || !ok2 {
		panic(exprError("non-integer argument"))
	}
	out := new(big.Int)
	switch op {
	case "+":
		out.Add(a, b)
	case "-":
		out.Sub(a, b)
	case "*":
		out.Mul(a, b)
	default:
		if b.Sign() == 0 {
			panic(exprError("division by zero"))
		}
		if op == "/" {
			out.Quo(a, b)
		} else {
			out.Rem(a, b)
		}
	}
	return out.String()
}

func (p *exprParser) match() string {
	left := p.primary()
	for p.peek() == ":" {
		p.at++
		left = matchExpr(left, p.primary())
	}
	return left
}

// matchExpr matches at the beginning of a text, and returns its first group, or how many characters match.
func matchExpr(s, pattern string) string {
	re, err := regex.Compile(`^\(`+pattern+`\)`, regex.Options{})
	if strings.HasPrefix(pattern, "^") {
		re, err = regex.Compile(`^\(`+pattern[1:]+`\)`, regex.Options{})
	}
	if err != nil {
		panic(exprError(err.Error()))
	}
	loc := re.Find([]byte(s))
	grouped := re.Groups() > 1
	switch {
	case loc == nil && grouped:
		return ""
	case loc == nil:
		return "0"
	case grouped && loc[4] < 0:
		return ""
	case grouped:
		return s[loc[4]:loc[5]]
	}
	return strconv.Itoa(utf8.RuneCountInString(s[:loc[1]]))
}

func (p *exprParser) primary() string {
	token := p.next()
	more := p.at < len(p.args)
	switch {
	case token == "(":
		value := p.or()
		if p.at >= len(p.args) {
			panic(exprError("syntax error: expecting ')' after " + command.QuoteText(p.args[len(p.args)-1])))
		}
		if p.next() != ")" {
			panic(exprError("syntax error: expecting ')' instead of " + command.QuoteText(p.args[p.at-1])))
		}
		return value
	case token == ")":
		panic(exprError("syntax error: unexpected ')'"))
	case token == "+" && more:
		return p.next()
	case token == "length" && more:
		return strconv.Itoa(utf8.RuneCountInString(p.primary()))
	case token == "match" && more:
		s := p.primary()
		return matchExpr(s, p.primary())
	case token == "index" && more:
		s := []rune(p.primary())
		chars := p.primary()
		for i, r := range s {
			if strings.ContainsRune(chars, r) {
				return strconv.Itoa(i + 1)
			}
		}
		return "0"
	case token == "substr" && more:
		s := []rune(p.primary())
		from, err1 := strconv.Atoi(p.primary())
		length, err2 := strconv.Atoi(p.primary())
		if err1 != nil || err2 != nil || from < 1 || length < 1 || from > len(s) {
			return ""
		}
		return string(s[from-1 : min(len(s), from-1+length)])
	}
	return token
}
