package module

import "slices"

// maxUncalled is the largest code, in bytes, that [FindUncalled] reads.
const maxUncalled = 64 << 10

// FindUncalled finds a place in code where the value of a method, by its name, decides something without being called,
// as in s.isFile ? a : b. It returns the name, and the line and column from 1. ok is false if there is none, and for
// code of more than 64 KiB.
//
// It finds most such places, but not all.
func FindUncalled(code string, names ...string) (name string, line, column int, ok bool) {
	if len(code) > maxUncalled {
		return "", 0, 0, false
	}
	f := finder{lexer: *newLexer(code)}
	var open []int // indices of open brackets
	for t := f.next(); t.kind != endOfFile && t.kind != broken; t = f.next() {
		match := -1
		switch f.text(t) {
		case "(", "[", "{":
			open = append(open, len(f.tokens))
		case ")", "]", "}":
			if last := len(open) - 1; last >= 0 {
				match, open = open[last], open[:last]
			}
		}
		f.tokens, f.matches = append(f.tokens, t), append(f.matches, match)
	}
	for i, t := range f.tokens {
		if t.member && slices.Contains(names, f.text(t)) && f.decides(i) {
			line, column = endPosition(code[:t.start])
			return f.text(t), line, column, true
		}
	}
	return "", 0, 0, false
}

type finder struct {
	lexer
	tokens  []token
	matches []int // for closing brackets, where the opening one is; else -1
}

// at reports whether the token at an index is one of some texts.
func (f *finder) at(i int, texts ...string) bool {
	return i >= 0 && i < len(f.tokens) && slices.Contains(texts, f.text(f.tokens[i]))
}

// decides reports whether the value of the member at an index decides something without being called.
func (f *finder) decides(i int) bool {
	start := f.chain(i)
	before, after := start-1, i+1
	switch {
	case f.at(after, "(", "?.", ".", "=") || f.at(before, "typeof", "delete", "new"):
		return false
	case f.at(after, "&&", "?"): // of code that asks first whether there is such a method
		return !f.called(start, i, after+1)
	case f.at(after, "||", "===", "!==", "==", "!="), f.at(before, "!", "&&", "||"):
		return true
	case f.at(after, ")") && f.tokens[after].bracket.head:
		return true
	}
	return f.at(before, "=>") && f.at(after, ")", ",")
}

// chain returns where the operand that a member belongs to begins, as a in a.b(c).d.
func (f *finder) chain(i int) int {
	for f.at(i-1, ".", "?.") {
		i -= 2
		for i > 0 && f.matches[i] >= 0 && !f.at(i, "}") { // calls and indices
			i = f.matches[i]
			if !f.at(i-1, ")", "]") && (i == 0 || f.tokens[i-1].kind != word || reservedBefore(f.text(f.tokens[i-1]))) {
				return i
			}
			i--
		}
	}
	return max(i, 0)
}

// reservedBefore reports whether a word before a bracket is not what is called.
func reservedBefore(text string) bool {
	_, reserved := reservedWords[text]
	return reserved && text != "this" && text != "super"
}

// called reports whether the tokens from start to end are repeated at another place, with a call.
func (f *finder) called(start, end, place int) bool {
	for i := start; i <= end; i++ {
		if !f.at(place, f.text(f.tokens[i])) {
			return false
		}
		place++
	}
	return f.at(place, "(")
}
