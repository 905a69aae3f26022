package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/registrytest"
)

func idle(name string) registry.Tool {
	return registry.ToolFunc(registry.Spec{Name: name, Description: "d"},
		func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{}, nil
		})
}

func TestTools(t *testing.T) {
	own, err := registry.New(idle("own"))
	require.NoError(t, err)
	set := open(t, &mcpclient.Options{Base: own}, map[string]mcpclient.ServerConfig{"good": stdio("good")})
	connected(t, set)
	r := set.Registry()
	require.Equal(t, "own", names(r)[0])
	require.Contains(t, names(r), "good_echo")

	spec, _ := r.Spec("good_echo")
	require.Equal(t, "Echo", spec.DisplayName)
	require.Equal(t, "Says it.", spec.Description)
	require.Equal(t, registry.CategoryMCP, spec.Category)
	require.Equal(t, "good", spec.Source)
	require.Equal(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993},"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"enum":[1,"a",null]}}}`, string(spec.Schema))
	require.JSONEq(t, `{"type":"object","properties":{"n":{"type":"integer"}}}`, string(spec.OutputSchema))
	require.Equal(t, registry.Annotations{ReadOnly: true}, spec.Annotations)
	require.Empty(t, spec.Requires)

	spec, _ = r.Spec("good_parts")
	require.Equal(t, "MCP tool from good", spec.Description)
	require.Equal(t, registry.Annotations{Destructive: true, OpenWorld: true}, spec.Annotations)

	prompt, err := r.SystemPrompt(t.Context(), registry.Anthropic, registry.Env{})
	require.NoError(t, err)
	require.Equal(t, "## Tools of good\n\nBe epolite.", prompt, "once, and without what cannot be seen")
	require.Equal(t, []string{"own"}, names(r.Without("good")))
}

func TestCalls(t *testing.T) {
	set := openKind(t, "good", nil)
	connected(t, set)
	for name, test := range map[string]struct {
		tool, input string
		code        registry.Code
		text, data  string
	}{
		"numbers arrive as they are": {"good_echo", `{"n":9007199254740993, "f":1.10,"s":"<&>é"}`, "",
			`{"n":9007199254740993,"f":1.10,"s":"<&>é"}`, `{"n":9007199254740993,"f":1.10,"s":"\u003c\u0026\u003eé"}`},
		"the schema holds": {"good_echo", `{"n":9007199254740994}`, registry.CodeInvalidInput, "/n: ", ""},
		"a tool's error":   {"good_fail", `{}`, registry.CodeTool, "no such city", ""},
		"a refusal": {"good_refuse", `{}`, registry.CodeTool,
			"The MCP server good has refused the call: refused", ""},
		"nothing is given to it":  {"good_ask", `{}`, "", `method not found: "roots/list"`, ""},
		"it can see that we live": {"good_ask", `{}`, "", "\n<nil>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			result := call(t, set, test.tool, test.input)
			require.Equal(t, test.code, result.Code, result.Text())
			require.Contains(t, result.Text(), test.text)
			if test.data != "" {
				require.Equal(t, test.data, string(result.Data.(json.RawMessage)))
			}
		})
	}
}

func TestParts(t *testing.T) {
	result := call(t, openKind(t, "good", nil), "good_parts", `{}`)
	require.Empty(t, result.Code)
	require.Equal(t, []registry.Part{
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
	var reports []registry.Progress
	result := openKind(t, "good", nil).Registry().Dispatch(t.Context(), registry.Call{ID: "c", Tool: "good_progress"},
		registry.Env{
			Progress: func(p registry.Progress) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, p)
			},
		})
	require.Equal(t, "done", result.Text())
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []registry.Progress{{CallID: "c", Tool: "good_progress", Message: "halfway", Done: 1, Total: 2}},
		reports)
}

func TestToolsChange(t *testing.T) {
	for _, kind := range []string{"good", "newest"} {
		t.Run(kind, func(t *testing.T) {
			set := openKind(t, kind, nil)
			connected(t, set)
			before, changed := set.Registry(), set.Changed()
			require.Equal(t, "growing", call(t, set, kind+"_grow", `{}`).Text())
			<-changed
			require.NotContains(t, names(before), kind+"_grown", "a registry does not change")
			require.Equal(t, "tall", call(t, set, kind+"_grown", `{}`).Text())
		})
	}
}

// TestOneTool checks a tool with package registrytest.
func TestOneTool(t *testing.T) {
	tool, ok := openKind(t, "good", nil).Registry().Tool("good_echo")
	require.True(t, ok)
	registrytest.TestTool(t, tool, &registrytest.Options{
		Inputs: []string{`{"n": 1, "x": "a"}`, `{"n": 9007199254740993}`},
		Skip:   []string{"description"}, // the server writes the description
	})
}

func BenchmarkCall(b *testing.B) {
	set := openKind(b, "good", nil)
	for b.Loop() {
		if result := call(b, set, "good_echo", `{"n":1}`); result.IsError() {
			b.Fatal(result.Text())
		}
	}
}

func BenchmarkConnect(b *testing.B) {
	for b.Loop() {
		set, err := mcpclient.Open(b.Context(), mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"good": stdio("good")}}, nil)
		require.NoError(b, err)
		require.NoError(b, set.Close())
	}
}

