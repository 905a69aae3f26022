package toolrun

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

// SessionOptions say what the calls of a session may do. The zero value enables what is enabled by default and what has been
// chosen for the project, and grants nothing.
type SessionOptions struct {
	// Chat says which conversation it is; tools may put it into what they return.
	Chat string
	// Client is who makes the calls, if several do for a project: see [registry.Env].
	Client string
	// IgnoreSettings leaves aside what has been chosen for the project.
	IgnoreSettings bool
	// Select, if not nil, gets what has been chosen for the project, and returns which tools are enabled, how they are set and what
	// they may use. It is asked each time, by several goroutines at once if sessions are used so.
	Select func(registry.Selection) registry.Selection
	// Limits are for each call. How long all calls of a response may take is for the context to say.
	Limits registry.Limits
	// Progress and Logger are as in [registry.Env].
	Progress func(registry.Progress)
	Logger   *slog.Logger
}

// A Session does the calls of models on the files of one project. It keeps nothing of a conversation. It is safe for concurrent
// use; calls that are made at once share the files. Who does not need it any more closes it: until then, or until the runner is
// closed, it is kept with its open files.
type Session struct {
	runner  *Runner
	project *vfs.Project // nil if there is none
	id      string
	options SessionOptions
	calls   calls
	close   func() error
}

func newSession(r *Runner, project *vfs.Project, id string, options *SessionOptions) *Session {
	s := &Session{runner: r, project: project, id: id}
	if options != nil {
		s.options = *options
	}
	s.close = sync.OnceValue(s.shut)
	return s
}

// Definitions returns the tools that are enabled, as a request to an API has them: see [provider.Definitions]. They change
// when another choice is made for the project.
func (s *Session) Definitions(api registry.API, options *provider.Options) (json.RawMessage, error) {
	env, err := s.Env()
	if err != nil {
		return nil, err
	}
	return provider.Definitions(s.runner.Registry(), api, env.Selection, options)
}

// SystemPrompt returns what the tools that are enabled add to the system prompt, or "".
func (s *Session) SystemPrompt(ctx context.Context, api registry.API) (string, error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	env, err := s.Env()
	if err != nil {
		return "", err
	}
	return s.runner.Registry().SystemPrompt(ctx, api, env)
}

// Do does the calls in what a model has answered, in order, and returns the messages with their results, as a JSON array to be
// appended to the conversation: see [provider.Calls] and [provider.Results]. They are nil if there are no calls.
//
// Each call has a result, whatever happens to it: also when the context ends, after which the others are not begun and the model is
// told so. An error means that no call has been made, because the response cannot be used, the choice that has been made for
// the project cannot be read (vfs.ErrDeleted if the project is no more), or the session is closed.
func (s *Session) Do(ctx context.Context, api registry.API, response []byte) (json.RawMessage, error) {
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

// DispatchAll does calls as Do does, and returns their results in the same order: see [registry.Registry.DispatchAll]. It is for
// calls of a stream, and for who wants to see the results.
func (s *Session) DispatchAll(ctx context.Context, calls []registry.Call) ([]registry.Result, error) {
	ctx, end, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	env, err := s.Env()
	if err != nil {
		return nil, err
	}
	return s.runner.Registry().DispatchAll(ctx, calls, env), nil
}

// Env returns what calls of the session may touch, with what has been chosen for the project by now. Calls that are made with
// it by [Runner.Registry] are not waited for by Close.
func (s *Session) Env() (registry.Env, error) {
	_, end, err := s.calls.begin(context.Background())
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
	}
	if s.project != nil {
		env.Files = s.project
	}
	env.Selection.NoProject = s.project == nil
	if s.project != nil && !s.options.IgnoreSettings {
		stored, err := s.project.Settings()
		if err == nil {
			env.Selection.Settings, _, err = registry.ParseSettings(stored)
		}
		if err != nil {
			return registry.Env{}, fmt.Errorf("project %s: %w", s.id, err)
		}
	}
	if s.options.Select != nil {
		env.Selection = s.options.Select(env.Selection)
	}
	return env, nil
}

// Source is Env with the tools that there are now, as [mcpserver.New] takes it.
//
// [mcpserver.New]: https://pkg.go.dev/github.com/toolrun/toolrun/mcp/mcpserver#New
func (s *Session) Source(context.Context) (*registry.Registry, registry.Env, error) {
	env, err := s.Env()
	return s.runner.Registry(), env, err
}

// Project returns the files of the project, to read and to change them, and to undo what a call has done, by its id; nil if the
// session has none. It is closed with the session.
func (s *Session) Project() *vfs.Project { return s.project }

// Close stops the calls that are under way, whose results say so, and waits for their end. That is soon, since a tool that
// goes on is left behind without its files after half a second, unless middleware keeps it. Then it closes the project's files.
func (s *Session) Close() error { return s.close() }

func (s *Session) shut() error {
	s.calls.stop()
	s.calls.running.Wait()
	s.runner.mu.Lock()
	delete(s.runner.sessions, s)
	s.runner.mu.Unlock()
	return s.closeFiles()
}

func (s *Session) closeFiles() error {
	if s.project == nil {
		return nil
	}
	return s.project.Close()
}

// calls are what a session does now, so that it can be stopped.
type calls struct {
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	cancels map[*context.CancelCauseFunc]bool
}

// begin adds something that ends with the session, unless that is closed.
func (c *calls) begin(ctx context.Context) (_ context.Context, end func(), err error) {
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
func (c *calls) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for cancel := range c.cancels {
		(*cancel)(ErrClosed)
	}
}
