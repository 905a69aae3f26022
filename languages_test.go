package toolrun_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// TestAnotherLanguage adds a language as one value: it has a tool with limits, calls of other tools, results, failures
// and reports like the others.
func TestAnotherLanguage(t *testing.T) {
	language := code.Language{
		Name: "words", Title: "Words", Guest: "Words", Code: "Words.", Nothing: "nothing", Empty: "Nothing.",
		Describe:      func(_ tool.Offer, facts code.Facts) string { return "Runs words." },
		Declare:       func(tools []*tool.Definition) string { return tools[0].Name },
		ToolCalls:     "%d calls of %s",
		Variable:      func(name string) string { return name },
		Console:       func([]sandbox.Entry) code.Pieces { return func(func(string)) {} },
		ResultHeading: "\n",
		Open: func(context.Context, *sandbox.Engine, script.Module) (code.Interpreter, error) {
			return words{}, nil
		},
	}
	missing := language
	missing.Name, missing.Title, missing.Module = "phrases", "Phrases", "phrases"
	runner := open(t, toolrun.Options{Languages: append(toolrun.DefaultLanguages(), language, missing)})
	session := openSession(t, runner, "p", &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection {
			return s.WithOption("words", code.OptionToolCalls, true)
		},
	})
	require.Equal(t, "ab", do(t, session, "words", `{"code": "join a b"}`))
	require.Equal(t, "no such word: x", do(t, session, "words", `{"code": "x"}`))
	require.Equal(t, "6\nTool calls: javascript 1",
		do(t, session, "words", `{"code": "call javascript return\u00a02*3"}`))
	require.Contains(t, do(t, session, "phrases", `{"code": "x"}`), "Unknown tool")
	_, err := runner.Interpreter(t.Context(), "phrases")
	require.EqualError(t, err, "there is no Phrases here; get it with: toolrun module add phrases")

	results, err := session.DispatchAll(t.Context(),
		[]tool.Call{{ID: "c", Tool: "words", Input: []byte(`{"code": "x"}`)}})
	require.NoError(t, err)
	report, ok := language.Report(results[0])
	require.True(t, ok)
	require.Equal(t, "no such word: x", report.Text)
}

// words is an interpreter in Go.
type words struct{ code.Interpreter }

func (words) Run(ctx context.Context, text string, run *code.Run) (*script.Result, error) {
	list := strings.Split(text, " ")
	switch list[0] {
	case "join":
		text := strings.Join(list[1:], "")
		return &script.Result{Text: text, Value: text}, nil
	case "call":
		for _, t := range run.Tools {
			if t.Name == list[1] {
				value, err := t.Call(ctx, []byte(`{"code": "`+list[2]+`"}`))
				if err != nil {
					return &script.Result{}, err
				}
				data := struct{ Value float64 }{}
				err = json.Unmarshal(value.(json.RawMessage), &data)
				return &script.Result{Text: fmt.Sprint(data.Value), Value: data.Value}, err
			}
		}
		return &script.Result{}, errors.New("no such tool")
	}
	return &script.Result{}, script.NewFailure("exception", "no such word: "+list[0])
}
