package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
)

func TestTools(t *testing.T) {
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		session := connect(newServer(t, builtIn(t), newProject(t), nil), nil)
		list, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		byName := map[string]*sdk.Tool{}
		for _, tool := range list.Tools {
			byName[tool.Name] = tool
		}
		require.Len(t, byName, 3)
		js := byName["javascript"]
		require.NotEmpty(t, js.Title)
		require.False(t, js.Annotations.ReadOnlyHint)
		require.NotNil(t, js.Annotations.DestructiveHint)
		require.NotNil(t, js.Annotations.OpenWorldHint)
		require.False(t, *js.Annotations.OpenWorldHint)

		_, result := call(t, session, "filesystem",
			map[string]any{"command": "create", "path": "/n.csv", "file_text": "1\n2\n3\n"})
		require.False(t, result.IsError)
		text, result := call(t, session, "javascript", map[string]any{"code": `
			const sum = (await fs.readFile('/n.csv', 'utf8')).trim().split('\n').reduce((a, b) => a + Number(b), 0);
			await fs.writeFile('/sum.txt', String(sum)); return sum`})
		require.False(t, result.IsError, text)
		require.Contains(t, text, "6")
		text, _ = call(t, session, "filesystem", map[string]any{"command": "view", "path": "/sum.txt"})
		require.Contains(t, text, "6")

		text, result = call(t, session, "javascript", map[string]any{"code": 7})
		require.True(t, result.IsError)
		require.Contains(t, text, "code parameter is required")
		_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "nothing"})
		require.ErrorContains(t, err, "unknown tool")
	})
}

// TestArgumentsThatAreEncodedTwice has clients that send the arguments as a text.
func TestArgumentsThatAreEncodedTwice(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	const request = `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"javascript","arguments":%s}}`
	for arguments, want := range map[string]string{
		`"{\"code\":\"return 7\"}"`:             `"value":7`,
		`"{\"code\":[]}"`:                       `code parameter is required and must be a string`,
		`"\"{\\\"code\\\":\\\"return 8\\\"}\""`: `"value":8`,
		`"code"`:                                `the arguments must be a JSON object, not text`,
		`""`:                                    `code parameter is required`,
		`"{\"code\":\"return 9\",\"code\":\"1\"}"`: `in an object twice`,
	} {
		message := fmt.Sprintf(request, arguments)
		require.Contains(t, strings.Join(rawSession(t, server, message), ""), want)
		_, text := post(t, serve(t, server, &mcpserver.HandlerOptions{Stateless: true}), message)
		require.Contains(t, text, want)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	const digits = "9007199254740993"
	echo := tool.JSONFunc(tool.Spec{
		Name: "echo", Description: "Returns what it gets.",
		Schema:       json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}}`),
		OutputSchema: json.RawMessage(`{"type": "object"}`),
	}, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		return tool.Result{Content: []tool.Part{{Text: string(call.Input)}}, Data: call.Input}, nil
	})
	server := newServer(t, builtIn(t, echo), newProject(t), nil)
	answers := rawSession(t, server,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"n":`+digits+`}}}`)
	require.Equal(t, 2, strings.Count(answers[0], digits), answers[0])
}

func TestProgressAndCancellation(t *testing.T) {
	started := make(chan struct{}, 1)
	stopped := make(chan error, 1)
	slow := tool.Func(tool.Spec{Name: "slow", Description: "Takes its time."},
		func(ctx context.Context, _ struct{}, env tool.Env) (string, error) {
			env.Report("begun", 0, 4)
			started <- struct{}{}
			<-ctx.Done()
			stopped <- ctx.Err()
			return "", ctx.Err()
		})
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		heard := make(chan *sdk.ProgressNotificationParams, 10)
		session := connect(newServer(t, builtIn(t, slow), newProject(t), nil), &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context,
				n *sdk.ProgressNotificationClientRequest) {
				heard <- n.Params
			},
		})
		params := &sdk.CallToolParams{Name: "slow"}
		params.SetProgressToken("p1")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, params)
			ended <- err
		}()
		<-started
		progress := <-heard
		require.Equal(t, "begun", progress.Message)
		require.Equal(t, [2]float64{0, 4}, [2]float64{progress.Progress, progress.Total})
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-stopped, context.Canceled)
	})
}

