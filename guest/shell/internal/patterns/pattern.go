// Package patterns matches texts with the patterns of shells.
//
// A backslash makes the next character an ordinary one, *, ?, and [...] are special, and so are ?(a|b), *(...), +(...),
// @(...) and !(...).
package patterns

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match says whether a whole text matches a pattern of commands, which know no ?(...) and the like.
func Match(pattern, s string) bool { return (&Matcher{Plain: true}).Match(pattern, s) }

// A Matcher matches texts.
type Matcher struct {
	Fold  bool   // upper and lower case are the same
	Plain bool   // ?(...) and the like are not special
	Check func() // is called now and then; nil is fine
	steps int
}

// Match says whether a whole text matches. Of several stars, it goes back only to the last one, unless there are
// extended patterns.
func (m *Matcher) Match(p, s string) bool {
	starP, starS := -1, 0
	pi, si := 0, 0
	for {
		if m.steps++; m.steps&0xfff == 0 && m.Check != nil {
			m.Check()
		}
		if pi < len(p) {
			if op, end := Extended(p[pi:]); end > 0 && !m.Plain {
				if m.group(op, p[pi+2:pi+end-1], p[pi+end:], s[si:]) {
					return true
				}
			} else if p[pi] == '*' {
				starP, starS = pi, si
				pi++
				continue
			} else if si < len(s) {
				if np, ns, ok := m.One(p[pi:], s[si:]); ok {
					pi += np
					si += ns
					continue
				}
			}
		} else if si == len(s) {
			return true
		}
		if starP < 0 || starS >= len(s) {
			return false
		}
		_, size := utf8.DecodeRuneInString(s[starS:])
		starS += size
		pi, si = starP+1, starS
	}
}

// Extended returns the operator of an extended pattern at the beginning, and where it ends, or 0.
func Extended(p string) (op byte, end int) {
	if len(p) < 3 || p[1] != '(' || strings.IndexByte("?*+@!", p[0]) < 0 {
		return 0, 0
	}
	depth := 0
	for i := 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if n := BracketEnd(p[i:]); n > 0 {
				i += n - 1
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return p[0], i + 1
			}
		}
	}
	return 0, 0
}

// alternatives splits what is in an extended pattern.
func alternatives(p string) []string {
	var list []string
	depth, from := 0, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if n := BracketEnd(p[i:]); n > 0 {
				i += n - 1
			}
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				list = append(list, p[from:i])
				from = i + 1
			}
		}
	}
	return append(list, p[from:])
}

