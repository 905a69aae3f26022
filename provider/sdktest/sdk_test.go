package sdktest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/toolrun/toolrun/tool"
)

// A client holds a conversation with a server through an SDK, in values of the SDK's own types. All methods return the
// SDK's errors.
type client interface {
	define(definitions json.RawMessage) error
	// say appends messages in the form that provider.Results returns.
	say(messages json.RawMessage) error
	// send makes a request, appends the model's message to the conversation, and returns the response as JSON: as
	// received if the SDK keeps it, otherwise encoded from the SDK's types.
	send(ctx context.Context) (json.RawMessage, error)
	// stream makes a request for a stream, and returns its events in the same form.
	stream(ctx context.Context) ([]json.RawMessage, error)
}

// An sdk describes a provider's SDK and its test data.
type sdk struct {
	name string
	api  tool.API
	new  func(t *testing.T, url string) client
	// path and streamPath are the URL paths of requests. streamType is the content type of a stream.
	path, streamPath, streamType string
	// tools and messages are the JSON paths of these members in a request.
	tools, messages []string
	// user is the first message of a conversation.
	user string
	// strict means that the provider has a strict mode.
	strict bool
	// file is the prefix of the provider's files in testdata: the answer to a conversation's first request, as JSON and
	// as a stream, and the answer to the second.
	file string
	// events splits the body of a stream.
	events func(t *testing.T, body []byte) []json.RawMessage
	// encode converts the file with a stream to the body of a response. Nil means that it is the body already.
	encode func(t *testing.T, file []byte) []byte
	// calls are the calls in the model's first answer.
	calls []tool.Call
	// results are the messages that answer them; %s stands for a result's text as a JSON string.
	results string
	// inexact means that the SDK loses digits, so that the bodies of responses must be read instead.
	inexact bool
}

var sdks = []sdk{
	{
		name: "Anthropic Messages", api: tool.Anthropic, new: newAnthropic,
		path: "/v1/messages", streamPath: "/v1/messages", streamType: "text/event-stream",
		tools: []string{"tools"}, messages: []string{"messages"},
		user:   `{"role":"user","content":[{"type":"text","text":"Where is it?"}]}`,
		strict: true, file: "anthropic", events: sseData,
		calls: []tool.Call{found("toolu_1"), unknown("toolu_2")},
		results: `[{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":%s}]},
			{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":%s}],"is_error":true}
		]}]`,
	},
	{
		name: "OpenAI Chat Completions", api: tool.OpenAIChat, new: newChat,
		path: "/chat/completions", streamPath: "/chat/completions", streamType: "text/event-stream",
		tools: []string{"tools"}, messages: []string{"messages"},
		user:   `{"role":"user","content":"Where is it?"}`,
		strict: true, file: "chat", events: sseData,
		calls: []tool.Call{found("call_1"), unknown("call_2"), malformed("call_3")},
		results: `[
			{"role":"tool","tool_call_id":"call_1","content":%s},
			{"role":"tool","tool_call_id":"call_2","content":%s},
			{"role":"tool","tool_call_id":"call_3","content":%s}
		]`,
	},
	{
		name: "OpenAI Responses", api: tool.OpenAIResponses, new: newResponses,
		path: "/responses", streamPath: "/responses", streamType: "text/event-stream",
		tools: []string{"tools"}, messages: []string{"input"},
		user:   `{"type":"message","role":"user","content":"Where is it?"}`,
		strict: true, file: "responses", events: sseData,
		calls: []tool.Call{found("call_1"), unknown("call_2"), malformed("call_3")},
		results: `[
			{"type":"function_call_output","call_id":"call_1","output":%s},
			{"type":"function_call_output","call_id":"call_2","output":%s},
			{"type":"function_call_output","call_id":"call_3","output":%s}
		]`,
	},
	{
		name: "Gemini", api: tool.Gemini, new: newGemini,
		path: "/v1beta/models/test:generateContent", streamPath: "/v1beta/models/test:streamGenerateContent",
		streamType: "text/event-stream",
		tools:      []string{"tools"}, messages: []string{"contents"},
		user: `{"role":"user","parts":[{"text":"Where is it?"}]}`,
		file: "gemini", events: sseData, inexact: true,
		calls:   []tool.Call{found("fc1"), unknown("fc2")},
		results: geminiResults,
	},
	{
		name: "Gemini on Vertex AI", api: tool.Gemini, new: newVertex,
		path:       "/v1beta1/projects/p/locations/l/publishers/google/models/test:generateContent",
		streamPath: "/v1beta1/projects/p/locations/l/publishers/google/models/test:streamGenerateContent",
		streamType: "text/event-stream",
		tools:      []string{"tools"}, messages: []string{"contents"},
		user: `{"role":"user","parts":[{"text":"Where is it?"}]}`,
		file: "gemini", events: sseData, inexact: true,
		calls:   []tool.Call{found("fc1"), unknown("fc2")},
		results: geminiResults,
	},
	{
		name: "Bedrock Converse", api: tool.Bedrock, new: newBedrock,
		path: "/model/test/converse", streamPath: "/model/test/converse-stream",
		streamType: "application/vnd.amazon.eventstream",
		tools:      []string{"toolConfig", "tools"}, messages: []string{"messages"},
		user:   `{"role":"user","content":[{"text":"Where is it?"}]}`,
		strict: true, file: "bedrock", events: eventPayloads, encode: encodeEvents,
		calls: []tool.Call{found("tooluse_1"), unknown("tooluse_2")},
		results: `[{"role":"user","content":[
			{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":%s}]}},
			{"toolResult":{"toolUseId":"tooluse_2","content":[{"text":%s}],"status":"error"}}
		]}]`,
	},
}

func named(name string) sdk {
	return sdks[slices.IndexFunc(sdks, func(s sdk) bool { return s.name == name })]
}

const geminiResults = `[{"role":"user","parts":[
	{"functionResponse":{"id":"fc1","name":"find_order","response":{"output":%s}}},
	{"functionResponse":{"id":"fc2","name":"no_such_tool","response":{"error":%s}}}
]}]`

// The functions below return the calls that the models make.

func found(id string) tool.Call {
	return tool.Call{ID: id, Tool: "find_order", Input: json.RawMessage(`{"order":` + order +
		`,"filter":{"status":"zurück"}}`)}
}

func unknown(id string) tool.Call {
	return tool.Call{ID: id, Tool: "no_such_tool", Input: json.RawMessage(`{}`)}
}

func malformed(id string) tool.Call {
	return tool.Call{ID: id, Tool: "find_order", Input: json.RawMessage(`{"order": 12`)}
}
