package module

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// maxConditions limits how deep the conditions in a package.json are nested.
const maxConditions = 16

// conditions returns the conditions in a package.json that hold: those of Node, and then, for packages that it could
// not load, those of other systems.
func (l *Loader) conditions() [][]string {
	if l.Require {
		return [][]string{
			{"node", "require", "module-sync", "default"},
			{"browser", "require", "default", "node", "import", "module"},
		}
	}
	return [][]string{
		{"node", "import", "module-sync", "default"},
		{"browser", "import", "module", "default"},
		{"browser", "import", "module", "default", "require", "node"},
	}
}

// exported returns the target of a subpath in exports, or "". The subpath is "." or begins with "./".
func exported(exports json.RawMessage, subpath string, conditions []string) string {
	list := members(exports)
	if len(list) == 0 || !strings.HasPrefix(list[0].name, ".") {
		if subpath != "." {
			return ""
		}
		text, _ := target(exports, conditions, maxConditions)
		return text
	}
	return listed(list, subpath, conditions)
}

// listed returns the target of a name in exports or imports, or "". A pattern with one asterisk matches names; of
// several, the one with the longest part before its asterisk counts.
func listed(list []member, name string, conditions []string) string {
	best, found, matched := -1, member{}, ""
	for _, m := range list {
		before, after, pattern := strings.Cut(m.name, "*")
		if m.name == name && !pattern {
			text, _ := target(m.value, conditions, maxConditions)
			return text
		}
		if pattern && len(before) > best && len(name) > len(before)+len(after) && !strings.Contains(after, "*") &&
			strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			best, found, matched = len(before), m, name[len(before):len(name)-len(after)]
		}
	}
	if best < 0 {
		return ""
	}
	text, _ := target(found.value, conditions, maxConditions)
	if len(text)+strings.Count(text, "*")*len(matched) > maxPath {
		return ""
	}
	return strings.ReplaceAll(text, "*", matched)
}

// target resolves conditions to a target. It is false if no condition holds, and "" if the target is null. Nested
// values are decoded again at each level.
func target(value json.RawMessage, conditions []string, depth int) (text string, ok bool) {
	var kind byte
	if trimmed := bytes.TrimLeft(value, " \t\r\n"); len(trimmed) > 0 {
		kind = trimmed[0]
	}
	switch {
	case kind == '"':
		return text, json.Unmarshal(value, &text) == nil
	case kind == 'n':
		return "", true
	case depth == 0:
	case kind == '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return "", false
		}
		for _, v := range list {
			if text, _ := target(v, conditions, depth-1); text != "" {
				return text, true
			}
		}
	case kind == '{':
		for _, m := range members(value) {
			if slices.Contains(conditions, m.name) {
				if text, ok := target(m.value, conditions, depth-1); ok {
					return text, true
				}
			}
		}
	}
	return "", false
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
