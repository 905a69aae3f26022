package provider

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// references returns the lowered targets of $ref, $dynamicRef and $recursiveRef.
func (l *lowerer) references(n *node, at place) []*node {
	var found []*node
	for _, ref := range l.References(n) {
		switch {
		case ref.Target == nil:
			found = append(found, &node{Notes: []string{"Must match the schema " + plaintext.Cut(ref.Text, 200) + "."}})
		case at.inside.has(ref.Target):
			found = append(found, cutSchema(ref.Target, recursive(ref.Text)))
		case at.refs >= l.refs:
			found = append(found, cutSchema(ref.Target, "The rest of it is too long to be described."))
		default:
			inside := &inside{ref.Target, at.inside}
			found = append(found, l.schema(ref.Target, place{inside: inside, level: at.level, refs: at.refs + 1}))
		}
	}
	return found
}

// recursive returns the sentence for a reference that leads back to an enclosing schema.
func recursive(ref string) string {
	name := ref[strings.LastIndexAny(ref, "/#")+1:]
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if name == "" {
		return "The same again as the whole of the arguments."
	}
	return "The same again as the " + strconv.Quote(plaintext.Cut(name, 100)) + " that it is in."
}
