package toolrun_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// turns are messages with two calls, of which the second needs what the first has done, and the answers to them.
var turns = map[tool.API]struct{ response, messages string }{
	tool.Anthropic: {
		`{"role":"assistant","content":[{"type":"text","text":"Let me see."},
			{"type":"tool_use","id":"a","name":"filesystem","input":{"command":"create","path":"/n","file_text":"6"}},
			{"type":"tool_use","id":"b","name":"javascript",
				"input":{"code":"return await fs.readFile('/n', 'utf8') * 7"}}]}`,
		`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",
			"content":[{"type":"text","text":"File created successfully at: /n"}]},
			{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"42"}]}]}]`,
	},
	tool.OpenAIChat: {
		`{"choices":[{"message":{"role":"assistant","tool_calls":[
			{"id":"a","type":"function","function":{"name":"filesystem",
				"arguments":"{\"command\":\"create\",\"path\":\"/n\",\"file_text\":\"6\"}"}},
			{"id":"b","type":"function","function":{"name":"javascript",
				"arguments":"{\"code\":\"return await fs.readFile('/n', 'utf8') * 7\"}"}}]}}]}`,
		`[{"role":"tool","tool_call_id":"a","content":"File created successfully at: /n"},` +
			`{"role":"tool","tool_call_id":"b","content":"42"}]`,
	},
	tool.OpenAIResponses: {
		`{"output":[{"type":"function_call","call_id":"a","name":"filesystem",
			"arguments":"{\"command\":\"create\",\"path\":\"/n\",\"file_text\":\"6\"}"},
			{"type":"function_call","call_id":"b","name":"javascript",
				"arguments":"{\"code\":\"return await fs.readFile('/n', 'utf8') * 7\"}"}]}`,
		`[{"type":"function_call_output","call_id":"a","output":"File created successfully at: /n"},` +
			`{"type":"function_call_output","call_id":"b","output":"42"}]`,
	},
	tool.Gemini: {
		`{"candidates":[{"content":{
			"parts":[{"functionCall":{"name":"filesystem","args":{"command":"create","path":"/n","file_text":"6"}}},
			{"functionCall":{"name":"javascript","args":{"code":"return await fs.readFile('/n', 'utf8') * 7"}}}]}}]}`,
		`[{"role":"user","parts":[
			{"functionResponse":{"name":"filesystem","response":{"output":"File created successfully at: /n"}}},
			{"functionResponse":{"name":"javascript","response":{"output":"42"}}}]}]`,
	},
	tool.Bedrock: {
		`{"output":{"message":{"role":"assistant","content":[
			{"toolUse":{"toolUseId":"a","name":"filesystem","input":{"command":"create","path":"/n","file_text":"6"}}},
			{"toolUse":{"toolUseId":"b","name":"javascript",
				"input":{"code":"return await fs.readFile('/n', 'utf8') * 7"}}}]}}}`,
		`[{"role":"user",
			"content":[{"toolResult":{"toolUseId":"a","content":[{"text":"File created successfully at: /n"}]}},
			{"toolResult":{"toolUseId":"b","content":[{"text":"42"}]}}]}]`,
	},
}

