// Package service has the operations that people and clients ask for, whatever door they come by: the command, the page
// and its API, or MCP. Each is in one place, and checks the rights of whoever asks.
//
//	desk, err := service.New(runner, nil)
//	s := desk.Open(&service.Access{Name: "ada", Role: service.Person, Project: "notes"})
//	list, err := s.ListFiles(ctx, service.ListFilesRequest{Project: "notes", Path: "/"})
//
// What is fetched is looked up within the access: a project, a call or a session of others is one that does not exist.
// Errors are explained by [Explain].
package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"strings"
	"sync"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/vfs"
)

// Options configure a [Desk]. The zero value serves the runner's projects.
type Options struct {
	// Store has the projects. Nil means the runner's.
	Store vfs.Store
	// Dir, if not "", is a directory of the host that is the only project, under its name, instead of the store's: see
	// [toolrun.Runner.DirSession]. Tools cannot be chosen for it.
	Dir        string
	DirOptions toolrun.DirOptions
	// Client, if not nil, returns the access of a client of calls, or nil: a call that has waited goes on with that,
	// and not with that of whoever has decided.
	Client func(client string) *Access
	// Select, if not nil, changes what is chosen for a project, such as by flags, for calls of the desk.
	Select func(registry.Selection) registry.Selection
	// Limits are those of the calls that the desk makes.
	Limits registry.Limits
	// SealKey returns the secret that seals sessions of code. Nil means the store's.
	SealKey func(ctx context.Context) ([]byte, error)
	// Modules are the modules that are listed. Nil means none.
	Modules *module.Store
	// Logger gets records for the host. Nil logs nothing.
	Logger *slog.Logger
}

// A Desk is what the operations share, whoever asks for them. It is safe for concurrent use.
type Desk struct {
	runner  *toolrun.Runner
	options Options
	waiting *waiting.Store // of the store
	only    string         // the name of the directory of the options, or ""
	log     *calls.Log
	ownLog  bool // the runner notes no calls, and the desk those that it makes
	making  *made
	watches *watches
	recents recents

	ctx     context.Context
	end     context.CancelCauseFunc
	working sync.WaitGroup
}

