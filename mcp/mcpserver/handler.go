package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/toolrun/toolrun/internal/budget"
	"github.com/toolrun/toolrun/vfs"
)

// The limits of a handler unless others are set.
const (
	DefaultBody     = 6 << 20
	DefaultSessions = 1000
)

// ErrUnauthorized means that a request has no bearer token or an unknown one.
var ErrUnauthorized = errors.New("missing or unknown bearer token")

// HandlerOptions configure a [Handler]. The zero value, and nil, have safe defaults.
type HandlerOptions struct {
	// NewSession, if not nil, makes a server for each session and replaces the function given to NewHandler. end is
	// called when the session has ended. Clients whose version of the protocol has no sessions are told to use an
	// older version.
	NewSession func(ctx context.Context) (server *Server, end func(), err error)
	// Stateless serves all clients without sessions, also those of older versions: nothing is kept between
	// requests, and nothing is sent except in answers.
	Stateless bool
	// Hosts are the names by which clients may reach the handler, beside those of the loopback interface and the IP
	// address at which a connection arrives. Origins are the web origins that may use it ("https://example.com"). All
	// others are refused. The host "*" allows all hosts: use it behind a proxy that checks them, and never without
	// tokens.
	Hosts, Origins []string
	// Body is the largest request in bytes. Zero means [DefaultBody]. Requests that are too large for the memory
	// that all share are served one after another.
	Body int64
	// Sessions is how many sessions can exist at the same time; further ones are refused. Zero means
	// [DefaultSessions].
	Sessions int
	// ServerSessions is how many of these sessions one server can have, so that one client cannot take them all.
	// Zero means all of them. If it is smaller than Sessions, a server can have a hundredth of Sessions, and at least
	// one, however many the others have together, and one server's requests leave half of the memory for messages to
	// others.
	ServerSessions int
	// Shared, if not nil, has the records of sessions, and handlers with the same records continue each other's: each
	// request of a session can reach another handler, and sessions outlast the handler at which they began. It needs
	// servers with an identity: see [Options].Identity.
	//
	// The rates of these servers hold for all handlers together: those that have had requests in the last half minute
	// get equal parts. When a handler comes or ends, the others know within some seconds, and when one is lost, within
	// 15. Meanwhile all together can accept more or less than the rate. A handler that cannot reach the records keeps
	// its part.
	//
	// What is not shared are the order of calls that reach different handlers, and other limits: each handler has its
	// own. It cannot be combined with NewSession.
	Shared vfs.Records
	// SessionTimeout ends a session that makes no requests for this time. Zero means an hour.
	SessionTimeout time.Duration
	// ReadTimeout is how long a client may take to send a request's body. Zero means 30 seconds.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take to receive a message. Zero means 30 seconds.
	WriteTimeout time.Duration
	// Logger gets records for the host. Nil logs nothing.
	Logger *slog.Logger
}

// A Handler serves clients by the protocol's streamable HTTP transport. It is safe for concurrent use.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
type Handler struct {
	find    func(*http.Request) (*Server, error)
	options HandlerOptions

	share   share
	limiter *rate.Limiter  // of sessions that get a server each
	memory  *budget.Memory // of requests that are being read or served

	mu        sync.Mutex
	endpoints map[*Server]*endpoint
	own       map[string]*endpoint    // of sessions that have a server each, by their ids
	sessions  int                     // that there are
	opening   int                     // that there may be soon
	used      map[*Server]int         // sessions and opening of a server that find returns
	live      map[string]*liveSession // sessions that are shared, by their ids
	unwatch   context.CancelFunc      // ends watching their records; nil before there are any
	closed    bool
}

// endpoint is where the clients of one server come to.
type endpoint struct {
	server              *Server
	stateful, stateless http.Handler
	limiter             *rate.Limiter
	memory              *budget.Memory // its part of the handler's, if its clients are to leave others some
	slots               chan struct{}  // one for each request that is served
	end                 func()         // if not nil, the server is that of one session, after which it is called
	begun               bool           // there is, or has been, such a session
}

