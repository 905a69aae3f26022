package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestPagesOfResources(t *testing.T) {
	project := newProject(t)
	want := map[string]bool{}
	for i := range 1201 {
		name := fmt.Sprintf("/d%d/e%d/f%d", i%7, i%3, i)
		if i%5 == 0 {
			name = fmt.Sprintf("/d%d-%d", i%7, i) // sorts between directories
		}
		require.NoError(t, vfs.WriteFile(t.Context(), project, name, nil))
		want["toolrun://notes"+name] = true
	}
	session := connect(t, overStdio(t, newServer(t, builtIn(t), project, nil)), "2025-11-25", nil)
	params := &sdk.ListResourcesParams{}
	pages := 0
	for {
		list, err := session.ListResources(t.Context(), params)
		require.NoError(t, err)
		for _, resource := range list.Resources {
			require.True(t, want[resource.URI], "%s is there twice, or should not be there", resource.URI)
			delete(want, resource.URI)
		}
		pages++
		if params.Cursor = list.NextCursor; params.Cursor == "" {
			break
		}
	}
	require.Empty(t, want)
	require.Equal(t, 3, pages)
	_, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "!"})
	require.ErrorContains(t, err, "cursor")
}

func TestSubscriptions(t *testing.T) {
	for way, over := range map[string]func(*testing.T, *mcpserver.Server) sdk.Transport{"stdio": overStdio,
		"HTTP": overMemory} {
		for _, version := range handshake {
			t.Run(way+" "+version, inBubble(func(t *testing.T) {
				project := newProject(t)
				require.NoError(t, vfs.WriteFile(t.Context(), project, "/a", []byte("1")))
				updated := make(chan string, 10)
				session := connect(t, over(t, newServer(t, builtIn(t), project, nil)), version, &sdk.ClientOptions{
					ResourceUpdatedHandler: func(_ context.Context, n *sdk.ResourceUpdatedNotificationRequest) {
						updated <- n.Params.URI
					},
				})
				const a = "toolrun://notes/a"
				require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: a}))
				for _, other := range []string{"toolrun://notes/none", "toolrun://other/a"} {
					require.ErrorContains(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: other}),
						"not found")
				}
				text, _ := call(t, session, "filesystem",
					map[string]any{"command": "create", "path": "/a", "file_text": "22", "overwrite": true})
				require.Contains(t, text, "/a")
				require.Equal(t, a, <-updated)
				require.NoError(t, vfs.WriteFile(t.Context(), project, "/a", []byte("by somebody else")))
				require.Equal(t, a, <-updated)
				require.NoError(t, project.Remove("/a"))
				require.Equal(t, a, <-updated)
				require.NoError(t, session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: a}))
				require.NoError(t, vfs.WriteFile(t.Context(), project, "/a", []byte("unseen")))
				call(t, session, "filesystem", map[string]any{"command": "view", "path": "/"})
				time.Sleep(time.Minute)
				require.Empty(t, updated)
			}))
		}
	}
}

// TestWatchedSubscriptions: a change by somebody else is told when the store tells of it, and otherwise seen some time
// later.
func TestWatchedSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		project, err := store.Open(t.Context(), "notes")
		require.NoError(t, err)
		write := func(size int) {
			require.NoError(t, vfs.WriteFile(t.Context(), project, "/a", []byte(strings.Repeat("x", size))))
		}
		write(1)
		tell, lose := make(chan struct{}), make(chan error)
		watch := func(ctx context.Context, changed func()) error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case err := <-lose:
					return err
				case <-tell:
					changed()
				}
			}
		}
		updated := make(chan string, 10)
		server := newServer(t, builtIn(t), project, &mcpserver.Options{Watch: watch})
		session := connect(t, overStdio(t, server), "2025-11-25",
			&sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context,
				n *sdk.ResourceUpdatedNotificationRequest) {
				updated <- n.Params.URI
			}})
		require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "toolrun://notes/a"}))
		took := func(do func()) time.Duration {
			begin := time.Now()
			do()
			<-updated
			return time.Since(begin)
		}
		require.Zero(t, took(func() { write(2); tell <- struct{}{} }))
		require.Zero(t, took(func() { write(3); tell <- struct{}{} }))
		// Nobody has told of it.
		require.LessOrEqual(t, took(func() { write(4) }), 15*time.Second)
		lose <- errors.New("lost")
		synctest.Wait()
		require.LessOrEqual(t, took(func() { write(5) }), time.Second)
		time.Sleep(15 * time.Second) // it is watched again
		require.Zero(t, took(func() { write(6); tell <- struct{}{} }))
		lose <- errors.ErrUnsupported
		synctest.Wait()
		require.LessOrEqual(t, took(func() { write(7) }), time.Second)
		require.NoError(t, session.Close())
		require.NoError(t, errors.Join(project.Close(), store.Close()))
	})
}

func TestTooManySubscriptions(t *testing.T) {
	project := newProject(t)
	session := connect(t, overStdio(t, newServer(t, builtIn(t), project, nil)), "2025-11-25", nil)
	var last error
	for i := range 65 {
		name := fmt.Sprintf("/f%d", i)
		require.NoError(t, vfs.WriteFile(t.Context(), project, name, nil))
		require.NoError(t, last)
		last = session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "toolrun://notes" + name})
	}
	require.ErrorContains(t, last, "too many subscriptions")
}

func TestLongResultsHaveLinks(t *testing.T) {
	onEveryWay(t, everyWay, func(t *testing.T, connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		session := connect(newServer(t, builtIn(t), newProject(t), nil), nil)
		text, result := call(t, session, "javascript", map[string]any{"code": `return 'line\n'.repeat(20000)`})
		require.Contains(t, text, "/.tool-output/")
		require.Less(t, len(text), 40_000)
		last, isLink := result.Content[len(result.Content)-1].(*sdk.ResourceLink)
		if version := session.InitializeResult(); version != nil && version.ProtocolVersion < "2025-06-18" {
			require.False(t, isLink)
			return
		}
		if !isLink { // without sessions it is not known what an older client understands
			return
		}
		whole, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: last.URI})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(whole.Contents[0].Text), 100_000)
		require.EqualValues(t, len(whole.Contents[0].Text), *last.Size)
	})
}
