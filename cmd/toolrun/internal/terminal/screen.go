// Package terminal implements what the command does on terminals only: colours, a progress line, and a line editor.
// Output cannot control the terminal, whoever has written it.
package terminal

import (
	"io"
	"os"
	"runtime"
	"sync"

	"golang.org/x/term"
)

// A screen writes to a terminal and escapes everything as [Escape] does: scripts, files and servers influence the
// output, and must not set a title, clear the screen or imitate a prompt. It is safe for concurrent use.
type screen struct {
	file    *os.File
	control bool // it understands control sequences
	colour  bool

	mu      sync.Mutex
	pending []byte // an incomplete character
	within  bool   // the last line has no newline yet
	line    *line  // a line of progress, which makes way for all that is written
}

// share sets the line of progress, which is nil for none.
func (s *screen) share(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = l
}

// Out returns the writer to use for a stream: a *screen for a terminal, and otherwise the stream itself, with its
// bytes unchanged. getenv returns variables of the environment: NO_COLOR with any value and CLICOLOR=0 switch colours
// off; TERM=dumb switches all control sequences off.
func Out(stream io.Writer, getenv func(name string) string) io.Writer {
	if !IsTerminal(stream) {
		return stream
	}
	file := stream.(*os.File)
	s := &screen{file: file}
	name := getenv("TERM")
	s.control = name != "dumb" && (name != "" || runtime.GOOS == "windows") && enableSequences(file)
	s.colour = s.control && getenv("NO_COLOR") == "" && getenv("CLICOLOR") != "0"
	return s
}

// IsTerminal reports whether a stream is a terminal, or the result of Out for one.
func IsTerminal(stream any) bool {
	switch stream := stream.(type) {
	case *screen:
		return true
	case *os.File:
		return term.IsTerminal(int(stream.Fd()))
	}
	return false
}

// Flush writes the rest of an incomplete character. w is a result of Out.
func Flush(w io.Writer) error {
	s, ok := w.(*screen)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.file.Write(s.takePending())
	return err
}

// takePending returns the pending bytes, escaped, when their rest does not follow.
func (s *screen) takePending() []byte {
	text := appendEscaped(nil, s.pending, true)
	s.pending = nil
	return text
}

// Write writes text, escaped. An incomplete character waits for its rest.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(text)
	all := append(s.pending, text...)
	s.pending = append([]byte(nil), all[len(all)-incomplete(all):]...)
	if _, err := s.file.Write(appendEscaped(nil, all, false)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// A Style is the look of text.
type Style string

// Styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Print writes text in a style to a result of Out. Without colours it writes the text alone.
func Print(w io.Writer, style Style, text string) error {
	s, ok := w.(*screen)
	if !ok || !s.colour || style == Plain || text == "" {
		_, err := io.WriteString(w, text)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin([]byte(text))
	styled := appendEscaped(append(s.takePending(), "\x1b["+style+"m"...), []byte(text), true)
	_, err := s.file.Write(append(styled, "\x1b[0m"...))
	return err
}

// begin makes room for text, and notes whether it ends a line.
func (s *screen) begin(text []byte) {
	if s.line != nil {
		s.line.erase()
	}
	if len(text) > 0 {
		s.within = text[len(text)-1] != '\n'
	}
}

// withinLine reports whether the last line that was written has no newline yet. Control sequences do not count.
func (s *screen) withinLine() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.within
}

// width is the number of columns.
func (s *screen) width() int {
	if width, _, err := term.GetSize(int(s.file.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}
