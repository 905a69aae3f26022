// Package toolrun runs the tools that an AI model calls. Untrusted code runs in a sandbox with hard limits, sees only
// one project's files, and every change can be undone.
//
//	runner, err := toolrun.Open(ctx, nil)
//	defer runner.Close()
//	session, err := runner.Session(ctx, "notes", nil)
//	tools, err := session.Definitions(ctx, tool.Anthropic, nil) // the "tools" of the request
//	messages, err := session.Do(ctx, tool.Anthropic, response)
//
// The response is the body of the provider's answer. The messages hold the results: append them to the conversation and
// ask again. They are nil if the model has called nothing.
//
// A process needs one [Runner]: it has the tools, the store of projects, the engine that runs code, and connections to
// MCP servers. A [Session] works on the files of one project; each agent, or each user of a server, has one.
//
// # Your own tools
//
// A tool is a Go function with typed arguments:
//
//	weather := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
//		func(ctx context.Context, in struct{ City string }, env tool.Env) (string, error) {
//			return "15 °C in " + in.City, nil
//		})
//	runner, err := toolrun.Open(ctx, &toolrun.Options{Tools: []tool.Tool{weather}})
//
// Package tool says what else a tool can have: options, files, progress, calls of other tools.
//
// # Limits
//
// Everything has a limit that is safe by default, and zero means that default. A call has 10 seconds
// ([tool.Spec].Timeout) and a text of 32 KiB, beyond which the text goes into a file ([registry.Limits]). A project has
// 256 MiB in 10,000 files, and 64 MiB of history ([vfs.Options]). An engine runs 16 scripts at once
// ([sandbox.EngineOptions]). Code can make no requests until [Options].Network allows some.
//
// # The packages below
//
//   - registry: tools, calls, limits, permissions and middleware. [Runner.Registry] and [Session.Env] lead there.
//   - provider: definitions, calls and results as the APIs of model providers write them.
//   - vfs: projects and their history. [Runner.Store] and [Session.Project] lead there.
//   - network: which requests code may make.
//   - runtime (experimental): the sandbox, and the languages in it. [Runner.Interpreter] leads there. Go has a
//     package of the same name, so import it as sandbox "github.com/toolrun/toolrun/runtime".
//   - mcp/mcpserver: serves a session to MCP clients: mcpserver.New(ctx, session.Source, nil).
//   - web: the page, on which people see and undo what models do: web.New(runner, nil).
//
// What is experimental can change with any version, and so can the fields of [Options] that have its types.
//
// [Session.Loop] asks until there is an answer. A provider.Stream reads a streamed response; its calls go to
// [Session.DispatchAll]:
//
//	calls, err := stream.Calls()
//	results, err := session.DispatchAll(ctx, calls)
//	messages, err := provider.Results(tool.Anthropic, results)
//
// # Errors
//
// A call that fails is not a Go error: its result tells the model what was wrong, and the loop goes on. Errors are
// for what the model cannot repair: a malformed response, a deleted project, a closed session.
package toolrun

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// ErrClosed is the error of a [Runner] or a [Session] that is used after it was closed. It is also the cause of the
// contexts of calls that closing has stopped.
var ErrClosed = errors.New("toolrun: closed")

