package sdktest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/memory"
)

func TestDefinitions(t *testing.T) {
	own, err := registry.New(memory.New(), filesystem.New())
	require.NoError(t, err)
	for _, s := range sdks {
		for _, test := range []struct {
			name   string
			reg    *registry.Registry
			strict bool
		}{
			{"", newRegistry(t), false},
			{" strict", newRegistry(t), true},
			{" tools of toolrun", own, false},
			{" tools of toolrun strict", own, true},
		} {
			t.Run(s.name+test.name, func(t *testing.T) {
				definitions, err := provider.Definitions(test.reg, s.api, registry.Selection{},
					&provider.Options{Strict: test.strict})
				require.NoError(t, err)
				require.Equal(t, test.strict && s.strict, bytes.Contains(definitions, []byte(`"strict":true`)), "%s",
					definitions)
				server := serve(t, answer{s.path, "application/json", testdata(t, s.file+"_end.json")})
				c := s.new(t, server.URL)
				require.NoError(t, c.define(definitions))
				require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
				_, err = c.send(t.Context())
				require.NoError(t, err)
				requireSame(t, definitions, at(t, server.bodies[0], s.tools...))
			})
		}
	}
}

// TestUnknownFields is a control: the comparison in the other tests detects a field that an SDK does not know.
func TestUnknownFields(t *testing.T) {
	for _, s := range sdks {
		t.Run(s.name, func(t *testing.T) {
			definitions := definitionsFor(t, s, false)
			surprising := bytes.Replace(definitions, []byte(`"name":`), []byte(`"surprise":1,"name":`), 1)
			server := serve(t, answer{s.path, "application/json", testdata(t, s.file+"_end.json")})
			c := s.new(t, server.URL)
			if err := c.define(surprising); err != nil {
				require.ErrorContains(t, err, "surprise")
				return
			}
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
			_, err := c.send(t.Context())
			require.NoError(t, err)
			require.NotContains(t, string(at(t, server.bodies[0], s.tools...)), "surprise")
		})
	}
}

// TestResults sends results with all kinds of content.
func TestResults(t *testing.T) {
	pixel, err := base64.StdEncoding.DecodeString(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4AAAAASUVORK5CYII=")
	require.NoError(t, err)
	picture := tool.Part{Text: "a chart", Data: pixel, MIME: "image/png"}
	document := tool.Part{Text: "a report", Data: []byte("%PDF-1.7"), MIME: "application/pdf"}
	sound := tool.Part{Data: []byte("RIFF"), MIME: "audio/wav"}
	results := []tool.Result{
		{Content: []tool.Part{{Text: "fünf & <mehr> 📦"}}},
		{},
		{Content: []tool.Part{{Text: "before"}, picture, {Text: "after"}}},
		{Content: []tool.Part{picture}},
		{Content: []tool.Part{{Text: "the report:"}, document}},
		{Content: []tool.Part{sound}},
		tool.Failure(tool.CodeTool, "there is no such order"),
		{Content: []tool.Part{{Text: "it failed half way"}, picture}, Code: tool.CodeTool},
		{Content: []tool.Part{{Text: "content", Resource: &tool.Resource{Kind: "FILE", Name: "/notes.txt",
			Key: "1"}}}},
	}
	for i := range results {
		results[i].CallID, results[i].Tool = "call_"+string(rune('a'+i)), "find_order"
	}
	for _, s := range sdks {
		t.Run(s.name, func(t *testing.T) {
			messages, err := provider.Results(s.api, results)
			require.NoError(t, err)
			server := serve(t, answer{s.path, "application/json", testdata(t, s.file+"_end.json")})
			c := s.new(t, server.URL)
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
			require.NoError(t, c.say(messages))
			_, err = c.send(t.Context())
			require.NoError(t, err)
			require.Equal(t, decode(t, messages), decode(t, at(t, server.bodies[0], s.messages...)).([]any)[1:])
		})
	}
}

// TestTurn runs a conversation in which a model calls tools and comments on their results.
func TestTurn(t *testing.T) {
	for _, s := range sdks {
		t.Run(s.name, func(t *testing.T) {
			reg := newRegistry(t)
			definitions := definitionsFor(t, s, false)
			first := testdata(t, s.file+".json")
			server := serve(t,
				answer{s.path, "application/json", first},
				answer{s.path, "application/json", testdata(t, s.file+"_end.json")})
			c := s.new(t, server.URL)
			require.NoError(t, c.define(definitions))
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))

			response, err := c.send(t.Context())
			require.NoError(t, err)
			requireSame(t, definitions, at(t, server.bodies[0], s.tools...))
			requireSame(t, []byte("["+s.user+"]"), at(t, server.bodies[0], s.messages...))
			calls, err := provider.Calls(s.api, response)
			require.NoError(t, err)
			requireCalls(t, s, calls)
			fromBody, err := provider.Calls(s.api, first)
			require.NoError(t, err)
			if s.inexact {
				calls = fromBody
			}
			requireExactCalls(t, s, fromBody)

			results := reg.DispatchAll(t.Context(), calls, registry.Env{})
			requireResults(t, results)
			messages, err := provider.Results(s.api, results)
			require.NoError(t, err)
			require.NoError(t, c.say(messages))
			response, err = c.send(t.Context())
			require.NoError(t, err)

			requireSame(t, definitions, at(t, server.bodies[1], s.tools...))
			sent := elements(t, at(t, server.bodies[1], s.messages...))
			added := elements(t, messages)
			require.Greater(t, len(sent), 1+len(added))
			of := len(sent) - len(added)
			var texts []any
			for _, result := range results {
				texts = append(texts, string(encode(t, result.Text())))
			}
			requireSame(t, fmt.Appendf(nil, s.results, texts...), encode(t, sent[of:]))
			again, err := provider.Calls(s.api, modelMessages(s, sent[1:of]))
			require.NoError(t, err)
			requireCalls(t, s, again)

			calls, err = provider.Calls(s.api, response)
			require.NoError(t, err)
			require.Empty(t, calls)
		})
	}
}