// New makes the desk of a runner, which must outlast it. Without a runner it loads nothing and has no tools: it is for
// the operations that use the Files of an [Access], and refuses others as unavailable.
func New(runner *toolrun.Runner, options *Options) (*Desk, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Limits.Timeout < 0 && o.Limits.Timeout != tool.NoTimeout {
		return nil, errors.New("the time of calls is negative")
	}
	d := &Desk{runner: runner, making: newMade()}
	if o.Store == nil && runner != nil {
		o.Store, d.waiting = runner.Store(), runner.Waiting()
	} else if o.Store != nil {
		var err error
		if d.waiting, err = waiting.New(o.Store, nil); err != nil {
			return nil, err
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d.options = o
	if runner != nil {
		d.log = calls.Of(runner)
	}
	if d.ownLog = d.log == nil; d.ownLog {
		d.log = calls.New(nil, nil)
	}
	d.log.Remember()
	if o.Dir != "" {
		if err := d.useDir(); err != nil {
			return nil, err
		}
	}
	d.ctx, d.end = context.WithCancelCause(context.Background())
	d.watches = newWatches(d)
	d.recents.by = map[watchKey]*recent{}
	return d, nil
}

// Ended is closed when Shutdown is called.
func (d *Desk) Ended() <-chan struct{} { return d.watches.ended }

// Shutdown ends what follows calls and projects, lets no call begin, and waits for those that run until the context
// ends; then it stops them.
func (d *Desk) Shutdown(ctx context.Context) error {
	d.making.close()
	d.watches.close()
	done := make(chan struct{})
	go func() {
		d.working.Wait()
		close(done)
	}()
	select {
	case <-done:
		d.end(toolrun.ErrClosed)
		return nil
	case <-ctx.Done():
		d.end(toolrun.ErrClosed)
		<-done
		return ctx.Err()
	}
}

// A Service is the operations for somebody. It is safe for concurrent use.
type Service struct {
	*Desk
	access *Access
}

// Open returns the operations as somebody may use them.
func (d *Desk) Open(access *Access) *Service { return &Service{d, access} }

// Nothing is a request or an answer without content.
type Nothing struct{}

// InProject is the request of operations on a project as a whole.
type InProject struct {
	Project string `json:"project" jsonschema:"the name of the project"`
}

// store is the store of what somebody may use.
func (s *Service) store() vfs.Store {
	if s.access.Store != nil {
		return s.access.Store
	}
	return s.options.Store
}

// errNoRunner refuses what a desk without a runner cannot do.
var errNoRunner = &Error{Code: "unavailable", Message: "this needs tools and a store of projects, which are not here"}

// ready returns an error if the desk has no runner.
func (d *Desk) ready() error {
	if d.runner == nil {
		return errNoRunner
	}
	return nil
}

// allowed returns an error if somebody has no such right, or if nobody can use it at this desk: without a runner, only
// files that are open can be read and written.
func (s *Service) allowed(right Right) error {
	if err := s.access.May(right); err != nil || right&^(Read|Write) == 0 {
		return err
	}
	return s.ready()
}

// may returns an error if somebody has no such right in a project. Of a project that is not theirs it is the same as of
// one that does not exist.
func (s *Service) may(right Right, id string) error {
	if err := s.allowed(right); err != nil {
		return err
	}
	if s.access.Files == nil { // a directory can have any name
		if err := vfs.CheckID(id); err != nil {
			return Bad("project", "%v", err)
		}
	}
	if only := s.Project(); only != "" && only != id || only == "" && s.access.Session != nil {
		return missing(id)
	}
	return nil
}

// Project is the only project that somebody may use. Empty means all of them.
func (s *Service) Project() string { return cmp.Or(s.access.Project, s.only) }

// MayUse returns an error if a project is not somebody's to use, or cannot exist.
func (s *Service) MayUse(id string) error { return s.may(0, id) }

// mayIn is may for what needs no files. It also finds out that the project of a token has been deleted.
func (s *Service) mayIn(ctx context.Context, right Right, id string) error {
	if err := s.may(right, id); err != nil || s.access.Session == nil {
		return err
	}
	session, err := s.access.Session(ctx)
	if err != nil {
		return err
	}
	return session.Close()
}

// open opens a project that exists. The caller closes it.
func (s *Service) open(ctx context.Context, right Right, id string) (vfs.Project, error) {
	if err := cmp.Or(s.may(right, id), s.ready()); err != nil {
		return nil, err
	}
	p, err := s.store().OpenExisting(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		if s.access.Project == id || s.access.Makes && right == Settings { // whose tokens make it
			return s.store().Open(ctx, id)
		}
		return nil, missing(id)
	}
	return p, err
}

// session opens a project as calls see it, with what it mounts. The caller closes it.
func (s *Service) session(ctx context.Context, right Right, id string) (*toolrun.Session, error) {
	if err := cmp.Or(s.may(right, id), s.ready()); err != nil {
		return nil, err
	}
	access := s.access
	if access.Session != nil {
		return access.Session(ctx)
	}
	options := &toolrun.SessionOptions{
		Client: access.client(), Waiting: s.keeper(id), OpenMount: s.store().OpenExisting,
		Watched: s.store(), Logger: s.options.Logger,
		SealKey: s.sealKey,
		Select: func(sel registry.Selection) registry.Selection {
			if s.options.Select != nil {
				sel = s.options.Select(sel)
			}
			if access.Select != nil {
				sel = access.Select(sel)
			}
			return sel
		},
	}
	if s.options.Dir != "" {
		return s.dirSession(options)
	}
	p, err := s.open(ctx, right, id)
	if err != nil {
		return nil, err
	}
	return s.runner.ProjectSession(id, p, options)
}

// sealKey is the secret of the store, so that sessions go on elsewhere and in the next process.
func (d *Desk) sealKey(ctx context.Context) ([]byte, error) {
	if d.options.SealKey != nil {
		return d.options.SealKey(ctx)
	}
	if d.options.Store == nil {
		return nil, errNoRunner
	}
	return vfs.SealKey(ctx, d.options.Store)
}

// within calls do with the project's files, mounted ones included. With a name for what is done, that is a call of its
// own, whose id begins with the name: what a person does can be undone as what a model does.
func within[Out any](ctx context.Context, s *Service, right Right, id, what string,
	do func(p vfs.Project) (Out, error)) (out Out, err error) {
	if what != "" {
		what = newCallID(what)
	}
	err = s.asCall(ctx, right, id, what, func(p vfs.Project) error {
		out, err = do(p)
		return err
	})
	return out, err
}

// asCall does what within does, as the call of an id. It is not generic, for a copy for each answer is much code.
func (s *Service) asCall(ctx context.Context, right Right, id, callID string, do func(p vfs.Project) error) error {
	if files := s.access.Files; files != nil {
		if err := cmp.Or(s.may(right, id), ctx.Err()); err != nil {
			return err
		}
		return do(files)
	}
	session, err := s.session(ctx, right, id)
	if err != nil {
		return err
	}
	defer session.Close()
	p, err := session.Files(ctx)
	if err != nil {
		return err
	}
	if callID == "" {
		return do(p)
	}
	call := p.WithCall(callID)
	defer call.EndCall()
	err = do(call)
	s.changed(id)
	return err
}

// newCallID returns the id of a call that does something for a person.
func newCallID(what string) string { return what + "-" + strings.ToLower(rand.Text()[:8]) }

// changed tells those who look at a project that it has changed.
func (d *Desk) changed(id string) { d.watches.changed(id) }

// background is a context that outlasts a request, and ends with the desk.
func (d *Desk) background(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.ctx, func() { cancel(toolrun.ErrClosed) })
	return ctx, func(err error) {
		stop()
		cancel(err)
	}
}

// part returns how many entries an answer has of all that there are.
func (s *Service) part(limit, usual, most int) int {
	if s.access.Files != nil {
		return page(limit, math.MaxInt, math.MaxInt)
	}
	return page(limit, usual, most)
}

// page returns how many entries an answer has.
func page(limit, usual, most int) int {
	if limit <= 0 {
		return usual
	}
	return min(limit, most)
}
