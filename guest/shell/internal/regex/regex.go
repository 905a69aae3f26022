// Package regex has the regular expressions of GNU commands: basic ones (BRE), extended ones (ERE), and those of Perl.
// They become expressions of package regexp, which takes time in proportion to the text. Those with back-references, or
// with what only Perl has, are matched by going back instead, which can take long: the sandbox limits it.
package regex

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// Options say what an expression means.
type Options struct {
	// Extended is ERE, and Perl what Perl has. Neither is BRE.
	Extended, Perl bool
	// Fold ignores case.
	Fold bool
	// Lines lets ^ and $ match at each line.
	Lines bool
	// Escapes are \n, \t and the like, also within brackets, as sed has them.
	Escapes bool
}

// A Regexp is a compiled expression. It is safe for concurrent use.
type Regexp struct {
	fast   *regexp.Regexp
	slow   *regexp2.Regexp
	groups int
	// text is all that the expression matches, if it is no more than a text: looking for that is ten times as fast.
	text []byte
}

// Text returns an expression that matches a text, which is not empty and need not be UTF-8.
func Text(text string) *Regexp { return &Regexp{text: []byte(text)} }

// newFast returns an expression of package regexp.
func newFast(fast *regexp.Regexp, groups int) *Regexp {
	r := &Regexp{fast: fast, groups: groups}
	if tree, err := syntax.Parse(fast.String(), syntax.Perl); err == nil && tree.Op == syntax.OpLiteral &&
		tree.Flags&syntax.FoldCase == 0 {
		r.text = []byte(string(tree.Rune))
	}
	return r
}

// An Error is an error in an expression.
type Error string

func (e Error) Error() string { return string(e) }

// Errors of expressions, as GNU commands say them.
const (
	ErrParen     = Error("Unmatched ( or \\(")
	ErrClose     = Error("Unmatched ) or \\)")
	ErrBracket   = Error("Unmatched [, [^, [:, [., or [=")
	ErrBrace     = Error("Unmatched { or \\{")
	ErrRange     = Error("Invalid range end")
	ErrContent   = Error("Invalid content of \\{\\}")
	ErrReference = Error("Invalid back reference")
	ErrBackslash = Error("Trailing backslash")
	ErrClass     = Error("Invalid character class name")
	ErrRepeat    = Error("Invalid preceding regular expression")
)

// Compile compiles an expression.
func Compile(expr string, o Options) (*Regexp, error) {
	if o.Perl {
		return compilePerl(expr, o)
	}
	t := translator{in: expr, o: o}
	if err := t.translate(); err != nil {
		return nil, err
	}
	flags := "(?s"
	if o.Fold {
		flags += "i"
	}
	if !t.slow {
		fast, err := regexp.Compile(flags + ")" + t.out.String())
		if err == nil {
			fast.Longest()
			return newFast(fast, t.groups), nil
		}
	}
	options := regexp2.RegexOptions(regexp2.Singleline)
	if o.Fold {
		options |= regexp2.IgnoreCase
	}
	slow, err := regexp2.Compile(t.perl(), options)
	if err != nil {
		return nil, Error("Invalid regular expression")
	}
	return &Regexp{slow: slow, groups: t.groups}, nil
}

