package xmlcall

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/registry"
)

// A contract is what a definition says of a tool's arguments.
type contract struct {
	document
	params []field
	index  map[string]int // of params, by name
	known  sync.Map       // facts, by the schema
}

// facts are what is asked of a schema for each value that is to fit it.
type facts struct {
	allowed types
	// texts are those that it names as values.
	texts map[string]bool
	// items is the schema of items, or nil.
	items any
}

// about returns what is known of a schema. It is found out once.
func (c *contract) about(schema any) *facts {
	o, ok := schema.(*object)
	if !ok {
		return &facts{allowed: c.types(schema)}
	}
	if known, ok := c.known.Load(o); ok {
		return known.(*facts)
	}
	f := &facts{allowed: c.types(o), texts: c.textsOf(o), items: c.part(o, typeArray, "items").get("items")}
	c.known.Store(o, f)
	return f
}

type contractKey struct{}

// contractOf returns the contract of a definition. It is made once.
func contractOf(d *registry.Definition) *contract {
	if d.Input == nil {
		return &contract{}
	}
	made, err := d.Derive(contractKey{}, func() (any, error) {
		schema, err := decodeOrdered(d.Input.JSON())
		if err != nil {
			return nil, err
		}
		root, _ := schema.(*object)
		c := &contract{document: document{root}}
		c.params, c.index = c.fields(root), map[string]int{}
		for i, f := range c.params {
			c.index[f.name] = i
		}
		return c, nil
	})
	if err != nil { // the schema has been compiled, and so is JSON
		return &contract{}
	}
	return made.(*contract)
}

// input makes the arguments of a call of its params. The error has a line for each param that cannot be what it
// should be.
func (c *contract) input(params []Param) (json.RawMessage, error) {
	type argument struct {
		name, key string // as in the schema, and as written
		schema    any
		known     bool
		values    []string
	}
	var arguments []*argument
	byName := map[string]*argument{}
	for _, p := range params {
		name, schema, known := c.param(p.Key)
		a := byName[name]
		if a == nil {
			a = &argument{name: name, key: p.Key, schema: schema, known: known}
			byName[name] = a
			arguments = append(arguments, a)
		}
		a.values = append(a.values, p.Value)
	}
	var w objectWriter
	var problems []string
	for _, a := range arguments {
		read := c.values
		if !a.known {
			read = asWritten
		}
		raw, err := read(a.schema, a.key, a.values)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		w.member(a.name, raw)
	}
	if len(problems) > 0 {
		return nil, &registry.ModelError{Text: strings.Join(problems, "\n"), Code: registry.CodeInvalidInput}
	}
	return w.bytes(), nil
}

