package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cache keeps the compiled engine for all tests.
var cache string

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "toolrun-example-"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(status)
}

func ask(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log strings.Builder
	err = run(t.Context(), append([]string{"-cache", cache}, args...), &out, &log)
	return out.String(), log.String(), err
}

func TestConversation(t *testing.T) {
	dir := t.TempDir()
	s := serve(t,
		say("Let me see. 📦",
			call("call_1", "filesystem", `{"command": "create", "path": "/zurück.txt", "file_text": "1\n2\n3\n"}`),
			call("call_2", "javascript",
				`{"code": "return (await fs.readFile('/zurück.txt', 'utf8')).trim().split('\\n').length"}`)),
		say("", call("call_3", "javascript", `{"kode": "return 1"}`), call("call_4", "shell", ``),
			call("call_5", "javascript", `{"code": "retu`)),
		say("There are 3 lines.\x1b[2J"),
	)
	stdout, stderr, err := ask(t, "-dir", dir, "-model", "test", "How many", "lines?")
	require.NoError(t, err)
	require.Equal(t, "Let me see. 📦\nThere are 3 lines.[2J\n", stdout)
	require.Contains(t, stderr, "> javascript return (await fs.readFile(")
	require.Contains(t, stderr, "< javascript 3")
	data, err := os.ReadFile(filepath.Join(dir, "zurück.txt"))
	require.NoError(t, err)
	require.Equal(t, "1\n2\n3\n", string(data))

	require.Len(t, s.asked, 3)
	require.Equal(t, "test", s.asked[0].Model)
	require.Len(t, s.asked[0].Messages, 2)
	require.Contains(t, s.asked[0].Messages[0].Content, "/memories")
	require.Equal(t, "How many lines?", s.asked[0].Messages[1].Content)
	require.Equal(t, map[string]string{"call_1": "File created successfully at: /zurück.txt", "call_2": "3"},
		s.asked[1].results())
	results := s.asked[2].results()
	require.Len(t, results, 5)
	require.Contains(t, results["call_3"], "code parameter is required")
	require.Equal(t, "Unknown tool: shell", results["call_4"])
	require.Contains(t, results["call_5"], "not valid JSON")
}

// TestEndless has a model that never stops calling.
func TestEndless(t *testing.T) {
	var answers []answer
	for i := range 3 {
		answers = append(answers, say("", call(fmt.Sprint("call_", i), "javascript", `{"code": "return 1"}`)))
	}
	s := serve(t, answers...)
	_, _, err := ask(t, "-turns", "3", "Go on.")
	require.EqualError(t, err, "there is no answer after 3 turns")
	require.Len(t, s.asked, 3)
}

// TestBrokenStreams has streams that end before they should: nothing of them may be done.
func TestBrokenStreams(t *testing.T) {
	const write = `{"command": "create", "path": "/done", "file_text": ""}`
	whole := chunks("", []toolCall{call("call_1", "filesystem", write), call("call_2", "filesystem", write)})
	const early = "the stream ended before the message did"
	for name, test := range map[string]struct {
		body, want string
		abort      bool
	}{
		"in the arguments":       {body: strings.Join(whole[:6], ""), want: early},
		"after the arguments":    {body: strings.Join(whole[:len(whole)-2], ""), want: early},
		"of which a part is cut": {body: strings.Join(whole[:6], "") + whole[6][:40], want: early},
		"by the connection":      {body: strings.Join(whole[:len(whole)-2], ""), abort: true, want: "unexpected EOF"},
		"by an error": {body: strings.Join(whole[:len(whole)-2], "") +
			`data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}` +
			"\n\n", want: "The server had an error"},
		"by a filter": {body: strings.ReplaceAll(strings.Join(whole, ""), `"finish_reason":"tool_calls"`,
			`"finish_reason":"content_filter"`),
			want: "the provider has blocked the prompt or the answer (content_filter)"},
		"in a text": {body: strings.ReplaceAll(strings.Join(chunks("Well", nil), ""), `"finish_reason":"stop"`,
			`"finish_reason":"length"`),
			want: "cut off at a limit of tokens"},
		"at once":           {want: early},
		"done at once":      {body: "data: [DONE]\n\n", want: early},
		"that is no stream": {body: "data: <html>\n\n", want: "invalid character '<'"},
		"of two messages": {body: strings.Join(whole[:6], "") + strings.ReplaceAll(strings.Join(whole[6:], ""),
			"chatcmpl-1", "chatcmpl-2"),
			want: "not as it must be"},
		"without names": {body: strings.ReplaceAll(strings.ReplaceAll(strings.Join(whole, ""), `"name":"filesystem",`,
			""), `"id":"call_1",`, ""),
			want: "not as it must be"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte(test.body))
				if test.abort {
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
			})
			dir := t.TempDir()
			_, _, err := ask(t, "-dir", dir, "Write it.")
			require.ErrorContains(t, err, test.want)
			require.Len(t, s.asked, 1)
			require.NoFileExists(t, filepath.Join(dir, "done"))
		})
	}
}

