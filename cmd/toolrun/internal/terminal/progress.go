package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

const (
	progressDelay    = time.Second // shorter work shows no line
	progressInterval = 200 * time.Millisecond
)

// A Progress is a line on a terminal that shows how long something has taken and how far it is. It appears after a
// second, unless the cursor is within a line of something else, and is removed at the end. It is safe for concurrent
// use. A nil Progress does nothing.
type Progress struct {
	screens []*screen // what writes to the terminal
	start   time.Time
	stop    chan struct{}
	ended   sync.WaitGroup

	drawing sync.Mutex // held while others need the screen
	line    line

	mu     sync.Mutex
	report string
}

// StartProgress begins a line on a writer that Out returned. The others, which Out returned as well, may write to the
// same terminal meanwhile. It returns nil if the writer is not a terminal, or one that cannot remove a line.
func StartProgress(w io.Writer, others ...io.Writer) *Progress {
	s, ok := w.(*screen)
	if !ok || !s.control {
		return nil
	}
	p := &Progress{screens: []*screen{s}, start: time.Now(), stop: make(chan struct{}), line: line{file: s.file}}
	for _, other := range others {
		if other, ok := other.(*screen); ok {
			p.screens = append(p.screens, other)
		}
	}
	for _, screen := range p.screens {
		screen.share(&p.line)
	}
	p.ended.Go(p.run)
	return p
}

// Report sets the message and the progress: done of total, in any unit; total is 0 if it is unknown.
func (p *Progress) Report(message string, done, total float64) {
	if p == nil {
		return
	}
	parts := []string{}
	// A server may have written the message: show one line, and keep no more than any line can show.
	if message = strings.Join(strings.Fields(plaintext.Cut(message, 1000)), " "); message != "" {
		parts = append(parts, message)
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	switch {
	case total > 0:
		parts = append(parts, number(done)+"/"+number(total))
	case done > 0:
		parts = append(parts, number(done))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = strings.Join(parts, "  ")
}

// Stop removes the line. Call it once.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	close(p.stop)
	p.ended.Wait()
	for _, screen := range p.screens {
		screen.share(nil)
	}
}

func (p *Progress) run() {
	timer := time.NewTimer(progressDelay)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			p.drawing.Lock()
			if !slices.ContainsFunc(p.screens, (*screen).withinLine) {
				p.line.draw(p.text())
			}
			p.drawing.Unlock()
			timer.Reset(progressInterval)
		case <-p.stop:
			p.Above(func() {})
			return
		}
	}
}

// Above calls print, which prints something on the same terminal, without the line, which then appears again below.
func (p *Progress) Above(print func()) {
	if p == nil {
		print()
		return
	}
	p.drawing.Lock()
	defer p.drawing.Unlock()
	p.line.erase()
	print()
}

// A line is the place of a line of progress on a terminal. Several screens of the terminal share it: what they write
// takes its place.
type line struct {
	file *os.File

	mu    sync.Mutex
	shown bool
}

func (l *line) draw(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = true
	_, _ = l.file.WriteString("\r\x1b[K" + text) // decoration only
}

func (l *line) erase() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		l.shown = false
		_, _ = l.file.WriteString("\r\x1b[K")
	}
}

// text returns the line, short enough not to wrap.
func (p *Progress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := []rune(Escape(fmt.Sprintf("%.0fs  %s", time.Since(p.start).Truncate(time.Second).Seconds(), p.report)))
	// A character can take two columns.
	columns := 0
	for i, r := range text {
		if columns++; r >= 0x1100 {
			columns++
		}
		if columns >= p.screens[0].width() {
			return string(text[:i])
		}
	}
	return strings.TrimRight(string(text), " ")
}
