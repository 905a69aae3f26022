package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

// A boundStore is a store as the holder of a token sees it. A token names its project, and is for the one that had the
// name when the token was used first, which it makes if there is none. When that has been deleted, the token is for no
// other project of the name, since that can have other people's files.
type boundStore struct {
	vfs.Store
	token *mcphttp.Token
}

// A goneError means that the project of a token has been deleted. It is [vfs.ErrDeleted].
type goneError struct{ project string }

func (e *goneError) Error() string {
	return fmt.Sprintf("the project %s has been deleted, and this token is for no other one of its name: "+
		"ask whoever runs the server to restore it, or for a new token", e.project)
}

func (*goneError) Unwrap() error { return vfs.ErrDeleted }

// OpenExisting implements [vfs.Store].
func (s *boundStore) OpenExisting(ctx context.Context, id string) (vfs.Project, error) {
	if id != s.token.Project {
		return s.Store.OpenExisting(ctx, id)
	}
	return s.Open(ctx, id)
}

// Open implements [vfs.Store]. It makes the token's project only when the token is used first.
func (s *boundStore) Open(ctx context.Context, id string) (vfs.Project, error) {
	if id != s.token.Project {
		return s.Store.Open(ctx, id)
	}
	bound, err := s.Records("token-projects").Get(ctx, s.token.Binding())
	first := errors.Is(err, fs.ErrNotExist)
	if err != nil && !first {
		return nil, err
	}
	open := s.Store.OpenExisting
	if first {
		open = s.Store.Open
	}
	p, err := open(ctx, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &goneError{id}
	}
	if err != nil {
		return nil, err
	}
	var identity json.RawMessage
	if first {
		identity, bound, err = s.bind(ctx, p)
	} else if identity, err = identityOf(ctx, p); errors.Is(err, vfs.ErrDeleted) {
		err = &goneError{id} // meanwhile
	}
	if err == nil && !bytes.Equal(identity, bound) {
		err = &goneError{id}
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// identityOf returns what tells a project from others, or nil if nobody has needed that yet.
func identityOf(ctx context.Context, p vfs.Project) (json.RawMessage, error) {
	stored, err := p.Settings(ctx)
	if err != nil {
		return nil, err
	}
	settings, _, err := registry.ParseSettings(stored)
	return settings.Field(service.IdentityField), err
}

// bind notes that the token is for a project, unless another process has noted one meanwhile.
func (s *boundStore) bind(ctx context.Context, p vfs.Project) (identity, bound json.RawMessage, err error) {
	err = p.EditSettings(ctx, func(stored []byte) ([]byte, error) {
		settings, _, err := registry.ParseSettings(stored)
		if err != nil {
			return nil, fmt.Errorf("project %s: %w", s.token.Project, err)
		}
		if identity = settings.Field(service.IdentityField); identity != nil {
			return stored, nil
		}
		identity = fmt.Appendf(nil, "%q", rand.Text())
		return json.Marshal(settings.WithField(service.IdentityField, identity))
	})
	if err != nil {
		return nil, nil, err
	}
	err = s.Records("token-projects").Change(ctx, s.token.Binding(), 0, func(there []byte) ([]byte, error) {
		if bound = bytes.Clone(there); bound == nil {
			bound = identity
		}
		return bound, nil
	})
	return identity, bound, err
}

// A tokenProject is the project of a token, for clients of MCP. It stays open, and is opened again when it was deleted
// and restored.
type tokenProject struct {
	tools *registry.Registry
	open  func(ctx context.Context) (*toolrun.Session, error)

	mu      sync.Mutex
	session *toolrun.Session // nil while the project is deleted
	closed  bool
}

func (p *tokenProject) now() *toolrun.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session
}

// Source is that of the present session: see [toolrun.Session.Source].
func (p *tokenProject) Source(ctx context.Context) (*registry.Registry, registry.Env, error) {
	session := p.now()
	if session != nil {
		if tools, env, err := session.Source(ctx); !errors.Is(err, vfs.ErrDeleted) {
			return tools, env, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return p.tools, registry.Env{}, toolrun.ErrClosed
	}
	if p.session == session { // nobody has opened it again meanwhile
		if session != nil {
			_ = session.Close() // nothing is left to be written
		}
		var err error
		if p.session, err = p.open(ctx); err != nil {
			p.session = nil
			return p.tools, registry.Env{}, err
		}
	}
	return p.session.Source(ctx)
}

// Watch is that of the present session: see [toolrun.Session.Watch].
func (p *tokenProject) Watch(ctx context.Context, changed func()) error {
	if session := p.now(); session != nil {
		return session.Watch(ctx, changed)
	}
	return vfs.ErrDeleted
}

func (p *tokenProject) usage(ctx context.Context) (vfs.Usage, error) {
	if session := p.now(); session != nil {
		return session.Project().Usage(ctx)
	}
	return vfs.Usage{}, vfs.ErrDeleted
}

// pause closes the session until another one is needed.
func (p *tokenProject) pause() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != nil {
		err = p.session.Close()
	}
	p.session = nil
	return err
}

// close closes the session for good.
func (p *tokenProject) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.pause()
}
