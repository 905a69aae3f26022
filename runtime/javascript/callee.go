package javascript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// When something is not a function, the engine reports a position but not the name. The text at the position usually
// tells it. Names are written as V8 writes them.

// A callee is what is called or constructed somewhere in a text.
type callee struct {
	name string
	made bool // by new
}

const (
	maxBefore = 400 // bytes before a position in which a callee is looked for
	maxAfter  = 200
	maxCallee = 160 // bytes of a name
)

// intermediate is V8's word for what has no name.
const intermediate = "(intermediate value)"

var (
	newBefore   = lazyregexp.New(`\bnew\s+$`)
	simpleArray = lazyregexp.New(`^\[[\w., ]*\]$`)
	namesAfter  = lazyregexp.New(`^[\pL\pN_$#.]+`)
	callAfter   = lazyregexp.New(`^(?:\?\.)?\s*\(`)
	argumentEnd = lazyregexp.New(`^[\pL\pN_$#.]*\s*[,)]`)
	noCallees   = lazyregexp.New(
		`^(?:if|for|while|switch|catch|with|return|await|typeof|void|yield|in|of|function|super|import)$`)

	// builtinCallees are functions of the language that are there unless somebody has removed them.
	builtinCallees = lazyregexp.New(
		`^(?:String|Number|Boolean|BigInt|Symbol|Array|Object|parseInt|parseFloat|isNaN|isFinite|` +
			`(?:console|JSON|Math|Object|Array|Number|String|Date|Promise|Reflect)\.\w+)$`)
)

// calleeAt returns what is called at a position of a text, in bytes, as the engine reports positions: that of the last
// name before the arguments or, after new, of the first part of the name; and if the first argument is a variable, its
// position. The name is empty if the text tells nothing.
func calleeAt(text string, at int) callee {
	if at < 0 || at > len(text) {
		return callee{}
	}
	from := max(0, at-maxBefore)
	before, after := text[from:at], text[at:min(len(text), at+maxAfter)]
	if newBefore().MatchString(before) {
		if name := strings.TrimRight(namesAfter().FindString(after), "."); name != "" &&
			len(name) < len(after) && len(name) <= maxCallee {
			return callee{name, true}
		}
		return callee{}
	}
	if end, ok := callBegin(after); ok {
		name, ok := expressionBefore(before + after[:end])
		if !ok || noCallees().MatchString(name) {
			return callee{}
		}
		return callee{name: name}
	}
	return calleeAround(before, after)
}

// callBegin returns where the arguments of a call begin in a text that begins in the call's callee. It is false if the
// text begins with something else.
func callBegin(text string) (end int, ok bool) {
	i := nameLength(text)
	for i < len(text) {
		switch c := text[i]; {
		case callAfter().MatchString(text[i:]):
			return i, i > 0
		case c == '[':
			n := bracketLength(text[i:])
			if n == 0 || i == 0 {
				return 0, false
			}
			i += n
		case c == ']' || c == ')':
			i++
		case c == '`' && i > 0: // a tag
			return i, true
		default:
			return 0, false
		}
	}
	return 0, false
}

func nameLength(text string) int {
	for i, c := range text {
		if !isNameLetter(c) {
			return i
		}
	}
	return len(text)
}

func isNameLetter(c rune) bool {
	return c == '_' || c == '$' || c == '#' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// bracketLength returns the length of the brackets with which a text begins, and of what is in them, or 0 if they are
// not closed.
func bracketLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\'', '"', '`':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return 0
			}
			i += n + 1
		}
	}
	return 0
}

