package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/mcp/mcpserver"
)

// tooLong has requests of more than may be sent, with a long text in place of LONG, and the ids of their answers.
var tooLong = []struct{ name, message, id string }{
	{
		"the id first",
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"length","arguments":{"text":"LONG"}}}`,
		`2`,
	},
	{
		"the id last",
		`{"method":"tools/call","params":{"name":"length","arguments":{"text":"LONG"}},"jsonrpc":"2.0","id":"a-1"}`,
		`"a-1"`,
	},
	{"blanks and line breaks of others",
		"\t{ \"method\" : \"tools/call\" ,\r \"id\" : 7 , \"params\" : {\"text\":\"LONG\"} } ", `7`},
	{
		"other ids in it",
		`{"params":{"id":3,"a":[{"id":4}],"t":"\",\"id\":5,\"LONG"},"method":"tools/call","id":6,"x":{"id":7}}`,
		`6`,
	},
	{"an id in quotes at the end", `{"id":6,"method":"tools/call","params":"LONG\\\"},\"id\":9}"}`, `6`},
	{"escapes", `{"\u0069d":"\u00e4\"}","m\u0065thod":"tools/call","params":"LONG"}`, `"\u00e4\"}"`},
	{"two ids", `{"id":1,"method":"tools/call","params":"LONG","id":2}`, `2`},
	{"the longest id", `{"method":"tools/call","params":"LONG","id":"` + strings.Repeat("x", 254) + `"}`,
		`"` + strings.Repeat("x", 254) + `"`},
	{"an id that is too long", `{"method":"tools/call","params":"LONG","id":"` + strings.Repeat("x", 255) + `"}`,
		`null`},
	{"an id that takes all of it", `{"method":"tools/call","id":"LONG"}`, `null`},
	{"an id of another kind", `{"method":"tools/call","id":{"a":1},"params":"LONG"}`, `null`},
	{"no id", `{"method":"notifications/progress","params":{"id":1,"a":"LONG"}}`, `null`},
	{"an answer", `{"jsonrpc":"2.0","id":3,"result":{"method":"LONG"}}`, `null`},
	{"a batch", `[{"jsonrpc":"2.0","id":3,"method":"ping","params":"LONG"}]`, `null`},
	{"no end", `{"jsonrpc":"2.0","id":3,"method":"ping","params":"LONG"`, `null`},
	{"more behind it", `{"id":3,"method":"ping","params":"LONG"}{}`, `null`},
	{"no JSON", `{"id":3 "method":"ping","params":"LONG"}`, `null`},
}

// TestARequestThatIsTooLongIsAnswered checks that the answer has the request's id, and says what to do.
func TestARequestThatIsTooLongIsAnswered(t *testing.T) {
	server := newServer(t, builtIn(t, mcptest.Measured()...), newProject(t), nil)
	url := serve(t, server, nil)
	long := strings.Repeat("x", mcpserver.DefaultBody)
	answered := func(t *testing.T, answer, id string) {
		var message struct {
			ID    json.RawMessage
			Error struct {
				Code    int
				Message string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answer), &message), answer)
		require.JSONEq(t, id, string(message.ID))
		require.Equal(t, -32600, message.Error.Code)
		require.Contains(t, message.Error.Message, "6291456 bytes. Send less at a time")
		require.Contains(t, message.Error.Message, "append")
	}
	rows := tooLong
	if race.Enabled {
		rows = rows[:3] // the others differ in what is read, and each has 18 MB
	}
	for _, test := range rows {
		t.Run(test.name, func(t *testing.T) {
			message := strings.Replace(test.message, "LONG", long, 1)
			answers := rawSession(t, server, message, aPing)
			require.Len(t, answers, 2)
			answered(t, answers[0], test.id)
			for how, body := range map[string]io.Reader{"announced": strings.NewReader(message),
				"not announced": iotest.OneByteReader(strings.NewReader(message[:8]))} {
				if how == "not announced" {
					body = io.MultiReader(body, strings.NewReader(message[8:]))
				}
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
				require.NoError(t, err)
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream")
				response, err := client.Do(request)
				require.NoError(t, err, how)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
				if test.id == "null" {
					require.Contains(t, string(text), "6291456 bytes. Send less at a time", how)
				} else {
					answered(t, string(text), test.id)
				}
			}
		})
	}
}

// TestARequestThatIsNotAnnouncedIsRead has one of nearly the largest size come without its length.
func TestARequestThatIsNotAnnouncedIsRead(t *testing.T) {
	url := serve(t, newServer(t, builtIn(t, mcptest.Measured()...), newProject(t), nil),
		&mcpserver.HandlerOptions{Stateless: true})
	message := strings.Replace(tooLong[0].message, "LONG", strings.Repeat("x", 6e6), 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		io.MultiReader(strings.NewReader(message)))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "6000000 bytes")
}

// TestACallThatIsTooLongEndsAtOnce has clients call with more than may be sent, and go on.
func TestACallThatIsTooLongEndsAtOnce(t *testing.T) {
	onEveryWay(t, []way{{"stdio", []string{"2025-06-18"}, overStdio}, {"HTTP", []string{"2025-06-18"}, overHTTP(nil)}},
		func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
			session := connect(newServer(t, builtIn(t, mcptest.Measured()...), newProject(t), nil), nil)
			arguments, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 7e6)})
			require.NoError(t, err)
			_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "length",
				Arguments: json.RawMessage(arguments)})
			require.Error(t, err)
		})
}

// TestAnIDThatIsInUseAnswersNothingElse has a request that is too long and has the id of a call that runs.
func TestAnIDThatIsInUseAnswersNothingElse(t *testing.T) {
	send, receive := newLines(t, newServer(t, builtIn(t), newProject(t), nil), initialize)
	const request = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"javascript","arguments":{` +
		`"code":"while (!fs.existsSync('/go')) await new Promise(r => setTimeout(r, 10)); return 'done'"}}}`
	send(request)
	send(strings.Replace(request, "while", strings.Repeat(" ", 7e6)+"while", 1))
	require.Contains(t, receive(), `"id":null`)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	require.Contains(t, receive(), `"id":5`)
}

// FuzzRequestID compares what is found piece by piece with the members of the message.
func FuzzRequestID(f *testing.F) {
	for _, test := range tooLong {
		f.Add([]byte(test.message), 3)
	}
	f.Add([]byte("{\"method\":\"\",\"id\":\"\xf8\"}"), 3)
	f.Fuzz(func(t *testing.T, message []byte, size int) {
		size = 1 + max(0, size)%64
		var rest io.Reader
		begin := message
		if len(message) > size {
			begin, rest = message[:size], iotest.HalfReader(bytes.NewReader(message[size:]))
		}
		got := mcpserver.RequestID(begin, rest)
		require.Equal(t, got, mcpserver.RequestID(message, nil))
		if got != nil {
			require.True(t, json.Valid(got))
			require.LessOrEqual(t, len(bytes.TrimSpace(got)), 257)
		}
		if !json.Valid(message) || !utf8.Valid(message) {
			return
		}
		var id, method []byte
		isObject := jsontree.Members(message, func(name, value []byte) {
			switch string(name) {
			case "id":
				id = value
			case "method":
				method = value
			}
		})
		var value any
		_ = json.Unmarshal(id, &value)
		_, isText := value.(string)
		_, isNumber := value.(float64)
		if want := isObject && method != nil && (isText || isNumber) && len(id) < 250; want {
			require.Equal(t, string(id), string(bytes.TrimSpace(got)), fmt.Sprintf("%q", message))
		} else if len(id) < 250 {
			require.Nil(t, got)
		}
	})
}
