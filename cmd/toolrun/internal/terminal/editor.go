package terminal

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"
)

// ErrInterrupted means that Ctrl-C was pressed.
var ErrInterrupted = errors.New("interrupted")

// ErrLineTooLong means that a line is longer than the editor accepts.
var ErrLineTooLong = errors.New("the line is longer than 4095 characters: break it up, or put it into a file")

// maxLine is the most characters of a line; x/term drops what is typed after them.
const maxLine = 4096

// A Completer returns completions of the text before the cursor: words that replace the part from start on.
type Completer func(before string) (start int, words []string)

// An Editor reads lines from a terminal, with a history, completion and the usual keys. The terminal is in raw mode
// only while a line is read. An Editor is not safe for concurrent use.
type Editor struct {
	in          *os.File
	screen      *screen
	keys        *keys
	term        *term.Terminal
	history     *History
	complete    Completer
	interrupted bool
}

// NewEditor returns an editor for a terminal, or nil if the terminal cannot be controlled: in must be a terminal,
// and out the result of [Out] for one.
func NewEditor(in io.Reader, out io.Writer, history *History, complete Completer) *Editor {
	file, ok := in.(*os.File)
	screen, ok2 := out.(*screen)
	if !ok || !ok2 || !screen.control || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	e := &Editor{in: file, screen: screen, keys: &keys{in: file}, history: history, complete: complete}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.keys, echo{file: screen.file}}, "")
	e.term.AutoCompleteCallback = e.key
	e.term.History = recall{history}
	return e
}

// ReadLine reads a line. The error is io.EOF at the end of the input (Ctrl-D on an empty line), [ErrInterrupted],
// [ErrLineTooLong], or that of the terminal.
func (e *Editor) ReadLine(prompt string) (string, error) {
	line, err := e.read(prompt, e.term.ReadLine)
	if err == nil {
		e.history.add(line)
	}
	return line, err
}

// Ask reads the answer to a question. A hidden one is not shown while it is entered. The errors are those of ReadLine.
func (e *Editor) Ask(question string, hidden bool) (string, error) {
	question = strings.Join(strings.Fields(Escape(question)), " ") + " "
	if !hidden {
		return e.read(question, e.term.ReadLine)
	}
	e.keys.interrupted = false // x/term passes on no keys here
	return e.read(question, func() (string, error) {
		line, err := e.term.ReadPassword(question)
		e.interrupted = e.keys.interrupted
		return line, err
	})
}

// read has the terminal in raw mode while a line is read.
func (e *Editor) read(prompt string, readLine func() (string, error)) (string, error) {
	fd := int(e.in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	restore := func() { _ = term.Restore(fd, before) }
	defer restore()
	defer whenKilled(restore)()
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = e.term.SetSize(width, height)
	}
	e.term.SetPrompt(prompt)
	e.term.SetBracketedPasteMode(true)
	defer e.term.SetBracketedPasteMode(false)
	e.interrupted = false
	line, err := readLine()
	switch {
	case err != nil && err != term.ErrPasteIndicator:
		return "", err
	case e.interrupted:
		return "", ErrInterrupted
	case utf8.RuneCountInString(line) >= maxLine:
		return "", ErrLineTooLong
	}
	return line, nil
}

// whenKilled calls do before SIGTERM or SIGHUP ends the process, until done is called.
func whenKilled(do func()) (done func()) {
	killed, end := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(killed, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case sig := <-killed:
			do()
			signal.Reset(sig)
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(sig)
			}
		case <-end:
		}
	}()
	return func() {
		signal.Stop(killed)
		close(end)
	}
}

// keyInterrupt replaces Ctrl-C, which x/term would take for the end of input.
const keyInterrupt = 0x1d

// key handles the keys that x/term does not: Ctrl-C and completion.
func (e *Editor) key(line string, pos int, key rune) (string, int, bool) {
	switch key {
	case keyInterrupt:
		e.interrupted = true
		return line + "^C", len(line) + 2, true
	case '\t':
		line, pos = e.completed(line, pos)
		return line, pos, true
	}
	return "", 0, false
}

// maxWords is the most words that are listed.
const maxWords = 100

// completed completes the line as far as all words agree, or lists the words.
func (e *Editor) completed(line string, pos int) (string, int) {
	start, words := e.complete(line[:pos])
	if len(words) == 0 || start > pos {
		return line, pos
	}
	common := words[0]
	for _, word := range words[1:] {
		for !strings.HasPrefix(word, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	if len(words) > 1 && len(common) <= pos-start {
		more := ""
		if len(words) > maxWords {
			words, more = words[:maxWords], "  ..."
		}
		_, _ = io.WriteString(e.term, Escape(strings.Join(words, "  ")+more+"\n"))
		return line, pos
	}
	return line[:start] + common + line[pos:], start + len(common)
}
