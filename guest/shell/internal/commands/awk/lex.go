package awk

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type token uint8

const (
	tEOF token = iota
	tNewline
	tNumber
	tString
	tRegex
	tName
	tCall // a name directly before "("
	tBuiltin
	tKeyword
	tOp
)

// A lexer splits a program into tokens.
type lexer struct {
	src    string
	pos    int // behind the current token
	start  int // of the current token
	tok    token
	text   string // of a name, keyword, operator, or the value of a string
	number float64
	last   token // the token before
	lastAt string
	warn   func(byte) // is told of escapes that are none
}

// A syntaxError is what is wrong with a program, and where. A plain one is told without the line.
type syntaxError struct {
	at      int
	message string
	plain   bool
}

var keywords = map[string]bool{"BEGIN": true, "END": true, "BEGINFILE": true, "ENDFILE": true, "function": true,
	"func": true,
	"if":   true, "else": true, "while": true, "for": true, "do": true, "break": true, "continue": true, "next": true,
	"nextfile": true, "exit": true, "return": true, "delete": true, "in": true, "getline": true, "print": true,
	"printf": true, "switch": true, "case": true, "default": true}

var operators = []string{"**=", "<<=", "|&", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==",
	"<=",
	">=", "!=", "!~", ">>"}

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// next reads the next token.
func (l *lexer) next() {
	l.last, l.lastAt = l.tok, l.text
	for {
		for l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t' || l.src[l.pos] == '\r') {
			l.pos++
		}
		if strings.HasPrefix(l.src[l.pos:], "\\\n") {
			l.pos += 2
			continue
		}
		if strings.HasPrefix(l.src[l.pos:], "\\\r\n") {
			l.pos += 3
			continue
		}
		if l.pos < len(l.src) && l.src[l.pos] == '#' {
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
		}
		break
	}
	l.start = l.pos
	l.text = ""
	if l.pos >= len(l.src) {
		l.tok = tEOF
		return
	}
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.pos++
		l.tok = tNewline
	case isDigit(c) || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		l.tok = tNumber
		rest := l.src[l.pos:]
		if len(rest) > 2 && c == '0' && rest[1]|0x20 == 'x' && strings.IndexByte("0123456789abcdefABCDEF",
			rest[2]) >= 0 {
			n := 2
			for n < len(rest) && strings.IndexByte("0123456789abcdefABCDEF", rest[n]) >= 0 {
				n++
			}
			v, _ := strconv.ParseUint(rest[2:n], 16, 64)
			l.number = float64(v)
			l.pos += n
			return
		}
		n := scanNumber(rest)
		l.number = parseNumber(rest[:n])
		if n > 1 && c == '0' && !strings.ContainsAny(rest[:n], "89.eE") {
			v, _ := strconv.ParseUint(rest[:n], 8, 64)
			l.number = float64(v)
		}
		l.pos += n
	case isNameStart(c):
		for l.pos < len(l.src) && (isNameStart(l.src[l.pos]) || isDigit(l.src[l.pos])) {
			l.pos++
		}
		l.text = l.src[l.start:l.pos]
		switch {
		case keywords[l.text]:
			l.tok = tKeyword
			if l.text == "func" {
				l.text = "function"
			}
		case builtins[l.text] != nil:
			l.tok = tBuiltin
		case l.pos < len(l.src) && l.src[l.pos] == '(':
			l.tok = tCall
		default:
			l.tok = tName
		}
	case c == '"':
		l.tok = tString
		l.text = l.quoted()
	default:
		l.tok = tOp
		for _, op := range operators {
			if strings.HasPrefix(l.src[l.pos:], op) {
				l.pos += len(op)
				switch op {
				case "**":
					op = "^"
				case "**=":
					op = "^="
				}
				l.text = op
				return
			}
		}
		if strings.IndexByte("{}()[];,+-*/%^!<>|?:~$=@&", c) < 0 || c == '&' {
			panic(syntaxError{at: l.pos, message: "syntax error"})
		}
		l.pos++
		l.text = string(c)
	}
}

// quoted reads a string.
func (l *lexer) quoted() string {
	from := l.pos + 1
	for i := from; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '\n':
			panic(syntaxError{at: l.pos, message: "unterminated string"})
		case '"':
			l.pos = i + 1
			return unescape(l.src[from:i], l.warn)
		}
	}
	panic(syntaxError{at: l.pos, message: "unterminated string"})
}

// regex reads a regular expression, whose "/" was the last token.
func (l *lexer) regex() string {
	from := l.start + 1
	bracket := -1
	for i := from; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\n':
			panic(syntaxError{at: l.start, message: "unterminated regexp"})
		case c == '\\':
			i++
		case c == '[' && bracket < 0:
			bracket = i
			if i+1 < len(l.src) && l.src[i+1] == '^' {
				i++
			}
			if i+1 < len(l.src) && l.src[i+1] == ']' {
				i++
			}
		case c == '[' && bracket >= 0 && i+1 < len(l.src) && strings.IndexByte(":.=", l.src[i+1]) >= 0:
			if end := strings.Index(l.src[i+2:], l.src[i+1:i+2]+"]"); end >= 0 {
				i += end + 3
			}
		case c == ']':
			bracket = -1
		case c == '/' && bracket < 0:
			l.pos = i + 1
			l.tok = tRegex
			return strings.ReplaceAll(l.src[from:i], `\/`, "/")
		}
	}
	panic(syntaxError{at: l.start, message: "unterminated regexp"})
}

// hexadecimal reads a number of at most so many hexadecimal digits at the beginning of a text.
func hexadecimal(s string, most int) (n, digits int) {
	for digits < most && digits < len(s) {
		d, err := strconv.ParseUint(s[digits:digits+1], 16, 8)
		if err != nil {
			break
		}
		n = n*16 + int(d)
		digits++
	}
	return n, digits
}

// unescape replaces the escapes of a string. It calls a function with those that are none.
func unescape(s string, warn func(byte)) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i == len(s) {
			b = append(b, '\\')
			break
		}
		switch c := s[i]; c {
		case '\n':
		case '"', '/', '\\':
			b = append(b, c)
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'a':
			b = append(b, '\a')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'v':
			b = append(b, '\v')
		case 'x':
			n, digits := hexadecimal(s[i+1:], 2)
			if i += digits; digits == 0 {
				b = append(b, 'x')
			} else {
				b = append(b, byte(n))
			}
		case 'u':
			n, digits := hexadecimal(s[i+1:], 8)
			if i += digits; digits == 0 {
				b = append(b, 'u')
			} else {
				b = utf8.AppendRune(b, rune(n))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n := 0
			for digits := 0; digits < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; digits++ {
				n = n*8 + int(s[i]-'0')
				i++
			}
			i--
			b = append(b, byte(n))
		default:
			if warn != nil {
				warn(c)
			}
			b = append(b, c)
		}
	}
	return string(b)
}