// Options configure a [Runner]. The zero value has safe defaults.
type Options struct {
	// DataDir keeps projects: a directory, or what one of Stores opens. Several processes can use the same one. Empty
	// means that projects are in memory, and gone when the runner is closed.
	DataDir string
	// Stores open a DataDir that is not a directory; the first that knows it does. To keep projects in a database, give
	// [postgres.Opener], or [partition.Opener] for several databases. Other programs do not link these packages.
	//
	// [postgres.Opener]: https://pkg.go.dev/github.com/toolrun/toolrun/vfs/postgres#Opener
	// [partition.Opener]: https://pkg.go.dev/github.com/toolrun/toolrun/vfs/partition#Opener
	Stores []vfs.Opener
	// Store keeps the projects instead of DataDir. The caller closes it, after the runner.
	Store vfs.Store
	// Projects limits what a project of DataDir, of memory, or of [Runner.DirSession] may hold and remember.
	Projects vfs.Options

	// Engine runs code. Several runners can share one, which the caller closes, after the runners. Nil means that the
	// runner has an engine of its own. Either is loaded when code runs for the first time.
	Engine *sandbox.Engine
	// EngineOptions configure the runner's own engine. With a CacheDir it starts in some 40 ms, without one it takes
	// about a second of a processor. A CacheDir that cannot be used is a warning, unless there is a CacheFailed.
	EngineOptions sandbox.EngineOptions
	// Languages are those that code can be written in, with a tool each. Nil means [DefaultLanguages]. One that needs a
	// build ([code.Language].Build) is left out if there is none.
	Languages []code.Language
	// Script configures their tools: the name of the code in stack traces, its arguments and standard input.
	Script code.Options

	// Modules is the directory of the WebAssembly modules that the operator has added as tools: see package
	// tools/module. Empty means the folder modules of DataDir, if there is one. A module that cannot be used is left
	// out, with a warning, and so is one with the name of another tool.
	Modules string

	// Network is which requests code can make, in all projects; a project's settings can have more rules
	// ([network.SettingsField]). Nil allows none beside those. Do not change it afterwards.
	Network *network.Policy
	// NetworkAudit, if not nil, gets a record of each request, also of those that are refused and of each redirect. It
	// can be called by several goroutines at once.
	NetworkAudit func(network.Record)

	// Packages, if not nil, is where packages of pure Python come from that are added to projects: by
	// [Session.AddPackages], by people on the page, and by models where the tool python_packages has been switched on.
	// Nil means that none can be added.
	Packages *PackageIndex

	// Tools are added to memory, javascript and filesystem. One with the name of a built-in tool replaces it.
	Tools []tool.Tool
	// Waiting says how calls are kept that wait for a person's approval, if the store keeps records
	// ([vfs.RecordStore]).
	Waiting waiting.Options
	// NoteCalls notes all calls, so that people see and stop them while they run: on a page of this program, with what
	// their code prints, and, if they are of a session that can let calls wait, on pages and with the commands of other
	// programs that have the same store. It costs a write to the store each second in which calls begin or end, and up
	// to 64 MiB of memory in a program that has a page. The default is that a page shows the calls that it makes, and
	// what others have changed.
	NoteCalls bool
	// NoteFailed, if not nil, gets the errors of noting calls in the store, which stop no call. It can be called by
	// several goroutines at once.
	NoteFailed func(error)
	// Middleware sees all calls, the first one outermost.
	Middleware []registry.Middleware

	// Servers are MCP servers whose tools are added, too, while they are connected: see [mcpclient.ParseConfig].
	Servers mcpclient.Config
	// ServerOptions configure the connections. Base is the runner's.
	ServerOptions mcpclient.Options

	// Warn, if not nil, gets what works less well than it should: servers that cannot be reached when the runner is
	// opened or do not have tools that the configuration names, compiled code that cannot be kept, rules for approvals
	// that are for no tool. It can be called by several goroutines at once.
	Warn func(error)
}

// A Runner is the tools and what they are made of, and the sessions that use them. It is safe for concurrent use.
type Runner struct {
	given     Options        // its store and engine are not the runner's to close
	servers   *mcpclient.Set // has the runner's own tools as well
	store     vfs.Store
	engine    *sandbox.Engine
	languages []language
	installer code.Installer // nil if no packages can be added
	gates     gates
	runs      *waiting.Store
	calls     *calls.Log // nil if none are noted
	close     func() error

	// key is the secret of the store, once it has been asked for.
	key atomic.Pointer[[]byte]

	mu       sync.Mutex
	closed   bool
	sessions map[*Session]bool
	warned   map[string]bool // what checkAsk has warned of
}

