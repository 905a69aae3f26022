package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
	"github.com/toolrun/toolrun/vfs"
)

// mcpCommand is toolrun mcp.
type mcpCommand struct {
	project projectFlags
	chosen  selectionFlags
	servers serverFlags
	timeout time.Duration
	calls   int

	runner *runner
	choose func(registry.Selection) registry.Selection // applies the flags

	config          string
	http            string
	tokens          string
	noTokens        bool
	sessionProjects bool
	stateless       bool
	hosts, origins  []string
	cert, key       string
	sessions        int
	rate            float64
	grace           time.Duration

	logLevel  string
	logFormat string
	audit     string

	hideErrors  bool
	withPage    bool
	pageOnly    bool // serve no MCP
	openBrowser bool
}

func (c *mcpCommand) host() *Host { return hostOf(c.project.cmd) }

func newMCP() *cobra.Command {
	c := &mcpCommand{}
	cmd := &cobra.Command{
		Use:   "mcp [--http ADDR]",
		Short: "Serve the tools and a project's files to MCP clients",
		Long: `Serve the tools and the files of a project by the Model Context Protocol: on
standard input and output to the one client that starts the command, or with
--http to many clients at http://ADDR/mcp.

Over HTTP, clients share the project that the flags name, each session gets a
project of its own that is removed with it (--session-projects), or the
client's token decides (--tokens). The file of tokens is a JSON object:

  {"tokens": [{"name": "ci", "sha256": "...", "project": "ci",
    "tools": ["javascript"], "options": {"javascript": {"memory": 64}},
    "limits": {"timeout": "30s", "calls": 4, "rate": 50}}]}

toolrun mcp token makes a token and its entry. An address that other machines
can reach, such as :8080, needs tokens. Requests for another host than localhost
and the server's own addresses are refused, unless --allow-host names it: behind
a balancer, give the name by which clients reach that.

--config takes settings with the names of the flags from a file of YAML or JSON;
command-line flags take precedence. The file of tokens is read again when it
changes, and after SIGHUP, as the certificate is.

With --page, people see the calls at http://ADDR, take back what they changed,
and approve those that wait, as with toolrun serve. Standard output gets a link
that opens the page once. With --tokens, a token opens the page, and may do
there what it may do over MCP; people use toolrun serve or toolrun approvals.

http://ADDR/healthz answers while the server runs, /readyz while it can do
calls, and /metrics has counters for Prometheus. After an interrupt or SIGTERM
no call begins, and those that run may finish (--grace); a second one ends the
process at once.`,
		Example: "  toolrun mcp --project notes\n" +
			"  toolrun mcp --root . --enable javascript,filesystem\n" +
			"  toolrun mcp --http localhost:8080 --tokens tokens.json\n" +
			"  toolrun mcp --http localhost:8080 --project notes --page\n" +
			"  toolrun mcp --config toolrun.yaml",
		Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if c.config == "" {
				return nil
			}
			return applyConfig(cmd, c.config)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	c.project.add(cmd)
	c.project.addLib(cmd)
	c.project.addCheckpoint(cmd)
	c.project.addAsk(cmd)
	c.chosen.add(cmd)
	c.servers.add(cmd)
	flags := cmd.Flags()
	flags.DurationVar(&c.timeout, "timeout", 0,
		"stop a call after this time (default: the tool's own limit; 50s for code)")
	flags.IntVar(&c.calls, "calls", mcpserver.DefaultCalls,
		"run this many calls of a project or token at once; others wait")
	flags.StringVar(&c.config, "config", "", "take the flags that are not given from `FILE`, in YAML or JSON")
	flags.StringVar(&c.http, "http", "", "serve HTTP at `ADDR`, as in localhost:8080; :8080 is all interfaces")
	flags.StringVar(&c.tokens, "tokens", "", "admit only clients with one of the tokens in `FILE`")
	flags.BoolVar(&c.noTokens, "insecure-no-tokens", false, "admit everybody who can reach the address")
	flags.BoolVar(&c.sessionProjects, "session-projects", false,
		"give each session a new project, removed with the session")
	flags.BoolVar(&c.stateless, "stateless", false, "keep no sessions, for use behind a load balancer")
	flags.StringSliceVar(&c.hosts, "allow-host", nil,
		"accept these host `NAMES`, such as a balancer's, besides localhost and\nthe server's own addresses")
	flags.StringSliceVar(&c.origins, "allow-origin", nil,
		"accept web pages from these `ORIGINS`, such as https://example.com")
	flags.StringVar(&c.cert, "tls-cert", "", "serve HTTPS with the certificate in `FILE`")
	flags.StringVar(&c.key, "tls-key", "", "serve HTTPS with the private key in `FILE`")
	flags.IntVar(&c.sessions, "sessions", mcpserver.DefaultSessions,
		"refuse more sessions than this; a token gets at most a quarter of them")
	flags.Float64Var(&c.rate, "rate", mcpserver.DefaultRate,
		"accept this many requests per second for a project or token")
	flags.DurationVar(&c.grace, "grace", 30*time.Second,
		"let running calls finish within this time when the server stops")
	flags.StringVar(&c.logLevel, "log-level", "",
		"log from this `LEVEL`: debug, info, warn or error (default: info over HTTP, else warn)")
	flags.StringVar(&c.logFormat, "log-format", "text", "log as text or json")
	flags.BoolVar(&c.withPage, "page", false,
		"with --http, also serve the page of toolrun serve, and print a link to it")
	flags.BoolVar(&c.hideErrors, "hide-errors", false,
		"give clients an id instead of the text of a tool's unexpected error; the log has both (default: over HTTP)")
	flags.StringVar(&c.audit, "audit", "", "append a line of JSON about each call and each request to `FILE`")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	cmd.MarkFlagsMutuallyExclusive("tokens", "session-projects", "project")
	cmd.MarkFlagsMutuallyExclusive("tokens", "session-projects", "root")
	cmd.MarkFlagsMutuallyExclusive("tokens", "insecure-no-tokens")
	cmd.MarkFlagsMutuallyExclusive("tokens", "lib")
	cmd.MarkFlagsMutuallyExclusive("session-projects", "stateless")
	cmd.MarkFlagsMutuallyExclusive("session-projects", "page")
	cmd.AddCommand(newMCPToken())
	return cmd
}

func (c *mcpCommand) run(cmd *cobra.Command) (err error) {
	logger, err := c.logger(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if c.timeout < 0 || c.grace < 0 || c.calls < 1 || c.sessions < 1 || !(c.rate > 0) {
		return errors.New("--timeout and --grace must not be negative, and --calls, " +
			"--sessions and --rate must be positive")
	}
	if c.http == "" {
		for _, name := range []string{"tokens", "session-projects", "stateless", "allow-host", "allow-origin",
			"tls-cert", "insecure-no-tokens", "sessions", "rate", "page"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s needs --http", name)
			}
		}
	}
	ctx, stop := hostOf(cmd).untilSignal(cmd.Context(), syscall.SIGTERM)
	defer stop()
	cmd.SetContext(ctx)
	if !cmd.Flags().Changed("hide-errors") {
		c.hideErrors = c.http != ""
	}
	var middleware []registry.Middleware
	var requests func(network.Record)
	if c.audit != "" {
		file, err := hostOf(cmd).openFile(c.audit, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close() // each line has been written by itself
		middleware = append(middleware, observe.Audit(file, nil))
		requests = observe.Requests(file, func(err error) {
			logger.Error("a request is not in the audit log", "error", err)
		})
	}
	middleware = append(middleware, observe.Slog(logger, nil))
	metrics := mcphttp.NewMetrics(!c.sessionProjects)
	if c.http != "" && !c.pageOnly {
		middleware = append(middleware, metrics.Middleware)
		audit := requests
		requests = func(r network.Record) {
			metrics.Request(r)
			if audit != nil {
				audit(r)
			}
		}
	}
	options := c.project.noted()
	options.Middleware, options.NetworkAudit = middleware, requests
	options.NoteFailed = func(err error) { logger.Warn("other processes do not learn of calls", "error", err) }
	if c.runner, err = c.servers.open(cmd, options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.runner.Close()) }()
	if err := c.project.checkAsk(c.runner); err != nil {
		return err
	}
	if !c.pageOnly {
		c.runner.warnOfSchemas()
	}
	c.chosen.later = c.servers.file() != ""
	if err := known(c.runner.Registry(), c.chosen.enable); err != nil && c.chosen.later {
		c.runner.warn(err)
	}
	if c.choose, err = c.chosen.choice(c.runner.Registry(), ""); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end() // first, so that clients are not told that the tools go
	if c.http == "" {
		return c.stdio(ctx, cmd, logger)
	}
	return c.serve(ctx, metrics, logger)
}

// A served project is a session, or the project of a token, which has one.
type served interface {
	Source(ctx context.Context) (*registry.Registry, registry.Env, error)
	Watch(ctx context.Context, changed func()) error
}

// newServer returns a server for a session. Until the context ends, it tells clients of changed tools.
func (c *mcpCommand) newServer(ctx context.Context, session served,
	options *mcpserver.Options) (*mcpserver.Server, error) {
	options.Watch = session.Watch
	server, err := mcpserver.New(ctx, session.Source, options)
	if err != nil {
		return nil, err
	}
	go func() {
		for changed := c.runner.Changed(); ; changed = c.runner.Changed() {
			if err := server.Refresh(ctx); err != nil && ctx.Err() == nil {
				options.Logger.ErrorContext(ctx, "clients cannot be told of changed tools", "error", err)
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return server, nil
}

// logger returns the logger that the flags configure.
func (c *mcpCommand) logger(w io.Writer) (*slog.Logger, error) {
	level := slog.LevelWarn
	if c.http != "" {
		level = slog.LevelInfo
	}
	if c.logLevel != "" {
		if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
			return nil, fmt.Errorf("--log-level must be debug, info, warn or error, not %q", c.logLevel)
		}
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: readable}
	switch c.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("--log-format must be text or json, not %q", c.logFormat)
}

// readable writes durations as "1.5s", which JSON would have as nanoseconds.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		d := a.Value.Duration()
		if d > time.Millisecond {
			d = d.Round(10 * time.Microsecond)
		}
		a.Value = slog.StringValue(d.String())
	}
	return a
}

// options returns the options of all servers.
func (c *mcpCommand) options(logger *slog.Logger) *mcpserver.Options {
	return &mcpserver.Options{Title: "toolrun", Version: ownversion.Get(), Logger: logger, Calls: c.calls, Rate: c.rate}
}

// stdio serves the client that started the command.
func (c *mcpCommand) stdio(ctx context.Context, cmd *cobra.Command, logger *slog.Logger) error {
	_, server, err := c.projectServer(ctx, logger)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { // running calls may finish, within the grace
		time.AfterFunc(c.grace, func() { shutdown(server) })
	})
	if terminal.IsTerminal(cmd.InOrStdin()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "toolrun: this is for MCP clients, which start it themselves; "+
			"it waits for messages on standard input (Ctrl-C ends it)")
	}
	err = server.ServeStdio(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
	shutdown(server)
	if ctx.Err() != nil {
		return nil // it has been asked to end
	}
	return err
}

