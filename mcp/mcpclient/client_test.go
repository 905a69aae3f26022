package mcpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
	"github.com/toolrun/toolrun/tool"
)

// openGood opens a server that behaves well. Its name is good.
func openGood(t testing.TB, options *mcpclient.Options, headers map[string]string) *mcpclient.Set {
	web := overHTTP(mcptest.Good(), nil)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	set := mcptest.Open(t, options, map[string]mcpclient.ServerConfig{"good": {URL: web.URL, Headers: headers}})
	mcptest.Connected(t, set)
	return set
}

func idle(name string) tool.Tool {
	return tool.JSONFunc(tool.Spec{Name: name, Description: "d"},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, nil
		})
}

func TestTools(t *testing.T) {
	own, err := registry.New(idle("own"))
	require.NoError(t, err)
	set := openGood(t, &mcpclient.Options{Base: own}, nil)
	r := set.Registry()
	require.Equal(t, "own", mcptest.Names(r)[0])
	require.Contains(t, mcptest.Names(r), "good_echo")

	spec, _ := r.Spec("good_echo")
	require.Equal(t, "Echo", spec.DisplayName)
	require.Equal(t, "Says it.", spec.Description)
	require.Equal(t, tool.CategoryMCP, spec.Category)
	require.Equal(t, "good", spec.Source)
	require.Equal(
		t, `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993},`+
			`"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"enum":[1,"a",null]}}}`,
		string(spec.Schema),
	)
	require.JSONEq(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`, string(spec.OutputSchema))
	require.Equal(t, tool.Annotations{ReadOnly: true}, spec.Annotations)
	require.Empty(t, spec.Requires)

	spec, _ = r.Spec("good_parts")
	require.Equal(t, "MCP tool from good", spec.Description)
	require.Equal(t, tool.Annotations{Destructive: true, OpenWorld: true}, spec.Annotations)

	prompt, err := r.SystemPrompt(t.Context(), tool.Anthropic, registry.Env{})
	require.NoError(t, err)
	require.Equal(t, "## Tools of good\n\nBe epolite.", prompt, "once, and without what cannot be seen")
	spec, _ = r.Spec("own")
	require.Empty(t, spec.Source)
}

func TestCalls(t *testing.T) {
	set := openGood(t, nil, nil)
	for name, test := range map[string]struct {
		tool, input string
		code        tool.Code
		text, data  string
	}{
		"numbers arrive as they are": {"good_echo", `{"n":9007199254740993, "f":1.10,"s":"<&>é"}`, "",
			`{"n":9007199254740993,"f":1.10,"s":"<&>é"}`, `{"n":9007199254740993,"f":1.10,"s":"\u003c\u0026\u003eé"}`},
		"the schema holds": {"good_echo", `{"n":9007199254740994}`, tool.CodeInvalidInput, "/n: ", ""},
		"a tool's error":   {"good_fail", `{}`, tool.CodeTool, "no such city", ""},
		"a refusal": {"good_refuse", `{}`, tool.CodeTool,
			"The MCP server good has refused the call: refused", ""},
		"nothing is given to it":  {"good_ask", `{}`, "", `method not found: "roots/list"`, ""},
		"it can see that we live": {"good_ask", `{}`, "", "\n<nil>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			result := mcptest.Call(t, set, test.tool, test.input)
			require.Equal(t, test.code, result.Code, result.Text())
			require.Contains(t, result.Text(), test.text)
			if test.data != "" {
				require.Equal(t, test.data, string(result.Data.(json.RawMessage)))
			}
		})
	}
}

func TestParts(t *testing.T) {
	result := mcptest.Call(t, openGood(t, nil, nil), "good_parts", `{}`)
	require.Empty(t, result.Code)
	require.Equal(t, []tool.Part{
		{Text: "a[1mb"},
		{Text: "[image, image/png, 4 bytes]", Data: []byte("\x89PNG"), MIME: "image/png"},
		{Text: "[audio, audio/wav, 4 bytes]", Data: []byte("RIFF"), MIME: "audio/wav"},
		{Text: "[Link to a resource: x <file:///x>, text/plain, an x]"},
	}, result.Content[:4])
	require.Equal(t, "why", result.Content[4].Text)
	require.Equal(t, "file:///y", result.Content[4].Resource.Name)
	require.Equal(t, []byte{1, 2}, result.Content[5].Data)
}

func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var reports []tool.Progress
	result := openGood(t, nil, nil).Registry().Dispatch(t.Context(), tool.Call{ID: "c", Tool: "good_progress"},
		registry.Env{
			Progress: func(p tool.Progress) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, p)
			},
		})
	require.Equal(t, "done", result.Text())
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []tool.Progress{{CallID: "c", Tool: "good_progress", Message: "halfway", Done: 1, Total: 2}},
		reports)
}

// TestOneTool checks a tool with package registrytest.
func TestOneTool(t *testing.T) {
	tool, ok := openGood(t, nil, nil).Registry().Tool("good_echo")
	require.True(t, ok)
	registrytest.TestTool(t, tool, &registrytest.Options{
		Inputs: []string{`{"n": 1, "x": "a"}`, `{"n": 9007199254740993}`},
		Skip:   []string{"description"}, // the server writes the description
	})
}

// TestClosedDuringACall checks that the error says that this side has closed the connection.
func TestClosedDuringACall(t *testing.T) {
	begun := make(chan struct{}, 1)
	web := answers(t, func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		begun <- struct{}{}
		<-r.Context().Done()
	})
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"a": {URL: web.URL}})
	mcptest.Connected(t, set)
	result := make(chan tool.Result, 1)
	go func() { result <- mcptest.Call(t, set, "a_t", `{}`) }()
	<-begun
	require.NoError(t, set.Close())
	require.Contains(t, (<-result).Text(), "has not answered the call: the connection has been closed on this side.")
}

// TestSecretsInData has structured results that contain secrets in all places where JSON permits them.
func TestSecretsInData(t *testing.T) {
	secrets := map[string]string{"A_TOKEN": "12345678", "B_TOKEN": `s3c"r3t<&>`}
	set := openGood(t, &mcpclient.Options{LookupEnv: func(name string) (string, bool) {
		value, ok := secrets[name]
		return value, ok
	}}, map[string]string{"A": "${A_TOKEN}", "B": "${B_TOKEN}"})
	result := mcptest.Call(t, set, "good_echo",
		`{"pin":12345678, "a 12345678":[1.0,-123456780], "b":"s3c\u0022r3t<\u0026>", "c":"é\u00e9"}`)
	require.Empty(t, result.Code, result.Text())
	data, ok := result.Data.(json.RawMessage)
	require.True(t, ok, "a number that is a secret does not cost the others")
	require.Equal(t, `{"pin":"[redacted]","a [redacted]":[1.0,"-[redacted]0"],"b":"[redacted]","c":"é\u00e9"}`,
		string(data))
}
