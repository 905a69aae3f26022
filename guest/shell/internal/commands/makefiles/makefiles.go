// Package makefiles has the command make: rules, patterns, variables, functions and conditionals of GNU make. There are
// no rules but those of the makefile.
package makefiles

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package.
var Commands = []*command.Command{makeCommand}

var makeCommand = &command.Command{
	Name:     "make",
	Operands: "[OPTION]... [TARGET | NAME=VALUE]...",
	Summary:  "Bring files up to date by the rules of a makefile.",
	Options: []command.Option{
		{Short: 'B', Long: "always-make", Help: "make all targets, whatever their times"},
		{Short: 'C', Long: "directory", Arg: "DIR", Help: "change to DIR first"},
		{Short: 'f', Long: "file", Arg: "FILE", Help: "read FILE as the makefile"},
		{Long: "makefile", Arg: "FILE"},
		{Short: 'i', Long: "ignore-errors", Help: "ignore errors of recipes"},
		{Short: 'k', Long: "keep-going", Help: "go on with other targets after an error"},
		{Short: 'n', Long: "just-print", Help: "only print the recipes"},
		{Long: "dry-run"}, {Long: "recon"},
		{Short: 'q', Long: "question", Help: "run nothing: the exit status is 1 if something is to be made"},
		{Short: 's', Long: "silent", Help: "do not print recipes"},
		{Long: "quiet"}, {Short: 'j', Long: "jobs", Arg: "N", Optional: true}, {Long: "no-print-directory"},
		{Short: 'w', Long: "print-directory"}, {Short: 'r', Long: "no-builtin-rules"},
		{Short: 'R', Long: "no-builtin-variables"}, {Short: 'e', Long: "environment-overrides"},
		{Short: 'l', Arg: "N", Optional: true}, {Short: 'O', Arg: "TYPE", Optional: true},
	},
	Notes:   "There are no built-in rules, and no compilers for them. Recipes are run one after the other.",
	Trouble: 2,
	Run:     runMake,
}

// A stop is what ends make, with its status.
type stop struct {
	text   string
	status int
}

// A rule says how targets are made.
type rule struct {
	targets, needs, order []string
	recipe                []line
	recipes               bool // it has one, which can be empty
	pattern               bool
	stem                  string
	vars                  []assignment
}

// A line is one of a makefile or a recipe.
type line struct {
	text, file string
	number     int
}

// An assignment is of a variable for a target.
type assignment struct{ name, op, value string }

// A maker makes targets.
type maker struct {
	c           *command.Context
	env         command.EnvList
	vars        map[string]*variable
	rules       map[string]*rule
	patterns    []*rule
	phony       map[string]bool
	goal        string
	name        string // as errors have it: make, or make[1]
	always      bool
	dry, silent bool
	ignore      bool
	question    bool
	keep        bool
	oneShell    bool
	here        line            // what is read, or run
	made        map[string]bool // whether a target was remade
	making      map[string]bool
	depth       int
	ran         bool // a recipe has run
	failed      bool
}

