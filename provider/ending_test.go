package provider_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// ends has responses that are neither an answer nor calls to make, and the same as streams.
var ends = []struct {
	name         string
	api          tool.API
	body, events string
	want         provider.EndError
}{
	{"a pause", tool.Anthropic,
		`{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}],
			"stop_reason":"pause_turn"}`,
		`{"type":"content_block_start","index":0,
			"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}
		{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}
		{"type":"message_stop"}`,
		provider.EndError{Kind: provider.EndPaused, Reason: "pause_turn"}},
	{"a refusal, and a call", tool.Anthropic,
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}}],
			"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"Too much."}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"n","input":{}}}
		{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"Too much."}}}`,
		provider.EndError{Kind: provider.EndRefused, Reason: "refusal", Text: "Too much."}},
	{"a text that is cut", tool.Anthropic,
		`{"role":"assistant","content":[{"type":"text","text":"It is"}],"stop_reason":"model_context_window_exceeded"}`,
		`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`,
		provider.EndError{Kind: provider.EndCut, Reason: "model_context_window_exceeded"}},

	{"a refusal", tool.OpenAIChat,
		`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I will not."},
			"finish_reason":"stop"}]}`,
		`{"choices":[{"index":0,"delta":{"refusal":"I will"}}]}
		{"choices":[{"index":0,"delta":{"refusal":" not."}}]}
		{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		provider.EndError{Kind: provider.EndRefused, Reason: "refusal", Text: "I will not."}},
	{"a filter, and a call", tool.OpenAIChat,
		`{"choices":[{"index":0,"message":{"role":"assistant",
			"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{}"}}]},"finish_reason":"content_filter"}]}`,
		`{"choices":[{"index":0,
			"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"{}"}}]}}]}
		{"choices":[{"index":0,"delta":null,"finish_reason":"content_filter"}]}`,
		provider.EndError{Kind: provider.EndBlocked, Reason: "content_filter"}},
	{"Gemini behind it", tool.OpenAIChat,
		`{"choices":[{"finish_reason":"function_call_filter: MALFORMED_FUNCTION_CALL"}]}`,
		`{"choices":[{"finish_reason":"function_call_filter: MALFORMED_FUNCTION_CALL"}]}`,
		provider.EndError{Kind: provider.EndMalformed, Reason: "function_call_filter: MALFORMED_FUNCTION_CALL"}},
	{"a text that is cut", tool.OpenAIChat,
		`{"message":{"role":"assistant","content":"It is"},"finish_reason":"length"}`,
		`{"choices":[{"index":0,"delta":{"content":"It is"},"finish_reason":"length"}]}`,
		provider.EndError{Kind: provider.EndCut, Reason: "length"}},

	{"a refusal", tool.OpenAIResponses,
		`{"object":"response","status":"completed",
			"output":[{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}]}`,
		`{"type":"response.output_item.done","output_index":0,
			"item":{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}}
		{"type":"response.completed","response":{"output":[]}}`,
		provider.EndError{Kind: provider.EndRefused, Reason: "refusal", Text: "I will not."}},
	{"a text that is cut", tool.OpenAIResponses,
		`{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},
			"output":[{"type":"reasoning"}]}`,
		`{"type":"response.incomplete","response":{"status":"incomplete",
			"incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning"}]}}`,
		provider.EndError{Kind: provider.EndCut, Reason: "max_output_tokens"}},
	{"a filter, and a call", tool.OpenAIResponses,
		`{"object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},
			"output":[{"type":"function_call","call_id":"a","name":"n","arguments":"{}"}]}`,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"},
			"output":[{"type":"function_call","call_id":"a","name":"n","arguments":"{}"}]}}`,
		provider.EndError{Kind: provider.EndBlocked, Reason: "content_filter"}},
	{"a reason that is missing", tool.OpenAIResponses,
		`{"object":"response","status":"incomplete","incomplete_details":null,"output":[]}`,
		`{"type":"response.incomplete","response":{"output":[]}}`,
		provider.EndError{Kind: provider.EndFailed, Reason: "incomplete"}},
	{"a response that still runs", tool.OpenAIResponses,
		`{"object":"response","status":"in_progress","output":[]}`, ``,
		provider.EndError{Kind: provider.EndFailed, Reason: "in_progress"}},

	{"a malformed call", tool.Gemini,
		`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL",
			"finishMessage":"Malformed function call: print(default_api.f(x=1))","content":{}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"I look."}]}}]}
		{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL",
			"finishMessage":"Malformed function call: print(default_api.f(x=1))"}]}`,
		provider.EndError{Kind: provider.EndMalformed, Reason: "MALFORMED_FUNCTION_CALL",
			Text: "Malformed function call: print(default_api.f(x=1))"}},
	{"an unexpected call", tool.Gemini, `{"finishReason":"UNEXPECTED_TOOL_CALL"}`,
		`[{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"UNEXPECTED_TOOL_CALL"}]}]`,
		provider.EndError{Kind: provider.EndMalformed, Reason: "UNEXPECTED_TOOL_CALL"}},
	{"a blocked prompt", tool.Gemini,
		`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"Not this."},"usageMetadata":{}}`,
		`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"Not this."}}`,
		provider.EndError{Kind: provider.EndBlocked, Reason: "PROHIBITED_CONTENT", Text: "Not this."}},
	{"a blocked answer, and a call", tool.Gemini,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{}}}]},"finishReason":"SAFETY"}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{}}}]}}]}
		{"candidates":[{"finishReason":"SAFETY"}]}`,
		provider.EndError{Kind: provider.EndBlocked, Reason: "SAFETY"}},
	{"nothing but thoughts", tool.Gemini, `{"candidates":[{"finishReason":"MAX_TOKENS"}]}`,
		`{"candidates":[{"finishReason":"MAX_TOKENS"}]}`,
		provider.EndError{Kind: provider.EndCut, Reason: "MAX_TOKENS"}},

	{"a guardrail, and a call", tool.Bedrock,
		`{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"n","input":{}}}]}},
			"stopReason":"guardrail_intervened"}`,
		`{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"n"}}}}
		{"messageStop":{"stopReason":"guardrail_intervened"}}`,
		provider.EndError{Kind: provider.EndBlocked, Reason: "guardrail_intervened"}},
	{"a malformed call", tool.Bedrock,
		`{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"malformed_tool_use"}`,
		`{"stopReason":"malformed_tool_use"}`,
		provider.EndError{Kind: provider.EndMalformed, Reason: "malformed_tool_use"}},
	{"a text that is cut", tool.Bedrock,
		`{"output":{"message":{"role":"assistant","content":[{"text":"It is"}]}},"stopReason":"max_tokens"}`,
		`{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"It is"}}}
		{"messageStop":{"stopReason":"max_tokens"}}`,
		provider.EndError{Kind: provider.EndCut, Reason: "max_tokens"}},
}