// TestDoWithImages views a picture whose data URL is longer than what a result may have. It must be an image for the
// model, once, and nothing of it text.
func TestDoWithImages(t *testing.T) {
	noise := image.NewGray(image.Rect(0, 0, 300, 300))
	_, _ = mathrand.NewChaCha8([32]byte{}).Read(noise.Pix)
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, noise))
	encoded := base64.StdEncoding.EncodeToString(picture.Bytes())
	require.Greater(t, len(encoded), registry.DefaultInline)
	session := openSession(t, open(t, toolrun.Options{}), "p", nil)
	require.NoError(t, afero.WriteFile(session.Project(), "/p.png", picture.Bytes(), 0o600))
	const arguments = `{"command":"view","path":"/p.png"}`
	quoted := strconv.Quote(arguments)
	for api, response := range map[tool.API]string{
		tool.Anthropic: `[{"type":"tool_use","id":"a","name":"filesystem","input":` + arguments + `}]`,
		tool.OpenAIChat: `[{"id":"a","type":"function","function":{"name":"filesystem","arguments":` +
			quoted + `}}]`,
		tool.OpenAIResponses: `[{"type":"function_call","call_id":"a","name":"filesystem","arguments":` +
			quoted + `}]`,
		tool.Gemini:  `[{"functionCall":{"name":"filesystem","args":` + arguments + `}}]`,
		tool.Bedrock: `[{"toolUse":{"toolUseId":"a","name":"filesystem","input":` + arguments + `}}]`,
	} {
		messages, err := session.Do(t.Context(), api, []byte(response))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(messages), encoded), api)
		require.Less(t, len(messages), len(encoded)+1000, api)
	}
}

func TestDo(t *testing.T) {
	runner := open(t, toolrun.Options{})
	for api, turn := range turns {
		t.Run(string(api), func(t *testing.T) {
			session := openSession(t, runner, string(api), nil)
			definitions, err := session.Definitions(t.Context(), api, nil)
			require.NoError(t, err)
			require.Contains(t, string(definitions), "javascript")
			prompt, err := session.SystemPrompt(t.Context(), api)
			require.NoError(t, err)
			if api != tool.Anthropic { // whose models know what the memory is
				require.Contains(t, prompt, "/memories")
			}
			messages, err := session.Do(t.Context(), api, []byte(turn.response))
			require.NoError(t, err)
			require.JSONEq(t, turn.messages, string(messages))
		})
	}
	session := openSession(t, runner, "none", nil)
	messages, err := session.Do(t.Context(), tool.Anthropic,
		[]byte(`{"role":"assistant","content":[{"type":"text","text":"42"}]}`))
	require.NoError(t, err)
	require.Nil(t, messages, "the loop is over")
}