func runMake(c *command.Context) (status int) {
	level, _ := strconv.Atoi(c.Getenv("MAKELEVEL"))
	m := &maker{c: c, vars: map[string]*variable{}, rules: map[string]*rule{}, phony: map[string]bool{},
		made: map[string]bool{}, making: map[string]bool{}, name: "make"}
	if level > 0 {
		m.name = fmt.Sprintf("make[%d]", level)
	}
	defer func() {
		if e := recover(); e != nil {
			s, ok := e.(stop)
			if !ok {
				panic(e)
			}
			if status = s.status; s.text != "" {
				fmt.Fprintf(c.Stderr, "%s\n", s.text)
			}
		}
	}()
	var files, goals []string
	for _, g := range c.Given {
		switch g.Name {
		case "directory":
			info, err := c.Stat(g.Value)
			if err == nil && !info.IsDir() {
				m.fatal("%s: Not a directory.  Stop.", g.Value)
			} else if err != nil {
				m.fatal("%s: %s.  Stop.", g.Value, command.Text(err))
			}
			c.Dir = c.Path(g.Value)
		case "file", "makefile":
			files = append(files, g.Value)
		}
	}
	m.always, m.ignore, m.keep = c.Has("always-make"), c.Has("ignore-errors"), c.Has("keep-going")
	m.dry = c.Has("just-print") || c.Has("dry-run") || c.Has("recon")
	m.question, m.silent = c.Has("question"), c.Has("silent") || c.Has("quiet") || c.Has("question")
	m.defaults(level)
	for _, arg := range c.Args {
		if name, op, value, ok := assigned(arg); ok {
			m.assign(name, op, value, fromCommand)
		} else {
			goals = append(goals, arg)
		}
	}
	m.vars["MAKECMDGOALS"] = &variable{value: strings.Join(goals, " ")}
	if level > 0 || c.Has("directory") || c.Has("print-directory") {
		if !c.Has("no-print-directory") && !m.silent {
			fmt.Fprintf(c.Stdout, "%s: Entering directory '%s'\n", m.name, c.Dir)
			defer func() { fmt.Fprintf(c.Stdout, "%s: Leaving directory '%s'\n", m.name, c.Dir) }()
		}
	}
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if _, err := c.Stat(name); err == nil && files == nil {
			files = []string{name}
		}
	}
	for _, name := range files {
		m.include(name, true)
	}
	if v := m.vars[".DEFAULT_GOAL"]; v != nil {
		m.goal = m.expand(v.value)
	}
	if len(goals) == 0 {
		switch {
		case m.goal != "":
			goals = []string{m.goal}
		case files == nil:
			m.fatal("No targets specified and no makefile found.  Stop.")
		default:
			m.fatal("No targets.  Stop.")
		}
	}
	m.environment(level)
	for _, goal := range goals {
		m.ran = false
		if m.make(goal, "") || m.failed || m.ran {
			continue
		}
		if r := m.rules[goal]; m.phony[goal] || r != nil && !r.recipes {
			m.say("Nothing to be done for '%s'.", goal)
		} else if r == nil && m.patternFor(goal) == nil {
			m.say("Nothing to be done for '%s'.", goal)
		} else {
			m.say("'%s' is up to date.", goal)
		}
	}
	if m.failed {
		return 2
	}
	return 0
}

func (m *maker) say(format string, args ...any) {
	if !m.silent {
		fmt.Fprintf(m.c.Stdout, m.name+": "+format+"\n", args...)
	}
}

// fatal ends make.
func (m *maker) fatal(format string, args ...any) {
	panic(stop{m.name + ": *** " + fmt.Sprintf(format, args...), 2})
}

// at ends make because of a line.
func (m *maker) at(l line, format string, args ...any) {
	panic(stop{fmt.Sprintf("%s:%d: *** %s.  Stop.", l.file, l.number, fmt.Sprintf(format, args...)), 2})
}

// maxDepth is how deeply targets, variables and files can be nested.
const maxDepth = 1000

// make makes a target, for another one or "". It returns whether it was made, or is one that counts as made.
func (m *maker) make(target, by string) bool {
	if made, ok := m.made[target]; ok {
		return made
	}
	if m.making[target] {
		fmt.Fprintf(m.c.Stderr, "%s: Circular %s <- %s dependency dropped.\n", m.name, by, target)
		return false
	}
	if m.depth++; m.depth > maxDepth {
		m.fatal("targets are nested more than %d deep.  Stop.", maxDepth)
	}
	m.making[target] = true
	defer func() {
		delete(m.making, target)
		m.depth--
	}()
	r := m.ruleFor(target)
	info, err := m.c.Stat(target)
	if r == nil {
		if err == nil {
			m.made[target] = false
			return false
		}
		text := fmt.Sprintf("No rule to make target '%s'", target)
		if by != "" {
			text += fmt.Sprintf(", needed by '%s'", by)
		}
		if !m.keep {
			m.fatal("%s.  Stop.", text)
		}
		fmt.Fprintf(m.c.Stderr, "%s: *** %s.\n", m.name, text)
		m.failed = true
		return false
	}
	defer m.locally(r.vars)()
	stale := err != nil || m.phony[target] || m.always
	var newer []string
	broken := false
	for i, need := range append(r.needs[:len(r.needs):len(r.needs)], r.order...) {
		failed := m.failed
		m.failed = false
		made := m.make(need, target)
		broken = broken || m.failed
		m.failed = m.failed || failed
		if i >= len(r.needs) {
			continue
		}
		needed, failure := m.c.Stat(need)
		if made || err != nil || failure != nil || needed.ModTime().After(info.ModTime()) {
			newer = append(newer, need)
			stale = stale || made || failure == nil && needed.ModTime().After(info.ModTime())
		}
	}
	if broken {
		if !m.dry {
			fmt.Fprintf(m.c.Stderr, "%s: Target '%s' not remade because of errors.\n", m.name, target)
		}
		m.made[target] = false
		return false
	}
	m.made[target] = stale
	if !stale || !r.recipes || len(r.recipe) == 0 {
		return stale && (r.recipes || m.phony[target] || len(newer) > 0) && m.ran
	}
	if m.question {
		panic(stop{"", 1})
	}
	if !m.run(target, r, newer) {
		m.failed, m.made[target] = true, false
		if !m.keep {
			panic(stop{"", 2})
		}
		return false
	}
	for _, other := range r.targets {
		if r.pattern {
			m.made[other] = true
		}
	}
	return true
}

