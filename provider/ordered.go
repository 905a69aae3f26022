package provider

import (
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// Definitions are made of nodes, because the order of members matters to models.
type (
	node   = jsontree.Node
	member = jsontree.Member
)

func pair(name string, value *node) member { return member{Name: name, Value: value} }

// describe sets the description, unless the text is blank.
func describe(n *node, text string) {
	if text = valid(text); strings.TrimSpace(text) != "" {
		n.Set("description", jsontree.NewString(text))
	}
}
