package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// Repair returns a schema that [Compile] accepts, made of one that may not be: keywords of old drafts are translated,
// and those that cannot be understood are left out where they stand. What is left never refuses a value that the schema
// allows. Keywords whose texts are hidden, other than descriptions, are left out as well; nil hides none. lost names
// what is left out that could matter, with the reason. The schema must be one of objects, and gets that type if it has
// none.
//
// An error means that too little of the schema is understood, or that it exceeds the limits of Compile.
func Repair(raw json.RawMessage, hidden func(text string) bool) (repaired json.RawMessage, lost []string, err error) {
	root, err := jsontree.Parse(raw)
	if err != nil {
		return nil, nil, err
	}
	if root.Kind != jsontree.Object {
		return nil, nil, errors.New("it is not a JSON object")
	}
	if hidden == nil {
		hidden = func(string) bool { return false }
	}
	before, err := root.Encode(maxSchema)
	if err != nil {
		return nil, nil, err
	}
	r := &repairer{root: root, hidden: hidden}
	for _, r.plain = range []bool{false, true} {
		if err := r.repair(); err != nil {
			return nil, nil, err
		}
		if repaired, err = root.Encode(maxSchema); err != nil {
			return nil, nil, err
		}
		if string(repaired) == string(before) { // as it is written
			if _, err := Compile(raw); err == nil {
				return raw, r.lost, nil
			}
		}
		if _, err = Compile(repaired); err == nil {
			return repaired, r.lost, nil
		}
	}
	return nil, nil, err
}

// A repairer repairs a schema in place.
type repairer struct {
	root   *jsontree.Node
	hidden func(string) bool
	plain  bool // leave out all that makes schemas difficult: references and patterns
	lost   []string

	narrowed bool // the root allowed more than objects, which what refers to it still should

	draft    Draft
	base     string // the root's id
	anchors  map[string]bool
	patterns int // the size of all regular expressions
	seen     map[*jsontree.Node]bool
	order    []*jsontree.Node // those seen
	places   map[*jsontree.Node]string
	// parents are the schemas that apply a schema. loose are schemas that allow more than before.
	parents map[*jsontree.Node][]*jsontree.Node
	loose   map[*jsontree.Node]bool
	refs    []repairedRef
}

// A repairedRef is a reference in a schema. foreign means that it stands inside of a schema with its own id.
type repairedRef struct {
	of            *jsontree.Node
	keyword, text string
	foreign       bool
}

func (r *repairer) repair() error {
	r.anchors, r.seen, r.places = map[string]bool{}, map[*jsontree.Node]bool{}, map[*jsontree.Node]string{}
	r.parents, r.loose = map[*jsontree.Node][]*jsontree.Node{}, map[*jsontree.Node]bool{}
	r.order, r.refs, r.patterns = nil, nil, 0
	if err := r.object(); err != nil {
		return err
	}
	if text, ok := r.root.Get("$schema").AsText(); !ok || !knownDrafts().MatchString(text) {
		r.remove(r.root, "$schema")
	}
	r.draft = draftOf(r.root)
	id := r.draft.id()
	r.base = strings.TrimSuffix(r.root.GetText(id), "#")
	if _, err := url.Parse(r.base); err != nil || r.plain ||
		r.root.Get(id) != nil && (r.base == "" || strings.Contains(r.base, "#")) {
		r.remove(r.root, id)
	}
	document := NewDocument(r.root)
	document.References(r.root) // finds the anchors
	r.schema(r.root, "", false)
	for i := 0; i < len(r.refs); i++ { // r.refs grows
		r.reference(document, r.refs[i])
	}
	r.breakCycles(document)
	r.loosen()
	return nil
}

var knownDrafts = lazyregexp.New(`^https?://json-schema\.org/(draft-0[467]|draft/2019-09|draft/2020-12)/schema#?$`)

// object sees to it that the schema is one of objects.
func (r *repairer) object() error {
	is := r.root.Get("type")
	if is == nil || is.Is("null") {
		r.narrowed = true
		r.remove(r.root, "type")
		r.root.Members = slices.Insert(r.root.Members, 0,
			jsontree.Member{Name: "type", Value: jsontree.NewString("object")})
		return nil
	}
	types, ok := r.types(is)
	if !ok || !slices.Contains(types, "object") {
		return errors.New("its type is not object")
	}
	if r.root.GetText("type") != "object" {
		r.narrowed = r.narrowed || len(types) != 1
		r.root.Set("type", jsontree.NewString("object"))
	}
	return nil
}

func (r *repairer) remove(n *jsontree.Node, names ...string) {
	n.Keep(func(m *jsontree.Member) bool { return !slices.Contains(names, m.Name) })
}

// lose records that a keyword of a schema is left out. The reason may be empty.
func (r *repairer) lose(n *jsontree.Node, keyword, reason string) {
	r.loose[n] = true
	r.note(n, keyword, reason)
}

// mostLost is how many notes there are at most.
const mostLost = 100

