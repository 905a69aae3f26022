package provider

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A lowered schema is one that a provider takes.
type lowered struct {
	schema *node
	// notes say for the tool's description what the root of the schema cannot say.
	notes []string
}

// errNotStrict says that a schema cannot be had in strict mode.
var errNotStrict = errors.New("the schema has values that strict mode cannot describe")

const (
	// maxLevels is how deep a schema is followed, references included. Below that anything can be.
	maxLevels = 64
	// maxWork is how many schemas, and members of them, may be looked at while one is lowered.
	maxWork = 1 << 17
)

var errSchemaTooLong = fmt.Errorf("the schema has more than %d bytes when references are replaced by what they refer to", maxSchema)

// fit brings a schema into the best form that a dialect's rules allow: strict if that is wanted and possible, and with
// references followed as far as that does not make it too long. It reports whether the form is strict.
func fit(root *node, d dialect, strict bool) (low lowered, isStrict bool) {
	if rules := d.rules(strict); rules.strict {
		if low, err := lower(root, rules); err == nil {
			return low, true
		}
	}
	rules := d.rules(false)
	for _, refs := range []int{maxLevels, 4, 2, 1, 0} {
		if low, err := lowerTo(root, rules, refs); err == nil {
			return low, false
		}
	}
	return anything(), false
}

// anything is sent where a schema cannot be described at all.
func anything() lowered {
	return lowered{
		schema: objectNode(member{"type", stringNode("object")}, member{"properties", objectNode()}),
		notes:  []string{"The schema of the arguments is too long to be shown here. They are checked against it."},
	}
}

// lower brings a schema into the form that the rules want.
func lower(root *node, rules *rules) (lowered, error) { return lowerTo(root, rules, maxLevels) }

// lowerTo is lower with at most some references followed one in another.
func lowerTo(root *node, rules *rules, refs int) (lowered, error) {
	l := &lowerer{rules: rules, root: root, draft: draftOf(root), refs: refs}
	top := l.top()
	if l.work > maxWork {
		return lowered{}, errSchemaTooLong
	}
	s := &settler{rules: rules, loose: l.loose}
	schema := s.settle(top.withNotes(nil), 0)
	switch {
	case s.work > maxWork:
		return lowered{}, errSchemaTooLong
	case rules.strict && (s.loose || s.over()):
		return lowered{}, errNotStrict
	}
	size := 0
	for _, note := range top.notes {
		size += len(note)
	}
	if _, err := schema.encode(maxSchema - size); err != nil {
		return lowered{}, errSchemaTooLong
	}
	return lowered{schema, top.notes}, nil
}

// A lowerer lowers one schema.
type lowerer struct {
	rules *rules
	root  *node
	draft int
	work  int
	// refs is how many references are followed one in another.
	refs int
	// targets is what references by name can mean, made when there is one.
	targets map[string]*node
	// loose means that strict mode cannot have the schema.
	loose bool
}

// drafts are versions of JSON Schema.
const (
	draft4    = 4
	draft7    = 7 // and 6
	draft2019 = 2019
	draft2020 = 2020
)

func draftOf(root *node) int {
	uri, _ := root.get("$schema").string()
	switch {
	case strings.Contains(uri, "draft-04"):
		return draft4
	case strings.Contains(uri, "draft-06"), strings.Contains(uri, "draft-07"):
		return draft7
	case strings.Contains(uri, "2019-09"):
		return draft2019
	}
	return draft2020
}

// A place is where in a schema something is.
type place struct {
	// base is what references that begin with # begin at.
	base *node
	// inside is the targets of the references that have led here, the last one first.
	inside *inside
	level  int
	refs   int // how many references have led here
}

type inside struct {
	target *node
	before *inside
}

func (i *inside) has(target *node) bool {
	for ; i != nil; i = i.before {
		if i.target == target {
			return true
		}
	}
	return false
}

// more counts some work, and reports whether there may be more.
func (l *lowerer) more(n int) bool {
	l.work += n
	return l.work <= maxWork
}

