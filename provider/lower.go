package provider

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// A lowered schema is one that a provider accepts.
type lowered struct {
	schema *node
	// notes are sentences for the tool's description that the root of the schema cannot express.
	notes []string
}

// errNotStrict means that strict mode cannot express a schema.
var errNotStrict = errors.New("the schema has values that strict mode cannot describe")

const (
	// maxLevels limits how deep a schema is followed, references included. Deeper values can be anything.
	maxLevels = 64
	// maxWork limits the number of schemas and members that are visited while one schema is lowered.
	maxWork = 1 << 17
)

var errSchemaTooLong = fmt.Errorf("the schema has more than %d bytes when references are replaced by what they "+
	"refer to", maxSchema)

// fit returns the most precise form of a schema that the dialect's rules allow: strict if wanted and possible, and with
// references followed as deep as the length limit permits. It reports whether the form is strict.
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

// anything returns the schema that is sent if a tool's schema cannot be described at all.
func anything() lowered {
	return lowered{
		schema: jsontree.NewObject(pair("type", jsontree.NewString("object")),
			pair("properties", jsontree.NewObject())),
		notes: []string{"The schema of the arguments is too long to be shown here. They are checked against it."},
	}
}

// lower changes a schema to fit the rules.
func lower(root *node, rules *rules) (lowered, error) { return lowerTo(root, rules, maxLevels) }

// lowerTo is lower with a limit on how deep references are nested.
func lowerTo(root *node, rules *rules, refs int) (lowered, error) {
	l := &lowerer{Document: schema.NewDocument(root), rules: rules, refs: refs}
	top := l.top()
	if l.work > maxWork {
		return lowered{}, errSchemaTooLong
	}
	s := &settler{rules: rules, loose: l.loose}
	settled := s.settle(top.WithNotes(nil), 0)
	switch {
	case s.work > maxWork:
		return lowered{}, errSchemaTooLong
	case rules.strict && (s.loose || s.over()):
		return lowered{}, errNotStrict
	}
	size := 0
	for _, note := range top.Notes {
		size += len(note)
	}
	if _, err := settled.Encode(maxSchema - size); err != nil {
		return lowered{}, errSchemaTooLong
	}
	return lowered{settled, top.Notes}, nil
}

// A lowerer lowers one schema.
type lowerer struct {
	*schema.Document
	rules *rules
	work  int
	// refs limits how deep references are nested.
	refs int
	// loose means that strict mode cannot express the schema.
	loose bool
}

