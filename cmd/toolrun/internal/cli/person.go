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

// A personPrinter prints what code does for a person: what it writes to the console, as it is, and its result. Warnings
// and errors go to standard error. It is safe for concurrent use.
type personPrinter struct {
	out, errs io.Writer
	undefined bool // print a result that is undefined, too

	mu      sync.Mutex
	printed int // entries of the console
}

func newPersonPrinter(cmd *cobra.Command) *personPrinter {
	return &personPrinter{out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
}

// entry prints the next entry of the console.
func (p *personPrinter) entry(e sandbox.Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printed++
	switch e.Level {
	case sandbox.LevelWarn:
		return terminal.Print(p.errs, terminal.Yellow, e.Text+"\n")
	case sandbox.LevelError:
		return terminal.Print(p.errs, terminal.Red, e.Text+"\n")
	}
	_, err := io.WriteString(p.out, e.Text+"\n")
	return err
}

// result prints what has not been printed yet. The error is errToolFailed if the code failed, and an exitError if it
// exited.
func (p *personPrinter) result(result registry.Result) error {
	report, ok := javascript.NewReport(result)
	if !ok {
		report.Text = result.Text()
	}
	for _, e := range report.Console[min(p.printed, len(report.Console)):] {
		if err := p.entry(e); err != nil {
			return err
		}
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

// printModel prints the text of a result that a model gets. The error is errToolFailed if the tool failed.
func printModel(w io.Writer, result registry.Result) error {
	style := terminal.Plain
	if result.IsError() {
		style = terminal.Red
	}
	if err := terminal.Print(w, style, strings.TrimSuffix(result.Text(), "\n")+"\n"); err != nil {
		return err
	}
	if result.IsError() {
		return errToolFailed
	}
	return nil
}
