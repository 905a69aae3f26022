package toolrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// SessionOptions configure what the calls of a session may do. The zero value enables the default tools and those
// chosen for the project, and grants nothing.
type SessionOptions struct {
	// Chat identifies the conversation; tools may put it into their results.
	Chat string
	// Client identifies who makes the calls, if a project has several clients: see [registry.Env].
	Client string
	// IgnoreSettings ignores the choices stored for the project.
	IgnoreSettings bool
	// OpenMount opens the projects that the settings mount in the session's (see [vfs.OpenMounts]), and the session
	// closes them. Nil means that they are projects of the runner's store.
	OpenMount func(ctx context.Context, project string) (vfs.Project, error)
	// Watched is the store of the project and of those that it mounts, if that is not the runner's: see
	// [Session.Watch].
	Watched vfs.Store
	// Select, if not nil, gets the choices stored for the project and returns those that apply: which tools are
	// enabled, their options and what they may use. It is called for each use, possibly by several goroutines at
	// once. A misspelt rule in its Ask is an error, unless MCP servers may bring its tool later. Options.Warn is told
	// of that, of rules for tools that there are not, and of such rules of the project.
	Select func(registry.Selection) registry.Selection
	// SealKey returns the secret with which tools seal what they keep with the project: see [registry.Env]. Nil means
	// that of the runner's store.
	SealKey func(ctx context.Context) ([]byte, error)
	// Limits apply to each call. Use the context to limit all calls of a response together.
	Limits registry.Limits
	// Dir says how [Runner.DirSession] uses its directory.
	Dir DirOptions
	// HideErrors keeps the texts of tools' unexpected errors from the model: see [registry.Env].
	HideErrors bool
	// Approve decides on calls for which a person's approval is wanted: see [registry.Selection].Ask. Calls for which
	// it decides so, or all if it is nil, wait: see [Session.Resume].
	Approve registry.Approver
	// Waiting keeps calls that wait. Nil means the runner's store. Calls on a project that is neither of that nor a
	// directory ([Runner.DirSession]) wait only with Waiting.
	Waiting *waiting.Keeper
	// Progress and Logger are as in [registry.Env].
	Progress func(tool.Progress)
	Logger   *slog.Logger
}

// DirOptions say how a session uses a directory of the host.
type DirOptions struct {
	// Protect and Unprotect are added to those of the runner's Projects: see [vfs.Options].
	Protect, Unprotect []string
	// ReadOnly refuses all changes. Nothing is written to the directory.
	ReadOnly bool
	// Layer, if not "", is another directory in which all changes are kept, until [vfs.Layer].Apply makes them: see
	// local.OpenLayer. [Session.Project] is a [vfs.Layer] then.
	Layer string
	// History, if not "", is another directory in which the history of changes is kept, instead of ".toolrun" in the
	// directory itself: see local.OpenDirApart. With a Layer, that has it.
	History string
}

// A Session runs a model's calls on the files of one project. It does not store the conversation. It is safe for
// concurrent use; concurrent calls share the files. Close it when done: until then, or until the runner is closed,
// its files stay open.
type Session struct {
	runner  *Runner
	project vfs.Project // nil if there is none
	id      string
	options SessionOptions
	calls   underway
	close   func() error

	// mounts are the projects that have been mounted, by id. noMounts mounts none.
	mu       sync.Mutex
	mounts   map[string]vfs.Project
	noMounts bool
	// inStore says that the project is one of the runner's store.
	inStore bool
	// scope is where calls wait: see [waiting.Store.In]. Without one, they cannot.
	scope string
}

func newSession(r *Runner, project vfs.Project, id string, options *SessionOptions) *Session {
	s := &Session{runner: r, project: project, id: id}
	if options != nil {
		s.options = *options
	}
	s.close = sync.OnceValue(s.shut)
	return s
}

// Definitions returns the enabled tools in the form that an API wants in a request: see [provider.Definitions].
// They change when the project's choices change.
func (s *Session) Definitions(ctx context.Context, api tool.API, options *provider.Options) (json.RawMessage,
	error) {
	env, err := s.Env(ctx)
	if err != nil {
		return nil, err
	}
	return provider.Definitions(s.runner.Registry(), api, env.Selection, options)
}

