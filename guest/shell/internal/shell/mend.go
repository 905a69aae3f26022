package shell

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bash knows only when it runs a script what some of its texts are, and the parser wants to know it before: whether
// "((" begins an expression or two subshells, what an expression is whose operators come from variables, and whether
// what is declared or expanded has a name. Such a text is written in another way then, which means the same and which
// the parser takes.

// mended returns a script with the text at the first error in its syntax written in another way, if the parser then
// gets further.
func mended(script string, err error) (string, bool) {
	at := errorAt(err)
	if at > len(script) {
		return "", false
	}
	further := func(text string) bool {
		_, err := newParser().Parse(strings.NewReader(text+"\n"), "")
		return err == nil || errorAt(err) > at+len(text)-len(script)
	}
	if words := declarations.FindAllStringIndex(script[:min(at+len("let"), len(script))], -1); len(words) > 0 {
		last := words[len(words)-1][0]
		if text := script[:last] + `\` + script[last:]; further(text) {
			return text, true
		}
	}
	if !strings.Contains(err.Error(), "without") { // a quote or brace that closes it
		if text, ok := badSubstitution(script, at); ok && further(text) {
			return text, true
		}
	}
	end := min(at+len("$(("), len(script))
	for range 8 {
		end = strings.LastIndex(script[:end], "((")
		if end < 0 {
			break
		}
		if text, ok := otherwise(script, end); ok && further(text) {
			return text, true
		}
		end++
	}
	return "", false
}

// declarations matches the commands whose arguments have a syntax of their own, where these are written.
var declarations = regexp.MustCompile(`\b(declare|export|let|local|readonly|typeset)\b`)

// errorAt is where an error of syntax is.
func errorAt(err error) int {
	if parse, ok := errors.AsType[syntax.ParseError](err); ok {
		return int(parse.Pos.Offset())
	}
	if lang, ok := errors.AsType[syntax.LangError](err); ok {
		return int(lang.Pos.Offset())
	}
	return 0
}

// otherwise writes what begins with "((" in another way: as an expression that is a text, if it ends with "))", or else
// as subshells.
func otherwise(script string, begin int) (string, bool) {
	inner := closing(script, begin+1)
	if inner < 0 || strings.HasSuffix(script[:begin], "for ") {
		return "", false
	}
	if inner+1 < len(script) && script[inner+1] == ')' {
		text := script[begin+2 : inner]
		if strings.Contains(text, `"`) {
			return "", false
		}
		return script[:begin+2] + `"` + text + `"` + script[inner:], true
	}
	return script[:begin+1] + " " + script[begin+1:], true
}

// badName is the name of a variable that stands for an expansion which bash refuses when it comes to it. Its text is
// what is expanded if there is no such variable.
const badName = "_BAD_SUBSTITUTION"

// badSubstitution writes the expansion of a parameter around a place so that it fails when the script comes to it.
func badSubstitution(script string, at int) (string, bool) {
	begin := strings.LastIndex(script[:min(at+len("${"), len(script))], "${")
	if begin < 0 {
		return "", false
	}
	length := strings.IndexAny(script[begin:], "}\n")
	if length < 0 || script[begin+length] != '}' {
		return "", false
	}
	end := begin + length + 1
	quoted := strings.NewReplacer("'", "", `"`, "", "$", `\$`, "`", "", "}", `\}`).Replace(script[begin:end])
	return script[:begin] + "${" + badName + "-" + quoted + "}" + script[end:], true
}

// closing returns where the parenthesis is that closes the one at a place, or -1.
func closing(script string, begin int) int {
	depth := 0
	for i := begin; i < len(script); i++ {
		switch script[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case '\\':
			i++
		case '\'', '"':
			quoted := closingQuote(script, i)
			if quoted < 0 {
				return -1
			}
			i = quoted
		case '#':
			if strings.ContainsRune(" \t\n", rune(script[i-1])) {
				line := strings.IndexByte(script[i:], '\n')
				if line < 0 {
					return -1
				}
				i += line
			}
		}
	}
	return -1
}

// closingQuote returns where the quote at a place ends, or -1.
func closingQuote(script string, begin int) int {
	for i := begin + 1; i < len(script); i++ {
		switch {
		case script[i] == script[begin]:
			return i
		case script[i] == '\\' && script[begin] == '"':
			i++
		}
	}
	return -1
}

func newParser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

// scriptReader reads a script, and ends it with a line's end, before which a backslash is no continuation. It ends when
// it is over.
type scriptReader struct {
	r             io.Reader
	escaped, over bool
	ended         bool
}

func (s *scriptReader) Read(data []byte) (int, error) {
	if s.over || s.ended {
		return 0, io.EOF
	}
	n, err := s.r.Read(data)
	for _, c := range data[:n] {
		s.escaped = c == '\\' && !s.escaped
	}
	if n > 0 || err != io.EOF {
		return n, err
	}
	s.ended = true
	if s.escaped {
		return copy(data, "\\\n"), nil
	}
	return copy(data, "\n"), nil
}