// TestACrashOfTheEngineIsTheCodes looks at what a model is told of it, and at what comes after it.
func TestACrashOfTheEngineIsTheCodes(t *testing.T) {
	var log bytes.Buffer
	session := openSession(t, open(t, toolrun.Options{}), "crash",
		&toolrun.SessionOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	results, err := session.DispatchAll(t.Context(), []tool.Call{
		{ID: "a", Tool: "javascript", Input: encode(t,
			map[string]string{"code": "await fs.writeFile('/n', '6');" + enginetest.Crash})},
		{ID: "b", Tool: "javascript", Input: encode(t,
			map[string]string{"code": "return await fs.readFile('/n', 'utf8') * 7"})},
	})
	require.NoError(t, err)
	require.Equal(t, tool.CodeTool, results[0].Code)
	require.Regexp(
		t, `^=== Console output ===\n\[LOG\] before\n=== Result ===\nthe JavaScript engine failed on this code, .*\n`,
		results[0].Text(),
	)
	require.NotContains(t, results[0].Text(), "wasm")
	require.Contains(t, string(results[0].Data.(json.RawMessage)), `"kind":"engine crash"`)
	require.Regexp(
		t, `level=ERROR msg="the JavaScript engine has crashed" trap="out of bounds memory access" stack=".+"`,
		log.String(),
	)
	require.Equal(t, "42", results[1].Text())
}

func encode(t *testing.T, value any) json.RawMessage {
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return data
}

// TestHostileResponses is for what no API should send. Nothing is done, or each call has an answer.
func TestHostileResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	runner := open(t, toolrun.Options{})
	const create = `{"type":"tool_use","id":"a","name":"filesystem",` +
		`"input":{"command":"create","path":"/done","file_text":""}}`
	for name, test := range map[string]struct{ response, err, text string }{
		"nothing":      {response: ``, err: "not JSON"},
		"no JSON":      {response: create + `]`, err: "not JSON"},
		"another type": {response: `42`, err: "expected"},
		"an error": {response: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			err: "overloaded_error: Overloaded"},
		"a call without an id": {response: `[` + create + `,{"type":"tool_use","name":"filesystem","input":{}}]`,
			err: "no id"},
		"too many calls": {response: `[` + strings.Repeat(create+",", 1000) + create + `]`,
			err: "more than 1000"},
		"deep": {response: strings.Repeat("[", 1<<20), err: "not JSON"},
		"a wrong type of input": {response: `{"type":"tool_use","id":"a","name":"filesystem","input":[1]}`,
			text: "must be a JSON object"},
		"no input": {response: `{"type":"tool_use","id":"a","name":"filesystem"}`, text: "command"},
		"invalid UTF-8": {response: "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"java\xff\",\"input\":{}}",
			text: "Unknown tool"},
		"an unknown tool": {response: `{"type":"tool_use","id":"a","name":"shell","input":{}}`,
			text: "Unknown tool: shell"},
		"a large input": {response: `{"type":"tool_use","id":"a","name":"javascript","input":{"code":"` +
			strings.Repeat(" ", 17<<20) + `"}}`,
			text: "the arguments have"},
		"a way out": {response: `{"type":"tool_use","id":"a","name":"javascript",` +
			`"input":{"code":"return fs.readFile('/../../../../etc/passwd')"}}`,
			text: "ENOENT"},
	} {
		t.Run(name, func(t *testing.T) {
			session := openSession(t, runner, "p", nil)
			defer session.Close()
			messages, err := session.Do(t.Context(), tool.Anthropic, []byte(test.response))
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				require.Nil(t, messages)
				_, err = session.Project().Stat("/done")
				require.ErrorIs(t, err, fs.ErrNotExist)
				return
			}
			require.NoError(t, err)
			require.Contains(t, string(messages), `"is_error":true`)
			require.Contains(t, string(messages), test.text)
			require.Equal(t, 1, strings.Count(string(messages), `"tool_use_id":"a"`))
		})
	}
	_, err := openSession(t, runner, "p", nil).Do(t.Context(), "telepathy", []byte(`{}`))
	require.ErrorContains(t, err, "telepathy")
}

// TestChosenForTheProject switches a tool off while a session is open, and sets an option.
func TestChosenForTheProject(t *testing.T) {
	runner := open(t, toolrun.Options{DataDir: t.TempDir()})
	session := openSession(t, runner, "p", nil)
	choose := func(settings string) {
		require.NoError(t, session.Project().EditSettings(t.Context(),
			func([]byte) ([]byte, error) { return []byte(settings), nil }))
	}
	const loop = `{"code":"const all = []; for (;;) all.push(new Uint8Array(1e6))"}`
	choose(`{"toolEnabled":{"filesystem":false},"toolOptions":{"javascript":{"memory":16}}}`)
	definitions, err := session.Definitions(t.Context(), tool.OpenAIChat, nil)
	require.NoError(t, err)
	require.NotContains(t, string(definitions), `"filesystem"`)
	require.Contains(t, string(definitions), `"javascript"`)
	require.Equal(t, "Unknown tool: filesystem", do(t, session, "filesystem", `{}`))
	require.Contains(t, do(t, session, "javascript", loop), "16 MiB")

	only := openSession(t, runner, "p", &toolrun.SessionOptions{
		Select: func(s registry.Selection) registry.Selection { return s.Only("javascript", "filesystem") },
	})
	require.Contains(t, do(t, only, "filesystem", `{"command":"view","path":"/"}`), "/")
	require.Contains(t, do(t, only, "javascript", loop), "16 MiB", "what has been chosen is still there")
	require.Equal(t, "Unknown tool: memory", do(t, only, "memory", `{}`))

	// What cannot be read could have forbidden something.
	choose(`{"toolEnabled":`)
	_, err = session.Do(t.Context(), tool.Anthropic, []byte(turns[tool.Anthropic].response))
	require.ErrorContains(t, err, "project p")
	_, err = session.Project().Stat("/n")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestGrantsLimitsAndProgress(t *testing.T) {
	var reported atomic.Pointer[tool.Progress]
	dial := tool.JSONFunc(tool.Spec{Name: "dial", Description: "Dials.",
		Requires: []tool.Capability{tool.CapabilityNetwork}},
		func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			env.Report("dialling", 1, 2)
			return tool.Text(env.Project + " " + env.Chat + strings.Repeat("!", 100)), nil
		})
	runner := open(t, toolrun.Options{Tools: []tool.Tool{dial}})
	require.Equal(t, "permission denied for tool: dial", do(t, openSession(t, runner, "p", nil), "dial", `{}`))
	session := openSession(t, runner, "p", &toolrun.SessionOptions{
		Chat: "chat 1",
		Select: func(s registry.Selection) registry.Selection {
			s.Grants = []tool.Capability{tool.CapabilityNetwork}
			return s
		},
		Limits:   registry.Limits{Inline: 64},
		Progress: func(p tool.Progress) { reported.Store(&p) },
	})
	text := do(t, session, "dial", `{}`)
	require.Contains(t, text, "p chat 1!!")
	require.Contains(t, text, registry.OutputDir)
	require.Equal(t, tool.Progress{CallID: "call", Tool: "dial", Message: "dialling", Done: 1, Total: 2},
		*reported.Load())
}

