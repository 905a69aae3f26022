package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpserver"
)

// TestLargeArguments uploads a file of four MiB as base64, and calls with as many values as there may be.
func TestLargeArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const size = 5_600_000
	onEveryWay(t, []way{{"stdio", []string{"2024-11-05", "2026-07-28"}, overStdio},
		{"HTTP", []string{"2025-11-25", "2026-07-28"}, overHTTP(nil)},
		{"HTTP without sessions", []string{"2025-03-26"}, overHTTP(&mcpserver.HandlerOptions{Stateless: true})}},
		func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
			session := connect(newServer(t, builtIn(t, mcptest.Measured()...), newProject(t), nil), nil)
			text, _ := call(t, session, "length", map[string]any{"text": strings.Repeat("x", size)})
			require.Equal(t, fmt.Sprintf("%d bytes", size), text)
			text, _ = call(t, session, "values", map[string]any{"list": make([]int, 8000)})
			require.Equal(t, "8000 values", text)
			text, _ = call(t, session, "length", map[string]any{"text": "after"})
			require.Equal(t, "5 bytes", text)
			text, result := call(t, session, "length", nil)
			require.True(t, result.IsError, text)
		})
}

// TestMessagesThatAreTooMuch says which limit there is, by the protocol or by HTTP.
func TestMessagesThatAreTooMuch(t *testing.T) {
	server := newServer(t, builtIn(t, mcptest.Measured()...), newProject(t), nil)
	url := serve(t, server, nil)
	response, _ := post(t, url, initializeRequest)
	session := response.Header.Get("Mcp-Session-Id")
	x := strings.Repeat
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	}
	for _, test := range []struct {
		name, message string
		status        int
		want          string
	}{
		{"values", request("ping", `{"_meta":{"a":`+mcptest.Arrays(100_000)+`}}`), 413, "more than 14446 values"},
		{"values of a large one", request("ping", `{"_meta":{"a":`+mcptest.Arrays(4<<20)+`}}`), 413,
			"more than 65536 values"},
		{"depth", request("ping", `{"a":`+x("[", 250)+x("]", 250)+`}`), 413, "more than 200 levels of nesting"},
		{"depth that does not end", x("[", 1<<20), 413, "more than 200 levels of nesting"},
		{"id", `{"jsonrpc":"2.0","id":"` + x("x", 300) + `","method":"ping"}`, 413, "may have 256 bytes"},
		{"method", `{"jsonrpc":"2.0","id":7,"method":"` + x("x", 300) + `"}`, 413, "may have 256 bytes"},
		{"level", request("logging/setLevel", `{"level":"`+x("x", 300)+`"}`), 400, "the level is one of"},
		{"progress token", request("tools/call", `{"name":"length","_meta":{"progressToken":"`+x("x", 300)+`"}}`), 413,
			"may have 256 bytes"},
		{"uri", request("resources/read", `{"uri":"`+x("x", 100_000)+`"}`), 413,
			"uri of resources/read may have 65536 bytes"},
		{"listening", request("subscriptions/listen",
			`{"notifications":{"resourceSubscriptions":["`+x("x", 10_000)+`"]}}`), 413, "may have 8192 bytes"},
		{"a name that is not known", request("tools/call", `{"name":"`+x("x", 100_000)+`","arguments":{}}`), 413,
			"name of tools/call may have 65536 bytes"},
		{"a version", request("initialize", `{"protocolVersion":"`+x("x", 300)+`"}`), 413,
			"protocolVersion of initialize may have 256 bytes"},
		{"a version of a request", request("ping", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+x("x",
			300)+`"}}`), 413, "may have 256 bytes"},
		{"a canceled request", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + x("x",
			300) + `"}}`, 413, "may have 256 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			response, text := post(t, url, test.message, "Mcp-Session-Id", session)
			require.Equal(t, test.status, response.StatusCode, text)
			require.Contains(t, text, test.want)
			answers := rawSession(t, server, test.message, aPing)
			require.Len(t, answers, 2)
			require.Contains(t, answers[0], test.want)
			require.Contains(t, answers[1], `"id":"ping"`)
			for _, answer := range append(answers[:1], text) {
				if strings.HasPrefix(answer, "{") {
					var message struct {
						Error struct{ Code int }
						ID    any
					}
					require.NoError(t, json.Unmarshal([]byte(answer), &message))
					require.NotZero(t, message.Error.Code)
					if strings.Contains(test.message, `"id":7`) && !strings.Contains(test.name, "values") &&
						test.name != "depth" {
						require.EqualValues(t, 7, message.ID, answer)
					}
				}
			}
		})
	}
	// What is not used is not looked at, but for its size.
	for name, message := range map[string]string{
		"a large greeting": strings.Replace(initializeRequest, `"name":"t"`, `"name":"`+x("x", 1<<20)+`"`, 1),
		"data":             request("ping", `{"_meta":{"a":"`+x("x", 1<<20)+`"}}`),
		"a token": request("tools/call",
			`{"name":"length","arguments":{"text":""},"_meta":{"progressToken":[[1]]}}`),
		"names twice": `{"method":"nothing","jsonrpc":"2.0","id":7,"method":"ping","params":1,"params":{}}`,
		"line breaks": "{\n\"jsonrpc\":\r\"2.0\",\n" +
			"\"id\":7,\"method\":\"completion/complete\",\"params\":{\"ref\":{\n" +
			"\"type\":\"ref/resource\",\"uri\":\"\"},\"argument\":{\r\n\"name\":\"path\",\"value\":\"\"}}}",
	} {
		headers := []string{"Mcp-Session-Id", session}
		if strings.Contains(name, "greeting") {
			headers = nil
		}
		response, text := post(t, url, message, headers...)
		require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", name, text)
		require.Contains(t, text, `"result"`, name)
	}
}
