package module

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"slices"
	"strings"
)

const (
	// maxPackage limits the size of a package.json in bytes.
	maxPackage = 1 << 20
	// maxConditions limits how deep the conditions in a package.json are nested.
	maxConditions = 16
)

// manifest holds the members of a package.json that concern modules.
type manifest struct {
	Type, Browser, Module, Main lenient
	Exports                     json.RawMessage
}

// lenient is a string; any other JSON value decodes as an empty one.
type lenient string

func (s *lenient) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = lenient(text)
	}
	return nil
}

// manifest reads the package.json of a directory. It returns nil on any error.
func (l *Loader) manifest(dir string) *manifest {
	name := path.Join(dir, "package.json")
	if !l.isFile(name) {
		return nil
	}
	data, err := l.read(name, maxPackage)
	if err != nil {
		return nil
	}
	var m manifest
	if json.Unmarshal([]byte(toText(data)), &m) != nil {
		return nil
	}
	return &m
}

// packageType returns the type of the nearest package around a directory, or "".
func (l *Loader) packageType(dir string) string {
	for range maxLevels {
		if m := l.manifest(dir); m != nil {
			return string(m.Type)
		}
		if dir == "/" || path.Base(dir) == "node_modules" {
			break
		}
		dir = path.Dir(dir)
	}
	return ""
}

// inPackage returns the file that a bare name such as pkg/sub refers to in its package below root, or "".
func (l *Loader) inPackage(root, name string) string {
	parts := strings.SplitN(name, "/", 3)
	n := 1
	if strings.HasPrefix(name, "@") {
		n = min(2, len(parts))
	}
	rest := strings.Join(parts[n:], "/")
	if rest == "" {
		return "" // the whole package, which directory finds
	}
	return l.packageEntry(path.Join(append([]string{root}, parts[:n]...)...), "./"+rest)
}

// packageEntry returns the file that a directory's package.json names for a subpath, or "". The subpath is "." or
// begins with "./". The caller looks up subpaths that are not named as files, because a project's author can see these.
func (l *Loader) packageEntry(dir, subpath string) string {
	m := l.manifest(dir)
	if m == nil {
		return ""
	}
	// Files for browsers do not depend on Node.
	forms := [][]string{{"browser", "import", "module", "default"}, {"browser", "import", "module", "default", "require", "node"}}
	names := []string{string(m.Module), string(m.Browser), string(m.Main)}
	if l.Require {
		forms = [][]string{{"browser", "require", "default"}, {"browser", "require", "default", "node"}}
		names = names[1:]
	}
	for _, conditions := range forms {
		target := exported(m.Exports, subpath, conditions)
		if found := l.inside(dir, target, l.isRegular); found != "" {
			return found
		}
	}
	if subpath != "." {
		return ""
	}
	for _, target := range names {
		if found := l.inside(dir, target, l.fileOrIndex); found != "" {
			return found
		}
	}
	return ""
}

// inside returns find's result for a target within a package, or "" if the target is outside of it.
func (l *Loader) inside(dir, target string, find func(string) string) string {
	if target == "" || checkPath(target) != "" {
		return ""
	}
	name := path.Join(dir, target)
	if len(name) > maxPath || name != dir && !strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
		return ""
	}
	return find(name)
}

func (l *Loader) isRegular(name string) string {
	if l.isFile(name) {
		return name
	}
	return ""
}

func (l *Loader) fileOrIndex(name string) string {
	if found := l.file(name); found != "" {
		return found
	}
	return l.index(name)
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in order, which matters in exports, or nil.
func members(object json.RawMessage) []member {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var list []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		m := member{name: name.(string)} // names of members are always strings
		if err := d.Decode(&m.value); err != nil {
			return nil
		}
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return nil
	}
	return list
}

// exported returns the target of a subpath in exports, or "".
func exported(exports json.RawMessage, subpath string, conditions []string) string {
	list := members(exports)
	if len(list) == 0 || !strings.HasPrefix(list[0].name, ".") {
		if subpath != "." {
			return ""
		}
		return target(exports, conditions, maxConditions)
	}
	best, found, matched := -1, member{}, ""
	for _, m := range list {
		if m.name == subpath {
			return target(m.value, conditions, maxConditions)
		}
		// The longest matching pattern wins.
		before, after, ok := strings.Cut(m.name, "*")
		if ok && len(before) > best && len(subpath) >= len(before)+len(after) &&
			strings.HasPrefix(subpath, before) && strings.HasSuffix(subpath, after) {
			best, found, matched = len(before), m, subpath[len(before):len(subpath)-len(after)]
		}
	}
	if best < 0 {
		return ""
	}
	pattern := target(found.value, conditions, maxConditions)
	if len(pattern)+strings.Count(pattern, "*")*len(matched) > maxPath {
		return ""
	}
	return strings.ReplaceAll(pattern, "*", matched)
}

// target resolves conditions to a target. It decodes nested values again at each level.
func target(value json.RawMessage, conditions []string, depth int) string {
	var kind byte
	if trimmed := bytes.TrimLeft(value, " \t\r\n"); len(trimmed) > 0 {
		kind = trimmed[0]
	}
	switch {
	case kind == '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	case depth == 0:
	case kind == '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return ""
		}
		for _, v := range list {
			if text := target(v, conditions, depth-1); text != "" {
				return text
			}
		}
	case kind == '{':
		for _, m := range members(value) {
			if slices.Contains(conditions, m.name) {
				if text := target(m.value, conditions, depth-1); text != "" {
					return text
				}
			}
		}
	}
	return ""
}
