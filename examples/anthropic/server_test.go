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
	"github.com/stretchr/testify/require"
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
	Model     string
	MaxTokens int `json:"max_tokens"`
	Stream    bool
	Tools     []struct{ Type, Name string }
	Messages  []message
}

type message struct {
	Role    string
	Content []block
}

type block struct {
	Type  string
	Text  string
	ID    string
	Name  string
	Input json.RawMessage

	ToolUseID string `json:"tool_use_id"`
	IsError   bool   `json:"is_error"`
	Content   []block
}

// serve starts a server that gives the answers one after the other, and points the SDK to it.
func serve(t *testing.T, answers ...answer) *server {
	s := &server{t: t, answers: answers}
	http := httptest.NewServer(s)
	t.Cleanup(http.Close)
	t.Setenv("ANTHROPIC_BASE_URL", http.URL)
	t.Setenv("ANTHROPIC_API_KEY", "key")
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
	assert.Equal(s.t, "POST /v1/messages", r.Method+" "+r.URL.Path)
	assert.Equal(s.t, "key", r.Header.Get("X-Api-Key"))
	assert.True(s.t, asked.Stream)
	assert.Positive(s.t, asked.MaxTokens)
	assert.Equal(s.t, []struct{ Type, Name string }{{"memory_20250818", "memory"}, {"", "javascript"},
		{"", "filesystem"}}, asked.Tools)
	checkMessages(s.t, asked.Messages)
	next := s.answers[len(s.asked)]
	s.asked = append(s.asked, asked)
	next(w, asked)
}

// checkMessages checks what the API refuses: roles alternate, and each call of a message has its result in the next
// one, once and in order.
func checkMessages(t *testing.T, messages []message) {
	var open []string
	for i, m := range messages {
		assert.Equal(t, []string{"user", "assistant"}[i%2], m.Role)
		var calls, results []string
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
				assert.True(t, strings.HasPrefix(string(b.Input), "{"), "%s", b.Input)
			case "tool_result":
				results = append(results, b.ToolUseID)
				assert.NotEmpty(t, b.Content)
			case "text":
				assert.NotEmpty(t, b.Text)
			}
		}
		assert.Equal(t, open, results)
		open = calls
	}
	assert.Empty(t, open)
}

// say answers with a message, as the API streams it.
func say(blocks ...block) answer {
	return func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, strings.Join(events(blocks), ""))
	}
}

// text is a block that says something.
func text(text string) block { return block{Type: "text", Text: text} }

// call is a block that calls a tool.
func call(id, name, input string) block {
	return block{Type: "tool_use", ID: id, Name: name, Input: json.RawMessage(input)}
}

// events returns a message as server-sent events.
func events(blocks []block) []string {
	var list []string
	add := func(format string, args ...any) {
		data := fmt.Sprintf(format, args...)
		var event struct{ Type string }
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			panic(err)
		}
		list = append(list, "event: "+event.Type+"\ndata: "+data+"\n\n")
	}
	add(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"test",` +
		`"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":400,"output_tokens":1}}}`)
	add(`{"type":"ping"}`)
	reason := "end_turn"
	for i, b := range blocks {
		if b.Type == "text" {
			add(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, i)
			for _, piece := range pieces(b.Text) {
				add(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, i, piece)
			}
		} else {
			reason = "tool_use"
			add(`{"type":"content_block_start","index":%d,`+
				`"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}}`,
				i, b.ID, b.Name)
			add(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":""}}`, i)
			for _, piece := range pieces(string(b.Input)) {
				add(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`,
					i, piece)
			}
		}
		add(`{"type":"content_block_stop","index":%d}`, i)
	}
	add(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":60}}`, reason)
	add(`{"type":"message_stop"}`)
	return list
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

// results are the results in the last message of a request, by the ids of their calls.
func (r request) results(t *testing.T) map[string]block {
	require.NotEmpty(t, r.Messages)
	results := map[string]block{}
	for _, b := range r.Messages[len(r.Messages)-1].Content {
		if b.Type == "tool_result" {
			results[b.ToolUseID] = b
		}
	}
	return results
}
