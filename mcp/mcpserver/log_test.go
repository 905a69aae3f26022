package mcpserver_test

//lint:file-ignore SA1019 What the newest version of the protocol discourages is tested as long as it is there.

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func TestLogging(t *testing.T) {
	onEveryWay(t, statefully, func(t *testing.T, connect func(*mcpserver.Server,
		*sdk.ClientOptions) *sdk.ClientSession) {
		heard := make(chan *sdk.LoggingMessageParams, 10)
		session := connect(newServer(t, builtIn(t), newProject(t), nil), &sdk.ClientOptions{
			LoggingMessageHandler: func(_ context.Context, m *sdk.LoggingMessageRequest) { heard <- m.Params },
		})
		require.NoError(t, session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}))
		call(t, session, "javascript", map[string]any{"code": "throw 1"})
		message := <-heard
		data := message.Data.(map[string]any)
		require.Equal(t, "call ended", data["msg"])
		require.Equal(t, "tool_error", data["outcome"])
	})
}

func TestToolsLogToClients(t *testing.T) {
	t.Parallel()
	after := make(chan tool.Env, 1)
	talks := tool.Func(tool.Spec{Name: "talks", Description: "Logs.", Timeout: 5 * time.Minute},
		func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
			env.Logger.Debug("details")
			log := env.Logger.With("step", 2, "err", errors.New("/home/secret")).WithGroup("file")
			log.Warn("half done\xff", "name", strings.Repeat("n", 1<<20), "error", "/home/secret", "owner",
				struct{ Home string }{"/home/secret"},
				slog.Group("parts", "n", 7, "stack", "/home/secret"))
			for range 2000 {
				env.Logger.Error("again and again")
			}
			after <- env
			return "", errors.New("/home/secret")
		})
	panics := tool.Func(tool.Spec{Name: "panics", Description: "Panics."},
		func(context.Context, struct{}, tool.Env) (string, error) {
			panic("/home/secret")
		})
	tools, err := registry.New(talks, panics)
	require.NoError(t, err)
	onEveryWay(t, statefully, func(t *testing.T, connect func(*mcpserver.Server,
		*sdk.ClientOptions) *sdk.ClientSession) {
		var host strings.Builder
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools,
			registry.Env{Logger: slog.New(slog.NewTextHandler(&host, nil))}), nil)
		require.NoError(t, err)
		heard := make(chan *sdk.LoggingMessageParams, 5000)
		session := connect(server, &sdk.ClientOptions{LoggingMessageHandler: func(_ context.Context,
			m *sdk.LoggingMessageRequest) {
			heard <- m.Params
		}})
		call(t, session, "talks", nil) // it has not asked for any
		<-after
		require.NoError(t, session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}))
		call(t, session, "talks", nil)
		(<-after).Logger.Error("too late")
		call(t, session, "panics", nil)

		records, first := 0, ""
		for ended := 0; ended < 2; {
			message := <-heard
			raw, err := json.Marshal(message.Data)
			require.NoError(t, err)
			require.NotContains(t, string(raw), "secret")
			require.NotContains(t, string(raw), "too late")
			if strings.Contains(string(raw), "call ended") {
				ended++
				continue
			}
			records++
			if first == "" {
				first = string(raw)
				require.Equal(t, sdk.LoggingLevel("warning"), message.Level)
			}
		}
		require.Equal(t, 1001, records) // the most that there can be of a call, and "tool panicked"
		require.Contains(t, first, "half done\uFFFD")
		require.Contains(t, first, `"step":2`)
		require.Contains(t, first, `"parts":{"n":7}`)
		require.Less(t, len(first), 10_000)
		require.Contains(t, host.String(), "/home/secret")
		require.Contains(t, host.String(), "too late")
	})
}

func TestToolsLogEndlessValues(t *testing.T) {
	talks := tool.Func(tool.Spec{Name: "talks", Description: "Logs.", Timeout: 5 * time.Minute},
		func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
			env.Logger.Info("endless", "loop", endless{})
			env.Logger.With("loop", endless{}).Info("endless")
			return "done", nil
		})
	tools, err := registry.New(talks)
	require.NoError(t, err)
	server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, registry.Env{}), nil)
	require.NoError(t, err)
	heard := make(chan any, 10)
	session := connect(t, overStdio(t, server), "2025-11-25", &sdk.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, m *sdk.LoggingMessageRequest) { heard <- m.Params.Data },
	})
	require.NoError(t, session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}))
	text, _ := call(t, session, "talks", nil)
	require.Equal(t, "done", text)
	require.Equal(t, "endless", (<-heard).(map[string]any)["msg"])
	require.Equal(t, "endless", (<-heard).(map[string]any)["msg"])
}

// endless is a value that has itself in it.
type endless struct{}

func (e endless) LogValue() slog.Value { return slog.GroupValue(slog.Any("again", e)) }