// schema returns a schema with no references and no allOf, whose keywords are those that the rules take. What they do
// not take is in its notes, and those of the schemas in it.
func (l *lowerer) schema(n *node, at place) *node {
	at.level++
	if n.is("false") {
		return &node{notes: []string{"Not allowed."}}
	}
	if n.kind != isObject || !l.more(1+len(n.members)) {
		return objectNode()
	}
	if at.level > maxLevels {
		return cutSchema(n, "Nested too deep to be described.")
	}
	if id := n.get("$id"); id != nil && id.kind == isString && n != l.root {
		at.base = n
	}
	refs := l.references(n, at)
	if len(refs) > 0 && l.draft <= draft7 {
		own := objectNode() // all else beside $ref means nothing there
		for _, name := range []string{"title", "description"} {
			if v := n.get(name); v != nil {
				own.set(name, v)
			}
		}
		return l.merge(own, refs[0])
	}
	own, alternatives := l.keywords(n, at)
	for _, ref := range refs {
		own = l.merge(own, ref)
	}
	if all := n.get("allOf"); all != nil {
		for _, one := range all.items {
			own = l.merge(own, l.schema(one, at))
		}
	}
	for _, list := range alternatives {
		own = l.merge(own, l.anyOf(list, at))
	}
	if l.rules.allRequired && (n.get("allOf") != nil || len(alternatives) > 0 || len(refs) > 0 && n.get("properties") != nil) {
		l.loose = l.loose || l.optional(own)
	}
	return own
}

// keywords lowers all of a schema but $ref, allOf, anyOf and oneOf; the last two are returned.
func (l *lowerer) keywords(n *node, at place) (own *node, alternatives [][]*node) {
	own = objectNode()
	var lost []string // keywords that others depend on
	for _, m := range n.members {
		name, v := m.name, m.value
		switch name {
		case "anyOf", "oneOf":
			// Alternatives that have lost something could both be right, and so oneOf becomes anyOf.
			if len(v.items) > 0 {
				alternatives = append(alternatives, v.items)
			}
		case "type", "title", "description", "required":
			own.set(name, v)
		case "properties":
			own.set(name, l.each(v, at))
			l.checkOptional(n, v, at)
		case "patternProperties":
			if l.rules.keep[name] {
				own.set(name, l.each(v, at))
				continue
			}
			if len(v.members) > 0 {
				l.loose = true
				lost = append(lost, "additionalProperties")
				own.notes = append(own.notes, l.sentences(n, m)...)
			}
		case "items":
			if v.is("false") {
				l.noMore(own, n)
			} else if v.kind != isArray {
				own.set(name, l.schema(v, at))
			} else if l.draft < draft2020 {
				l.tuple(own, n, v, &lost, at)
			}
		case "prefixItems":
			if l.draft >= draft2020 {
				l.tuple(own, n, v, &lost, at)
			}
		case "additionalItems":
			if items := n.get("items"); items != nil && items.kind == isArray && l.draft < draft2020 {
				if v.is("false") {
					l.noMore(own, n)
				} else {
					own.set("items", l.schema(v, at))
				}
			}
		case "additionalProperties":
			switch {
			case v.kind != isObject && l.rules.keep[name]:
				own.set(name, v)
			case l.rules.keep[name]:
				own.set(name, l.schema(v, at))
			default:
				own.notes = append(own.notes, l.sentences(n, m)...)
			}
		case "propertyNames":
			if l.rules.keep[name] && l.draft > draft4 {
				own.set(name, l.schema(v, at))
			} else if l.draft > draft4 {
				own.notes = append(own.notes, l.sentences(n, m)...)
			}
		default:
			l.simple(own, n, m)
		}
	}
	for _, name := range lost {
		if v := own.get(name); v != nil {
			own = own.without(name)
		}
	}
	return own, alternatives
}

// each lowers the schemas in an object.
func (l *lowerer) each(n *node, at place) *node {
	c := objectNode()
	if n.kind != isObject {
		return c
	}
	c.members = make([]member, len(n.members))
	for i, m := range n.members {
		c.members[i] = member{m.name, l.schema(m.value, at)}
	}
	return c
}

// tuple lowers the schemas of an array's first items.
func (l *lowerer) tuple(own, n, items *node, lost *[]string, at place) {
	if !l.rules.keep["prefixItems"] {
		// Without it items would be about the first ones, too.
		*lost = append(*lost, "items")
		own.notes = append(own.notes, l.sentences(n, member{"prefixItems", items})...)
		return
	}
	list := &node{kind: isArray}
	for _, item := range items.items {
		list.items = append(list.items, l.schema(item, at))
	}
	if len(list.items) > 0 {
		own.set("prefixItems", list)
	}
}

// noMore says that an array has no more items than there are schemas for its first ones.
func (l *lowerer) noMore(own, n *node) {
	if n.get("maxItems") != nil {
		own.notes = append(own.notes, l.sentences(n, member{"unevaluatedItems", falseNode})...)
		return
	}
	tuple := n.get("prefixItems")
	if l.draft < draft2020 {
		tuple = n.get("items")
	}
	most := 0
	if tuple != nil && tuple.kind == isArray {
		most = len(tuple.items)
	}
	l.simple(own, n, member{"maxItems", &node{kind: isLiteral, text: strconv.Itoa(most)}})
}