// Open makes a runner. The context limits opening the store and connecting to the MCP servers. Those that do not
// answer are left out until they do. The error is a [*registry.ToolError] if a tool is malformed, a
// [*mcpclient.ConfigError] if the configuration of the servers is, and otherwise that of the store:
// [errors.ErrUnsupported] if DataDir is a URL that none of Stores opens.
func Open(ctx context.Context, options *Options) (_ *Runner, err error) {
	r := &Runner{sessions: map[*Session]bool{}}
	if options != nil {
		r.given = *options
	}
	o := &r.given
	if err := o.Network.Check(); err != nil {
		return nil, err
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	r.gates = gates{policy: o.Network, audit: o.NetworkAudit}
	r.close = sync.OnceValue(r.shut)
	defer func() {
		if err != nil {
			err = errors.Join(err, r.closeOwn())
		}
	}()
	if r.engine, err = o.openEngine(); err != nil {
		return nil, err
	}
	if r.store, err = o.openStore(ctx); err != nil {
		return nil, err
	}
	if o.NoteCalls {
		r.calls = calls.New(r.store, o.NoteFailed)
	}
	modules := o.modules()
	r.languages = o.openLanguages(r.engine, modules)
	tools, err := r.tools(modules)
	if err != nil {
		return nil, err
	}
	if r.runs, err = waiting.New(r.store, &o.Waiting); err != nil {
		return nil, err
	}
	if r.servers, err = o.openServers(ctx, tools); err != nil {
		return nil, err
	}
	return r, nil
}

// Session opens a project of the store, and makes it if it is missing. A project can have several sessions. The
// context limits opening. The error is a [*vfs.InvalidIDError] or a [*vfs.NameConflictError] if the project cannot have
// this id, or [ErrClosed].
func (r *Runner) Session(ctx context.Context, project string, options *SessionOptions) (*Session, error) {
	if r.isClosed() {
		return nil, ErrClosed
	}
	files, err := r.store.Open(ctx, project)
	if err != nil {
		if r.isClosed() { // meanwhile
			return nil, ErrClosed
		}
		return nil, err
	}
	s := newSession(r, files, project, options)
	s.inStore, s.scope = true, waiting.ProjectScope(project)
	return r.start(s)
}

// DirSession is Session on the files in a directory of the host, and nothing outside of it. Its id is the name of the
// directory. Existing files do not count for the quota. What other programs may execute, such as .git and the
// configuration of editors, is protected ([vfs.ProtectedNames]), unless [SessionOptions].Dir says otherwise.
//
// The directory's files can be anybody's, so they decide nothing: there are no settings
// ([SessionOptions].IgnoreSettings), and the tool javascript runs no libraries from /lib, unless the Select of the
// options sets its option loadLib (see [code.Language].Careful).
func (r *Runner) DirSession(dir string, options *SessionOptions) (*Session, error) {
	o := r.given.Projects
	o.Quota.Growth = true
	name := dir
	if whole, err := filepath.Abs(dir); err == nil {
		name = whole // "." is not a name
	}
	var ignoring SessionOptions
	if options != nil {
		ignoring = *options
	}
	ignoring.IgnoreSettings = true
	o.Protect = slices.Concat(o.Protect, ignoring.Dir.Protect)
	o.Unprotect = slices.Concat(o.Unprotect, ignoring.Dir.Unprotect)
	o.ReadOnly = o.ReadOnly || ignoring.Dir.ReadOnly
	ignoring.Select = func(s registry.Selection) registry.Selection {
		if options != nil && options.Select != nil {
			s = options.Select(s)
		}
		for _, l := range r.languages {
			for option, value := range l.Careful {
				if _, set := s.Options[l.Name][option]; !set {
					s = s.WithOption(l.Name, option, value)
				}
			}
		}
		return s
	}
	if r.isClosed() {
		return nil, ErrClosed
	}
	var project vfs.Project
	var err error
	switch {
	case ignoring.Dir.Layer != "":
		project, err = local.OpenLayer(dir, ignoring.Dir.Layer, &o)
	case ignoring.Dir.History != "":
		project, err = local.OpenDirApart(dir, ignoring.Dir.History, &o)
	default:
		project, err = local.OpenDir(dir, &o)
	}
	if err != nil {
		return nil, err
	}
	s := newSession(r, project, filepath.Base(name), &ignoring)
	s.noMounts, s.scope = true, waiting.DirectoryScope(name)
	return r.start(s)
}

// ProjectSession is Session on a project that the caller has opened, for example from another store. The session closes
// the project; if there is an error, it has been closed. The project can be nil: tools that need files are not enabled
// then.
func (r *Runner) ProjectSession(id string, project vfs.Project, options *SessionOptions) (*Session, error) {
	return r.start(newSession(r, project, id, options))
}

// start adds a session to those that Close closes.
func (r *Runner) start(s *Session) (*Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.Join(ErrClosed, s.closeFiles())
	}
	r.sessions[s] = true
	return s, nil
}