// ruleFor returns the rule for a target, with the stem and prerequisites of a pattern, or nil.
func (m *maker) ruleFor(target string) *rule {
	r := m.rules[target]
	if r != nil && r.recipes || m.phony[target] {
		if r == nil {
			r = &rule{targets: []string{target}}
		}
		return r
	}
	p := m.patternFor(target)
	if p == nil {
		return r
	}
	whole := *p
	if r != nil {
		whole.needs = append(whole.needs, r.needs...)
		whole.vars = append(r.vars[:len(r.vars):len(r.vars)], whole.vars...)
	}
	return &whole
}

// patternFor returns the pattern rule for a target with the shortest stem, filled in, or nil.
func (m *maker) patternFor(target string) *rule {
	var best *rule
	for _, p := range m.patterns {
		for _, pattern := range p.targets {
			stem, ok := stemOf(pattern, target)
			if !ok || best != nil && len(stem) >= len(best.stem) {
				continue
			}
			filled := *p
			filled.stem, filled.targets = stem, fill(p.targets, stem)
			filled.needs, filled.order = fill(p.needs, stem), fill(p.order, stem)
			if m.possible(&filled) {
				best = &filled
			}
		}
	}
	return best
}

// possible says whether all prerequisites of a pattern rule are there or can be made.
func (m *maker) possible(r *rule) bool {
	if m.depth++; m.depth > maxDepth {
		m.depth--
		return false
	}
	defer func() { m.depth-- }()
	for _, need := range r.needs {
		if _, err := m.c.Stat(need); err != nil && m.rules[need] == nil && !m.phony[need] && m.patternFor(need) == nil {
			return false
		}
	}
	return true
}

// stemOf returns what "%" of a pattern stands for in a name.
func stemOf(pattern, name string) (stem string, ok bool) {
	before, after, ok := strings.Cut(pattern, "%")
	if !ok {
		return "", pattern == name
	}
	dir := ""
	if !strings.Contains(pattern, "/") { // the directory of the name is a part of the stem
		dir, name = path.Split(name)
	}
	if len(name) <= len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return dir + name[len(before):len(name)-len(after)], true
}

// fill puts the stem into patterns. Its directory goes before the whole name.
func fill(list []string, stem string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		if out[i] = s; strings.Contains(s, "%") {
			dir, base := "", stem
			if !strings.Contains(s, "/") {
				dir, base = path.Split(stem)
			}
			out[i] = dir + strings.Replace(s, "%", base, 1)
		}
	}
	return out
}

// locally sets the variables of a target, and returns what takes that back.
func (m *maker) locally(list []assignment) func() {
	old := map[string]*variable{}
	for _, a := range list {
		if _, ok := old[a.name]; !ok {
			old[a.name] = m.vars[a.name]
			if v := m.vars[a.name]; v != nil {
				own := *v
				m.vars[a.name] = &own
			}
		}
		m.assign(a.name, a.op, a.value, fromFile)
	}
	return func() {
		for name, v := range old {
			if m.vars[name] = v; v == nil {
				delete(m.vars, name)
			}
		}
	}
}

