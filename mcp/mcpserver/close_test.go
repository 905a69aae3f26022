package mcpserver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/tool"
)

// waits returns a tool that waits, and what says that it does and lets it go on.
func waits() (t tool.Tool, begun chan struct{}, release chan struct{}) {
	begun, release = make(chan struct{}, 100), make(chan struct{})
	return tool.Func(tool.Spec{Name: "waits", Description: "Waits.",
		Annotations: tool.Annotations{ReadOnly: true}},
		func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
			begun <- struct{}{}
			select {
			case <-release:
				return "finished", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}), begun, release
}

type outcome struct {
	text string
	err  error
}

// start calls the tool.
func start(ctx context.Context, session *sdk.ClientSession) chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "waits"})
		if err != nil {
			ended <- outcome{"", err}
			return
		}
		ended <- outcome{result.Content[0].(*sdk.TextContent).Text, nil}
	}()
	return ended
}

func TestShutdownLetsCallsFinish(t *testing.T) {
	onEveryWayInBubbles(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server,
		*sdk.ClientOptions) *sdk.ClientSession) {
		tool, begun, release := waits()
		server := newServer(t, builtIn(t, tool), newProject(t), nil)
		session := connect(server, nil)
		ended := start(t.Context(), session)
		<-begun
		down := make(chan error, 1)
		go func() { down <- shutdown(context.Background(), server) }()
		synctest.Wait()
		_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "javascript",
			Arguments: map[string]any{"code": "1"}})
		require.Error(t, err, "no more calls")
		require.Empty(t, down)
		close(release)
		require.Equal(t, outcome{"finished", nil}, <-ended)
		require.NoError(t, <-down)
	})
}

func TestShutdownDoesNotWaitForever(t *testing.T) {
	onEveryWayInBubbles(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server,
		*sdk.ClientOptions) *sdk.ClientSession) {
		tool, begun, _ := waits()
		server := newServer(t, builtIn(t, tool), newProject(t), nil)
		session := connect(server, nil)
		ended := start(t.Context(), session)
		<-begun
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		require.ErrorIs(t, shutdown(ctx, server), context.DeadlineExceeded)
		require.NotEqual(t, "finished", (<-ended).text)
	})
}

func TestCallsWaitForEachOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tool, begun, release := waits()
		server := newServer(t, builtIn(t, tool), newProject(t), &mcpserver.Options{Calls: 2})
		session := connect(t, overHTTP(nil)(t, server), "2025-11-25", nil)
		var all []chan outcome
		for range 5 {
			all = append(all, start(t.Context(), session))
		}
		<-begun
		<-begun
		ctx, cancel := context.WithCancel(t.Context())
		waiting := start(ctx, session) // can be given up
		synctest.Wait()
		cancel()
		require.ErrorIs(t, (<-waiting).err, context.Canceled)
		require.Empty(t, begun)
		close(release)
		for _, ended := range all {
			require.Equal(t, outcome{"finished", nil}, <-ended)
		}
	})
}

// TestShutdownWithNothingToWaitFor has a context that has ended already, and nothing that has been stopped by that.
func TestShutdownWithNothingToWaitFor(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	server := newServer(t, builtIn(t), newProject(t), nil)
	for range 100 {
		require.NoError(t, server.Shutdown(ended))
	}
}
