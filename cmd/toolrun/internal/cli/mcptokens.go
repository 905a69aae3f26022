package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/web"
)

// tokenServers are the servers of the tokens in a file, which can change while they serve.
type tokenServers struct {
	tokenFile
	command *mcpCommand
	ctx     context.Context // ends with the command
	metrics *mcphttp.Metrics
	handler *mcpserver.Handler // set before there are requests
	now     atomic.Pointer[tokenSet]
}

// A tokenSet is the tokens at one time, and the server of each.
type tokenSet struct {
	tokens  []*mcphttp.Token
	servers map[*mcphttp.Token]*tokenServer
}

// A tokenServer is the server of a token. Without MCP it has only the access.
type tokenServer struct {
	*mcpserver.Server
	session *toolrun.Session
	access  *web.Access        // to the page
	cancel  context.CancelFunc // ends what belongs to it
}

// byToken reads the file of tokens and makes their servers.
func (c *mcpCommand) byToken(ctx context.Context, metrics *mcphttp.Metrics,
	logger *slog.Logger) (*tokenServers, error) {
	t := &tokenServers{tokenFile: tokenFile{host: c.host(), name: c.tokens, logger: logger}, command: c, ctx: ctx,
		metrics: metrics}
	t.now.Store(&tokenSet{})
	if err := t.read(); err != nil {
		return nil, err
	}
	return t, nil
}

// token returns the token of a request, or nil.
func (t *tokenServers) token(r *http.Request) *mcphttp.Token {
	return mcphttp.Find(t.now.Load().tokens, r)
}

// server returns that of the token of a request, or nil.
func (t *tokenServers) server(r *http.Request) *tokenServer {
	now := t.now.Load()
	return now.servers[mcphttp.Find(now.tokens, r)]
}

// access returns what the token of a request may use on the page, or nil.
func (t *tokenServers) access(r *http.Request) *web.Access {
	if server := t.server(r); server != nil {
		return server.access
	}
	return nil
}

// client returns what the token of a client may use, or nil.
func (t *tokenServers) client(client string) *web.Access {
	for token, server := range t.now.Load().servers {
		if token.Client() == client {
			return server.access
		}
	}
	return nil
}

func (t *tokenServers) find(r *http.Request) (*mcpserver.Server, error) {
	if server := t.server(r); server != nil {
		return server.Server, nil
	}
	return nil, mcpserver.ErrUnauthorized
}

// read makes the servers of new and changed tokens, and ends those of tokens that are gone. If that fails, all stays.
func (t *tokenServers) read() error {
	tokens, err := t.tokenFile.read()
	if err != nil {
		return err
	}
	before, after := t.now.Load(), &tokenSet{tokens, map[*mcphttp.Token]*tokenServer{}}
	var fresh []*tokenServer
	kept := map[*tokenServer]bool{}
	for _, token := range tokens {
		for old, server := range before.servers {
			if token.Equal(old) {
				after.servers[token] = server
				kept[server] = true
			}
		}
		if after.servers[token] != nil {
			continue
		}
		server, err := t.serve(token)
		if err != nil {
			for _, server := range fresh {
				server.end(0)
			}
			return fmt.Errorf("%s: %s: %w", t.command.tokens, token.Name, err)
		}
		fresh = append(fresh, server)
		after.servers[token] = server
	}
	t.now.Store(after)
	for _, server := range before.servers {
		if !kept[server] {
			go server.end(t.command.grace)
		}
	}
	if len(before.tokens) > 0 {
		removed := slices.DeleteFunc(slices.Clone(before.tokens), func(old *mcphttp.Token) bool {
			return slices.ContainsFunc(tokens, old.Same)
		})
		t.logger.Info("tokens have been read again", "tokens", len(tokens), "new or changed", len(fresh),
			"removed", len(removed))
	}
	return nil
}

