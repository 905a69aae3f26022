package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// Limits of a Log.
const (
	logCalls   = 100_000
	logCall    = 500       // bytes that a call takes without its texts
	logText    = 64 << 10  // bytes of one input or result
	logConsole = 256 << 10 // bytes of one console
	logBytes   = 64 << 20  // bytes of all calls together
)

// A Log remembers the latest calls of this process, whoever makes them, with what their code prints. Its Middleware
// must be among that of the runner. It keeps at most 100,000 calls and some 64 MiB. It is safe for concurrent use.
type Log struct {
	mu    sync.Mutex
	calls []*logged // the oldest first
	byID  map[[2]string]*logged
	of    map[string]*logState // by project
	size  int
	made  int64
	turn  int64         // counts changes
	news  chan struct{} // closed when something changes
}

// A logged is a call in a log. The lock of the log guards it.
type logged struct {
	project, id string
	number      int64
	parent      string
	tool        string
	client      string
	began       time.Time
	took        time.Duration
	state       registry.State
	input       string
	result      string
	code        string
	status      string
	data        json.RawMessage // usage and the like
	console     []Line
	printed     int                     // bytes of console
	dropped     int64                   // bytes that had no room
	lines       int64                   // lines so far, with those that had no room
	cancel      context.CancelCauseFunc // nil once this process no longer has the call
}

// A line is what code has printed.
type Line struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	// Open means that the next one continues the line.
	Open bool `json:"open,omitempty"`
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{byID: map[[2]string]*logged{}, of: map[string]*logState{}, news: make(chan struct{})}
}

// Middleware notes calls, and lets people stop them.
func (l *Log) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		c, begun := ctx.Value(begunKey{}).(*logged)
		if !begun || c.id != call.ID || c.project != env.Project {
			ctx, c = l.begin(ctx, call, env)
		}
		before := env.Progress
		env.Progress = func(p tool.Progress) {
			if p.Console != nil && p.CallID == call.ID {
				l.print(c, p.Console)
			}
			if before != nil {
				before(p)
			}
		}
		env.Watch(func(state registry.State, result *tool.Result) { l.note(c, state, result) })
		return calls.TellStopped(ctx, next(ctx, call, env))
	}
}

// begunKey is for a call in the context that has been noted before it is dispatched, so that it can be followed at
// once.
type begunKey struct{}

// begin notes a call, and returns its context, which ends with the call or when a person stops it.
func (l *Log) begin(ctx context.Context, call tool.Call, env registry.Env) (context.Context, *logged) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &logged{project: env.Project, id: call.ID, parent: call.Parent,
		tool: plaintext.Clean(call.Tool, 200), client: env.Client, began: time.Now(), state: registry.Begun,
		cancel: cancel, input: plaintext.Clean(string(call.Input), logText)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	c.number = l.made
	if c.id == "" {
		c.id = fmt.Sprintf("#%d", c.number)
	}
	l.goOn(c)
	l.calls = append(l.calls, c)
	l.byID[[2]string{c.project, c.id}] = c
	l.size += logCall + len(c.input)
	state := l.of[c.project]
	if state == nil {
		state = &logState{}
		l.of[c.project] = state
	}
	state.calls++
	l.trim()
	l.changed(c)
	return ctx, c
}

// stop stops a running call that may be stopped, and reports whether there is one.
func (l *Log) stop(project, id string, may func(CallInfo) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[[2]string{project, id}]
	if c == nil || c.cancel == nil || !may(c.info()) {
		return false
	}
	c.cancel(calls.ErrStopped)
	return true
}

// goOn drops the entry of a call that waited for an approval, if c is that call, which goes on: c has what it had
// printed. The lock is held.
func (l *Log) goOn(c *logged) {
	before := l.byID[[2]string{c.project, c.id}]
	if before == nil || before.cancel != nil || before.code != string(tool.CodePending) {
		return
	}
	i, _ := slices.BinarySearchFunc(l.calls, before.number, func(c *logged, number int64) int {
		return cmp.Compare(c.number, number)
	})
	l.drop(i)
	l.size += before.printed
	c.console, c.printed, c.dropped, c.lines = before.console, before.printed, before.dropped, before.lines
}

// trim drops the oldest calls that have ended, if there are too many. The lock is held.
func (l *Log) trim() {
	for i := 0; i < len(l.calls) && (len(l.calls) > logCalls || l.size > logBytes); {
		if l.calls[i].cancel != nil && len(l.calls) < 2*logCalls {
			i++
		} else {
			l.drop(i)
		}
	}
}

