package postgres

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// News are what processes tell each other by way of the database: a letter and an id, or a letter, a kind of records, a
// line break and a name.
const (
	projectNews = "p"
	recordNews  = "r"
)

// newsPause is how long news are collected. A notification in the transaction of the change itself would have all
// commits in the database wait for each other.
const newsPause = 20 * time.Millisecond

// A notifier tells news, and hands on those that others tell.
type notifier struct {
	pool    *pgxpool.Pool
	config  *pgx.ConnConfig
	channel string
	stop    context.CancelFunc
	ctx     context.Context
	group   sync.WaitGroup

	mu        sync.Mutex
	untold    map[string]bool
	telling   bool
	listening bool // the goroutine that receives has begun
	hearing   bool // and it is connected
	all       map[*listener]bool
}

// A listener has the news that its goroutine has yet to report. "" means that some have been missed.
type listener struct {
	news map[string]bool
	some chan struct{} // gets a value when there are news
}

func newNotifier(pool *pgxpool.Pool, config *pgx.ConnConfig, channel string) *notifier {
	// The end of waiting is the end of the connection: there is no statement to cancel.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	n := &notifier{pool: pool, config: config, channel: channel, untold: map[string]bool{}, all: map[*listener]bool{}}
	n.ctx, n.stop = context.WithCancel(context.Background())
	return n
}

// close ends everything. News that have not been told yet are told first.
func (n *notifier) close() {
	n.flush()
	n.stop()
	n.group.Wait()
}

// tell tells others something soon. If the process dies before, they do not learn it.
func (n *notifier) tell(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.untold[text] = true
	if n.telling || n.ctx.Err() != nil {
		return
	}
	n.telling = true
	n.group.Go(func() {
		select {
		case <-n.ctx.Done():
		case <-time.After(newsPause):
			n.flush()
		}
	})
}

func (n *notifier) flush() {
	n.mu.Lock()
	texts := make([]string, 0, len(n.untold))
	for text := range n.untold {
		texts = append(texts, text)
	}
	clear(n.untold)
	n.telling = false
	n.mu.Unlock()
	if len(texts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementTime)
	defer cancel()
	_ = again(n.pool, func() error {
		_, err := n.pool.Exec(ctx, "SELECT pg_notify($1, t) FROM unnest($2::text[]) AS t", n.channel, texts)
		return err
	})
}

// listen calls heard with news, and with "" when some may have been missed, until the context ends.
func (n *notifier) listen(ctx context.Context, heard func(text string)) error {
	one := &listener{news: map[string]bool{}, some: make(chan struct{}, 1)}
	n.mu.Lock()
	n.all[one] = true
	if n.hearing {
		one.hear("") // otherwise it hears that once the connection is there
	}
	if !n.listening && n.ctx.Err() == nil {
		n.listening = true
		n.group.Go(n.receive)
	}
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.all, one)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.ctx.Done():
			return errClosed
		case <-one.some:
		}
		n.mu.Lock()
		news := one.news
		one.news = map[string]bool{}
		n.mu.Unlock()
		for text := range news {
			heard(text)
		}
	}
}

// receive hears the news of all processes, and connects again if it must.
func (n *notifier) receive() {
	for pause := 50 * time.Millisecond; n.ctx.Err() == nil; pause = min(2*pause, 5*time.Second) {
		conn, err := pgx.ConnectConfig(n.ctx, n.config)
		if err == nil {
			_, err = conn.Exec(n.ctx, "LISTEN "+pgx.Identifier{n.channel}.Sanitize())
			if err == nil {
				pause = 50 * time.Millisecond
				n.connected(true)
			}
			for err == nil {
				heard, waitErr := conn.WaitForNotification(n.ctx)
				if err = waitErr; err == nil {
					n.hear(heard.Payload)
				}
			}
			n.connected(false)
			closing, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = conn.Close(closing)
			cancel()
		}
		select {
		case <-n.ctx.Done():
		case <-time.After(pause):
		}
	}
}

// connected notes whether news come. When they begin to, some have been missed.
func (n *notifier) connected(yes bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hearing = yes
	if yes {
		n.handOn("")
	}
}

func (n *notifier) hear(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handOn(text)
}

// handOn gives news to all who listen. The lock is held.
func (n *notifier) handOn(text string) {
	for one := range n.all {
		one.hear(text)
	}
}

// hear hands news to the listener's goroutine. The notifier's lock is held.
func (l *listener) hear(text string) {
	l.news[text] = true
	select {
	case l.some <- struct{}{}:
	default:
	}
}

// WatchProjects implements [vfs.Store].
func (s *Store) WatchProjects(ctx context.Context, changed func(id string)) error {
	err := s.news.listen(ctx, func(text string) {
		if id, ok := strings.CutPrefix(text, projectNews); ok || text == "" {
			changed(id)
		}
	})
	return unavailable(err)
}
