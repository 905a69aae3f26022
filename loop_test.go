package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// answers returns a request function for a model whose responses are written down.
func answers(seen *[]toolrun.Turn, responses ...string) func(context.Context, toolrun.Turn) ([]tool.Call, error) {
	return answersOf(tool.Anthropic, seen, responses...)
}

func answersOf(api tool.API, seen *[]toolrun.Turn, responses ...string) func(context.Context,
	toolrun.Turn) ([]tool.Call, error) {
	return func(_ context.Context, turn toolrun.Turn) ([]tool.Call, error) {
		*seen = append(*seen, turn)
		return provider.Calls(api, []byte(responses[turn.Number-1]))
	}
}

const (
	creates = `{"content":[{"type":"tool_use","id":"a","name":"memory",
		"input":{"command":"create","path":"README.md","file_text":"seen"}},
		{"type":"tool_use","id":"b","name":"shell","input":{}}]}`
	says = `{"content":[{"type":"text","text":"Done."}]}`
)

func TestLoop(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	session, err := runner.Session(t.Context(), "p",
		&toolrun.SessionOptions{Select: func(s registry.Selection) registry.Selection {
			s.Options = map[string]map[string]any{"memory": {"useSystemPrompt": true}}
			return s
		}})
	require.NoError(t, err)

	var turns []toolrun.Turn
	require.NoError(t, session.Loop(t.Context(), tool.Anthropic, answers(&turns, creates, says), nil))
	require.Len(t, turns, 2)
	require.Contains(t, string(turns[0].Tools), `"filesystem"`)
	require.Contains(t, turns[0].System, "The /memories directory is empty.")
	require.Nil(t, turns[0].Messages)
	require.Contains(t, turns[1].System, "<content>\nseen\n</content>",
		"the prompt is as the calls have left the files")
	require.Equal(t, "Unknown tool: shell", turns[1].Results[1].Text())
	require.JSONEq(t, `[{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"a",
			"content":[{"type":"text","text":"File created successfully at: /memories/README.md"}]},
		{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"Unknown tool: shell"}],
			"is_error":true}]}]`,
		string(turns[1].Messages))

	t.Run("no answer", func(t *testing.T) {
		var turns []toolrun.Turn
		err := session.Loop(t.Context(), tool.Anthropic, answers(&turns, creates, creates, creates),
			&toolrun.LoopOptions{Turns: 2})
		problem, ok := errors.AsType[*toolrun.TurnsError](err)
		require.True(t, ok)
		require.Equal(t, "there is no answer after 2 turns", problem.Error())
		require.Len(t, turns, 2)
	})
	t.Run("the request fails", func(t *testing.T) {
		want := errors.New("overloaded")
		require.ErrorIs(t, session.Loop(t.Context(), tool.Anthropic,
			func(context.Context, toolrun.Turn) ([]tool.Call, error) {
				return nil, want
			}, nil), want)
	})
	t.Run("the context ends during calls", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		require.ErrorIs(t, session.Loop(ctx, tool.Anthropic, func(context.Context, toolrun.Turn) ([]tool.Call,
			error) {
			asked++
			cancel()
			return []tool.Call{{ID: "a", Tool: "memory", Input: json.RawMessage(`{}`)}}, nil
		}, nil), context.Canceled)
		require.Equal(t, 1, asked)
	})
	t.Run("a call that is cut off", func(t *testing.T) {
		var turns []toolrun.Turn
		cut := `{"content":[{"type":"tool_use","id":"a","name":"memory",
			"input":{"command":"create","path":"/memories/whole.md","file_text":"1"}},
			{"type":"tool_use","id":"b","name":"memory",
				"input":{"command":"create","path":"/memories/cut.md","file_text":"1"}}],"stop_reason":"max_tokens"}`
		require.NoError(t, session.Loop(t.Context(), tool.Anthropic, answers(&turns, cut, says), nil))
		require.Len(t, turns, 2)
		require.False(t, turns[1].Results[0].IsError())
		require.Contains(t, string(turns[1].Messages),
			"This call was not run, because your answer was cut off at its limit of tokens")
		files := session.Project()
		_, err := files.Stat("/memories/whole.md")
		require.NoError(t, err)
		_, err = files.Stat("/memories/cut.md")
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("a pause", func(t *testing.T) {
		var turns []toolrun.Turn
		const pause = `{"content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}],` +
			`"stop_reason":"pause_turn"}`
		require.NoError(t, session.Loop(t.Context(), tool.Anthropic, answers(&turns, creates, pause, pause,
			says), nil))
		require.Len(t, turns, 4)
		require.NotNil(t, turns[1].Messages)
		require.Nil(t, turns[2].Messages, "the conversation is sent again as it is")
		require.Nil(t, turns[2].Results)
		require.Nil(t, turns[3].Messages)
		turns = nil
		err := session.Loop(t.Context(), tool.Anthropic, answers(&turns, pause, pause),
			&toolrun.LoopOptions{Turns: 2})
		require.EqualError(t, err, "there is no answer after 2 turns")
	})
	t.Run("calls that are malformed", func(t *testing.T) {
		const (
			malformed = `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL",` +
				`"finishMessage":"Malformed function call: x","content":{}}]}`
			calls = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"shell"}}]},` +
				`"finishReason":"STOP"}]}`
			done = `{"candidates":[{"content":{"parts":[{"text":"Done."}]},"finishReason":"STOP"}]}`
		)
		var turns []toolrun.Turn
		ask := answersOf(tool.Gemini, &turns, malformed, malformed, malformed, calls, malformed, done)
		require.NoError(t, session.Loop(t.Context(), tool.Gemini, ask, nil))
		require.Len(t, turns, 6)
		for _, i := range []int{1, 2, 3, 5} {
			require.Contains(t, string(turns[i].Messages), `"parts":[{"text":"Your last call could not be read`)
		}
		require.Contains(t, string(turns[4].Messages), "functionResponse")
		turns = nil
		err := session.Loop(t.Context(), tool.Gemini, answersOf(tool.Gemini, &turns, malformed, malformed,
			malformed, malformed, done), nil)
		end, ok := errors.AsType[*provider.EndError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, provider.EndMalformed, end.Kind)
		require.Len(t, turns, 4)
	})
	t.Run("answers that are none", func(t *testing.T) {
		for reason, kind := range map[string]provider.EndKind{
			"refusal": provider.EndRefused, "max_tokens": provider.EndCut,
			"model_context_window_exceeded": provider.EndCut,
		} {
			var turns []toolrun.Turn
			response := `{"content":[{"type":"text","text":"I"}],"stop_reason":"` + reason + `"}`
			err := session.Loop(t.Context(), tool.Anthropic, answers(&turns, response, says), nil)
			end, ok := errors.AsType[*provider.EndError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, kind, end.Kind)
			require.Equal(t, reason, end.Reason)
			require.Len(t, turns, 1)
			_, err = session.Do(t.Context(), tool.Anthropic, []byte(response))
			require.ErrorAs(t, err, &end)
		}
	})
	t.Run("content that was shown before", func(t *testing.T) {
		files := session.Project()
		require.NoError(t, vfs.WriteFile(t.Context(), files, "/a.txt", []byte("one")))
		only := func(s registry.Selection) registry.Selection { return s.Only("read_files") }
		reading, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Select: only})
		require.NoError(t, err)
		defer reading.Close()
		const reads = `{"content":[{"type":"tool_use","id":"a","name":"read_files","input":{"paths":["/a.txt"]}}]}`
		const whole, reference = `FILE: /a.txt\none\n`, `FILE: /a.txt (content shown in another tool invocation)\n`
		shown := &toolrun.LoopOptions{Transcript: new(provider.Transcript)}
		loop := func(options *toolrun.LoopOptions, want ...string) {
			var turns []toolrun.Turn
			ask := answers(&turns, reads, reads, says)
			require.NoError(t, reading.Loop(t.Context(), tool.Anthropic, ask, options))
			for i, text := range want {
				require.Contains(t, string(turns[i+1].Messages), text)
				require.Contains(t, turns[i+1].Results[0].Text(), "one\n")
			}
		}
		loop(nil, whole, whole)
		loop(shown, whole, reference)
		loop(shown, reference, reference)
		*shown.Transcript = provider.Transcript{} // the conversation has been shortened
		loop(shown, whole, reference)
	})
	t.Run("wrong options", func(t *testing.T) {
		require.ErrorContains(t, session.Loop(t.Context(), tool.Anthropic, nil, &toolrun.LoopOptions{Turns: -1}),
			"negative")
		require.Error(t, session.Loop(t.Context(), "none", nil, nil))
	})
}
