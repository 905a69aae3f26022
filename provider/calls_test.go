package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func call(id, name, input string) tool.Call {
	c := tool.Call{ID: id, Tool: name}
	if input != "" {
		c.Input = json.RawMessage(input)
	}
	return c
}

func TestCalls(t *testing.T) {
	paris := []tool.Call{call("id1", "get_weather", `{"city": "Paris"}`)}
	two := append(paris, call("id2", "now", `{}`))
	for _, test := range []struct {
		name string
		api  tool.API
		data string
		want []tool.Call
	}{
		{"a body", tool.Anthropic,
			`{"id":"msg_1","type":"message","role":"assistant","model":"m",` +
				`"content":[{"type":"text","text":"I look."},` +
				`{"type":"tool_use","id":"id1","name":"get_weather","input":{"city": "Paris"}},` +
				`{"type":"tool_use","id":"id2","name":"now","input":{}}],"stop_reason":"tool_use"}`, two},
		{"a message", tool.Anthropic,
			`{"role":"assistant",` +
				`"content":[{"type":"tool_use","id":"id1","name":"get_weather","input":{"city": "Paris"}}]}`,
			paris},
		{"blocks", tool.Anthropic,
			`[{"type":"thinking","thinking":"hm"},` +
				`{"type":"tool_use","id":"id1","name":"get_weather","input":{"city": "Paris"}}]`,
			paris},
		{"a block", tool.Anthropic, `{"type":"tool_use","id":"id1","name":"get_weather","input":{"city": "Paris"}}`,
			paris},
		{"without input", tool.Anthropic, `[{"type":"tool_use","id":"id2","name":"now"}]`, two[1:]},
		{"input null", tool.Anthropic, `[{"type":"tool_use","id":"id2","name":"now","input":null}]`, two[1:]},
		{"input of another type", tool.Anthropic, `[{"type":"tool_use","id":"id2","name":"now","input":[1, 2]}]`,
			[]tool.Call{call("id2", "now", `[1, 2]`)}},
		{"tools at Anthropic", tool.Anthropic,
			`[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},` +
				`{"type":"mcp_tool_use","id":"m","name":"x","input":{}},` +
				`{"type":"web_search_tool_result","content":[]}]`, nil},
		{"a result", tool.Anthropic,
			`{"type":"tool_result","tool_use_id":"x","content":[{"type":"tool_use","id":"no"}]}`, nil},
		{"text alone", tool.Anthropic, `{"role":"assistant","content":"hello"}`, nil},
		{"an empty message", tool.Anthropic, `{"role":"assistant","content":[]}`, nil},

		{"a body", tool.OpenAIChat,
			`{"id":"c","object":"chat.completion",` +
				`"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
				`{"id":"id1","type":"function",` +
				`"function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}},` +
				`{"id":"id2","type":"function","function":{"name":"now","arguments":"{}"}}]},` +
				`"finish_reason":"tool_calls"}]}`, two},
		{"two choices", tool.OpenAIChat,
			`{"choices":[{"index":0,"message":{"role":"assistant",` +
				`"tool_calls":[{"id":"id1","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]}},` +
				`{"index":1,"message":{"role":"assistant",` +
				`"tool_calls":[{"id":"idX","function":{"name":"other","arguments":"{}"}}]}}]}`,
			paris},
		{"a message", tool.OpenAIChat,
			`{"role":"assistant","tool_calls":[{"id":"id1","type":"function",` +
				`"function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]}`,
			paris},
		{"tool_calls", tool.OpenAIChat,
			`[{"id":"id1","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]`,
			paris},
		{"a call", tool.OpenAIChat,
			`{"id":"id1","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}`,
			paris},
		{"a function_call", tool.OpenAIChat,
			`{"role":"assistant","content":null,` +
				`"function_call":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}`,
			[]tool.Call{call("", "get_weather", `{"city": "Paris"}`)}},
		{"arguments as an object", tool.OpenAIChat,
			`[{"id":"id1","function":{"name":"get_weather","arguments":{"city": "Paris"}}}]`, paris},
		{"malformed arguments", tool.OpenAIChat,
			`[{"id":"a","function":{"name":"x","arguments":"{\"city\": "}},` +
				`{"id":"b","function":{"name":"y","arguments":""}},` +
				`{"id":"c","function":{"name":"z"}},{"id":"d","function":{"name":"w","arguments":"\"text\""}}]`,
			[]tool.Call{call("a", "x", `{"city": `), {ID: "b", Tool: "y", Input: json.RawMessage{}}, call("c", "z",
				""), call("d", "w", `"text"`)}},
		{"as OpenAI's SDK writes it", tool.OpenAIChat,
			`{"role":"assistant","content":"","function_call":{"arguments":"","name":""},"tool_calls":[` +
				`{"id":"id1","function":{"arguments":"{\"city\": \"Paris\"}","name":"get_weather"},` +
				`"type":"function","custom":{"input":"","name":""}},` +
				`{"id":"c","function":{"arguments":"","name":""},"type":"custom","custom":{"input":"x","name":"y"}}]}`,
			paris},
		{"a custom tool", tool.OpenAIChat,
			`[{"id":"a","type":"custom","custom":{"name":"grammar","input":"x = 1"}}]`, nil},
		{"text alone", tool.OpenAIChat, `{"role":"assistant","content":"hello","tool_calls":null}`, nil},

		{"a body", tool.OpenAIResponses,
			`{"id":"r","object":"response","status":"completed","error":null,` +
				`"output":[{"type":"reasoning","id":"rs","summary":[]},` +
				`{"type":"function_call","id":"fc_1","call_id":"id1",` +
				`"name":"get_weather","arguments":"{\"city\": \"Paris\"}","status":"completed"},` +
				`{"type":"function_call","id":"fc_2","call_id":"id2","name":"now","arguments":"{}"}]}`, two},
		{"a body as OpenAI's SDK encodes it", tool.OpenAIResponses,
			`{"id":"r","object":"response","status":"completed","error":{"code":"","message":"","param":""},` +
				`"output":[{"id":"fc_1","type":"function_call","content":null,` +
				`"arguments":{"OfString":"{\"city\": \"Paris\"}",` +
				`"OfResponseToolSearchCallArguments":"{\"city\": \"Paris\"}"},"call_id":"id1","name":"get_weather",` +
				`"output":{"OfString":""},"error":{"OfString":"","code":0,"message":"","type":"","content":null}}]}`,
			paris},
		{"an item as OpenAI's SDK encodes it", tool.OpenAIResponses,
			`{"id":"fc_1","type":"function_call","arguments":{"OfString":"{\"city\": \"Paris\"}"},` +
				`"call_id":"id1","name":"get_weather","output":{"OfString":""},` +
				`"error":{"OfString":"","code":0,"message":"","type":"","content":null}}`,
			paris},
		{"an error that is none", tool.OpenAIChat,
			`{"error":{},"choices":[{"index":0,"message":{"role":"assistant",` +
				`"tool_calls":[{"id":"id1","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}}]}}]}`,
			paris},
		{"items", tool.OpenAIResponses,
			`[{"type":"function_call","call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}]`,
			paris},
		{"an item", tool.OpenAIResponses,
			`{"type":"function_call","call_id":"id1","name":"get_weather","arguments":"{\"city\": \"Paris\"}"}`, paris},
		{"an output of a call", tool.OpenAIResponses,
			`{"type":"function_call_output","call_id":"id1","output":[{"type":"function_call"}]}`, nil},
		{"OpenAI's tools", tool.OpenAIResponses,
			`[{"type":"web_search_call","id":"ws"},` +
				`{"type":"custom_tool_call","call_id":"c","name":"x","input":"free"},` +
				`{"type":"mcp_call","name":"m","arguments":"{}"},{"type":"message","content":[]}]`, nil},

		{"a body", tool.Gemini,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"id1",` +
				`"name":"get_weather","args":{"city": "Paris"}},"thoughtSignature":"AAA"},` +
				`{"functionCall":{"id":"id2","name":"now"}}]},"finishReason":"STOP"},` +
				`{"content":{"parts":[{"functionCall":{"name":"other"}}]}}],` +
				`"usageMetadata":{}}`, two},
		{"a content", tool.Gemini,
			`{"role":"model","parts":[{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}]}`,
			paris},
		{"a candidate", tool.Gemini,
			`{"content":{"parts":[{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}]}}`,
			paris},
		{"parts", tool.Gemini, `[{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}]`,
			paris},
		{"a part", tool.Gemini, `{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}`,
			paris},
		{"without id", tool.Gemini, `{"functionCall":{"name":"get_weather","args":{"city": "Paris"}}}`,
			[]tool.Call{call("", "get_weather", `{"city": "Paris"}`)}},
		{"an array of responses", tool.Gemini,
			`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{` +
				`"content":{"parts":[{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}]}}]}]`,
			paris},
		{"parts that are not known", tool.Gemini,
			`{"role":"model",` +
				`"parts":[{},{"new":1},{"functionCall":{"id":"id1","name":"get_weather","args":{"city": "Paris"}}}]}`,
			paris},
		{"a prompt that was checked", tool.Gemini, `{"promptFeedback":{"safetyRatings":[]}}`, nil},
		{"an empty candidate", tool.Gemini, `{"candidates":[{"finishReason":"STOP"}]}`, nil},

		{
			"a body",
			tool.Bedrock,
			`{"output":{"message":{"role":"assistant","content":[{"text":"I look."},{"toolUse":{"toolUseId":"id1",` +
				`"name":"get_weather","input":{"city": "Paris"}}},{"toolUse":{"toolUseId":"id2","name":"now"}}]}},` +
				`"stopReason":"tool_use"}`,
			two,
		},
		{"a message", tool.Bedrock,
			`{"role":"assistant",` +
				`"content":[{"toolUse":{"toolUseId":"id1","name":"get_weather","input":{"city": "Paris"}}}]}`,
			paris},
		{
			"blocks",
			tool.Bedrock,
			`[{"reasoningContent":{}},{"toolUse":{"toolUseId":"id1","name":"get_weather","input":{"city": "Paris"}}}]`,
			paris,
		},
		{"a block", tool.Bedrock, `{"toolUse":{"toolUseId":"id1","name":"get_weather","input":{"city": "Paris"}}}`,
			paris},
		{"blocks that are not known", tool.Bedrock,
			`[{},{"new":1},{"toolUse":{"toolUseId":"id1","name":"get_weather","input":{"city": "Paris"}}}]`, paris},
		{"a tool at Bedrock", tool.Bedrock,
			`{"toolUse":{"toolUseId":"id1","name":"nova_grounding","input":{},"type":"server_tool_use"}}`, nil},

		{
			"a request",
			tool.MCP,
			`{"jsonrpc":"2.0","id":7,"method":"tools/call",` +
				`"params":{"name":"get_weather","arguments":{"city": "Paris"},"_meta":{"progressToken":1}}}`,
			[]tool.Call{call("", "get_weather", `{"city": "Paris"}`)},
		},
		{"params", tool.MCP, `{"name":"now"}`, []tool.Call{call("", "now", "{}")}},
		{"another request", tool.MCP, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, nil},
		{
			"a batch",
			tool.MCP,
			`[{"jsonrpc":"2.0","method":"ping"},` +
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}]`,
			[]tool.Call{call("", "now", "{}")},
		},
	} {
		t.Run(string(test.api)+" "+test.name, func(t *testing.T) {
			calls, err := provider.Calls(test.api, []byte(test.data))
			require.NoError(t, err)
			require.Equal(t, test.want, calls)
		})
	}
}

