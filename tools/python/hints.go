package python

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// parameter is what a hint says of a part of a schema.
type parameter struct {
	Type        any             `json:"type"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Items       *parameter      `json:"items"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
}

// Bounds on what a hint shows.
const (
	maxHintText   = 300 // bytes of a description
	maxHintValues = 20  // of an enumeration
)

// hintsOf declares tools for models.
func hintsOf(tools []*tool.Definition) string {
	var hints []string
	size, more := 0, 0
	for _, d := range tools {
		hint := hintOf(d)
		if size += len(hint); size > code.MaxDeclarations {
			more++
			continue
		}
		hints = append(hints, hint)
	}
	if more > 0 {
		hints = append(hints, fmt.Sprintf("# and %d more", more))
	}
	return strings.Join(hints, "\n")
}

// hintOf declares a tool as a function, with type hints.
func hintOf(d *tool.Definition) string {
	var schema parameter
	_ = json.Unmarshal(d.Input, &schema) // a schema of another form has no parameters that could be shown
	var parameters, notes []string
	jsontree.Members(schema.Properties, func(name, value []byte) {
		var p parameter
		if json.Unmarshal(value, &p) != nil {
			p = parameter{}
		}
		key := plaintext.Clean(string(name), 100)
		text := key + ": " + p.hint()
		if !slices.Contains(schema.Required, string(name)) {
			text += " = ..."
		}
		parameters = append(parameters, text)
		if p.Description != "" {
			notes = append(notes, "    # "+key+": "+oneLine(p.Description))
		}
	})
	returns := "str"
	if d.Output != nil {
		returns = "dict"
	}
	name := code.ToolPrefix + d.Name
	if strings.Contains(d.Name, "-") {
		name = fmt.Sprintf("tools[%q]", d.Name)
	}
	hint := fmt.Sprintf("# %s\n%s(%s) -> %s", oneLine(d.Description), name, strings.Join(parameters, ", "), returns)
	return strings.Join(append([]string{hint}, notes...), "\n")
}

func (p *parameter) hint() string {
	if len(p.Enum) > 0 && len(p.Enum) <= maxHintValues {
		var values []string
		for _, value := range p.Enum {
			text, _ := json.Marshal(value) // it comes from JSON
			values = append(values, plaintext.Clean(string(text), 100))
		}
		return "Literal[" + strings.Join(values, ", ") + "]"
	}
	switch p.Type {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "object":
		return "dict"
	case "array":
		if p.Items != nil {
			return "list[" + p.Items.hint() + "]"
		}
		return "list"
	}
	return "Any"
}

// oneLine returns the beginning of a text, as one line.
func oneLine(text string) string {
	return plaintext.Clean(strings.Join(strings.Fields(text), " "), maxHintText)
}