// end ends the sessions of a token. Calls that run may finish, within the grace.
func (s *tokenServer) end(grace time.Duration) {
	if s.Server == nil { // the store may be in use, and ends with the process
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	// calls that did not finish have been stopped
	_ = errors.Join(s.Shutdown(ctx), s.session.Close(), s.access.Store.Close())
	s.cancel()
}

// serve makes the server of a token. All its sessions are one client.
func (t *tokenServers) serve(token *mcphttp.Token) (*tokenServer, error) {
	c := t.command
	options := c.options(t.logger.With("token", token.Name))
	access, open, err := c.tokenAccess(token, options.Logger)
	if err != nil {
		return nil, err
	}
	if c.pageOnly {
		access.Allow, access.Call = alone(token.Limits)
		return &tokenServer{access: access}, nil
	}
	options.NoResources, options.Identity = !access.Has(service.Read), token.Identity()
	options.Calls = cmp.Or(token.Limits.Calls, options.Calls)
	options.Rate = cmp.Or(token.Limits.Rate, options.Rate)
	session, err := open(t.ctx)
	if err != nil {
		return nil, errors.Join(err, access.Store.Close())
	}
	ctx, cancel := context.WithCancel(t.ctx)
	server, err := c.newServer(ctx, session, options)
	if err != nil {
		cancel()
		return nil, errors.Join(err, session.Close(), access.Store.Close())
	}
	access.Allow = func() bool { return t.handler.Allow(server) }
	access.Call = server.Call
	context.AfterFunc(ctx, t.metrics.Project(token.Project, session.Project().Usage))
	return &tokenServer{server, session, access, cancel}, nil
}

// tokenAccess returns what a token may use on the page, but for how much at once: that is for the caller to add. Its
// store is to be closed when the token is gone. The function opens the token's project, as for MCP.
func (c *mcpCommand) tokenAccess(token *mcphttp.Token,
	logger *slog.Logger) (*web.Access, func(context.Context) (*toolrun.Session, error), error) {
	if err := c.checkToken(token); err != nil {
		return nil, nil, err
	}
	limits := token.Limits
	store, err := c.project.store(&vfs.Options{Quota: vfs.Quota{Bytes: limits.Bytes, Files: limits.Files,
		FileSize: limits.FileSize}})
	if err != nil {
		return nil, nil, err
	}
	o := c.sessionOptions(logger)
	o.Client, o.Select = token.Client(), c.project.choose(token.Select)
	c.project.keeping(o, token.Project)
	o.Limits.Timeout = cmp.Or(time.Duration(limits.Timeout), c.timeout)
	open := func(ctx context.Context) (*toolrun.Session, error) {
		project, err := store.Open(ctx, token.Project)
		if err != nil {
			return nil, err
		}
		return c.runner.ProjectSession(token.Project, project, o)
	}
	access := &web.Access{Name: token.Name, Client: o.Client, Role: token.Role, Store: store,
		NoFiles: token.NoResources, Limits: registry.Limits{Timeout: o.Limits.Timeout}}
	if token.Role != web.Operator {
		access.Project, access.Session = token.Project, open
	}
	if token.Chooses() {
		access.Select = o.Select
	}
	return access, open, nil
}

// checkToken refuses tools and options that there are not, as nothing would be limited by a misspelt option. Servers
// may bring tools later.
func (c *mcpCommand) checkToken(token *mcphttp.Token) error {
	tools, later := c.runner.Registry(), len(c.runner.Servers()) > 0
	if err := known(tools, token.Tools); err != nil && !later {
		return err
	}
	for tool, options := range token.Options {
		if err := known(tools, []string{tool}); err != nil && later {
			c.runner.warn(fmt.Errorf("%s: options: %w", token.Name, err))
			continue
		}
		for id := range options {
			if _, _, err := service.FindOption(tools, tool+"."+id, ""); err != nil {
				return fmt.Errorf("options: %w", err)
			}
		}
	}
	return nil
}

// readTokens reads a file of tokens.
func (h *Host) readTokens(name string) ([]*mcphttp.Token, error) {
	data, err := h.readHead(name, mcphttp.MaxTokens+1)
	if err != nil {
		return nil, err
	}
	tokens, err := mcphttp.ParseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return tokens, nil
}
