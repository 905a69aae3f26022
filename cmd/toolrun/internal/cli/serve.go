package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/web"
)

// pageAddress is where the page is unless told otherwise.
const pageAddress = "localhost:7311"

// newServe makes toolrun serve: toolrun mcp --http --page without MCP.
func newServe() *cobra.Command {
	c := &mcpCommand{withPage: true, pageOnly: true, calls: mcpserver.DefaultCalls,
		sessions: mcpserver.DefaultSessions, rate: mcpserver.DefaultRate}
	cmd := &cobra.Command{
		Use:   "serve [ADDR]",
		Short: "Serve a page to see what models did, and to take it back",
		Long: `Serve a page for people at ADDR, ` + pageAddress + ` unless told otherwise: projects,
their files and history, tools and their options, calls, and a place to run
code. The page shows what a call changed, and takes it back.

Standard output gets a link that opens the page once, within ten minutes. The
browser then has a cookie until it is closed. With --tokens, a token of the
file, which is that of toolrun mcp --http, opens the page, and may do there what
it may do over MCP. An address that other machines can reach needs tokens.

With --root, the page shows the files in DIR and what has changed them, instead
of projects. toolrun mcp --http ADDR --page serves MCP clients and the page.

All that the page does is an HTTP API for programs, too, with the same tokens:
/api/openapi.json describes it.`,
		Example: "  toolrun serve --open\n" +
			"  toolrun serve --root . --open\n" +
			"  toolrun serve localhost:9000 --data projects\n" +
			"  toolrun serve 0.0.0.0:443 --tokens t.json --tls-cert c.pem --tls-key k.pem",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.http = argument(args, 0, pageAddress)
			return c.runPage(cmd)
		},
	}
	c.project.cmd, c.chosen.cmd = cmd, cmd
	c.project.addAsk(cmd)
	c.servers.add(cmd)
	flags := cmd.Flags()
	cmd.PersistentFlags().StringVar(&c.project.data, "data", "",
		"keep projects in `DIR`, or a database if it is postgres://...\n"+
			"(default $TOOLRUN_DATA, else the user's data directory)")
	c.project.addRoot(cmd)
	flags.BoolVar(&c.openBrowser, "open", false, "open the page in a browser")
	flags.DurationVar(&c.timeout, "timeout", 0, "stop a call after this time (default: the tool's own limit)")
	flags.StringVar(&c.tokens, "tokens", "", "admit only those with one of the tokens in `FILE`")
	flags.BoolVar(&c.noTokens, "insecure-no-tokens", false, "admit everybody who can reach the address")
	flags.StringSliceVar(&c.hosts, "allow-host", nil,
		"accept these host `NAMES`, such as a balancer's, besides localhost and\nthe server's own addresses")
	flags.StringVar(&c.cert, "tls-cert", "", "serve HTTPS with the certificate in `FILE`")
	flags.StringVar(&c.key, "tls-key", "", "serve HTTPS with the private key in `FILE`")
	flags.DurationVar(&c.grace, "grace", 5*time.Second,
		"let running calls finish within this time when the server stops")
	flags.StringVar(&c.logLevel, "log-level", "warn", "log from this `LEVEL`: debug, info, warn or error")
	flags.StringVar(&c.logFormat, "log-format", "text", "log as text or json")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	cmd.MarkFlagsMutuallyExclusive("tokens", "insecure-no-tokens")
	cmd.MarkFlagsMutuallyExclusive("tokens", "open")
	cmd.MarkFlagsMutuallyExclusive("tokens", "root")
	return cmd
}

// runPage is run without MCP.
func (c *mcpCommand) runPage(cmd *cobra.Command) error {
	if c.timeout < 0 || c.grace < 0 {
		return errors.New("--timeout and --grace must not be negative")
	}
	if err := c.project.checkRoot(); err != nil { // also without --root
		return err
	}
	if c.project.root != "" {
		info, err := c.host().stat(c.project.root)
		if err == nil && !info.IsDir() {
			err = &os.PathError{Op: "open", Path: c.project.root, Err: syscall.ENOTDIR}
		}
		if err != nil {
			return fmt.Errorf("--root: %w", err)
		}
	}
	err := c.run(cmd)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: give another ADDR, such as localhost:0", err)
	}
	return err
}

