package mcpserver

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/registry"
)

const (
	// watchInterval is how often files are looked at that others may change. With [Options].Watch, that is watchSeldom:
	// a process that dies may not have told of its last change.
	watchInterval = time.Second
	watchSeldom   = 15 * time.Second

	maxSubscriptions      = 64 // of a session
	maxSubscribedOfServer = 1024
)

// A watch looks at the files that clients have subscribed to: after each call of a tool, when [Options].Watch says that
// others may have changed them, and from time to time.
type watch struct {
	server *Server

	mu       sync.Mutex
	sessions map[*sdk.ServerSession]map[string]bool // the URIs that each has subscribed to
	files    map[string]*watched                    // by URI
	stop     context.CancelFunc                     // nil if nothing is watched
	soon     chan struct{}
	closed   bool
}

// watched is a file that is watched.
type watched struct {
	uri      string // kept once, however many sessions have sent it
	state    fileState
	sessions int
}

// fileState is by what a change of a file is seen.
type fileState struct {
	exists bool
	size   int64
	time   time.Time
}

var errSubscriptions = errors.New("there are too many subscriptions: unsubscribe from others first")

func (s *Server) subscribe(ctx context.Context, request *sdk.SubscribeRequest) error {
	uri := request.Params.URI
	_, env, err := s.source(ctx)
	if err != nil {
		return errSource
	}
	state, err := s.state(ctx, env, uri)
	if err != nil {
		return err
	}
	if !state.exists || s.options.NoResources {
		return notFound(uri)
	}
	return s.watch.add(request.Session, uri, state)
}

func (s *Server) unsubscribe(_ context.Context, request *sdk.UnsubscribeRequest) error {
	s.watch.remove(request.Session, request.Params.URI)
	return nil
}

// add begins to watch a file for a session.
func (w *watch) add(session *sdk.ServerSession, uri string, state fileState) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	own, file := w.sessions[session], w.files[uri]
	switch {
	case w.closed:
		return errClosing
	case own[uri]:
		return nil
	case len(own) >= maxSubscriptions, file == nil && len(w.files) >= maxSubscribedOfServer:
		return errSubscriptions
	}
	if own == nil {
		own = map[string]bool{}
		w.sessions[session] = own
		go w.forget(session)
	}
	if file == nil {
		file = &watched{uri: uri, state: state}
		w.files[uri] = file
	}
	own[file.uri] = true
	file.sessions++
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop, w.soon = cancel, make(chan struct{}, 1)
		go w.run(ctx, w.soon)
	}
	return nil
}

// remove ends a subscription.
func (w *watch) remove(session *sdk.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(session, uri)
}

// forget ends all subscriptions of a session when it has ended.
func (w *watch) forget(session *sdk.ServerSession) {
	_ = session.Wait() // however it has ended
	w.mu.Lock()
	uris := slices.Collect(maps.Keys(w.sessions[session]))
	w.mu.Unlock()
	for _, uri := range uris {
		// The SDK would keep the URI for good.
		request := &sdk.UnsubscribeRequest{Session: session, Params: &sdk.UnsubscribeParams{URI: uri}}
		_, _ = w.server.next(context.Background(), "resources/unsubscribe", request) // it calls remove, and cannot fail
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
}

// drop ends a subscription, if there is one. The lock is held.
func (w *watch) drop(session *sdk.ServerSession, uri string) {
	if !w.sessions[session][uri] {
		return
	}
	delete(w.sessions[session], uri)
	if w.files[uri].sessions--; w.files[uri].sessions == 0 {
		delete(w.files, uri)
	}
	if len(w.files) == 0 {
		w.halt()
	}
}

// halt stops looking. The lock is held.
func (w *watch) halt() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// close ends looking for good.
func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.halt()
}

// poke has the files looked at soon.
func (w *watch) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		select {
		case w.soon <- struct{}{}:
		default: // it will be done anyway
		}
	}
}

func (w *watch) run(ctx context.Context, soon <-chan struct{}) {
	var following atomic.Bool
	if w.server.options.Watch != nil {
		go w.follow(ctx, &following)
	}
	for {
		pause := watchInterval
		if following.Load() {
			pause = watchSeldom
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-soon:
			timer.Stop()
		}
		w.look(ctx)
	}
}

// follow has the files looked at when others may have changed them. following says whether it is told of that now.
func (w *watch) follow(ctx context.Context, following *atomic.Bool) {
	logger := w.server.options.Logger
	defer func() {
		if p := recover(); p != nil {
			following.Store(false)
			logger.ErrorContext(ctx, "watching files panicked", "panic", p, "stack", string(debug.Stack()))
			w.poke()
		}
	}()
	for {
		following.Store(true)
		err := w.server.options.Watch(ctx, w.poke)
		following.Store(false)
		w.poke() // and again soon
		if ctx.Err() != nil || errors.Is(err, errors.ErrUnsupported) {
			return
		}
		logger.WarnContext(ctx, "files cannot be watched, and are looked at every second", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchSeldom):
		}
	}
}

// look tells clients of the files that are not as they were.
func (w *watch) look(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil { // in the source, or in its files
			w.server.options.Logger.ErrorContext(ctx, "looking at files panicked", "panic", p, "stack",
				string(debug.Stack()))
		}
	}()
	w.mu.Lock()
	before := make(map[string]fileState, len(w.files))
	for uri, file := range w.files {
		before[uri] = file.state
	}
	w.mu.Unlock()
	_, env, err := w.server.source(ctx)
	if err != nil {
		return
	}
	for uri, old := range before {
		now, err := w.server.state(ctx, env, uri)
		if err != nil || now == old {
			continue
		}
		w.mu.Lock()
		file := w.files[uri]
		if file != nil {
			file.state = now
		}
		w.mu.Unlock()
		if file != nil {
			// it is told who still listens
			_ = w.server.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// state looks at a file.
func (s *Server) state(ctx context.Context, env registry.Env, uri string) (fileState, error) {
	name, ok := pathOf(env, uri)
	if !ok {
		return fileState{}, notFound(uri)
	}
	info, err := env.Files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, s.fileError(ctx, "the file cannot be seen", err)
	}
	return fileState{true, info.Size(), info.ModTime()}, nil
}
