package provider_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func FuzzCalls(f *testing.F) {
	for _, message := range whole {
		for _, input := range []string{`{"n":9007199254740993}`, `"{\"a\":"`, `null`, `[1]`} {
			f.Add(fmt.Appendf(nil, message, input))
		}
	}
	for _, message := range []string{
		`{"type":"error","error":{"type":"a","message":"b"}}`, `[{"type":"custom","custom":{}}]`,
		`{"choices":[{"message":{"function_call":{"name":"x","arguments":{}}}}]}`,
		`{"message":"x"}`, `[{"candidates":[{"content":{"parts":[{}]}}]}]`, `[{"jsonrpc":"2.0","method":"tools/call"}]`,
		"{\"\\u006eame\":\"x\"}", "[[[[", "{\"a\":\"\\ud800\xff\"}",
	} {
		f.Add([]byte(message))
	}
	r := newRegistry(f, plainTool("echo", `{"type":"object"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, api := range apis {
			before := bytes.Clone(data)
			calls, err := provider.Calls(api, data)
			require.Equal(t, before, data)
			if err != nil {
				require.Empty(t, calls)
				require.Less(t, len(err.Error()), 2000)
				continue
			}
			size := 0
			var results []tool.Result
			for _, c := range calls {
				size += len(c.ID)/3 + len(c.Tool)/3 + len(c.Input) // replacing invalid UTF-8 makes it longer
				results = append(results, r.Dispatch(t.Context(), c, registry.Env{}))
			}
			require.LessOrEqual(t, size, len(data)+2*len(calls))
			messages, err := provider.Results(api, results)
			require.NoError(t, err, "what Calls returns can be answered")
			_, err = provider.Calls(api, messages)
			_ = err // results are not calls, and may be refused
		}
	})
}

func FuzzStream(f *testing.F) {
	for _, events := range deltas {
		f.Add(fmt.Appendf(nil, events.start+"\n"+events.delta+"\n"+events.delta, 0, 0, `"{\"a\":"`, 0, `"1}"`))
		f.Add(fmt.Appendf(nil, events.start+"\n"+events.start+"\n"+events.delta, 0, 1, 1, `"\ud83d"`))
	}
	for _, event := range []string{
		`{"type":"response.completed",` +
			`"response":{"output":[{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}]}}`,
		`{"type":"response.output_item.done","output_index":1,` +
			`"item":{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}}`,
		`{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"b"}}}`, `{"throttlingException":{}}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"b","args":{}}}]}}]}`, `[DONE]`,
		`{"choices":[{"delta":{"function_call":{"name":"a","arguments":"{"}}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"b","arguments":"{"}},` +
			`{"index":1,"function":{"arguments":"}"}}]},"finish_reason":"length"}]}`,
		`{"choices":[{"delta":{"refusal":"No"}}]}`, `{"promptFeedback":{"blockReason":"OTHER"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}`,
		`{"messageStop":{"stopReason":"max_tokens"}}`,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"output":[]}}`,
	} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, api := range apis {
			s, err := provider.NewStream(api)
			require.NoError(t, err)
			for _, event := range bytes.Split(data, []byte("\n")) {
				if err := s.Add(event); err != nil {
					require.Less(t, len(err.Error()), 2000)
				}
			}
			calls, err := s.Calls()
			if end, ok := errors.AsType[*provider.EndError](err); ok {
				require.Less(t, len(end.Error()), 2000)
				require.Empty(t, calls)
				continue
			}
			if err != nil {
				require.Regexp(t, "has no (id|name|id, and no name), without which it cannot be answered", err.Error())
				require.Empty(t, calls)
				continue
			}
			size := 0
			for _, c := range calls {
				size += len(c.Input) / 3 // replacing invalid UTF-8 makes it longer
			}
			require.LessOrEqual(t, size, len(data)+2*len(calls))
			again, err := s.Calls()
			require.NoError(t, err)
			require.Equal(t, calls, again)
		}
	})
}
