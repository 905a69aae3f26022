package data

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

// decodeYAML returns the documents of YAML.
func decodeYAML(data []byte) ([]any, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var values []any
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		budget := maxAliases
		v, err := fromYAML(&n, &budget)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
}

// maxAliases bounds how many values aliases can stand for, which grow with each level.
const maxAliases = 1 << 20

func fromYAML(n *yaml.Node, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, errors.New("the document is too large, or its aliases are")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return fromYAML(n.Content[0], budget)
	case yaml.AliasNode:
		return fromYAML(n.Alias, budget)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, e := range n.Content {
			v, err := fromYAML(e, budget)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		o := &jq.Object{}
		var merged []*jq.Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := fromYAML(n.Content[i+1], budget)
			if err != nil {
				return nil, err
			}
			if n.Content[i].Tag == "!!merge" {
				switch v := v.(type) {
				case *jq.Object:
					merged = append(merged, v)
				case []any:
					for _, e := range v {
						if m, ok := e.(*jq.Object); ok {
							merged = append(merged, m)
						}
					}
				}
				continue
			}
			o.Put(n.Content[i].Value, v)
		}
		for _, m := range merged {
			for _, key := range m.Keys() {
				if _, ok := o.Get(key); !ok {
					v, _ := m.Get(key)
					o.Put(key, v)
				}
			}
		}
		return o, nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err == nil {
			return b, nil
		}
	case "!!int", "!!float":
		var f float64
		if err := n.Decode(&f); err == nil {
			return f, nil
		}
	}
	return n.Value, nil
}

func encodeYAML(v any, indent int) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(indent)
	if err := e.Encode(toYAML(v)); err != nil {
		return nil, err
	}
	err := e.Close()
	return b.Bytes(), err
}

func toYAML(v any) *yaml.Node {
	switch v := v.(type) {
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, e := range v {
			n.Content = append(n.Content, toYAML(e))
		}
		return n
	case *jq.Object:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, key := range v.Keys() {
			e, _ := v.Get(key)
			n.Content = append(n.Content, toYAML(key), toYAML(e))
		}
		return n
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case float64:
		tag := "!!float"
		if v == math.Trunc(v) {
			tag = "!!int"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: jq.JSON(v)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

func decodeTOML(data []byte) ([]any, error) {
	var m map[string]any
	meta, err := toml.Decode(string(data), &m)
	if err != nil {
		return nil, err
	}
	// The order of keys is that of their names in the text.
	order := map[string]int{}
	for i, key := range meta.Keys() {
		name := key.String()
		if _, ok := order[name]; !ok {
			order[name] = i
		}
	}
	return []any{fromTOML(m, nil, order)}, nil
}

func fromTOML(v any, at toml.Key, order map[string]int) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		place := func(key string) int { return order[append(slices.Clone(at), key).String()] }
		slices.SortFunc(keys, func(a, b string) int {
			if c := place(a) - place(b); c != 0 {
				return c
			}
			return strings.Compare(a, b)
		})
		o := &jq.Object{}
		for _, key := range keys {
			o.Put(key, fromTOML(v[key], append(slices.Clone(at), key), order))
		}
		return o
	case []map[string]any:
		list := []any{}
		for _, e := range v {
			list = append(list, fromTOML(e, at, order))
		}
		return list
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, fromTOML(e, at, order))
		}
		return list
	case int64:
		return float64(v)
	case time.Time:
		switch v.Location().String() {
		case "date-local":
			return v.Format(time.DateOnly)
		case "time-local":
			return v.Format("15:04:05.999999999")
		case "datetime-local":
			return v.Format("2006-01-02T15:04:05.999999999")
		}
		return v.Format(time.RFC3339Nano)
	}
	return v
}

// encodeTOML writes TOML: values first, and then tables.
func encodeTOML(w *bytes.Buffer, v any) error {
	o, ok := v.(*jq.Object)
	if !ok {
		if _, isList := v.([]any); isList || v == nil {
			return errors.New("only maps can be encoded as TOML")
		}
		fmt.Fprintln(w, jq.JSON(v))
		return nil
	}
	tomlTable(w, "", o)
	return nil
}