// simple takes over a keyword without schemas in it, or turns it into a sentence.
func (l *lowerer) simple(own, n *node, m member) {
	name, v := m.name, m.value
	switch {
	case l.draft == draft4 && (name == "exclusiveMinimum" || name == "exclusiveMaximum"):
		// There it is a flag, which says how minimum is meant.
		bound := n.get(map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[name])
		if !v.is("true") || bound == nil {
			return
		}
		m.value, v = bound, bound
	case l.draft == draft4 && (name == "const" || name == "contains"),
		l.draft < draft2019 && name == "dependentRequired":
		return // it means nothing there
	}
	switch name {
	case "const":
		switch {
		case !l.enumerable(v) && (l.rules.strict || !l.rules.keep[name]):
			own.notes = append(own.notes, l.sentences(n, m)...)
			return
		case !l.rules.keep[name]:
			own.set("enum", arrayNode(v))
			return
		}
	case "enum":
		if len(v.items) == 0 {
			return // nothing fits it, and all refuse it
		}
		for _, item := range v.items {
			if !l.enumerable(item) {
				own.notes = append(own.notes, l.sentences(n, m)...)
				return
			}
		}
	case "format":
		if format, _ := v.string(); l.rules.formats != nil && !l.rules.formats[format] {
			own.notes = append(own.notes, l.sentences(n, m)...)
			return
		}
	case "pattern":
		if pattern, _ := v.string(); l.rules.strict && l.more(len(pattern)/16) && !takesPattern(pattern) {
			own.notes = append(own.notes, l.sentences(n, m)...)
			return
		}
	case "minItems":
		if l.rules.fewItems && v.text != "0" && v.text != "1" {
			own.notes = append(own.notes, l.sentences(n, m)...)
			return
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		// Where only inclusive bounds are known, one is better than none.
		if bound := strings.ToLower(strings.TrimPrefix(name, "exclusive")); !l.rules.keep[name] && l.rules.keep[bound] && n.get(bound) == nil {
			own.set(bound, v)
		}
	}
	if l.rules.keep[name] {
		own.set(name, v)
		return
	}
	own.notes = append(own.notes, l.sentences(n, m)...)
}

// enumerable reports whether a value may be one of an enum, or a const. Strict mode has only those that are neither objects,
// which would have to be closed, nor arrays, which would have to have items.
func (l *lowerer) enumerable(v *node) bool {
	switch {
	case l.rules.strict:
		return v.kind == isString || v.kind == isLiteral
	case l.rules.plainEnums:
		return v.kind == isString || v.kind == isLiteral && v.isNumber()
	}
	return true
}

// anyOf lowers alternatives.
func (l *lowerer) anyOf(list []*node, at place) *node {
	var alternatives []*node
	seen := map[string]bool{}
	for _, n := range list {
		if n.is("false") {
			continue
		}
		a := l.schema(n, at)
		if len(a.members) == 0 {
			// Anything is right; what the others say is not needed.
			if len(a.notes) > 0 {
				return &node{notes: l.sentences(nil, member{"anyOf", arrayNode(list...)})}
			}
			return objectNode()
		}
		if key := l.key(a); !seen[key] {
			alternatives, seen[key] = append(alternatives, a), true
		}
	}
	switch len(alternatives) {
	case 0:
		return objectNode()
	case 1:
		return alternatives[0]
	}
	return objectNode(member{"anyOf", &node{kind: isArray, items: alternatives}})
}

// key is the same for schemas that are alike, with their notes.
func (l *lowerer) key(n *node) string {
	e := nodeEncoder{limit: maxSchema}
	e.node(n)
	l.more(len(e.out) / 64)
	return string(e.out) + strings.Join(n.notes, "\n")
}

// cutSchema is what remains of a schema that is not followed.
func cutSchema(n *node, note string) *node {
	c := &node{notes: []string{note}}
	if t := n.get("type"); t != nil {
		c.set("type", t)
	}
	return c
}

// withNotes returns a copy of an object with other notes.
func (n *node) withNotes(notes []string) *node {
	return &node{members: slices.Clip(n.members), notes: notes}
}

// describe sets the description, if there is one.
func (n *node) describe(text string) {
	if text = valid(text); strings.TrimSpace(text) != "" {
		n.set("description", stringNode(text))
	}
}

// paragraphs adds notes to a description, behind an empty line.
func paragraphs(text string, notes []string) string {
	if len(notes) == 0 {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n\n%s", strings.TrimSpace(text), strings.Join(notes, "\n")))
}
