package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// serve serves HTTP until the context ends.
func (c *mcpCommand) serve(ctx context.Context, metrics *mcphttp.Metrics, logger *slog.Logger) (err error) {
	listener, certificate, err := c.listen(ctx)
	if err != nil {
		return err
	}
	defer listener.Close()
	options := &mcpserver.HandlerOptions{
		Stateless: c.stateless, Hosts: append(c.hosts,
			listenedHost(c.http)...), Origins: c.origins, Sessions: c.sessions, Logger: logger,
	}
	config := mcphttp.Config{
		Metrics: metrics, Grace: c.grace, Logger: logger, TLS: certificate, Open: c.tokens == "", MayReadMetrics: func(*http.Request) bool { return true },
	}
	var find func(*http.Request) (*mcpserver.Server, error)
	switch {
	case c.tokens != "":
		var tokens int
		tokens, find, config.MayReadMetrics, err = c.byToken(ctx, logger)
		options.ServerSessions = max(1, c.sessions/max(1, min(tokens, 4))) // one token cannot lock out the others
	case c.sessionProjects:
		var end func()
		if options.NewSession, end, err = c.bySession(ctx, logger); err == nil {
			defer end()
		}
	default:
		var server *mcpserver.Server
		server, err = c.projectServer(ctx, logger)
		find = func(*http.Request) (*mcpserver.Server, error) { return server, nil }
	}
	if err != nil {
		return err
	}
	if _, err := c.runner.start(ctx); err != nil { // so that the first call need not wait
		return err
	}
	config.Ready = func(ctx context.Context) error {
		_, err := c.runner.JavaScript(ctx)
		return err
	}
	config.Handler = mcpserver.NewHandler(find, options)
	scheme := "http"
	if certificate != nil {
		scheme = "https"
	}
	logger.Info("serving", "url", scheme+"://"+listener.Addr().String()+"/mcp")
	return mcphttp.Serve(ctx, listener, config)
}

// listen opens the address. An address that other machines can reach needs tokens.
func (c *mcpCommand) listen(ctx context.Context) (net.Listener, *tls.Config, error) {
	var certificate *tls.Config
	if c.cert != "" {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, nil, err
		}
		certificate = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
			NextProtos: []string{"h2", "http/1.1"}}
	}
	var config net.ListenConfig
	address := c.http
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address // listening on all interfaces must be explicit
	}
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	if own := ok && at.IP.IsLoopback(); !own && c.tokens == "" && !c.noTokens {
		_ = listener.Close()
		return nil, nil, fmt.Errorf("other machines can reach %s: add --tokens FILE, or --insecure-no-tokens to let everybody run code and see the files", c.http)
	}
	return listener, certificate, nil
}

// listenedHost returns the host of a listening address, which clients may use as a name of the server. Addresses that
// stand for all interfaces have none.
func listenedHost(address string) []string {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host == "" || ip != nil && ip.IsUnspecified() {
		return nil
	}
	return []string{host}
}

// byToken makes a server for each token, and returns how many tokens there are.
func (c *mcpCommand) byToken(ctx context.Context, logger *slog.Logger) (n int,
	find func(*http.Request) (*mcpserver.Server, error),
	metrics func(*http.Request) bool, err error) {
	tokens, err := readTokens(c.tokens)
	if err != nil {
		return 0, nil, nil, err
	}
	servers := map[*mcphttp.Token]*mcpserver.Server{}
	for i, token := range tokens {
		// Names of tokens may be the same; clients must differ.
		if servers[token], err = c.tokenServer(ctx, token, fmt.Sprintf("%s (token %d)", token.Name, i+1),
			logger); err != nil {
			return 0, nil, nil, fmt.Errorf("%s: %s: %w", c.tokens, token.Name, err)
		}
	}
	find = func(r *http.Request) (*mcpserver.Server, error) {
		if token := mcphttp.Find(tokens, r); token != nil {
			return servers[token], nil
		}
		return nil, mcpserver.ErrUnauthorized
	}
	metrics = func(r *http.Request) bool {
		token := mcphttp.Find(tokens, r)
		return token != nil && token.Metrics
	}
	return len(tokens), find, metrics, nil
}

// tokenServer makes the server of a token. All its sessions are one client.
func (c *mcpCommand) tokenServer(ctx context.Context, token *mcphttp.Token, client string,
	logger *slog.Logger) (*mcpserver.Server, error) {
	if !c.chosen.later {
		if err := known(c.runner.Registry(), token.Tools); err != nil {
			return nil, err
		}
	}
	limits := token.Limits
	store, err := c.project.store(&vfs.Options{Quota: vfs.Quota{Bytes: limits.Bytes, Files: limits.Files,
		FileSize: limits.FileSize}})
	if err != nil {
		return nil, err
	}
	project, err := store.Open(ctx, token.Project)
	if err := errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	options := c.options(logger.With("token", token.Name))
	options.NoResources = token.NoResources
	options.Calls = cmp.Or(limits.Calls, options.Calls)
	options.Rate = cmp.Or(limits.Rate, options.Rate)
	o := c.sessionOptions(options.Logger)
	o.Client, o.Select = client, token.Select
	o.Limits.Timeout = cmp.Or(time.Duration(limits.Timeout), c.timeout)
	session, err := c.runner.ProjectSession(token.Project, project, o)
	if err != nil {
		return nil, err
	}
	return c.newServer(ctx, session, options)
}

// readTokens reads a file of tokens.
func readTokens(name string) ([]*mcphttp.Token, error) {
	data, err := readHead(name, mcphttp.MaxTokens+1)
	if err != nil {
		return nil, err
	}
	tokens, err := mcphttp.ParseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tokens, nil
}

// bySession returns a function that makes a server with a new project for each session. The projects are in a directory
// that end removes.
func (c *mcpCommand) bySession(ctx context.Context,
	logger *slog.Logger) (newSession func(context.Context) (*mcpserver.Server, func(), error), end func(), err error) {
	dir, err := os.MkdirTemp("", "toolrun-sessions-")
	if err != nil {
		return nil, nil, err
	}
	store, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	end = func() { _ = errors.Join(store.Close(), os.RemoveAll(dir)) }
	return func(context.Context) (*mcpserver.Server, func(), error) {
		id := "session-" + strings.ToLower(rand.Text()[:16])
		project, err := store.Open(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		session, err := c.runner.ProjectSession(id, project, c.sessionOptions(logger))
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		remove := func() {
			cancel()
			_ = errors.Join(session.Close(), store.Delete(context.WithoutCancel(ctx), id))
		}
		server, err := c.newServer(ctx, session, c.options(logger))
		if err != nil {
			remove()
			return nil, nil, err
		}
		return server, remove, nil
	}, end, nil
}

func newMCPToken() *cobra.Command {
	var name, project string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make a token for toolrun mcp --http --tokens",
		Long: `Make a new random token, and print it with its entry for the file of tokens.
Only the entry needs to be kept on the server: it has the token's hash.`,
		Example: "  toolrun mcp token --name ci --project ci",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := vfs.CheckID(project); err != nil {
				return err
			}
			token, entry := mcphttp.NewToken(name, project)
			text, err := json.MarshalIndent(entry, "", "  ")
			if err != nil {
				return err
			}
			out := outcome{fmt.Sprintf("token: %s\n%s\n", token, text), map[string]any{"token": token, "entry": entry}}
			return out.print(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "client", "name of the token in logs")
	cmd.Flags().StringVar(&project, "project", "default", "project `ID` of the token")
	addJSON(cmd.Flags(), &asJSON)
	return cmd
}
