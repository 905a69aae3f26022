package makefiles

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// Where variables come from: later ones win.
type origin int

const (
	fromDefault origin = iota
	fromEnvironment
	fromFile
	fromCommand
)

// A variable has a value that is expanded when it is used, unless it is simple.
type variable struct {
	value    string
	simple   bool
	exported bool
	busy     bool // it is being expanded
	at       line // where it was set
	from     origin
}

func (m *maker) variable(name string) *variable {
	v := m.vars[name]
	if v == nil {
		v = &variable{}
		m.vars[name] = v
	}
	return v
}

func (m *maker) valueOf(v *variable) string {
	if v.simple {
		return v.value
	}
	defer func(busy bool) { v.busy = busy }(v.busy)
	v.busy = true
	return m.expand(v.value)
}

// assign sets a variable, unless the command line has set it.
func (m *maker) assign(name, op, value string, from origin) {
	name = m.expand(name)
	if v := m.vars[name]; v != nil && (v.from > from || op == "?=") {
		return
	}
	v := m.variable(name)
	v.from, v.at = from, m.here
	switch op {
	case ":=", "::=", ":::=":
		v.value, v.simple = m.expand(value), true
	case "!=":
		v.value, v.simple = m.shell(m.expand(value)), true
	case "+=":
		if v.simple {
			value = m.expand(value)
		}
		if v.value != "" {
			value = v.value + " " + value
		}
		v.value = value
	default:
		v.value, v.simple = value, false
	}
}

// maxValue bounds values, so that one which doubles itself ends with an error.
const maxValue = 8 << 20

// expand replaces what begins with "$".
func (m *maker) expand(s string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	if m.depth++; m.depth > maxDepth {
		m.fatal("variables are nested more than %d deep.  Stop.", maxDepth)
	}
	defer func() { m.depth-- }()
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "$")
		b.WriteString(before)
		if b.Len() > maxValue {
			m.fatal("a value has more than %d MiB.  Stop.", maxValue>>20)
		}
		if !ok {
			return b.String()
		}
		switch {
		case after == "":
			return b.String()
		case after[0] == '$':
			b.WriteByte('$')
			s = after[1:]
		case after[0] == '(' || after[0] == '{':
			end := closing(after)
			if end < 0 {
				m.fatal("unterminated variable reference.  Stop.")
			}
			b.WriteString(m.reference(after[1:end]))
			s = after[end+1:]
		default:
			b.WriteString(m.named(after[:1]))
			s = after[1:]
		}
	}
}

// closing returns where the parenthesis at the beginning is closed, or -1.
func closing(s string) int {
	open, shut := s[0], byte(')')
	if open == '{' {
		shut = '}'
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (m *maker) named(name string) string {
	v := m.vars[name]
	if v == nil {
		return ""
	}
	if v.busy {
		m.at(v.at, "Recursive variable '%s' references itself (eventually)", name)
	}
	return m.valueOf(v)
}

// reference expands what is in the parentheses.
func (m *maker) reference(s string) string {
	if i := strings.IndexAny(s, " \t"); i > 0 {
		if f, ok := functions[s[:i]]; ok {
			args := arguments(strings.TrimLeft(s[i:], " \t"), f.most)
			if len(args) < f.least {
				m.fatal("insufficient number of arguments (%d) to function '%s'.  Stop.", len(args), s[:i])
			}
			if !f.raw {
				for i := range args {
					args[i] = m.expand(args[i])
				}
			}
			return f.do(m, args)
		}
	}
	if name, change, ok := cutOutside(s, ":"); ok {
		if from, to, ok := cutOutside(change, "="); ok {
			from, to = m.expand(from), m.expand(to)
			if !strings.Contains(from, "%") {
				from, to = "%"+from, "%"+to
			}
			return substituted(from, to, m.named(m.expand(name)))
		}
	}
	return m.named(m.expand(s))
}

// arguments splits arguments at commas that are not in parentheses, into at most so many, if that is not 0.
func arguments(s string, most int) []string {
	var args []string
	depth, begin := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ',':
			if depth == 0 && (most == 0 || len(args) < most-1) {
				args = append(args, s[begin:i])
				begin = i + 1
			}
		}
	}
	return append(args, s[begin:])
}

// mapped changes each word.
func mapped(text string, change func(string) string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = change(w)
	}
	return strings.Join(words, " ")
}

func substituted(from, to, text string) string {
	return mapped(text, func(w string) string {
		before, after, isPattern := strings.Cut(from, "%")
		if !isPattern {
			if w == from {
				return to
			}
			return w
		}
		if len(w) < len(before)+len(after) || !strings.HasPrefix(w, before) || !strings.HasSuffix(w, after) {
			return w
		}
		return strings.Replace(to, "%", w[len(before):len(w)-len(after)], 1)
	})
}

