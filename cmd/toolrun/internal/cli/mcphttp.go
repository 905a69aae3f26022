package cli

import (
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
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/web"
)

// serve serves MCP over HTTP until the context ends, with a page or without, or only the page.
func (c *mcpCommand) serve(ctx context.Context, metrics *mcphttp.Metrics, logger *slog.Logger) (err error) {
	hangups := make(<-chan os.Signal)
	if !c.pageOnly {
		var stop func()
		hangups, stop = c.host().hangups() // from the beginning, or one could end the process
		defer stop()
	}
	listener, certificate, err := c.listen(ctx, logger)
	if err != nil {
		return err
	}
	defer listener.Close()
	options := &mcpserver.HandlerOptions{
		Stateless: c.stateless, Hosts: append(c.hosts, listenedHost(c.http)...), Origins: c.origins,
		Sessions: c.sessions, Logger: logger,
	}
	config := mcphttp.Config{Metrics: metrics, Grace: c.grace, Logger: logger}
	var find func(*http.Request) (*mcpserver.Server, error)
	var tokens *tokenServers
	var access func(*http.Request) *web.Access
	var client func(string) *web.Access
	switch {
	case c.tokens != "":
		if tokens, err = c.byToken(ctx, metrics, logger); err == nil {
			find, config.Token, access, client = tokens.find, tokens.token, tokens.access, tokens.client
			options.ServerSessions = max(1, c.sessions/4) // so that one token cannot lock out the others
		}
	case c.sessionProjects:
		var end func()
		if options.NewSession, end, err = c.bySession(ctx, logger); err == nil {
			defer end()
		}
	case !c.pageOnly:
		var server *mcpserver.Server
		var session *toolrun.Session
		if session, server, err = c.projectServer(ctx, logger); err == nil && c.project.root == "" {
			metrics.Project(c.project.id, session.Project().Usage) // to count a directory could take long
		}
		find = func(*http.Request) (*mcpserver.Server, error) { return server, nil }
	}
	if err != nil {
		return err
	}
	var page *web.Server
	if c.withPage {
		var end func() error
		if page, end, err = c.page(&config, access, client); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	config.Ready = func(ctx context.Context) error {
		_, err := c.runner.Interpreter(ctx, languages[0].Name)
		return err
	}
	if !c.pageOnly {
		if !c.stateless && !c.sessionProjects {
			var end func() error
			if options.Shared, end, err = c.sharedSessions(); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, end()) }()
		}
		if _, err := c.runner.start(ctx, languages[0].Name); err != nil { // so that the first call need not wait
			return err
		}
		config.Handler = mcpserver.NewHandler(find, options)
	}
	if tokens != nil {
		tokens.handler = config.Handler
		tokens.watch(ctx, tokens.read)
	}
	scheme := "http"
	if certificate != nil {
		scheme, config.TLS = "https", certificate.config()
		certificate.watch(ctx)
	}
	if c.tokens == "" && certificate == nil && !c.pageOnly {
		go ignoreHangups(ctx, hangups, logger)
	}
	base := scheme + "://" + reachable(listener.Addr().String())
	served := base
	if !c.pageOnly {
		served += "/mcp"
	}
	logger.Info("serving", "url", served, "address", listener.Addr().String())
	if page != nil {
		remove, err := c.showPage(ctx, page, base, logger)
		if err != nil {
			return err
		}
		defer remove()
	}
	return mcphttp.Serve(ctx, listener, config)
}

// sharedSessions returns the records by which servers with the same database continue each other's sessions. They are
// nil if there is no database.
func (c *mcpCommand) sharedSessions() (records vfs.Records, end func() error, err error) {
	place, err := c.project.place()
	if c.project.root != "" || err != nil || !isDatabase(place) {
		return nil, func() error { return nil }, err
	}
	store, err := c.project.store(nil)
	if err != nil {
		return nil, nil, err
	}
	return store.Records("mcp-sessions"), store.Close, nil
}