// NewHandler returns a handler that serves each request with the server that find returns, which can be the same
// for all. If find returns [ErrUnauthorized] the client gets status 401, for any other error 500; the client does
// not see the error's text. A request whose server is not the one of its session finds no session. NewHandler
// panics if an option is negative, or if two of NewSession, Stateless and Shared are set.
func NewHandler(find func(*http.Request) (*Server, error), options *HandlerOptions) *Handler {
	h := &Handler{find: find, endpoints: map[*Server]*endpoint{}, own: map[string]*endpoint{}, used: map[*Server]int{},
		live:   map[string]*liveSession{},
		memory: newMemory(1)}
	if options != nil {
		h.options = *options
	}
	o := &h.options
	if o.Body < 0 || o.Sessions < 0 || o.ServerSessions < 0 || o.SessionTimeout < 0 || o.ReadTimeout < 0 ||
		o.WriteTimeout < 0 {
		panic("mcpserver: limits and times of HandlerOptions must not be negative")
	}
	if o.Stateless && o.NewSession != nil {
		panic("mcpserver: HandlerOptions has NewSession, but no sessions")
	}
	if o.Shared != nil && (o.Stateless || o.NewSession != nil) {
		panic("mcpserver: HandlerOptions has Shared, but no sessions that could be shared")
	}
	o.Body = cmp.Or(o.Body, DefaultBody)
	o.Sessions = cmp.Or(o.Sessions, DefaultSessions)
	o.ServerSessions = cmp.Or(o.ServerSessions, o.Sessions)
	o.SessionTimeout = cmp.Or(o.SessionTimeout, time.Hour)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	h.limiter = rate.NewLimiter(DefaultRate, 2*DefaultRate)
	h.share.parts = 1
	return h
}

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	patient := &deadlineWriter{ResponseWriter: w, timeout: h.options.WriteTimeout}
	patient.rest()
	defer patient.hurry() // what has not been sent yet
	w = patient
	// Also what is refused at once has a body, which the server reads.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.options.ReadTimeout))
	if problem := h.options.foreign(r); problem != "" {
		http.Error(w, problem, http.StatusForbidden)
		return
	}
	if h.options.crossOrigin(w, r) {
		return
	}
	var server *Server
	if h.find != nil {
		var err error
		if server, err = h.find(r); err != nil {
			h.fail(w, r, err)
			return
		}
	}
	newest := r.Header.Get(versionHeader) >= sessionless
	withSessions := !h.options.Stateless && (h.options.NewSession != nil || !newest)
	// With this version, the SDK refuses what is not what the header says.
	listens := newest && !withSessions && r.Method == http.MethodPost && r.Header.Get(methodHeader) == listen
	begins := withSessions && r.Method == http.MethodPost && r.Header.Get(sessionHeader) == ""
	if begins || listens { // which lasts as a session does
		if !h.open(server) {
			tooMuch(w, http.StatusServiceUnavailable, errSessions.Error())
			return
		}
		defer h.opened(server)
	}
	e, err := h.endpoint(r, server)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	defer h.unused(e)
	if h.shares(e.server) {
		h.share.asked.Store(true)
	}
	if !e.limiter.Allow() {
		h.fail(w, r, errTooMany)
		return
	}
	if r.Method == http.MethodPost && !listens {
		// Until the answer has been sent: one that nobody takes is in memory for a while.
		select {
		case e.slots <- struct{}{}:
			e.server.unanswered.Add(1)
			defer func() {
				e.server.unanswered.Add(-1)
				<-e.slots
			}()
		default:
			tooMuch(w, http.StatusServiceUnavailable, errBusy.Error())
			return
		}
	}
	if begins {
		ctx := context.WithValue(r.Context(), beganKey{}, func(session *sdk.ServerSession) {
			h.began(e, session)
			if h.options.Shared != nil && e.server.options.Identity != "" {
				h.beganHere(e, session)
			}
		})
		if h.options.Shared != nil {
			ctx = context.WithValue(ctx, shareKey{}, h)
		}
		r = r.WithContext(ctx)
	}
	var place *turn
	if withSessions && !begins && r.Method == http.MethodPost {
		place = e.server.turns.enter(r.Header.Get(sessionHeader))
		defer place.leave() // unless calls have come in its place
	}
	m, served, problem := h.readBody(w, r, e, place)
	if problem != nil {
		problem.refuse(w)
		return
	}
	if listens { // it lasts, and does not count as what is being decoded
		served()
	} else {
		defer served()
	}
	switch {
	case withSessions && h.options.Shared != nil && r.Header.Get(sessionHeader) != "":
		h.serveShared(w, r, e)
	case withSessions:
		e.stateful.ServeHTTP(w, r)
	default:
		if d := newDirect(w, r, e.server, m); d != nil {
			d.serve()
			return
		}
		e.stateless.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), carrierKey{}, r.Context())))
	}
}

