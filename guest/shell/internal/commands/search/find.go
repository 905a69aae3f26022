package search

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var find = &command.Command{
	Name:     "find",
	Operands: "[-H] [-L] [-P] [PATH]... [EXPRESSION]",
	Summary:  "Search for files in each PATH, and what is below it, and do what EXPRESSION says with each.",
	Raw:      true,
	Notes: `Operators: ( EXPR )  ! EXPR  -not EXPR  EXPR1 -a EXPR2  EXPR1 -o EXPR2  EXPR1 , EXPR2
Options: -maxdepth N -mindepth N -depth -daystart -follow -mount -xdev -regextype TYPE
Tests: -name PATTERN -iname PATTERN -path PATTERN -ipath PATTERN -wholename PATTERN -regex PATTERN -iregex PATTERN
  -type [fdlpsc] -size N[bcwkMG] -empty -newer FILE -newermt TIME -anewer FILE -cnewer FILE -mtime N -mmin N -atime N
  -amin N -ctime N -cmin N -perm MODE -user NAME -group NAME -links N -inum N -samefile FILE -readable -writable
  -executable -true -false -lname PATTERN -xtype TYPE
Actions: -print -print0 -printf FORMAT -fprint FILE -ls -delete -prune -quit -exec COMMAND ; -exec COMMAND {} +
  -execdir COMMAND ; -ok COMMAND ;`,
	Run: runFind,
}

// A found is a file that is looked at.
type found struct {
	path  string // as it is shown
	start string // the operand that it is below
	depth int
	info  fs.FileInfo
}

