package provider

import (
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// Definitions are made of nodes, since the order of what a model reads matters.
type (
	node   = jsontree.Node
	member = jsontree.Member
)

func pair(name string, value *node) member { return member{Name: name, Value: value} }

// describe sets the description, if there is one.
func describe(n *node, text string) {
	if text = valid(text); strings.TrimSpace(text) != "" {
		n.Set("description", jsontree.NewString(text))
	}
}