// unused ends a server that has been made for a session that has not begun.
func (h *Handler) unused(e *endpoint) {
	h.mu.Lock()
	unused := e.end != nil && !e.begun
	h.mu.Unlock()
	if unused {
		h.finish(e)
	}
}

// fail answers a request that has no server.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrUnauthorized):
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolrun"`)
		http.Error(w, ErrUnauthorized.Error(), http.StatusUnauthorized)
	case errors.Is(err, errTooMany):
		tooMuch(w, http.StatusTooManyRequests, errTooMany.Error())
	case errors.Is(err, errNoSession):
		http.Error(w, errNoSession.Error(), http.StatusNotFound)
	case errors.Is(err, errSessions), errors.Is(err, errClosing):
		tooMuch(w, http.StatusServiceUnavailable, err.Error())
	default:
		h.options.Logger.ErrorContext(r.Context(), "no server for a request", "error", err)
		http.Error(w, "the server cannot do this at the moment", http.StatusInternalServerError)
	}
}

// tooMuch tells a client to come back.
func tooMuch(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, text, status)
}

var errTooMany = errors.New("too many requests: try again later")

// errSessions means that there are too many sessions.
var errSessions = errors.New("too many sessions: try again later")

var errNoSession = errors.New("there is no such session: it may have ended")

// endpoint returns where a request goes.
func (h *Handler) endpoint(r *http.Request, server *Server) (*endpoint, error) {
	if h.options.NewSession != nil {
		return h.ownEndpoint(r)
	}
	if server == nil {
		return nil, errors.New("there is neither a server nor an error")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	e := h.endpoints[server]
	if e == nil {
		e = h.newEndpoint(server)
		h.endpoints[server] = e
		if h.shares(server) {
			e.setRate(h.share.parts)
			h.beginSharing()
		}
		context.AfterFunc(server.stopped, func() { // there may be many servers, one after the other
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.endpoints, server)
		})
	}
	return e, nil
}

// ownEndpoint returns that of the request's session, or of a new one.
func (h *Handler) ownEndpoint(r *http.Request) (*endpoint, error) {
	id := r.Header.Get(sessionHeader)
	h.mu.Lock()
	e, closed := h.own[id], h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return nil, errClosing
	case e != nil:
		return e, nil
	case id != "" || r.Method != http.MethodPost:
		return nil, errNoSession
	}
	if !h.limiter.Allow() {
		return nil, errTooMany
	}
	server, end, err := h.options.NewSession(r.Context())
	if err != nil {
		return nil, err
	}
	e = h.newEndpoint(server)
	e.end = sync.OnceFunc(end) // a client that goes away just then ends it twice
	return e, nil
}

// newEndpoint makes an endpoint of a server.
func (h *Handler) newEndpoint(server *Server) *endpoint {
	get := func(*http.Request) *sdk.Server { return server.sdk }
	// Which hosts there are is checked here already, as is the size of requests.
	options := sdk.StreamableHTTPOptions{
		Logger: h.options.Logger, SessionTimeout: h.options.SessionTimeout, MaxRequestBodyBytes: -1,
		DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	}
	stateless := options
	stateless.Stateless = true
	share := int64(1)
	if h.options.ServerSessions < h.options.Sessions {
		share = 2
	}
	e := &endpoint{
		server:    server,
		memory:    newMemory(share),
		stateful:  sdk.NewStreamableHTTPHandler(get, &options),
		stateless: sdk.NewStreamableHTTPHandler(get, &stateless),
		slots:     make(chan struct{}, server.options.Requests),
		limiter:   rate.NewLimiter(0, int(min(2*server.options.Rate, math.MaxInt32))+1),
	}
	e.setRate(1)
	return e
}
