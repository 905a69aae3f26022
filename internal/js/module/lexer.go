package module

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer splits JavaScript or TypeScript into tokens, in linear time. It never fails: something that is not a token ends
// the program. Without a grammar, it sometimes has to guess whether a slash divides or begins a regular expression.
// Tokens that depend on a guess are marked as uncertain.
type lexer struct {
	source   string
	position int
	// previous is the token before the current one, and before is the one before that.
	previous, before token
	brackets         []bracket // the open brackets
	// failures counts the slashes before lineEnd that turned out not to begin a regular expression.
	failures, lineEnd int
	// again counts the bytes that are read twice, because a possible regular expression was read as a division.
	again int
	// columns is the sum of the columns of all comments, in bytes. lineStart is the start of the last line with a
	// comment, and lineSeen the position up to which lines were counted. legal counts the comments that are kept in the
	// output.
	columns, lineStart, lineSeen, legal int
}

func newLexer(source string) *lexer { return &lexer{source: source} }

func (l *lexer) text(t token) string { return l.source[t.start:t.end] }

// is reports whether a token is the given punctuator, or the given word unless that is the name of a property.
func (l *lexer) is(t token, text string) bool {
	return (t.kind == punctuator || t.kind == word && !t.member) && l.source[t.start:t.end] == text
}

func (l *lexer) depth() int { return len(l.brackets) }

// next reads a token. After the last token, or a broken one, it returns only endOfFile.
func (l *lexer) next() token {
	t := token{}
	if l.previous.kind == broken {
		l.position = len(l.source)
	}
	closed := l.skipSpace(&t.newline)
	t.start = l.position
	t.end = l.position
	switch {
	case !closed:
		t.kind = broken
	case l.position >= len(l.source):
		t.kind = endOfFile
	default:
		l.scan(&t)
	}
	l.position = t.end
	l.before, l.previous = l.previous, t
	return t
}

// skipSpace skips white space and comments. It returns false if a comment is not closed.
func (l *lexer) skipSpace(newline *bool) bool {
	s := l.source
	if l.position == 0 && strings.HasPrefix(s, "#!") {
		l.skipLine()
	}
	for l.position < len(s) {
		switch c := s[l.position]; {
		case c == '\n' || c == '\r':
			*newline = true
			l.position++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			l.position++
		case c == '/' && strings.HasPrefix(s[l.position:], "//"):
			start := l.position
			l.skipLine()
			if comment := s[start:l.position]; strings.HasPrefix(comment, "//!") || strings.Contains(comment, "@") {
				l.legal++
			}
		case c == '/' && strings.HasPrefix(s[l.position:], "/*"):
			n := strings.Index(s[l.position+2:], "*/")
			if n < 0 {
				return false
			}
			comment := s[l.position : l.position+n+4]
			l.countComment(comment)
			if strings.ContainsAny(comment, "\n\r\u2028\u2029") {
				*newline = true
			}
			l.position += len(comment)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[l.position:])
			switch {
			case r == '\u2028' || r == '\u2029':
				*newline = true
			case r == '\uFEFF' || unicode.Is(unicode.Zs, r):
			default:
				return true
			}
			l.position += n
		default:
			return true
		}
	}
	return true
}

// countComment counts a comment that begins at the current position.
func (l *lexer) countComment(comment string) {
	if i := strings.LastIndexAny(l.source[l.lineSeen:l.position], "\n\r\u2028\u2029"); i >= 0 {
		l.lineStart = l.lineSeen + i
	}
	l.lineSeen = l.position
	l.columns += l.position - l.lineStart
	if comment[2] == '!' || strings.Contains(comment, "@") { // @license and @preserve
		l.legal++
	}
}

// skipLine goes to the end of the line.
func (l *lexer) skipLine() {
	n := strings.IndexAny(l.source[l.position:], "\n\r\u2028\u2029")
	if n < 0 {
		n = len(l.source) - l.position
	}
	l.position += n
}

