// Package toolrun gives a program the tools of this module, ready to be called by a model: code in a sandbox, a memory and
// files, and whatever tools the program has itself.
//
//	runner, err := toolrun.Open(ctx, nil)
//	defer runner.Close()
//	session, err := runner.Session("notes", nil)
//	tools, err := session.Definitions(registry.Anthropic, nil) // the request's "tools"
//	messages, err := session.Do(ctx, registry.Anthropic, response)
//
// The response is the body of what a provider's API has answered, and messages is what to append to the conversation behind
// it, or nil if the model has called nothing.
//
// A [Runner] is what a process needs once: an engine, a store of projects and a registry of tools. A [Session] works on the
// files of one project; an agent has one, and so has each of many users of a server.
//
// # What is below
//
// The package adds nothing to what the others can do, and hides nothing of it: [Runner.Registry], [Runner.Store],
// [Runner.Engine], [Session.Project] and [Session.Env] lead there. What calls may do, how they are checked and what their limits
// are is said in package registry, and how providers' messages are read and made in package provider.
//
// A streamed response is read by a provider.Stream, and its calls go to [Session.DispatchAll]:
//
//	calls, err := stream.Calls()
//	results, err := session.DispatchAll(ctx, calls)
//	messages, err := provider.Results(registry.Anthropic, results)
//
// # Errors
//
// A call that fails is no error here. The model is told what was wrong with it, and the loop goes on. Errors are what the model
// can do nothing about: a response that is none, a project that has been deleted, a session that has been closed.
package toolrun

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
)

// ErrClosed is returned by what is asked of a [Runner] or a [Session] after it has been closed. It is also the cause of the context
// of calls that closing has stopped.
var ErrClosed = errors.New("toolrun: closed")

// Options say what a [Runner] has. The zero value has safe defaults.
type Options struct {
	// DataDir is a directory of the host that keeps the projects, in its folder projects, as the command does with --data. It is made
	// if it is not there. Several processes can use the same one. Empty means that projects are in memory, and gone when the
	// runner is closed.
	DataDir string
	// Projects says what a project may hold, and what it remembers.
	Projects vfs.Options
	// Engine says how scripts are run: how many at once, and where compiled code is kept, without which each start takes
	// about a second of a processor.
	Engine sandbox.EngineOptions
	// Tools are there beside memory, javascript and filesystem, whose names they cannot have.
	Tools []registry.Tool
	// Middleware sees all calls, the first one outermost.
	Middleware []registry.Middleware
}

// A Runner has what tools are made of, and the sessions that use it. It is safe for concurrent use.
type Runner struct {
	registry *registry.Registry
	store    *vfs.Store
	engine   *sandbox.Engine
	projects vfs.Options
	close    func() error

	mu       sync.Mutex
	closed   bool
	sessions map[*Session]bool
}

// Open makes a runner. It starts the engine, so that what is wrong with the host is known at once and no call has to wait for
// that; the context is for this only. The error is a [*registry.ToolError] if a tool is not as it must be.
func Open(ctx context.Context, options *Options) (*Runner, error) {
	var o Options
	if options != nil {
		o = *options
	}
	r := &Runner{projects: o.Projects, sessions: map[*Session]bool{}}
	r.close = sync.OnceValue(r.shut)
	var err error
	r.registry, err = registry.New(
		memory.New(),
		javascript.New(func(context.Context) (*sandbox.Engine, error) { return r.engine, nil }, nil),
		filesystem.New(),
	)
	if err == nil {
		r.registry, err = r.registry.With(o.Tools...)
	}
	if err != nil {
		return nil, err
	}
	r.registry = r.registry.Using(o.Middleware...)
	if o.DataDir == "" {
		r.store = vfs.NewMemoryStore(&o.Projects)
	} else if r.store, err = vfs.OpenStore(filepath.Join(o.DataDir, "projects"), &o.Projects); err != nil {
		return nil, err
	}
	if r.engine, err = sandbox.NewEngine(ctx, &o.Engine); err != nil {
		return nil, errors.Join(err, r.store.Close())
	}
	return r, nil
}

// Session opens a project of the store, which begins to exist with that, for an agent to work on. A project can have several
// sessions. The error is a [*vfs.InvalidIDError] or a [*vfs.NameConflictError] if the id is not one, or [ErrClosed].
func (r *Runner) Session(project string, options *SessionOptions) (*Session, error) {
	return r.open(project, true, options, func() (*vfs.Project, error) { return r.store.Open(project) })
}

// DirSession is Session on the files in a directory of the host, with all that is in it and nothing outside of it. What is there
// does not count for the quota, and the directory has no say in what is enabled, since its files can be anybody's. Its id is
// the name of the directory.
func (r *Runner) DirSession(dir string, options *SessionOptions) (*Session, error) {
	o := r.projects
	o.Quota.Growth = true
	name := dir
	if whole, err := filepath.Abs(dir); err == nil {
		name = whole // "." is no name
	}
	return r.open(filepath.Base(name), false, options, func() (*vfs.Project, error) { return vfs.OpenDir(dir, &o) })
}

func (r *Runner) open(id string, stored bool, options *SessionOptions, open func() (*vfs.Project, error)) (*Session, error) {
	if r.isClosed() {
		return nil, ErrClosed
	}
	project, err := open()
	if err != nil {
		if r.isClosed() { // meanwhile
			return nil, ErrClosed
		}
		return nil, err
	}
	s := newSession(r, project, id, stored, options)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.Join(ErrClosed, project.Close())
	}
	r.sessions[s] = true
	return s, nil
}

func (r *Runner) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Registry returns the tools, with the middleware. It is for what sessions do not offer; [Session.Env] is what to call it with.
func (r *Runner) Registry() *registry.Registry { return r.registry }

// Store returns the store of the projects, to list, delete and measure them.
func (r *Runner) Store() *vfs.Store { return r.store }

// Engine returns the engine, for scripts of the program's own.
func (r *Runner) Engine() *sandbox.Engine { return r.engine }

// Close closes all sessions, and then what they have used. Calls that are under way are stopped, as [Session.Close] says; a
// program that wants to let them end waits for them first. Closing again waits for the first time and returns the same.
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
	return errors.Join(append(errs, r.engine.Close(context.Background()), r.store.Close())...)
}