// listen opens the address. An address that other machines can reach needs tokens.
func (c *mcpCommand) listen(ctx context.Context, logger *slog.Logger) (net.Listener, *certificate, error) {
	var cert *certificate
	if c.cert != "" {
		cert = &certificate{host: c.host(), certFile: c.cert, keyFile: c.key, logger: logger}
		if err := cert.load(); err != nil {
			return nil, nil, err
		}
	}
	listener, err := c.host().listen(ctx, c.http)
	if err != nil {
		return nil, nil, err
	}
	at, ok := listener.Addr().(*net.TCPAddr)
	if ok && at.IP.IsLoopback() {
		return listener, cert, nil
	}
	if c.tokens == "" && !c.noTokens {
		_ = listener.Close()
		_, port, _ := net.SplitHostPort(c.http)
		return nil, nil, fmt.Errorf("other machines can reach %s: add --tokens FILE, "+
			"or --insecure-no-tokens to let everybody run code and see the files; %s is for this machine alone",
			c.http, net.JoinHostPort("localhost", port))
	}
	if c.noTokens {
		logger.Warn("everybody who can reach the address may run code and see the files",
			"address", listener.Addr().String())
	}
	if len(c.hosts) == 0 && len(listenedHost(c.http)) == 0 {
		logger.Warn("requests for a name, as behind a balancer, are refused: --allow-host NAME admits them",
			"address", listener.Addr().String())
	}
	return listener, cert, nil
}

// A certificate is that of the server. It is read again after SIGHUP.
type certificate struct {
	host              *Host
	certFile, keyFile string
	logger            *slog.Logger
	pair              atomic.Pointer[tls.Certificate]
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.host.path(c.certFile), c.host.path(c.keyFile))
	if err == nil {
		c.pair.Store(&pair)
	}
	return err
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
	}
}

// watch begins to read the certificate again after SIGHUP, until the context ends.
func (c *certificate) watch(ctx context.Context) {
	hangups, stop := c.host.hangups()
	go func() {
		defer stop()
		for {
			select {
			case <-hangups:
				if err := c.load(); err != nil {
					c.logger.Error("the certificate cannot be read, and the one before stays", "error", err)
				} else {
					c.logger.Info("the certificate has been read again")
				}
			case <-ctx.Done():
				return
			}
		}
	}()
}

// ignoreHangups says after SIGHUP that there is nothing to read again.
func ignoreHangups(ctx context.Context, hangups <-chan os.Signal, logger *slog.Logger) {
	for {
		select {
		case <-hangups:
			logger.Info("SIGHUP changes nothing: there is no file of tokens and no certificate to read again")
		case <-ctx.Done():
			return
		}
	}
}

// hangups returns a channel of SIGHUPs, which then do not end the process.
func (h *Host) hangups() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	return c, h.notify(c, syscall.SIGHUP)
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
		o := c.sessionOptions(logger)
		o.Watched, o.Waiting = nil, nil // the projects are nobody else's, and end with their sessions
		session, err := c.runner.ProjectSession(id, project, o)
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
	var name, project, role, file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make a token for toolrun mcp --http --tokens",
		Long: `Make a new random token, and print it with its entry for the file of tokens.
Only the entry needs to be kept on the server: it has the token's hash. --add
writes it into the file, which servers that run read again.`,
		Example: "  toolrun mcp token --name ci --project ci\n" +
			"  toolrun mcp token --name ci --project ci --add tokens.json\n" +
			"  toolrun mcp token --name ada --project ci --role person",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := vfs.CheckID(project); err != nil {
				return err
			}
			token, entry := mcphttp.NewToken(name, project)
			var err error
			if entry.Role, err = service.ParseRole(role); err != nil {
				return err
			}
			if entry.Role == service.Model {
				entry.Role = "" // which is the same
			}
			if file != "" {
				if err := hostOf(cmd).addToken(file, entry); err != nil {
					return err
				}
				out := outcome{text: fmt.Sprintf("token: %s\nadded to %s\n", token, file),
					data: map[string]any{"token": token, "entry": entry, "file": file}}
				return out.print(cmd.OutOrStdout(), asJSON)
			}
			text, err := json.MarshalIndent(entry, "", "  ")
			if err != nil {
				return err
			}
			out := outcome{
				text: fmt.Sprintf("token: %s\n%s\n", token, text), data: map[string]any{"token": token, "entry": entry},
			}
			return out.print(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "client", "name of the token in logs")
	cmd.Flags().StringVar(&project, "project", "default", "project `ID` of the token")
	cmd.Flags().StringVar(&role, "role", "model", "what its holder may do on the page: `model`, person or operator")
	cmd.Flags().StringVar(&file, "add", "", "add the entry to the tokens in `FILE`, which is made if it does not exist")
	addJSON(cmd.Flags(), &asJSON)
	return cmd
}
