package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
)

// A display shows a call.
type display interface {
	// entry shows an entry of the console of the call's code while it runs, and reports whether it does that.
	entry(tool.ConsoleEntry) bool
	// result shows the result. The error is errToolFailed if the tool failed.
	result(tool.Result) error
	// interrupted shows what is left of the console of a call that was interrupted.
	interrupted(tool.Result) error
}

// A personPrinter prints what code does for a person: what it writes to the console, as it is and when it is written,
// and its result. Warnings and errors go to standard error. It is safe for concurrent use.
type personPrinter struct {
	out, errs stream
	undefined string // what to print if there is no result
	whole     bool   // end the last lines if the code does not
	quiet     bool   // print what the code prints, and not its result
	getenv    func(string) string

	mu      sync.Mutex
	printed int   // bytes of the console
	ended   bool  // the rest comes with the result
	err     error // why the console could not be printed
}

// A stream is where a personPrinter writes to.
type stream struct {
	io.Writer
	unfinished bool // the last line has no newline yet
}

func newPersonPrinter(cmd *cobra.Command) *personPrinter {
	return &personPrinter{out: stream{Writer: cmd.OutOrStdout()}, errs: stream{Writer: cmd.ErrOrStderr()},
		getenv: hostOf(cmd).getenv}
}

func (s *stream) print(style terminal.Style, text string) error {
	if text == "" {
		return nil
	}
	s.unfinished = !strings.HasSuffix(text, "\n")
	return terminal.Print(s.Writer, style, text)
}

// endLine ends an unfinished line.
func (s *stream) endLine() error {
	if !s.unfinished {
		return nil
	}
	return s.print(terminal.Plain, "\n")
}

// endLines ends what code has left unfinished: what is next on a stream is not the code's. Terminals show both streams.
func (p *personPrinter) endLines(next *stream) error {
	for _, s := range []*stream{&p.out, &p.errs} {
		if s != next && !p.whole && !terminal.IsTerminal(s.Writer) {
			continue
		}
		if err := s.endLine(); err != nil {
			return err
		}
	}
	return nil
}

func (p *personPrinter) entry(e tool.ConsoleEntry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.print(e.Level, consoleBytes(e.Text, e.Unfinished))
	}
	return true
}

// consoleBytes returns what an entry of the console is on a terminal.
func consoleBytes(text string, unfinished bool) string {
	if unfinished {
		return text
	}
	return text + "\n"
}

// print prints what comes next of the console.
func (p *personPrinter) print(level, text string) {
	if p.err != nil {
		return
	}
	p.printed += len(text)
	switch level {
	case sandbox.LevelWarn.String():
		p.err = p.errs.print(terminal.Yellow, text)
	case sandbox.LevelError.String():
		p.err = p.errs.print(terminal.Red, text)
	default:
		p.err = p.out.print(terminal.Plain, text)
	}
}

// rest prints what has not been printed yet of the console.
func (p *personPrinter) rest(console []sandbox.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	printed := p.printed
	for _, e := range console {
		text := consoleBytes(e.Text, e.Unfinished)
		n := min(printed, len(text))
		printed -= n
		p.print(e.Level.String(), text[n:])
	}
	return p.err
}

func (p *personPrinter) interrupted(result tool.Result) error {
	report, _ := newReport(result)
	if err := p.rest(report.Console); err != nil {
		return err
	}
	return p.endLines(nil)
}

// result prints what has not been printed yet. The error is errToolFailed if the code failed, and an exitError if it
// exited.
func (p *personPrinter) result(result tool.Result) error {
	report, ok := newReport(result)
	if !ok {
		report.Text = result.Text()
	}
	if err := p.rest(report.Console); err != nil {
		return err
	}
	text := strings.TrimSuffix(report.Text, "\n") + "\n"
	var to *stream
	style := terminal.Plain
	switch {
	case report.Exited:
	case result.IsError():
		to, style = &p.errs, terminal.Red
	case p.quiet:
	case !report.Undefined:
		to = &p.out
	case p.undefined != "":
		to, text = &p.out, p.undefined+"\n"
	}
	err := p.endLines(to)
	if err == nil && to != nil {
		err = to.print(style, text)
	}
	if err == nil {
		err = p.showPictures(result)
	}
	if err == nil && report.Note != "" {
		err = errors.Join(p.errs.endLine(), p.errs.print(terminal.Plain, report.Note+"\n"))
	}
	notes := report.Session
	if note := unprotectNote(text); note != "" && result.IsError() {
		notes = append(slices.Clip(notes), note)
	}
	for _, note := range notes {
		if err == nil {
			err = errors.Join(p.errs.endLine(), p.errs.print(terminal.Plain, note+"\n"))
		}
	}
	switch {
	case err != nil:
		return err
	case report.Exited:
		return exitError(report.Status)
	case result.IsError():
		return errToolFailed
	}
	return nil
}

// An exitError is the status with which code has called process.exit.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("the code exited with status %d", int(e)) }

// A modelPrinter prints the text of a result that a model gets.
type modelPrinter struct{ out io.Writer }

func (modelPrinter) entry(tool.ConsoleEntry) bool { return false }

// interrupted prints the result, which has all of the console.
func (p modelPrinter) interrupted(result tool.Result) error { return p.result(result) }

func (p modelPrinter) result(result tool.Result) error {
	style := terminal.Plain
	if result.IsError() {
		style = terminal.Red
	}
	if err := terminal.Print(p.out, style, strings.TrimSuffix(result.Text(), "\n")+"\n"); err != nil {
		return err
	}
	if result.IsError() {
		return errToolFailed
	}
	return nil
}
