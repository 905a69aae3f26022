package module

import "strings"

// WithoutAttributes blanks the attributes of imports, such as with {type: 'json'}, in declarations and in calls of
// import. All positions stay. It is for engines that do not support attributes; in this package, the name of a module
// decides its kind.
func WithoutAttributes(code string) string {
	if !strings.Contains(code, "import") && !strings.Contains(code, "export") ||
		!strings.Contains(code, "with") && !strings.Contains(code, "assert") {
		return code
	}
	s := splitter{lexer: *newLexer(code)}
	var one, two token // the tokens before the current one
	var calls []int    // depths of open brackets of import(...) without a comma so far
	for s.advance(); s.token.kind != endOfFile && s.token.kind != broken; s.advance() {
		t := s.token
		for len(calls) > 0 && s.depth() < calls[len(calls)-1] {
			calls = calls[:len(calls)-1]
		}
		switch {
		case s.is(t, "(") && s.is(one, "import"):
			calls = append(calls, s.depth())
		case s.is(t, ",") && len(calls) > 0 && s.depth() == calls[len(calls)-1]:
			calls = calls[:len(calls)-1]
			t = s.blankBraces(t)
		case s.depth() == 0 && one.kind == quoted && (s.is(two, "from") || s.is(two, "import")) &&
			(s.is(t, "with") || s.is(t, "assert") && !t.newline):
			t = s.blankBraces(t)
		}
		one, two = t, one
	}
	s.out.WriteString(code[s.done:])
	return s.out.String()
}

// blankBraces blanks the source from a token to the end of the braces after it, if there are any. It returns the last
// token read.
func (s *splitter) blankBraces(start token) token {
	if s.braces() {
		s.blank(start.start, s.token.end, false)
	}
	return s.token
}

// braces goes to the end of the braces behind the current token, and reports whether they are there and end.
func (s *splitter) braces() bool {
	outside := s.depth()
	if s.advance(); !s.is(s.token, "{") {
		return false
	}
	for s.depth() > outside && s.token.kind != endOfFile && s.token.kind != broken {
		s.advance()
	}
	return s.is(s.token, "}")
}

// exportsString is the name of an export that decides what require returns, and exportsWord stands for it in code for
// engines that only know names that are identifiers. It is as long.
const (
	exportsString = "module.exports"
	exportsWord   = "__module_exports"
)

// withoutStrings replaces the string 'module.exports' as the name of an export by an identifier. All positions stay.
func withoutStrings(code string) string {
	if !strings.Contains(code, "'"+exportsString+"'") && !strings.Contains(code, `"`+exportsString+`"`) {
		return code
	}
	s := splitter{lexer: *newLexer(code)}
	var one token // the token before the current one
	for s.advance(); s.token.kind != endOfFile && s.token.kind != broken; s.advance() {
		t := s.token
		if text := s.text(t); t.kind == quoted && text[1:len(text)-1] == exportsString && s.is(one, "as") {
			s.out.WriteString(code[s.done:t.start] + exportsWord)
			s.done = t.end
		}
		one = t
	}
	s.out.WriteString(code[s.done:])
	return s.out.String()
}
