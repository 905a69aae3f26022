package xmlcall

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// A contract is what a definition says of a tool's arguments.
type contract struct {
	*schema.Document
	*object          // the arguments
	known   sync.Map // facts, by the schema
}

// An object is what is known of the properties of an object.
type object struct {
	schema *jsontree.Node
	params []schema.Field
	index  map[string]int // of params, by name
}

func objectOf(d *schema.Document, of *jsontree.Node) *object {
	o := &object{schema: of, params: d.Fields(of), index: map[string]int{}}
	for i, f := range o.params {
		o.index[f.Name] = i
	}
	return o
}

// facts are the properties of a schema that every conversion of a value needs.
type facts struct {
	allowed schema.Types
	// texts are those that it names as values.
	texts map[string]bool
	// items is the schema of items, or nil.
	items *jsontree.Node
	// object returns what is known of the properties.
	object func() *object
}

// about returns what is known of a schema. It is found out once.
func (c *contract) about(of *jsontree.Node) *facts {
	if of == nil {
		return &facts{allowed: schema.AnyType, object: func() *object { return &object{} }}
	}
	if known, ok := c.known.Load(of); ok {
		return known.(*facts)
	}
	f := &facts{allowed: c.Meant(of), texts: c.textsOf(of), items: c.Find(of, schema.Array, "items").Get("items"),
		object: sync.OnceValue(func() *object { return objectOf(c.Document, of) })}
	c.known.Store(of, f)
	return f
}

type contractKey struct{}

// noContract knows nothing of any argument.
func noContract() *contract {
	return &contract{Document: schema.NewDocument(jsontree.NewObject()), object: &object{}}
}

// contractOf returns the contract of a definition, which can be nil. It is made once.
func contractOf(d *tool.Definition) *contract {
	if d == nil || d.Input == nil {
		return noContract()
	}
	made, err := d.Derive(contractKey{}, func() (any, error) {
		document, err := schema.Parse(d.Input)
		if err != nil {
			return nil, err
		}
		return &contract{Document: document, object: objectOf(document, document.Root)}, nil
	})
	if err != nil { // the schema has been compiled, and so can be parsed
		return noContract()
	}
	return made.(*contract)
}

// input makes the arguments of a call of its params. The error has a line for each param that cannot be what it
// should be.
func (c *contract) input(b Block) (json.RawMessage, error) {
	list := make([]given, 0, len(b.Params))
	elements := b.elements
	for i := 0; i < len(b.Params); {
		g := given{key: b.Params[i].Key}
		end := i + 1
		if len(elements) > 0 && elements[0].first == i {
			g.element, end = &elements[0], i+elements[0].params
			elements = elements[1:]
		}
		for ; i < end; i++ {
			g.values = append(g.values, b.Params[i].Value)
		}
		list = append(list, g)
	}
	return c.properties(c.object, list)
}

// A given is what a key has where it stands once: values, an element that they were made of, or both.
type given struct {
	key     string
	values  []string
	element *element
}

// properties makes an object of what is given for its keys.
func (c *contract) properties(o *object, list []given) (json.RawMessage, error) {
	type argument struct {
		name, key string // as in the schema, and as written
		schema    *jsontree.Node
		known     bool
		given     []given
	}
	var arguments []*argument
	byName := map[string]*argument{}
	for _, g := range list {
		name, of, known := c.param(o, g.key)
		a := byName[name]
		if a == nil {
			a = &argument{name: name, key: g.key, schema: of, known: known}
			byName[name] = a
			arguments = append(arguments, a)
		}
		a.given = append(a.given, g)
	}
	object := []byte{'{'}
	member := func(name string, value json.RawMessage) {
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(jsontree.AppendString(object, name), ':'), value...)
	}
	var problems []string
	for _, a := range arguments {
		if !a.known {
			member(a.name, asWritten(valuesOf(a.given)))
			continue
		}
		raw, err := c.nested(a.schema, a.key, elementsOf(a.given))
		if raw == nil && err == nil {
			raw, err = c.values(a.schema, a.key, valuesOf(a.given))
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		member(a.name, raw)
	}
	if len(problems) > 0 {
		return nil, &tool.ModelError{Text: strings.Join(problems, "\n"), Code: tool.CodeInvalidInput}
	}
	return append(object, '}'), nil
}

