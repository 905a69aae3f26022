package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs/local"
)

// sending returns a server with a tool that needs approval, by itself and in code, the calls that wait there, and how
// often it was called.
func sending(t *testing.T) (*mcpserver.Server, *waiting.Store, *atomic.Int64) {
	sent := &atomic.Int64{}
	send := tool.Func(tool.Spec{Name: "send", Description: "Sends."},
		func(_ context.Context, in struct {
			To string `json:"to"`
		}, _ tool.Env) (string, error) {
			return fmt.Sprint("sent to ", in.To, " ", sent.Add(1)), nil
		})
	waiting, err := waiting.New(local.NewMemoryStore(nil), nil)
	require.NoError(t, err)
	env := registry.Env{Project: "notes", Files: newProject(t), Client: "ada", Waiting: waiting.In("notes"),
		Selection: registry.Selection{Ask: []string{"send"}}.WithOption(javascript.Name,
			code.OptionToolCalls, true)}
	server, err := mcpserver.New(context.Background(), mcpserver.Fixed(builtIn(t, send), env), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Shutdown(context.Background())) })
	return server, waiting, sent
}

func TestUsersApprove(t *testing.T) {
	ways := []way{{"stdio", []string{"2025-06-18", "2025-11-25", "2026-07-28"}, overStdio},
		{"HTTP", []string{"2025-11-25", "2026-07-28"}, overHTTP(nil)}}
	onEveryWay(t, ways, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		t.Parallel()
		server, waiting, sent := sending(t)
		var asked []string
		answer := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}
		session := connect(server, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context,
			r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, r.Params.Message)
			return answer, nil
		}})
		text, result := call(t, session, "send", map[string]any{"to": "x"})
		require.False(t, result.IsError, text)
		require.True(t, strings.HasSuffix(text, "sent to x 1"), text)
		require.Equal(t, []string{"The call of the tool send needs your approval (send). Its arguments:\n> " +
			"{\"to\":\"x\"}"}, asked)

		asked = nil
		text, _ = call(t, session, "javascript", map[string]any{"code": "return [await tools.send({to: 'y'}), await " +
			"tools.send({to: 'z'})].join()"})
		require.Contains(t, text, "sent to y 2,sent to z 3")
		require.Len(t, asked, 2)
		require.Contains(t, asked[0], "It is called by javascript:\n> return [await")

		answer = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "refuse",
			"reason": "not today"}}
		text, result = call(t, session, "send", map[string]any{"to": "w"})
		require.True(t, result.IsError)
		require.Contains(t, text, "A person has refused the call of send: not today. Do not repeat it as it was.")
		answer = &sdk.ElicitResult{Action: "decline"}
		text, _ = call(t, session, "send", map[string]any{"to": "v"})
		require.Contains(t, text, "A person has refused the call of send. Do not repeat it as it was.")
		answer = &sdk.ElicitResult{Action: "cancel"}
		text, _ = call(t, session, "send", map[string]any{"to": "u"})
		require.Contains(t, text, "The call has not been made yet: it waits for the approval of a person (run-")
		require.EqualValues(t, 3, sent.Load())
		n := 0
		for run, err := range waiting.All(t.Context()) {
			require.NoError(t, err)
			require.JSONEq(t, `{"to":"u"}`, string(run.Call.Input))
			n++
		}
		require.Equal(t, 1, n)
	})
}

// What the user always approves is not asked for again in the session, and is in the next one.
func TestUsersApproveForASession(t *testing.T) {
	ways := []way{{"stdio", []string{"2025-11-25"}, overStdio}, {"HTTP", []string{"2025-11-25"}, overHTTP(nil)}}
	onEveryWay(t, ways, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		t.Parallel()
		server, _, sent := sending(t)
		var asked atomic.Int64
		handler := &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult,
			error) {
			asked.Add(1)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "always"}}, nil
		}}
		session := connect(server, handler)
		for _, to := range []string{"x", "y"} {
			text, result := call(t, session, "send", map[string]any{"to": to})
			require.False(t, result.IsError, text)
		}
		text, _ := call(t, session, "javascript", map[string]any{"code": "return await tools.send({to: 'z'})"})
		require.Contains(t, text, "sent to z 3")
		require.EqualValues(t, 1, asked.Load())
		text, result := call(t, connect(server, handler), "send", map[string]any{"to": "w"})
		require.False(t, result.IsError, text)
		require.EqualValues(t, 2, asked.Load())
		require.EqualValues(t, 4, sent.Load())
	})
}

// A client without sessions cannot approve for one.
func TestAlwaysNeedsASession(t *testing.T) {
	server, _, sent := sending(t)
	session := connect(t, overStdio(t, server), "2026-07-28",
		&sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult,
			error) {
			require.NotContains(t, fmt.Sprint(r.Params.RequestedSchema), "always")
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "always"}}, nil
		}})
	_, _ = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "send", Arguments: map[string]any{"to": "x"}})
	require.Zero(t, sent.Load())
}

// A client that cannot ask gets a result that says how the call goes on, and goes on when an operator has decided.
func TestClientsThatCannotAsk(t *testing.T) {
	server, waiting, sent := sending(t)
	session := connect(t, overStdio(t, server), "2025-11-25", nil)
	code := map[string]any{"code": "return await tools.send({to: 'x'})"}
	text, result := call(t, session, "javascript", code)
	require.True(t, result.IsError)
	require.Contains(t, text, "The code has not ended yet: its calls of send wait for the approval of a person (run-")
	text, _ = call(t, session, "javascript", code)
	require.Contains(t, text, "The code has not ended yet")
	for run := range waiting.All(t.Context()) {
		_, err := waiting.Decide(t.Context(), run.Token,
			map[string]registry.Decision{run.Waiting()[0].ID: {Approved: true, By: "operator"}})
		require.NoError(t, err)
	}
	text, result = call(t, session, "javascript", code)
	require.False(t, result.IsError)
	require.Contains(t, text, "sent to x 1")
	require.EqualValues(t, 1, sent.Load())
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range tools.Tools {
		require.NotContains(t, tool.Name, "approv", "what decides is not for models")
	}
}

// Answers that nobody has asked for, and answers for another call, approve nothing.
func TestAnswersThatApproveNothing(t *testing.T) {
	server, _, sent := sending(t)
	send, receive := newLines(t, server,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"decision":"approve"}}}`,
		`{"jsonrpc":"2.0","id":"approve","result":{"action":"accept","content":{"decision":"approve"}}}`,
	} {
		send(line)
	}
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send","arguments":{"to":"x"},` +
		`"inputResponses":{"approve":{"action":"accept","content":{"decision":"approve"}}},"requestState":"run-x"}}`)
	line := receive()
	require.Contains(t, line, `"method":"elicitation/create"`)
	require.Contains(t, line, `"id":`)
	id := line[strings.Index(line, `"id":`)+len(`"id":`):]
	id = id[:strings.IndexAny(id, ",}")]
	for _, wrong := range []string{
		`"result":{"action":"accept","content":{"decision":"yes"}}`, // which is none of the schema's
	} {
		send(`{"jsonrpc":"2.0","id":` + id + `,` + wrong + `}`)
	}
	require.Contains(t, receive(), "The call has not been made yet")
	require.Zero(t, sent.Load())
}