func tomlKey(key string) string {
	for _, r := range key {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return jq.JSON(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

func tomlTable(w *bytes.Buffer, name string, o *jq.Object) {
	nested := func(v any) bool {
		switch v := v.(type) {
		case *jq.Object:
			return true
		case []any:
			if len(v) == 0 {
				return false
			}
			return !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(*jq.Object); return !ok })
		}
		return false
	}
	for _, key := range o.Keys() {
		if v, _ := o.Get(key); v != nil && !nested(v) {
			fmt.Fprintf(w, "%s = %s\n", tomlKey(key), tomlValue(v))
		}
	}
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		if !nested(v) {
			continue
		}
		full := tomlKey(key)
		if name != "" {
			full = name + "." + full
		}
		list := []any{v}
		open, shut := "[", "]"
		if l, ok := v.([]any); ok {
			list, open, shut = l, "[[", "]]"
		}
		for _, e := range list {
			if w.Len() > 0 {
				w.WriteByte('\n')
			}
			fmt.Fprintf(w, "%s%s%s\n", open, full, shut)
			tomlTable(w, full, e.(*jq.Object))
		}
	}
}

func tomlValue(v any) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = tomlValue(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *jq.Object:
		var parts []string
		for _, key := range v.Keys() {
			e, _ := v.Get(key)
			parts = append(parts, tomlKey(key)+" = "+tomlValue(e))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case nil:
		return `""`
	}
	return jq.JSON(v)
}

// decodeXML returns a document: elements are maps, attributes have a prefix, and what is repeated is a list.
func (y *yqRun) decodeXML(data []byte) ([]any, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	type element struct {
		name string
		o    *jq.Object
		text strings.Builder
	}
	root := &element{o: &jq.Object{}}
	stack := []*element{root}
	name := func(n xml.Name) string {
		if n.Space != "" && !strings.Contains(n.Space, "/") {
			return n.Space + ":" + n.Local
		}
		return n.Local
	}
	add := func(o *jq.Object, key string, v any) {
		old, ok := o.Get(key)
		if !ok {
			o.Put(key, v)
			return
		}
		if list, ok := old.([]any); ok {
			o.Put(key, append(list, v))
			return
		}
		o.Put(key, []any{old, v})
	}
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{name: name(t.Name), o: &jq.Object{}}
			for _, a := range t.Attr {
				e.o.Put(y.attribute+name(a.Name), a.Value)
			}
			if len(stack) > 10000 {
				return nil, errors.New("elements are nested too deep")
			}
			stack = append(stack, e)
		case xml.EndElement:
			if len(stack) == 1 || top.name != name(t.Name) {
				return nil, fmt.Errorf("unexpected end element </%s>", name(t.Name))
			}
			stack = stack[:len(stack)-1]
			text := strings.TrimSpace(top.text.String())
			var v any = top.o
			switch {
			case top.o.Len() == 0 && text == "":
				v = nil
			case top.o.Len() == 0:
				v = text
			case text != "":
				o := &jq.Object{}
				o.Put(y.content, text)
				for _, key := range top.o.Keys() {
					e, _ := top.o.Get(key)
					o.Put(key, e)
				}
				v = o
			}
			add(stack[len(stack)-1].o, top.name, v)
		case xml.CharData:
			top.text.Write(t)
		case xml.ProcInst:
			if len(stack) == 1 {
				top.o.Put("+p_"+t.Target, string(t.Inst))
			}
		}
	}
	if len(stack) > 1 {
		return nil, fmt.Errorf("element <%s> is not closed", stack[len(stack)-1].name)
	}
	return []any{root.o}, nil
}