// forget drops the calls of a project that is deleted: another one of its name has none of them.
func (l *Log) forget(project string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.calls) - 1; i >= 0; i-- {
		if l.calls[i].project == project {
			l.drop(i)
		}
	}
	l.wake()
}

// drop drops the call at an index. The lock is held.
func (l *Log) drop(i int) {
	c := l.calls[i]
	l.size -= logCall + len(c.input) + len(c.result) + len(c.data) + c.printed
	if key := [2]string{c.project, c.id}; l.byID[key] == c {
		delete(l.byID, key)
	}
	c.number = 0 // no longer counted
	state := l.of[c.project]
	if state.calls--; state.calls == 0 {
		delete(l.of, c.project)
	}
	if i > 0 {
		l.calls = slices.Delete(l.calls, i, i+1)
		return
	}
	l.calls[0] = nil
	l.calls = l.calls[1:]
}

func (l *Log) print(c *logged, e *tool.ConsoleEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.number == 0 || c.cancel == nil {
		return
	}
	c.lines++
	text := strings.ToValidUTF8(e.Text, "\ufffd")
	if c.printed+len(text) > logConsole {
		c.dropped += int64(len(text))
	} else {
		c.console = append(c.console, Line{e.Level, text, e.Unfinished})
		c.printed += len(text)
		l.size += len(text)
	}
	l.wake()
}

