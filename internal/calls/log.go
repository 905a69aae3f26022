package calls

import (
	"context"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// tellTime is how long calls are gathered before they are told together.
const tellTime = time.Second

// writeTime is how long telling them may take.
const writeTime = 10 * time.Second

// Options configure a [Log].
type Options struct {
	// Failed, if not nil, gets errors of the store. The calls that could not be told then are not told again.
	Failed func(error)
}

// A Log tells other processes of the calls of this one. Its Middleware must be among that of the registry. It is safe
// for concurrent use.
type Log struct {
	records vfs.Records
	stops   vfs.Records
	process string
	failed  func(error)

	mu      sync.Mutex
	number  int64
	running map[*Call]running
	fresh   map[*Call]string   // what is new of them has not been told, with their scopes
	told    time.Time          // when those that run were told last
	timer   *time.Timer        // nil if there is nothing to tell
	due     time.Time          // when it ends
	unwatch context.CancelFunc // ends watching for those who want calls stopped; nil if nothing watches
	closed  bool

	telling  sync.Mutex // so that what is older is not told later
	watching sync.WaitGroup
}

// running is what is known of a call that runs.
type running struct {
	scope string
	stop  context.CancelCauseFunc
}

// New returns a log of a store. Close it before the store.
func New(store vfs.RecordStore, options *Options) *Log {
	l := &Log{records: store.Records(kind), stops: store.Records(stopKind), process: newProcess(),
		failed: func(error) {}, running: map[*Call]running{}, fresh: map[*Call]string{}}
	if options != nil && options.Failed != nil {
		l.failed = options.Failed
	}
	return l
}

// Process is by which calls of this process are recognised.
func (l *Log) Process() string { return l.process }

// Middleware notes calls of scopes, and lets others stop them: those whose [registry.Env].Waiting has a scope, as those
// of sessions have.
func (l *Log) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		scoped, ok := env.Waiting.(interface{ Scope() string })
		if !ok {
			return next(ctx, call, env)
		}
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		run, c := running{scoped.Scope(), stop}, newCall(call, env)
		env.Watch(func(state registry.State, result *tool.Result) { l.note(c, run, state, result) })
		return TellStopped(ctx, next(ctx, call, env))
	}
}

func newCall(call tool.Call, env registry.Env) *Call {
	return &Call{ID: plaintext.Clean(call.ID, 200), Parent: plaintext.Clean(call.Parent, 200),
		Tool: plaintext.Clean(call.Tool, 200), Client: plaintext.Clean(env.Client, 200),
		Began: time.Now().Round(0), Input: plaintext.Clean(string(call.Input), MaxText)}
}

// note notes where a call stands, and with a result that this process no longer has it.
func (l *Log) note(c *Call, run running, state registry.State, result *tool.Result) {
	text := ""
	if result != nil {
		text = plaintext.Clean(result.Text(), MaxText)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Number == 0 {
		l.number++
		c.Process, c.Number = l.process, l.number
		l.running[c] = run
	}
	c.State, l.fresh[c] = state, run.scope
	if result != nil {
		c.Took, c.Result, c.Code = time.Since(c.Began), text, result.Code
		c.Status = plaintext.Clean(result.Status, 200)
		if state == registry.Waiting {
			c.Code = tool.CodePending // also if it was stopped as it went on
		}
		delete(l.running, c)
	}
	l.tellLater(tellTime)
}

// tellLater tells what is new after a time, or before. The lock is held.
func (l *Log) tellLater(after time.Duration) {
	due := time.Now().Add(after)
	if l.closed || l.timer != nil && !due.Before(l.due) {
		return
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer, l.due = time.AfterFunc(after, l.tell), due
}

// tell tells what is new.
func (l *Log) tell() {
	l.telling.Lock()
	defer l.telling.Unlock()
	l.mu.Lock()
	l.timer = nil
	now := time.Now().Round(0)
	if now.Sub(l.told) >= aliveTime {
		l.told = now
		for c, run := range l.running {
			l.fresh[c] = run.scope
		}
	}
	by := map[string][]Call{}
	for c, scope := range l.fresh {
		if c.Seen = now; c.Live() {
			c.Took = now.Sub(c.Began)
		}
		by[scope] = append(by[scope], *c)
	}
	clear(l.fresh)
	if len(l.running) > 0 {
		l.tellLater(aliveTime)
	}
	l.watchStops()
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	for scope, fresh := range by {
		change := func(data []byte) ([]byte, error) { return add(data, fresh), nil }
		if err := l.records.Change(ctx, name(scope), Keep, change); err != nil {
			l.failed(err)
		}
	}
}

// Close tells what is new. Calls that still run are not told any more, and others cannot stop them.
func (l *Log) Close() {
	l.mu.Lock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.closed = true
	l.mu.Unlock()
	l.tell()
	l.watching.Wait()
}
