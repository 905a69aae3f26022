package shell

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// testClause does [[ ... ]].
func (sh *Shell) testClause(c *syntax.TestClause) int {
	sh.xtrace(func() string { return strings.TrimSpace(source(c)) })
	ok, status := sh.testExpr(c.X)
	if status > 1 {
		return status
	}
	return command.Status(ok)
}

func (sh *Shell) testExpr(x syntax.TestExpr) (ok bool, status int) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return sh.testExpr(x.X)
	case *syntax.Word:
		return sh.literal(x) != "", 0
	case *syntax.UnaryTest:
		if list, ok := x.X.(*syntax.BinaryTest); ok && x.Op == syntax.TsNot &&
			(list.Op == syntax.AndTest || list.Op == syntax.OrTest) {
			// It belongs to the first operand only.
			first := *list
			first.X = &syntax.UnaryTest{Op: x.Op, X: list.X}
			return sh.testList(&first)
		}
		if x.Op == syntax.TsNot {
			ok, status = sh.testExpr(x.X)
			return !ok, status
		}
		return sh.unaryTest(x.Op.String(), sh.literal(x.X.(*syntax.Word))), 0
	case *syntax.BinaryTest:
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			return sh.testList(x)
		}
		left := sh.literal(x.X.(*syntax.Word))
		right := x.Y.(*syntax.Word)
		switch x.Op {
		case syntax.TsMatch, syntax.TsMatchShort:
			return sh.matches(sh.pattern(right), left, sh.shopt["nocasematch"]), 0
		case syntax.TsNoMatch:
			return !sh.matches(sh.pattern(right), left, sh.shopt["nocasematch"]), 0
		case syntax.TsReMatch:
			return sh.regexpTest(left, right)
		case syntax.TsBefore:
			return left < sh.literal(right), 0
		case syntax.TsAfter:
			return left > sh.literal(right), 0
		}
		ok, text := sh.binaryTest(left, x.Op.String(), sh.literal(right), true)
		if text != "" {
			sh.errorf("[[: %s", text)
			return false, 2
		}
		return ok, 0
	}
	return false, 2
}

// testList does && and ||, of which the first binds more closely. The parser nests them to the right.
func (sh *Shell) testList(x *syntax.BinaryTest) (ok bool, status int) {
	ok, skip := true, false
	for {
		if !skip {
			if ok, status = sh.testExpr(x.X); status > 1 {
				return false, status
			}
		}
		// After a false operand, the rest of an && is skipped; after a true one, all that follows an ||.
		if x.Op == syntax.OrTest {
			if ok {
				return true, 0
			}
			skip = false
		} else {
			skip = skip || !ok
		}
		next, more := x.Y.(*syntax.BinaryTest)
		if !more || next.Op != syntax.AndTest && next.Op != syntax.OrTest {
			if skip {
				return false, 0
			}
			return sh.testExpr(x.Y)
		}
		x = next
	}
}

// regexpTest does =~.
func (sh *Shell) regexpTest(s string, word *syntax.Word) (bool, int) {
	expr := ""
	for i, part := range word.Parts {
		b := sh.builder()
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				expr += b.tilde(p.Value, len(word.Parts) == 1)
				expr += b.joined()
			} else {
				expr += p.Value
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			b.part(p, false)
			expr += regexp.QuoteMeta(b.joined())
		default:
			b.part(p, false)
			expr += b.joined()
		}
	}
	if sh.shopt["nocasematch"] {
		expr = "(?i)" + expr
	}
	re, err := compileERE(expr)
	if err != nil {
		sh.errorf("[[: invalid regular expression `%s'", expr)
		return false, 2
	}
	found := re.FindStringSubmatchIndex(s)
	v := &variable{owner: sh.owner, kind: indexed, set: true}
	for i := 0; i+1 < len(found); i += 2 {
		value := ""
		if found[i] >= 0 {
			value = s[found[i]:found[i+1]]
		}
		v.list = append(v.list, element{i / 2, value})
	}
	sh.vars["BASH_REMATCH"] = v
	return found != nil, 0
}