func TestDeletedProject(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "disk": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			runner := open(t, toolrun.Options{DataDir: dir})
			session := openSession(t, runner, "p", nil)
			write(t, session, "/n", "6")
			require.NoError(t, runner.Store().Delete(t.Context(), "p"))
			_, err := session.Do(t.Context(), tool.Anthropic, []byte(turns[tool.Anthropic].response))
			require.ErrorIs(t, err, vfs.ErrDeleted)
			_, err = session.Definitions(t.Context(), tool.Anthropic, nil)
			require.ErrorIs(t, err, vfs.ErrDeleted)
			_, err = session.SystemPrompt(t.Context(), tool.Anthropic)
			require.ErrorIs(t, err, vfs.ErrDeleted)
			require.NoError(t, session.Close())
		})
	}
}

// TestDeletedDuringACall deletes the project between two calls of a response: the second one says so.
func TestDeletedDuringACall(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "disk": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			var runner *toolrun.Runner
			vanish := tool.JSONFunc(tool.Spec{Name: "vanish", Description: "Deletes."},
				func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
					return tool.Text("gone"), runner.Store().Delete(t.Context(), "p")
				})
			runner = open(t, toolrun.Options{DataDir: dir, Tools: []tool.Tool{vanish}})
			session := openSession(t, runner, "p", nil)
			write(t, session, "/n", "6")
			results, err := session.DispatchAll(t.Context(), []tool.Call{{ID: "1", Tool: "vanish"},
				{ID: "2", Tool: "javascript", Input: []byte(`{"code":"await fs.writeFile('/n', 'x')"}`)}})
			require.NoError(t, err)
			require.Equal(t, "gone", results[0].Text())
			require.True(t, results[1].IsError())
			_, err = session.DispatchAll(t.Context(), nil)
			require.ErrorIs(t, err, vfs.ErrDeleted)
		})
	}
}