// group says whether an extended pattern and the rest of the pattern match a text.
func (m *Matcher) group(op byte, inner, rest, s string) bool {
	list := alternatives(inner)
	any := func(part string) bool {
		for _, alternative := range list {
			if m.Match(alternative, part) {
				return true
			}
		}
		return false
	}
	ends := func(from int, do func(int) bool) bool {
		for i := from; ; {
			if do(i) {
				return true
			}
			if i >= len(s) {
				return false
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		}
	}
	switch op {
	case '!':
		return ends(0, func(i int) bool { return !any(s[:i]) && m.Match(rest, s[i:]) })
	case '?':
		if m.Match(rest, s) {
			return true
		}
		fallthrough
	case '@':
		return ends(0, func(i int) bool { return any(s[:i]) && m.Match(rest, s[i:]) })
	}
	// reached are the places that repetitions lead to.
	reached := map[int]bool{}
	queue := []int{0}
	if op == '*' && m.Match(rest, s) {
		return true
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if ends(at, func(i int) bool {
			if reached[i] || (i == at && at > 0) || !any(s[at:i]) {
				return false
			}
			reached[i] = true
			if i > at {
				queue = append(queue, i)
			}
			return m.Match(rest, s[i:])
		}) {
			return true
		}
	}
	return false
}

// One matches one character, and returns how much of the pattern and of the text that is.
func (m *Matcher) One(p, s string) (np, ns int, ok bool) {
	r, size := utf8.DecodeRuneInString(s)
	switch p[0] {
	case '?':
		return 1, size, true
	case '[':
		if end := BracketEnd(p); end > 0 {
			return end, size, m.bracket(p[1:end-1], r)
		}
	case '\\':
		if len(p) > 1 {
			want, width := utf8.DecodeRuneInString(p[1:])
			return 1 + width, size, m.same(want, r, p[1:], s)
		}
	}
	want, width := utf8.DecodeRuneInString(p)
	return width, size, m.same(want, r, p, s)
}

func (m *Matcher) same(want, r rune, p, s string) bool {
	if want == utf8.RuneError || r == utf8.RuneError {
		return p[0] == s[0]
	}
	return want == r || m.Fold && unicode.ToLower(want) == unicode.ToLower(r)
}

// BracketEnd returns where a bracket expression ends, or 0 if it is none.
func BracketEnd(p string) int { return bracketEnd(p, "!^", true) }

// RegexpBracketEnd is BracketEnd in a regular expression, where a backslash is an ordinary character.
func RegexpBracketEnd(p string) int { return bracketEnd(p, "^", false) }

func bracketEnd(p, negations string, escapes bool) int {
	i := 1
	if i < len(p) && strings.IndexByte(negations, p[i]) >= 0 {
		i++
	}
	if i < len(p) && p[i] == ']' {
		i++
	}
	for i < len(p) {
		switch {
		case p[i] == ']':
			return i + 1
		case escapes && p[i] == '\\':
			i += 2
		case p[i] == '[' && i+1 < len(p) && (p[i+1] == ':' || p[i+1] == '.' || p[i+1] == '='):
			end := strings.Index(p[i+2:], string(p[i+1])+"]")
			if end < 0 {
				i++
				continue
			}
			i += end + 4
		default:
			i++
		}
	}
	return 0
}

// classes are the classes of characters.
var classes = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "digit": func(r rune) bool { return r >= '0' && r <= '9' },
	"alnum": func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"upper": unicode.IsUpper, "lower": unicode.IsLower, "space": unicode.IsSpace,
	"blank": func(r rune) bool { return r == ' ' || r == '\t' },
	"punct": func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }, "cntrl": unicode.IsControl,
	"print": unicode.IsPrint, "graph": func(r rune) bool { return unicode.IsPrint(r) && r != ' ' },
	"xdigit": func(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) },
	"word":   func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) },
	"ascii":  func(r rune) bool { return r < utf8.RuneSelf },
}

// bracket says whether a character is in a bracket expression, which is without its brackets.
func (m *Matcher) bracket(p string, r rune) bool {
	negated := false
	if p[0] == '!' || p[0] == '^' {
		negated, p = true, p[1:]
	}
	in := func(low, high rune) bool {
		if low <= r && r <= high {
			return true
		}
		if m.Fold {
			l, u := unicode.ToLower(r), unicode.ToUpper(r)
			return low <= l && l <= high || low <= u && u <= high
		}
		return false
	}
	next := func() rune {
		if p[0] == '\\' && len(p) > 1 {
			p = p[1:]
		} else if p[0] == '[' && len(p) > 3 && (p[1] == '.' || p[1] == '=') {
			if end := strings.Index(p[2:], string(p[1])+"]"); end > 0 {
				c, _ := utf8.DecodeRuneInString(p[2:])
				p = p[end+4:]
				return c
			}
		}
		c, size := utf8.DecodeRuneInString(p)
		p = p[size:]
		return c
	}
	found := false
	for p != "" {
		if strings.HasPrefix(p, "[:") {
			if end := strings.Index(p, ":]"); end > 0 {
				if class := classes[p[2:end]]; class != nil {
					found = found || class(r) || m.Fold && (p[2:end] == "upper" || p[2:end] == "lower") &&
						unicode.IsLetter(r)
				}
				p = p[end+2:]
				continue
			}
		}
		low := next()
		high := low
		if len(p) > 1 && p[0] == '-' {
			p = p[1:]
			high = next()
		}
		found = found || in(low, high)
	}
	return found != negated
}

// Escape makes a text a pattern that matches itself.
func Escape(s string) string {
	if !strings.ContainsAny(s, `\*?[]()|!+@-`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`\*?[]()|!+@-`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Unescape makes a pattern without special characters the text that it matches.
func Unescape(p string) string {
	if !strings.Contains(p, `\`) {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' && i+1 < len(p) {
			i++
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// Special says whether a pattern is more than a text.
func Special(p string) bool {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if BracketEnd(p[i:]) > 0 {
				return true
			}
		case '+', '@', '!':
			if _, end := Extended(p[i:]); end > 0 {
				return true
			}
		}
	}
	return false
}