// param returns the property that a key stands for. Where the key is no property, it can be the singular or the plural of one
// that is an array. What is not known is kept, so that validation says so.
func (c *contract) param(key string) (name string, schema any, known bool) {
	if i, ok := c.index[key]; ok {
		return key, c.params[i].schema, true
	}
	var alike []field
	for _, other := range plurals(key) {
		if i, ok := c.index[other]; ok {
			f := c.params[i]
			if t := c.about(f.schema).allowed; t.has(typeArray) && t != anyType {
				alike = append(alike, f)
			}
		}
	}
	if len(alike) == 1 {
		return alike[0].name, alike[0].schema, true
	}
	if o := c.root.object("additionalProperties"); o != nil {
		return key, o, true
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
func asWritten(_ any, _ string, values []string) (json.RawMessage, error) {
	if len(values) == 1 {
		return encodeText(values[0]), nil
	}
	list := make([]json.RawMessage, len(values))
	for i, v := range values {
		list[i] = encodeText(v)
	}
	return encodeList(list), nil
}

// values makes of the values of a key what the schema wants.
func (c *contract) values(schema any, key string, values []string) (json.RawMessage, error) {
	about := c.about(schema)
	allowed := about.allowed
	onlyList := allowed&^typeNull == typeArray
	switch {
	case len(values) > 1 && !allowed.has(typeArray):
		return nil, registry.Errorf("Parameter '%s' is given %d times, and can be given once", short(key), len(values))
	case len(values) == 1 && !(onlyList && !(allowed.has(typeNull) && strings.TrimSpace(values[0]) == "null")):
		return c.value(schema, key, values[0])
	}
	items := about.items
	elements := []json.RawMessage{}
	if len(values) == 1 && (values[0] == "" || !c.about(items).allowed.has(typeString) && strings.TrimSpace(values[0]) == "") {
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

// listText reads a text that is a JSON array of what the items can be.
func (c *contract) listText(items any, text string) (elements []json.RawMessage, ok bool) {
	raw := jsonText(text, '[')
	if raw == nil || jsontree.Check(raw, jsontree.Limits{Values: maxValues}) != nil || json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	allowed := c.about(items).allowed
	for _, e := range elements {
		if !allowed.has(typesOfText(e)) {
			return nil, false
		}
	}
	return elements, true
}

// typesOfText returns the types that a schema can have for a value, which is valid JSON without white space around it.
func typesOfText(raw json.RawMessage) types {
	switch raw[0] {
	case '"':
		return typeString
	case '{':
		return typeObject
	case '[':
		return typeArray
	case 't', 'f':
		return typeBoolean
	case 'n':
		return typeNull
	}
	return typeOfValue(json.Number(raw)) | typeNumber
}

// value makes of one text what the schema wants. Where text is allowed and something else, too, it is what it reads as.
func (c *contract) value(schema any, key, text string) (json.RawMessage, error) {
	about := c.about(schema)
	allowed := about.allowed
	isText := allowed.has(typeString)
	trimmed := strings.TrimSpace(text)
	if allowed == typeString || about.texts[text] {
		return encodeText(text), nil
	}
	// Where it can be text, white space or capitals may be what matters.
	word := text
	if !isText {
		word = strings.ToLower(trimmed)
	}
	if allowed.has(typeNull) && (word == "null" || word == "" && !isText) {
		return json.RawMessage("null"), nil
	}
	if allowed.has(typeBoolean) && (word == "true" || word == "false") {
		return json.RawMessage(word), nil
	}
	if allowed.has(typeInteger|typeNumber) && (!isText || text == trimmed) && isNumber(trimmed) {
		if !allowed.has(typeNumber) && isInteger(trimmed) {
			return json.RawMessage(plainInteger(trimmed)), nil
		}
		if allowed.has(typeNumber) {
			return json.RawMessage(trimmed), nil
		}
	}
	if allowed.has(typeArray) {
		if list, ok := c.listText(about.items, text); ok {
			return encodeList(list), nil
		}
	}
	if allowed.has(typeObject) {
		if raw := jsonText(text, '{'); raw != nil {
			return raw, nil
		}
	}
	if isText {
		return encodeText(text), nil
	}
	want := allowed
	if want != typeNull {
		want &^= typeNull
	}
	problem := ""
	if want == typeObject || want == typeArray {
		if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil {
			problem = ": " + err.Error()
		}
	}
	return nil, registry.Errorf("Failed to parse '%s' as %v for parameter '%s'%s", short(text), want, short(key), problem)
}

// textsOf returns the texts that a schema names as values.
func (d document) textsOf(schema any) map[string]bool {
	texts := map[string]bool{}
	add := func(v any) {
		if text, ok := v.(string); ok {
			texts[text] = true
		}
	}
	d.each(schema, func(o *object) bool {
		value, _ := o.lookup("const")
		add(value)
		for _, v := range o.list("enum") {
			add(v)
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

// isInteger reports whether a JSON number has no fraction, as JSON Schema has it: 1.0 is one.
func isInteger(number string) bool {
	_, ok := wholeDigits(number)
	return ok
}

// plainInteger writes an integer as programs want it: 1e3 as 1000. What would be longer than numbers may be stays as
// it is.
func plainInteger(number string) string {
	if digits, ok := wholeDigits(number); ok && len(digits) <= maxDigits {
		return digits
	}
	return number
}

// What the registry lets pass as a number.
const (
	maxDigits   = 1000
	maxExponent = 999
)

// wholeDigits writes a JSON number without a point and an exponent. ok is false if it has a fraction, or cannot pass.
func wholeDigits(number string) (digits string, ok bool) {
	if !strings.ContainsAny(number, ".eE") {
		return number, true
	}
	exponent := 0
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[e+1:]); err != nil || max(exponent, -exponent) > maxExponent {
			return "", false
		}
		number = number[:e]
	}
	if len(number) > maxDigits {
		return "", false
	}
	number, negative := strings.CutPrefix(number, "-")
	whole, fraction, _ := strings.Cut(number, ".")
	digits, point := whole+fraction, len(whole)+exponent
	if point < len(digits) {
		point = max(point, 0)
		if strings.Trim(digits[point:], "0") != "" {
			return "", false
		}
		digits = digits[:point]
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0", true
	}
	digits += strings.Repeat("0", max(point-len(whole+fraction), 0))
	if negative {
		digits = "-" + digits
	}
	return digits, true
}