// expressionBefore returns the member expression with which a text ends, as V8 names it. It is false if the beginning
// is not in the text.
func expressionBefore(text string) (name string, ok bool) {
	for len(name) <= maxCallee {
		trimmed := strings.TrimRight(text, " \t\r\n")
		trimmed = strings.TrimRight(strings.TrimSuffix(trimmed, "?."), " \t\r\n")
		if trimmed == "" {
			return "", false
		}
		switch c := trimmed[len(trimmed)-1]; c {
		case ')':
			open := openingBracket(trimmed)
			if open < 0 {
				return "", false
			}
			head := strings.TrimRight(trimmed[:open], " \t\r\n")
			last, _ := utf8.DecodeLastRuneInString(head)
			if head == "" || !isNameLetter(last) && last != ')' && last != ']' ||
				noCallees().MatchString(lastName(head)) {
				return intermediate + name, true
			}
			text, name = head, "(...)"+name
			continue
		case ']':
			open := openingBracket(trimmed)
			if open < 0 {
				return "", false
			}
			head := strings.TrimRight(trimmed[:open], " \t\r\n")
			last, _ := utf8.DecodeLastRuneInString(head)
			if head == "" || !isNameLetter(last) && last != ')' && last != ']' && !strings.HasSuffix(head, "?.") ||
				noCallees().MatchString(lastName(head)) {
				if elements := trimmed[open:]; simpleArray().MatchString(elements) {
					return strings.ReplaceAll(elements, " ", "") + name, true
				}
				return intermediate + name, true
			}
			text, name = head, itemName(trimmed[open+1:len(trimmed)-1])+name
			continue
		case '\'', '"', '`', '}', '/':
			return intermediate + name, true
		}
		word := lastName(trimmed)
		if word == "" {
			return "", false
		}
		rest := trimmed[:len(trimmed)-len(word)]
		inner := strings.TrimRight(rest, " \t\r\n")
		switch {
		case strings.HasSuffix(inner, "?."):
			text, name = inner, "?."+word+name
		case strings.HasSuffix(inner, ".") && !strings.HasSuffix(inner, "..."):
			text, name = inner[:len(inner)-1], "."+word+name
		case word == "super":
			return intermediate + name, true
		default:
			if name = word + name; len(name) > maxCallee {
				return "", false
			}
			return name, true
		}
	}
	return "", false
}

// itemName returns how V8 names an item of an object by what is between the brackets.
func itemName(key string) string {
	key = strings.TrimSpace(key)
	if len(key) >= 2 && (key[0] == '\'' || key[0] == '"') && key[len(key)-1] == key[0] &&
		nameLength(key[1:]) == len(key)-2 {
		return "." + key[1:len(key)-1]
	}
	if key != "" && strings.Trim(namesAfter().FindString(key), ".") == key {
		return "[" + key + "]"
	}
	return "[" + intermediate + "]"
}

func lastName(text string) string {
	i := len(text)
	for i > 0 {
		c, n := utf8.DecodeLastRuneInString(text[:i])
		if !isNameLetter(c) {
			break
		}
		i -= n
	}
	return text[i:]
}

// openingBracket returns where the bracket that closes a text is opened, or -1.
func openingBracket(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; c {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		case '\'', '"', '`':
			n := strings.LastIndexByte(text[:i], c)
			if n < 0 {
				return -1
			}
			i = n
		}
	}
	return -1
}

// calleeAround returns what is called with the argument at a position. If there is a call within a call, the position
// is that of both; then the inner one is left out if it is one of the language's own functions, or both are named.
func calleeAround(before, after string) callee {
	if !argumentEnd().MatchString(after) {
		return callee{}
	}
	var found callee
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
			return found
		case c == '[' || c == '{':
			return found
		case c == '(':
			word := lastName(strings.TrimRight(before[:i], " \t\r\n"))
			name, ok := expressionBefore(before[:i])
			switch {
			case noCallees().MatchString(word):
				return found
			case !ok: // brackets of no call
				return found
			case found.name == "":
				head := strings.TrimSuffix(strings.TrimRight(before[:i], " \t\r\n"), name)
				found = callee{name, newBefore().MatchString(head)}
			case builtinCallees().MatchString(found.name):
				return callee{name: name}
			case builtinCallees().MatchString(name):
				return found
			default:
				found.name = found.name + " or " + name
				return found
			}
		}
	}
	return found
}
