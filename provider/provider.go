package provider

import (
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// A dialect implements the tool format of one API.
type dialect interface {
	// rules returns what the API supports in a schema. Nil means that schemas are sent unchanged.
	rules(strict bool) *rules
	// definition returns an element of the list of tools.
	definition(t *described) *node
	// calls appends the calls in a message. data is valid JSON.
	calls(data []byte, into *callList) error
	// event processes one event of a stream. data is valid JSON.
	event(data []byte, into *pendingCalls) error
	// say returns a message of the user with a text. It is nil for APIs without conversations.
	say(text string) any
	// lacks names what the API needs in a result but r does not have, or returns "".
	lacks(r tool.Result) string
	// results returns the messages with the results. There is at least one result.
	results(results []tool.Result) []any
}

// described is a definition, prepared for one API.
type described struct {
	*tool.Definition
	// description is the definition's description, followed by everything that the schema cannot express.
	description string
	schema      *node
	strict      bool
}

// dialects are the APIs that there are.
var dialects = []struct {
	api tool.API
	dialect
}{
	{tool.Anthropic, anthropic{}},
	{tool.AnthropicAgents, agents{}},
	{tool.OpenAIChat, chat{}},
	{tool.OpenAIResponses, responses{}},
	{tool.Gemini, gemini{}},
	{tool.Bedrock, bedrock{}},
	{tool.MCP, mcp{}},
}

// APIs returns the APIs whose definitions, calls and results the package knows.
func APIs() []tool.API {
	apis := make([]tool.API, len(dialects))
	for i, d := range dialects {
		apis[i] = d.api
	}
	return apis
}

func dialectOf(api tool.API) (dialect, error) {
	var names []string
	for _, d := range dialects {
		if d.api == api {
			return d.dialect, nil
		}
		names = append(names, string(d.api))
	}
	last := len(names) - 1
	return nil, fmt.Errorf("there is no API %q: there are %s and %s", api, strings.Join(names[:last], ", "),
		names[last])
}
