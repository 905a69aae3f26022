package provider

import (
	"fmt"

	"github.com/toolrun/toolrun/registry"
)

// A dialect is how one API has tools.
type dialect interface {
	// rules returns what a schema may contain. Nil means that it is sent unchanged.
	rules(strict bool) *rules
	// definition returns a tool as an element of the list of tools.
	definition(t *tool) *node
	// calls adds the calls in a message. The data is valid JSON.
	calls(data []byte, into *callList) error
	// event takes in one event of a stream. The data is valid JSON.
	event(data []byte, into *pendingCalls) error
	// lacks says what a result lacks that the API wants, or nothing.
	lacks(r registry.Result) string
	// results returns the messages with some results, of which there is at least one.
	results(results []registry.Result) []any
}

// A tool is what a definition is made of.
type tool struct {
	*registry.Definition
	// description is the definition's description, with everything that the schema cannot express.
	description string
	schema      *node
	strict      bool
}

var dialects = map[registry.API]dialect{
	registry.Anthropic:       anthropic{},
	registry.OpenAIChat:      chat{},
	registry.OpenAIResponses: responses{},
	registry.Gemini:          gemini{},
	registry.Bedrock:         bedrock{},
	registry.MCP:             mcp{},
}

func dialectOf(api registry.API) (dialect, error) {
	d, ok := dialects[api]
	if !ok {
		return nil, fmt.Errorf("there is no API %q: there are %s, %s, %s, %s, %s and %s", api, registry.Anthropic,
			registry.OpenAIChat, registry.OpenAIResponses, registry.Gemini, registry.Bedrock, registry.MCP)
	}
	return d, nil
}
