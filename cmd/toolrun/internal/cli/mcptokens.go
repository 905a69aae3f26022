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

// tokenServers are the holders of the tokens in a file, which can change while they are served.
type tokenServers struct {
	tokenFile
	command *mcpCommand
	ctx     context.Context // ends with the command
	metrics *mcphttp.Metrics
	handler *mcpserver.Handler // set before there are requests
	now     atomic.Pointer[tokenSet]
}

// A tokenSet is the tokens at one time, and the holder of each.
type tokenSet struct {
	tokens  []*mcphttp.Token
	servers map[*mcphttp.Token]*tokenServer
}

// A tokenServer is what the holder of a token uses.
type tokenServer struct {
	access  web.Access        // to the page
	server  *mcpserver.Server // nil if only the page is served
	project tokenProject
	store   vfs.Store
	cancel  context.CancelFunc // ends the access
}

// byToken reads the file of tokens and makes what they are for.
func (c *mcpCommand) byToken(ctx context.Context, metrics *mcphttp.Metrics,
	logger *slog.Logger) (*tokenServers, error) {
	t := &tokenServers{tokenFile: tokenFile{host: c.host(), name: c.tokens, logger: logger}, command: c, ctx: ctx,
		metrics: metrics}
	t.now.Store(&tokenSet{})
	return t, t.read()
}

// token returns the token of a request, or nil.
func (t *tokenServers) token(r *http.Request) *mcphttp.Token {
	return mcphttp.Find(t.now.Load().tokens, r)
}

// holder returns what the token of a request is for, or nil.
func (t *tokenServers) holder(r *http.Request) *tokenServer {
	now := t.now.Load()
	return now.servers[mcphttp.Find(now.tokens, r)]
}

// access returns what the token of a request may use on the page, or nil.
func (t *tokenServers) access(r *http.Request) *web.Access {
	if s := t.holder(r); s != nil {
		return &s.access
	}
	return nil
}

// client returns what the token of a client may use, or nil.
func (t *tokenServers) client(client string) *web.Access {
	for token, server := range t.now.Load().servers {
		if token.Client() == client {
			return &server.access
		}
	}
	return nil
}

func (t *tokenServers) find(r *http.Request) (*mcpserver.Server, error) {
	if s := t.holder(r); s != nil {
		return s.server, nil
	}
	return nil, mcpserver.ErrUnauthorized
}

// read makes what new and changed tokens are for, and ends what those had that are gone or were changed. If that fails,
// all stays.
func (t *tokenServers) read() error {
	tokens, err := t.tokenFile.read()
	if err != nil {
		return err
	}
	before, after := t.now.Load(), &tokenSet{tokens, map[*mcphttp.Token]*tokenServer{}}
	var fresh []*tokenServer
	known, kept := map[string]*tokenServer{}, map[*tokenServer]bool{}
	for old, server := range before.servers {
		known[old.Identity()] = server
	}
	for _, token := range tokens {
		if server := known[token.Identity()]; server != nil {
			after.servers[token] = server // with what it has used of its limits
			kept[server] = true
			continue
		}
		err := t.command.checkToken(token)
		var server *tokenServer
		if err == nil {
			if server, err = t.serve(token); err != nil {
				t.info = nil // the store may fail for a moment: until it does not, tokens that are gone are still good
			}
		}
		if err != nil {
			for _, server := range fresh {
				server.end()
			}
			return fmt.Errorf("%s: %s: %w", t.command.tokens, token.Name, err)
		}
		fresh = append(fresh, server)
		after.servers[token] = server
	}
	t.now.Store(after)
	for _, server := range before.servers {
		if !kept[server] {
			go server.end()
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

// end stops the calls of a token, and ends its sessions and streams.
func (s *tokenServer) end() {
	s.cancel()
	if s.server != nil {
		shutdown(s.server)
	}
	_ = errors.Join(s.project.close(), s.store.Close()) // calls that did not finish have been stopped
}

// serve makes what a token is for. All its sessions are one client.
func (t *tokenServers) serve(token *mcphttp.Token) (*tokenServer, error) {
	c, logger := t.command, t.logger.With("token", token.Name)
	s, err := c.tokenServer(t.ctx, token, logger)
	if err != nil {
		return nil, err
	}
	// From now on, the token is for no other project of the name.
	switch _, _, err = s.project.Source(t.ctx); {
	case errors.Is(err, vfs.ErrDeleted):
		logger.Warn("a token cannot be used", "error", err)
	case err != nil:
		s.end()
		return nil, err
	}
	if c.pageOnly {
		s.access.Allow, s.access.Call = alone(token.Limits)
		return s, s.project.pause()
	}
	options := c.options(logger)
	options.NoResources, options.Identity = !s.access.Has(service.Read), token.Identity()
	options.Calls = cmp.Or(token.Limits.Calls, options.Calls)
	options.Rate = cmp.Or(token.Limits.Rate, options.Rate)
	ctx, cancel := context.WithCancel(t.ctx)
	context.AfterFunc(s.access.Until, cancel)
	if s.server, err = c.newServer(ctx, &s.project, options); err != nil {
		s.end()
		return nil, err
	}
	s.access.Allow = func() bool { return t.handler.Allow(s.server) }
	s.access.Call = s.server.Call
	context.AfterFunc(ctx, t.metrics.Project(token.Project, s.project.usage))
	return s, nil
}

// tokenServer returns what a token may use, but for how much at once, and without a server of MCP.
func (c *mcpCommand) tokenServer(ctx context.Context, token *mcphttp.Token,
	logger *slog.Logger) (*tokenServer, error) {
	limits := token.Limits
	store, err := c.project.store(&vfs.Options{Quota: vfs.Quota{Bytes: limits.Bytes, Files: limits.Files,
		FileSize: limits.FileSize}})
	if err != nil {
		return nil, err
	}
	bound := &boundStore{store, token}
	o := c.sessionOptions(logger)
	o.Client, o.Select = token.Client(), c.project.choose(token.Select)
	c.project.keeping(o, token.Project)
	o.Limits.Timeout = cmp.Or(time.Duration(limits.Timeout), c.timeout)
	open := func(ctx context.Context) (*toolrun.Session, error) {
		project, err := bound.Open(ctx, token.Project)
		if err != nil {
			return nil, err
		}
		return c.runner.ProjectSession(token.Project, project, o)
	}
	s := &tokenServer{store: store, project: tokenProject{tools: c.runner.Registry(), open: open}}
	s.access = web.Access{Name: token.Name, Client: o.Client, Role: token.Role, Store: store,
		NoFiles: token.NoResources, Limits: registry.Limits{Timeout: o.Limits.Timeout}}
	// when the command ends, calls may finish within its grace
	s.access.Until, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if token.Role != web.Operator {
		s.access.Project, s.access.Session, s.access.Store = token.Project, open, bound
	}
	if token.Chooses() {
		s.access.Select = o.Select
	}
	return s, nil
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
