package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
)

// inputLines reads lines without a line editor. An interrupt does not wait for the input.
type inputLines struct {
	in         io.Reader
	prompt     io.Writer        // nil for no prompt
	interrupts <-chan os.Signal // end the current line
	ended      <-chan struct{}  // ends the input

	lines chan inputLine // nil until the first line is read
}

type inputLine struct {
	text string
	err  error
}

func (l *inputLines) read(prompt string) (string, error) {
	if l.prompt != nil {
		if _, err := io.WriteString(l.prompt, prompt); err != nil {
			return "", err
		}
	}
	if l.lines == nil {
		l.lines = make(chan inputLine)
		go l.readAll()
	}
	select {
	case line := <-l.lines:
		return line.text, line.err
	case <-l.interrupts:
		_, err := io.WriteString(l.prompt, "\n")
		return "", errors.Join(terminal.ErrInterrupted, err)
	case <-l.ended:
		return "", io.EOF
	}
}

// readAll reads lines, one ahead, until the input ends or fails. Reading cannot be stopped.
func (l *inputLines) readAll() {
	in := bufio.NewReaderSize(l.in, 64<<10)
	var line strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		line.Write(part)
		switch {
		case line.Len() > maxEntryBytes:
			l.lines <- inputLine{err: errEntryTooLong}
			return
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && line.Len() == 0:
			for {
				l.lines <- inputLine{err: err}
			}
		}
		l.lines <- inputLine{text: strings.TrimSuffix(strings.TrimSuffix(line.String(), "\n"), "\r")}
		line.Reset()
	}
}