// TestArgumentsThatAreEncodedTwice has models that encode the whole arguments once more than the API does.
func TestArgumentsThatAreEncodedTwice(t *testing.T) {
	tools := newRegistry(t, plainTool("add",
		`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	for api, data := range map[tool.API]string{
		tool.OpenAIChat: `{"choices":[{"message":{"tool_calls":[{"id":"c",` +
			`"type":"function","function":{"name":"add","arguments":"\"{\\\"n\\\": 7}\""}}]}}]}`,
		tool.OpenAIResponses: `{"output":[{"type":"function_call",` +
			`"call_id":"c","name":"add","arguments":"\"{\\\"n\\\": 7}\""}]}`,
		tool.Anthropic: `{"content":[{"type":"tool_use","id":"c","name":"add","input":"{\"n\": 7}"}]}`,
		tool.Bedrock: `{"output":{"message":{` +
			`"content":[{"toolUse":{"toolUseId":"c","name":"add","input":"{\"n\": 7}"}}]}}}`,
		tool.Gemini: `{"candidates":[` +
			`{"content":{"parts":[{"functionCall":{"name":"add","args":"{\"n\": 7}"}}]}}]}`,
		tool.MCP: `{"method":"tools/call","params":{"name":"add","arguments":"{\"n\": 7}"}}`,
	} {
		calls, err := provider.Calls(api, []byte(data))
		require.NoError(t, err, api)
		require.Len(t, calls, 1, api)
		result := tools.Dispatch(t.Context(), calls[0], registry.Env{})
		require.Equal(t, `{"n":7}`, result.Text(), api)
	}
}

func TestCallsOfSomethingElse(t *testing.T) {
	for _, api := range apis {
		for _, data := range []string{``, `{`, `nothing`, `"text"`, `7`, `null`, `{}`, `{"a":1}`, `[1]`, `["x"]`,
			`[null]`, `[[]]`, `{"content":`} {
			_, err := provider.Calls(api, []byte(data))
			require.Error(t, err, "%s %s", api, data)
			require.Contains(t, err.Error(), string(api))
		}
	}
	_, err := provider.Calls(tool.Bedrock, []byte(`{"unknown":1}`))
	require.EqualError(t, err,
		`bedrock: expected a response of the Converse API, a message, `+
			`its content, or a content block, and not {"unknown":1}`)
}

// A host that has mixed up two APIs must get an error. It must not conclude that the model has finished.
func TestCallsOfAnotherAPI(t *testing.T) {
	block := `{"type":"tool_use","id":"t","name":"a","input":{}}`
	messages := map[tool.API][]string{
		tool.Anthropic: {
			`{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"Hm."},` + block +
				`],"stop_reason":"tool_use"}`,
			`{"role":"assistant","content":[` + block + `]}`, `[` + block + `]`, block,
		},
		tool.OpenAIChat: {
			`{"object":"chat.completion",` +
				`"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
				`{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]}}]}`},
		tool.OpenAIResponses: {
			`{"object":"response","output":[{"type":"function_call","call_id":"c","name":"a","arguments":"{}"}]}`,
		},
		tool.Gemini: {
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]}}]}`,
		},
		tool.Bedrock: {
			`{"output":{"message":{"role":"assistant",` +
				`"content":[{"toolUse":{"toolUseId":"t","name":"a","input":{}}}]}}}`,
		},
		tool.MCP: {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`},
	}
	for from, written := range messages {
		for _, message := range written {
			for _, api := range apis {
				if api == tool.MCP && strings.Trim(message, "[]") == block {
					continue // the params of a request need nothing but a name
				}
				calls, err := provider.Calls(api, []byte(message))
				if api == from {
					require.NoError(t, err)
					require.Len(t, calls, 1)
					continue
				}
				require.Error(t, err, "%s %s", api, message)
			}
		}
	}
}

