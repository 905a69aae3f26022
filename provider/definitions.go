package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// Options configure [Definitions]. Nil means the defaults.
type Options struct {
	// Strict asks for strict mode where the provider has one: OpenAI's APIs, Anthropic's and Bedrock's. A tool
	// whose schema does not allow strict mode is sent without it.
	Strict bool
}

// maxSchema limits the schema of one tool, as sent, with references replaced. In bytes.
const maxSchema = 256 << 10

// maxDefinition limits a definition in bytes. It matters for APIs that get schemas, including the output's, unchanged.
const maxDefinition = 16 << 20

// Definitions returns the tools that a selection enables as a JSON array for a request: the value of "tools" for
// Anthropic, OpenAI and Gemini, of "toolConfig"."tools" for Bedrock, and of "tools" in a tools/list result for MCP.
// Without tools it is [].
//
// A tool that the API defines itself (see [tool.APIOverrider]) appears in the form that the API expects.
// Definitions are cached, so asking again is cheap. The order of tools and all bytes are the same each time, which
// prompt caches need.
//
// No schema causes an error: a schema of more than 256 KiB, as references can produce, is shortened (see the package's
// documentation). The error is a *[registry.ToolError] if an option of a tool has an invalid value, its override is not
// JSON, or its definition has more than 16 MiB.
func Definitions(r *registry.Registry, api tool.API, selection registry.Selection,
	options *Options) (json.RawMessage, error) {
	d, err := dialectOf(api)
	if err != nil {
		return nil, err
	}
	if options == nil {
		options = &Options{}
	}
	definitions, err := r.Definitions(api, selection)
	if err != nil {
		return nil, err
	}
	key := derivedKey{api, options.Strict}
	elements := make([]element, len(definitions))
	for i, definition := range definitions {
		v, err := definition.Derive(key, func() (any, error) { return define(d, definition, options.Strict) })
		if err != nil {
			return nil, &registry.ToolError{Tool: definition.Name, Err: err}
		}
		elements[i] = element{v.(json.RawMessage), definition.Override != nil}
	}
	if d, ok := d.(arranger); ok {
		elements = d.arrange(elements)
	}
	return join(elements), nil
}

// An element is a definition in the list of tools.
type element struct {
	json json.RawMessage
	// override means that the tool itself provides the definition.
	override bool
}

// arranger is implemented by dialects whose list of tools is more than a list of definitions.
type arranger interface {
	arrange(elements []element) []element
}

// derivedKey is the key of a cached definition.
type derivedKey struct {
	api    tool.API
	strict bool
}

// define makes one element of the list of tools.
func define(d dialect, definition *tool.Definition, strict bool) (json.RawMessage, error) {
	if definition.Override != nil {
		var b bytes.Buffer
		if err := json.Compact(&b, definition.Override); err != nil {
			return nil, fmt.Errorf("the definition that the API is said to know is not JSON: %w", err)
		}
		return b.Bytes(), nil
	}
	t := &described{Definition: definition, description: definition.Description}
	low := anything()
	if schema, err := jsontree.Parse(definition.Input); err == nil { // fails if it is nested too deep
		low = lowered{schema: schema}
		if d.rules(strict) != nil {
			low, t.strict = fit(schema, d, strict)
		}
	}
	t.schema = low.schema
	t.description = paragraphs(t.description, low.notes)
	encoded, err := d.definition(t).Encode(maxDefinition)
	if err != nil {
		return nil, fmt.Errorf("the definition has more than %d bytes", maxDefinition)
	}
	return encoded, nil
}

// join makes a JSON array of the elements.
func join(elements []element) json.RawMessage {
	size := 2
	for _, e := range elements {
		size += len(e.json) + 1
	}
	list := append(make(json.RawMessage, 0, size), '[')
	for i, e := range elements {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, e.json...)
	}
	return append(list, ']')
}
