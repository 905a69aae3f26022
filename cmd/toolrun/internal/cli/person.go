package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/javascript"
)

// A display shows a call.
type display interface {
	// entry shows an entry of the console of the call's code while it runs, and reports whether it does that.
	entry(registry.ConsoleEntry) bool
	// result shows the result. The error is errToolFailed if the tool failed.
	result(registry.Result) error
	// interrupted shows what is left of the console of a call that was interrupted.
	interrupted(registry.Result) error
}

// A personPrinter prints what code does for a person: what it writes to the console, as it is and when it is written,
// and its result. Warnings and errors go to standard error. It is safe for concurrent use.
type personPrinter struct {
	out, errs io.Writer
	undefined bool // print a result that is undefined, too

	mu      sync.Mutex
	printed int   // entries of the console
	ended   bool  // the rest comes with the result
	err     error // why an entry could not be printed
}

func newPersonPrinter(cmd *cobra.Command) *personPrinter {
	return &personPrinter{out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
}

func (p *personPrinter) entry(e registry.ConsoleEntry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.print(e.Level, e.Text)
	}
	return true
}

// print prints the next entry of the console.
func (p *personPrinter) print(level, text string) {
	if p.err != nil {
		return
	}
	p.printed++
	switch level {
	case sandbox.LevelWarn.String():
		p.err = terminal.Print(p.errs, terminal.Yellow, text+"\n")
	case sandbox.LevelError.String():
		p.err = terminal.Print(p.errs, terminal.Red, text+"\n")
	default:
		_, p.err = io.WriteString(p.out, text+"\n")
	}
}

// rest prints the entries that have not been printed yet.
func (p *personPrinter) rest(console []sandbox.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, e := range console[min(p.printed, len(console)):] {
		p.print(e.Level.String(), e.Text)
	}
	return p.err
}

func (p *personPrinter) interrupted(result registry.Result) error {
	report, _ := javascript.NewReport(result)
	return p.rest(report.Console)
}

// result prints what has not been printed yet. The error is errToolFailed if the code failed, and an exitError if it
// exited.
func (p *personPrinter) result(result registry.Result) error {
	report, ok := javascript.NewReport(result)
	if !ok {
		report.Text = result.Text()
	}
	if err := p.rest(report.Console); err != nil {
		return err
	}
	text := strings.TrimSuffix(report.Text, "\n") + "\n"
	var err error
	switch {
	case report.Exited:
	case result.IsError():
		err = terminal.Print(p.errs, terminal.Red, text)
	case !report.Undefined:
		_, err = io.WriteString(p.out, text)
	case p.undefined:
		_, err = io.WriteString(p.out, "undefined\n")
	}
	if err == nil && report.Note != "" {
		_, err = io.WriteString(p.errs, report.Note+"\n")
	}
	switch {
	case err != nil || !result.IsError():
		return err
	case report.Exited:
		return exitError(report.Status)
	}
	return errToolFailed
}

// An exitError is the status with which code has called process.exit.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("the code exited with status %d", int(e)) }

// A modelPrinter prints the text of a result that a model gets.
type modelPrinter struct{ out io.Writer }

func (modelPrinter) entry(registry.ConsoleEntry) bool { return false }

// interrupted prints the result, which has all of the console.
func (p modelPrinter) interrupted(result registry.Result) error { return p.result(result) }

func (p modelPrinter) result(result registry.Result) error {
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
