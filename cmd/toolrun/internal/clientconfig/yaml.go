package clientconfig

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlFormat is YAML, in which each server is a mapping over several lines.
type yamlFormat struct{}

func (yamlFormat) parse(data []byte) (map[string]any, error) {
	var file map[string]any
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if file == nil {
		if len(bytes.TrimSpace(data)) > 0 && !onlyComments(data) {
			return nil, errors.New("it is no mapping")
		}
		file = map[string]any{}
	}
	return normal(file).(map[string]any), nil
}

func onlyComments(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

func (yamlFormat) add(data []byte, path []string, name string, entry []field) ([]byte, error) {
	end := newline(data)
	var file yaml.Node
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	indent := "  "
	block := func(outer string) string {
		text := outer + name + ":" + end
		for _, f := range entry {
			text += outer + indent + f.name + ": " + literal(f.value) + end
		}
		return text
	}
	top := path[0] // no client has a longer path here
	key, servers := find(&file, top)
	if key == nil {
		text := top + ":" + end + block(indent)
		if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
			text = end + text
		}
		return insert(data, len(data), text), nil
	}
	if len(servers.Content) > 0 {
		indent = strings.Repeat(" ", max(0, servers.Content[0].Column-1))
	}
	lines := slices.Collect(bytes.Lines(data))
	line := lines[key.Line-1]
	if servers.Kind == yaml.MappingNode && len(servers.Content) == 0 { // {}
		lines[key.Line-1] = bytes.Replace(line, []byte(" {}"), nil, 1)
	} else if !bytes.HasSuffix(line, []byte("\n")) {
		lines[key.Line-1] = append(slices.Clone(line), end...)
	}
	return bytes.Join(slices.Insert(lines, key.Line, []byte(block(indent))), nil), nil
}

func (yamlFormat) remove(data []byte, path []string, name string) ([]byte, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	_, servers := find(&file, path[0])
	key, value := find(servers, name)
	if key == nil {
		return nil, ErrShape // it is there by an alias or a merge
	}
	lines := slices.Collect(bytes.Lines(data))
	return bytes.Join(slices.Delete(lines, key.Line-1, min(lastOf(value), len(lines))), nil), nil
}

// find returns a key of a mapping and its value, or nil.
func find(node *yaml.Node, name string) (key, value *yaml.Node) {
	if node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
	}
	if node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// lastOf is the last line that a node begins something on.
func lastOf(node *yaml.Node) int {
	line := node.Line
	for _, inner := range node.Content {
		line = max(line, lastOf(inner))
	}
	return line
}
