package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An item is one of the conversation, or one that the model adds to it.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    string `json:"output,omitempty"`
	Encrypted string `json:"encrypted_content,omitempty"`
	Summary   []any  `json:"summary,omitzero"`
	Role      string `json:"role,omitempty"`
	Content   any    `json:"content,omitempty"`
}

// serveResponses starts a server that streams the bodies one after the other, and returns the inputs that it gets.
func serveResponses(t *testing.T, bodies ...string) *[][]item {
	var inputs [][]item
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input         []item
			Stream, Store bool
			Include       []string
			Instructions  string
			Tools         []struct{ Type, Name string }
		}
		body, err := io.ReadAll(r.Body)
		if !assert.NoError(t, err) || !assert.NoError(t, json.Unmarshal(body, &asked), "%s", body) ||
			!assert.Less(t, len(inputs), len(bodies), "a request too many") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		assert.Equal(t, "POST /v1/responses", r.Method+" "+r.URL.Path)
		assert.True(t, asked.Stream && !asked.Store)
		assert.Equal(t, []string{"reasoning.encrypted_content"}, asked.Include)
		assert.Contains(t, asked.Instructions, "/memories")
		assert.Equal(t, []struct{ Type, Name string }{{"function", "memory"}, {"function", "javascript"},
			{"function", "filesystem"}}, asked.Tools)
		var open []string
		for _, i := range asked.Input {
			switch i.Type {
			case "function_call":
				open = append(open, i.CallID)
			case "function_call_output":
				if assert.NotEmpty(t, open) {
					assert.Equal(t, open[0], i.CallID)
					open = open[1:]
				}
			default:
				assert.Empty(t, open)
			}
		}
		assert.Empty(t, open)
		inputs = append(inputs, asked.Input)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, bodies[len(inputs)-1])
	}))
	t.Cleanup(server.Close)
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "key")
	return &inputs
}

func functionCall(id, name, arguments string) item {
	return item{Type: "function_call", ID: "fc_" + id, CallID: id, Name: name, Arguments: arguments}
}

func says(text string) item {
	return item{Type: "message", ID: "msg_1", Role: "assistant",
		Content: []map[string]any{{"type": "output_text", "text": text, "annotations": []any{}}}}
}

// responding returns a response as server-sent events, which end with one of the given type.
func responding(end string, output ...item) []string {
	var list []string
	add := func(kind string, members string) {
		list = append(list, fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,%s}\n\n", kind, kind,
			len(list), members))
	}
	encode := func(value any) string {
		data, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return string(data)
	}
	add("response.created", `"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}`)
	for i, item := range output {
		if content, ok := item.Content.([]map[string]any); ok {
			for _, piece := range pieces(content[0]["text"].(string)) {
				add("response.output_text.delta",
					fmt.Sprintf(`"item_id":%q,"output_index":%d,"content_index":0,"delta":%s`, item.ID, i, piece))
			}
			add("response.output_text.done", fmt.Sprintf(`"item_id":%q,"output_index":%d,"content_index":0,"text":%s`,
				item.ID, i, encode(content[0]["text"])))
		}
		for _, piece := range pieces(item.Arguments) {
			add("response.function_call_arguments.delta",
				fmt.Sprintf(`"item_id":%q,"output_index":%d,"delta":%s`, item.ID, i, piece))
		}
		add("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, encode(item)))
	}
	_, status, _ := strings.Cut(end, ".")
	details := map[string]string{
		"completed":  `"error":null,"incomplete_details":null`,
		"failed":     `"error":{"code":"server_error","message":"Try later"},"incomplete_details":null`,
		"incomplete": `"error":null,"incomplete_details":{"reason":"max_output_tokens"}`,
	}
	add(end, fmt.Sprintf(`"response":{"id":"resp_1","object":"response","status":%q,%s,"output":%s}`, status,
		details[status], encode(output)))
	return list
}

func TestResponses(t *testing.T) {
	dir := t.TempDir()
	whole := func(output ...item) string { return strings.Join(responding("response.completed", output...), "") }
	thought := item{Type: "reasoning", ID: "rs_1", Summary: []any{}, Encrypted: "c2VjcmV0"}
	inputs := serveResponses(t,
		whole(thought, functionCall("call_1", "filesystem",
			`{"command": "create", "path": "/a.txt", "file_text": "6"}`),
			functionCall("call_2", "javascript", `{"code": "return await fs.readFile('/a.txt', 'utf8') * 7"}`)),
		whole(functionCall("call_3", "javascript", `{"code": "retu`)),
		whole(says("It is 42.")),
	)
	stdout, _, err := ask(t, "-responses", "-dir", dir, "What is it?")
	require.NoError(t, err)
	require.Equal(t, "It is 42.\n", stdout)
	require.FileExists(t, filepath.Join(dir, "a.txt"))
	require.Len(t, *inputs, 3)
	last := (*inputs)[2]
	require.Len(t, last, 8)
	require.Equal(t, "What is it?", last[0].Content)
	require.Equal(t, thought, last[1])
	require.Equal(t, "File created successfully at: /a.txt", last[4].Output)
	require.Equal(t, "42", last[5].Output)
	require.Contains(t, last[7].Output, "not valid JSON")
}

func TestBrokenResponses(t *testing.T) {
	write := functionCall("call_1", "filesystem", `{"command": "create", "path": "/done", "file_text": ""}`)
	whole := responding("response.completed", write)
	nameless := write
	nameless.CallID = ""
	for name, test := range map[string]struct {
		events []string
		want   string
	}{
		"cut":     {whole[:len(whole)-1], "the stream ended before the message did"},
		"at once": {nil, "the stream ended before the message did"},
		"failed":  {responding("response.failed", write), "Try later"},
		"incomplete": {responding("response.incomplete", says("Well")),
			"cut off at a limit of tokens: allow more of them, or ask for less (max_output_tokens)"},
		"error": {append(whole[:len(whole)-1:len(whole)-1],
			"event: error\ndata: {\"type\":\"error\",\"code\":\"x\",\"message\":\"Overloaded\",\"param\":null}\n\n"),
			"Overloaded"},
		"without an id": {responding("response.completed", nameless), "has no id"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			inputs := serveResponses(t, strings.Join(test.events, ""))
			_, _, err := ask(t, "-responses", "-dir", dir, "Write it.")
			require.ErrorContains(t, err, test.want)
			require.Len(t, *inputs, 1)
			require.NoFileExists(t, filepath.Join(dir, "done"))
		})
	}
	dir := t.TempDir()
	inputs := serveResponses(t, strings.Join(responding("response.incomplete", write), ""),
		strings.Join(responding("response.completed", says("Done.")), ""))
	_, _, err := ask(t, "-responses", "-dir", dir, "Write it.")
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, "done"))
	require.Contains(t, (*inputs)[1][2].Output, "your answer was cut off at its limit of tokens")

	call := strings.Join(responding("response.completed", functionCall("call_1", "javascript", `{"code": "return 1"}`)),
		"")
	serveResponses(t, call, call)
	_, _, err = ask(t, "-responses", "-turns", "2", "Go on.")
	require.EqualError(t, err, "there is no answer after 2 turns")
}
