package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// whole has a message with a call for each API. Its verb stands for the arguments, which are an object.
var whole = map[tool.API]string{
	tool.Anthropic: `{"role":"assistant",` +
		`"content":[{"type":"tool_use","id":"id0","name":"echo","input":%s}]}`,
	tool.OpenAIChat: `{"role":"assistant",` +
		`"tool_calls":[{"id":"id0","type":"function","function":{"name":"echo","arguments":%s}}]}`,
	tool.OpenAIResponses: `{"output":[{"type":"function_call","call_id":"id0","name":"echo","arguments":%s}]}`,
	tool.Gemini: `{"candidates":[` +
		`{"content":{"parts":[{"functionCall":{"id":"id0","name":"echo","args":%s}}]}}]}`,
	tool.Bedrock: `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"id0",` +
		`"name":"echo","input":%s}}]}}}`,
	tool.MCP: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":%s}}`,
}

// Numbers must reach a tool with every digit, whatever the provider, streamed or not.
func TestNumbersKeepTheirDigits(t *testing.T) {
	r := newRegistry(t, plainTool("echo",
		`{"type":"object","properties":{"n":{"type":"number"},"text":{"type":"string"}},"required":["n"]}`))
	for _, number := range []string{
		"9007199254740993", "-9007199254740993", "123456789012345678901234567890", "0.1000000000000000000001",
		"1e300", "1.0", "-0", "-0.0", "1E+2", "1e-300", "3.14159265358979323846264338327950288",
	} {
		input := fmt.Sprintf(`{ "text" : "a\/b \u00e9 <&>" , "n":%s }`, number)
		quoted, err := json.Marshal(input)
		require.NoError(t, err)
		for _, api := range apis {
			message := fmt.Sprintf(whole[api], input)
			if api == tool.OpenAIChat || api == tool.OpenAIResponses {
				message = fmt.Sprintf(whole[api], quoted)
			}
			calls, err := provider.Calls(api, []byte(message))
			require.NoError(t, err)
			require.Len(t, calls, 1)
			require.Equal(t, input, r.Dispatch(t.Context(), calls[0], registry.Env{}).Text(), api)

			events := []string{message} // Gemini and MCP send complete calls
			if d, ok := deltas[api]; ok {
				events = []string{fmt.Sprintf(d.start, 0)}
				for _, c := range input {
					piece, err := json.Marshal(string(c))
					require.NoError(t, err)
					events = append(events, fmt.Sprintf(d.delta, 0, piece))
				}
			}
			calls = stream(t, api, events...)
			require.Len(t, calls, 1)
			require.Equal(t, input, r.Dispatch(t.Context(), calls[0], registry.Env{}).Text(), api)
		}
	}
}

// A number beyond float64 reaches the registry unchanged, which decides about it.
func TestHugeNumbersAreHandedOn(t *testing.T) {
	for _, api := range apis {
		message := fmt.Sprintf(whole[api], `{"n":1e400}`)
		calls, err := provider.Calls(api, []byte(message))
		require.NoError(t, err)
		require.Equal(t, `{"n":1e400}`, string(calls[0].Input))
	}
}

// Arguments that are not JSON, or not an object, become results that tell the model so.
func TestMalformedArgumentsBecomeResults(t *testing.T) {
	r := newRegistry(t, plainTool("echo", `{"type":"object"}`))
	for arguments, want := range map[string]string{
		`{"a":`:    "not valid JSON",
		`{a: 1}`:   "not valid JSON",
		`[1]`:      "must be a JSON object, not an array",
		`"text"`:   "must be a JSON object",
		`7`:        "must be a JSON object",
		"{} {}":    "not valid JSON",
		"\xff":     "not valid JSON",
		"{\"a\":}": "not valid JSON",
	} {
		quoted, err := json.Marshal(arguments)
		require.NoError(t, err)
		for _, api := range apis {
			var messages []string
			if json.Valid([]byte(arguments)) {
				messages = append(messages, fmt.Sprintf(whole[api], arguments))
			}
			if strings.HasPrefix(string(api), "openai") {
				messages = append(messages, fmt.Sprintf(whole[api], quoted))
			}
			for _, message := range messages {
				calls, err := provider.Calls(api, []byte(message))
				require.NoError(t, err)
				require.Len(t, calls, 1)
				if strings.HasPrefix(string(api), "openai") && message == fmt.Sprintf(whole[api], arguments) &&
					arguments == `"text"` {
					continue // the arguments are text here
				}
				result := r.Dispatch(t.Context(), calls[0], registry.Env{})
				require.Equal(t, tool.CodeInvalidInput, result.Code, "%s %s", api, message)
				require.Contains(t, result.Text(), want)
				_, err = provider.Results(api, []tool.Result{result})
				require.NoError(t, err)
			}
		}
	}
	for _, arguments := range []string{`""`, `null`, `"null"`, `"{}"`} {
		calls, err := provider.Calls(tool.OpenAIChat, fmt.Appendf(nil, whole[tool.OpenAIChat], arguments))
		require.NoError(t, err)
		require.Equal(t, "{}", r.Dispatch(t.Context(), calls[0], registry.Env{}).Text(), "no arguments: %s", arguments)
	}
}

// In strict mode, models send null for optional properties.
func TestNullInStrictModeMeansNothing(t *testing.T) {
	r := newRegistry(t, plainTool("echo", `{
		"type":"object",
		"$defs":{"where":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},
			"required":["x"],"additionalProperties":false}},
		"properties":{"city":{"type":"string"},"days":{"type":"integer"},
			"units":{"enum":["a","b"]},"none":{"type":["string","null"]},"where":{"$ref":"#/$defs/where"}},
		"required":["city","where"],"additionalProperties":false}`))
	list, err := provider.Definitions(r, tool.OpenAIChat, registry.Selection{}, &provider.Options{Strict: true})
	require.NoError(t, err)
	require.Contains(t, string(list), `"strict":true`)
	sent := `{"city":"Paris","days":null,"units":null,"none":null,"where":{"x":1,"y":null}}`
	for _, raw := range schemasIn(t, tool.OpenAIChat, list) {
		s, err := schema.CompileObject(raw)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal([]byte(sent), &v))
		require.NoError(t, s.Validate(context.Background(), v))
	}
	result := r.Dispatch(t.Context(), call("1", "echo", sent), registry.Env{})
	require.JSONEq(t, `{"city":"Paris","none":null,"where":{"x":1}}`, result.Text())
}
