package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// A DifferenceError is the first difference between a recording and what is now.
type DifferenceError struct {
	// Line is the line of the recording, or 0 if it is not one in particular.
	Line int
	// Text says what is different.
	Text string

	ended bool // the recording has nothing more
}

func (e *DifferenceError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("%s (line %d of the recording)", e.Text, e.Line)
}

// A Player plays a recording back once. It implements runtime.Tape. It is safe for concurrent use, but belongs to one
// call.
type Player struct {
	of *Recording

	mu     sync.Mutex
	at     int // the next event
	within int // how many of its numbers have been read
	last   int64
	used   []bool // calls that have been answered
	first  *DifferenceError
	ended  bool // see Ended
}

// Player returns a player at the beginning of the recording.
func (r *Recording) Player() *Player { return &Player{of: r, used: make([]bool, len(r.calls))} }

// differ notes a difference, and returns the first one. The caller holds the lock.
func (p *Player) differ(line int, text string, args ...any) error {
	if p.first == nil {
		p.first = &DifferenceError{Line: line, Text: fmt.Sprintf(text, args...)}
	}
	return p.first
}

// next returns the next event, which must be of a kind and about something. The caller holds the lock.
func (p *Player) next(kind, about string) (*event, error) {
	if p.first != nil {
		return nil, p.first
	}
	about = strings.ToValidUTF8(about, "\ufffd") // as JSON has it
	if p.at >= len(p.of.events) {
		err := p.differ(0, "the run that was recorded had ended, and this one %s", describe(kind, about))
		p.first.ended = true
		return nil, err
	}
	e := &p.of.events[p.at]
	if e.Kind != kind || e.About != about {
		return nil, p.differ(e.number, "the run that was recorded %s, and this one %s", describe(e.Kind, e.About),
			describe(kind, about))
	}
	return e, nil
}

// verbs are what a run does, by kinds of events.
var verbs = map[string]string{
	"clock": "read the clock", "ticks": "read the clock", "random": "drew random numbers", "wait": "waited",
	"poll": "looked for answers of calls", kindRead: "read", kindWrite: "wrote to", kindStdin: "read standard input",
	"stat": "looked at", "fstat": "looked at", "list": "listed", "names": "listed",
	"open": "opened", "create": "created",
	"close": "closed", "mkdir": "made the directory", "mkdirs": "made the directory", "remove": "removed",
	kindUsage: "counted its requests", "removes": "removed", "rename": "renamed", "lock": "locked the files",
}

// describe says what a run has done.
func describe(kind, about string) string {
	about = plaintext.Clean(about, 200)
	verb, ok := verbs[kind]
	if !ok {
		verb = "did " + plaintext.Clean(kind, 50) + " on"
	}
	if name, called := strings.CutPrefix(kind, "call "); called {
		return "called " + plaintext.Clean(name, 100)
	}
	if rest, opened := strings.CutPrefix(kind, "open "); opened {
		verb = "opened (" + plaintext.Clean(rest, 50) + ")"
	}
	if about == "" {
		return verb
	}
	return verb + " " + about
}

// Number implements runtime.Tape.
func (p *Player) Number(kind string, _ func() (int64, error)) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.next(kind, "")
	if err != nil {
		return 0, err
	}
	if len(e.Numbers) == 0 {
		return 0, p.damaged(e)
	}
	n := e.Numbers[p.within]
	if isClock(kind) {
		n += p.last
		p.last = n
	}
	if p.within++; p.within == len(e.Numbers) {
		p.pass()
	}
	return n, nil
}

// pass goes on to the next event.
func (p *Player) pass() {
	p.at++
	p.within, p.last = 0, 0
}

func (p *Player) damaged(e *event) error {
	return p.differ(e.number, "the recording is damaged: %s, but not what came of it", describe(e.Kind, e.About))
}

// Fill implements runtime.Tape.
func (p *Player) Fill(kind string, data []byte, _ func([]byte)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.next(kind, "")
	if err != nil {
		return err
	}
	if len(e.bytes) != len(data) {
		return p.differ(e.number, "the run that was recorded drew %d random bytes, and this one %d",
			len(e.bytes), len(data))
	}
	copy(data, e.bytes)
	p.pass()
	return nil
}

// Replays implements runtime.Tape.
func (p *Player) Replays() bool { return true }

