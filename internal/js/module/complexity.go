package module

import (
	"fmt"
	"strings"
)

// A ComplexityError means that TypeScript code nests too deeply, or is too ambiguous, to be parsed safely.
type ComplexityError struct {
	file   string
	Line   int // from 1
	Column int // from 1, in UTF-16 code units
	Reason string
}

func (e *ComplexityError) Error() string {
	return fmt.Sprintf("TypeScript here: %s (%s:%d:%d)", e.Reason, e.file, e.Line, e.Column)
}

// Limits on code for the parser. The first three apply to everything that is open at one position in the code.
const (
	// maxNesting limits the parser's recursion, roughly. Each level needs stack, and a stack overflow ends the process.
	maxNesting = 256
	// maxAngles limits open angle brackets, and operators that look like them: for each, the parser may read ahead to
	// the end and come back.
	maxAngles = 40
	// maxReadings limits how often the parser may have to try two readings. Each doubles the time.
	maxReadings = 4
	// maxTerms limits the operators in a row in an expression, maxAlternatives the | and &, and maxItems the commas in
	// a statement (outside lists of values). The parser's time grows with the square of each, and for + its memory,
	// too.
	maxTerms        = 256
	maxAlternatives = 4096
	maxItems        = 8192
	// maxName limits the length of a name, and maxEnumText that of a text in an enum, in bytes, because the output can
	// repeat both many times.
	maxName     = 256
	maxEnumText = 256
	// maxEnumNumber limits the length of a number in an enum, in bytes, and maxEnumSums the number of additions in all
	// enums: the parser computes the values of enums, and the sums of strings grow.
	maxEnumNumber = 32
	maxEnumSums   = 64
	// maxScanned limits the bytes that the parser scans to find the positions for its messages. A message about a
	// duplicate has two positions, and the parser scans from one to the other. Any name, number or string can lead to
	// such a message.
	maxScanned = 1 << 29
	// decoratorCost is the number of names that a decorator counts as.
	decoratorCost = 4
	// commentCost is the number of scanned bytes for each byte between the start of a line and a comment in it. To find
	// the comment's indentation, the parser goes back to the start of the line, rune by rune.
	commentCost = 4
)

// complexity tracks how code nests.
type complexity struct {
	lexer
	levels []nesting
	// Sums over all levels except the last one.
	calls, angles, readings int
	// The tokens before the current one, the latest first.
	one, two, three token

	longestSum token // the end of the longest sum
	sumTerms   int
	operands   int // the number of names, numbers and strings
	enumText   int // the length of the longest text in an enum
	enumSums   int
}

// checkComplexity returns a *ComplexityError if the TypeScript parser could need too much stack, time or memory for
// code. It takes linear time. The parser never reads beyond a token at which the lexer stops.
func checkComplexity(code, name string) error {
	c := complexity{lexer: *newLexer(code), levels: make([]nesting, 1, 64)}
	fail := func(t token, reason string) error {
		line, column := endPosition(code[:t.start])
		return &ComplexityError{name, line, column, reason}
	}
	for {
		t := c.next()
		switch t.kind {
		case punctuator:
			if code[t.start] == '@' { // becomes a call of a helper, with generated names
				c.operands += decoratorCost
			}
		case privateName: // messages about it have two positions
			c.operands += 2
		case regex:
			c.operands += 1 + flags(c.text(t))
		default:
			c.operands++
			if c.one.kind == regex && c.one.end == t.start { // the parser takes this token for flags
				c.operands += t.end - t.start
			}
		}
		if (c.operands+c.legal)*len(code)+commentCost*c.columns > maxScanned {
			return fail(t, "all of this code is too long; split it up, or use JavaScript")
		}
		if t.kind == endOfFile || t.kind == broken {
			break
		}
		reason := c.unclear(t)
		if reason == "" {
			reason = c.repeats(t)
		}
		if reason == "" {
			c.count(t)
			reason = c.tooMuch()
		}
		if reason != "" {
			return fail(t, reason)
		}
		c.follow(t)
		c.one, c.two, c.three = t, c.one, c.two
	}
	// Many sums may use the value of an enum, even before the enum. For each of their terms, the sum becomes a text.
	if length := c.enumText + c.enumSums*maxEnumNumber; c.sumTerms*(1+length/16) > maxTerms {
		return fail(c.longestSum, tooLong)
	}
	return nil
}

const tooLong = "this is too long; split it up, or use JavaScript"

