package javascript_test

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// A model is what files are, in the simplest way: the content by path; a directory has a path that ends with a slash,
// and the root none. It says what each function of fs leads to, in its own way.
type model map[string]string

// A call is one of a function of fs. Paths are as the script spells them.
type call struct {
	Style    int    `json:"style"` // promise, synchronous, callback
	Name     string `json:"name"`
	Args     []any  `json:"args"`
	path, to string
	text     string
	size     int
	// What options say.
	recursive, force, exclusive, appends bool
}

// normal is the path that a spelling means.
func normal(spelling string) string { return path.Clean("/" + spelling) }

func (m model) isDir(name string) bool {
	_, ok := m[name+"/"]
	return ok || name == "/"
}

func (m model) isFile(name string) bool { _, ok := m[name]; return ok }

// find returns why there is nothing at a path, or "".
func (m model) find(spelling string) string {
	name := normal(spelling)
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if m.isFile(dir) {
			return "ENOTDIR " + spelling
		}
	}
	if !m.isFile(name) && !m.isDir(name) {
		return "ENOENT " + spelling
	}
	return ""
}

func isMissing(failure string) bool { return strings.HasPrefix(failure, "ENOENT") }

func (m model) makeParents(name string) {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		m[dir+"/"] = ""
	}
}

// list lists a directory as readdir does.
func (m model) list(dir string, recursive bool) []string {
	names := []string{}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for name := range m {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && !strings.Contains(strings.TrimSuffix(rest,
			"/"), "/") {
			names = append(names, rest)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := strings.HasSuffix(a, "/"), strings.HasSuffix(b, "/"); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return strings.Compare(a, b)
	})
	out := []string{}
	for _, name := range names {
		base := strings.TrimSuffix(name, "/")
		out = append(out, base)
		if recursive && base != name {
			for _, below := range m.list(prefix+base, true) {
				out = append(out, base+"/"+below)
			}
		}
	}
	return out
}

func (m model) removeAll(name string) {
	for other := range m {
		if other == name || strings.HasPrefix(other, name+"/") {
			delete(m, other)
		}
	}
}

func (m model) write(spelling, text string, appends, exclusive bool) string {
	name, failure := normal(spelling), m.find(spelling)
	switch {
	case name == "/":
		return "EISDIR " + spelling
	case failure != "" && !isMissing(failure):
		return failure
	case failure == "" && exclusive:
		return "EEXIST " + spelling
	case m.isDir(name):
		return "EISDIR " + spelling
	}
	m.makeParents(name)
	if appends {
		text = m[name] + text
	}
	m[name] = text
	return "undefined"
}

func (m model) read(spelling string) (text, failure string) {
	if failure = m.find(spelling); failure == "" && m.isDir(normal(spelling)) {
		failure = "EISDIR " + spelling
	}
	return m[normal(spelling)], failure
}

func (m model) copyFile(from, to string, exclusive bool) string {
	text, failure := m.read(from)
	if failure != "" {
		return failure
	}
	return m.write(to, text, false, exclusive)
}

// copyOver copies a file as cp does.
func (m model) copyOver(c call, from, to string) string {
	if !c.force && m.find(to) == "" {
		if c.exclusive {
			return "EEXIST " + to
		}
		return "undefined"
	}
	return m.copyFile(from, to, false)
}

// copyTree copies what is in a directory as cp does, until something fails.
func (m model) copyTree(c call, from, to string) string {
	switch failure := m.find(to); {
	case isMissing(failure):
		m.makeParents(normal(to) + "/x")
	case failure != "":
		return failure
	case !m.isDir(normal(to)):
		return "ENOTDIR " + to
	}
	for _, name := range m.list(normal(from), false) {
		below := func(spelling string) string { return strings.TrimSuffix(spelling, "/") + "/" + name }
		copied := m.copyOver
		if m.isDir(path.Join(normal(from), name)) {
			copied = m.copyTree
		}
		if failure := copied(c, below(from), below(to)); failure != "undefined" {
			return failure
		}
	}
	return "undefined"
}

// apply does a call, and returns its answer: JSON, or a code and a path.
func (m model) apply(c call) string {
	name, failure := normal(c.path), m.find(c.path)
	answer := func(v any) string {
		text, _ := json.Marshal(v)
		return string(text)
	}
	switch c.Name {
	case "writeFile", "appendFile":
		return m.write(c.path, c.text, c.appends, c.exclusive)
	case "exists":
		return answer(failure == "")
	case "copyFile":
		return m.copyFile(c.path, c.to, c.exclusive)
	case "mkdir":
		if failure == "" {
			if c.recursive && m.isDir(name) {
				return "undefined"
			}
			return "EEXIST " + c.path
		}
		if isMissing(failure) {
			first := name
			for !m.isDir(path.Dir(first)) {
				first = path.Dir(first)
			}
			m.makeParents(name + "/x")
			if !c.recursive {
				return "undefined"
			}
			if !strings.HasPrefix(c.path, "/") {
				first = first[1:]
			}
			return answer(first)
		}
		return failure
	case "rm":
		if c.force && isMissing(failure) {
			return "undefined"
		}
	}
	if failure != "" {
		return failure
	}
	switch c.Name {
	case "readFile", "truncate":
		text, failure := m.read(c.path)
		if failure != "" {
			return failure
		}
		if c.Name == "readFile" {
			return answer(text)
		}
		if c.size < 0 {
			return "EINVAL " + c.path
		}
		m[name] = (text + strings.Repeat("\x00", 10))[:c.size]
		return "undefined"
	case "stat":
		return answer([]any{m.isFile(name), m.isDir(name), len(m[name])})
	case "readdir":
		if m.isFile(name) {
			return "ENOTDIR " + c.path
		}
		return answer(m.list(name, c.recursive))
	case "unlink", "rm":
		if m.isDir(name) && !(c.Name == "rm" && c.recursive) {
			return "EISDIR " + c.path
		}
	case "rmdir":
		if m.isFile(name) {
			return "ENOTDIR " + c.path
		}
		if name != "/" && !c.recursive && len(m.list(name, false)) > 0 {
			return "ENOTEMPTY " + c.path
		}
	case "rename":
		switch failure := m.find(c.to); {
		case name == "/":
			return "EBUSY " + c.path
		case failure == "":
			return "EEXIST " + c.to
		case !isMissing(failure):
			return failure
		case strings.HasPrefix(normal(c.to), name+"/"):
			return "EINVAL " + c.to
		}
		m.makeParents(normal(c.to))
		moved := model{}
		for other, text := range m {
			if other == name || strings.HasPrefix(other, name+"/") {
				moved[normal(c.to)+strings.TrimPrefix(other, name)] = text
			}
		}
		m.removeAll(name)
		for other, text := range moved {
			m[other] = text
		}
		return "undefined"
	case "cp":
		to := normal(c.to)
		switch {
		case m.isFile(name):
			return m.copyOver(c, c.path, c.to)
		case !c.recursive:
			return "EISDIR " + c.path
		case to == name, name == "/", strings.HasPrefix(to, name+"/"):
			return "EINVAL " + c.to
		}
		return m.copyTree(c, c.path, c.to)
	}
	if name == "/" {
		return "EBUSY " + c.path
	}
	m.removeAll(name)
	return "undefined"
}