func (r *repairer) note(n *jsontree.Node, keyword, reason string) {
	if len(r.lost) >= mostLost {
		return
	}
	note := plaintext.Cut(r.places[n], 200) + "/" + plaintext.Cut(keyword, 100)
	if reason != "" {
		note += " (" + plaintext.Cut(reason, 200) + ")"
	}
	r.lost = append(r.lost, note)
}

// schema repairs a schema at a place and all in it.
func (r *repairer) schema(n *jsontree.Node, place string, foreign bool) {
	if r.seen[n] || len(r.order) > maxSchemas { // which Compile refuses
		return
	}
	r.seen[n] = true
	r.order = append(r.order, n)
	r.places[n] = place
	r.translate(n)
	id := r.draft.id()
	if text, ok := n.Get(id).AsText(); ok && n != r.root {
		if r.plain {
			r.remove(n, id)
		} else if !strings.HasPrefix(text, "#") {
			foreign = true
		} else if r.draft >= Draft2019 {
			r.remove(n, id)
		}
	}
	k := keywords{repairer: r, n: n, foreign: foreign}
	n.Keep(k.keep)
	for _, ref := range k.unfollowed {
		r.loseRef(ref, "it cannot be followed")
	}
	if len(k.drop) > 0 {
		r.remove(n, k.drop...)
	}
	if k.describes != "" {
		describe(n, "It must match the regular expression %s", k.describes)
	}
}

// child repairs a schema in another one.
func (r *repairer) child(n, inside *jsontree.Node, place string, foreign bool) {
	r.parents[inside] = append(r.parents[inside], n)
	r.schema(inside, place, foreign)
}

// translate replaces keywords of other drafts, and of OpenAPI, by those of the draft.
func (r *repairer) translate(n *jsontree.Node) {
	for _, bound := range []string{"minimum", "maximum"} {
		exclusive := "exclusiveM" + bound[1:]
		value := n.Get(exclusive)
		switch limit := n.Get(bound); {
		case r.draft == Draft4 && value.IsNumber() && limit == nil:
			n.Set(bound, value)
			n.Set(exclusive, jsontree.True)
		case r.draft != Draft4 && value.Is("true") && limit != nil:
			n.Set(exclusive, limit)
			r.remove(n, bound)
		case r.draft != Draft4 && (value.Is("true") || value.Is("false")):
			r.remove(n, exclusive)
		}
	}
	if items := n.Get("items"); r.draft == Draft2020 && items != nil && items.Kind == jsontree.Array &&
		n.Get("prefixItems") == nil {
		rest := n.Get("additionalItems")
		r.remove(n, "items", "additionalItems")
		if len(items.Items) > 0 {
			n.Set("prefixItems", items)
		}
		if rest != nil {
			n.Set("items", rest)
		}
	}
	if factor := n.Get("divisibleBy"); factor != nil && n.Get("multipleOf") == nil {
		r.remove(n, "divisibleBy")
		n.Set("multipleOf", factor)
	}
	if n.Get("nullable").Is("true") && n.Get("type") != nil {
		if types, ok := r.types(n.Get("type")); ok && len(types) > 0 && !slices.Contains(types, "null") && n != r.root {
			n.Set("type", jsontree.NewStrings(append(types, "null")))
		}
		if values := n.Get("enum"); values != nil && values.Kind == jsontree.Array &&
			!slices.ContainsFunc(values.Items, func(v *jsontree.Node) bool { return v.Is("null") }) {
			n.Set("enum", jsontree.NewArray(append(slices.Clip(values.Items), jsontree.Null)...))
		}
		r.remove(n, "nullable")
	}
	properties := n.Object("properties")
	if properties == nil {
		return
	}
	var needed []string
	for _, m := range properties.Members {
		if of := m.Value.Get("required"); of.Is("true") || of.Is("false") { // of the property, before draft 4
			r.remove(m.Value, "required")
			if of.Is("true") {
				needed = append(needed, m.Name)
			}
		}
	}
	if name, ok := n.Get("required").AsText(); ok && properties.Get(name) != nil {
		n.Set("required", jsontree.NewStrings([]string{name}))
	}
	if len(needed) > 0 {
		n.Set("required", jsontree.NewStrings(append(n.Get("required").Texts(), needed...)))
	}
}

// typeAliases are what other languages call types.
var typeAliases = map[string]string{
	"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number",
	"decimal": "number", "bool": "boolean", "dict": "object", "map": "object", "list": "array", "tuple": "array",
	"none": "null", "nil": "null",
}

// types returns the types that a keyword names, without "any". It is not ok if there are others.
func (r *repairer) types(value *jsontree.Node) (types []string, ok bool) {
	names := []*jsontree.Node{value}
	if value.Kind == jsontree.Array {
		names = value.Items
	}
	for _, n := range names {
		name, ok := n.AsText()
		if !ok || len(name) > 20 {
			return nil, false
		}
		if name = strings.ToLower(strings.TrimSpace(name)); typeAliases[name] != "" {
			name = typeAliases[name]
		}
		switch {
		case name == "any":
			return nil, true
		case namedType(name) == NoTypes:
			return nil, false
		case !slices.Contains(types, name):
			types = append(types, name)
		}
	}
	return types, len(types) > 0
}