func TestEnds(t *testing.T) {
	for _, test := range ends {
		t.Run(string(test.api)+" "+test.name, func(t *testing.T) {
			test.want.API = test.api
			check := func(calls []tool.Call, err error) {
				t.Helper()
				require.Empty(t, calls)
				end, ok := errors.AsType[*provider.EndError](err)
				require.True(t, ok, "%v", err)
				require.Equal(t, test.want, *end)
				require.Contains(t, err.Error(), test.want.Reason)
				require.Contains(t, err.Error(), test.want.Text)
			}
			check(provider.Calls(test.api, []byte(test.body)))
			if test.events == "" {
				return
			}
			s, err := provider.NewStream(test.api)
			require.NoError(t, err)
			for _, event := range eventsOf(test.events) {
				require.NoError(t, s.Add([]byte(event)))
			}
			check(s.Calls())
		})
	}
}

func TestEndsBeforeWhichTheModelIsAskedAgain(t *testing.T) {
	const text = `"Your last call could not be read, and nothing was ` +
		`run. Make it again as a single call of one of the tools, with arguments that are valid JSON."`
	for api, want := range map[tool.API]string{
		tool.Anthropic:       `[{"role":"user","content":[{"type":"text","text":` + text + `}]}]`,
		tool.OpenAIChat:      `[{"role":"user","content":` + text + `}]`,
		tool.OpenAIResponses: `[{"role":"user","content":` + text + `}]`,
		tool.Gemini:          `[{"role":"user","parts":[{"text":` + text + `}]}]`,
		tool.Bedrock:         `[{"role":"user","content":[{"text":` + text + `}]}]`,
	} {
		messages, ok := (&provider.EndError{API: api, Kind: provider.EndMalformed}).Again()
		require.True(t, ok)
		require.JSONEq(t, want, string(messages))
		messages, ok = (&provider.EndError{API: api, Kind: provider.EndPaused}).Again()
		require.True(t, ok)
		require.Nil(t, messages)
		for _, kind := range []provider.EndKind{provider.EndCut, provider.EndRefused, provider.EndBlocked,
			provider.EndFailed} {
			_, ok = (&provider.EndError{API: api, Kind: kind}).Again()
			require.False(t, ok)
		}
	}
	_, ok := (&provider.EndError{Kind: provider.EndMalformed}).Again()
	require.False(t, ok)
}

