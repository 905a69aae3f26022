package javascript

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// When something is not a function, the engine reports the position in the script but not the name. The text at the
// position usually tells it.

// maxCallee is how many bytes before and after a position are searched for the name of the called function.
const maxCallee = 100

var (
	objectBefore = regexp.MustCompile(`(?:[\pL\pN_$#]+\??\.)+$`)
	nameAfter    = regexp.MustCompile(`^[\pL\pN_$#]+`)
	namesAfter   = regexp.MustCompile(`^[\pL\pN_$#.]+`)
	callAfter    = regexp.MustCompile(`^(?:\?\.)?\s*\(`)
	newBefore    = regexp.MustCompile(`\bnew\s+$`)
)

// calleeAt returns the dotted name that is called in a line. The column counts UTF-16 code units from 1; it is that
// of the last part of the name or, after new (made is true then), of the first part. The name is empty if the text
// at the column is something else.
func calleeAt(line string, column int) (callee string, made bool) {
	at := 0
	for left := column - 1; left > 0; {
		c, n := utf8.DecodeRuneInString(line[at:])
		if n == 0 {
			return "", false
		}
		at += n
		left -= max(1, utf16.RuneLen(c))
	}
	before, after := line[max(0, at-maxCallee):at], line[at:]
	after = after[:min(len(after), maxCallee)]
	names := nameAfter
	if made = newBefore.MatchString(before); made {
		names = namesAfter
	}
	name := names.FindString(after)
	if name == "" || !callAfter.MatchString(after[len(name):]) {
		return calleeAround(before, after)
	}
	return objectBefore.FindString(before) + name, made
}

var (
	argumentEnd  = regexp.MustCompile(`^[\pL\pN_$#.]*\s*[,)]`)
	calleeBefore = regexp.MustCompile(`(?:[\pL\pN_$#]+\??\.)*[\pL\pN_$#]+$`)
	noCallees    = regexp.MustCompile(`^(?:if|for|while|switch|catch|with|return|await|typeof|void|yield|in|of|function|super|import)$`)
)

// calleeAround returns the name that is called with the argument at a position: if the last argument is a variable,
// that is where the engine reports the call. The name is empty if more than one call could be meant.
func calleeAround(before, after string) (callee string, made bool) {
	if !argumentEnd.MatchString(after) {
		return "", false
	}
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch c := before[i]; {
		case c == ')' || c == ']' || c == '}':
			depth++
		case depth > 0:
			if c == '(' || c == '[' || c == '{' {
				depth--
			}
		case c == ';' || c == '>' && strings.HasSuffix(before[:i], "="): // another statement or function ends here
			return callee, made
		case c == '[' || c == '{':
			return "", false
		case c == '(':
			name := calleeBefore.FindString(before[:i])
			switch {
			case noCallees.MatchString(name):
				return callee, made
			case callee != "" && name != "", callee == "" && name == "":
				return "", false // a call within a call, or a function without a name
			case callee == "":
				callee, made = name, newBefore.MatchString(before[:i-len(name)])
			}
		}
	}
	if isArgument(after) { // the call begins on an earlier line
		return "", false
	}
	return callee, made
}

// isArgument reports whether the call that ends in a text is itself an argument, or does not end there.
func isArgument(text string) bool {
	for depth, i := 0, 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				rest := strings.TrimSpace(text[i+1:])
				return rest != "" && (rest[0] == ',' || rest[0] == ')')
			}
		}
	}
	return true
}
