package module

import "slices"

// maxUncalled limits the code that [FindUncalled] reads, in bytes.
const maxUncalled = 64 << 10

// FindUncalled finds a place in code where a method is used as a condition but not called, as in s.isFile ? a : b.
// names are the methods to look for. It returns the name found, and its line and column from 1. ok is false if there is
// none, and for code of more than 64 KiB.
//
// It finds most such places, but not all.
func FindUncalled(code string, names ...string) (name string, line, column int, ok bool) {
	if len(code) > maxUncalled {
		return "", 0, 0, false
	}
	f := newFinder(code)
	f.readAll(func(t token, _ int) bool { return t.kind != broken })
	for i, t := range f.tokens {
		if t.member && slices.Contains(names, f.text(t)) && f.decides(i) {
			line, column = endPosition(code[:t.start])
			return f.text(t), line, column, true
		}
	}
	return "", 0, 0, false
}

// A finder has all tokens of code.
type finder struct {
	lexer
	tokens  []token
	matches []int // the index of the opening bracket for each closing one, else -1
	depths  []int // how many brackets are open before each token
	closes  []int // the index of the closing bracket for each opening one
}

func newFinder(code string) *finder { return &finder{lexer: *newLexer(code)} }

// readAll reads tokens as long as wanted says so, and returns how many brackets are open behind them. wanted gets a
// token and how many brackets are open before it.
func (f *finder) readAll(wanted func(t token, depth int) bool) (left int) {
	var open []int // indices of open brackets
	for depth := f.depth(); ; depth = f.depth() {
		t := f.next()
		if !wanted(t, depth) || t.kind == endOfFile {
			return len(open)
		}
		match := -1
		if f.depth() > depth {
			open = append(open, len(f.tokens))
		} else if last := len(open) - 1; f.depth() < depth && last >= 0 {
			match, open = open[last], open[:last]
			f.closes[match] = len(f.tokens)
			depth--
		}
		f.tokens, f.matches, f.depths, f.closes = append(f.tokens, t), append(f.matches, match),
			append(f.depths, depth), append(f.closes, 0)
	}
}

// at reports whether the token at an index is one of the texts.
func (f *finder) at(i int, texts ...string) bool {
	return i >= 0 && i < len(f.tokens) && slices.Contains(texts, f.text(f.tokens[i]))
}

// decides reports whether the member at an index is used as a condition without being called.
func (f *finder) decides(i int) bool {
	start := f.chain(i)
	before, after := start-1, i+1
	switch {
	case f.at(after, "(", "?.", ".", "=") || f.at(before, "typeof", "delete", "new"):
		return false
	case f.at(after, "&&", "?"): // the code may test whether the method exists
		return !f.called(start, i, after+1)
	case f.at(after, "||", "===", "!==", "==", "!="), f.at(before, "!", "&&", "||"):
		return true
	case f.at(after, ")") && f.tokens[after].bracket.head:
		return true
	}
	return f.at(before, "=>") && f.at(after, ")", ",")
}

// chain returns the start of the operand that a member belongs to, such as a in a.b(c).d.
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

// reservedBefore reports whether a word before a bracket is not an operand.
func reservedBefore(text string) bool {
	_, reserved := reservedWords[text]
	return reserved && text != "this" && text != "super"
}

// called reports whether the tokens from start to end are repeated at place and called there.
func (f *finder) called(start, end, place int) bool {
	for i := start; i <= end; i++ {
		if !f.at(place, f.text(f.tokens[i])) {
			return false
		}
		place++
	}
	return f.at(place, "(")
}