func (f *found) name() string {
	trimmed := strings.TrimRight(f.path, "/")
	if trimmed == "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// A finder is one use of find.
type finder struct {
	c             *command.Context
	out           *bufio.Writer
	args          []string
	at            int
	follow        bool
	depthFirst    bool
	minimum       int
	maximum       int
	now           time.Time
	dayStart      bool
	regexType     string
	acts          bool // it has an action, so that nothing is printed by itself
	batches       []*batch
	failed        bool
	pruned, ended bool
}

// A batch is the files of an -exec with "+".
type batch struct {
	args  []string
	files []string
	size  int
	dir   string
	inDir bool
}

// A node is a part of the expression.
type node func(*found) bool

// findError is an error in the expression.
type findError string

// findVersion asks for the version instead of a search.
type findVersion struct{}

func runFind(c *command.Context) int {
	f := &finder{c: c, out: c.Output(), args: c.Args, maximum: math.MaxInt, now: time.Now(), regexType: "emacs"}
	var paths []string
	for f.at < len(f.args) {
		switch f.args[f.at] {
		case "-H", "-P", "-O1", "-O2", "-O3":
			f.at++
			continue
		case "-L":
			f.follow = true
			f.at++
			continue
		}
		break
	}
	for f.at < len(f.args) && !isExpression(f.args[f.at]) {
		paths = append(paths, f.args[f.at])
		f.at++
	}
	expression, failure := f.parse()
	if failure != "" {
		c.Errorf("%s", failure)
		return 1
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if expression == nil {
		paths = nil
	}
	for _, path := range paths {
		if f.ended {
			break
		}
		f.start(path, expression)
	}
	for _, b := range f.batches {
		f.runBatch(b)
	}
	if f.out.Flush() != nil {
		return 1
	}
	return command.Status(!f.failed)
}

func isExpression(arg string) bool {
	return arg == "(" || arg == ")" || arg == "!" || arg == "," || len(arg) > 1 && arg[0] == '-'
}

// parse parses the expression. Errors are texts.
func (f *finder) parse() (expression node, failure string) {
	defer func() {
		if e := recover(); e != nil {
			switch e := e.(type) {
			case findError:
				failure = string(e)
			case findVersion:
				fmt.Fprintln(f.out, "find (toolrun)")
				expression = nil
			default:
				panic(e)
			}
		}
	}()
	expression = func(*found) bool { return true }
	if f.at < len(f.args) {
		expression = f.comma()
		if f.at < len(f.args) {
			if f.args[f.at] == ")" {
				panic(findError("invalid expression; you have too many ')'"))
			}
			panic(findError("paths must precede expression: `" + f.args[f.at] + "'"))
		}
	}
	if !f.acts {
		inner := expression
		expression = func(file *found) bool {
			if inner(file) {
				f.print(file.path, "\n")
			}
			return true
		}
	}
	return expression, ""
}

func (f *finder) peek() string {
	if f.at < len(f.args) {
		return f.args[f.at]
	}
	return ""
}

func (f *finder) comma() node {
	left := f.or()
	for f.peek() == "," {
		f.at++
		a, b := left, f.or()
		left = func(file *found) bool { a(file); return b(file) }
	}
	return left
}

func (f *finder) or() node {
	left := f.and()
	for f.peek() == "-o" || f.peek() == "-or" {
		f.at++
		a, b := left, f.and()
		left = func(file *found) bool { return a(file) || b(file) }
	}
	return left
}

func (f *finder) and() node {
	left := f.not()
	for f.at < len(f.args) {
		switch f.peek() {
		case "-o", "-or", ",", ")":
			return left
		case "-a", "-and":
			f.at++
		}
		a, b := left, f.not()
		left = func(file *found) bool { return a(file) && b(file) }
	}
	return left
}

func (f *finder) not() node {
	if f.peek() == "!" || f.peek() == "-!" || f.peek() == "-not" {
		f.at++
		inner := f.not()
		return func(file *found) bool { return !inner(file) }
	}
	return f.primary()
}

// argument returns the argument of a test.
func (f *finder) argument(test string) string {
	if f.at >= len(f.args) {
		panic(findError("missing argument to `" + test + "'"))
	}
	arg := f.args[f.at]
	f.at++
	return arg
}

func (f *finder) primary() node {
	if f.at >= len(f.args) {
		panic(findError("expected an expression after '" + f.args[len(f.args)-1] + "'"))
	}
	test := f.args[f.at]
	f.at++
	always := func(*found) bool { return true }
	switch test {
	case "(":
		if f.peek() == ")" {
			panic(findError("invalid expression; empty parentheses are not allowed."))
		}
		inner := f.comma()
		if f.peek() != ")" {
			panic(findError("invalid expression; I was expecting to find a ')' somewhere but did not see one."))
		}
		f.at++
		return inner
	case "-version", "--version":
		panic(findVersion{})
	case "-true", "-follow", "-mount", "-xdev", "-noleaf", "-warn", "-nowarn", "-ignore_readdir_race",
		"-noignore_readdir_race":
		if test == "-follow" {
			f.follow = true
		}
		return always
	case "-false":
		return func(*found) bool { return false }
	case "-depth", "-d":
		f.depthFirst = true
		return always
	case "-daystart":
		f.dayStart = true
		return always
	case "-maxdepth", "-mindepth":
		arg := f.argument(test)
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			panic(findError("Expected a positive decimal integer argument to " + test + ", but got " +
				command.QuoteText(arg)))
		}
		if test == "-maxdepth" {
			f.maximum = n
		} else {
			f.minimum = n
		}
		return always
	case "-regextype":
		f.regexType = f.argument(test)
		return always
	case "-name", "-iname":
		return f.globTest(f.argument(test), test == "-iname", (*found).name)
	case "-path", "-ipath", "-wholename", "-iwholename":
		return f.globTest(f.argument(test), test[1] == 'i', func(file *found) string { return file.path })
	case "-lname", "-ilname":
		p := f.argument(test)
		return func(file *found) bool {
			target, err := f.c.Readlink(file.path)
			return err == nil && patterns.Match(p, target)
		}
	case "-regex", "-iregex":
		o := regex.Options{Fold: test == "-iregex"}
		expr := f.argument(test)
		switch f.regexType {
		case "posix-extended", "egrep", "posix-egrep", "awk", "gnu-awk", "posix-awk":
			o.Extended = true
		case "emacs", "findutils-default":
			expr = emacs(expr)
		}
		if o.Extended {
			expr = "^(" + expr + ")$"
		} else {
			expr = `^\(` + expr + `\)$`
		}
		re, err := regex.Compile(expr, o)
		if err != nil {
			panic(findError("failed to compile regular expression '" + expr + "': " + err.Error()))
		}
		return func(file *found) bool { return re.Match([]byte(file.path)) }
	case "-type", "-xtype":
		letters := f.argument(test)
		for letter := range strings.SplitSeq(letters, ",") {
			if len(letter) != 1 || !strings.Contains("bcdpflsD", letter) {
				panic(findError("Unknown argument to -type: " + letters))
			}
		}
		return func(file *found) bool { return strings.Contains(letters, kindOf(file.info.Mode())) }
	case "-empty":
		return func(file *found) bool {
			if file.info.IsDir() {
				entries, err := f.c.ReadDir(file.path)
				return err == nil && len(entries) == 0
			}
			return file.info.Mode().IsRegular() && file.info.Size() == 0
		}
	case "-size":
		return f.sizeTest(f.argument(test))
	case "-newer", "-anewer", "-cnewer", "-newermm":
		name := f.argument(test)
		info, err := f.c.Stat(name)
		if err != nil {
			panic(findError(command.QuoteText(name) + ": " + command.Text(err)))
		}
		return func(file *found) bool { return file.info.ModTime().After(info.ModTime()) }
	case "-newermt", "-newerct", "-newerat":
		arg := f.argument(test)
		at, ok := command.ParseTime(arg, f.now, command.Zone(f.c))
		if !ok {
			panic(findError("I cannot figure out how to interpret " + command.QuoteText(arg) + " as a date or time"))
		}
		return func(file *found) bool { return file.info.ModTime().After(at) }
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin":
		return f.timeTest(test, f.argument(test))
	case "-used": // days from the last change to the last reading: projects keep no time of that
		n := f.numberTest(test, f.argument(test))
		return func(*found) bool { return n(0) }
	case "-perm":
		return f.permTest(f.argument(test))
	case "-links", "-inum", "-uid", "-gid":
		n := f.numberTest(test, f.argument(test))
		return func(file *found) bool {
			switch test {
			case "-inum":
				return n(int64(command.Inode(f.c.Path(file.path))))
			case "-links":
				return n(int64(f.c.Links(file.path, file.info)))
			}
			return n(1000)
		}
	case "-user", "-group":
		name := f.argument(test)
		if _, err := strconv.Atoi(name); err != nil && name != "user" && name != "root" {
			kind := map[string]string{"-user": "a known user", "-group": "an existing group"}[test]
			panic(findError(command.QuoteText(name) + " is not the name of " + kind))
		}
		return func(*found) bool { return name == "user" || name == "1000" }
	case "-nouser", "-nogroup":
		return func(*found) bool { return false }
	case "-samefile":
		name := f.argument(test)
		if _, err := f.c.Stat(name); err != nil {
			panic(findError(command.QuoteText(name) + ": " + command.Text(err)))
		}
		return func(file *found) bool { return f.c.Same(file.path, name) }
	case "-readable", "-writable":
		return always
	case "-executable":
		return func(file *found) bool { return file.info.IsDir() || file.info.Mode()&0o111 != 0 }
	case "-print", "-print0":
		f.acts = true
		end := map[string]string{"-print": "\n", "-print0": "\x00"}[test]
		return func(file *found) bool { f.print(file.path, end); return true }
	case "-printf", "-fprintf":
		f.acts = true
		w := io.Writer(f.out)
		if test == "-fprintf" {
			w = f.create(f.argument(test))
		}
		format := f.argument(test)
		return func(file *found) bool {
			_, _ = io.WriteString(w, f.format(format, file))
			return true
		}
	case "-fprint", "-fprint0", "-fls":
		f.acts = true
		w := f.create(f.argument(test))
		end := map[string]string{"-fprint0": "\x00"}[test]
		if end == "" {
			end = "\n"
		}
		return func(file *found) bool { _, _ = io.WriteString(w, file.path+end); return true }
	case "-ls":
		f.acts = true
		return func(file *found) bool {
			f.print(f.format("%i %6b %M %3n %-8u %-8g %8s %Tb %Td %TH:%TM %p", file), "\n")
			return true
		}
	case "-delete":
		f.acts, f.depthFirst = true, true
		return f.remove
	case "-prune":
		return func(*found) bool { f.pruned = true; return true }
	case "-quit":
		f.acts = true
		return func(*found) bool { f.ended = true; return true }
	case "-exec", "-execdir", "-ok", "-okdir":
		f.acts = true
		return f.exec(test)
	}
	if strings.HasPrefix(test, "-") {
		panic(findError("unknown predicate `" + test + "'"))
	}
	panic(findError("paths must precede expression: `" + test + "'"))
}

// emacs makes the regular expressions of find those of grep: + and ? repeat without a backslash.
func emacs(expr string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\' && i+1 < len(expr) && !class:
			b.WriteString(expr[i : i+2])
			i++
		case c == '[':
			class = true
			b.WriteByte(c)
		case c == ']':
			class = false
			b.WriteByte(c)
		case (c == '+' || c == '?') && !class:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (f *finder) create(name string) io.Writer {
	file, err := f.c.Create(name)
	if err != nil {
		panic(findError(name + ": " + command.Text(err)))
	}
	return file
}

func (f *finder) globTest(p string, fold bool, of func(*found) string) node {
	return func(file *found) bool {
		m := patterns.Matcher{Fold: fold, Plain: true}
		return m.Match(p, of(file))
	}
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "f"
	case mode.IsDir():
		return "d"
	case mode&fs.ModeSymlink != 0:
		return "l"
	case mode&fs.ModeNamedPipe != 0:
		return "p"
	case mode&fs.ModeSocket != 0:
		return "s"
	case mode&fs.ModeCharDevice != 0:
		return "c"
	}
	return "b"
}

// number reads N, +N or -N.
func (f *finder) number(test, arg string) (sign byte, n float64) {
	digits := arg
	if arg != "" && (arg[0] == '+' || arg[0] == '-') {
		sign, digits = arg[0], arg[1:]
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		panic(findError("invalid argument `" + arg + "' to `" + test + "'"))
	}
	return sign, n
}

func (f *finder) numberTest(test, arg string) func(int64) bool {
	sign, n := f.number(test, arg)
	return func(value int64) bool { return compared(sign, float64(value), n, n) }
}

// compared compares a number with another one, or with two between which it is.
func compared(sign byte, value, from, to float64) bool {
	switch sign {
	case '+':
		return value > to
	case '-':
		return value < to
	}
	return value >= from && value <= to
}

func (f *finder) sizeTest(arg string) node {
	unit := int64(512)
	digits := arg
	if n := len(arg) - 1; n >= 0 {
		if i := strings.IndexByte("bcwkMG", arg[n]); i >= 0 {
			unit = []int64{512, 1, 2, 1 << 10, 1 << 20, 1 << 30}[i]
			digits = arg[:n]
		}
	}
	if _, err := strconv.ParseInt(strings.TrimLeft(digits, "+-"), 10, 64); err != nil {
		panic(findError("Invalid argument `" + arg + "' to -size"))
	}
	n := f.numberTest("-size", digits)
	return func(file *found) bool {
		size := file.info.Size()
		if file.info.IsDir() {
			size = 4096
		}
		return n((size + unit - 1) / unit)
	}
}

func (f *finder) timeTest(test, arg string) node {
	unit := 24 * time.Hour
	if strings.HasSuffix(test, "min") {
		unit = time.Minute
	}
	sign, n := f.number(test, arg)
	return func(file *found) bool {
		now := f.now
		if f.dayStart {
			y, m, d := now.Date()
			now = time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
		}
		age := now.Sub(file.info.ModTime())
		if unit == time.Minute {
			// Minutes are rounded up, and days down.
			return compared(sign, age.Minutes(), n-1, n)
		}
		return compared(sign, float64(age/unit), n, n)
	}
}

func (f *finder) permTest(arg string) node {
	kind, digits := byte(0), arg
	if arg != "" && (arg[0] == '-' || arg[0] == '/') {
		kind, digits = arg[0], arg[1:]
	}
	n, err := strconv.ParseUint(digits, 8, 32)
	if err != nil {
		n = 0
		digits = strings.TrimPrefix(digits, "+")
		for clause := range strings.SplitSeq(digits, ",") {
			who, what, ok := strings.Cut(clause, "=")
			if !ok {
				if who, what, ok = strings.Cut(clause, "+"); !ok {
					panic(findError("invalid mode " + command.QuoteText(arg)))
				}
			}
			if strings.Trim(what, "rwxXst") != "" {
				panic(findError("invalid mode " + command.QuoteText(arg)))
			}
			var bits, mask uint64
			for _, letter := range what {
				bits |= map[rune]uint64{'r': 0o444, 'w': 0o222, 'x': 0o111, 's': 0o6000, 't': 0o1000}[letter]
			}
			if who == "" || strings.Contains(who, "a") {
				mask = 0o7777
			}
			for _, letter := range who {
				mask |= map[rune]uint64{'u': 0o4700, 'g': 0o2070, 'o': 0o1007}[letter]
			}
			n |= bits & mask
		}
	}
	mode := fs.FileMode(n)
	return func(file *found) bool {
		have := file.info.Mode().Perm() // set-user-ID and the like, whose bits are above, are never on
		switch kind {
		case '-':
			return have&mode == mode
		case '/':
			return mode == 0 || have&mode != 0
		}
		return have == mode
	}
}

func (f *finder) print(path, end string) {
	_, _ = f.out.WriteString(path)
	_, _ = f.out.WriteString(end)
}

func (f *finder) fail(path string, err error) {
	_ = f.out.Flush()
	f.c.Errorf("%s: %s", command.QuoteText(path), command.Text(err))
	f.failed = true
}

func (f *finder) remove(file *found) bool {
	if file.path == "." {
		return true
	}
	err := f.c.Remove(file.path)
	if err != nil {
		_ = f.out.Flush()
		f.c.Errorf("cannot delete %s: %s", command.QuoteText(file.path), command.Text(err))
		f.failed = true
	}
	return err == nil
}

// start walks from an operand.
func (f *finder) start(path string, expression node) {
	look := f.c.Lstat
	if f.follow {
		look = f.c.Stat
	}
	info, err := look(path)
	if err != nil {
		f.fail(path, err)
		return
	}
	f.walk(&found{path, path, 0, info}, expression)
}

func (f *finder) walk(file *found, expression node) {
	if f.ended || f.c.Context().Err() != nil {
		return
	}
	visit := func() {
		if file.depth >= f.minimum {
			expression(file)
		}
	}
	f.pruned = false
	if !f.depthFirst {
		visit()
	}
	if file.info.IsDir() && !(f.pruned && !f.depthFirst) && file.depth < f.maximum {
		entries, err := f.c.ReadDir(file.path)
		if err != nil {
			f.fail(file.path, err)
		}
		prefix := strings.TrimRight(file.path, "/") + "/"
		for _, entry := range entries {
			if f.ended {
				return
			}
			path := prefix + entry.Name()
			info, err := f.c.Lstat(path)
			if err == nil && f.follow && info.Mode()&os.ModeSymlink != 0 {
				if target, failure := f.c.Stat(path); failure == nil {
					info = target
				}
			}
			if err != nil {
				f.fail(path, err)
				continue
			}
			f.walk(&found{path, file.start, file.depth + 1, info}, expression)
		}
	}
	if f.depthFirst && !f.ended {
		visit()
	}
}

// exec reads a command, and returns what runs it.
func (f *finder) exec(test string) node {
	var args []string
	for {
		if f.at >= len(f.args) {
			panic(findError("missing argument to `" + test + "'"))
		}
		arg := f.args[f.at]
		f.at++
		if arg == ";" {
			break
		}
		if arg == "+" && len(args) > 0 && args[len(args)-1] == "{}" {
			b := &batch{args: args[:len(args)-1], inDir: test == "-execdir"}
			f.batches = append(f.batches, b)
			return func(file *found) bool {
				name := file.path
				if b.inDir {
					if dir := dirOf(file); dir != b.dir && len(b.files) > 0 {
						f.runBatch(b)
					}
					b.dir, name = dirOf(file), "./"+file.name()
				}
				if b.size += len(name) + 1; b.size > maxChars {
					f.runBatch(b)
					b.size = len(name) + 1
				}
				b.files = append(b.files, name)
				return true
			}
		}
		args = append(args, arg)
	}
	if len(args) == 0 {
		panic(findError("missing argument to `" + test + "'"))
	}
	inDir, ask := strings.HasSuffix(test, "dir"), strings.HasPrefix(test, "-ok")
	return func(file *found) bool {
		name, dir := file.path, ""
		if inDir {
			name, dir = "./"+file.name(), dirOf(file)
		}
		list := make([]string, len(args))
		for i, arg := range args {
			list[i] = strings.ReplaceAll(arg, "{}", name)
		}
		_ = f.out.Flush()
		if ask {
			fmt.Fprintf(f.c.Stderr, "< %s ... %s > ? ", list[0], file.path)
			var answer [1]byte
			_, _ = f.c.Stdin.Read(answer[:])
			for rest := answer; rest[0] != '\n'; {
				if n, err := f.c.Stdin.Read(rest[:]); n == 0 || err != nil {
					break
				}
			}
			if answer[0] != 'y' && answer[0] != 'Y' {
				return false
			}
		}
		return f.c.Run(command.Call{Args: list, Dir: f.dir(dir), Missing: "‘%s’"}) == 0
	}
}

func dirOf(file *found) string {
	path := strings.TrimRight(file.path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:i+1]
}

func (f *finder) dir(dir string) string {
	if dir == "" {
		return ""
	}
	return f.c.Path(dir)
}

func (f *finder) runBatch(b *batch) {
	if len(b.files) == 0 {
		return
	}
	_ = f.out.Flush()
	args := append(append([]string(nil), b.args...), b.files...)
	b.files, b.size = nil, 0
	if f.c.Run(command.Call{Args: args, Dir: f.dir(b.dir), Missing: "‘%s’"}) != 0 {
		f.failed = true
	}
}

// format formats a file as -printf does.
func (f *finder) format(format string, file *found) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == '\\' && i+1 < len(format) {
			end := i + 2
			octal := func(at int) bool { return format[at] >= '0' && format[at] <= '7' }
			for end < len(format) && end < i+4 && octal(i+1) && octal(end) {
				end++
			}
			if format[i+1] == 'c' {
				return b.String()
			}
			b.WriteString(command.Unescape(format[i:end]))
			i = end - 1
			continue
		}
		if c != '%' || i+1 == len(format) {
			b.WriteByte(c)
			continue
		}
		from := i
		i++
		for i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
			i++
		}
		flags := format[from+1 : i]
		letter := format[i]
		second := byte(0)
		if strings.IndexByte("TACB", letter) >= 0 && i+1 < len(format) {
			i++
			second = format[i]
		}
		text, ok := f.field(letter, second, file)
		if !ok {
			b.WriteString(format[from : i+1])
			continue
		}
		b.WriteString(fmt.Sprintf("%"+strings.TrimLeft(flags, "#+ ")+"s", text))
	}
	return b.String()
}

