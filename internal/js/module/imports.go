package module

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// SplitImports removes the import declarations from a script that is the body of an async function, and must
// therefore import by calls. The code is JavaScript; for TypeScript use [StripBody].
//
// imports is one line of equivalent statements, to run before the rest: an import of something that the module does
// not export throws the engine's own SyntaxError. Without import declarations it is "". The names are constants:
// they do not follow later assignments in the module.
//
// rest is the code with each import declaration blanked, so that all positions stay. An export before a declaration
// is blanked too, and so is a list of exports. Other exports are a *SyntaxError, because a script's result is what
// it returns. Apparent import declarations inside brackets are left alone.
func SplitImports(code string) (imports, rest string, err error) {
	body, err := splitImports(code)
	if err != nil {
		return "", "", err
	}
	return body.statement(nil), body.rest, nil
}

// body is a script without its import declarations.
type body struct {
	imports []declaration
	rest    string
	end     token // the token at which reading stopped
}

// declaration is one import declaration.
type declaration struct {
	specifier string
	namespace string // the name that the whole module gets, or ""
	names     []importedName
	bare      bool // names nothing: the module is imported for its effects
}

// importedName is an exported name and its local name.
type importedName struct{ exported, local string }

type splitter struct {
	lexer
	token token // the current one
	out   strings.Builder
	done  int // the length of the source copied to out so far
	body  body
}

func splitImports(code string) (*body, error) {
	code = WithoutAttributes(code)
	s := splitter{lexer: *newLexer(code)}
	s.advance()
	for s.token.kind != endOfFile && s.token.kind != broken {
		start := s.token
		if s.depth() > 0 || !s.is(start, "import") && !s.is(start, "export") {
			s.advance()
			continue
		}
		s.advance()
		var err error
		switch {
		case s.is(start, "export"):
			err = s.export(start)
		case !s.is(s.token, "(") && !s.is(s.token, "."):
			err = s.importDeclaration(start)
		}
		if err != nil {
			return nil, err
		}
	}
	s.out.WriteString(code[s.done:])
	s.body.rest = s.out.String()
	s.body.end = s.token
	return &s.body, nil
}

func (s *splitter) advance() { s.token = s.next() }