// TestLimit has a message that a limit of tokens has cut off, from a server that gives calls no ids.
func TestLimit(t *testing.T) {
	create := func(id, name string) toolCall {
		return call(id, "filesystem", `{"command": "create", "path": "/`+name+`", "file_text": "1"}`)
	}
	dir := t.TempDir()
	body := strings.ReplaceAll(strings.Join(chunks("", []toolCall{create("", "whole"), create("", "cut")}), ""),
		`"finish_reason":"tool_calls"`, `"finish_reason":"length"`)
	s := serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, body)
	}, say("Done."))
	_, _, err := ask(t, "-dir", dir, "Write both.")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "whole"))
	require.NoFileExists(t, filepath.Join(dir, "cut"))
	require.Len(t, s.asked, 2)
	messages := s.asked[1].Messages
	require.Len(t, messages, 5)
	require.NotEmpty(t, messages[3].ToolCallID)
	require.Equal(t, messages[2].ToolCalls[1].ID, messages[4].ToolCallID)
	require.Contains(t, messages[4].Content, "your answer was cut off at its limit of tokens")
}

// TestBusy has a server that is overloaded at first: the SDK asks again.
func TestBusy(t *testing.T) {
	busy := func(status int) answer {
		return func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(status)
			fmt.Fprint(
				w, `{"error":{"message":"The engine is overloaded","type":"server_error","param":null,"code":null}}`,
			)
		}
	}
	s := serve(t, busy(503), busy(429), say("Hello."))
	stdout, _, err := ask(t, "Hello?")
	require.NoError(t, err)
	require.Equal(t, "Hello.\n", stdout)
	require.Len(t, s.asked, 3)

	s = serve(t, busy(503), busy(503), busy(503))
	_, _, err = ask(t, "Hello?")
	require.ErrorContains(t, err, "503")
	require.Len(t, s.asked, 3)
}

// TestInterrupt ends the context, as an interrupt does, while code runs that never ends, and while the model is
// thinking.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, say("", call("call_1", "javascript", `{"code": "for (;;) {}"}`)))
	// the call is the first that is told
	err := run(ctx, []string{"-cache", cache, "Go."}, &strings.Builder{}, onWrite(cancel))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.asked, 1)

	ctx, cancel = context.WithCancel(t.Context())
	s = serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(chunks("", nil)[0]))
		w.(http.Flusher).Flush()
		cancel()
	})
	err = run(ctx, []string{"-cache", cache, "Go."}, &strings.Builder{}, &strings.Builder{})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.asked, 1)
}

// onWrite is a writer that does something.
type onWrite func()

func (do onWrite) Write(data []byte) (int, error) {
	do()
	return len(data), nil
}

func TestUsage(t *testing.T) {
	_, _, err := ask(t)
	require.EqualError(t, err, "there is no question")
	_, stderr, err := ask(t, "-help")
	require.NoError(t, err)
	require.Contains(t, stderr, "-turns")
	_, _, err = ask(t, "-dir", filepath.Join(t.TempDir(), "missing"), "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