func (r *Runner) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Registry returns the tools that there are now, with the middleware: another value when MCP servers come and go. It
// is for what sessions do not offer; [Session.Env] is what to call it with.
func (r *Runner) Registry() *registry.Registry { return r.servers.Registry() }

// Changed returns a channel that is closed when Registry begins to return another value than it does now. To miss
// nothing, ask for the channel first.
func (r *Runner) Changed() <-chan struct{} { return r.servers.Changed() }

// Servers returns how the connection to each MCP server is.
func (r *Runner) Servers() []mcpclient.Status { return r.servers.Status() }

// Store returns the store of the projects, to list, delete and measure them.
func (r *Runner) Store() vfs.Store { return r.store }

// Waiting returns the calls that wait for approval in the runner's store, to list them and decide on them.
// [Session.Resume] goes on with them.
func (r *Runner) Waiting() *waiting.Store { return r.runs }

func init() { calls.Of = func(runner any) *calls.Log { return runner.(*Runner).calls } }

// Languages returns the languages of the options, also those of which there is no build.
func (r *Runner) Languages() (all []code.Language) {
	for _, l := range r.languages {
		all = append(all, l.Language)
	}
	return all
}

// Interpreter returns what runs code of a language, for code of the program's own, and loads it if that has not been
// done. The context limits loading. A program that wants to know at once whether code can run, or no call to wait, asks
// for it after Open.
func (r *Runner) Interpreter(ctx context.Context, name string) (code.Interpreter, error) {
	if r.isClosed() {
		return nil, ErrClosed
	}
	for _, l := range r.languages {
		switch {
		case l.Name != name:
		case l.load == nil:
			return nil, fmt.Errorf("there is no %s here; get it with: toolrun module add %s", l.Title, l.Module)
		default:
			return l.load(ctx)
		}
	}
	return nil, fmt.Errorf("no tool of this program is %s", name)
}

// sealKey returns the secret with which tools seal what they keep with projects: that of the store.
func (r *Runner) sealKey(ctx context.Context) ([]byte, error) {
	if key := r.key.Load(); key != nil {
		return *key, nil
	}
	key, err := vfs.SealKey(ctx, r.store)
	if err != nil {
		return nil, err
	}
	r.key.CompareAndSwap(nil, &key)
	return *r.key.Load(), nil
}

// Engine returns the engine that code runs on, for another runner to share.
func (r *Runner) Engine() *sandbox.Engine { return r.engine }

// Close closes all sessions, and then what they have used: connections to MCP servers, the engine and the store,
// except those that the options gave. Calls that are under way are stopped, as [Session.Close] says; a program that
// wants them to end waits for them first. Closing again waits for the first time and returns the same.
func (r *Runner) Close() error { return r.close() }

func (r *Runner) shut() error {
	r.mu.Lock()
	r.closed = true
	var sessions []*Session
	for s := range r.sessions {
		sessions = append(sessions, s)
	}
	r.mu.Unlock()
	for _, s := range sessions { // so that those that come later need not wait for the first ones
		s.calls.stop()
	}
	var errs []error
	for _, s := range sessions {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, r.servers.Close(), r.closeOwn())...)
}

// closeOwn closes what the options have not given.
func (r *Runner) closeOwn() error {
	var errs []error
	r.gates.close()
	if r.calls != nil {
		r.calls.Close()
	}
	if r.given.Engine == nil && r.engine != nil {
		errs = append(errs, r.engine.Close(context.Background()))
	}
	if r.given.Store == nil && r.store != nil {
		errs = append(errs, r.store.Close())
	}
	return errors.Join(errs...)
}