// value implements deck.
func (p *Player) value(kind, about string, _ func() (any, error)) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.next(kind, about)
	if err != nil {
		return nil, err
	}
	p.pass()
	if e.Error != nil {
		return nil, e.Error.error()
	}
	if e.Value == nil {
		return json.RawMessage("null"), nil
	}
	return e.Value, nil
}

// transfer implements deck.
func (p *Player) transfer(kind, about string, data []byte, _ func([]byte) (int, error)) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.next(kind, about)
	if err != nil {
		return 0, err
	}
	if kind != kindWrite {
		if len(e.bytes) > len(data) {
			return 0, p.differ(e.number, "the run that was recorded %s up to %d bytes, and this one %d",
				describe(kind, about), len(e.bytes), len(data))
		}
		p.pass()
		return copy(data, e.bytes), e.Error.error()
	}
	if !bytes.Equal(data, e.bytes) {
		same := common(data, e.bytes)
		return 0, p.differ(e.number, "this run wrote something else to %s, from byte %d of %d on: %s instead of %s",
			plaintext.Clean(about, 200), same, len(e.bytes), excerpt(data[same:]), excerpt(e.bytes[same:]))
	}
	var n int
	if json.Unmarshal(e.Value, &n) != nil || n < 0 || n > len(data) {
		return 0, p.damaged(e)
	}
	p.pass()
	return n, e.Error.error()
}

// excerpt is the beginning of data, for people.
func excerpt(data []byte) string {
	const most = 60
	if len(data) > most {
		return fmt.Sprintf("%q...", data[:most])
	}
	return fmt.Sprintf("%q", data)
}

// Files returns the files that were recorded. Nothing else is behind them. It is nil if the call had no files.
func (p *Player) Files() afero.Fs {
	if p.of.header.NoFiles {
		return nil
	}
	return newFiles(p, nil)
}

// Stdin returns the standard input that was recorded.
func (p *Player) Stdin() io.Reader { return stdin{p, nil} }

// Middleware answers the calls that the recorded call makes.
func (p *Player) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		if call.Parent == "" {
			return next(ctx, call, env)
		}
		answer, err := p.answer(call)
		if err != nil {
			return tool.Result{Content: []tool.Part{{Text: err.Error()}}, Code: tool.CodeFailed, Err: err}
		}
		if answer == nil { // the run that was recorded was over before
			<-ctx.Done()
			return tool.Failure(tool.CodeCanceled, "The run is over.")
		}
		return answer.result()
	}
}

// answer returns the answer to a call, or the difference.
func (p *Player) answer(call tool.Call) (*outcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first != nil {
		return nil, p.first
	}
	input := string(call.Input)
	now := fmt.Sprintf("%s with %s", call.Tool, excerpt([]byte(input)))
	for i, c := range p.of.calls {
		switch {
		case p.used[i], c.of != call.Number:
			continue
		case call.Number == 0 && (c.tool != call.Tool || c.input != input):
			continue
		case c.tool != call.Tool || c.input != input:
			return nil, p.differ(0, "call %d of the run that was recorded was of %s with %s, "+
				"and now it is of %s", call.Number,
				plaintext.Clean(c.tool, 100), excerpt([]byte(c.input)), now)
		}
		p.used[i] = true
		return c.result, nil
	}
	if p.of.Stopped() {
		return nil, nil
	}
	return nil, p.differ(0, "the run that was recorded has not made the call of %s", now)
}

// Difference returns the first difference that has been found so far, or nil.
func (p *Player) Difference() *DifferenceError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first
}

// Ended reports whether the run has come to its end without a difference to the recording: only its result has one.
func (p *Player) Ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// End compares the result with the one that was recorded, and returns the first difference, or nil. How long something
// has taken makes none.
func (p *Player) End(result tool.Result) *DifferenceError {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of.Stopped() {
		if p.first != nil && p.first.ended {
			return nil
		}
		return p.first
	}
	if p.first != nil {
		return p.first
	}
	p.ended = true
	if p.first = compare(p.of.Result(), result); p.first != nil {
		return p.first
	}
	if p.at < len(p.of.events) {
		e := p.of.events[p.at]
		_ = p.differ(e.number, "this run has ended, and the one that was recorded %s", describe(e.Kind, e.About))
	}
	return p.first
}