// reference leaves a reference out that leads nowhere, and repairs what it leads to.
func (r *repairer) reference(document *Document, ref repairedRef) {
	text := ref.text
	if rest, ok := strings.CutPrefix(text, r.base); ok && r.base != "" && (rest == "" || rest[0] == '#') {
		text = "#" + strings.TrimPrefix(rest, "#")
		ref.of.Set(ref.keyword, jsontree.NewString(text))
	}
	target := document.target(text)
	switch {
	case ref.foreign:
		r.loseRef(ref, "in a schema with an id of its own")
	case !strings.HasPrefix(text, "#"):
		r.loseRef(ref, "it leads to another document")
	case target == nil || target.Kind != jsontree.Object && !target.Is("true") && !target.Is("false"):
		r.loseRef(ref, "it leads nowhere")
	case target == r.root && r.narrowed:
		r.loseRef(ref, "it leads to the root, which allowed more than objects")
	case target.Kind == jsontree.Object:
		r.parents[target] = append(r.parents[target], ref.of)
		r.schema(target, strings.TrimPrefix(text, "#"), false)
	}
}

func (r *repairer) loseRef(ref repairedRef, reason string) {
	r.lose(ref.of, ref.keyword, reason)
	if r.remove(ref.of, ref.keyword); r.draft <= Draft7 { // other keywords meant nothing beside it
		ref.of.Keep(func(m *jsontree.Member) bool {
			return slices.Contains([]string{"$schema", "title", "description", "definitions", "$defs"}, m.Name) ||
				ref.of == r.root && m.Name == "type"
		})
	}
}

// breakCycles leaves references out by which a schema would apply itself to the same value, without end.
func (r *repairer) breakCycles(document *Document) {
	state := map[*jsontree.Node]int{} // 1: being visited, 2: done
	var path []repairedRef            // the references followed so far
	var visit func(n *jsontree.Node)
	visit = func(n *jsontree.Node) {
		state[n] = 1
		follow := func(inside *jsontree.Node) {
			switch {
			case inside == nil || inside.Kind != jsontree.Object || state[inside] == 2:
			case state[inside] == 0:
				visit(inside)
			case len(path) > 0:
				if last := path[len(path)-1]; last.of.Get(last.keyword) != nil {
					r.loseRef(last, "it leads back to itself")
				}
			}
		}
		for _, keyword := range referenceWords[:3] {
			if text, ok := n.Get(keyword).AsText(); ok {
				path = append(path, repairedRef{of: n, keyword: keyword})
				follow(document.target(text))
				path = path[:len(path)-1]
			}
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			for _, part := range n.List(keyword) {
				follow(part)
			}
		}
		for _, keyword := range []string{"not", "if", "then", "else"} {
			follow(n.Get(keyword))
		}
		state[n] = 2
	}
	for _, n := range r.order {
		if state[n] == 0 {
			visit(n)
		}
	}
}

// loosen leaves keywords out that would refuse more values because schemas in them allow more.
func (r *repairer) loosen() {
	for queue := r.looseOnes(); len(queue) > 0; queue = queue[1:] {
		for _, parent := range r.parents[queue[0]] {
			if !r.loose[parent] {
				r.loose[parent] = true
				queue = append(queue, parent)
			}
		}
	}
	const because = "something in it is left out"
	for _, n := range r.order {
		if !r.loose[n] {
			continue
		}
		if r.loose[n.Get("not")] {
			r.remove(n, "not")
			r.note(n, "not", because)
		}
		if r.loose[n.Get("if")] {
			r.remove(n, "if", "then", "else")
			r.note(n, "if", because)
		}
		if slices.ContainsFunc(n.List("oneOf"), func(part *jsontree.Node) bool { return r.loose[part] }) {
			either := n.Get("oneOf")
			if r.remove(n, "oneOf"); n.Get("anyOf") == nil {
				n.Set("anyOf", either)
			} else {
				r.note(n, "oneOf", because)
			}
		}
		if r.loose[n.Get("contains")] {
			r.remove(n, "maxContains")
		}
		for _, keyword := range []string{"unevaluatedProperties", "unevaluatedItems"} {
			if n.Get(keyword) != nil {
				r.remove(n, keyword)
				r.note(n, keyword, because)
			}
		}
	}
}

func (r *repairer) looseOnes() []*jsontree.Node {
	var list []*jsontree.Node
	for _, n := range r.order {
		if r.loose[n] {
			list = append(list, n)
		}
	}
	return list
}

// token returns a name as a step of a JSON pointer.
func token(name string) string { return pointer([]string{name}) }

func step(i int) string { return "/" + strconv.Itoa(i) }

// describe adds a sentence to the description of a schema.
func describe(n *jsontree.Node, format string, args ...any) {
	text := strings.TrimSpace(n.GetText("description"))
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	n.Set("description", jsontree.NewString(strings.TrimSpace(text+" "+fmt.Sprintf(format, args...))))
}