func valuesOf(list []given) (values []string) {
	for _, g := range list {
		if g.values == nil {
			g.values = []string{g.element.text()}
		}
		values = append(values, g.values...)
	}
	return values
}

// elementsOf returns the elements of what is given, or nil if there is something else.
func elementsOf(list []given) []*element {
	elements := make([]*element, len(list))
	for i, g := range list {
		if g.element == nil {
			return nil
		}
		elements[i] = g.element
	}
	return elements
}

// param returns the property for a key. A key that is not a property can be the singular or the plural of an array
// property. An unknown key is kept, so that validation reports it.
func (c *contract) param(o *object, key string) (name string, of *jsontree.Node, known bool) {
	if i, ok := o.index[key]; ok {
		return key, o.params[i].Schema, true
	}
	var alike []schema.Field
	for _, other := range plurals(key) {
		if i, ok := o.index[other]; ok {
			f := o.params[i]
			if t := c.about(f.Schema).allowed; t.Has(schema.Array) && t != schema.AnyType {
				alike = append(alike, f)
			}
		}
	}
	if len(alike) == 1 {
		return alike[0].Name, alike[0].Schema, true
	}
	if others := o.schema.Object("additionalProperties"); others != nil {
		return key, others, true
	}
	return key, nil, false
}

// plurals returns what may be the plural of a name, and what it may be the plural of.
func plurals(name string) []string {
	if name == "" {
		return nil
	}
	names := []string{name + "s", name + "es"}
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		names = append(names, stem+"ies")
	}
	for _, end := range []struct{ plural, singular string }{{"s", ""}, {"es", ""}, {"ies", "y"}} {
		if stem, ok := strings.CutSuffix(name, end.plural); ok && stem+end.singular != "" {
			names = append(names, stem+end.singular)
		}
	}
	return names
}

// asWritten makes text of the values of a key that is not known.
func asWritten(values []string) json.RawMessage {
	if len(values) == 1 {
		return encodeText(values[0])
	}
	list := make([]json.RawMessage, len(values))
	for i, v := range values {
		list[i] = encodeText(v)
	}
	return encodeList(list)
}

// values makes of the values of a key what the schema wants.
func (c *contract) values(of *jsontree.Node, key string, values []string) (json.RawMessage, error) {
	about := c.about(of)
	allowed := about.allowed
	onlyList := allowed&^schema.Null == schema.Array
	switch {
	case len(values) > 1 && !allowed.Has(schema.Array):
		return nil, tool.Errorf("Parameter '%s' is given %d times, and can be given once", short(key), len(values))
	case len(values) == 1 && !(onlyList && !(allowed.Has(schema.Null) && strings.TrimSpace(values[0]) == "null")):
		return c.value(of, key, values[0])
	}
	items := about.items
	elements := []json.RawMessage{}
	if len(values) == 1 && (values[0] == "" ||
		!c.about(items).allowed.Has(schema.String) && strings.TrimSpace(values[0]) == "") {
		return encodeList(elements), nil
	}
	for _, v := range values {
		if list, ok := c.listText(items, v); ok {
			elements = append(elements, list...)
			continue
		}
		raw, err := c.value(items, key, v)
		if err != nil {
			return nil, err
		}
		elements = append(elements, raw)
	}
	return encodeList(elements), nil
}

// maxValues is how many values, and names of members, a list may have. The registry takes fewer.
const maxValues = 200_000

