package makefiles

import (
	"strings"
)

// A reader reads a makefile.
type reader struct {
	*maker
	lines   []line
	current []*rule // to which recipes belong
	// skipping has the conditionals that are open.
	skipping []conditional
}

// A conditional is one whose end has not come: whether its lines are left out, and whether a branch was taken.
type conditional struct{ skip, taken bool }

// read reads the text of a makefile.
func (m *maker) read(file, text string) {
	r := &reader{maker: m}
	for i, s := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		r.lines = append(r.lines, line{strings.TrimSuffix(s, "\r"), file, i + 1})
	}
	for len(r.lines) > 0 {
		l := r.next()
		if strings.HasPrefix(l.text, "\t") && r.current != nil {
			if !r.skips() {
				l.text = l.text[1:]
				for _, rule := range r.current {
					rule.recipe, rule.recipes = append(rule.recipe, l), true
				}
			}
			continue
		}
		m.here = l
		l.text = strings.TrimSpace(joined(withoutComment(l.text)))
		if l.text != "" {
			r.directive(l)
		}
	}
	if len(r.skipping) > 0 {
		m.at(line{file: file, number: strings.Count(text, "\n") + 1}, "missing 'endif'")
	}
}

// next returns the next line, with those that follow a backslash.
func (r *reader) next() line {
	l := r.lines[0]
	r.lines = r.lines[1:]
	recipe := strings.HasPrefix(l.text, "\t")
	for len(r.lines) > 0 && continues(l.text) {
		more := r.lines[0].text
		if recipe {
			more = strings.TrimPrefix(more, "\t")
		}
		l.text += "\n" + more
		r.lines = r.lines[1:]
	}
	return l
}

// continues says whether a line ends with an odd number of backslashes.
func continues(s string) bool {
	return (len(s)-len(strings.TrimRight(s, "\\")))%2 == 1
}

// joined makes one line of several, with a blank for each backslash and newline.
func joined(s string) string {
	for {
		before, after, ok := strings.Cut(s, "\\\n")
		if !ok {
			return s
		}
		s = strings.TrimRight(before, " \t") + " " + strings.TrimLeft(after, " \t")
	}
}

func withoutComment(s string) string {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '#':
			s = s[:i] + s[i+1:]
		case s[i] == '#':
			return s[:i]
		}
	}
	return s
}

func (r *reader) skips() bool {
	for _, c := range r.skipping {
		if c.skip {
			return true
		}
	}
	return false
}

// directive does what a line says that is not in a recipe.
func (r *reader) directive(l line) {
	word, rest, _ := strings.Cut(l.text, " ")
	if before, after, ok := strings.Cut(word, "\t"); ok {
		word, rest = before, after+" "+rest
	}
	if before, after, ok := strings.Cut(word, "("); ok && (before == "ifeq" || before == "ifneq") {
		word, rest = before, "("+after+" "+rest
	}
	rest = strings.TrimSpace(rest)
	switch word {
	case "ifeq", "ifneq", "ifdef", "ifndef":
		skip := r.skips()
		holds := !skip && r.condition(word, rest, l)
		r.skipping = append(r.skipping, conditional{!holds, holds || skip})
		return
	case "else":
		if len(r.skipping) == 0 {
			r.at(l, "extraneous 'else'")
		}
		c := &r.skipping[len(r.skipping)-1]
		taken := c.taken
		c.skip = true
		if kind, operands, _ := strings.Cut(rest, " "); rest == "" {
			c.skip, c.taken = taken, true
		} else if !taken && r.condition(kind, operands, l) {
			c.skip, c.taken = false, true
		}
		return
	case "endif":
		if len(r.skipping) == 0 {
			r.at(l, "extraneous 'endif'")
		}
		r.skipping = r.skipping[:len(r.skipping)-1]
		return
	}
	if r.skips() {
		return
	}
	switch word {
	case "include", "-include", "sinclude":
		r.current = nil
		for _, name := range strings.Fields(r.expand(rest)) {
			for _, file := range r.wildcard(name) {
				r.include(file, word == "include")
			}
		}
		return
	case "define":
		r.define(rest, l)
		return
	case "export", "unexport", "override":
		r.current = nil
		name, op, value, ok := assigned(rest)
		if ok {
			r.assign(name, op, value, fromFile)
		}
		for _, name := range strings.Fields(r.expand(map[bool]string{true: name, false: rest}[ok])) {
			if word != "override" {
				r.variable(name).exported = word == "export"
			}
		}
		return
	}
	if name, op, value, ok := assigned(l.text); ok {
		r.current = nil
		if name = r.expand(name); name == "" {
			r.at(l, "empty variable name")
		}
		r.assign(name, op, value, fromFile)
		return
	}
	r.rule(l)
}

// condition says whether a conditional holds.
func (r *reader) condition(word, rest string, l line) bool {
	rest = strings.TrimSpace(rest)
	switch word {
	case "ifdef", "ifndef":
		v := r.vars[r.expand(rest)]
		return (v != nil && v.value != "") == (word == "ifdef")
	case "ifeq", "ifneq":
	default:
		r.at(l, "extraneous text after 'else' directive")
	}
	var a, b string
	if inner, ok := strings.CutPrefix(rest, "("); ok && strings.HasSuffix(inner, ")") {
		parts := arguments(strings.TrimSuffix(inner, ")"), 2)
		if len(parts) != 2 {
			r.at(l, "invalid syntax in conditional")
		}
		a, b = strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
	} else {
		var ok [2]bool
		a, rest, ok[0] = quoted(rest)
		b, _, ok[1] = quoted(strings.TrimSpace(rest))
		if !ok[0] || !ok[1] {
			r.at(l, "invalid syntax in conditional")
		}
	}
	return (r.expand(a) == r.expand(b)) == (word == "ifeq")
}

