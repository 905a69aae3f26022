package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/tool"
)

// fileCall is a call of the tool filesystem.
func fileCall(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"filesystem","arguments":%s}}`,
		id,
		arguments)
}

// texts are the texts of results by the ids of their requests.
func texts(t *testing.T, answers []string) map[int]string {
	all := map[int]string{}
	for _, answer := range answers {
		var message struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		require.NoError(t, json.Unmarshal([]byte(answer), &message), answer)
		require.Len(t, message.Result.Content, 1, answer)
		all[message.ID] = message.Result.Content[0].Text
	}
	return all
}

func TestCallsThatChangeSomethingKeepTheirOrder(t *testing.T) {
	in, out := newLines(t, newServer(t, builtIn(t), newProject(t), nil), initialize)
	const rounds = 20
	id := 10
	var answers []string
	for round := range rounds {
		in(fileCall(id, fmt.Sprintf(`{"command":"create","path":"/%d.txt","file_text":"a\n"}`, round)))
		in(fileCall(id+1, fmt.Sprintf(`{"command":"append","path":"/%d.txt","file_text":"b\n"}`, round)))
		in(fileCall(id+2, fmt.Sprintf(`{"command":"view","path":"/%d.txt"}`, round)))
		id += 3
	}
	for range 3 * rounds {
		answers = append(answers, out())
	}
	all := texts(t, answers)
	for round := range rounds {
		require.Equal(t, fmt.Sprintf("Here's the content of /%d.txt with line numbers:\n     1\ta\n     2\tb", round),
			all[10+3*round+2])
	}
}

// ordering are tools that say when they begin, and end when they are let go.
type ordering struct {
	begun chan string
	let   map[string]chan struct{}
}

func newOrdering() *ordering {
	return &ordering{begun: make(chan string, 10), let: map[string]chan struct{}{}}
}

func (o *ordering) tool(name string, reads bool) tool.Tool {
	let := make(chan struct{})
	o.let[name] = let
	return tool.Func(tool.Spec{Name: name, Description: "Waits.",
		Annotations: tool.Annotations{ReadOnly: reads}},
		func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
			o.begun <- name
			select {
			case <-let:
				return name, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		})
}

func emptyCall(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func TestReadOnlyCallsOverlap(t *testing.T) {
	o := newOrdering()
	tools := builtIn(t, o.tool("read_a", true), o.tool("read_b", true), o.tool("change", false), o.tool("read_c", true))
	in, out := newLines(t, newServer(t, tools, newProject(t), nil), initialize)
	for i, tool := range []string{"read_a", "read_b", "change", "read_c"} {
		in(emptyCall(10+i, tool))
	}
	require.ElementsMatch(t, []string{"read_a", "read_b"}, []string{<-o.begun, <-o.begun}, "reading goes on at once")
	o.let["read_b"] <- struct{}{}
	require.Contains(t, out(), "read_b")
	in(`{"jsonrpc":"2.0","id":20,"method":"ping"}`)
	require.Contains(t, out(), `"id":20`, "only calls wait")
	require.Empty(t, o.begun, "what changes something waits for all calls before it")
	o.let["read_a"] <- struct{}{}
	require.Contains(t, out(), "read_a")
	require.Equal(t, "change", <-o.begun)
	require.Empty(t, o.begun, "and what comes after it waits for it")
	o.let["change"] <- struct{}{}
	require.Contains(t, out(), "change")
	require.Equal(t, "read_c", <-o.begun)
	o.let["read_c"] <- struct{}{}
	require.Contains(t, out(), "read_c")
}

func TestCallsThatFailOrAreCanceledHoldNobodyUp(t *testing.T) {
	o := newOrdering()
	tools := builtIn(t, o.tool("first", false), o.tool("second", false), o.tool("third", false))
	in, out := newLines(t, newServer(t, tools, newProject(t), nil), initialize)
	in(emptyCall(10, "first"))
	in(emptyCall(11, "second"))
	in(emptyCall(12, "no_such_tool"))
	in(emptyCall(13, "third"))
	require.Equal(t, "first", <-o.begun)
	in(`{"jsonrpc":"2.0","id":20,"method":"ping"}`)
	answer := func(id string) string { // the SDK cancels in no particular order
		line := out()
		for !strings.Contains(line, `"id":`+id) {
			line = out()
		}
		return strings.Replace(line, id, "ID", 1)
	}
	answer("20") // the SDK itself answers calls that are canceled before it has handed them on, which it does in order
	in(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":11}}`)
	waited := answer("11")
	in(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`)
	ran := answer("10")
	require.Equal(t, ran, waited, "one that waits is answered as one that runs")
	require.Contains(t, ran, `"isError":true`)
	require.Contains(t, ran, "Tool execution was canceled.")
	require.Equal(t, "third", <-o.begun, "the second one has been canceled while it waited")
	o.let["third"] <- struct{}{}
	for line := out(); !strings.Contains(line, `"id":13`); line = out() {
	}
}

// TestOrderOverHTTP posts calls of one session one after the other, without waiting for the answers.
func TestOrderOverHTTP(t *testing.T) {
	o := newOrdering()
	server := newServer(t, builtIn(t, o.tool("first", false), o.tool("second", false)), newProject(t), nil)
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	url := listen(t, handler)
	post := func(session, body string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
		}
		response, err := client.Do(request)
		require.NoError(t, err)
		return response
	}
	begin := func() string {
		response := post("", strings.Split(initialize, "\n")[0])
		defer response.Body.Close()
		session := response.Header.Get("Mcp-Session-Id")
		require.NotEmpty(t, session)
		require.NoError(t, post(session, strings.Split(initialize, "\n")[1]).Body.Close())
		return session
	}
	one, other := begin(), begin()
	answers := make(chan string, 3)
	call := func(session string, id int, tool string) {
		go func() {
			response := post(session, emptyCall(id, tool))
			defer response.Body.Close()
			var b strings.Builder
			_, _ = fmt.Fprint(&b, response.Status)
			answers <- b.String()
		}()
	}
	call(one, 10, "first")
	require.Equal(t, "first", <-o.begun)
	call(one, 11, "second")
	call(other, 12, "second")
	require.Equal(t, "second", <-o.begun, "another session does not wait")
	require.Empty(t, o.begun)
	o.let["second"] <- struct{}{}
	o.let["first"] <- struct{}{}
	require.Equal(t, "second", <-o.begun)
	o.let["second"] <- struct{}{}
	for range 3 {
		require.Equal(t, "200 OK", <-answers)
	}
}