// tooMuch returns the message for a limit that the current position exceeds, or "".
func (c *complexity) tooMuch() string {
	at := &c.levels[len(c.levels)-1]
	switch {
	case c.calls+at.calls() > maxNesting:
		return "this nests too deeply; split it up, or use JavaScript"
	case c.angles+at.angles > maxAngles, c.readings+at.readings > maxReadings:
		return "this is too ambiguous; split it up, or use JavaScript"
	case at.terms > maxTerms, at.alternatives > maxAlternatives, at.items > maxItems:
		return tooLong
	}
	return ""
}

// flags returns the number of flags of a regular expression. Each invalid one causes a message, for whose position the
// parser searches.
func flags(regex string) int { return len(regex) - 1 - strings.LastIndexByte(regex, '/') }

// unclear returns a message if the parser may read a token in another way than the lexer, or "".
func (c *complexity) unclear(t token) string {
	text := c.text(t)
	// The parser supports HTML-like comments.
	if t.kind == punctuator && text[0] == '<' && strings.HasPrefix(c.source[t.start:], "<!--") {
		return "<!-- is not supported in code"
	}
	if t.kind == punctuator && (t.newline || c.one.kind == endOfFile) && strings.HasPrefix(c.source[t.start:], "-->") {
		return "--> is not supported at the beginning of a line"
	}
	if !t.uncertain {
		return ""
	}
	const slash = "it is not clear whether this slash divides or begins a regular expression; " +
		"use parentheses or new RegExp"
	if t.kind == punctuator {
		end := c.regexEnd(t.start)
		if end < 0 {
			return slash
		}
		text = c.source[t.start:end]
		c.operands += flags(text)
	}
	// Both readings must contain the same brackets, strings and comments, and nest in the same way.
	if strings.ContainsAny(text, "\"'`()[]{}\\<>?=!#@") {
		return slash
	}
	if rest := c.source[t.start+len(text):]; strings.HasSuffix(text, "/") && rest != "" &&
		(rest[0] == '/' || rest[0] == '*') {
		return slash
	}
	return ""
}

// repeats returns a message if the output could repeat or expand a token excessively, or "".
func (c *complexity) repeats(t token) string {
	size := t.end - t.start
	if (t.kind == word || t.kind == privateName) && size > maxName {
		return fmt.Sprintf("a name is longer than %d bytes", maxName)
	}
	if !c.levels[len(c.levels)-1].enum {
		return ""
	}
	switch {
	case t.kind == templateHead:
		return "${ is not supported in an enum"
	case t.kind == quoted, t.kind == template, t.kind == regex:
		if size > maxEnumText {
			return fmt.Sprintf("a text in an enum is longer than %d bytes", maxEnumText)
		}
		c.enumText = max(c.enumText, size)
	case t.kind == number && size > maxEnumNumber:
		return fmt.Sprintf("a number in an enum is longer than %d bytes", maxEnumNumber)
	case c.is(t, "+"), c.is(t, "+="):
		c.enumSums++
		if c.enumSums > maxEnumSums {
			return fmt.Sprintf("there are more than %d additions in enums", maxEnumSums)
		}
	}
	// Adding a value of the enum to itself would double the length of a text.
	if c.is(c.one, "+") && t.kind != number && (c.two.kind != number || !c.is(c.three, "=")) {
		return "only numbers can be added in an enum"
	}
	return ""
}

// operandEnds reports whether a token is certainly the end of an operand.
func (c *complexity) operandEnds(t token) bool {
	switch t.kind {
	case number, quoted, template, regex, privateName:
		return true
	case word:
		text := c.text(t)
		after, reserved := reservedWords[text]
		return t.member || !reserved && !softWords[text] && !strings.Contains(text, `\`) ||
			reserved && after == divisionSlash
	case punctuator:
		switch c.source[t.start] {
		case ')':
			return !t.bracket.head
		case ']', '}':
			return true
		}
	}
	return false
}

func (c *complexity) count(t token) {
	at := &c.levels[len(c.levels)-1]
	switch t.kind {
	case word:
		if !t.member {
			c.countWord(at, t)
		}
	case template, templateHead:
		if c.source[t.start] == '`' && c.mayEndOperand(c.one) {
			at.suffixes++
		}
	case regex:
		if t.uncertain {
			at.operators += t.end - t.start // the maximum number of operators if it is read as divisions
		}
	case punctuator:
		c.countPunctuator(at, t)
	}
}

