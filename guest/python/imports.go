package python

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// An Import is a module that one of the import statements names with which code begins.
type Import struct {
	Module string
	// Line and LastLine are those of the statement, from 1, and LastColumn is where it ends, in bytes.
	Line, LastLine, LastColumn int
}

// EncodeImports returns the code of a [Task] with [StepImports].
func EncodeImports(imports []Import) (string, error) {
	list := make([][]any, 0, len(imports))
	for _, i := range imports {
		list = append(list, []any{i.Line, i.LastLine, i.LastColumn, i.Module})
	}
	data, err := json.Marshal(list)
	return string(data), err
}

// LeadingImports returns the modules that code imports before it does anything else, in order. It knows statements in
// the usual form only, each with its own lines and with names in ASCII, and ends before any other one. Modules that
// are in the image are left out.
func LeadingImports(code string) []Import {
	s := scanner{rest: code, line: 1}
	var found []Import
	for {
		statement, ok := s.statement()
		if !ok {
			return found
		}
		for _, i := range statement {
			if !inImage()[i.Module] {
				found = append(found, i)
			}
		}
	}
}

// inImage returns the names of modules that the boot code imports.
var inImage = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, file := range bootOrder {
		source, err := bootFiles.ReadFile("boot/" + file + ".py")
		if err != nil { // the file is embedded
			panic(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(source)); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "import "); ok {
				for at, c := range name {
					if c == '.' {
						names[name[:at]] = true
					}
				}
				names[name] = true
			}
		}
	}
	return names
})

// scanner reads statements from the beginning of code.
type scanner struct {
	rest   string
	line   int
	column int // in bytes
}

// statement reads an import statement and its line end, and returns its modules. It is false if there is none.
func (s *scanner) statement() (modules []Import, ok bool) {
	for s.space(); s.lineEnd(); s.space() {
		if s.rest == "" {
			return nil, false
		}
	}
	if s.column != 0 {
		return nil, false
	}
	line, end := s.line, position{}
	var names []string
	switch word, _ := s.word(); word {
	case "import":
		for more := true; more; more = s.symbol(',') {
			s.space()
			name, ok := s.dotted()
			if !ok {
				return nil, false
			}
			end = s.at()
			names = append(names, name)
			if end, ok = s.renamed(end); !ok {
				return nil, false
			}
		}
	case "from":
		s.space()
		name, ok := s.dotted()
		s.space()
		if word, _ := s.word(); !ok || word != "import" {
			return nil, false
		}
		names = []string{name}
		if end, ok = s.members(); !ok {
			return nil, false
		}
	default:
		return nil, false
	}
	if s.space(); !s.lineEnd() {
		return nil, false
	}
	for _, name := range names {
		modules = append(modules, Import{name, line, end.line, end.column})
	}
	return modules, true
}

type position struct{ line, column int }

func (s *scanner) at() position { return position{s.line, s.column} }

// members reads what is imported from a module, and returns where it ends.
func (s *scanner) members() (end position, ok bool) {
	s.space()
	if s.symbol('*') {
		return s.at(), true
	}
	inside := s.symbol('(')
	for {
		s.spaceIn(inside)
		if _, ok := s.word(); !ok {
			return end, false
		}
		if end, ok = s.renamed(s.at()); !ok {
			return end, false
		}
		s.spaceIn(inside)
		comma := s.symbol(',')
		s.spaceIn(inside)
		if inside && s.symbol(')') {
			return s.at(), true
		}
		if !comma {
			return end, !inside
		}
	}
}

// renamed reads "as" and a name, if they are there, and returns where the whole ends.
func (s *scanner) renamed(end position) (position, bool) {
	before := *s
	s.space()
	if word, _ := s.word(); word != "as" {
		*s = before
		return end, true
	}
	s.space()
	_, ok := s.word()
	return s.at(), ok
}

// dotted reads names that are joined by dots.
func (s *scanner) dotted() (string, bool) {
	var name strings.Builder
	for {
		word, ok := s.word()
		if !ok {
			return "", false
		}
		name.WriteString(word)
		before := *s
		if !s.symbol('.') {
			*s = before
			return name.String(), true
		}
		s.space()
		name.WriteByte('.')
	}
}

// word reads a name.
func (s *scanner) word() (string, bool) {
	n := 0
	for n < len(s.rest) && (s.rest[n] == '_' || s.rest[n]|0x20 >= 'a' && s.rest[n]|0x20 <= 'z' ||
		n > 0 && s.rest[n] >= '0' && s.rest[n] <= '9') {
		n++
	}
	word := s.rest[:n]
	s.skip(n)
	return word, n > 0
}

func (s *scanner) symbol(c byte) bool {
	s.space()
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.skip(1)
	return true
}

func (s *scanner) skip(n int) { s.rest, s.column = s.rest[n:], s.column+n }

// space skips spaces.
func (s *scanner) space() { s.skip(len(s.rest) - len(strings.TrimLeft(s.rest, " \t"))) }

// spaceIn skips spaces, and in parentheses also the ends of lines.
func (s *scanner) spaceIn(parentheses bool) {
	for s.space(); parentheses && s.rest != "" && s.lineEnd(); s.space() {
	}
}

// lineEnd reads a comment, if there is one, and the end of the line or of the code.
func (s *scanner) lineEnd() bool {
	if strings.HasPrefix(s.rest, "#") {
		n := strings.IndexByte(s.rest, '\n')
		if n < 0 {
			n = len(s.rest)
		}
		if strings.HasSuffix(s.rest[:n], "\r") && n < len(s.rest) {
			n--
		}
		if strings.ContainsAny(s.rest[:n], "\r\x00") { // which may end the line, or the code
			return false
		}
		s.skip(n)
	}
	switch {
	case s.rest == "":
		return true
	case strings.HasPrefix(s.rest, "\r\n"):
		s.skip(1)
	case s.rest[0] != '\n':
		return false
	}
	s.rest, s.line, s.column = s.rest[1:], s.line+1, 0
	return true
}