// SystemPrompt returns what the enabled tools add to the system prompt, or "".
func (s *Session) SystemPrompt(ctx context.Context, api tool.API) (string, error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	env, err := s.Env(ctx)
	if err != nil {
		return "", err
	}
	return s.runner.Registry().SystemPrompt(ctx, api, env)
}

// Do runs the calls in a model's response, in order, and returns the messages with their results, as a JSON array
// to append to the conversation: see [provider.Calls] and [provider.Results]. Without calls it returns nil.
//
// Every call has a result. When the context ends, remaining calls are not begun, and their results tell the model
// so. An error means that no call was made: the response is unusable or ended early (a [*provider.EndError]), the
// project's choices cannot be read (vfs.ErrDeleted if the project was deleted), or the session is closed.
func (s *Session) Do(ctx context.Context, api tool.API, response []byte) (json.RawMessage, error) {
	calls, err := provider.Calls(api, response)
	if err != nil {
		return nil, err
	}
	results, err := s.DispatchAll(ctx, calls)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return provider.Results(api, results)
}

// DispatchAll runs calls as Do does, and returns their results in the same order: see
// [registry.Registry.DispatchAll]. Use it for the calls of a stream, or to inspect the results.
func (s *Session) DispatchAll(ctx context.Context, calls []tool.Call) ([]tool.Result, error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	env, err := s.Env(context.WithoutCancel(ctx)) // so that each call has a result, even if ctx has ended
	if err != nil {
		return nil, err
	}
	return s.runner.Registry().DispatchAll(ctx, calls, env), nil
}

// Env returns the Env of the session's calls, with the project's current choices, which the context limits reading.
// Close does not wait for calls made directly with it through [Runner.Registry].
func (s *Session) Env(ctx context.Context) (registry.Env, error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return registry.Env{}, err
	}
	defer end()
	env := registry.Env{
		Project:  s.id,
		Chat:     s.options.Chat,
		Client:   s.options.Client,
		Limits:   s.options.Limits,
		Progress: s.options.Progress,
		Logger:   s.options.Logger,

		Approve:    s.options.Approve,
		HideErrors: s.options.HideErrors,
		SealKey:    s.options.SealKey,
	}
	if env.SealKey == nil {
		env.SealKey = s.runner.sealKey
	}
	if keeper := s.runs(); keeper != nil {
		env.Waiting = keeper
	}
	env.Selection.NoProject = s.project == nil
	if s.project != nil {
		stored, err := s.settings(ctx)
		if err == nil && !s.options.IgnoreSettings {
			env.Selection.Settings, _, err = registry.ParseSettings(stored)
		}
		if err == nil {
			env.Files, err = s.mounted(ctx, stored)
		}
		if ctx.Err() != nil { // closed meanwhile
			return registry.Env{}, context.Cause(ctx)
		}
		if err != nil {
			return registry.Env{}, fmt.Errorf("project %s: %w", s.id, err)
		}
	}
	rules, err := network.RulesOf(env.Selection.Settings.Field(network.SettingsField))
	if err == nil {
		env.Selection.Network, err = s.runner.gates.get(s.gateKey(), s.id, rules)
	}
	if err != nil {
		return registry.Env{}, fmt.Errorf("project %s: %w", s.id, err)
	}
	if s.options.Select != nil {
		env.Selection = s.options.Select(env.Selection)
	}
	if err := s.runner.checkAsk(s.id, &env.Selection); err != nil {
		return registry.Env{}, err
	}
	env.Checkpoint = env.Selection.Settings.Checkpoint
	return env, nil
}

// gateKey identifies the project among those of the runner. Only the store's ids do.
func (s *Session) gateKey() any {
	if s.inStore {
		return s.id
	}
	return s
}

// settings returns what is stored for the project, as far as the session takes notice of it.
func (s *Session) settings(ctx context.Context) ([]byte, error) {
	if s.options.IgnoreSettings && s.noMounts {
		return nil, nil
	}
	stored, err := s.project.Settings(ctx)
	if s.options.IgnoreSettings && (err != nil || !json.Valid(stored)) {
		return nil, nil
	}
	return stored, err
}