// A place is a position in a schema.
type place struct {
	// inside lists the targets of the references that were followed to get here, the innermost first.
	inside *inside
	level  int
	refs   int // the number of references in inside
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

// more counts work, and reports whether the limit permits more.
func (l *lowerer) more(n int) bool {
	l.work += n
	return l.work <= maxWork
}

// schema returns a schema without references and allOf, and with only those keywords that the rules support. Its notes,
// and those of the schemas in it, describe the rest.
func (l *lowerer) schema(n *node, at place) *node {
	at.level++
	if n.Is("false") {
		return &node{Notes: []string{"Not allowed."}}
	}
	if n.Kind != jsontree.Object || !l.more(1+len(n.Members)) {
		return jsontree.NewObject()
	}
	if at.level > maxLevels {
		return cutSchema(n, "Nested too deep to be described.")
	}
	refs := l.references(n, at)
	if len(refs) > 0 && l.Draft <= schema.Draft7 {
		own := jsontree.NewObject() // all other keywords beside $ref are ignored
		for _, name := range []string{"title", "description"} {
			if v := n.Get(name); v != nil {
				own.Set(name, v)
			}
		}
		return l.merge(own, refs[0])
	}
	own, alternatives := l.keywords(n, at)
	for _, ref := range refs {
		own = l.merge(own, ref)
	}
	if all := n.Get("allOf"); all != nil {
		for _, one := range all.Items {
			own = l.merge(own, l.schema(one, at))
		}
	}
	for _, list := range alternatives {
		own = l.merge(own, l.anyOf(list, at))
	}
	if l.rules.allRequired && len(alternatives) > 0 {
		l.loose = l.loose || l.optional(own)
	}
	return own
}

// keywords lowers all keywords of a schema except $ref, allOf, anyOf and oneOf. It returns the lists of anyOf and
// oneOf.
func (l *lowerer) keywords(n *node, at place) (own *node, alternatives [][]*node) {
	own = jsontree.NewObject()
	var lost []string // unsupported keywords on which others depend
	for _, m := range n.Members {
		name, v := m.Name, m.Value
		switch name {
		case "anyOf", "oneOf":
			// oneOf becomes anyOf: alternatives that have lost keywords may match at the same time.
			if len(v.Items) > 0 {
				alternatives = append(alternatives, v.Items)
			}
		case "type", "title", "description", "required":
			own.Set(name, v)
		case "properties":
			own.Set(name, l.each(v, at))
			l.checkOptional(n, v)
		case "patternProperties":
			if l.rules.keep[name] {
				own.Set(name, l.each(v, at))
				continue
			}
			if len(v.Members) > 0 {
				l.loose = true
				lost = append(lost, "additionalProperties")
				own.Notes = append(own.Notes, l.sentences(n, m)...)
			}
		case "items":
			if v.Is("false") {
				l.noMore(own, n)
			} else if v.Kind != jsontree.Array {
				own.Set(name, l.schema(v, at))
			} else if l.Draft < schema.Draft2020 {
				l.tuple(own, n, v, &lost, at)
			}
		case "prefixItems":
			if l.Draft >= schema.Draft2020 {
				l.tuple(own, n, v, &lost, at)
			}
		case "additionalItems":
			if items := n.Get("items"); items != nil && items.Kind == jsontree.Array && l.Draft < schema.Draft2020 {
				if v.Is("false") {
					l.noMore(own, n)
				} else {
					own.Set("items", l.schema(v, at))
				}
			}
		case "additionalProperties":
			switch {
			case v.Kind != jsontree.Object && l.rules.keep[name]:
				own.Set(name, v)
			case l.rules.keep[name]:
				own.Set(name, l.schema(v, at))
			default:
				own.Notes = append(own.Notes, l.sentences(n, m)...)
			}
		case "propertyNames":
			if l.rules.keep[name] && l.Draft > schema.Draft4 {
				own.Set(name, l.schema(v, at))
			} else if l.Draft > schema.Draft4 {
				own.Notes = append(own.Notes, l.sentences(n, m)...)
			}
		default:
			l.simple(own, n, m)
		}
	}
	for _, name := range lost {
		if v := own.Get(name); v != nil {
			own = own.Without(name)
		}
	}
	return own, alternatives
}

// each lowers the schemas that are the members of an object.
func (l *lowerer) each(n *node, at place) *node {
	c := jsontree.NewObject()
	if n.Kind != jsontree.Object {
		return c
	}
	c.Members = make([]member, len(n.Members))
	for i, m := range n.Members {
		c.Members[i] = pair(m.Name, l.schema(m.Value, at))
	}
	return c
}

// tuple lowers the schemas of an array's first items.
func (l *lowerer) tuple(own, n, items *node, lost *[]string, at place) {
	if !l.rules.keep["prefixItems"] {
		// Without prefixItems, items would apply to the first items, too.
		*lost = append(*lost, "items")
		own.Notes = append(own.Notes, l.sentences(n, pair("prefixItems", items))...)
		return
	}
	list := &node{Kind: jsontree.Array}
	for _, item := range items.Items {
		list.Items = append(list.Items, l.schema(item, at))
	}
	if len(list.Items) > 0 {
		own.Set("prefixItems", list)
	}
}

// noMore forbids items beyond those of the tuple.
func (l *lowerer) noMore(own, n *node) {
	if n.Get("maxItems") != nil {
		own.Notes = append(own.Notes, l.sentences(n, pair("unevaluatedItems", jsontree.False))...)
		return
	}
	tuple := n.Get("prefixItems")
	if l.Draft < schema.Draft2020 {
		tuple = n.Get("items")
	}
	most := 0
	if tuple != nil && tuple.Kind == jsontree.Array {
		most = len(tuple.Items)
	}
	l.simple(own, n, pair("maxItems", jsontree.NewNumber(strconv.Itoa(most))))
}

// simple keeps a keyword that contains no schemas, or turns it into a sentence.
func (l *lowerer) simple(own, n *node, m member) {
	name, v := m.Name, m.Value
	switch {
	case l.Draft == schema.Draft4 && (name == "exclusiveMinimum" || name == "exclusiveMaximum"):
		// In draft 4 it is a flag that changes the meaning of minimum or maximum.
		bound := n.Get(map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[name])
		if !v.Is("true") || bound == nil {
			return
		}
		m.Value, v = bound, bound
	case l.Draft == schema.Draft4 && (name == "const" || name == "contains"),
		l.Draft < schema.Draft2019 && name == "dependentRequired":
		return // unknown in these drafts
	}
	keeps := l.rules.keep[name]
	switch name {
	case "const":
		if !l.enumerable(v) {
			keeps = keeps && !l.rules.strict
		} else if !keeps {
			own.Set("enum", jsontree.NewArray(v))
			return
		}
	case "enum":
		if len(v.Items) == 0 {
			return // no value fits it, and all providers refuse it
		}
		keeps = keeps && !slices.ContainsFunc(v.Items, func(item *node) bool { return !l.enumerable(item) })
	case "format":
		format, _ := v.AsText()
		keeps = keeps && (l.rules.formats == nil || l.rules.formats[format])
	case "pattern":
		if pattern, _ := v.AsText(); l.rules.strict && l.more(len(pattern)/16) && !takesPattern(pattern) {
			keeps = false
		}
	case "minItems":
		keeps = keeps && (!l.rules.fewItems || v.Text == "0" || v.Text == "1")
	case "exclusiveMinimum", "exclusiveMaximum":
		// If only inclusive bounds are supported, one of them is better than none.
		bound := strings.ToLower(strings.TrimPrefix(name, "exclusive"))
		if !keeps && l.rules.keep[bound] && n.Get(bound) == nil {
			own.Set(bound, v)
		}
	}
	if keeps {
		own.Set(name, v)
	} else {
		own.Notes = append(own.Notes, l.sentences(n, m)...)
	}
}

// enumerable reports whether an enum, or a const, may contain a value. In strict mode, objects would have to be closed
// and arrays would need items, so neither is allowed.
func (l *lowerer) enumerable(v *node) bool {
	switch {
	case l.rules.strict:
		return v.Kind == jsontree.String || v.Kind == jsontree.Literal
	case l.rules.plainEnums:
		return v.Kind == jsontree.String || v.Kind == jsontree.Literal && v.IsNumber()
	}
	return true
}

func (l *lowerer) anyOf(list []*node, at place) *node {
	var alternatives []*node
	seen := map[string]bool{}
	for _, n := range list {
		if n.Is("false") {
			continue
		}
		a := l.schema(n, at)
		if len(a.Members) == 0 {
			// Anything fits, so the other alternatives do not matter.
			if len(a.Notes) > 0 {
				return &node{Notes: l.sentences(nil, pair("anyOf", jsontree.NewArray(list...)))}
			}
			return jsontree.NewObject()
		}
		if key := l.key(a); !seen[key] {
			alternatives, seen[key] = append(alternatives, a), true
		}
	}
	switch len(alternatives) {
	case 0:
		return jsontree.NewObject()
	case 1:
		return alternatives[0]
	}
	return jsontree.NewObject(pair("anyOf", &node{Kind: jsontree.Array, Items: alternatives}))
}

// key returns a string that is equal for equal schemas with equal notes.
func (l *lowerer) key(n *node) string {
	key := n.Key(maxSchema)
	l.more(len(key) / 64)
	return key + strings.Join(n.Notes, "\n")
}

// cutSchema returns the remains of a schema that is not followed further: its type.
func cutSchema(n *node, note string) *node {
	c := &node{Notes: []string{note}}
	if t := n.Get("type"); t != nil {
		c.Set("type", t)
	}
	return c
}

// paragraphs appends notes to a description, after an empty line.
func paragraphs(text string, notes []string) string {
	if len(notes) == 0 {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n\n%s", strings.TrimSpace(text), strings.Join(notes, "\n")))
}
