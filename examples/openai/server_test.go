package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A server speaks the API, and has its answers written down.
type server struct {
	t       *testing.T
	answers []answer
	asked   []request
}

// An answer is what the server does with a request.
type answer func(w http.ResponseWriter, asked request)

type request struct {
	Model  string
	Stream bool
	Tools  []struct {
		Type     string
		Function struct{ Name string }
	}
	Messages []message
}

type message struct {
	Role       string
	Content    string
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// serve starts a server that gives the answers one after the other, and points the SDK to it.
func serve(t *testing.T, answers ...answer) *server {
	s := &server{t: t, answers: answers}
	http := httptest.NewServer(s)
	t.Cleanup(http.Close)
	t.Setenv("OPENAI_BASE_URL", http.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "key")
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked request
	body, err := io.ReadAll(r.Body)
	if !assert.NoError(s.t, err) || !assert.NoError(s.t, json.Unmarshal(body, &asked), "%s", body) ||
		!assert.Less(s.t, len(s.asked), len(s.answers), "a request too many: %s", body) {
		w.WriteHeader(http.StatusBadRequest) // which the SDK does not try again
		return
	}
	assert.Equal(s.t, "POST /v1/chat/completions", r.Method+" "+r.URL.Path)
	assert.Equal(s.t, "Bearer key", r.Header.Get("Authorization"))
	assert.True(s.t, asked.Stream)
	var tools []string
	for _, tool := range asked.Tools {
		tools = append(tools, tool.Type+" "+tool.Function.Name)
	}
	assert.Equal(s.t, []string{"function memory", "function javascript", "function filesystem"}, tools)
	checkMessages(s.t, asked.Messages)
	next := s.answers[len(s.asked)]
	s.asked = append(s.asked, asked)
	next(w, asked)
}

// checkMessages checks what the API refuses: each call of a message has its result before the next message, once and
// in order.
func checkMessages(t *testing.T, messages []message) {
	var open []string
	for i, m := range messages {
		switch {
		case i < 2:
			assert.Equal(t, []string{"system", "user"}[i], m.Role)
		case len(open) > 0:
			assert.Equal(t, "tool "+open[0], m.Role+" "+m.ToolCallID)
			assert.NotEmpty(t, m.Content)
			open = open[1:]
		default:
			assert.Equal(t, "assistant", m.Role)
			assert.NotEmpty(t, m.Content+fmt.Sprint(m.ToolCalls))
		}
		for _, c := range m.ToolCalls {
			assert.Equal(t, "function", c.Type)
			open = append(open, c.ID)
		}
	}
	assert.Empty(t, open)
}

// say answers with a message, as the API streams it. The pieces of the calls' arguments take turns.
func say(text string, calls ...toolCall) answer {
	return func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, strings.Join(chunks(text, calls), ""))
	}
}

func call(id, name, arguments string) toolCall {
	return toolCall{id, "function", function{name, arguments}}
}

// chunks returns a message as server-sent events.
func chunks(text string, calls []toolCall) []string {
	var list []string
	add := func(delta, reason string) {
		list = append(list,
			`data: {"id":"chatcmpl-1","object":"chat.completion.chunk",`+
				`"created":1760000000,"model":"test","choices":[{"index":0,"delta":`+
				delta+`,"logprobs":null,"finish_reason":`+reason+"}]}\n\n")
	}
	add(`{"role":"assistant","content":null,"refusal":null}`, "null")
	for _, piece := range pieces(text) {
		add(`{"content":`+piece+`}`, "null")
	}
	reason := `"stop"`
	more := false
	for i, c := range calls {
		reason, more = `"tool_calls"`, true
		add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`,
			i, c.ID, c.Function.Name), "null")
	}
	for n := 0; more; n++ {
		more = false
		for i, c := range calls {
			if list := pieces(c.Function.Arguments); n < len(list) {
				add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, list[n]), "null")
				more = true
			}
		}
	}
	add(`{}`, reason)
	return append(list, "data: [DONE]\n\n")
}

// pieces are JSON strings that are a text together.
func pieces(text string) (list []string) {
	const size = 7
	for runes := []rune(text); len(runes) > 0; runes = runes[min(size, len(runes)):] {
		piece, err := json.Marshal(string(runes[:min(size, len(runes))]))
		if err != nil {
			panic(err)
		}
		list = append(list, string(piece))
	}
	return list
}

// results are the results in a request, by the ids of their calls.
func (r request) results() map[string]string {
	results := map[string]string{}
	for _, m := range r.Messages {
		if m.Role == "tool" {
			results[m.ToolCallID] = m.Content
		}
	}
	return results
}
