// Package schema implements the parts of JSON Schema that toolrun needs: resolving references, finding the values and
// types that a schema allows, validating values, coercing values that nearly fit, and making sample values.
//
// Schemas come from tools, and tools come from anywhere. Everything here takes bounded time and memory, whatever a
// schema contains: only a limited number of subschemas is examined, and the rest is ignored.
//
// # Drafts
//
// Draft 2020-12 applies unless $schema names another one, from draft 4 on. Formats are annotations. References to other
// documents are refused, and so is a subschema with its own $id that contains references.
package schema

import (
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A Document is a JSON Schema with internal references. It is immutable and safe for concurrent use.
type Document struct {
	// Root is the whole schema.
	Root *jsontree.Node
	// Draft is the version of JSON Schema.
	Draft Draft

	once    sync.Once
	anchors map[string]*jsontree.Node
	// references maps schemas to their references. Schemas without references are not in it.
	references map[*jsontree.Node]*references
	// named maps enums to the types of their values.
	named map[*jsontree.Node]Types
}

// A Reference leads from a schema to another. Target is nil if it leads nowhere in the document.
type Reference struct {
	Text   string
	Target *jsontree.Node
}

type references struct {
	all     []Reference
	targets []*jsontree.Node
}

// A Draft is a version of JSON Schema.
type Draft int

// id returns the keyword that identifies a schema.
func (d Draft) id() string {
	if d == Draft4 {
		return "id"
	}
	return "$id"
}

// The drafts that differ here. Draft7 stands for draft 6 as well.
const (
	Draft4    Draft = 4
	Draft7    Draft = 7
	Draft2019 Draft = 2019
	Draft2020 Draft = 2020
)

// Parse parses a schema, which must be an object.
func Parse(raw []byte) (*Document, error) {
	root, err := jsontree.Parse(raw)
	if err != nil {
		return nil, err
	}
	return NewDocument(root), nil
}

// NewDocument returns the document with this root.
func NewDocument(root *jsontree.Node) *Document { return &Document{Root: root, Draft: draftOf(root)} }

func draftOf(root *jsontree.Node) Draft {
	uri := root.GetText("$schema")
	switch {
	case strings.Contains(uri, "draft-04"):
		return Draft4
	case strings.Contains(uri, "draft-06"), strings.Contains(uri, "draft-07"):
		return Draft7
	case strings.Contains(uri, "2019-09"):
		return Draft2019
	}
	return Draft2020
}

// References returns the references of a schema: $ref, and $dynamicRef or $recursiveRef. Within one document, the
// latter lead to the same place as $ref.
func (d *Document) References(schema *jsontree.Node) []Reference {
	d.once.Do(d.index)
	if found := d.references[schema]; found != nil {
		return found.all
	}
	return nil
}

// Targets returns the schemas that the references of a schema lead to.
func (d *Document) Targets(schema *jsontree.Node) []*jsontree.Node {
	d.once.Do(d.index)
	if len(d.references) == 0 {
		return nil
	}
	if found := d.references[schema]; found != nil {
		return found.targets
	}
	return nil
}

// typesNamed returns the types of the values in an enum.
func (d *Document) typesNamed(enum *jsontree.Node) Types {
	d.once.Do(d.index)
	return d.named[enum]
}

// RefAlone reports whether a schema is nothing but its reference: up to draft 7, keywords beside $ref mean nothing.
func (d *Document) RefAlone(schema *jsontree.Node) bool {
	return d.Draft <= Draft7 && len(d.Targets(schema)) > 0
}

// index finds all anchors and enums, and resolves all references.
func (d *Document) index() {
	d.anchors, d.references = map[string]*jsontree.Node{}, map[*jsontree.Node]*references{}
	d.named = map[*jsontree.Node]Types{}
	var refer []*jsontree.Node
	var look func(n *jsontree.Node)
	look = func(n *jsontree.Node) {
		d.name(n)
		refers := false
		for _, m := range n.Members {
			switch m.Name {
			case "enum":
				for _, v := range m.Value.Items {
					d.named[m.Value] |= TypeOf(v)
				}
				continue
			case "const", "default", "examples": // values, which may look like schemas
				continue
			case "$ref", "$dynamicRef", "$recursiveRef":
				refers = true
			}
			look(m.Value)
		}
		if refers {
			refer = append(refer, n)
		}
		for _, item := range n.Items {
			look(item)
		}
	}
	look(d.Root)
	for _, n := range refer {
		found := &references{}
		for _, keyword := range d.referring() {
			if ref, ok := n.Get(keyword).AsText(); ok {
				target := d.target(ref)
				if found.all = append(found.all, Reference{ref, target}); target != nil {
					found.targets = append(found.targets, target)
				}
			}
		}
		d.references[n] = found
	}
}

// referring returns the draft's keywords that refer to schemas.
func (d *Document) referring() []string {
	switch {
	case d.Draft < Draft2019:
		return []string{"$ref"}
	case d.Draft == Draft2019:
		return []string{"$ref", "$recursiveRef"}
	}
	return []string{"$ref", "$dynamicRef"}
}

// name records the anchor of a schema. A duplicate anchor leads nowhere, because it is ambiguous.
func (d *Document) name(n *jsontree.Node) {
	names := []string{n.GetText("$anchor"), n.GetText("$dynamicAnchor")}
	if d.Draft <= Draft7 {
		name, ok := strings.CutPrefix(n.GetText(d.Draft.id()), "#")
		if !ok {
			return
		}
		names = []string{name}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if other, taken := d.anchors[name]; taken && other != n {
			n = nil
		}
		d.anchors[name] = n
	}
}

// target returns the schema that a reference leads to within the document, or nil.
func (d *Document) target(ref string) *jsontree.Node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	fragment = unescaped(fragment)
	if fragment == "" {
		return d.Root
	}
	path, ok := strings.CutPrefix(fragment, "/")
	if !ok {
		return d.anchors[fragment]
	}
	n := d.Root
	for token := range strings.SplitSeq(path, "/") {
		token = pointerToken.Replace(token)
		if n.Kind == jsontree.Array {
			i, ok := index(token, len(n.Items))
			if !ok {
				return nil
			}
			n = n.Items[i]
		} else if n = n.Get(token); n == nil {
			return nil
		}
	}
	return n
}

// pointerToken decodes the tokens of JSON pointers (RFC 6901).
var pointerToken = strings.NewReplacer("~1", "/", "~0", "~")

// index parses a JSON pointer token as an index into an array of the given length.
func index(token string, length int) (i int, ok bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && i < length && strconv.Itoa(i) == token
}

// unescaped removes the percent-encoding of a reference.
func unescaped(ref string) string {
	if plain, err := url.PathUnescape(ref); err == nil {
		return plain
	}
	return ref
}