func (f *finder) field(letter, second byte, file *found) (string, bool) {
	info := file.info
	mode := info.Mode()
	size := info.Size()
	if info.IsDir() {
		size = 4096
	}
	at := info.ModTime().In(command.Zone(f.c))
	seconds := func() string { return fmt.Sprintf("%d.%09d0", at.Unix(), at.Nanosecond()) }
	switch letter {
	case '%':
		return "%", true
	case 'p':
		return file.path, true
	case 'f':
		return file.name(), true
	case 'h':
		dir := strings.TrimRight(dirOf(file), "/")
		if dir == "" {
			dir = "/"
		}
		if !strings.Contains(strings.TrimRight(file.path, "/"), "/") {
			dir = "."
		}
		return dir, true
	case 'P':
		return strings.TrimPrefix(strings.TrimPrefix(file.path, file.start), "/"), true
	case 'H':
		return file.start, true
	case 's':
		return strconv.FormatInt(size, 10), true
	case 'k':
		return strconv.FormatInt((size+4095)/4096*4, 10), true
	case 'b':
		return strconv.FormatInt((size+4095)/4096*8, 10), true
	case 'd':
		return strconv.Itoa(file.depth), true
	case 'm':
		return strconv.FormatUint(uint64(mode.Perm()), 8), true
	case 'M':
		return command.ModeText(mode), true
	case 'y', 'Y':
		return kindOf(mode), true
	case 'u', 'g':
		return "user", true
	case 'U', 'G':
		return "1000", true
	case 'i':
		return strconv.FormatUint(uint64(command.Inode(f.c.Path(file.path))), 10), true
	case 'n':
		return strconv.Itoa(f.c.Links(file.path, info)), true
	case 'l':
		target, _ := f.c.Readlink(file.path)
		return target, true
	case 't', 'a', 'c':
		return at.Format("Mon Jan _2 15:04:05") + fmt.Sprintf(".%09d0 %d", at.Nanosecond(), at.Year()), true
	case 'T', 'A', 'C', 'B':
		switch second {
		case '@':
			return seconds(), true
		case '+':
			return at.Format("2006-01-02+15:04:05") + fmt.Sprintf(".%09d0", at.Nanosecond()), true
		case 'S':
			return fmt.Sprintf("%02d.%09d0", at.Second(), at.Nanosecond()), true
		case 'T', 'X':
			return at.Format("15:04:05") + fmt.Sprintf(".%09d0", at.Nanosecond()), true
		}
		return command.FormatTime(at, "%"+string(second)), true
	}
	return "", false
}
