//go:build systemtest

package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func idle(name string) tool.Tool {
	return tool.JSONFunc(tool.Spec{Name: name, Description: "d"},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, nil
		})
}

func TestToolsChange(t *testing.T) {
	for _, kind := range []string{"good", "newest"} {
		t.Run(kind, func(t *testing.T) {
			set := openKind(t, kind, nil)
			mcptest.Connected(t, set)
			before, changed := set.Registry(), set.Changed()
			require.Equal(t, "growing", mcptest.Call(t, set, kind+"_grow", `{}`).Text())
			<-changed
			require.NotContains(t, mcptest.Names(before), kind+"_grown", "a registry does not change")
			require.Equal(t, "tall", mcptest.Call(t, set, kind+"_grown", `{}`).Text())
		})
	}
}

func BenchmarkCall(b *testing.B) {
	set := openKind(b, "good", nil)
	for b.Loop() {
		if result := mcptest.Call(b, set, "good_echo", `{"n":1}`); result.IsError() {
			b.Fatal(result.Text())
		}
	}
}

func BenchmarkConnect(b *testing.B) {
	for b.Loop() {
		set, err := mcpclient.Open(b.Context(),
			mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"good": stdio("good")}}, nil)
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
	result := set.Registry().Dispatch(ctx, tool.Call{Tool: "good_hang",
		Input: fmt.Appendf(nil, `{"File":%q}`, file)}, registry.Env{})
	require.Equal(t, tool.CodeCanceled, result.Code)
	require.NotErrorIs(t, result.Err, registry.ErrAbandoned)
	require.Eventually(t, state("cancelled"), time.Minute, 10*time.Millisecond, "the server is told")

	server := stdio("good")
	server.Timeout = 50 * time.Millisecond
	set = mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"good": server})
	result = mcptest.Call(t, set, "good_hang", fmt.Sprintf(`{"File":%q}`, file))
	require.Equal(t, tool.CodeTimeout, result.Code)
}

// TestClosedDuringACall checks that the error says that this side has closed the connection.
func TestClosedDuringACall(t *testing.T) {
	set := openKind(t, "good", nil)
	mcptest.Connected(t, set)
	file := filepath.Join(t.TempDir(), "state")
	result := make(chan tool.Result, 1)
	go func() { result <- mcptest.Call(t, set, "good_hang", fmt.Sprintf(`{"File":%q}`, file)) }()
	require.Eventually(t, func() bool { _, err := os.Stat(file); return err == nil }, time.Minute, time.Millisecond)
	require.NoError(t, set.Close())
	require.Contains(t, (<-result).Text(), "has not answered the call: the connection has been closed on this side.")
}

func TestLossAndReconnection(t *testing.T) {
	server := stdio("good")
	gate := filepath.Join(t.TempDir(), "gate")
	server.Env[serverGate] = gate
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"good": server})
	old := set.Registry()
	pid := mcptest.Call(t, set, "good_pid", `{}`).Text()
	require.NoError(t, os.Remove(gate)) // it must not restart before the test sees that it is gone
	result := mcptest.Call(t, set, "good_die", `{}`)
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Contains(t, result.Text(),
		"The MCP server good has not answered the call: the connection was lost. It is not known")
	var lost *mcpclient.ServerError
	require.ErrorAs(t, result.Err, &lost)
	mcptest.Until(t, set, func() bool { return len(set.Registry().Specs()) == 0 })
	require.Error(t, set.Status()[0].Err)
	result = old.Dispatch(t.Context(), tool.Call{Tool: "good_pid"}, registry.Env{})
	require.Contains(t, result.Text(), "The MCP server good is not connected now.")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	mcptest.Until(t, set, func() bool { return len(set.Registry().Specs()) > 0 })
	mcptest.Connected(t, set)
	again := old.Dispatch(t.Context(), tool.Call{Tool: "good_pid"}, registry.Env{})
	require.Empty(t, again.Code, "an older registry works again")
	require.NotEqual(t, pid, again.Text())
}

func TestServersAreIndependent(t *testing.T) {
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{
		"git":     stdio("plain"),
		"git_hub": stdio("plain"),
		"broken":  {Command: filepath.Join(t.TempDir(), "nothing")},
		"missing": {Command: os.Args[0], Args: []string{"${NOT_THERE}"}},
		"off":     {Command: "x", Disabled: true},
	})
	require.Equal(t, []string{"git_t", "git_hub_t"}, mcptest.Names(set.Registry()))
	for tool, source := range map[string]string{"git_t": "git", "git_hub_t": "git_hub"} {
		spec, _ := set.Registry().Spec(tool)
		require.Equal(t, source, spec.Source)
	}
	byName := map[string]error{}
	for _, status := range set.Status() {
		byName[status.Server] = status.Err
	}
	require.Len(t, byName, 4)
	require.ErrorIs(t, byName["broken"], os.ErrNotExist)
	require.EqualError(t, byName["missing"],
		`MCP server "missing", args[0]: the variable NOT_THERE is not set in the environment`)
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
		return mcptest.Open(t, &mcpclient.Options{Base: own}, config).Registry()
	}
	namesOf := func(servers ...string) []string { return mcptest.Names(openAll(servers...)) }
	one := namesOf("names")
	require.Len(t, one, 1+8, "a name that a server has twice counts once")
	for _, name := range one {
		require.NoError(t, tool.CheckName(name))
	}
	require.Regexp(t, `^names_t_[0-9a-f]{10}$`, one[1], "the name is taken")
	require.Subset(t, namesOf("names", "a names", "1", "-", "names_t", strings.Repeat("s", 64)), one[2:],
		"others do not change names")
	many := namesOf("a b", "a.b", "a_b", "a", strings.Repeat("s", 64))
	require.Len(t, many, 1+5*8)

	r := openAll("git", "git_hub")
	require.Len(t, r.Specs(), 1+2*8)
	spec, _ := r.Spec("git_hub_t")
	require.Equal(t, "git_hub", spec.Source, "and not the tool hub_t of git")
}