// quoted reads a text in quotes.
func quoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", s, false
	}
	return strings.Cut(s[1:], s[:1])
}

// define reads a variable with several lines.
func (r *reader) define(head string, l line) {
	name, op, _, ok := assigned(head)
	if !ok {
		name, op = strings.TrimSpace(head), "="
	}
	var body []string
	for depth := 1; ; {
		if len(r.lines) == 0 {
			r.at(l, "missing 'endef', unterminated 'define'")
		}
		next := r.next()
		switch first, _, _ := strings.Cut(strings.TrimSpace(next.text), " "); first {
		case "define":
			depth++
		case "endef":
			depth--
		}
		if depth == 0 {
			break
		}
		body = append(body, next.text)
	}
	r.current = nil
	r.assign(r.expand(name), op, strings.Join(body, "\n"), fromFile)
}

// rule reads a rule, or variables of targets.
func (r *reader) rule(l line) {
	head, recipe, hasRecipe := cutOutside(l.text, ";")
	before, after, ok := cutOutside(head, ":")
	if !ok {
		if head = r.expand(l.text); strings.TrimSpace(head) == "" { // such as $(eval ...) or $(info ...)
			return
		}
		if before, after, ok = cutOutside(head, ":"); !ok {
			r.at(l, "missing separator")
		}
		hasRecipe = false
	}
	after = strings.TrimPrefix(after, ":")
	targets := strings.Fields(r.expand(before))
	if name, op, value, ok := assigned(after); ok {
		for _, target := range targets {
			of := r.ruleOf(target)
			of.vars = append(of.vars, assignment{strings.TrimSpace(name), op, value})
		}
		r.current = nil
		return
	}
	static := ""
	if pattern, needs, ok := cutOutside(after, ":"); ok {
		static, after = strings.TrimSpace(r.expand(pattern)), needs
	}
	needs, order, _ := strings.Cut(r.expand(after), "|")
	var lists [2][]string
	for i, list := range []string{needs, order} {
		for _, name := range strings.Fields(list) {
			lists[i] = append(lists[i], r.wildcard(name)...)
		}
	}
	r.current = []*rule{}
	if special(r.maker, targets, lists[0]) {
		return
	}
	switch {
	case static == "" && len(targets) > 0 && strings.Contains(targets[0], "%"):
		p := &rule{targets: targets, needs: lists[0], order: lists[1], pattern: true}
		r.patterns = append(r.patterns, p)
		r.current = append(r.current, p)
	default:
		for _, target := range targets {
			of := r.ruleOf(target)
			if r.goal == "" && !strings.HasPrefix(target, ".") {
				r.goal = target
			}
			more, moreOrder := lists[0], lists[1]
			if static != "" {
				stem, ok := stemOf(static, target)
				if !ok {
					r.at(l, "target '%s' doesn't match the target pattern", target)
				}
				of.stem = stem
				more, moreOrder = fill(more, stem), fill(moreOrder, stem)
			}
			of.needs, of.order = append(of.needs, more...), append(of.order, moreOrder...)
			r.current = append(r.current, of)
		}
	}
	// A recipe that follows takes the place of another one.
	follows := len(r.lines) > 0 && strings.HasPrefix(r.lines[0].text, "\t")
	for _, of := range r.current {
		if follows || hasRecipe {
			of.recipe = nil
		}
		if hasRecipe {
			of.recipes = true
			if recipe = strings.TrimSpace(recipe); recipe != "" {
				of.recipe = []line{{recipe, l.file, l.number}}
			}
		}
	}
}

func (r *reader) ruleOf(target string) *rule {
	of := r.rules[target]
	if of == nil {
		of = &rule{targets: []string{target}}
		r.rules[target] = of
	}
	return of
}

// special does what targets with a meaning of their own say.
func special(m *maker, targets, needs []string) bool {
	if len(targets) != 1 {
		return false
	}
	switch targets[0] {
	case ".PHONY":
		for _, need := range needs {
			m.phony[need] = true
		}
	case ".SILENT":
		m.silent = m.silent || len(needs) == 0
	case ".IGNORE":
		m.ignore = m.ignore || len(needs) == 0
	case ".ONESHELL":
		m.oneShell = true
	case ".SUFFIXES", ".DEFAULT", ".PRECIOUS", ".INTERMEDIATE", ".SECONDARY", ".DELETE_ON_ERROR", ".NOTPARALLEL",
		".EXPORT_ALL_VARIABLES", ".POSIX":
	default:
		return false
	}
	return true
}

// cutOutside cuts a text at a mark that is not within $(...).
func cutOutside(s, mark string) (before, after string, found bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case mark[0]:
			if depth <= 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

// assigned reads an assignment: a name, one of = := ::= ?= += !=, and a value.
func assigned(s string) (name, op, value string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case '=':
			if depth > 0 {
				continue
			}
			begin := i
			for begin > 0 && (strings.IndexByte("?+!", s[begin-1]) >= 0 && begin == i || s[begin-1] == ':') {
				begin--
			}
			name = strings.TrimSpace(s[:begin])
			if strings.ContainsAny(name, " \t:") && !strings.Contains(name, "$") || name == "" {
				return "", "", "", false
			}
			return name, s[begin : i+1], strings.TrimLeft(s[i+1:], " \t"), true
		case ':':
			if depth <= 0 && !strings.HasPrefix(strings.TrimLeft(s[i:], ":"), "=") {
				return "", "", "", false
			}
		}
	}
	return "", "", "", false
}