func TestCancellation(t *testing.T) {
	set := openKind(t, "good", nil)
	file := filepath.Join(t.TempDir(), "state")
	state := func(want string) func() bool {
		return func() bool { data, err := os.ReadFile(file); return err == nil && string(data) == want }
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !state("started")() {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	result := set.Registry().Dispatch(ctx, registry.Call{Tool: "good_hang",
		Input: fmt.Appendf(nil, `{"File":%q}`, file)}, registry.Env{})
	require.Equal(t, registry.CodeCanceled, result.Code)
	require.NotErrorIs(t, result.Err, registry.ErrAbandoned)
	require.Eventually(t, state("cancelled"), time.Minute, 10*time.Millisecond, "the server is told")

	server := stdio("good")
	server.Timeout = 50 * time.Millisecond
	set = open(t, nil, map[string]mcpclient.ServerConfig{"good": server})
	result = call(t, set, "good_hang", fmt.Sprintf(`{"File":%q}`, file))
	require.Equal(t, registry.CodeTimeout, result.Code)
}

// TestClosedDuringACall checks that the error says that this side has closed the connection.
func TestClosedDuringACall(t *testing.T) {
	begun := make(chan struct{}, 1)
	web := answers(t, func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) {
		begun <- struct{}{}
		<-r.Context().Done()
	})
	file := filepath.Join(t.TempDir(), "state")
	for tool, test := range map[string]struct {
		server mcpclient.ServerConfig
		begun  func() bool
	}{
		"hang": {stdio("good"), func() bool { _, err := os.Stat(file); return err == nil }},
		"t":    {mcpclient.ServerConfig{URL: web.URL}, func() bool { return len(begun) > 0 }},
	} {
		t.Run(tool, func(t *testing.T) {
			set := open(t, nil, map[string]mcpclient.ServerConfig{"a": test.server})
			connected(t, set)
			result := make(chan registry.Result, 1)
			go func() { result <- call(t, set, "a_"+tool, fmt.Sprintf(`{"File":%q}`, file)) }()
			require.Eventually(t, test.begun, time.Minute, time.Millisecond)
			require.NoError(t, set.Close())
			require.Contains(t, (<-result).Text(), "has not answered the call: the connection has been closed on this side.")
		})
	}
}

func TestLossAndReconnection(t *testing.T) {
	server := stdio("good")
	gate := filepath.Join(t.TempDir(), "gate")
	server.Env[serverGate] = gate
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	set := open(t, nil, map[string]mcpclient.ServerConfig{"good": server})
	old := set.Registry()
	pid := call(t, set, "good_pid", `{}`).Text()
	require.NoError(t, os.Remove(gate)) // it must not restart before the test sees that it is gone
	result := call(t, set, "good_die", `{}`)
	require.Equal(t, registry.CodeFailed, result.Code)
	require.Contains(t, result.Text(), "The MCP server good has not answered the call: the connection was lost. It is not known")
	var lost *mcpclient.ServerError
	require.ErrorAs(t, result.Err, &lost)
	until(t, set, func() bool { return set.Registry().Len() == 0 })
	require.Error(t, set.Status()[0].Err)
	result = old.Dispatch(t.Context(), registry.Call{Tool: "good_pid"}, registry.Env{})
	require.Contains(t, result.Text(), "The MCP server good is not connected now.")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	until(t, set, func() bool { return set.Registry().Len() > 0 })
	connected(t, set)
	again := old.Dispatch(t.Context(), registry.Call{Tool: "good_pid"}, registry.Env{})
	require.Empty(t, again.Code, "an older registry works again")
	require.NotEqual(t, pid, again.Text())
}

func TestServersAreIndependent(t *testing.T) {
	set := open(t, nil, map[string]mcpclient.ServerConfig{
		"git":     stdio("plain"),
		"git_hub": stdio("plain"),
		"broken":  {Command: filepath.Join(t.TempDir(), "nothing")},
		"missing": {Command: os.Args[0], Args: []string{"${NOT_THERE}"}},
		"off":     {Command: "x", Disabled: true},
	})
	require.Equal(t, []string{"git_t", "git_hub_t"}, names(set.Registry()))
	require.Equal(t, []string{"git_hub_t"}, names(set.Registry().Without("git")))
	byName := map[string]error{}
	for _, status := range set.Status() {
		byName[status.Server] = status.Err
	}
	require.Len(t, byName, 4)
	require.ErrorIs(t, byName["broken"], os.ErrNotExist)
	require.EqualError(t, byName["missing"], `MCP server "missing", args[0]: the variable NOT_THERE is not set in the environment`)
}

func TestNames(t *testing.T) {
	own, err := registry.New(idle("names_t"))
	require.NoError(t, err)
	server := stdio("names")
	openAll := func(servers ...string) *registry.Registry {
		config := map[string]mcpclient.ServerConfig{}
		for _, name := range servers {
			config[name] = server
		}
		return open(t, &mcpclient.Options{Base: own}, config).Registry()
	}
	open := func(servers ...string) []string { return names(openAll(servers...)) }
	one := open("names")
	require.Len(t, one, 1+8, "a name that a server has twice counts once")
	for _, name := range one {
		require.NoError(t, registry.CheckName(name))
	}
	require.Regexp(t, `^names_t_[0-9a-f]{10}$`, one[1], "the name is taken")
	require.Subset(t, open("names", "a names", "1", "-", "names_t", strings.Repeat("s", 64)), one[2:],
		"others do not change names")
	many := open("a b", "a.b", "a_b", "a", strings.Repeat("s", 64))
	require.Len(t, many, 1+5*8)

	r := openAll("git", "git_hub")
	require.Equal(t, 1+2*8, r.Len())
	spec, _ := r.Spec("git_hub_t")
	require.Equal(t, "git_hub", spec.Source, "and not the tool hub_t of git")
}