// TestWithoutIDs has calls without ids: OpenAI's function_call had none, and Gemini's models may omit them.
func TestWithoutIDs(t *testing.T) {
	for _, test := range []struct {
		sdk      string
		response string
		results  string
	}{
		{
			sdk: "OpenAI Chat Completions",
			response: `{"id":"chatcmpl-1","object":"chat.completion","created":1760000000,
				"model":"test","choices":[{"index":0,"finish_reason":"function_call",
				"message":{"role":"assistant","content":null,
					"function_call":{"name":"list_zones","arguments":"{}"}}}]}`,
			results: `[{"role":"function","name":"list_zones","content":"list_zones got {}"}]`,
		},
		{
			sdk: "Gemini",
			response: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"list_zones"}}],"role":"model"},` +
				`"finishReason":"STOP"}]}`,
			results: `[{"role":"user",` +
				`"parts":[{"functionResponse":{"name":"list_zones","response":{"output":"list_zones got {}"}}}]}]`,
		},
	} {
		t.Run(test.sdk, func(t *testing.T) {
			s := named(test.sdk)
			server := serve(t,
				answer{s.path, "application/json", []byte(test.response)},
				answer{s.path, "application/json", testdata(t, s.file+"_end.json")})
			c := s.new(t, server.URL)
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
			response, err := c.send(t.Context())
			require.NoError(t, err)
			calls, err := provider.Calls(s.api, response)
			require.NoError(t, err)
			require.Len(t, calls, 1)
			messages, err := provider.Results(s.api, newRegistry(t).DispatchAll(t.Context(), calls, registry.Env{}))
			require.NoError(t, err)
			require.NoError(t, c.say(messages))
			_, err = c.send(t.Context())
			require.NoError(t, err)
			require.Equal(t, decode(t, []byte(test.results)),
				decode(t, at(t, server.bodies[1], s.messages...)).([]any)[2:])
		})
	}
}

// TestStream has the same calls in a stream.
func TestStream(t *testing.T) {
	for _, s := range sdks {
		t.Run(s.name, func(t *testing.T) {
			definitions := definitionsFor(t, s, true)
			body := testdata(t, s.file+".stream")
			if s.encode != nil {
				body = s.encode(t, body)
			}
			server := serve(t, answer{s.streamPath, s.streamType, body})
			c := s.new(t, server.URL)
			require.NoError(t, c.define(definitions))
			require.NoError(t, c.say(json.RawMessage("["+s.user+"]")))
			events, err := c.stream(t.Context())
			require.NoError(t, err)
			requireSame(t, definitions, at(t, server.bodies[0], s.tools...))

			calls := streamed(t, s, events)
			requireCalls(t, s, calls)
			fromBody := streamed(t, s, s.events(t, body))
			requireExactCalls(t, s, fromBody)
			if s.inexact {
				calls = fromBody
			}
			requireResults(t, newRegistry(t).DispatchAll(t.Context(), calls, registry.Env{}))
		})
	}
}

func definitionsFor(t *testing.T, s sdk, strict bool) json.RawMessage {
	t.Helper()
	definitions, err := provider.Definitions(newRegistry(t), s.api, registry.Selection{},
		&provider.Options{Strict: strict})
	require.NoError(t, err)
	return definitions
}

func streamed(t *testing.T, s sdk, events []json.RawMessage) []tool.Call {
	t.Helper()
	require.NotEmpty(t, events)
	stream, err := provider.NewStream(s.api)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, stream.Add(event), "%s", event)
	}
	calls, err := stream.Calls()
	require.NoError(t, err)
	return calls
}

// modelMessages returns the messages of a model in a conversation, in a form that provider.Calls reads.
func modelMessages(s sdk, messages []json.RawMessage) json.RawMessage {
	if s.api == tool.OpenAIResponses { // items
		list, _ := json.Marshal(messages)
		return list
	}
	return messages[0]
}

// requireCalls compares the calls that an SDK returns or sends back.
func requireCalls(t *testing.T, s sdk, calls []tool.Call) {
	t.Helper()
	if s.inexact {
		calls = slices.Clone(calls)
		for i, call := range calls {
			if call.Tool == "find_order" {
				require.NotEmpty(t, at(t, call.Input, "order"))
				calls[i].Input = s.calls[i].Input
			}
		}
	}
	requireExactCalls(t, s, calls)
}

// requireExactCalls compares calls with those that the model made. SDKs need not keep white space and the order of
// members.
func requireExactCalls(t *testing.T, s sdk, calls []tool.Call) {
	t.Helper()
	require.Len(t, calls, len(s.calls), "%q", calls)
	for i, want := range s.calls {
		got := calls[i]
		if json.Valid(want.Input) {
			requireSame(t, want.Input, got.Input)
			got.Input, want.Input = nil, nil
		}
		require.Equal(t, want, got)
	}
}

// requireResults checks the results of the calls.
func requireResults(t *testing.T, results []tool.Result) {
	t.Helper()
	require.Equal(t, "Order "+order+" is open & größer als <1>.", results[0].Text())
	codes := []tool.Code{"", tool.CodeUnknownTool, tool.CodeInvalidInput}
	for i, result := range results {
		require.Equal(t, codes[i], result.Code, result.Text())
	}
}