// filtered returns the words that match one of some patterns, or those that match none.
func filtered(list, text string, match bool) string {
	var out []string
	for _, w := range strings.Fields(text) {
		found := slices.ContainsFunc(strings.Fields(list), func(p string) bool {
			return w == p || strings.Contains(p, "%") && substituted(p, "", w) != w
		})
		if found == match {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// splitNames returns the directories and the names of files, without the slashes between them.
func splitNames(text string) (dirs, files string) {
	return mapped(text, path.Dir), mapped(text, path.Base)
}

// wildcard returns the files that match a pattern, or the pattern if it is none.
func (m *maker) wildcard(pattern string) []string {
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}
	}
	found := []string{""}
	for i, part := range strings.Split(pattern, "/") {
		var next []string
		for _, dir := range found {
			prefix := dir
			if i > 0 {
				prefix += "/"
			}
			if !strings.ContainsAny(part, "*?[") {
				if _, err := m.c.Stat(prefix + part); err == nil || part == "" {
					next = append(next, prefix+part)
				}
				continue
			}
			list := prefix
			if list == "" {
				list = "."
			}
			entries, _ := m.c.ReadDir(list)
			for _, e := range entries {
				if (e.Name()[0] != '.' || part[0] == '.') && patterns.Match(part, e.Name()) {
					next = append(next, prefix+e.Name())
				}
			}
		}
		found = next
	}
	return found
}

// shell returns what a command prints, with blanks for newlines.
func (m *maker) shell(text string) string {
	if m.env == nil {
		m.env = m.c.Env.List()
	}
	var out bytes.Buffer
	status := m.c.Run(command.Call{Args: []string{"sh", "-c", text}, Env: m.env, Dir: m.c.Dir, Stdout: &out})
	m.vars[".SHELLSTATUS"] = &variable{value: strconv.Itoa(status), simple: true}
	return strings.ReplaceAll(strings.TrimRight(out.String(), "\n"), "\n", " ")
}

// A function is one that can be called as $(name arguments).
type function struct {
	least, most int // arguments; 0 means any number
	raw         bool
	do          func(m *maker, args []string) string
}

var functions map[string]function

func init() {
	// They call each other.
	words := func(change func(string) string) function {
		return function{1, 1, false, func(_ *maker, a []string) string { return mapped(a[0], change) }}
	}
	number := func(m *maker, s string) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			m.fatal("non-numeric first argument to 'word' function: '%s'.  Stop.", s)
		}
		return n
	}
	functions = map[string]function{
		"subst": {3, 3, false, func(_ *maker, a []string) string { return strings.ReplaceAll(a[2], a[0], a[1]) }},
		"patsubst": {3, 3, false, func(_ *maker, a []string) string {
			return substituted(strings.TrimSpace(a[0]), strings.TrimSpace(a[1]), a[2])
		}},
		"strip": words(func(w string) string { return w }),
		"findstring": {2, 2, false, func(_ *maker, a []string) string {
			if strings.Contains(a[1], a[0]) {
				return a[0]
			}
			return ""
		}},
		"filter":     {2, 2, false, func(_ *maker, a []string) string { return filtered(a[0], a[1], true) }},
		"filter-out": {2, 2, false, func(_ *maker, a []string) string { return filtered(a[0], a[1], false) }},
		"sort": {1, 1, false, func(_ *maker, a []string) string {
			list := strings.Fields(a[0])
			slices.Sort(list)
			return strings.Join(slices.Compact(list), " ")
		}},
		"word": {2, 2, false, func(m *maker, a []string) string {
			if list, n := strings.Fields(a[1]), number(m, a[0]); n >= 1 && n <= len(list) {
				return list[n-1]
			}
			return ""
		}},
		"words": {1, 1, false, func(_ *maker, a []string) string { return strconv.Itoa(len(strings.Fields(a[0]))) }},
		"wordlist": {3, 3, false, func(m *maker, a []string) string {
			list := strings.Fields(a[2])
			from, to := max(1, number(m, a[0])), min(len(list), number(m, a[1]))
			if from > to {
				return ""
			}
			return strings.Join(list[from-1:to], " ")
		}},
		"firstword": {1, 1, false, func(_ *maker, a []string) string {
			return strings.Join(strings.Fields(a[0])[:min(1, len(strings.Fields(a[0])))], "")
		}},
		"lastword": {1, 1, false, func(_ *maker, a []string) string {
			list := strings.Fields(a[0])
			return strings.Join(list[max(0, len(list)-1):], "")
		}},
		"dir": words(func(w string) string {
			if dir, _ := path.Split(w); dir != "" {
				return dir
			}
			return "./"
		}),
		"notdir": words(func(w string) string { _, file := path.Split(w); return file }),
		"suffix": {1, 1, false, func(_ *maker, a []string) string {
			return mapped(mapped(a[0], path.Ext), strings.TrimSpace)
		}},
		"basename": words(func(w string) string { return strings.TrimSuffix(w, path.Ext(w)) }),
		"addsuffix": {2, 2, false, func(_ *maker, a []string) string {
			return mapped(a[1], func(w string) string { return w + a[0] })
		}},
		"addprefix": {2, 2, false, func(_ *maker, a []string) string {
			return mapped(a[1], func(w string) string { return a[0] + w })
		}},
		"join": {2, 2, false, func(_ *maker, a []string) string {
			x, y := strings.Fields(a[0]), strings.Fields(a[1])
			for i, w := range y {
				if i < len(x) {
					x[i] += w
				} else {
					x = append(x, w)
				}
			}
			return strings.Join(x, " ")
		}},
		"wildcard": {1, 1, false, func(m *maker, a []string) string {
			var out []string
			for _, p := range strings.Fields(a[0]) {
				for _, name := range m.wildcard(p) {
					if _, err := m.c.Stat(name); err == nil {
						out = append(out, name)
					}
				}
			}
			return strings.Join(out, " ")
		}},
		"realpath": {1, 1, false, func(m *maker, a []string) string {
			return mapped(mapped(a[0], func(w string) string {
				if _, err := m.c.Stat(w); err != nil {
					return ""
				}
				return m.c.Path(w)
			}), strings.TrimSpace)
		}},
		"abspath": {1, 1, false, func(m *maker, a []string) string { return mapped(a[0], m.c.Path) }},
		"if": {2, 3, true, func(m *maker, a []string) string {
			if m.expand(strings.TrimSpace(a[0])) != "" {
				return m.expand(a[1])
			}
			if len(a) > 2 {
				return m.expand(a[2])
			}
			return ""
		}},
		"or": {1, 0, true, func(m *maker, a []string) string {
			for _, s := range a {
				if s = m.expand(strings.TrimSpace(s)); s != "" {
					return s
				}
			}
			return ""
		}},
		"and": {1, 0, true, func(m *maker, a []string) (last string) {
			for _, s := range a {
				if last = m.expand(strings.TrimSpace(s)); last == "" {
					break
				}
			}
			return last
		}},
		"foreach": {3, 3, true, func(m *maker, a []string) string {
			name := m.expand(strings.TrimSpace(a[0]))
			old := m.vars[name]
			var out []string
			for _, w := range strings.Fields(m.expand(a[1])) {
				m.vars[name] = &variable{value: w, simple: true}
				out = append(out, m.expand(a[2]))
			}
			if m.vars[name] = old; old == nil {
				delete(m.vars, name)
			}
			return strings.Join(out, " ")
		}},
		"call": {1, 0, false, func(m *maker, a []string) string {
			old := map[string]*variable{}
			for i := range max(len(a), 10) {
				name := strconv.Itoa(i)
				old[name] = m.vars[name]
				if delete(m.vars, name); i < len(a) {
					m.vars[name] = &variable{value: a[i], simple: true}
				}
			}
			defer func() {
				for name, v := range old {
					if m.vars[name] = v; v == nil {
						delete(m.vars, name)
					}
				}
			}()
			if f, ok := functions[strings.TrimSpace(a[0])]; ok {
				return f.do(m, a[1:])
			}
			if v := m.vars[strings.TrimSpace(a[0])]; v != nil { // which may call itself
				return m.valueOf(v)
			}
			return ""
		}},
		"value": {1, 1, false, func(m *maker, a []string) string {
			if v := m.vars[strings.TrimSpace(a[0])]; v != nil {
				return v.value
			}
			return ""
		}},
		"eval": {1, 1, false, func(m *maker, a []string) string { m.read(m.here.file, a[0]); return "" }},
		"origin": {1, 1, false, func(m *maker, a []string) string {
			v := m.vars[strings.TrimSpace(a[0])]
			if v == nil {
				return "undefined"
			}
			return []string{"default", "environment", "file", "command line"}[v.from]
		}},
		"shell": {1, 1, false, func(m *maker, a []string) string { return m.shell(a[0]) }},
		"info":  {1, 1, false, func(m *maker, a []string) string { fmt.Fprintln(m.c.Stdout, a[0]); return "" }},
		"warning": {1, 1, false, func(m *maker, a []string) string {
			fmt.Fprintf(m.c.Stderr, "%s:%d: %s\n", m.here.file, m.here.number, a[0])
			return ""
		}},
		"error": {1, 1, false, func(m *maker, a []string) string {
			m.at(m.here, "%s", a[0])
			return ""
		}},
	}
}