// fail returns an error at a token.
func (s *splitter) fail(at token, format string, args ...any) error {
	line, column := endPosition(s.source[:at.start])
	return &SyntaxError{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

// unexpected returns the error for the current token.
func (s *splitter) unexpected() error {
	if text := s.text(s.token); text != "" {
		return s.fail(s.token, "Unexpected %s in an import or export declaration", quote(text))
	}
	return s.fail(s.token, "Unexpected end of an import or export declaration")
}

// blank replaces the source from start to end by white space, preceded by a semicolon that ends the previous statement.
func (s *splitter) blank(start, end int, semicolon bool) {
	s.out.WriteString(s.source[s.done:start])
	s.done = end
	if semicolon {
		s.out.WriteByte(';')
		start++
	}
	for start < end {
		if n := lineBreak(s.source[start:]); n > 0 {
			s.out.WriteString(s.source[start : start+n])
			start += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s.source[start:])
		s.out.WriteByte(' ')
		if r > 0xFFFF {
			s.out.WriteByte(' ')
		}
		start += n
	}
}

// skip goes to the next token if the current one is the given word or punctuator.
func (s *splitter) skip(text string) bool {
	if !s.is(s.token, text) {
		return false
	}
	s.advance()
	return true
}

// end reads the end of a declaration, whose last token so far is last, and blanks the declaration.
func (s *splitter) end(start, last token) error {
	if end := s.token; s.skip(";") {
		last = end
	} else if !s.token.newline && s.token.kind != endOfFile {
		return s.unexpected()
	}
	s.blank(start.start, last.end, true)
	return nil
}

// importDeclaration reads the rest of an import declaration.
func (s *splitter) importDeclaration(start token) error {
	d := declaration{}
	onlyTypes := false
	if s.token.kind == quoted {
		d.bare = true
		return s.from(start, d, false)
	}
	if s.is(s.token, "type") {
		// "type" may also be the imported name.
		word := s.token
		s.advance()
		switch {
		case s.is(s.token, "from"):
			from := s.token
			s.advance()
			if s.token.kind == quoted {
				d.names = append(d.names, importedName{"default", s.text(word)})
				return s.from(start, d, false)
			}
			onlyTypes = true
			d.names = append(d.names, importedName{"default", s.text(from)})
		case s.token.kind == word.kind, s.is(s.token, "{"), s.is(s.token, "*"):
			onlyTypes = true
		default:
			d.names = append(d.names, importedName{"default", s.text(word)})
		}
	}
	if len(d.names) == 0 && s.token.kind == word {
		d.names = append(d.names, importedName{"default", s.text(s.token)})
		s.advance()
		if s.is(s.token, "=") {
			return s.fail(start, "import x = is not supported: write import x from '...'")
		}
	}
	if len(d.names) == 0 || s.skip(",") {
		switch {
		case s.skip("*"):
			if !s.skip("as") || s.token.kind != word {
				return s.unexpected()
			}
			d.namespace = s.text(s.token)
			s.advance()
		case s.skip("{"):
			d.bare = s.is(s.token, "}") && len(d.names) == 0
			if err := s.names(&d); err != nil {
				return err
			}
		default:
			return s.unexpected()
		}
	}
	if !s.skip("from") || s.token.kind != quoted {
		return s.unexpected()
	}
	return s.from(start, d, onlyTypes)
}

// names reads the names in braces, except types.
func (s *splitter) names(d *declaration) error {
	for !s.skip("}") {
		// The tokens of a name, of which there may be fewer: type a as b.
		parts := []token{}
		for (s.token.kind == word || s.token.kind == quoted) && len(parts) < 4 {
			parts = append(parts, s.token)
			s.advance()
		}
		if !s.is(s.token, ",") && !s.is(s.token, "}") || len(parts) == 0 {
			return s.unexpected()
		}
		isType := len(parts) == 4 || len(parts) == 2 || len(parts) == 3 && !s.is(parts[1], "as")
		if isType {
			if !s.is(parts[0], "type") || len(parts) == 4 && !s.is(parts[2], "as") || len(parts) == 3 {
				return s.fail(parts[1], "Unexpected %s in an import declaration", quote(s.text(parts[1])))
			}
		} else {
			local := parts[len(parts)-1]
			exported := s.text(parts[0])
			if parts[0].kind == quoted {
				text, ok := unquote(exported)
				if !ok {
					return s.fail(parts[0], "Invalid string in an import declaration")
				}
				exported = text
			}
			if local.kind != word {
				return s.fail(local, "Unexpected string in an import declaration: a name must follow")
			}
			d.names = append(d.names, importedName{exported, s.text(local)})
		}
		if !s.skip(",") && !s.is(s.token, "}") {
			return s.unexpected()
		}
	}
	return nil
}

// from reads the specifier and ends the declaration.
func (s *splitter) from(start token, d declaration, onlyTypes bool) error {
	last := s.token
	specifier, ok := unquote(s.text(last))
	if !ok {
		return s.fail(last, "Invalid string in an import declaration")
	}
	d.specifier = specifier
	s.advance()
	if !onlyTypes && (d.bare || d.namespace != "" || len(d.names) > 0) {
		s.body.imports = append(s.body.imports, d)
	}
	return s.end(start, last)
}

// export blanks an export declaration, or refuses it.
func (s *splitter) export(start token) error {
	switch {
	case s.is(s.token, "default"):
		return s.fail(start, "A script has no exports: use return for its result instead of export default")
	case s.is(s.token, "*"):
		return s.fail(start, "A script has no exports: import what it needs instead of export ... from")
	case s.is(s.token, "{"):
		for s.token.kind != endOfFile && s.token.kind != broken && !s.is(s.token, "}") {
			s.advance()
		}
		last := s.token
		s.advance()
		if s.is(s.token, "from") {
			return s.fail(start, "A script has no exports: import what it needs instead of export ... from")
		}
		return s.end(start, last)
	case s.token.kind == word:
		s.blank(start.start, start.end, false)
		return nil
	}
	return s.unexpected()
}

// statement returns the imports as one line of statements. For TypeScript, used contains the names that the code uses.
// Other names may be types, so they are omitted, and so are imports without any used names.
func (b *body) statement(used map[string]bool) string {
	var out strings.Builder
	for _, d := range b.imports {
		if used != nil && !d.bare {
			d.names = slices.DeleteFunc(slices.Clone(d.names), func(n importedName) bool { return !used[n.local] })
			if !used[d.namespace] {
				d.namespace = ""
			}
			if d.namespace == "" && len(d.names) == 0 {
				continue
			}
		}
		d.write(&out)
	}
	return strings.TrimSuffix(out.String(), " ")
}

// write writes the statement for a declaration, and a space.
func (d *declaration) write(out *strings.Builder) {
	module := "await import(" + literal(d.specifier) + ")"
	if d.bare {
		out.WriteString(module + "; ")
		return
	}
	var pattern []string
	if len(d.names) > 0 {
		// Each part of the source appears once, so the result is at most a few times as long.
		var checks strings.Builder
		fmt.Fprintf(&checks, "const check = (name) => { if (!(name in module)) "+
			"throw new SyntaxError(%s + name + \"'\"); }; ",
			literal(fmt.Sprintf("The requested module '%s' does not provide an export named '", d.specifier)))
		for _, n := range d.names {
			fmt.Fprintf(&checks, "check(%s); ", literal(n.exported))
			pattern = append(pattern, literal(n.exported)+": "+n.local)
		}
		module = "((module) => { " + checks.String() + "return module; })(" + module + ")"
	}
	switch {
	case d.namespace == "":
		fmt.Fprintf(out, "const {%s} = %s; ", strings.Join(pattern, ", "), module)
	case len(d.names) == 0:
		fmt.Fprintf(out, "const %s = %s; ", d.namespace, module)
	default:
		fmt.Fprintf(out, "const %s = %s, {%s} = %s; ", d.namespace, module, strings.Join(pattern, ", "), d.namespace)
	}
}

// usedIn returns the words in JavaScript code that may be variables.
func usedIn(code string) map[string]bool {
	used := map[string]bool{}
	l := newLexer(code)
	for t := l.next(); t.kind != endOfFile && t.kind != broken; t = l.next() {
		if t.kind == word && !t.member {
			used[l.text(t)] = true
		}
	}
	return used
}

// literal returns a string as JavaScript source on one line.
func literal(s string) string {
	text, err := json.Marshal(s) // also escapes line separators and everything that could end a script
	if err != nil {              // strings can always be marshalled
		panic(err)
	}
	return string(text)
}