// scan reads a token that begins at t.start.
func (l *lexer) scan(t *token) {
	s := l.source
	c := s[t.start]
	switch {
	case isWordByte(c) && (c < '0' || c > '9') || c == '\\':
		t.kind = word
		t.end = l.wordEnd(t.start)
		t.member = l.previous.kind == punctuator && (l.text(l.previous) == "." || l.text(l.previous) == "?.")
	case c >= '0' && c <= '9' || c == '.' && t.start+1 < len(s) && isDigit(s[t.start+1]):
		t.kind = number
		t.end = numberEnd(s, t.start)
	case c == '#':
		t.kind = privateName
		t.end = l.wordEnd(t.start + 1)
	case c == '"' || c == '\'':
		t.end = quotedEnd(s, t.start)
		t.kind = quoted
		if t.end < 0 {
			t.kind, t.end = broken, t.start
		}
	case c == '`':
		l.scanTemplate(t, t.start+1)
	case c == '/':
		l.scanSlash(t)
	default:
		l.scanPunctuator(t)
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordEnd returns the end of the word that begins at i. Escapes belong to it, even invalid ones.
func (l *lexer) wordEnd(i int) int {
	s := l.source
	for i < len(s) {
		switch c := s[i]; {
		case c == '\\':
			i++
			if i < len(s) && s[i] == 'u' {
				i++
				if i < len(s) && s[i] == '{' {
					for i < len(s) && s[i] != '}' && s[i] != '\n' {
						i++
					}
					if i < len(s) {
						i++
					}
				}
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == '\u2028' || r == '\u2029' || r == '\uFEFF' || unicode.Is(unicode.Zs, r) {
				return i
			}
			i += n
		case isWordByte(c):
			i++
		default:
			return i
		}
	}
	return i
}

// numberEnd returns the end of the number that begins at i.
func numberEnd(s string, i int) int {
	digits := func(hex bool) {
		for i < len(s) && (isDigit(s[i]) || s[i] == '_' || hex && isWordByte(s[i]) && s[i] < utf8.RuneSelf) {
			i++
		}
	}
	if s[i] == '0' && i+1 < len(s) && strings.IndexByte("xXoObB", s[i+1]) >= 0 {
		i += 2
		digits(true)
		return i
	}
	digits(false)
	if i < len(s) && s[i] == 'n' {
		return i + 1
	}
	if i < len(s) && s[i] == '.' {
		i++
		digits(false)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			i = j
			digits(false)
		}
	}
	return i
}

// quotedEnd returns the end of the string that begins at i, or -1.
func quotedEnd(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch s[i] {
		case quote:
			return i + 1
		case '\\':
			i++
			if i+1 < len(s) && s[i] == '\r' && s[i+1] == '\n' {
				i++
			}
		case '\n', '\r':
			return -1
		}
	}
	return -1
}

// scanTemplate reads a part of a template. i is the position after the back quote or brace that begins it.
func (l *lexer) scanTemplate(t *token, i int) {
	s := l.source
	for ; i < len(s); i++ {
		switch s[i] {
		case '`':
			t.kind, t.end = template, i+1
			return
		case '\\':
			i++
		case '$':
			if i+1 < len(s) && s[i+1] == '{' {
				if len(l.brackets) == maxBrackets {
					t.kind, t.end = broken, t.start
					return
				}
				t.kind, t.end = templateHead, i+2
				l.brackets = append(l.brackets, bracket{open: '`', value: true})
				return
			}
		}
	}
	t.kind, t.end = broken, t.start
}

// scanSlash reads a division operator or a regular expression.
func (l *lexer) scanSlash(t *token) {
	meaning, likely := l.slashMeaning(t.newline)
	end := noRegex
	if meaning != divisionSlash {
		end = l.regexEnd(t.start)
	}
	if end == noRegex && meaning == regexSlash {
		t.kind, t.end = broken, t.start
		return
	}
	// An ambiguous slash is a division if no complete regular expression follows.
	t.uncertain = meaning == eitherSlash && end != noRegex
	if end >= 0 && (meaning == regexSlash || likely == regexSlash) {
		t.kind, t.end = regex, end
		return
	}
	l.again += max(0, end-t.start)
	t.kind, t.end = punctuator, t.start+1
	if t.end < len(l.source) && l.source[t.end] == '=' {
		t.end++
	}
}

// slashMeaning returns the meaning of a slash after the previous token, and the more likely one if that is ambiguous.
func (l *lexer) slashMeaning(newline bool) (meaning, likely slash) {
	p := l.previous
	afterOperand := func() (slash, slash) {
		if newline || p.uncertain {
			return eitherSlash, divisionSlash // a new statement may begin after a type
		}
		return divisionSlash, divisionSlash
	}
	switch p.kind {
	case endOfFile, templateHead:
		return regexSlash, regexSlash
	case word:
		after, reserved := reservedWords[l.text(p)]
		switch {
		case !reserved || p.member || after == divisionSlash:
			return afterOperand()
		case after == eitherSlash:
			return eitherSlash, regexSlash
		}
		return regexSlash, regexSlash
	case punctuator:
		switch l.source[p.end-1] {
		case ')':
			if p.bracket.head {
				return regexSlash, regexSlash
			}
			return afterOperand()
		case ']':
			return afterOperand()
		case '}':
			if p.bracket.value {
				return eitherSlash, divisionSlash
			}
			return eitherSlash, regexSlash
		case '>':
			if l.text(p) == "=>" {
				return regexSlash, regexSlash
			}
			return eitherSlash, regexSlash
		case '!', '+', '-':
			// After an operand these are postfix operators: a++ / b, or a! / b in TypeScript.
			if text := l.text(p); text == "!" || text == "++" || text == "--" {
				if l.mayEndOperand(l.before) && !p.newline {
					return eitherSlash, divisionSlash
				}
			}
		}
		if p.uncertain { // a division that may be the end of a regular expression
			return eitherSlash, regexSlash
		}
		return regexSlash, regexSlash
	}
	return afterOperand()
}

// mayEndOperand reports whether a binary operator can follow a token.
func (l *lexer) mayEndOperand(t token) bool {
	switch t.kind {
	case endOfFile, templateHead, broken:
		return false
	case word:
		after, reserved := reservedWords[l.text(t)]
		return !reserved || t.member || after != regexSlash
	case punctuator:
		switch l.text(t) {
		case ")", "]", "}", ">", ">>", ">>>", "++", "--", "!":
			return true
		}
		return false
	}
	return true
}

// Results of regexEnd if it finds no end.
const (
	noRegex      = -1
	unknownRegex = -2
)

// maxFailures limits the failed searches for the end of a regular expression in a line, because each may read the whole
// line. Further slashes count as divisions. It also limits how often the whole code is read again.
const maxFailures = 32

// regexEnd returns the end of the regular expression that begins at start, flags included.
func (l *lexer) regexEnd(start int) int {
	s := l.source
	if start >= l.lineEnd {
		l.failures = 0
	} else if l.failures >= maxFailures {
		return unknownRegex
	}
	if l.again/maxFailures > len(s) {
		return unknownRegex
	}
	class := false
	i := start + 1
	for ; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) {
			i++
			c = s[i]
		} else if c == '[' {
			class = true
		} else if c == ']' {
			class = false
		} else if c == '/' && !class {
			for i++; i < len(s) && isWordByte(s[i]) && s[i] < utf8.RuneSelf; i++ {
			}
			return i
		}
		if c == '\n' || c == '\r' || strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
			break
		}
	}
	l.failures++
	l.lineEnd = i
	return noRegex
}

