package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out, problems strings.Builder
	require.NoError(t, run(t.Context(), strings.NewReader(`{"role": "assistant", "content": [
		{"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}},
		{"type": "tool_use", "id": "2", "name": "weather", "input": {"city": "Atlantis"}},
		{"type": "tool_use", "id": "3", "name": "javascript", "input": {"code": "return 6 * 7"}}]}`), &out, &problems))
	require.JSONEq(t, `[{"role": "user", "content": [
		{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "15 °C, light rain in Oslo"}]},
		{"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "There is no weather in Atlantis. Try a city above the sea."}], "is_error": true},
		{"type": "tool_result", "tool_use_id": "3", "content": [{"type": "text", "text": "42"}]}]}]`, out.String())

	require.Equal(t, "weather: tool_error: There is no weather in Atlantis. Try a city above the sea.\n", problems.String())

	problems.Reset()
	require.NoError(t, run(t.Context(), strings.NewReader(
		`{"type": "tool_use", "id": "1", "name": "weather", "input": {"town": "Oslo"}}`), &out, &problems))
	require.Equal(t, "weather: invalid_input: invalid tool call: the arguments do not fit the schema of weather:\n"+
		"additional properties 'town' not allowed\nmissing property 'city'\n", problems.String())

	out.Reset()
	require.ErrorContains(t, run(t.Context(), strings.NewReader("Hello."), &out, &problems), "not JSON")
	require.Empty(t, out.String())
}