// compileERE compiles an extended regular expression of POSIX, of which the longest match counts.
func compileERE(expr string) (*regexp.Regexp, error) {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '[':
			end := patterns.RegexpBracketEnd(expr[i:])
			if end == 0 {
				b.WriteString("[")
				continue
			}
			// A backslash is an ordinary character there.
			b.WriteString(strings.ReplaceAll(expr[i:i+end], `\`, `\\`))
			i += end - 1
		case c == '\\' && i+1 < len(expr):
			next := expr[i+1]
			i++
			switch {
			case next == '<' || next == '>':
				b.WriteString(`\b`)
			case strings.IndexByte("wWsSbB", next) >= 0 || next < 0x80 && next != '_' && !validName("_"+string(next)):
				b.WriteString(`\` + string(next))
			default:
				b.WriteByte(next)
			}
		case c == '{' && !isBound(expr[i:]):
			b.WriteString(`\{`)
		default:
			b.WriteByte(c)
		}
	}
	re, err := regexp.Compile("(?s)" + b.String())
	if err == nil {
		re.Longest()
	}
	return re, err
}

func isBound(s string) bool {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return false
	}
	for _, c := range s[1:end] {
		if (c < '0' || c > '9') && c != ',' {
			return false
		}
	}
	return true
}

// unaryTest does a test of one operand.
func (sh *Shell) unaryTest(op, s string) bool {
	switch op {
	case "-z":
		return s == ""
	case "-n":
		return s != ""
	case "-o":
		letter, ok := optionNames[s]
		return ok && sh.options.on[letter]
	case "-v":
		name, subscript, ok := cutSubscript(s)
		if !ok {
			_, set := sh.get(s)
			return set
		}
		if subscript == "@" || subscript == "*" {
			v := sh.lookup(name)
			return v != nil && len(v.values()) > 0
		}
		_, set := sh.element(name, subscript)
		return set
	case "-R":
		v := sh.vars[s]
		return v != nil && v.nameref
	case "-t":
		return false
	case "-L", "-h":
		info, err := sh.files.Lstat(s)
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	}
	info, err := sh.files.Stat(s)
	if err != nil {
		return false
	}
	mode := info.Mode()
	switch op {
	case "-e", "-a", "-O", "-G", "-N":
		return true
	case "-f":
		return mode.IsRegular()
	case "-d":
		return mode.IsDir()
	case "-c":
		return mode&fs.ModeCharDevice != 0
	case "-b":
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0
	case "-p":
		return mode&fs.ModeNamedPipe != 0
	case "-S":
		return mode&fs.ModeSocket != 0
	case "-k":
		return mode&fs.ModeSticky != 0
	case "-g":
		return mode&fs.ModeSetgid != 0
	case "-u":
		return mode&fs.ModeSetuid != 0
	case "-s":
		return info.Size() > 0
	case "-r":
		return mode&0o400 != 0
	case "-w":
		return mode&0o200 != 0
	case "-x":
		return mode&0o100 != 0 || sh.files.Modes != nil && sh.isScript(s)
	}
	return false
}

// isScript says whether a file begins as a script does. Projects have no modes, so this is what can be run.
func (sh *Shell) isScript(name string) bool {
	file, err := sh.files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	var begin [2]byte
	_, err = file.Read(begin[:])
	return err == nil && string(begin[:]) == "#!"
}

// binaryTest does a test of two operands. The text is that of an error.
func (sh *Shell) binaryTest(left, op, right string, arithmetic bool) (ok bool, text string) {
	switch op {
	case "=", "==":
		return left == right, ""
	case "!=":
		return left != right, ""
	case "<":
		return left < right, ""
	case ">":
		return left > right, ""
	case "-nt", "-ot", "-ef":
		if op == "-ef" {
			return sh.files.Same(left, right), ""
		}
		a, errA := sh.files.Stat(left)
		b, errB := sh.files.Stat(right)
		if op == "-ot" {
			a, b, errA, errB = b, a, errB, errA
		}
		return errA == nil && (errB != nil || a.ModTime().After(b.ModTime())), ""
	}
	number := func(s string) (int64, bool) {
		if arithmetic {
			return sh.evaluate(s), true
		}
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		return n, err == nil
	}
	a, ok := number(left)
	if !ok {
		return false, left + ": integer expression expected"
	}
	b, ok := number(right)
	if !ok {
		return false, right + ": integer expression expected"
	}
	switch op {
	case "-eq":
		return a == b, ""
	case "-ne":
		return a != b, ""
	case "-lt":
		return a < b, ""
	case "-le":
		return a <= b, ""
	case "-gt":
		return a > b, ""
	case "-ge":
		return a >= b, ""
	}
	return false, op + ": binary operator expected"
}

// builtinTest does "test" and "[".
func builtinTest(sh *Shell, args []string) int {
	name, args := args[0], args[1:]
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			sh.errorf("[: missing `]'")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := tester{sh: sh, args: args}
	ok := t.all()
	if t.text == "" && t.at < len(args) {
		t.text = "too many arguments"
		if len(args) == 3 {
			t.text = args[1] + ": binary operator expected"
		}
	}
	if t.text != "" {
		sh.errorf("%s: %s", name, t.text)
		return 2
	}
	return command.Status(ok)
}

var unaryOperators = "abcdefghknoprstuvwxzGLNORS"

var binaryOperators = map[string]bool{"=": true, "==": true, "!=": true, "<": true, ">": true, "-eq": true, "-ne": true,
	"-lt": true, "-le": true, "-gt": true, "-ge": true, "-nt": true, "-ot": true, "-ef": true}

func isUnary(s string) bool {
	return len(s) == 2 && s[0] == '-' && strings.IndexByte(unaryOperators, s[1]) >= 0
}

// A tester evaluates the arguments of "test". How many there are decides what those mean that could be operators.
type tester struct {
	sh   *Shell
	args []string
	at   int
	text string // of an error
}

func (t *tester) all() bool {
	switch rest := t.args; len(rest) {
	case 0:
		return false
	case 1:
		t.at = 1
		return rest[0] != ""
	case 2:
		t.at = 2
		if rest[0] == "!" {
			return rest[1] == ""
		}
		if !isUnary(rest[0]) {
			t.text = rest[0] + ": unary operator expected"
			return false
		}
		return t.sh.unaryTest(rest[0], rest[1])
	case 3:
		switch {
		case binaryOperators[rest[1]]:
			t.at = 3
			return t.binary(rest[0], rest[1], rest[2])
		case rest[1] == "-a":
			t.at = 3
			return rest[0] != "" && rest[2] != ""
		case rest[1] == "-o":
			t.at = 3
			return rest[0] != "" || rest[2] != ""
		case rest[0] == "!":
			inner := tester{sh: t.sh, args: rest[1:]}
			ok := !inner.all()
			t.at, t.text = 3, inner.text
			return ok
		case rest[0] == "(" && rest[2] == ")":
			t.at = 3
			return rest[1] != ""
		}
		t.text = rest[1] + ": binary operator expected"
		return false
	case 4:
		if rest[0] == "!" {
			inner := tester{sh: t.sh, args: rest[1:]}
			ok := !inner.all()
			t.at, t.text = 4, inner.text
			return ok
		}
	}
	return t.or()
}

func (t *tester) binary(left, op, right string) bool {
	ok, text := t.sh.binaryTest(left, op, right, false)
	t.text = text
	return ok
}

func (t *tester) peek() string {
	if t.at < len(t.args) {
		return t.args[t.at]
	}
	return ""
}

func (t *tester) or() bool {
	ok := t.and()
	for t.at < len(t.args) && t.peek() == "-o" {
		t.at++
		right := t.and()
		ok = ok || right
	}
	return ok
}

func (t *tester) and() bool {
	ok := t.not()
	for t.at < len(t.args) && t.peek() == "-a" {
		t.at++
		right := t.not()
		ok = ok && right
	}
	return ok
}

func (t *tester) not() bool {
	if t.peek() == "!" {
		t.at++
		return !t.not()
	}
	return t.primary()
}

func (t *tester) primary() bool {
	if t.at >= len(t.args) {
		t.text = "argument expected"
		return false
	}
	arg := t.args[t.at]
	if t.at+2 < len(t.args) && binaryOperators[t.args[t.at+1]] {
		left, op, right := arg, t.args[t.at+1], t.args[t.at+2]
		t.at += 3
		return t.binary(left, op, right)
	}
	if arg == "(" {
		t.at++
		ok := t.or()
		if t.peek() != ")" {
			t.text = "`)' expected"
			return false
		}
		t.at++
		return ok
	}
	if isUnary(arg) && t.at+1 < len(t.args) {
		operand := t.args[t.at+1]
		t.at += 2
		return t.sh.unaryTest(arg, operand)
	}
	t.at++
	return arg != ""
}