// listText reads a text that is a JSON array of what the items can be, or of texts for it.
func (c *contract) listText(items *jsontree.Node, text string) (elements []json.RawMessage, ok bool) {
	raw := jsonText(text, '[')
	if raw == nil || jsontree.Check(raw, jsontree.Limits{Values: maxValues}) != nil ||
		json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	allowed := c.about(items).allowed
	for i, e := range elements {
		if allowed.Has(typesOfText(e)) {
			continue
		}
		var item string
		if json.Unmarshal(e, &item) != nil {
			return nil, false
		}
		var err error
		if elements[i], err = c.value(items, "", item); err != nil {
			return nil, false
		}
	}
	return elements, true
}

// typesOfText returns the type of a value, which is valid JSON without white space around it.
func typesOfText(raw json.RawMessage) schema.Types {
	switch raw[0] {
	case '"':
		return schema.String
	case '{':
		return schema.Object
	case '[':
		return schema.Array
	case 't', 'f':
		return schema.Boolean
	case 'n':
		return schema.Null
	}
	return schema.TypeOf(jsontree.NewNumber(string(raw)))
}

// value makes of one text what the schema wants. Where text is allowed and something else, too, it is what it reads as.
func (c *contract) value(of *jsontree.Node, key, text string) (json.RawMessage, error) {
	about := c.about(of)
	allowed := about.allowed
	isText := allowed.Has(schema.String)
	trimmed := strings.TrimSpace(text)
	if allowed == schema.String || about.texts[text] {
		return encodeText(text), nil
	}
	// Where it can be text, white space or capitals may be what matters.
	word := text
	if !isText {
		word = strings.ToLower(trimmed)
	}
	if allowed.Has(schema.Null) && (word == "null" || word == "" && !isText) {
		return json.RawMessage("null"), nil
	}
	if allowed.Has(schema.Boolean) && (word == "true" || word == "false") {
		return json.RawMessage(word), nil
	}
	if allowed.Has(schema.Number) && (!isText || text == trimmed) && isNumber(trimmed) {
		if allowed.Has(schema.Fraction) {
			return json.RawMessage(trimmed), nil
		}
		if digits, ok := jsontree.Integer(trimmed); ok {
			return json.RawMessage(digits), nil
		}
	}
	if allowed.Has(schema.Array) {
		if list, ok := c.listText(about.items, text); ok {
			return encodeList(list), nil
		}
	}
	if allowed.Has(schema.Object) {
		if raw := jsonText(text, '{'); raw != nil {
			return raw, nil
		}
	}
	if isText {
		return encodeText(text), nil
	}
	want := allowed
	if want != schema.Null {
		want &^= schema.Null
	}
	problem := ""
	if want == schema.Object || want == schema.Array {
		if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil {
			problem = ": " + err.Error()
		}
	}
	return nil, tool.Errorf("Failed to parse '%s' as %v for parameter '%s'%s",
		short(text), want, short(key), problem)
}

// textsOf returns the texts that a schema names as values.
func (c *contract) textsOf(of *jsontree.Node) map[string]bool {
	texts := map[string]bool{}
	c.Each(of, func(part *jsontree.Node) bool {
		for _, v := range append([]*jsontree.Node{part.Get("const")}, part.List("enum")...) {
			if text, ok := v.AsText(); ok {
				texts[text] = true
			}
		}
		return true
	})
	return texts
}

// jsonText returns a text that is JSON and begins with a character, without white space, or nil.
func jsonText(text string, first byte) json.RawMessage {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != first {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(trimmed)) != nil {
		return nil
	}
	return b.Bytes()
}

// isNumber reports whether text is a number as JSON has them.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}

// encodeText encodes a string.
func encodeText(s string) json.RawMessage { return jsontree.AppendString(nil, s) }

// encodeList puts a JSON array together.
func encodeList(values []json.RawMessage) json.RawMessage {
	raw, _ := jsontree.Marshal(values) // they are valid
	return raw
}