// punctuators lists those of more than one byte, the longer ones first.
var punctuators = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
	"||", "??", "?.", "++", "--", "+=", "-=", "*=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
}

// beginsFunction reports whether a brace after the previous token begins the body of a function.
func (l *lexer) beginsFunction() bool {
	p := l.previous
	return l.is(p, "=>") || l.is(p, ")") && !p.bracket.head && !p.bracket.block
}

// beginsValue reports whether a brace after the previous token probably begins an object. It is not the body of a
// function.
func (l *lexer) beginsValue() bool {
	p := l.previous
	switch p.kind {
	case templateHead:
		return true
	case word:
		switch l.text(p) {
		case "do", "else", "finally", "try":
			return false
		}
		after, reserved := reservedWords[l.text(p)]
		return reserved && !p.member && after == regexSlash
	case punctuator:
		switch l.text(p) {
		case ")", "]", "}", "{", ";":
			return false
		case ":": // the end of a label or a case, or a property's colon
			n := len(l.brackets)
			return n > 0 && (l.brackets[n-1].value || l.brackets[n-1].open != '{')
		}
		return true
	}
	return false
}

// maxBrackets limits the open brackets, for which the lexer needs memory. No engine can parse that many.
const maxBrackets = 1 << 16

// scanPunctuator reads an operator or a bracket.
func (l *lexer) scanPunctuator(t *token) {
	s := l.source
	t.kind, t.end = punctuator, t.start+1
	switch c := s[t.start]; c {
	case '(', '[', '{':
		b := bracket{open: c}
		if c == '(' && l.previous.kind == word && !l.previous.member {
			text := l.text(l.previous)
			b.head = headWords[text] || text == "await" && l.is(l.before, "for")
			b.block = blockWords[text]
		}
		if c == '{' {
			b.function = l.beginsFunction()
			b.value = !b.function && l.beginsValue()
		}
		if len(l.brackets) == maxBrackets {
			t.kind, t.end = broken, t.start
			return
		}
		t.bracket = b
		l.brackets = append(l.brackets, b)
	case ')', ']', '}':
		l.scanClosing(t, c)
	case ';', ',', ':', '~', '@':
	case '.', '<', '>', '=', '!', '+', '-', '*', '%', '&', '|', '^', '?':
		for _, p := range punctuators {
			if p[0] == c && strings.HasPrefix(s[t.start:], p) {
				if p == "?." && t.start+2 < len(s) && isDigit(s[t.start+2]) {
					continue // a?.5:b
				}
				t.end = t.start + len(p)
				return
			}
		}
	default:
		t.kind, t.end = broken, t.start
	}
}

// scanClosing reads a closing bracket. A bracket that does not match ends the program.
func (l *lexer) scanClosing(t *token, c byte) {
	if len(l.brackets) == 0 {
		t.kind, t.end = broken, t.start
		return
	}
	b := l.brackets[len(l.brackets)-1]
	switch {
	case b.open == '`' && c == '}':
		l.brackets = l.brackets[:len(l.brackets)-1]
		l.scanTemplate(t, t.start+1)
	case b.open == '(' && c == ')', b.open == '[' && c == ']', b.open == '{' && c == '}':
		l.brackets = l.brackets[:len(l.brackets)-1]
		t.bracket = b
	default:
		t.kind, t.end = broken, t.start
	}
}