// showPage prints an address at which people get in, and opens it in a browser if that is wanted. The function that it
// returns removes what that needs.
func (c *mcpCommand) showPage(ctx context.Context, page *web.Server, link string, logger *slog.Logger) (func(), error) {
	if c.tokens == "" && !c.noTokens {
		link = page.Link(link)
	}
	_, err := fmt.Fprintln(c.project.cmd.OutOrStdout(), link)
	if err != nil || !c.openBrowser {
		return func() {}, err
	}
	remove, err := c.host().openBrowser(ctx, link)
	if err != nil {
		logger.Warn("the browser cannot be opened: use the link", "error", err)
	}
	return remove, nil
}

// reachable is the address at which this machine reaches a listener.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// page makes the page, and adds it to what is served. access says who gets in with a token; nil means that there are no
// tokens. client says the same of a client. The function that page returns closes what the page uses.
func (c *mcpCommand) page(config *mcphttp.Config, access func(*http.Request) *web.Access,
	client func(string) *web.Access) (*web.Server, func() error, error) {
	store, err := c.project.store(nil)
	if err != nil {
		return nil, nil, err
	}
	logger := config.Logger
	options := &web.Options{Store: store, Hosts: append(slices.Clone(c.hosts), listenedHost(c.http)...),
		Token: access, Client: client, Everybody: c.noTokens, Admitted: mcphttp.Known,
		Select: c.project.selecting(c.choose), Limits: registry.Limits{Timeout: c.timeout}, Version: ownversion.Get(),
		Logger: logger}
	if c.project.root != "" {
		if err := c.project.checkRoot(); err != nil {
			return nil, nil, errors.Join(err, store.Close())
		}
		options.Dir, options.DirOptions = c.project.rootPath(), c.project.dir
	}
	if dir, err := modulesDir(c.project.cmd); err == nil { // otherwise there are none
		options.Modules = module.OpenStore(dir)
	}
	page, err := web.New(c.runner.Runner, options)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	config.Page = page
	return page, store.Close, nil
}

// alone keeps the limits of a token whose calls come by one way only, as a server of MCP does.
func alone(limits mcphttp.Limits) (allow func() bool, call func(context.Context, func(context.Context)) error) {
	perSecond := cmp.Or(limits.Rate, mcpserver.DefaultRate)
	limiter := rate.NewLimiter(rate.Limit(perSecond), int(min(2*perSecond, math.MaxInt32))+1)
	places := make(chan struct{}, cmp.Or(limits.Calls, mcpserver.DefaultCalls))
	return limiter.Allow, func(ctx context.Context, do func(context.Context)) error {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-ctx.Done():
			return ctx.Err()
		}
		do(ctx)
		return nil
	}
}

// openBrowser opens a link, by way of a file that only this user can read: the arguments of a process are for all to
// see.
func (h *Host) openBrowser(ctx context.Context, link string) (remove func(), err error) {
	f, err := os.CreateTemp("", "toolrun-*.html") // mode 0600
	if err != nil {
		return func() {}, err
	}
	remove = func() { _ = os.Remove(f.Name()) }
	_, err = io.WriteString(f, `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">`+
		`<title>toolrun</title><meta http-equiv="refresh" content="0;url=`+html.EscapeString(link)+`">`)
	if err := errors.Join(err, f.Close()); err != nil {
		return remove, err
	}
	return remove, h.openInBrowser(ctx, f.Name())
}

// openInBrowser opens a file in what the user reads such files with.
func (h *Host) openInBrowser(ctx context.Context, file string) error {
	command := []string{"xdg-open", file}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", file}
	}
	started := exec.CommandContext(ctx, command[0], command[1:]...)
	started.Dir, started.Env = h.Dir, h.Environ
	if err := started.Start(); err != nil {
		return err
	}
	go func() { _ = started.Wait() }() // its status says little
	return nil
}
