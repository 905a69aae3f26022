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
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.txt"), []byte("6 7"), 0o600))
	s := serve(t,
		say(text("Let me see. 📦"),
			call("toolu_1", "filesystem", `{"command": "create", "path": "/zurück.txt", "file_text": "1\n2\n3\n"}`),
			call("toolu_2", "javascript",
				`{"code": "return (await fs.readFile('/zurück.txt', 'utf8')).trim().split('\\n').length"}`)),
		say(call("toolu_3", "javascript", `{"kode": "return 1"}`), call("toolu_4", "shell", ``)),
		say(call("toolu_5", "javascript", `{"code": "retu`)),
		say(text("There are 3 lines.\x1b[2J")),
	)
	stdout, stderr, err := ask(t, "-dir", dir, "-model", "test", "How many", "lines?")
	require.NoError(t, err)
	require.Equal(t, "Let me see. 📦\nThere are 3 lines.[2J\n", stdout)
	require.Contains(t, stderr, "> javascript return (await fs.readFile(")
	require.Contains(t, stderr, "< javascript 3")
	data, err := os.ReadFile(filepath.Join(dir, "zurück.txt"))
	require.NoError(t, err)
	require.Equal(t, "1\n2\n3\n", string(data))

	require.Len(t, s.asked, 4)
	require.Equal(t, "test", s.asked[0].Model)
	require.Equal(t, []message{{Role: "user", Content: []block{text("How many lines?")}}}, s.asked[0].Messages)
	require.Len(t, s.asked[3].Messages, 7)
	first := s.asked[1].results(t)
	require.Len(t, first, 2)
	require.Equal(t, []block{text("File created successfully at: /zurück.txt")}, first["toolu_1"].Content)
	require.Equal(t, []block{text("3")}, first["toolu_2"].Content)
	require.False(t, first["toolu_1"].IsError || first["toolu_2"].IsError)
	second := s.asked[2].results(t)
	require.True(t, second["toolu_3"].IsError && second["toolu_4"].IsError)
	require.Contains(t, second["toolu_3"].Content[0].Text, "code parameter is required")
	require.Equal(t, "Unknown tool: shell", second["toolu_4"].Content[0].Text)
	third := s.asked[3].results(t)
	require.JSONEq(t, "{}", string(s.asked[3].Messages[5].Content[0].Input),
		"the SDK says it so, since a request has to be JSON")
	require.True(t, third["toolu_5"].IsError)
	require.Contains(t, third["toolu_5"].Content[0].Text, "not valid JSON")
}

// TestEndless has a model that never stops calling.
func TestEndless(t *testing.T) {
	var answers []answer
	for i := range 3 {
		answers = append(answers, say(call(fmt.Sprint("toolu_", i), "javascript", `{"code": "return 1"}`)))
	}
	s := serve(t, answers...)
	_, _, err := ask(t, "-turns", "3", "Go on.")
	require.EqualError(t, err, "there is no answer after 3 turns")
	require.Len(t, s.asked, 3)
}

// TestBrokenStreams has streams that end before they should: nothing of them may be done.
func TestBrokenStreams(t *testing.T) {
	write := call("toolu_1", "filesystem", `{"command": "create", "path": "/done", "file_text": ""}`)
	whole := events([]block{write, write})
	reported := "event: error\ndata: " +
		"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	for name, test := range map[string]struct {
		body, want string
		abort      bool
	}{
		"in the arguments": {body: strings.Join(whole[:6], ""), want: "the stream ended before the message did"},
		"after a call": {body: strings.Join(whole[:len(whole)-10], ""),
			want: "the stream ended before the message did"},
		"of which a part is cut": {body: strings.Join(whole[:6], "") + whole[6][:40],
			want: "the stream ended before the message did"},
		"by the connection": {body: strings.Join(whole[:len(whole)-10], ""), abort: true, want: "unexpected EOF"},
		"by an error":       {body: strings.Join(whole[:len(whole)-10], "") + reported, want: "Overloaded"},
		"by a refusal": {body: stoppedBy("refusal", write, write),
			want: "the model has refused to answer (refusal)"},
		"in a text":         {body: stoppedBy("max_tokens", text("Well")), want: "cut off at a limit of tokens"},
		"at once":           {want: "the stream ended before the message did"},
		"that is no stream": {body: "event: message_start\ndata: <html>\n\n", want: "invalid character '<'"},
		"without an id": {body: strings.ReplaceAll(strings.Join(whole, ""), `"id":"toolu_1",`, ""),
			want: "has no id, without which it cannot be answered"},
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

// stoppedBy returns a message that ends for another reason than usual.
func stoppedBy(reason string, blocks ...block) string {
	return strings.NewReplacer(`"stop_reason":"tool_use"`, `"stop_reason":"`+reason+`"`, `"stop_reason":"end_turn"`,
		`"stop_reason":"`+reason+`"`).Replace(strings.Join(events(blocks), ""))
}

// TestEnds has a message that a limit of tokens has cut off, and one in which the model pauses.
func TestEnds(t *testing.T) {
	stopped := func(reason string, blocks ...block) answer {
		return func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, stoppedBy(reason, blocks...))
		}
	}
	create := func(id, name string) block {
		return call(id, "filesystem", `{"command": "create", "path": "/`+name+`", "file_text": "1"}`)
	}
	dir := t.TempDir()
	s := serve(t, stopped("max_tokens", create("toolu_1", "whole"), create("toolu_2", "cut")),
		stopped("pause_turn", text("Let me think.")), say(text("Done.")))
	stdout, _, err := ask(t, "-dir", dir, "Write both.")
	require.NoError(t, err)
	require.Equal(t, "Let me think.\nDone.\n", stdout)
	require.FileExists(t, filepath.Join(dir, "whole"))
	require.NoFileExists(t, filepath.Join(dir, "cut"))
	require.Len(t, s.asked, 3)
	results := s.asked[1].results(t)
	require.False(t, results["toolu_1"].IsError)
	require.Contains(t, results["toolu_2"].Content[0].Text, "your answer was cut off at its limit of tokens")
	require.Len(t, s.asked[2].Messages, 4)
	require.Equal(t, "assistant", s.asked[2].Messages[3].Role)
}

// TestBusy has a server that is overloaded at first: the SDK asks again.
func TestBusy(t *testing.T) {
	busy := func(status int) answer {
		return func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		}
	}
	s := serve(t, busy(529), busy(429), say(text("Hello.")))
	stdout, _, err := ask(t, "Hello?")
	require.NoError(t, err)
	require.Equal(t, "Hello.\n", stdout)
	require.Len(t, s.asked, 3)

	s = serve(t, busy(529), busy(529), busy(529))
	_, _, err = ask(t, "Hello?")
	require.ErrorContains(t, err, "529")
	require.Len(t, s.asked, 3)
}

// TestInterrupt ends the context, as an interrupt does, while code runs that never ends, and while the model is
// thinking.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, say(call("toolu_1", "javascript", `{"code": "for (;;) {}"}`)))
	// the call is the first that is told
	err := run(ctx, []string{"-cache", cache, "Go."}, &strings.Builder{}, onWrite(cancel))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.asked, 1)

	ctx, cancel = context.WithCancel(t.Context())
	s = serve(t, func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(events(nil)[0]))
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