func (c *complexity) countWord(at *nesting, t token) {
	text := c.text(t)
	after := c.operandEnds(c.one)
	last := at.last
	if (t.newline && after || c.is(c.one, "}")) && !joiningWords[text] || text == "case" && at.angles == 0 {
		at.endStatement()
	}
	if (text == "else" || text == "while") && c.is(c.one, ";") {
		at.statements += last
	}
	_, reserved := reservedWords[text]
	switch {
	case prefixWords[text]:
		at.prefixes++
	case statementWords[text]:
		at.statements++
	case text == "extends" && (c.is(c.two, "infer") || strings.Contains(c.text(c.two), `\`)):
		// the word before may be infer, written with escapes
		at.operators++
		at.readings++
	case text == "this", text == "super", text == "null", text == "true", text == "false":
	case text == "in", text == "instanceof":
		at.suffixes = 0
		at.terms++
	case reserved, softWords[text], strings.Contains(text, `\`), after && !t.newline:
		at.operators++
	}
}

func (c *complexity) countPunctuator(at *nesting, t token) {
	after := c.operandEnds(c.one)
	switch text := c.text(t); text {
	case ",":
		if !at.list || c.one.kind == word {
			at.items++
		}
		at.endExpression()
	case ";":
		at.endStatement()
	case ".", "?.":
		at.suffixes++
	case "(", "[":
		if c.mayEndOperand(c.one) {
			at.suffixes++
		}
	case "!":
		at.prefixes++
		at.suffixes++
	case "~", "++", "--":
		at.prefixes++
	case "@", "**":
		at.operators++
	case "|", "&":
		at.alternatives++
		if after {
			at.endOperand()
		}
	case "?", ":", "=>":
		at.operators++
		if after {
			at.endOperand()
		}
		c.countChoice(at, text)
	case "{", "}", "]", ")", "...":
	default:
		switch assigns := text[len(text)-1] == '=' && text != "==" && text != "===" && text != "!=" && text != "!=="; {
		case text[0] == '<' || text[0] == '>': // may be angle brackets, so an operand does not certainly end
			if text[0] == '>' {
				at.angles = max(0, at.angles-strings.Count(text, ">"))
			} else {
				at.angles += strings.Count(text, "<")
			}
			if !after {
				at.prefixes++
			}
			if assigns {
				at.operators++
			}
		case assigns:
			at.operators++
			if after {
				at.endOperand()
			}
		case after:
			at.endOperand()
			at.terms++
			if text == "+" && at.terms > c.sumTerms {
				c.sumTerms, c.longestSum = at.terms, t
			}
		default:
			at.prefixes++
		}
	}
}

// countChoice counts the ambiguities of conditional expressions and arrow functions. In a ? (b) : c => d, the parser
// has to read d to the end to find out whether c is the return type of an arrow function.
func (c *complexity) countChoice(at *nesting, text string) {
	switch text {
	case "?":
		at.conditions++
	case ":":
		if c.endsLabel() {
			at.statements++
		}
		if c.is(c.one, ")") && at.conditions > 0 {
			at.returns++
		}
	case "=>":
		at.readings += at.returns
		at.returns = 0
	}
}

// endsLabel reports whether the colon after c.one may end a label.
func (c *complexity) endsLabel() bool {
	if c.one.kind != word || c.one.member {
		return false
	}
	if c.one.newline || c.two.kind == endOfFile {
		return true
	}
	for _, before := range []string{";", "{", "}", ":", ")", "else", "do"} {
		if c.is(c.two, before) {
			return true
		}
	}
	return false
}

// beginsArray reports whether a bracket after c.one begins an array, not an index or a computed name.
func (c *complexity) beginsArray() bool {
	switch {
	case c.mayEndOperand(c.one), c.is(c.one, "{"), c.is(c.one, ";"):
		return false
	case c.is(c.one, ","):
		n := len(c.brackets) - 1 // the last one is the array's own
		return n > 0 && c.brackets[n-1].open != '{'
	}
	return true
}

// follow updates the levels if t opens or closes a bracket.
func (c *complexity) follow(t token) {
	switch at := c.levels[len(c.levels)-1]; {
	case c.depth() >= len(c.levels):
		c.calls += at.calls()
		c.angles += at.angles
		c.readings += at.readings
		c.levels = append(c.levels, nesting{
			list: t.bracket.open == '[' && c.beginsArray(),
			enum: at.enum || t.bracket.open == '{' && c.one.kind == word && c.is(c.two, "enum"),
		})
	case c.depth() < len(c.levels)-1:
		c.levels = c.levels[:len(c.levels)-1]
		at = c.levels[len(c.levels)-1]
		c.calls -= at.calls()
		c.angles -= at.angles
		c.readings -= at.readings
	}
}
