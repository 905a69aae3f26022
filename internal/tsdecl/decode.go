package tsdecl

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// What is asked for in a schema and is of another type counts as not there.

// decodeMembers returns the members of an object, and their names in order.
func decodeMembers(raw json.RawMessage) (names []string, values map[string]json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, nil
	}
	values = map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, nil
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, nil
		}
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = value
	}
	return names, values
}

func decodeObject(raw json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	return object
}

func decodeList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func decodeText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// decodeTexts returns the texts that are in a list.
func decodeTexts(raw json.RawMessage) []string {
	var texts []string
	for _, item := range decodeList(raw) {
		if text := decodeText(item); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// decode is decodeObject, and counts the work.
func (g *generator) decode(raw json.RawMessage) map[string]json.RawMessage {
	if g.work -= len(raw); g.work < 0 {
		g.left = -1
		return nil
	}
	return decodeObject(raw)
}

// at returns the place in the schema that a reference inside of it leads to, or nil.
func (g *generator) at(ref string) json.RawMessage {
	root := g.root
	if ref == "#" {
		return root
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	tokens := strings.Split(path, "/")
	if len(tokens) > maxDepth {
		return nil
	}
	for _, token := range tokens {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if i, err := strconv.Atoi(token); err == nil {
			g.work -= len(root)
			if list := decodeList(root); i >= 0 && i < len(list) {
				root = list[i]
				continue
			}
		}
		root = g.decode(root)[token]
	}
	return root
}