func (y *yqRun) encodeXML(v any) error {
	o, ok := v.(*jq.Object)
	if !ok {
		if _, isList := v.([]any); isList {
			return errors.New("only maps can be encoded as XML")
		}
		fmt.Fprintln(&y.out, plainText(v))
		return nil
	}
	for _, key := range o.Keys() {
		e, _ := o.Get(key)
		if target, ok := strings.CutPrefix(key, "+p_"); ok {
			fmt.Fprintf(&y.out, "<?%s %s?>\n", target, plainText(e))
			continue
		}
		y.element(key, e, 0)
	}
	return nil
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func (y *yqRun) element(name string, v any, depth int) {
	indent := strings.Repeat(strings.Repeat(" ", y.indent), depth)
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			y.element(name, e, depth)
		}
	case *jq.Object:
		fmt.Fprintf(&y.out, "%s<%s", indent, name)
		text, children := "", []string{}
		for _, key := range v.Keys() {
			e, _ := v.Get(key)
			switch {
			case key == y.content:
				text = plainText(e)
			case strings.HasPrefix(key, y.attribute):
				fmt.Fprintf(&y.out, " %s=\"%s\"", key[len(y.attribute):], escapeXML(plainText(e)))
			default:
				children = append(children, key)
			}
		}
		switch {
		case len(children) == 0:
			fmt.Fprintf(&y.out, ">%s</%s>\n", escapeXML(text), name)
			return
		case text != "":
			fmt.Fprintf(&y.out, ">%s\n", escapeXML(text))
		default:
			y.out.WriteString(">\n")
		}
		for _, key := range children {
			e, _ := v.Get(key)
			y.element(key, e, depth+1)
		}
		fmt.Fprintf(&y.out, "%s</%s>\n", indent, name)
	default:
		fmt.Fprintf(&y.out, "%s<%s>%s</%s>\n", indent, name, escapeXML(plainText(v)), name)
	}
}

// plainText is a scalar without quotes.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return jq.JSON(v)
}

// decodeCSV returns a list of objects, whose keys the first line has.
func decodeCSV(data []byte, separator rune) ([]any, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = separator, -1, true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, row := range rows[min(1, len(rows)):] {
		o := &jq.Object{}
		for i, key := range rows[0] {
			if i < len(row) {
				o.Put(key, guess(row[i]))
			} else {
				o.Put(key, nil)
			}
		}
		list = append(list, o)
	}
	return []any{list}, nil
}

// guess returns what a field of CSV is: a number, a boolean or a text.
func guess(s string) any {
	switch s {
	case "true", "false":
		return s == "true"
	case "", "null":
		return s
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && jq.JSON(f) == s {
		return f
	}
	return s
}

func encodeCSV(w io.Writer, v any, separator rune) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("csv encoding only works for arrays")
	}
	out := csv.NewWriter(w)
	out.Comma = separator
	row := func(values []any) error {
		fields := make([]string, len(values))
		for i, e := range values {
			fields[i] = plainText(e)
		}
		return out.Write(fields)
	}
	var header []string
	single := false
	for i, e := range list {
		switch e := e.(type) {
		case *jq.Object:
			if i == 0 {
				header = e.Keys()
				if err := out.Write(header); err != nil {
					return err
				}
			}
			values := make([]any, len(header))
			for j, key := range header {
				values[j], _ = e.Get(key)
			}
			if err := row(values); err != nil {
				return err
			}
		case []any:
			if err := row(e); err != nil {
				return err
			}
		default:
			single = true
		}
	}
	if single {
		if err := row(list); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func encodeProps(w *bytes.Buffer, prefix string, v any) {
	dot := func(key string) string {
		if prefix == "" {
			return key
		}
		return prefix + "." + key
	}
	switch v := v.(type) {
	case *jq.Object:
		for _, key := range v.Keys() {
			e, _ := v.Get(key)
			encodeProps(w, dot(key), e)
		}
	case []any:
		for i, e := range v {
			encodeProps(w, dot(strconv.Itoa(i)), e)
		}
	default:
		if prefix == "" {
			fmt.Fprintln(w, plainText(v))
			return
		}
		fmt.Fprintf(w, "%s = %s\n", prefix, plainText(v))
	}
}
