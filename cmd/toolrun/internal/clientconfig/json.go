package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFormat is JSON, which may have comments and commas at the end of lists, as editors allow them.
type jsonFormat struct{}

func (jsonFormat) parse(data []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return map[string]any{}, nil
	}
	plain, err := hujson.Standardize(slices.Clone(data)) // it writes into what it gets
	if err != nil {
		return nil, err
	}
	var file map[string]any
	if err := json.Unmarshal(plain, &file); err != nil {
		return nil, err
	}
	if file == nil {
		return nil, errors.New("it is no JSON object")
	}
	return file, nil
}

func (jsonFormat) add(data []byte, path []string, name string, entry []field) ([]byte, error) {
	style := styleOf(data)
	if len(bytes.TrimSpace(data)) == 0 {
		return []byte(style.object(append(slices.Clone(path), name), entry, 0) + style.newline), nil
	}
	file, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	at := &file
	depth := 0
	for ; depth < len(path); depth++ {
		inner := member(at, path[depth])
		if inner == nil {
			break
		}
		at = inner
	}
	object, ok := at.Value.(*hujson.Object)
	if !ok {
		return nil, ErrShape
	}
	rest := append(slices.Clone(path[depth:]), name)
	value, err := hujson.Parse([]byte(style.object(rest[1:], entry, depth+1)))
	if err != nil {
		return nil, fmt.Errorf("the entry is no JSON: %w", err)
	}
	style.append(object, hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(rest[0])}, Value: value}, depth)
	return file.Pack(), nil
}

func (jsonFormat) remove(data []byte, path []string, name string) ([]byte, error) {
	file, err := hujson.Parse(data)
	if err != nil {
		return nil, err
	}
	at := []*hujson.Value{&file}
	for _, key := range path {
		at = append(at, member(at[len(at)-1], key))
	}
	for _, key := range slices.Backward(append(slices.Clone(path), name)) {
		object := at[len(at)-1].Value.(*hujson.Object) // what was parsed has it
		at = at[:len(at)-1]
		cut(object, key)
		if len(object.Members) > 0 {
			break
		}
	}
	return file.Pack(), nil
}

// member is the value of a key in an object, or nil.
func member(v *hujson.Value, key string) *hujson.Value {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	if i := indexOf(object, key); i >= 0 {
		return &object.Members[i].Value
	}
	return nil
}

// indexOf is the last member with a name, which is the one that counts, or -1.
func indexOf(object *hujson.Object, key string) int {
	for i, m := range slices.Backward(object.Members) {
		if name, ok := m.Name.Value.(hujson.Literal); ok && name.String() == key {
			return i
		}
	}
	return -1
}

// A style is how a file is laid out.
type style struct {
	newline string
	indent  string // of one level
}

func styleOf(data []byte) style {
	s := style{newline: newline(data), indent: "  "}
	for line := range bytes.Lines(data) {
		if blank := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; len(blank) > 0 && len(blank) < len(line)-1 {
			s.indent = string(blank)
			break
		}
	}
	return s
}

// object is an object, which may be in others that have nothing else, at a depth.
func (s style) object(keys []string, entry []field, depth int) string {
	in := s.newline + strings.Repeat(s.indent, depth+1)
	out := s.newline + strings.Repeat(s.indent, depth) + "}"
	if len(keys) > 0 {
		return "{" + in + quote(keys[0]) + ": " + s.object(keys[1:], entry, depth+1) + out
	}
	var members []string
	for _, f := range entry {
		members = append(members, quote(f.name)+": "+literal(f.value))
	}
	return "{" + in + strings.Join(members, ","+in) + out
}

// quote is a string of JSON, and literal a value. YAML takes both, and TOML but for its booleans, which are the same.
func quote(s string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

func literal(value any) string {
	switch value := value.(type) {
	case string:
		return quote(value)
	case []string:
		quoted := make([]string, len(value))
		for i, s := range value {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return fmt.Sprint(value)
}

// append puts a member at the end of an object. Comments after the last one stay with that.
func (s style) append(object *hujson.Object, m hujson.ObjectMember, depth int) {
	before, after := lastLine(object.AfterExtra)
	if !strings.Contains(string(after), "\n") {
		after = hujson.Extra(s.newline + strings.Repeat(s.indent, depth))
	}
	m.Name.BeforeExtra = hujson.Extra(string(before) + s.newline + strings.Repeat(s.indent, depth+1))
	m.Value.BeforeExtra = hujson.Extra(" ")
	if n := len(object.Members); n > 0 && object.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // so does a comma at the end
	}
	object.Members = append(object.Members, m)
	object.AfterExtra = after
}

// cut removes a member. Comments before it stay.
func cut(object *hujson.Object, key string) {
	i := indexOf(object, key)
	m := object.Members[i]
	last := i == len(object.Members)-1
	object.Members = slices.Delete(object.Members, i, i+1)
	before, _ := lastLine(m.Name.BeforeExtra)
	if !last {
		next := &object.Members[i].Name
		next.BeforeExtra = slices.Concat(before, next.BeforeExtra)
		return
	}
	if i > 0 {
		previous := &object.Members[i-1].Value
		if m.Value.AfterExtra == nil { // there was no comma at the end
			before = slices.Concat(previous.AfterExtra, before)
			previous.AfterExtra = nil
		} else if previous.AfterExtra == nil {
			previous.AfterExtra = hujson.Extra{}
		}
	}
	object.AfterExtra = slices.Concat(before, object.AfterExtra)
	if len(object.Members) == 0 && len(bytes.TrimSpace(object.AfterExtra)) == 0 {
		object.AfterExtra = nil
	}
}

// lastLine splits what is between two tokens before the end of its last line, if there is more than spaces.
func lastLine(extra hujson.Extra) (before, after hujson.Extra) {
	if len(bytes.TrimSpace(extra)) == 0 {
		return nil, extra
	}
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return extra, nil
	}
	if i > 0 && extra[i-1] == '\r' {
		i--
	}
	return slices.Clone(extra[:i]), slices.Clone(extra[i:])
}
