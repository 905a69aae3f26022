package module

import (
	"slices"
	"strings"
)

// An Ending is the last statement of the body of a function, which is an expression: nobody gets its value.
type Ending struct {
	Start, End int // where the expression is, in bytes
	// Function means that the code is nothing but a function, which nobody calls.
	Function bool
	// Check means that the code before Start may go on there: it does if a dot could follow it.
	Check bool
}

// FindEnding returns the last statement of code if it is an expression that does more than to assign. ok is false for
// any other statement, for modules, for code that returns at its top level, and where the tokens alone do not tell. The
// code before the expression must still be a body by itself: a loop may end there.
//
// uncalled is the name of a function that is declared and occurs nowhere else, or "".
func FindEnding(code string) (e Ending, uncalled string, ok bool) {
	f := ending{newFinder(code)}
	clear := true
	left := f.readAll(func(t token, depth int) bool {
		clear = t.kind != broken && !t.uncertain &&
			!(depth == 0 && t.kind == word && (f.is(t, "return") || f.is(t, "export")))
		return clear
	})
	if !clear || left > 0 {
		return Ending{}, "", false
	}
	start, end := -1, len(f.tokens)
	for end > 0 && f.at(end-1, ";") {
		end--
	}
	for i := range f.tokens {
		if f.depths[i] > 0 || f.matches[i] >= 0 {
			continue
		}
		if f.word(i, "import") && !f.at(i+1, "(", ".") {
			return Ending{}, "", false
		}
		if i < end && f.begins(i) {
			start = i
		}
	}
	uncalled = f.uncalled()
	if start < 0 || !f.isExpression(start, end) {
		return Ending{}, uncalled, false
	}
	e = Ending{Start: f.tokens[start].start, End: f.tokens[end-1].end}
	e.Function = start == 0 && f.isFunction(start, end)
	e.Check = f.at(start, "(") && f.at(start-1, "}")
	return e, uncalled, true
}

// ending finds an [Ending].
type ending struct{ *finder }

func (f *ending) word(i int, text string) bool {
	return i >= 0 && i < len(f.tokens) && f.tokens[i].kind == word && f.is(f.tokens[i], text)
}

// begins reports whether a statement begins at a token outside of brackets, as far as that can be told.
func (f *ending) begins(i int) bool {
	t := f.tokens[i]
	switch {
	case i == 0 || f.at(i-1, ";"):
		return !f.at(i, ";")
	case t.kind == word || t.kind == number || t.kind == quoted:
		return t.newline || f.at(i-1, "}")
	}
	return f.at(i, "(") && f.at(i-1, "}")
}

var declaringWords = wordSet("break case catch class const continue debugger " +
	"default do else enum export extends finally for if in instanceof let return switch throw try using var while with")

// isExpression reports whether the tokens of a statement look like those of an expression whose value may be wanted.
func (f *ending) isExpression(start, end int) bool {
	first := f.tokens[start]
	switch {
	case start >= end, f.at(start, "{", "}", ")", "]"), f.at(start+1, ":"):
		return false
	case first.kind == word && (declaringWords[f.text(first)] || f.at(start, "delete", "void")):
		return false
	case first.kind == quoted && strings.Trim(f.text(first), `'"`) == "use strict":
		return false
	}
	function := start
	if f.word(start, "async") && f.word(start+1, "function") && !f.tokens[start+1].newline {
		function++
	}
	if f.word(function, "function") && (start > 0 || !f.at(function+1, "(")) { // a declaration
		return false
	}
	for i := start; i < end; i++ {
		if f.depths[i] == 0 && f.tokens[i].kind == punctuator && f.assigns(i) {
			return false
		}
	}
	return true
}

// assigns reports whether a punctuator is that of an assignment.
func (f *ending) assigns(i int) bool {
	text := f.text(f.tokens[i])
	return text == "++" || text == "--" ||
		strings.HasSuffix(text, "=") && !slices.Contains([]string{"==", "===", "!=", "!==", "<=", ">="}, text)
}

// isFunction reports whether the tokens of an expression are those of a function, perhaps in parentheses.
func (f *ending) isFunction(start, end int) bool {
	for f.at(start, "(") && f.matches[end-1] == start {
		start, end = start+1, end-1
	}
	if f.word(start, "async") && !f.at(start+1, "=>") {
		start++
	}
	if f.word(start, "function") {
		for start < end && !f.at(start, "(") {
			start++
		}
		return f.at(f.closes[start]+1, "{") && f.matches[end-1] == f.closes[start]+1
	}
	arrow := start + 1
	if f.at(start, "(") {
		arrow = f.closes[start] + 1
	}
	if arrow >= end-1 || !f.at(arrow, "=>") {
		return false
	}
	if f.at(arrow+1, "{") {
		return f.matches[end-1] == arrow+1
	}
	for i := arrow + 1; i < end; i++ {
		if j := f.closes[i]; j > i {
			i = j
		} else if f.at(i, ",") {
			return false
		}
	}
	return true
}

// uncalled returns the name of a function that is declared outside of brackets, and occurs nowhere else, or "".
func (f *ending) uncalled() string {
	count := map[string]int{}
	for _, t := range f.tokens {
		if t.kind == word {
			count[f.text(t)]++
		}
	}
	for i := range f.tokens {
		name := f.declared(i)
		if f.depths[i] == 0 && name > 0 && name < len(f.tokens) && f.tokens[name].kind == word &&
			count[f.text(f.tokens[name])] == 1 {
			return f.text(f.tokens[name])
		}
	}
	return ""
}

// declared returns the index of the name of the function whose declaration begins at a token, or 0.
func (f *ending) declared(i int) int {
	async := func(i int) int {
		if f.word(i, "async") {
			return i + 1
		}
		return i
	}
	switch function := async(i); {
	case f.matches[i] >= 0 || i > 0 && !f.begins(i):
	case f.word(function, "function") && f.at(function+1, "*"):
		return function + 2
	case f.word(function, "function"):
		return function + 1
	case f.word(i, "const") && f.at(i+2, "="):
		if value := async(i + 3); f.at(value+1, "=>") || f.at(value, "(") && f.at(f.closes[value]+1, "=>") {
			return i + 1
		}
	}
	return 0
}