func TestToolsThatPanic(t *testing.T) {
	bad := tool.JSONFunc(tool.Spec{Name: "bad", Description: "Panics."},
		func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			if call.ID == "exit" {
				runtime.Goexit()
			}
			panic("oh")
		})
	nervous := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			if call.ID == "middleware" {
				panic("oh")
			}
			return next(ctx, call, env)
		}
	}
	runner := open(t, toolrun.Options{Tools: []tool.Tool{bad}, Middleware: []registry.Middleware{nervous}})
	session := openSession(t, runner, "p", &toolrun.SessionOptions{Progress: func(tool.Progress) { panic("oh") }})
	results, err := session.DispatchAll(t.Context(), []tool.Call{
		{ID: "panic", Tool: "bad"}, {ID: "exit", Tool: "bad"}, {ID: "middleware", Tool: "bad"},
		{ID: "good", Tool: "javascript", Input: []byte(`{"code":"return 42"}`)},
	})
	require.NoError(t, err)
	for _, result := range results[:3] {
		require.Equal(t, tool.CodeFailed, result.Code, result.CallID)
	}
	require.Equal(t, "42", results[3].Text())
	require.NoError(t, runner.Close())
}

// TestManyAtOnce has many conversations, some of which share a project.
func TestManyAtOnce(t *testing.T) {
	const projects, calls = 10, 1000
	var count atomic.Int64
	counting := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
			count.Add(1)
			return next(ctx, call, env)
		}
	}
	runner := open(t, toolrun.Options{Middleware: []registry.Middleware{counting}})
	var sessions [2 * projects]*toolrun.Session
	for i := range sessions {
		sessions[i] = openSession(t, runner, fmt.Sprint("p", i%projects), nil)
	}
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			response := fmt.Sprintf(
				`{"type":"tool_use","id":"c%d","name":"javascript",`+
					`"input":{"code":"await fs.writeFile('/f%d', '%d'); return %d"}}`,
				i, i, i, i)
			messages, err := sessions[i%len(sessions)].Do(t.Context(), tool.Anthropic, []byte(response))
			assert.NoError(t, err)
			assert.JSONEq(t, fmt.Sprintf(
				`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d",`+
					`"content":[{"type":"text","text":"%d\nFiles: created /f%d"}]}]}]`,
				i, i, i), string(messages))
		})
	}
	group.Wait()
	require.EqualValues(t, calls, count.Load(), "each call is done once")
	for _, session := range sessions[:projects] {
		files, err := afero.ReadDir(session.Project(), "/")
		require.NoError(t, err)
		require.Len(t, files, calls/projects)
	}
}

// TestEndOfTheContext leaves an answer to each call, so that the conversation can go on.
func TestEndOfTheContext(t *testing.T) {
	runner := open(t, toolrun.Options{})
	session := openSession(t, runner, "p", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	messages, err := session.Do(ctx, tool.Anthropic, []byte(turns[tool.Anthropic].response))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(messages), `"is_error":true`))
	_, err = session.Project().Stat("/n")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestMountedProjects: what the settings of a project mount is seen by its calls, and undone with them.
func TestMountedProjects(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), nil)
	require.NoError(t, err)
	defer runner.Close()
	other, err := runner.Session(t.Context(), "team", nil)
	require.NoError(t, err)
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
		return []byte(`{"mounts":[{"path":"/sharerw","project":"team"}]}`), nil
	}))
	results, err := session.DispatchAll(t.Context(), []tool.Call{
		{ID: "one", Tool: "filesystem",
			Input: json.RawMessage(`{"command":"create","path":"/sharerw/f","file_text":"x"}`)},
	})
	require.NoError(t, err)
	require.Equal(t, "File created successfully at: /sharerw/f", results[0].Text())
	_, err = other.Project().Stat("/f")
	require.NoError(t, err)
	files, err := session.Files(t.Context())
	require.NoError(t, err)
	_, err = files.Undo(t.Context(), "one")
	require.NoError(t, err)
	_, err = other.Project().Stat("/f")
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, session.Project().EditSettings(t.Context(), func([]byte) ([]byte, error) {
		return []byte(`{"mounts":[{"path":"/sharerw","project":"missing"}]}`), nil
	}))
	_, err = session.Env(t.Context())
	require.ErrorContains(t, err, "project p: project missing at /sharerw: ")
	require.NoError(t, session.Close())
}
