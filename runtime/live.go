package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// live passes the entries of a run's console to a function as they are printed, and a line that is not finished in
// pieces. The function has a goroutine of its own, so a slow one does not hold up the run. What waits for it is in the
// run's output as well, so the output limit bounds it: pieces that wait are one. A nil live does nothing.
type live struct {
	show func(Entry)
	wake chan struct{} // has a value if there may be entries waiting
	done chan struct{} // closed when the goroutine has ended; nil before there is one
	over atomic.Bool   // nothing more may be shown

	mu      sync.Mutex
	waiting []Entry
	line    Entry  // the level and library of the unfinished line
	rest    []byte // its text, after what has been taken
	taken   int    // how many bytes of it have been taken
}

// liveGrace is how long a run that was stopped waits until its last entries have been shown.
const liveGrace = 250 * time.Millisecond

func newLive(show func(Entry)) *live {
	if show == nil {
		return nil
	}
	return &live{show: show, wake: make(chan struct{}, 1)}
}

// add shows an entry soon. Only the goroutine that drives the run calls it.
func (l *live) add(e Entry) {
	if l == nil {
		return
	}
	l.mu.Lock()
	if shown := l.taken; shown == 0 || shown < len(e.Text) || !e.Unfinished {
		e.Text = e.Text[shown:] // what has been taken is the beginning of this entry
		l.waiting = append(l.waiting, e)
	}
	l.rest, l.taken = l.rest[:0], 0
	l.mu.Unlock()
	l.signal()
}

// begin shows what a line has so far soon. Only the goroutine that drives the run calls it.
func (l *live) begin(line Entry, text []byte) {
	if l == nil {
		return
	}
	l.mu.Lock()
	line.Unfinished = true
	l.line = line
	more := text[l.taken+len(l.rest):]
	l.rest = append(l.rest, more...)
	l.mu.Unlock()
	if len(more) > 0 {
		l.signal()
	}
}

// signal wakes the goroutine.
func (l *live) signal() {
	if l.done == nil {
		l.done = make(chan struct{})
		go l.run()
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *live) run() {
	defer close(l.done)
	defer func() { _ = recover() }() // of show: the entries that it did not get are in the run's output
	for range l.wake {
		for _, e := range l.take() {
			if l.over.Load() {
				return
			}
			l.show(e)
		}
	}
}

func (l *live) take() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := l.waiting
	l.waiting = nil
	if len(l.rest) > 0 {
		l.line.Text = utf8text.View(l.rest)
		entries = append(entries, l.line)
		l.rest, l.taken = nil, l.taken+len(l.rest)
	}
	return entries
}

// end waits until all entries have been shown, but not long after the run had to end.
func (l *live) end(r *Run) {
	if l == nil || l.done == nil {
		return
	}
	close(l.wake)
	ctx, cancel := r.caller, context.CancelFunc(func() {})
	if deadline := r.deadline.Load(); deadline != nil {
		ctx, cancel = context.WithDeadline(ctx, *deadline)
	}
	defer cancel()
	select {
	case <-l.done:
		return
	case <-ctx.Done():
	case <-r.program.engine.closing.Done():
	}
	timer := time.NewTimer(liveGrace)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
		l.over.Store(true)
	}
}