// mounted returns the project with what its settings mount.
func (s *Session) mounted(ctx context.Context, settings []byte) (vfs.Project, error) {
	if s.noMounts {
		return s.project, nil
	}
	list, err := vfs.ParseMounts(settings)
	if err != nil {
		return nil, err
	}
	return vfs.OpenMounts(s.project, s.id, list, func(m vfs.Mount) (vfs.Project, error) {
		return s.mount(ctx, m.Project)
	})
}

// mount opens a project once.
func (s *Session) mount(ctx context.Context, id string) (vfs.Project, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	project := s.mounts[id]
	if project == nil {
		open := s.options.OpenMount
		if open == nil {
			open = s.runner.store.OpenExisting
		}
		var err error
		if project, err = open(ctx, id); err != nil {
			return nil, err
		}
		if s.mounts == nil {
			s.mounts = map[string]vfs.Project{}
		}
		s.mounts[id] = project
	}
	return keptOpen{project}, nil
}

// keptOpen is a project that the session closes.
type keptOpen struct{ vfs.Project }

func (keptOpen) Close() error { return nil }

// Files returns the project as calls see it, with the projects that its settings mount; nil if the session has none. It
// is closed with the session. Its Undo undoes what a call has changed in any of them.
func (s *Session) Files(ctx context.Context) (vfs.Project, error) {
	env, err := s.Env(ctx)
	if err != nil || env.Files == nil {
		return nil, err
	}
	return env.Files.(vfs.Project), nil
}

// Watch calls changed when files of the project, or of one that it mounts, may have changed, by this process or
// another. It returns when the context ends, with its error, or when it can no longer tell. The error is
// [errors.ErrUnsupported] if the project's store cannot tell. It can be the Watch of a server's options in
// package mcpserver.
func (s *Session) Watch(ctx context.Context, changed func()) error {
	store := s.options.Watched
	if store == nil && s.inStore {
		store = s.runner.store
	}
	if store == nil {
		return errors.ErrUnsupported
	}
	return store.WatchProjects(ctx, func(id string) {
		s.mu.Lock()
		ours := id == "" || id == s.id || s.mounts[id] != nil
		s.mu.Unlock()
		if ours {
			changed()
		}
	})
}

// Source returns the current tools and the session's Env. It is a source for [mcpserver.New].
//
// [mcpserver.New]: https://pkg.go.dev/github.com/toolrun/toolrun/mcp/mcpserver#New
func (s *Session) Source(ctx context.Context) (*registry.Registry, registry.Env, error) {
	env, err := s.Env(ctx)
	return s.runner.Registry(), env, err
}

// Project returns the files of the project itself, to read and to change them, and to undo what a call has done, by its
// id; nil if the session has none. It is closed with the session.
func (s *Session) Project() vfs.Project { return s.project }

// Close stops running calls, whose results say so, and waits until they end. That takes about half a second at
// most, unless middleware holds them up: a tool that does not stop is left behind without its files. Then it closes
// the project's files.
func (s *Session) Close() error { return s.close() }

func (s *Session) shut() error {
	s.calls.stop()
	s.calls.running.Wait()
	s.runner.mu.Lock()
	delete(s.runner.sessions, s)
	s.runner.mu.Unlock()
	if !s.inStore {
		s.runner.gates.drop(s)
	}
	return s.closeFiles()
}

func (s *Session) closeFiles() error {
	if s.project == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, p := range s.mounts {
		errs = append(errs, p.Close())
	}
	return errors.Join(append(errs, s.project.Close())...)
}

// underway is what a session does now, so that it can be stopped.
type underway struct {
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	cancels map[*context.CancelCauseFunc]bool
}

// begin adds something that ends with the session, unless that is closed.
func (c *underway) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if c.cancels == nil {
		c.cancels = map[*context.CancelCauseFunc]bool{}
	}
	c.cancels[&cancel] = true
	c.running.Add(1)
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		delete(c.cancels, &cancel)
		c.mu.Unlock()
		c.running.Done()
	}, nil
}

// stop lets nothing begin any more, and tells what is under way to end.
func (c *underway) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for cancel := range c.cancels {
		(*cancel)(ErrClosed)
	}
}