// note notes where a call stands, and with a result that this process no longer has it.
func (l *Log) note(c *logged, state registry.State, result *tool.Result) {
	text, data := "", json.RawMessage(nil)
	if result != nil {
		text = plaintext.Clean(result.Text(), logText)
		if data, _ = result.Data.(json.RawMessage); len(data) > logText {
			data = nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if result == nil && state == c.state {
		return
	}
	c.state = state
	if result != nil {
		if c.cancel != nil {
			c.cancel(nil)
		}
		grown := len(text) + len(data) - len(c.result) - len(c.data)
		c.cancel, c.took, c.code, c.status, c.result, c.data = nil, time.Since(c.began),
			string(result.Code), result.Status, text, data
		if state == registry.Waiting {
			c.code = string(tool.CodePending) // also if it was stopped as it went on
		}
		if c.number != 0 {
			l.size += grown
		}
	}
	l.trim()
	l.changed(c)
}

// changed wakes those who wait, and those who list calls. The lock is held.
func (l *Log) changed(c *logged) {
	l.turn++
	if state := l.of[c.project]; state != nil {
		state.last = l.turn
	}
	l.wake()
}

// wake wakes those who wait. The lock is held.
func (l *Log) wake() {
	close(l.news)
	l.news = make(chan struct{})
}

// next returns a channel that is closed when something changes.
func (l *Log) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.news
}

// A CallInfo is a call as the API has it.
type CallInfo struct {
	Call    string    `json:"call"`
	Project string    `json:"project"`
	Tool    string    `json:"tool,omitempty" jsonschema:"empty for calls of which only the changes are known"`
	Client  string    `json:"client,omitempty" jsonschema:"who made it"`
	Parent  string    `json:"parent,omitempty" jsonschema:"the call whose code made it"`
	Began   time.Time `json:"began"`
	// State is Ended, too, for calls of which only the changes are known.
	State registry.State `json:"state" jsonschema:"begun, waiting for a person, running or ended"`
	// Milliseconds is how long it took.
	Milliseconds float64 `json:"milliseconds"`
	Code         string  `json:"code,omitempty" jsonschema:"how it failed, or pending if it is put off"`
	Status       string  `json:"status,omitempty"`
	Changes      int     `json:"changes" jsonschema:"how many changes the history has of it"`
	Undone       bool    `json:"undone,omitempty" jsonschema:"its changes have been undone, and not redone since"`
}

// A CallDetail is all that is known of a call.
type CallDetail struct {
	CallInfo
	Input     string       `json:"input"`
	Result    string       `json:"result"`
	Data      any          `json:"data,omitempty" jsonschema:"the result for programs, such as what code has used"`
	Console   []Line       `json:"console"`
	Dropped   int64        `json:"dropped,omitempty" jsonschema:"bytes of the console that are not kept"`
	Elsewhere bool         `json:"elsewhere,omitempty" jsonschema:"by another process: its texts are cut"`
	Known     bool         `json:"known" jsonschema:"its input and result are known"`
	Files     []ChangeInfo `json:"files" jsonschema:"what it changed"`
}

// info returns a call without its texts. The lock is held.
func (c *logged) info() CallInfo {
	took := c.took
	if c.cancel != nil {
		took = time.Since(c.began)
	}
	return CallInfo{Call: c.id, Project: c.project, Tool: c.tool, Client: c.client,
		Parent: c.parent, Began: c.began, State: c.state,
		Milliseconds: float64(took.Microseconds()) / 1000, Code: c.code, Status: c.status}
}

// merge calls add with the calls of a project, the latest first, until it returns false: those of the log, those that
// other processes share, which are the latest first, and those of which only the history knows. The lock of the history
// is held.
func (l *Log) merge(project string, h *recent, shared []calls.Call, add func(CallInfo) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	elsewhere := map[string]*calls.Call{} // of several with one id the latest, to which the changes count
	for i := range slices.Backward(shared) {
		elsewhere[shared[i].ID] = &shared[i]
	}
	others := len(h.calls) - 1
	// other adds the calls that only the history knows, down to a time.
	other := func(until time.Time) bool {
		for ; others >= 0 && h.calls[others].began.After(until); others-- {
			c := h.calls[others]
			if elsewhere[c.id] == nil && l.byID[[2]string{project, c.id}] == nil &&
				!add(CallInfo{Call: c.id, Project: project, Began: c.began, State: registry.Ended, Changes: c.changes,
					Undone: c.undone}) {
				return false
			}
		}
		return true
	}
	// both adds those that are shared, too.
	both := func(until time.Time) bool {
		for ; len(shared) > 0 && shared[0].Began.After(until); shared = shared[1:] {
			c := &shared[0]
			if l.byID[[2]string{project, c.ID}] != nil {
				continue
			}
			info := infoOf(c, project)
			if i, changed := h.byID[c.ID]; changed && elsewhere[c.ID] == c {
				info.Changes, info.Undone = h.calls[i].changes, h.calls[i].undone
			}
			if !other(c.Began) || !add(info) {
				return false
			}
		}
		return other(until)
	}
	if l.of[project] != nil {
		for _, c := range slices.Backward(l.calls) {
			if c.project != project {
				continue
			}
			info := c.info()
			if i, changed := h.byID[c.id]; changed && l.byID[[2]string{project, c.id}] == c {
				info.Changes, info.Undone = h.calls[i].changes, h.calls[i].undone
			}
			if !both(c.began) || !add(info) {
				return
			}
		}
	}
	both(time.Time{}.Add(-1))
}

// infoOf returns a call of another process without its texts.
func infoOf(c *calls.Call, project string) CallInfo {
	took := c.Took
	if c.Live() {
		took = time.Since(c.Began)
	}
	return CallInfo{Call: c.ID, Project: project, Tool: c.Tool, Client: c.Client,
		Parent: c.Parent, Began: c.Began, State: c.State,
		Milliseconds: float64(took.Microseconds()) / 1000, Code: string(c.Code), Status: c.Status}
}

// follow notes where calls stand that were put off here, and have gone on in other processes, whose calls are shared.
func (l *Log) follow(project string, shared []calls.Call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Backward(shared) {
		own := l.byID[[2]string{project, c.ID}]
		if own != nil && own.cancel == nil && own.state != registry.Ended && c.Began.After(own.began) {
			l.size += len(c.Result) - len(own.result)
			own.state, own.took, own.code, own.status, own.result = c.State, c.Took, string(c.Code), c.Status, c.Result
		}
	}
}

// find returns a call.
func (l *Log) find(project, id string) (CallDetail, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[[2]string{project, id}]
	if c == nil {
		return CallDetail{}, false
	}
	d := CallDetail{CallInfo: c.info(), Input: c.input, Result: c.result, Console: slices.Clone(c.console),
		Dropped: c.dropped, Known: true}
	if d.Console == nil {
		d.Console = []Line{}
	}
	if c.data != nil {
		d.Data = c.data
	}
	return d, true
}

// output returns what a call has printed after so many lines, and whether this process still has it.
func (l *Log) output(project, id string, after int) (more []Line, dropped int64, live, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.byID[[2]string{project, id}]
	if c == nil {
		return nil, 0, false, false
	}
	if after < len(c.console) {
		more = slices.Clone(c.console[after:])
	}
	return more, c.dropped, c.cancel != nil, true
}

// A logState differs after calls have changed.
type logState struct {
	last  int64 // turn
	calls int
}

func (l *Log) state(project string) logState {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state := l.of[project]; state != nil {
		return *state
	}
	return logState{}
}
