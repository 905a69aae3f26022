package calls

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Limits of what a log that remembers calls keeps in memory.
const (
	maxCalls   = 100_000
	callBytes  = 500       // that a call takes without its texts
	maxOwnText = 64 << 10  // bytes of one input or result
	maxConsole = 256 << 10 // bytes of one console
	maxShown   = 4 << 20   // bytes of the pictures of one result
	maxMemory  = 64 << 20  // bytes of all calls together
)

// tellTime is how long calls are gathered before they are told together.
const tellTime = time.Second

// writeTime is how long telling them may take.
const writeTime = 10 * time.Second

// A Log notes the calls of this process while they run, and tells other processes of those that have a scope. Once it
// remembers calls, it has the latest 100,000 as well, in some 64 MiB, with what their code prints. Its Middleware must
// be among that of the registry. It is safe for concurrent use.
type Log struct {
	records   vfs.Records // nil if nobody is told
	stops     vfs.Records
	process   string // by which calls of this one are recognised
	failed    func(error)
	remembers atomic.Bool

	mu      sync.Mutex
	calls   []*noted // the oldest first
	byID    map[key]*noted
	of      map[string]*State // by project
	running map[*noted]bool
	size    int
	number  int64
	turn    int64         // counts changes
	news    chan struct{} // closed when something changes

	fresh   map[*noted]bool    // what is new of them has not been told
	told    time.Time          // when those that run were told last
	timer   *time.Timer        // nil if there is nothing to tell
	due     time.Time          // when it ends
	unwatch context.CancelFunc // ends watching for those who want calls stopped; nil if nothing watches
	closed  bool

	telling  sync.Mutex // so that what is older is not told later
	watching sync.WaitGroup
}

type key struct{ project, id string }

// A noted is a call of this process. The lock of the log guards it.
type noted struct {
	Call
	of      Where
	data    json.RawMessage // of the result
	shown   []Picture       // by the result
	console []Line
	printed int                     // bytes of console
	dropped int64                   // bytes that had no room
	stop    context.CancelCauseFunc // nil once this process no longer has the call
	gone    bool                    // the log does not have it any more
}

// A Detail is all that is known of a call.
type Detail struct {
	Call
	Data      json.RawMessage // of the result, such as usage; nil if there is none
	Pictures  []Picture       // of the result, in order
	Console   []Line
	Dropped   int64 // bytes of the console that are not kept
	Elsewhere bool  // another process has made it, which shares neither data nor console
}

// A Picture is an image of a result, which must not be changed.
type Picture struct {
	MIME string
	Data []byte
}

// picturesOf returns the pictures of a result, as far as there is room for them.
func picturesOf(result *tool.Result) (pictures []Picture) {
	for _, part := range result.Content {
		if strings.HasPrefix(part.MIME, "image/") && len(part.Data) > 0 && sizeOf(pictures)+len(part.Data) <= maxShown {
			pictures = append(pictures, Picture{part.MIME, part.Data})
		}
	}
	return pictures
}

func sizeOf(pictures []Picture) (size int) {
	for _, p := range pictures {
		size += len(p.Data)
	}
	return size
}

// A Line is what code has printed.
type Line struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	// Open means that the next one continues the line.
	Open bool `json:"open,omitempty"`
}

// New returns a log that tells other processes with the same store; without one it tells nobody. Close it before the
// store. failed, if not nil, gets errors of the store: calls that could not be told then are not told again.
func New(store vfs.RecordStore, failed func(error)) *Log {
	l := &Log{process: rand.Text()[:16], failed: failed, byID: map[key]*noted{}, of: map[string]*State{},
		running: map[*noted]bool{}, fresh: map[*noted]bool{}, news: make(chan struct{})}
	if store != nil {
		l.records, l.stops = store.Records("calls"), store.Records("stops")
	}
	if failed == nil {
		l.failed = func(error) {}
	}
	return l
}

// Of returns what a *toolrun.Runner notes, or nil. Package toolrun sets it: its API has no types that are internal.
var Of func(runner any) *Log

// Remember has the log remember calls that end, and what is printed, from now on.
func (l *Log) Remember() { l.remembers.Store(true) }