// TestCallsThatAreCutOff has responses with two calls and a reason for their end. run says which calls are made.
func TestCallsThatAreCutOff(t *testing.T) {
	const (
		whole = `{\"a\":1}`
		part  = `{\"a\":\"1`
		limit = "This call was not run, because your answer was cut off at its limit of tokens before the call was " +
			"complete. " +
			"Make it again with less in it, and write a long content in several smaller parts."
		beside = "This call was not run, because another call of the same answer could not be read. " +
			"Make your calls again, one at a time, with arguments that are valid JSON."
	)
	anthropic := func(end string) string {
		return `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"echo","input":{"a":1}},` +
			`{"type":"tool_use","id":"b","name":"echo","input":{"a":1}}` +
			end + `"}`
	}
	chat := func(second, reason string) string {
		return `{"choices":[{"index":0,` +
			`"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"echo","arguments":"` +
			whole + `"}},` +
			`{"id":"b","function":{"name":"echo","arguments":"` + second + `"}}]},"finish_reason":"` + reason + `"}]}`
	}
	responses := func(end string) string {
		return `{"object":"response","output":[{"type":"function_call","call_id":"a","name":"echo","arguments":"` +
			whole + `","status":"completed"},` +
			`{"type":"function_call","call_id":"b","name":"echo","arguments":"` + whole + `"` + end + `}`
	}
	gemini := func(end string) string {
		return `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"echo","args":{"a":1}}},` +
			`{"functionCall":{"name":"echo","args":{"a":1}}}` +
			end + `"}]}`
	}
	bedrock := func(end string) string {
		return `{"output":{"message":{"role":"assistant",` +
			`"content":[{"toolUse":{"toolUseId":"a","name":"echo","input":{"a":1}}},` +
			`{"toolUse":{"toolUseId":"b","name":"echo","input":{"a":1}}}` + end + `"}`
	}
	r := newRegistry(t, plainTool("echo", `{"type":"object"}`))
	for _, test := range []struct {
		name   string
		api    tool.API
		body   string
		events []string
		texts  [2]string // "" if the call is made
	}{
		{"at the limit", tool.Anthropic, anthropic(`],"stop_reason":"max_tokens`), nil, [2]string{"", limit}},
		{"the window is full", tool.Anthropic, anthropic(`],"stop_reason":"model_context_window_exceeded`), nil,
			[2]string{"", limit}},
		{"a text behind them is cut", tool.Anthropic,
			anthropic(`,{"type":"text","text":"So"}],"stop_reason":"max_tokens`), nil, [2]string{}},
		{"calls and a pause", tool.Anthropic, anthropic(`],"stop_reason":"pause_turn`), nil, [2]string{}},
		{"an unknown reason", tool.Anthropic, anthropic(`],"stop_reason":"something_new`), nil, [2]string{}},
		{"at the limit", tool.OpenAIChat, chat(part, "length"), nil, [2]string{"", limit}},
		{"at the limit, as if it were whole", tool.OpenAIChat, chat(whole, "length"), nil, [2]string{"", limit}},
		{"Mistral's word", tool.OpenAIChat, chat(part, "model_length"), nil, [2]string{"", limit}},
		{"whole", tool.OpenAIChat, chat(whole, "stop"), nil, [2]string{}},
		{"at the limit", tool.OpenAIResponses,
			responses(`}],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`), nil,
			[2]string{"", limit}},
		{"the item says so", tool.OpenAIResponses, responses(`,"status":"incomplete"}]`), nil,
			[2]string{"", limit}},
		{"a text behind them is cut", tool.OpenAIResponses,
			responses(`},{"type":"message","content":[]}],"incomplete_details":{"reason":"max_output_tokens"}`), nil,
			[2]string{}},
		{"at the limit", tool.Gemini, gemini(`,{"text":""}]},"finishReason":"MAX_TOKENS`), nil,
			[2]string{"", limit}},
		{"a text behind them is cut", tool.Gemini, gemini(`,{"text":"So"}]},"finishReason":"MAX_TOKENS`), nil,
			[2]string{}},
		{"beside a malformed one", tool.Gemini, gemini(`]},"finishReason":"MALFORMED_FUNCTION_CALL`), nil,
			[2]string{beside, beside}},
		{"at the limit", tool.Bedrock, bedrock(`]}},"stopReason":"max_tokens`), nil, [2]string{"", limit}},
		{"a text behind them is cut", tool.Bedrock,
			bedrock(`,{"text":"So"}]}},"stopReason":"model_context_window_exceeded`), nil, [2]string{}},

		{"a stream at the limit", tool.Anthropic, "",
			[]string{`{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`}, [2]string{"", limit}},
		{"a stream, and a text behind them", tool.Anthropic, "", []string{
			`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`}, [2]string{}},
		{"a stream at the limit", tool.OpenAIChat, "",
			[]string{`{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`}, [2]string{"", limit}},
		{"a stream at the limit", tool.OpenAIResponses, "",
			[]string{`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`},
			[2]string{"", limit}},
		{"a stream at the limit", tool.Bedrock, "", []string{`{"messageStop":{"stopReason":"max_tokens"}}`},
			[2]string{"", limit}},
		{"a stream, and a text behind them", tool.Bedrock, "",
			[]string{`{"contentBlockDelta":{"contentBlockIndex":2,"delta":{"text":"So"}}}`,
				`{"stopReason":"max_tokens"}`}, [2]string{}},
	} {
		t.Run(string(test.api)+" "+test.name, func(t *testing.T) {
			var calls []tool.Call
			if test.body != "" {
				var err error
				calls, err = provider.Calls(test.api, []byte(test.body))
				require.NoError(t, err, test.body)
			} else {
				var events []string
				for i := range 2 {
					events = append(events, fmt.Sprintf(deltas[test.api].start, i), fmt.Sprintf(deltas[test.api].delta,
						i, `"`+whole+`"`))
				}
				calls = stream(t, test.api, append(events, test.events...)...)
			}
			require.Len(t, calls, 2)
			for i, result := range r.DispatchAll(t.Context(), calls, registry.Env{}) {
				if test.texts[i] == "" {
					require.Empty(t, result.Code, result.Text())
					continue
				}
				require.Equal(t, tool.CodeInvalidInput, result.Code)
				require.Equal(t, test.texts[i], result.Text())
				require.Equal(t, calls[i].ID, result.CallID, "it is answered like any other")
			}
		})
	}
}

