package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
)

// answers returns a request function for a model whose responses are written down.
func answers(seen *[]toolrun.Turn, responses ...string) func(context.Context, toolrun.Turn) ([]registry.Call, error) {
	return func(_ context.Context, turn toolrun.Turn) ([]registry.Call, error) {
		*seen = append(*seen, turn)
		return provider.Calls(registry.Anthropic, []byte(responses[turn.Number-1]))
	}
}

const (
	creates = `{"content":[{"type":"tool_use","id":"a","name":"memory","input":{"command":"create","path":"README.md","file_text":"seen"}},
		{"type":"tool_use","id":"b","name":"shell","input":{}}]}`
	says = `{"content":[{"type":"text","text":"Done."}]}`
)

func TestLoop(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Select: func(s registry.Selection) registry.Selection {
		s.Options = map[string]map[string]any{"memory": {"useSystemPrompt": true}}
		return s
	}})
	require.NoError(t, err)

	var turns []toolrun.Turn
	require.NoError(t, session.Loop(t.Context(), registry.Anthropic, answers(&turns, creates, says), nil))
	require.Len(t, turns, 2)
	require.Contains(t, string(turns[0].Tools), `"filesystem"`)
	require.Contains(t, turns[0].System, "The /memories directory is empty.")
	require.Nil(t, turns[0].Messages)
	require.Contains(t, turns[1].System, "<content>\nseen\n</content>", "the prompt is as the calls have left the files")
	require.Equal(t, "Unknown tool: shell", turns[1].Results[1].Text())
	require.JSONEq(t, `[{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"File created successfully at: /memories/README.md"}]},
		{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"Unknown tool: shell"}],"is_error":true}]}]`, string(turns[1].Messages))

	t.Run("no answer", func(t *testing.T) {
		var turns []toolrun.Turn
		err := session.Loop(t.Context(), registry.Anthropic, answers(&turns, creates, creates, creates), &toolrun.LoopOptions{Turns: 2})
		problem, ok := errors.AsType[*toolrun.TurnsError](err)
		require.True(t, ok)
		require.Equal(t, "there is no answer after 2 turns", problem.Error())
		require.Len(t, turns, 2)
	})
	t.Run("the request fails", func(t *testing.T) {
		want := errors.New("overloaded")
		require.ErrorIs(t, session.Loop(t.Context(), registry.Anthropic, func(context.Context, toolrun.Turn) ([]registry.Call, error) {
			return nil, want
		}, nil), want)
	})
	t.Run("the context ends during calls", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		require.ErrorIs(t, session.Loop(ctx, registry.Anthropic, func(context.Context, toolrun.Turn) ([]registry.Call, error) {
			asked++
			cancel()
			return []registry.Call{{ID: "a", Tool: "memory", Input: json.RawMessage(`{}`)}}, nil
		}, nil), context.Canceled)
		require.Equal(t, 1, asked)
	})
	t.Run("wrong options", func(t *testing.T) {
		require.ErrorContains(t, session.Loop(t.Context(), registry.Anthropic, nil, &toolrun.LoopOptions{Turns: -1}), "negative")
		require.Error(t, session.Loop(t.Context(), "none", nil, nil))
	})
}
