package javascript

import (
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// An assertion without a message quotes its call, as Node's does.

const (
	maxQuoted = 4 << 10 // bytes of a call that is quoted
	maxCaller = 1 << 10 // bytes of a stack frame that is kept
)

// Assertion implements [host.Runner].
func (in *instance) Assertion() string {
	frame := in.caller
	in.caller = ""
	file, line, column := framePosition(frame)
	o := in.run.origins[file]
	if at := o.at(line, column); at >= 0 && in.Spend(maxQuoted) == nil {
		return assertionAt(o.code.text, at)
	}
	return ""
}

// calls are names with what opens their arguments.
var calls = lazyregexp.New(`((?:[\pL\pN_$]+\.)*[\pL\pN_$]+)\s*\(`)

// assertionAt returns the assertion at a position of a text: the call of the name there or, since the engine also
// reports the positions of arguments, a call around it. It is empty if there is none by one of the usual names, or it
// is too long. Further lines are indented less, as the first one is.
func assertionAt(text string, at int) string {
	if at < 0 || at >= len(text) {
		return ""
	}
	from := max(0, at-maxBefore)
	found := calls().FindAllStringSubmatchIndex(text[from:min(len(text), at+maxAfter)], -1)
	for i := len(found) - 1; i >= 0; i-- {
		m := found[i]
		if begin, end := from+m[2], from+m[3]; begin <= at {
			if call := assertionFrom(text, begin, end, from+m[1]-1, at); call != "" {
				return call
			}
		}
	}
	return ""
}

// assertionFrom returns the assertion whose name is text[begin:end], and whose arguments begin at open, if it is around
// a position.
func assertionFrom(text string, begin, end, open, at int) string {
	name := strings.ToLower(text[begin+strings.LastIndexByte(text[begin:end], '.')+1 : end])
	if name != "ok" && name != "strict" && !strings.Contains(name, "assert") {
		return ""
	}
	n := bracketedLength(text[open:min(len(text), open+maxQuoted)])
	if n == 0 || open+n <= at {
		return ""
	}
	lines := strings.Split(text[begin:open+n], "\n")
	column := begin - (strings.LastIndexByte(text[:begin], '\n') + 1)
	for i := range lines[1:] {
		line := lines[i+1]
		rest := strings.TrimLeft(line, " \t")
		lines[i+1] = "  " + line[min(column, len(line)-len(rest)):]
	}
	return strings.Join(lines, "\n")
}

// bracketedLength returns the length of the brackets with which a text of JavaScript begins, and of what is in them, or
// 0 if they are not closed. Unlike bracketLength it knows of comments, templates and regular expressions.
func bracketedLength(text string) int {
	depth := 0
	last := byte('(') // what was there before, apart from spaces and comments
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				return 0
			}
			i += n
			continue
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return 0
			}
			i += n + 3
			continue
		case c == '\'' || c == '"' || c == '`' || c == '/' && strings.IndexByte("(,=:[!&|?{};+-*%<>~^", last) >= 0:
			n := quotedLength(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
		last = text[i]
	}
	return 0
}

// quotedLength returns the length of the string, template or regular expression with which a text begins, or 0.
func quotedLength(text string) int {
	quote := text[0]
	class := false // of a regular expression
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote == '/' && c == '[':
			class = true
		case quote == '/' && c == ']':
			class = false
		case quote == '`' && strings.HasPrefix(text[i:], "${"):
			n := bracketedLength(text[i+1:])
			if n == 0 {
				return 0
			}
			i += n
		case c == '\n' && quote != '`':
			return 0
		case c == quote && !class:
			return i + 1
		}
	}
	return 0
}