// run runs the recipe of a target.
func (m *maker) run(target string, r *rule, newer []string) bool {
	m.ran = true
	seen := map[string]bool{}
	var unique []string
	for _, need := range r.needs {
		if !seen[need] {
			unique = append(unique, need)
		}
		seen[need] = true
	}
	automatic := map[string]string{"@": target, "^": strings.Join(unique, " "), "+": strings.Join(r.needs, " "),
		"?": strings.Join(newer, " "), "*": r.stem, "|": strings.Join(r.order, " "), "<": ""}
	if len(r.needs) > 0 {
		automatic["<"] = r.needs[0]
	}
	for name, value := range automatic {
		m.vars[name] = &variable{value: value, simple: true}
		dirs, files := splitNames(value)
		m.vars[name+"D"] = &variable{value: dirs, simple: true}
		m.vars[name+"F"] = &variable{value: files, simple: true}
	}
	lines := make([]line, 0, len(r.recipe))
	for _, l := range r.recipe {
		m.here = l
		l.text = m.expand(l.text)
		lines = append(lines, l)
	}
	if m.oneShell && len(lines) > 0 {
		whole := lines[0]
		for _, l := range lines[1:] {
			whole.text += "\n" + l.text
		}
		lines = []line{whole}
	}
	for _, l := range lines {
		if m.oneShell {
			return m.runLine(target, l.text, l)
		}
		for text := range splitLines(l.text) {
			if !m.runLine(target, text, l) {
				return false
			}
		}
	}
	return true
}

func (m *maker) runLine(target, text string, l line) bool {
	ignore, quiet, always := m.ignore, m.silent, false
	text = strings.TrimLeft(text, " \t")
	for text != "" && strings.IndexByte("@-+ \t", text[0]) >= 0 {
		ignore, quiet, always = ignore || text[0] == '-', quiet || text[0] == '@', always || text[0] == '+'
		text = text[1:]
	}
	if text == "" {
		return true
	}
	if !quiet || m.dry {
		fmt.Fprintln(m.c.Stdout, text)
	}
	if m.dry && !always {
		return true
	}
	status := m.c.Run(command.Call{Args: []string{"sh", "-c", text}, Env: m.env, Dir: m.c.Dir})
	if err := m.c.Context().Err(); err != nil {
		panic(stop{"", 2})
	}
	if status == 0 {
		return true
	}
	suffix, mark := "", "*** "
	if ignore {
		suffix, mark = " (ignored)", ""
	}
	fmt.Fprintf(m.c.Stderr, "%s: %s[%s:%d: %s] Error %d%s\n", m.name, mark, l.file, l.number, target, status, suffix)
	return ignore
}

// splitLines returns the commands of a line of a recipe: those of a variable can be several. A backslash at the end of
// a line belongs to the command.
func splitLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for text != "" {
			end := 0
			for end < len(text) && (text[end] != '\n' || end > 0 && text[end-1] == '\\') {
				end++
			}
			if !yield(text[:end]) {
				return
			}
			text = text[min(end+1, len(text)):]
		}
	}
}

// environment is what recipes have.
func (m *maker) environment(level int) {
	m.env = append(m.env[:0], m.c.Env.List()...)
	for name, v := range m.vars {
		if _, given := m.c.Env.Lookup(name); v.exported || given && v.from != fromEnvironment || v.from == fromCommand {
			m.env = append(m.env, name+"="+m.valueOf(v))
		}
	}
	m.env = append(m.env, "MAKELEVEL="+strconv.Itoa(level+1), "MAKEFLAGS=")
}

// defaults sets the variables that there are.
func (m *maker) defaults(level int) {
	for _, entry := range m.c.Env.List() {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "SHELL" && name != "MAKELEVEL" {
			m.vars[name] = &variable{value: strings.ReplaceAll(value, "$", "$$"), from: fromEnvironment}
		}
	}
	for _, d := range [][2]string{{"MAKE", "make"}, {"SHELL", "/bin/sh"}, {"CURDIR", m.c.Dir}, {"RM", "rm -f"},
		{"CC", "cc"}, {"AR", "ar"}, {"MAKE_VERSION", "4.4.1"}, {"MAKELEVEL", strconv.Itoa(level)},
		{".RECIPEPREFIX", ""}} {
		m.vars[d[0]] = &variable{value: d[1]}
	}
}

// include reads a makefile.
func (m *maker) include(name string, needed bool) {
	in, err := m.c.Input(name)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(in)
		_ = in.Close()
	}
	if err != nil {
		if needed {
			fmt.Fprintf(m.c.Stderr, "%s: %s: %s\n", m.name, name, command.Text(err))
			m.fatal("No rule to make target '%s'.  Stop.", name)
		}
		return
	}
	if m.depth++; m.depth > maxDepth {
		m.fatal("files include each other more than %d deep.  Stop.", maxDepth)
	}
	m.read(name, string(data))
	m.depth--
}