func TestPrompts(t *testing.T) {
	polite := tool.Func(tool.Spec{Name: "polite", Description: "Says hello.",
		Instructions: "Always be polite."},
		func(context.Context, struct{}, tool.Env) (string, error) { return "hello", nil })
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		session := connect(newServer(t, builtIn(t, polite), newProject(t), nil), nil)
		if init := session.InitializeResult(); init != nil {
			require.Contains(t, init.Instructions, "Always be polite.")
		}
		list, err := session.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		names := []string{}
		for _, prompt := range list.Prompts {
			names = append(names, prompt.Name)
		}
		require.Contains(t, names, "system-prompt")
		require.Contains(t, names, "system-prompt-polite")
		prompt, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "system-prompt-polite"})
		require.NoError(t, err)
		require.Equal(t, "Always be polite.", prompt.Messages[0].Content.(*sdk.TextContent).Text)
		_, err = session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "system-prompt-nothing"})
		require.ErrorContains(t, err, "there is no prompt")
	})
}

func TestToolsThatComeAndGo(t *testing.T) {
	onEveryWay(t, statefully, func(t *testing.T, connect func(*mcpserver.Server,
		*sdk.ClientOptions) *sdk.ClientSession) {
		tools, project := builtIn(t), newProject(t)
		without, err := registry.New(memory.New(), filesystem.New())
		require.NoError(t, err)
		now := make(chan *registry.Registry, 1)
		now <- without
		server, err := mcpserver.New(t.Context(), func(context.Context) (*registry.Registry, registry.Env, error) {
			r := <-now
			now <- r
			return r, registry.Env{Project: "notes", Files: project}, nil
		}, nil)
		require.NoError(t, err)
		changed := make(chan bool, 10)
		session := connect(server, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context,
			*sdk.ToolListChangedRequest) {
			changed <- true
		}})
		_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "javascript"})
		require.ErrorContains(t, err, "unknown tool")
		<-now
		now <- tools
		require.NoError(t, server.Refresh(t.Context()))
		<-changed
		text, _ := call(t, session, "javascript", map[string]any{"code": "return 6 * 7"})
		require.Contains(t, text, "42")
	})
}

func TestResources(t *testing.T) {
	t.Parallel()
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		project := newProject(t)
		for name, content := range map[string]string{"/a b/ü.md": "# hi", "/bytes.bin": "\x00\x01", "/c?#.txt": "odd",
			"/z": ""} {
			require.NoError(t, vfs.WriteFile(t.Context(), project, name, []byte(content)))
		}
		session := connect(newServer(t, builtIn(t), project, nil), nil)
		list, err := session.ListResources(t.Context(), nil)
		require.NoError(t, err)
		uris := []string{}
		for _, resource := range list.Resources {
			uris = append(uris, resource.URI)
		}
		require.Equal(t, []string{"toolrun://notes/a%20b/%C3%BC.md", "toolrun://notes/bytes.bin",
			"toolrun://notes/c%3F%23.txt", "toolrun://notes/z"}, uris)
		read := func(uri string) (*sdk.ResourceContents, error) {
			result, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			if err != nil {
				return nil, err
			}
			return result.Contents[0], nil
		}
		contents, err := read(uris[0])
		require.NoError(t, err)
		require.Equal(t, "# hi", contents.Text)
		require.Equal(t, "text/markdown", contents.MIMEType)
		contents, err = read(uris[1])
		require.NoError(t, err)
		require.Equal(t, []byte{0, 1}, contents.Blob)
		contents, err = read(uris[2])
		require.NoError(t, err)
		require.Equal(t, "odd", contents.Text)
		for _, uri := range []string{"toolrun://other/z", "file:///etc/passwd", "toolrun://notes", "toolrun://notes/%",
			"toolrun://notes/nothing",
			"toolrun://notes/.toolrun/settings.json", "toolrun://notes/%2e%2e/%2e%2e/etc/passwd",
			"toolrun://notes@evil/z", "TOOLRUN://notes/z", "toolrun://notes/\xff"} {
			_, err = read(uri)
			require.ErrorContains(t, err, "not found", uri)
		}
		_, err = read("toolrun://notes/a%20b")
		require.ErrorContains(t, err, "directory")

		templates, err := session.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "toolrun://notes/{+path}", templates.ResourceTemplates[0].URITemplate)
		completion, err := session.Complete(t.Context(), &sdk.CompleteParams{
			Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: "toolrun://notes/{+path}"},
			Argument: sdk.CompleteParamsArgument{Name: "path", Value: "a"},
		})
		require.NoError(t, err)
		require.Equal(t, []string{"a b/"}, completion.Completion.Values)
	})
}
