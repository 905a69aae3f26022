package filesystem_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// A model is what files are, in the simplest way: the content by path; a directory has a path that ends with a slash.
// It says what each command leads to, in its own way.
type model map[string]string

func (m model) isDir(name string) bool {
	_, ok := m[name+"/"]
	return ok || name == "/"
}

func (m model) isFile(name string) bool { _, ok := m[name]; return ok }

func (m model) exists(name string) bool { return m.isDir(name) || m.isFile(name) }

// possible reports whether there can be something at a path: nothing that it lies in is a file.
func (m model) possible(name string) bool {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if m.isFile(dir) {
			return false
		}
	}
	return true
}

func (m model) makeParents(name string) {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		m[dir+"/"] = ""
	}
}

// below lists a path and all that is below it.
func (m model) below(name string) []string {
	var names []string
	for other := range m {
		if other == name || strings.HasPrefix(other, name+"/") {
			names = append(names, other)
		}
	}
	slices.Sort(names)
	return names
}

func modelLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// modelPlain is a text in which all lines end with \n.
func modelPlain(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// modelOwn is a text whose lines end as those of another one do. All of those end in the same way.
func modelOwn(other, s string) string {
	if strings.Contains(other, "\n") {
		s = modelPlain(s)
	}
	if strings.Contains(other, "\r\n") {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s
}

func modelIsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// A command is a call, with paths in their normal form in the project.
type command struct {
	tool, name string
	path, to   string
	text, old  string
	line       int
	overwrite  bool
	lines      []int
}

// apply does a command. It returns what is to be said, if the command succeeds.
func (m model) apply(c command) (text string, ok bool) {
	root, edited := "/", "The file has been edited."
	if c.tool == "memory" {
		root, edited = "/memories", "The memory file has been edited."
	} else if c.name != "view" && c.name != "copy" && inMemories(c.path) || c.to != "" && inMemories(c.to) {
		return "", false
	}
	switch c.name {
	case "view":
		return m.view(c)
	case "create":
		if c.path == root || m.isDir(c.path) || m.isFile(c.path) && !c.overwrite || !m.possible(c.path) {
			return "", false
		}
		m.makeParents(c.path)
		m[c.path] = c.text
		return "File created successfully at: " + c.path, true
	case "append":
		if c.path == root || m.isDir(c.path) || !m.possible(c.path) || !modelIsText(m[c.path]) {
			return "", false
		}
		text = "File created successfully at: " + c.path
		if m.isFile(c.path) {
			text = "Content appended to " + c.path
		}
		m.makeParents(c.path)
		m[c.path] += modelOwn(m[c.path], c.text)
		return text, true
	case "str_replace":
		content := m[c.path]
		if !m.isFile(c.path) || !modelIsText(content) {
			return "", false
		}
		plain, at, found := modelPlain(content), -1, 0
		for i := range plain {
			if strings.HasPrefix(plain[i:], c.old) {
				at = i
				found++
			}
		}
		if found != 1 {
			return "", false
		}
		m[c.path] = modelOwn(content, plain[:at]+c.text+plain[at+len(c.old):])
		content = plain
		// The lines that are shown are those of the replacement, and three more on either side.
		first := strings.Count(content[:at], "\n") + 1
		last := first + strings.Count(strings.TrimSuffix(c.text, "\n"), "\n")
		return edited + "\n" + strings.TrimPrefix(m.numbered(c.path, first-3, last+3), "\n"), true
	case "insert":
		plain := modelPlain(m[c.path])
		content, ending := plain, modelOwn(m[c.path], "\n")
		if !strings.Contains(content, "\n") {
			ending = modelOwn(c.text, "\n")
		}
		all := modelLines(content)
		if !m.isFile(c.path) || !modelIsText(content) || c.line < 0 || c.line > len(all) {
			return "", false
		}
		ended := strings.HasSuffix(content, "\n") || content == ""
		if c.line == len(all) && !ended {
			ended = strings.HasSuffix(c.text, "\n")
		}
		all = slices.Insert(all, c.line, strings.Split(strings.TrimSuffix(modelPlain(c.text), "\n"), "\n")...)
		m[c.path] = strings.Join(all, ending)
		if ended {
			m[c.path] += ending
		}
		return "The file " + c.path + " has been edited.", true
	case "mkdir":
		if c.path == root || m.exists(c.path) || !m.possible(c.path) {
			return "", false
		}
		m.makeParents(c.path + "/x")
		return "Directory created successfully at: " + c.path, true
	case "delete":
		if c.path == root || !m.exists(c.path) {
			return "", false
		}
		for _, name := range m.below(c.path) {
			delete(m, name)
		}
		return "Successfully deleted " + c.path, true
	}
	switch {
	case !m.exists(c.path), m.isDir(c.to), c.path == root, !m.possible(c.to), c.path == c.to,
		m.isFile(c.to) && (!c.overwrite || m.isDir(c.path)), strings.HasPrefix(c.to, c.path+"/"):
		return "", false
	}
	m.makeParents(c.to)
	for _, name := range m.below(c.path) {
		m[c.to+strings.TrimPrefix(name, c.path)] = m[name]
		if c.name == "rename" {
			delete(m, name)
		}
	}
	if c.name == "rename" {
		return "Successfully renamed " + c.path + " to " + c.to, true
	}
	return "Successfully copied " + c.path + " to " + c.to, true
}

func inMemories(name string) bool {
	return name == "/memories" || strings.HasPrefix(name, "/memories/")
}

// numbered shows some lines of a file, as far as they are there.
func (m model) numbered(name string, first, last int) string {
	var b strings.Builder
	for i, line := range modelLines(m[name]) {
		if i+1 >= first && i+1 <= last {
			fmt.Fprintf(&b, "\n%6d\t%s", i+1, line)
		}
	}
	return b.String()
}

func (m model) view(c command) (text string, ok bool) {
	isMemory := c.tool == "memory"
	switch {
	case m.isFile(c.path):
		if !modelIsText(m[c.path]) {
			return "", true // it depends on the content how it is called
		}
		first, last, total := 1, -1, len(modelLines(m[c.path]))
		if c.lines != nil {
			first, last = c.lines[0], c.lines[1]
		}
		if last == -1 {
			last = total
		}
		if c.lines != nil && (first < 1 || last < first || first > total) {
			return "", false
		}
		text = "Here's the content of " + c.path + " with line numbers:" + m.numbered(c.path, first, last)
		switch {
		case c.lines == nil || last <= total:
		case total == 1:
			text += "\n[The file ends here: it has 1 line.]"
		default:
			text += fmt.Sprintf("\n[The file ends here: it has %d lines.]", total)
		}
		return text, true
	case !m.isDir(c.path) && !(isMemory && c.path == "/memories"):
		return "", false
	}
	text = "Here're the files and directories up to 2 levels deep in " + c.path + ", excluding hidden items"
	if isMemory {
		text += " and node_modules:\n4.0K\t" + c.path
	} else {
		text += ":"
	}
	listed := m.list(c.path, 1, isMemory)
	if listed == "" && !isMemory {
		listed = "\n(empty)"
	}
	return text + listed, true
}

func (m model) list(dir string, depth int, isMemory bool) string {
	prefix := strings.TrimSuffix(dir, "/") + "/"
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		rest, ok := strings.CutPrefix(name, prefix)
		base := strings.TrimSuffix(rest, "/")
		if ok && base != "" && !strings.Contains(base, "/") && base[0] != '.' && !(isMemory && base == "node_modules") {
			names = append(names, prefix+base)
		}
	}
	slices.Sort(names)
	if !isMemory {
		slices.SortStableFunc(names, func(a, b string) int {
			return strings.Compare(map[bool]string{true: "1", false: "2"}[m.isDir(a)], map[bool]string{true: "1",
				false: "2"}[m.isDir(b)])
		})
	}
	text := ""
	for _, name := range names {
		switch size := len(m[name]); {
		case m.isDir(name):
			text += "\n4.0K\t" + name
			if depth == 1 {
				text += m.list(name, 2, isMemory)
			}
		case size < 1024:
			text += fmt.Sprintf("\n%d\t%s", size, name)
		default:
			text += fmt.Sprintf("\n%.1fK\t%s", float64(size)/1024, name)
		}
	}
	return text
}
