package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/vfs"
)

const (
	lookTime  = time.Second      // how often changes of other processes are looked for
	watchTime = 15 * time.Second // the same, if the store tells of them
)

// A Follower is somebody who follows a call or a project.
type Follower interface {
	// Send sends an event of a name. An id, if not "", is by which the follower can go on later.
	Send(name, id string, data any) error
	// Wait waits until one of the channels is closed, of which the second one can be nil. It returns at once, but not
	// more often than after each pause, in which more may come. It reports false when nobody follows any more.
	Wait(pause time.Duration, news, more <-chan struct{}) bool
}

// watches look after the projects that are open in browsers.
type watches struct {
	desk  *Desk
	ended chan struct{}
	once  sync.Once

	mu   sync.Mutex
	open map[watchKey]*watch
}

type watchKey struct {
	store vfs.Store
	id    string
}

func newWatches(d *Desk) *watches {
	return &watches{desk: d, ended: make(chan struct{}), open: map[watchKey]*watch{}}
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
func (a *watches) changed(id string) {
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
		ctx, cancel := context.WithCancel(a.desk.ctx)
		w = &watch{cancel: cancel, news: make(chan struct{})}
		a.open[key] = w
		a.desk.working.Add(1)
		go func() {
			defer a.desk.working.Done()
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
			a.desk.options.Logger.Warn("changes are found later: the store cannot tell of them",
				"project", id, "error", err)
		}
	}()
	told := make(chan struct{})
	defer func() { <-told }()
	go func() {
		defer close(told)
		err := a.desk.log.Watch(ctx, a.desk.scope(id), w.changed)
		if err != nil && ctx.Err() == nil && !a.desk.ownLog {
			a.desk.options.Logger.Warn("calls of other processes are found later", "project", id, "error", err)
		}
	}()
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
