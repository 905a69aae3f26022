package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outcomes returns the sorted outcomes of the calls in a log.
func outcomes(log string) []string {
	found := regexp.MustCompile(`outcome=(\S+)`).FindAllStringSubmatch(log, -1)
	all := make([]string, len(found))
	for i, match := range found {
		all[i] = match[1]
	}
	slices.Sort(all)
	return all
}

func TestRun(t *testing.T) {
	var out, log strings.Builder
	require.NoError(t, run(t.Context(), strings.NewReader(`{"role": "assistant", "content": [
		{"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}},
		{"type": "tool_use", "id": "2", "name": "weather", "input": {"city": "Atlantis"}},
		{"type": "tool_use", "id": "3", "name": "javascript", "input": {"code": "return 6 * 7"}}]}`), &out, &log))
	require.JSONEq(t, `[{"role": "user", "content": [
		{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "15 °C, light rain in Oslo"}]},
		{"type": "tool_result", "tool_use_id": "2", "content": [
			{"type": "text", "text": "There is no weather in Atlantis. Try a city above the sea."}], "is_error": true},
		{"type": "tool_result", "tool_use_id": "3", "content": [{"type": "text", "text": "42"}]}]}]`, out.String())

	require.Equal(t, []string{"ok", "ok", "tool_error"}, outcomes(log.String()))

	log.Reset()
	require.NoError(t, run(t.Context(), strings.NewReader(
		`{"type": "tool_use", "id": "1", "name": "weather", "input": {"town": "Oslo"}}`), &out, &log))
	require.Equal(t, []string{"invalid_input"}, outcomes(log.String()))

	out.Reset()
	require.ErrorContains(t, run(t.Context(), strings.NewReader("Hello."), &out, &log), "not JSON")
	require.Empty(t, out.String())
}
