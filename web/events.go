package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
)

const (
	heartbeat = 15 * time.Second // so that who is gone is found out
	lookTime  = time.Second      // how often changes of other processes are looked for
	watchTime = 15 * time.Second // the same, if the store tells of them
)

// events is a stream of events to one browser.
type events struct {
	server *Server
	r      *request
	woke   time.Time // when wait returned last
}

// newEvents begins a stream.
//
// https://html.spec.whatwg.org/multipage/server-sent-events.html
func (s *Server) newEvents(r *request) (*events, error) {
	r.place.Drop() // a stream takes little while it lasts
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("X-Accel-Buffering", "no")
	r.w.WriteHeader(http.StatusOK)
	e := &events{server: s, r: r}
	return e, e.write(": toolrun\n\n")
}

func (e *events) send(name, id string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return e.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, text))
}

func (e *events) write(text string) error {
	control := http.NewResponseController(e.r.w)
	_ = control.SetWriteDeadline(time.Now().Add(partTime))
	if _, err := e.r.w.Write([]byte(text)); err != nil {
		return err
	}
	return control.Flush()
}

// wait waits for news. It returns at once, but not more often than after each pause, in which more may come. It reports
// false at the end of the stream.
func (e *events) wait(news <-chan struct{}, pause time.Duration) bool {
	return e.wait2(news, nil, pause)
}

func (e *events) wait2(news, more <-chan struct{}, pause time.Duration) bool {
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-news:
		case <-more:
		case <-e.r.Context().Done():
			return false
		case <-e.server.watches.ended:
			return false
		case <-beat.C:
			if e.write(": still here\n\n") != nil ||
				e.server.identify(e.r.Request) == nil && !e.server.options.Everybody {
				return false // gone, or no longer welcome
			}
			beat.Reset(heartbeat)
			continue
		}
		select {
		case <-time.After(time.Until(e.woke.Add(pause))):
			e.woke = time.Now()
			return true
		case <-e.r.Context().Done():
			return false
		case <-e.server.watches.ended:
			return false
		}
	}
}

// watches look after the projects that are open in browsers.
type watches struct {
	server *Server
	ended  chan struct{}
	once   sync.Once

	mu   sync.Mutex
	open map[watchKey]*watch
}

type watchKey struct {
	store vfs.Store
	id    string
}

func newWatches(s *Server) *watches {
	return &watches{server: s, ended: make(chan struct{}), open: map[watchKey]*watch{}}
}

func (a *watches) close() { a.once.Do(func() { close(a.ended) }) }

// A watch counts the changes of a project.
type watch struct {
	users  int
	cancel context.CancelFunc

	mu    sync.Mutex
	count int64
	news  chan struct{}
}

func (w *watch) state() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

func (w *watch) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.news
}

func (w *watch) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	close(w.news)
	w.news = make(chan struct{})
}

// changed tells those who look at a project.
func (a *watches) changed(store vfs.Store, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, w := range a.open {
		if key.id == id {
			w.changed()
		}
	}
}

// join begins to watch a project, if nobody does, with a session that stays open until leave is called.
func (a *watches) join(store vfs.Store, id string, session *toolrun.Session) (_ *watch, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := watchKey{store, id}
	w := a.open[key]
	if w == nil {
		ctx, cancel := context.WithCancel(a.server.ctx)
		w = &watch{cancel: cancel, news: make(chan struct{})}
		a.open[key] = w
		a.server.working.Add(1)
		go func() {
			defer a.server.working.Done()
			a.look(ctx, store, id, w)
		}()
	}
	w.users++
	return w, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if w.users--; w.users == 0 {
			w.cancel()
			delete(a.open, key)
		}
	}
}

// look finds changes by others until the context ends.
func (a *watches) look(ctx context.Context, store vfs.Store, id string, w *watch) {
	ticker := time.NewTicker(lookTime)
	defer ticker.Stop()
	done := make(chan struct{})
	defer func() { <-done }()
	go func() {
		defer close(done)
		ticker.Reset(watchTime)
		err := store.WatchProjects(ctx, func(changed string) {
			if changed == "" || changed == id {
				w.changed()
			}
		})
		ticker.Reset(lookTime)
		if err != nil && ctx.Err() == nil && !errors.Is(err, errors.ErrUnsupported) {
			a.server.options.Logger.Warn("changes are found later: the store cannot tell of them",
				"project", id, "error", err)
		}
	}()
	if log := a.server.runner.Calls(); log != nil {
		done := make(chan struct{})
		defer func() { <-done }()
		go func() {
			defer close(done)
			if err := log.Watch(ctx, a.server.scope(id), w.changed); err != nil && ctx.Err() == nil {
				a.server.options.Logger.Warn("calls of other processes are found later", "project", id, "error", err)
			}
		}()
	}
	var last int64
	first := true
	for {
		if p, err := store.OpenExisting(ctx, id); err == nil {
			if changes, err := p.LatestChanges(ctx, 1); err == nil {
				now := int64(0)
				if len(changes) > 0 {
					now = changes[0].ID
				}
				if now != last && !first {
					w.changed()
				}
				last, first = now, false
			}
			_ = p.Close()
		}
		select {
		case <-ctx.Done():
			return
		case <-a.ended:
			return
		case <-ticker.C:
		}
	}
}
