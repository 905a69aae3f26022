package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/recording"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// recordFlags say where a call gets the time and random numbers from, and whether it is recorded.
type recordFlags struct {
	file, seed, clock string

	host  recordedHost
	stdin *tapedInput // nil if the code has none
}

// recordedHost is what a recording has of how the command has made the call.
type recordedHost struct {
	Name       string    `json:"name,omitempty"` // of the code
	Args       []string  `json:"args,omitempty"`
	Expression bool      `json:"expression,omitempty"`
	Stdin      bool      `json:"stdin,omitempty"`  // the code has standard input
	Whole      bool      `json:"whole,omitempty"`  // the limits are those of code at a shell
	Inline     int       `json:"inline,omitempty"` // otherwise
	Seed       string    `json:"seed,omitempty"`
	Clock      time.Time `json:"clock,omitzero"`
}

func (f *recordFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "record", "",
		"write a recording to `FILE`, for toolrun replay; it has what the call has read")
	cmd.Flags().StringVar(&f.seed, "seed", "", "give code the random numbers of the seed `N`: the same in each run")
	cmd.Flags().StringVar(&f.clock, "clock", "", "let the clock of code begin at `TIME`, such as 2026-01-02T15:04:05Z")
}

// source returns where the code gets the time and random numbers from.
func (f *recordFlags) source() (sandbox.Source, error) {
	s := sandbox.Source{Seed: f.seed}
	if f.clock == "" {
		return s, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, f.clock); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			s.Clock = t.UTC()
			return s, nil
		}
	}
	return s, fmt.Errorf("--clock must be a time from 1970 on, such as 2026-01-02T15:04:05Z, not %q", f.clock)
}

// taped returns standard input for code, which is recorded if the call is. Nil stays nil.
func (f *recordFlags) taped(stdin io.Reader) io.Reader {
	if stdin == nil {
		return nil
	}
	f.stdin = &tapedInput{stdin}
	f.host.Stdin = true
	return f.stdin
}

// tapedInput is standard input that is replaced by its recorded form when the recording begins.
type tapedInput struct{ io.Reader }

// A prepared call is one with what it is made with.
type prepared struct {
	ctx   context.Context
	tools *registry.Registry
	env   registry.Env
	// end is called with the result, whatever that is.
	end func(tool.Result) error
}

// prepare begins the recording of a call on a host, if there is to be one.
func (f *recordFlags) prepare(ctx context.Context, on *Host, tools *registry.Registry, call tool.Call,
	env registry.Env) (prepared, error) {
	p := prepared{ctx, tools, env, func(tool.Result) error { return nil }}
	source, err := f.source()
	if err != nil {
		return p, err
	}
	if f.file == "" {
		if source != (sandbox.Source{}) {
			p.ctx = sandbox.WithSource(ctx, source)
		}
		return p, nil
	}
	header, err := f.header(tools, call, env, source)
	if err != nil {
		return p, err
	}
	out, err := on.openFile(f.file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return p, fmt.Errorf("--record: %w", err)
	}
	if info, err := out.Stat(); err == nil && info.Mode().IsRegular() {
		_ = out.Chmod(0o600) // it may have been there; systems without modes refuse
	}
	recorder := recording.NewRecorder(out, header, nil)
	if f.stdin != nil {
		f.stdin.Reader = recorder.Stdin(f.stdin.Reader)
	}
	source.Tape = recorder
	p.ctx = sandbox.WithSource(ctx, source)
	p.env.Files = recorder.Files(env.Files)
	p.env.Selection.Network = recorder.Network(env.Selection.Network)
	p.tools = tools.Using(recorder.Middleware)
	p.end = func(result tool.Result) error {
		if err := errors.Join(recorder.End(&result), out.Close()); err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		return nil
	}
	return p, nil
}

// recordedBy is what recordings say of this program.
func recordedBy() string { return "toolrun " + ownversion.Get() }

func (f *recordFlags) header(tools *registry.Registry, call tool.Call, env registry.Env,
	source sandbox.Source) (recording.Header, error) {
	h := recording.Header{
		Made: time.Now().UTC().Truncate(time.Second), By: recordedBy(),
		ID: call.ID, Tool: call.Tool, Input: string(call.Input), Project: env.Project, NoFiles: env.Files == nil,
		Network: recording.NetworkOf(env.Selection.Network),
	}
	f.host.Seed, f.host.Clock = source.Seed, source.Clock
	if f.host.Whole = env.Limits.Output == shellLimits.Output; !f.host.Whole {
		f.host.Inline = env.Limits.Inline
	}
	if env.Checkpoint != registry.CheckpointNever {
		return h, errors.New("--record: calls that make checkpoints cannot be recorded; add --checkpoint never")
	}
	var err error
	if h.Host, err = json.Marshal(f.host); err != nil {
		return h, err
	}
	options, err := tools.Options(call.Tool, env.Selection)
	if err != nil {
		return h, nil // the call will say so
	}
	if options.Text(tool.OptionSession) != "" || options.Bool(tool.OptionRollback) {
		return h, fmt.Errorf("--record: a call with the option %s or %s cannot be recorded: "+
			"it depends on more than recordings have",
			tool.OptionSession, tool.OptionRollback)
	}
	h.Options = options.Map()
	if !options.Bool(code.OptionToolCalls) { // which other tools that run code have, too
		return h, nil
	}
	definitions, err := tools.Definitions("", env.Selection)
	for _, t := range recording.Tools(definitions) {
		if t.Name != call.Tool {
			h.Tools = append(h.Tools, t)
		}
	}
	return h, err
}
