package provider

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/plaintext"
)

// references returns what $ref and its like in a schema refer to, lowered.
func (l *lowerer) references(n *node, at place) []*node {
	var found []*node
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, ok := n.Get(keyword).AsText()
		if !ok || keyword != "$ref" && l.draft < draft2019 {
			continue
		}
		target, base := l.resolve(ref, at.base)
		if target == nil {
			// It is another document that the validator knows, such as a schema of schemas.
			found = append(found, &node{Notes: []string{"Must match the schema " + plaintext.Cut(ref, 200) + "."}})
			continue
		}
		if at.inside.has(target) {
			found = append(found, cutSchema(target, recursive(ref)))
			continue
		}
		if at.refs >= l.refs {
			found = append(found, cutSchema(target, "The rest of it is too long to be described."))
			continue
		}
		found = append(found, l.schema(target, place{base: base, inside: &inside{target, at.inside}, level: at.level, refs: at.refs + 1}))
	}
	return found
}

// recursive is what is said where a reference leads back to what it is in.
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

// resolve returns what a reference means, and what further references in it begin at. It returns nil if it is not in the
// document, or may be several things.
func (l *lowerer) resolve(ref string, base *node) (target, within *node) {
	uri, fragment, _ := strings.Cut(ref, "#")
	if uri != "" {
		if base = l.named(uri); base == nil {
			return nil, nil
		}
	}
	if fragment == "" {
		return base, base
	}
	if fragment[0] != '/' {
		return l.named("#" + fragment), base
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	n := base
	for _, token := range strings.Split(fragment[1:], "/") {
		if !l.more(1 + len(n.Members)/16) {
			return nil, nil
		}
		token = unescape.Replace(token)
		switch {
		case n.Kind == jsontree.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Items) {
				return nil, nil
			}
			n = n.Items[i]
		default:
			if n = n.Get(token); n == nil {
				return nil, nil
			}
		}
		if id := n.Get("$id"); id != nil && id.Kind == jsontree.String {
			base = n
		}
	}
	return n, base
}

// unescape is for the tokens of JSON pointers (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// named returns the schema that has an $id, or with # an anchor.
func (l *lowerer) named(name string) *node {
	if l.targets == nil {
		l.targets = map[string]*node{}
		l.index(l.root)
	}
	return l.targets[name]
}

func (l *lowerer) index(n *node) {
	for _, keyword := range []string{"$id", "id", "$anchor", "$dynamicAnchor"} {
		name, ok := n.Get(keyword).AsText()
		if !ok {
			continue
		}
		if keyword == "$anchor" || keyword == "$dynamicAnchor" {
			name = "#" + name
		} else if name = strings.TrimSuffix(name, "#"); name == "" {
			continue
		}
		if other, taken := l.targets[name]; taken && other != n {
			l.targets[name] = nil // there is no telling which one is meant
		} else {
			l.targets[name] = n
		}
	}
	for _, m := range n.Members {
		l.index(m.Value)
	}
	for _, item := range n.Items {
		l.index(item)
	}
}