// Middleware notes calls, and lets people stop them.
func (l *Log) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		remembers := l.remembers.Load()
		if whereOf(env).Scope == "" && !remembers {
			return next(ctx, call, env)
		}
		c, begun := ctx.Value(begunKey{}).(*noted)
		if !begun || c.ID != call.ID || c.of.Project != env.Project {
			ctx, c = l.begin(ctx, call, env)
		}
		if before := env.Progress; remembers {
			env.Progress = func(p tool.Progress) {
				if p.Console != nil && p.CallID == call.ID {
					l.print(c, p.Console)
				}
				if before != nil {
					before(p)
				}
			}
		}
		env.Watch(func(state registry.State, result *tool.Result) { l.note(c, state, result) })
		return tellStopped(ctx, next(ctx, call, env))
	}
}

// whereOf says where the calls of an Env are: those of sessions have a scope.
func whereOf(env registry.Env) Where {
	of := Where{Project: env.Project}
	if scoped, ok := env.Waiting.(interface{ Scope() string }); ok {
		of.Scope = scoped.Scope()
	}
	return of
}

type begunKey struct{}

// Begin notes a call before it is dispatched with the context that Begin returns, so that it can be followed at once.
func (l *Log) Begin(ctx context.Context, call tool.Call, env registry.Env) context.Context {
	ctx, c := l.begin(ctx, call, env)
	return context.WithValue(ctx, begunKey{}, c)
}