// TestCallsWithoutIDs has calls of small servers: what answers them must be a message of role tool.
func TestCallsWithoutIDs(t *testing.T) {
	r := newRegistry(t, plainTool("echo", `{"type":"object"}`))
	for _, id := range []string{``, `"id":"",`, `"id":null,`} {
		one := `{` + id + `"type":"function","function":{"name":"echo","arguments":"{}"}}`
		s, err := provider.NewStream(tool.OpenAIChat)
		require.NoError(t, err)
		for i := range 2 {
			require.NoError(t, s.Add(fmt.Appendf(nil,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,%s}]}}]}`, i, one[1:len(one)-1])))
		}
		streamed, err := s.Calls()
		require.NoError(t, err)
		again, err := s.Calls()
		require.NoError(t, err)
		require.Equal(t, streamed, again)
		whole, err := provider.Calls(tool.OpenAIChat,
			[]byte(`{"choices":[{"message":{"role":"assistant","tool_calls":[`+one+`,`+one+`]}}]}`))
		require.NoError(t, err)
		for _, calls := range [][]tool.Call{streamed, whole} {
			require.Len(t, calls, 2)
			require.NotEqual(t, calls[0].ID, calls[1].ID)
			messages, err := provider.Results(tool.OpenAIChat, r.DispatchAll(t.Context(), calls, registry.Env{}))
			require.NoError(t, err)
			for _, c := range calls {
				require.Regexp(t, "^call_[a-z2-7]{26}$", c.ID)
				require.Contains(t, string(messages), `{"role":"tool","tool_call_id":"`+c.ID+`","content":`)
			}
		}
	}
}