// shutdown ends a server without waiting for calls.
func shutdown(server *mcpserver.Server) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = server.Shutdown(now) // the error only says that it did not wait
}

// projectServer returns a server for the project that the flags name, and its session. The project's settings are read
// for each request.
func (c *mcpCommand) projectServer(ctx context.Context,
	logger *slog.Logger) (session *toolrun.Session, server *mcpserver.Server, err error) {
	if err := c.project.checkRoot(); err != nil {
		return nil, nil, err
	}
	if c.project.root != "" {
		session, err = c.runner.DirSession(c.project.rootPath(), c.sessionOptions(logger))
	} else {
		var project vfs.Project
		if project, err = c.project.open(ctx); err != nil {
			return nil, nil, err
		}
		session, err = c.runner.ProjectSession(c.project.id, project, c.sessionOptions(logger))
	}
	if err != nil {
		return nil, nil, err
	}
	options := c.options(logger)
	options.Identity = "project " + c.project.id
	server, err = c.newServer(ctx, session, options)
	return session, server, err
}

// sessionOptions returns the options of all sessions.
func (c *mcpCommand) sessionOptions(logger *slog.Logger) *toolrun.SessionOptions {
	o := c.project.withFlags(&toolrun.SessionOptions{
		Select: c.choose, Limits: registry.Limits{Timeout: c.timeout}, Logger: logger, HideErrors: c.hideErrors,
	})
	o.Approve = nil // it is for clients to ask their users
	return o
}