// begin notes a call, and returns its context, which ends with the call or when a person stops it.
func (l *Log) begin(ctx context.Context, call tool.Call, env registry.Env) (context.Context, *noted) {
	ctx, stop := context.WithCancelCause(ctx)
	c := &noted{of: whereOf(env), stop: stop, Call: Call{Process: l.process, ID: call.ID, Parent: call.Parent,
		Tool: plaintext.Clean(call.Tool, 200), Client: env.Client, Began: time.Now(), State: registry.Begun,
		Input: plaintext.Clean(string(call.Input), l.maxText())}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.number++
	c.Number = l.number
	if c.ID == "" {
		c.ID = fmt.Sprintf("#%d", c.Number)
	}
	l.goOn(c)
	l.calls = append(l.calls, c)
	l.byID[key{c.of.Project, c.ID}] = c
	l.running[c] = true
	l.size += callBytes + len(c.Input)
	state := l.of[c.of.Project]
	if state == nil {
		state = &State{}
		l.of[c.of.Project] = state
	}
	state.calls++
	l.trim()
	l.changed(c)
	return ctx, c
}

func (l *Log) maxText() int {
	if l.remembers.Load() {
		return maxOwnText
	}
	return MaxText
}

// goOn drops the entry of a call that waited for an approval, if c is that call, which goes on: c has what it had
// printed. The lock is held.
func (l *Log) goOn(c *noted) {
	before := l.byID[key{c.of.Project, c.ID}]
	if before == nil || before.stop != nil || before.Code != tool.CodePending {
		return
	}
	l.drop(l.index(before))
	l.size += before.printed
	c.console, c.printed, c.dropped = before.console, before.printed, before.dropped
}

// trim drops the oldest calls that have ended, if there are too many. The lock is held.
func (l *Log) trim() {
	for i := 0; i < len(l.calls) && (len(l.calls) > maxCalls || l.size > maxMemory); {
		if l.calls[i].stop != nil && len(l.calls) < 2*maxCalls {
			i++
		} else {
			l.drop(i)
		}
	}
}

// index returns where a call is. The lock is held.
func (l *Log) index(c *noted) int {
	i, _ := slices.BinarySearchFunc(l.calls, c.Number, func(c *noted, number int64) int {
		return cmp.Compare(c.Number, number)
	})
	return i
}

// drop drops the call at an index. The lock is held.
func (l *Log) drop(i int) {
	c := l.calls[i]
	l.size -= callBytes + len(c.Input) + len(c.Result) + len(c.data) + sizeOf(c.shown) + c.printed
	if key := (key{c.of.Project, c.ID}); l.byID[key] == c {
		delete(l.byID, key)
	}
	c.gone = true
	state := l.of[c.of.Project]
	if state.calls--; state.calls == 0 {
		delete(l.of, c.of.Project)
	}
	if i > 0 {
		l.calls = slices.Delete(l.calls, i, i+1)
		return
	}
	l.calls[0] = nil
	l.calls = l.calls[1:]
}

func (l *Log) print(c *noted, e *tool.ConsoleEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.gone || c.stop == nil {
		return
	}
	text := strings.ToValidUTF8(e.Text, "\ufffd")
	if c.printed+len(text) > maxConsole {
		c.dropped += int64(len(text))
	} else {
		c.console = append(c.console, Line{e.Level, text, e.Unfinished})
		c.printed += len(text)
		l.size += len(text)
	}
	l.wake()
}

// note notes where a call stands, and with a result that this process no longer has it.
func (l *Log) note(c *noted, state registry.State, result *tool.Result) {
	text, data := "", json.RawMessage(nil)
	var pictures []Picture
	if result != nil {
		if l.remembers.Load() {
			pictures = picturesOf(result)
		}
		text = plaintext.Clean(result.Text(), l.maxText())
		if data, _ = result.Data.(json.RawMessage); len(data) > maxOwnText {
			data = nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if result == nil && state == c.State {
		return
	}
	c.State = state
	if result != nil {
		if c.stop != nil {
			c.stop(nil)
		}
		grown := len(text) + len(data) + sizeOf(pictures) - len(c.Result) - len(c.data) - sizeOf(c.shown)
		c.shown = pictures
		c.stop, c.Took, c.Code, c.Status, c.Result, c.data = nil, time.Since(c.Began), result.Code, result.Status,
			text, data
		if state == registry.Waiting {
			c.Code = tool.CodePending // also if it was stopped as it went on
		}
		delete(l.running, c)
		if !c.gone {
			l.size += grown
			if !l.remembers.Load() {
				l.drop(l.index(c))
			}
		}
	}
	l.trim()
	l.changed(c)
}

// changed wakes those who wait, and those who list calls, and has others told. The lock is held.
func (l *Log) changed(c *noted) {
	l.turn++
	if state := l.of[c.of.Project]; state != nil {
		state.last = l.turn
	}
	l.wake()
	if l.records != nil && c.of.Scope != "" {
		l.fresh[c] = true
		l.tellLater(tellTime)
	}
}

// wake wakes those who wait. The lock is held.
func (l *Log) wake() {
	close(l.news)
	l.news = make(chan struct{})
}

// Next returns a channel that is closed when calls of this process change or print something.
func (l *Log) Next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// now is the call as it is now. The lock of the log is held.
func (c *noted) now() Call {
	call := c.Call
	if c.stop != nil {
		call.Took = time.Since(c.Began)
	}
	return call
}

// Has reports whether the log has a call of this process.
func (l *Log) Has(project, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[key{project, id}] != nil
}

// Output returns a call of this process with what it has printed after so many lines. live is whether this process
// still has the call, and ok whether the log has it.
func (l *Log) Output(project, id string, after int) (d Detail, live, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[key{project, id}]
	if c == nil {
		return d, false, false
	}
	return c.detail(after), c.stop != nil, true
}

// detail is all of the call but its first lines. The lock of the log is held.
func (c *noted) detail(after int) Detail {
	return Detail{Call: c.now(), Data: c.data, Pictures: c.shown, Dropped: c.dropped,
		Console: slices.Clone(c.console[min(after, len(c.console)):])}
}

// A State differs after calls of this process have changed.
type State struct {
	last  int64 // turn
	calls int
}

// State returns the state of a project's calls.
func (l *Log) State(project string) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state := l.of[project]; state != nil {
		return *state
	}
	return State{}
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
	shared := false
	for c := range l.running {
		if c.of.Scope != "" && l.records != nil {
			shared = true
			if now.Sub(l.told) >= aliveTime {
				l.fresh[c] = true
			}
		}
	}
	if now.Sub(l.told) >= aliveTime {
		l.told = now
	}
	by := map[string][]Call{}
	for c := range l.fresh {
		by[c.of.Scope] = append(by[c.of.Scope], c.tellable(now))
	}
	clear(l.fresh)
	if shared {
		l.tellLater(aliveTime)
	}
	l.watchStops(shared && !l.closed)
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

// tellable is the call as others are told of it. The lock of the log is held.
func (c *noted) tellable(now time.Time) Call {
	call := c.now()
	call.Seen, call.Began = now, call.Began.Round(0)
	for _, text := range []*string{&call.ID, &call.Parent, &call.Client, &call.Status} {
		*text = plaintext.Clean(*text, 200)
	}
	call.Input, call.Result = plaintext.Clean(call.Input, MaxText), plaintext.Clean(call.Result, MaxText)
	return call
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