func compilePerl(expr string, o Options) (*Regexp, error) {
	flags := ""
	if o.Fold {
		flags = "(?i)"
	}
	if fast, err := regexp.Compile(flags + expr); err == nil && !strings.Contains(expr, `\Z`) &&
		!strings.Contains(expr, `\w`) &&
		!strings.Contains(expr, `\s`) && !strings.Contains(expr, `\b`) || err == nil && isASCII(expr) &&
		!strings.Contains(expr, `\Z`) {
		return newFast(fast, fast.NumSubexp()), nil
	}
	expr = strings.ReplaceAll(expr, `\h`, `[ \t]`)
	keep := strings.Index(expr, `\K`)
	if keep >= 0 {
		// What is before \K must be there, and is not a part of the match.
		expr = "(?<=" + expr[:keep] + ")" + expr[keep+2:]
	}
	options := regexp2.RegexOptions(0)
	if o.Fold {
		options |= regexp2.IgnoreCase
	}
	slow, err := regexp2.Compile(expr, options)
	if err != nil {
		return nil, Error(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &Regexp{slow: slow, groups: len(slow.GetGroupNumbers()) - 1}, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Groups returns how many groups the expression has.
func (r *Regexp) Groups() int { return r.groups }

// Literal returns the text that is all that the expression matches, or nil if it can match another one.
func (r *Regexp) Literal() []byte { return r.text }

// Match says whether there is a match in a text.
func (r *Regexp) Match(text []byte) bool {
	if len(r.text) > 0 {
		return bytes.Contains(text, r.text)
	}
	if r.fast != nil {
		return r.fast.Match(text)
	}
	m, err := r.slow.FindStringMatch(string(text))
	return err == nil && m != nil
}

// Find returns the first match: the offsets of its beginning and end, and of those of its groups, which are -1 if a
// group has matched nothing. It returns nil if there is none.
func (r *Regexp) Find(text []byte) []int {
	all := r.All(text, 1)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// All returns all matches, but at most n if that is not negative. One that is empty is left out if it is at the end of
// the one before.
func (r *Regexp) All(text []byte, n int) [][]int { return r.AppendAll(nil, text, n) }

// AppendAll is All for many texts: it appends the matches to those of before, and uses what has room behind them.
func (r *Regexp) AppendAll(all [][]int, text []byte, n int) [][]int {
	if len(r.text) > 0 {
		for at, begin := 0, len(all); n < 0 || len(all)-begin < n; at += len(r.text) {
			i := bytes.Index(text[at:], r.text)
			if i < 0 {
				break
			}
			at += i
			all = slices.Grow(all, 1)
			all = all[:len(all)+1]
			last := &all[len(all)-1]
			*last = append((*last)[:0], at, at+len(r.text))
		}
		return all
	}
	if r.fast != nil {
		return append(all, r.fast.FindAllSubmatchIndex(text, n)...)
	}
	s := string(text)
	runes := []rune(s)
	// offsets are where each character begins.
	offsets := make([]int, 0, len(runes)+1)
	for i := range s {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(s))
	last, begin := -1, len(all)
	m, err := r.slow.FindRunesMatch(runes)
	for err == nil && m != nil && (n < 0 || len(all)-begin < n) {
		if m.Length > 0 || m.Index != last {
			loc := make([]int, 2*(r.groups+1))
			for i := range loc {
				loc[i] = -1
			}
			for i, g := range m.Groups() {
				if i <= r.groups && len(g.Captures) > 0 {
					loc[2*i], loc[2*i+1] = offsets[g.Index], offsets[g.Index+g.Length]
				}
			}
			all = append(all, loc)
			last = m.Index + m.Length
		}
		m, err = r.slow.FindNextMatch(m)
	}
	return all
}

// A translator makes an expression of package regexp of one of POSIX.
type translator struct {
	in  string
	at  int
	o   Options
	out strings.Builder

	groups int
	open   []int // groups that are open
	slow   bool  // package regexp cannot do it
	// atom says that something can be repeated, and begin that this is where an expression begins.
	atom, begin bool
	last        string // the last atom, for the ends of words
}

const (
	wordClass  = `[\p{L}\p{Nd}_]`
	notWord    = `[^\p{L}\p{Nd}_]`
	spaceClass = `[\s\x0b]`
	notSpace   = `[^\s\x0b]`
)

// emit adds an atom.
func (t *translator) emit(s string) {
	t.out.WriteString(s)
	t.atom, t.begin, t.last = true, false, s
}

// anchor adds something that matches no characters.
func (t *translator) anchor(s string) {
	t.out.WriteString(s)
	t.last = ""
}

// perl returns the expression for the matcher that goes back.
func (t *translator) perl() string {
	c := *t
	c.out = strings.Builder{}
	c.at, c.groups, c.open = 0, 0, nil
	c.slow = true
	_ = c.translate()
	return c.out.String()
}

func (t *translator) translate() error {
	t.begin = true
	slow := t.slow
	for t.at < len(t.in) {
		if err := t.one(slow); err != nil {
			return err
		}
	}
	if len(t.open) > 0 {
		return ErrParen
	}
	return nil
}

func (t *translator) one(slow bool) error {
	c := t.in[t.at]
	switch c {
	case '\\':
		if t.at+1 == len(t.in) {
			return ErrBackslash
		}
		t.at++
		return t.escaped(slow)
	case '[':
		return t.bracket()
	case '.':
		t.at++
		t.emit(".")
		return nil
	case '*':
		t.at++
		if !t.atom {
			t.emit(`\*`)
			return nil
		}
		return t.repeat("*")
	case '^':
		if t.o.Extended || t.begin {
			t.at++
			t.anchor(t.lineBegin())
			if !t.o.Extended {
				// A star after it is an ordinary one.
				t.atom = false
			}
			return nil
		}
	case '$':
		if t.o.Extended || t.at+1 == len(t.in) || strings.HasPrefix(t.in[t.at+1:], `\)`) ||
			strings.HasPrefix(t.in[t.at+1:], `\|`) {
			t.at++
			t.anchor(t.lineEnd())
			return nil
		}
	case '\n':
		t.at++
		t.emit(`\n`)
		return nil
	}
	if t.o.Extended {
		switch c {
		case '(':
			t.at++
			t.openGroup()
			return nil
		case ')':
			if len(t.open) == 0 {
				break
			}
			t.at++
			return t.closeGroup()
		case '|':
			t.at++
			t.alternative()
			return nil
		case '+', '?':
			t.at++
			if !t.atom {
				t.emit(`\` + string(c))
				return nil
			}
			return t.repeat(string(c))
		case '{':
			if bound, size, ok := parseBound(t.in[t.at:], "}"); ok {
				t.at += size
				if !t.atom {
					return ErrRepeat
				}
				return t.repeat(bound)
			}
		}
	}
	r, size := utf8.DecodeRuneInString(t.in[t.at:])
	t.at += size
	if r == utf8.RuneError && size == 1 {
		t.emit(hex(c))
		return nil
	}
	t.emit(regexp.QuoteMeta(string(r)))
	return nil
}

func (t *translator) lineBegin() string {
	if t.o.Lines {
		return "(?m:^)"
	}
	return `\A`
}

func (t *translator) lineEnd() string {
	if t.o.Lines {
		return "(?m:$)"
	}
	return `\z`
}

func (t *translator) openGroup() {
	t.groups++
	t.open = append(t.open, t.groups)
	t.out.WriteString("(")
	t.atom, t.begin = false, true
}

func (t *translator) closeGroup() error {
	if len(t.open) == 0 {
		return ErrClose
	}
	t.open = t.open[:len(t.open)-1]
	t.emit(")")
	return nil
}

func (t *translator) alternative() {
	t.out.WriteString("|")
	t.atom, t.begin = false, true
}

// repeat adds a repetition. Several after one another are one, as "a**".
func (t *translator) repeat(s string) error {
	if t.last == "repeat" {
		// They are nested.
		text := t.out.String()
		start := lastAtom(text)
		t.out.Reset()
		t.out.WriteString(text[:start] + "(?:" + text[start:] + ")")
	}
	t.out.WriteString(s)
	t.last = "repeat"
	return nil
}

// lastAtom returns where the last atom of an expression begins, with its repetition.
func lastAtom(s string) int {
	i := len(s)
	for i > 0 && strings.IndexByte("*+?", s[i-1]) >= 0 {
		i--
	}
	if i > 0 && s[i-1] == '}' {
		i = strings.LastIndexByte(s[:i], '{')
	}
	if i <= 0 {
		return 0
	}
	depth, class := 0, false
	for i--; i >= 0; i-- {
		escaped := i > 0 && s[i-1] == '\\' && (i < 2 || s[i-2] != '\\')
		switch {
		case escaped:
			i--
		case s[i] == ']':
			class = true
		case s[i] == '[':
			class = false
		case class:
		case s[i] == ')':
			depth++
		case s[i] == '(':
			depth--
		}
		if depth == 0 && !class {
			return max(i, 0)
		}
	}
	return 0
}

// parseBound reads {n}, {n,}, {,m} and {n,m}, which end with a text.
func parseBound(s, end string) (bound string, size int, ok bool) {
	i := strings.Index(s, end)
	if i < 0 {
		return "", 0, false
	}
	inner := s[1:i]
	low, high, comma := strings.Cut(inner, ",")
	if low == "" && comma {
		low = "0"
	}
	n, err := strconv.Atoi(low)
	if err != nil || n < 0 {
		return "", 0, false
	}
	m := n
	if high != "" {
		if m, err = strconv.Atoi(high); err != nil || m < n {
			return "", 0, false
		}
	}
	bound = "{" + low
	if comma {
		bound += "," + high
	}
	return bound + "}", i + len(end), true
}

// escaped reads what follows a backslash.
func (t *translator) escaped(slow bool) error {
	c := t.in[t.at]
	t.at++
	switch c {
	case '(', ')', '|', '{', '+', '?':
		if t.o.Extended {
			t.emit(`\` + string(c))
			return nil
		}
		switch c {
		case '(':
			t.openGroup()
			return nil
		case ')':
			return t.closeGroup()
		case '|':
			t.alternative()
			return nil
		case '{':
			bound, size, ok := parseBound(t.in[t.at-1:], `\}`)
			if !ok {
				if !strings.Contains(t.in[t.at:], `\}`) {
					return ErrBrace
				}
				return ErrContent
			}
			t.at += size - 1
			if !t.atom {
				return ErrRepeat
			}
			return t.repeat(bound)
		}
		if !t.atom {
			t.emit(`\` + string(c))
			return nil
		}
		return t.repeat(string(c))
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n := int(c - '0')
		if n > t.groups {
			return ErrReference
		}
		t.slow = true
		t.emit(`(?:\` + string(c) + `)`)
		return nil
	case 'w':
		t.emit(wordClass)
		return nil
	case 'W':
		t.emit(notWord)
		return nil
	case 's':
		t.emit(spaceClass)
		return nil
	case 'S':
		t.emit(notSpace)
		return nil
	case 'b', 'B':
		t.anchor(`\` + string(c))
		return nil
	case '<':
		if !slow && !t.wordNext() {
			t.slow = true
		}
		if slow {
			t.anchor(`(?<!` + wordClass + `)(?=` + wordClass + `)`)
		} else {
			t.anchor(`\b`)
		}
		return nil
	case '>':
		if !slow && !t.wordBefore() {
			t.slow = true
		}
		if slow {
			t.anchor(`(?<=` + wordClass + `)(?!` + wordClass + `)`)
		} else {
			t.anchor(`\b`)
		}
		return nil
	case '`':
		t.anchor(`\A`)
		return nil
	case '\'':
		t.anchor(`\z`)
		return nil
	}
	if t.o.Escapes {
		if i := strings.IndexByte("afnrtv", c); i >= 0 {
			t.emit(hex("\a\f\n\r\t\v"[i]))
			return nil
		}
	}
	t.at--
	r, size := utf8.DecodeRuneInString(t.in[t.at:])
	t.at += size
	t.emit(regexp.QuoteMeta(string(r)))
	return nil
}

// wordNext says whether what follows is certainly a character of a word.
func (t *translator) wordNext() bool {
	rest := t.in[t.at:]
	if rest == "" {
		return false
	}
	ok := isWord(rest[0]) || strings.HasPrefix(rest, `\w`)
	if !ok {
		return false
	}
	size := 1
	if rest[0] == '\\' {
		size = 2
	}
	next := rest[size:]
	return next == "" || strings.IndexByte("*?{", next[0]) < 0 && !strings.HasPrefix(next, `\?`) &&
		!strings.HasPrefix(next, `\{`)
}

func (t *translator) wordBefore() bool {
	return len(t.last) == 1 && isWord(t.last[0]) || t.last == wordClass
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Classes of characters, as they are within brackets.
var classes = map[string]string{
	"alpha": `\p{L}`, "digit": `0-9`, "alnum": `\p{L}\p{Nd}`, "upper": `\p{Lu}`, "lower": `\p{Ll}`, "space": `\s\x0b`,
	"blank": ` \t`, "punct": `!-/:-@\[-` + "`" + `{-~\p{P}\p{S}`, "print": `\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}`,
	"graph": `\x21-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}`, "cntrl": `\x00-\x1f\x7f`, "xdigit": `0-9A-Fa-f`,
}

// bracket reads a bracket expression.
func (t *translator) bracket() error {
	s := t.in[t.at:]
	i := 1
	var b strings.Builder
	b.WriteByte('[')
	if i < len(s) && s[i] == '^' {
		b.WriteByte('^')
		i++
	}
	first := true
	for {
		if i >= len(s) {
			return ErrBracket
		}
		if s[i] == ']' && !first {
			i++
			break
		}
		first = false
		if s[i] == '[' && i+1 < len(s) && s[i+1] == ':' {
			end := strings.Index(s[i+2:], ":]")
			if end < 0 {
				return ErrBracket
			}
			class, ok := classes[s[i+2:i+2+end]]
			if !ok {
				return ErrClass
			}
			if t.o.Fold && (s[i+2:i+2+end] == "upper" || s[i+2:i+2+end] == "lower") {
				class = `\p{L}`
			}
			b.WriteString(class)
			i += end + 4
			continue
		}
		low, size, err := t.element(s[i:])
		if err != nil {
			return err
		}
		i += size
		high := low
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			if high, size, err = t.element(s[i+1:]); err != nil {
				return err
			}
			i += size + 1
			if high < low {
				return ErrRange
			}
		}
		b.WriteString(classRune(low))
		if high != low {
			b.WriteByte('-')
			b.WriteString(classRune(high))
		}
	}
	b.WriteByte(']')
	t.at += i
	t.emit(b.String())
	return nil
}

// element reads a character of a bracket expression.
func (t *translator) element(s string) (r rune, size int, err error) {
	if len(s) > 2 && s[0] == '[' && (s[1] == '.' || s[1] == '=') {
		end := strings.Index(s[2:], string(s[1])+"]")
		if end < 0 {
			return 0, 0, ErrBracket
		}
		r, _ = utf8.DecodeRuneInString(s[2:])
		return r, end + 4, nil
	}
	if t.o.Escapes && s[0] == '\\' && len(s) > 1 {
		if i := strings.IndexByte("afnrtv", s[1]); i >= 0 {
			return rune("\a\f\n\r\t\v"[i]), 2, nil
		}
		if s[1] == ']' && t.o.Escapes {
			return '\\', 1, nil
		}
	}
	if s == "" {
		return 0, 0, ErrBracket
	}
	r, size = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		r = rune(s[0])
	}
	return r, size, nil
}

func classRune(r rune) string {
	if r < utf8.RuneSelf && !isWord(byte(r)) {
		return hex(byte(r))
	}
	return string(r)
}

// hex writes a byte as both engines read it.
func hex(c byte) string {
	const digits = "0123456789abcdef"
	return `\x` + string(digits[c>>4]) + string(digits[c&15])
}
