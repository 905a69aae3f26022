package python

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/python"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// run is the state of one run on the host's side.
type run struct {
	*sandbox.Run
	options RunOptions
	code    string
	report  python.Report
	calls   calls

	firstName string   // of the session's first code
	scripts   int      // how much code of the session has run before
	functions []string // the names of those that code can have, by their numbers

	current python.Step
	begun   bool   // the guest has the task of the step
	imports string // the modules, for StepImports
}

func newRun(r *sandbox.Run, options RunOptions) *run {
	return &run{Run: r, options: options, firstName: options.Name, functions: functionNames(options.Functions)}
}

// errNotText is the error of code that has bytes that are not UTF-8.
var errNotText = errors.New("python: the code is not valid UTF-8")

// task returns what the boot code gets to know of the run.
func (r *run) task(seed uint64) ([]byte, error) {
	code := r.code
	if r.current == python.StepImports {
		code = r.imports
	}
	task := python.Task{
		Step: r.current, Code: code, Name: r.options.Name, Args: r.options.Args,
		Functions: r.functions, Libraries: r.options.Libraries, Seed: seed, Room: r.Output().Left(),
		Input: r.hasInput(), Expression: r.options.Expression, Session: r.options.Session,
	}
	return task.Encode()
}

func (r *run) hasInput() bool { return r.options.Stdin != nil || r.options.StdinFrom != nil }

// maxReport is how many bytes a request that says how the run has ended may have, beside what the output limit allows.
const maxReport = 1 << 20

// add adds what the boot code says of the end of the run.
func (r *run) add(op byte, payload []byte) {
	if len(payload) <= maxReport+8*r.Output().Left() {
		r.report.Add(op, payload)
	}
}

// exitStatus returns the error of code that has ended the run with a status.
func exitStatus(status int) error {
	if status == 0 {
		return nil
	}
	return &ExitError{Code: status}
}

// outcome returns the error that the report means.
func (in *instance) outcome() error {
	report := &in.run.report
	switch e := report.Exception; {
	case e != nil && e.Memory && in.Refused():
		return in.MemoryError()
	case e != nil:
		return &ScriptError{
			Type: e.Type, Message: e.Message, Traceback: in.run.shorten(e.Text),
			File: e.File, Line: max(e.Line, 0), Column: max(e.Column, 0), Syntax: e.Syntax,
		}
	case report.Exit != nil:
		return exitStatus(*report.Exit)
	case report.Suspended:
		return ErrSuspend
	}
	return nil
}

// shorten cuts text to the output limit.
func (r *run) shorten(text string) string {
	if most := r.Output().Left(); len(text) > most {
		cut := plaintext.Boundary(text, most)
		r.Output().Cut(len(text) - cut)
		return text[:cut]
	}
	return text
}

// show keeps a picture, of which the boot code says the type, a NUL, and the bytes. It returns what is printed instead.
func (r *run) show(payload []byte) []byte {
	mime, data, _ := bytes.Cut(payload, []byte{0})
	if len(data) <= sandbox.MaxPictured { // otherwise it is not kept
		data = bytes.Clone(data)
	}
	return []byte(script.Show(r.Output(), sandbox.Picture{MIME: string(mime[:min(len(mime), 100)]), Data: data}))
}

// result makes the run's result. err is the error of the run.
func (r *run) result(err error) *Result {
	out := &Result{Usage: r.Usage()}
	if report := &r.report; err == nil && report.Text != nil {
		text := *report.Text
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\ufffd")
		}
		out.Text = r.shorten(text)
		r.Output().Result(out.Text, report.Cut)
		out.Value = decodeValue(report.Data)
	}
	out.Console, out.Truncated = r.Output().End()
	out.Pictures = r.Output().Pictures()
	return out
}