func TestCallsReportTheProvidersErrors(t *testing.T) {
	for api, data := range map[tool.API]string{
		tool.Anthropic:       `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		tool.OpenAIChat:      `{"error":{"message":"Overloaded","type":"server_error"}}`,
		tool.OpenAIResponses: `{"error":{"message":"Overloaded","code":"server_error"}}`,
		tool.Gemini:          `{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}`,
		tool.Bedrock:         `{"message":"Overloaded"}`,
	} {
		_, err := provider.Calls(api, []byte(data))
		require.ErrorContains(t, err, "Overloaded")
		require.ErrorContains(t, err, "the provider reports an error")
	}
}

func TestCallsReportErrorsThatSayLittle(t *testing.T) {
	for data, want := range map[string]string{
		`{"error":{"code":500}}`:            "reports an error",
		`{"error":{"type":"server_error"}}`: "server_error",
		`{"error":"Overloaded"}`:            "Overloaded",
		`{"error":{"code":"x"}}`:            "x: ",
	} {
		for _, api := range []tool.API{tool.OpenAIChat, tool.OpenAIResponses, tool.Gemini} {
			_, err := provider.Calls(api, []byte(data))
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "the provider reports an error")
		}
	}
	for api, data := range map[tool.API]string{
		tool.Anthropic:       `{"type":"error","error":{}}`,
		tool.OpenAIResponses: `{"type":"response.failed","response":{"error":{"code":"","message":""}}}`,
		tool.Bedrock:         `{"throttlingException":null}`,
	} {
		s, err := provider.NewStream(api)
		require.NoError(t, err)
		require.ErrorContains(t, s.Add([]byte(data)), "the provider reports an error")
	}
}

// TestCallsWithoutAnswer has calls whose results could not be sent. The host must know before it runs them.
func TestCallsWithoutAnswer(t *testing.T) {
	for _, test := range []struct {
		api                tool.API
		data, event, lacks string
	}{
		{tool.Anthropic,
			`[{"type":"tool_use","id":"i","name":"n","input":{}},{"type":"tool_use","name":"n","input":{}}]`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"n","input":{}}}`, "id"},
		{tool.OpenAIChat, `{"tool_calls":[{"function":{"arguments":"{}"}}]}`,
			``, "id, and no name"},
		{tool.OpenAIResponses, `{"type":"function_call","name":"n","arguments":"{}"}`,
			`{"type":"response.output_item.done","item":{"type":"function_call","name":"n","arguments":"{}"}}`, "id"},
		{tool.OpenAIResponses, `{"type":"function_call","name":"n","arguments":"{}"}`,
			`{"type":"response.completed",` +
				`"response":{"output":[{"type":"function_call","name":"n","arguments":"{}"}]}}`,
			"id"},
		{tool.Gemini, `{"functionCall":{"id":"i"}}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"i"}}]}}]}`, "name"},
		{tool.Bedrock, `{"toolUse":{"name":"n"}}`, `{"contentBlockIndex":0,"start":{"toolUse":{"name":"n"}}}`,
			"id"},
	} {
		t.Run(string(test.api), func(t *testing.T) {
			want := "has no " + test.lacks + ", without which it cannot be answered"
			calls, err := provider.Calls(test.api, []byte(test.data))
			require.ErrorContains(t, err, want)
			require.Empty(t, calls)
			if test.event == "" { // a stream takes it for the rest of another call
				return
			}
			s, err := provider.NewStream(test.api)
			require.NoError(t, err)
			require.NoError(t, s.Add([]byte(test.event)))
			calls, err = s.Calls()
			require.ErrorContains(t, err, want)
			require.Empty(t, calls)
		})
	}
}

func TestCallsAreLimited(t *testing.T) {
	one := map[tool.API]string{
		tool.Anthropic:       `{"type":"tool_use","id":"i","name":"n","input":{}}`,
		tool.OpenAIChat:      `{"id":"i","function":{"name":"n","arguments":"{}"}}`,
		tool.OpenAIResponses: `{"type":"function_call","call_id":"i","name":"n","arguments":"{}"}`,
		tool.Gemini:          `{"functionCall":{"name":"n"}}`,
		tool.Bedrock:         `{"toolUse":{"toolUseId":"i","name":"n"}}`,
		tool.MCP:             `{"name":"n"}`,
	}
	for _, api := range apis {
		list := "[" + strings.Repeat(one[api]+",", 999) + one[api] + "]"
		calls, err := provider.Calls(api, []byte(list))
		require.NoError(t, err)
		require.Len(t, calls, 1000)
		_, err = provider.Calls(api, []byte("["+one[api]+","+list[1:]))
		require.ErrorContains(t, err, "more than 1000 calls")
	}
	_, err := provider.Calls(tool.Gemini, []byte("["+strings.Repeat(" ", 64<<20)+"]"))
	require.ErrorContains(t, err, "more than 67108864")
}
