package module

import "strings"

// An Import is a module that a script imports before it does anything else.
type Import struct {
	Specifier string
	Required  bool // by require, not by import
}

// maxFirst limits the code that [FirstImports] reads, in bytes.
const maxFirst = 64 << 10

// FirstImports returns the modules that a script, in JavaScript or TypeScript, loads before it can have any other
// effect: those of import declarations, and those of declarations and calls like these at its beginning, in their
// order:
//
//	const fs = require('fs'), {sort} = require('./sort').all, n = 1;
//	const yaml = await import('yaml');
//	require('./setup');
//
// It returns nil for code of more than 64 KiB.
func FirstImports(code string) []Import {
	if len(code) > maxFirst || !strings.Contains(code, "require") && !strings.Contains(code, "import") {
		return nil
	}
	f := first{splitter: splitter{lexer: *newLexer(code)}}
	f.advance()
	for leading := true; f.token.kind != endOfFile && f.token.kind != broken; {
		switch start := f.token; {
		case f.depth() == 0 && f.is(start, "import"):
			f.advance()
			if !f.is(f.token, "(") {
				f.declaration()
			} else {
				leading = false // it is not awaited
			}
		case leading:
			leading = f.statement()
		default:
			f.advance()
		}
	}
	return append(f.declared, f.called...)
}

type first struct {
	splitter
	declared, called []Import
}

// declaration reads an import declaration, from the token after import.
func (f *first) declaration() {
	typeOnly := f.is(f.token, "type")
	for n := 0; f.token.kind != endOfFile && f.token.kind != broken; n++ {
		if f.depth() == 0 && n == 1 && (f.is(f.token, "from") || f.is(f.token, ",")) {
			typeOnly = false // the name of the default export
		}
		if f.depth() == 0 && f.token.kind == quoted {
			if name, ok := f.string(f.token); ok && !typeOnly {
				f.declared = append(f.declared, Import{Specifier: name})
			}
			f.advance()
			if f.is(f.token, "with") || f.is(f.token, "assert") && !f.token.newline {
				if f.braces() {
					f.advance()
				}
			}
			return
		}
		f.advance()
	}
}

// statement reads a statement, and reports whether it does nothing but import. If not, it has read a part of it.
func (f *first) statement() bool {
	switch {
	case f.is(f.token, ";"):
		f.advance()
		return true
	case f.token.kind == quoted: // a directive
		f.advance()
		return f.ends()
	case f.is(f.token, "const"), f.is(f.token, "let"), f.is(f.token, "var"):
		for {
			f.advance()
			if !f.pattern() || !f.value() {
				return false
			}
			if f.depth() > 0 || !f.is(f.token, ",") {
				return f.ends()
			}
		}
	}
	return f.value() && f.ends()
}

// ends reports whether the current token begins another statement, and skips a semicolon.
func (f *first) ends() bool {
	return f.skip(";") || f.token.newline || f.token.kind == endOfFile
}

// pattern reads what is declared, up to the token after the equals sign.
func (f *first) pattern() bool {
	for f.token.kind != endOfFile && f.token.kind != broken {
		if f.depth() == 0 && f.skip("=") {
			return true
		}
		if f.is(f.token, "(") || f.is(f.token, ";") || f.token.kind == template || f.token.kind == templateHead {
			return false // a default value can be any code
		}
		f.advance()
	}
	return false
}

// value reads an expression, and reports whether it is a literal, or a call of require or an awaited one of import,
// perhaps with members behind it.
func (f *first) value() bool {
	switch f.token.kind {
	case quoted, number, template:
		f.advance()
		return f.ended()
	}
	parentheses := 0
	for f.skip("(") {
		parentheses++
	}
	awaited := f.skip("await")
	required := !awaited && f.is(f.token, "require")
	if !required && !(awaited && f.is(f.token, "import")) {
		return false
	}
	f.advance()
	if !f.skip("(") {
		return false
	}
	name, ok := f.string(f.token)
	if !ok {
		return false
	}
	f.advance()
	if !f.skip(")") {
		return false
	}
	f.called = append(f.called, Import{Specifier: name, Required: required})
	for {
		switch {
		case parentheses > 0 && f.is(f.token, ")"):
			parentheses--
		case !f.is(f.token, "."):
			return parentheses == 0 && f.ended()
		default:
			f.advance()
			if f.token.kind != word {
				return false
			}
		}
		f.advance()
	}
}

// ended reports whether the current token comes after the end of a value.
func (f *first) ended() bool {
	return f.token.newline || f.is(f.token, ";") || f.is(f.token, ",") || f.token.kind == endOfFile
}

// string returns the text of a string that has no escapes.
func (f *first) string(t token) (string, bool) {
	text := f.text(t)
	if t.kind != quoted || len(text) < 2 || strings.Contains(text, `\`) {
		return "", false
	}
	return text[1 : len(text)-1], true
}
