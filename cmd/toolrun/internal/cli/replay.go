package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/recording"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/memory"
)

// replayCommand is toolrun replay.
type replayCommand struct {
	projectFlags
	code    string
	timeout time.Duration
	json    bool
}

func newReplay() *cobra.Command {
	c := &replayCommand{}
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE",
		Short: "Run a recorded call again",
		Long: `Run a call again that toolrun js, py or call has recorded with --record. The
clock, random numbers, files, standard input and the answers of tools come from
the recording: neither the project nor the tools are needed, and nothing is
changed. The output is that of the recorded run, to the byte, and so is the exit
status.

If the run is not the same, the error names the first difference: a call with
another input, a file that is used in another way, or a line of the output. The
exit status is then 2. To find out what would have become of other code or other
answers, use --code, or edit the recording.

With --root or --project, the files that the run has read are compared with
those that are there now, before it runs.

A recording has all that the run has read. Keep it as you keep the project.`,
		Example: "  toolrun js --record run.jsonl -e 'return Math.random()'\n" +
			"  toolrun replay run.jsonl\n" +
			"  toolrun replay --code fixed.js run.jsonl",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	c.addStore(cmd)
	cmd.Flags().StringVar(&c.root, "root", "", "compare the files that the run has read with those in `DIR`")
	cmd.MarkFlagsMutuallyExclusive("project", "root")
	cmd.Flags().StringVar(&c.code, "code", "", "run the code in `FILE` instead of the recorded one")
	cmd.Flags().DurationVar(&c.timeout, "timeout", sandbox.DefaultTime, "stop the call after this time")
	cmd.Flags().BoolVar(&c.json, "json", false, "print the whole result as one line of JSON, at the end")
	return cmd
}

// replayed are the tools that can be run again: they do nothing beyond what recordings have.
func replayed() []string {
	names := languageNames()
	for _, t := range slices.Concat(filesystem.Parts(), filesystem.Native(),
		[]tool.Tool{filesystem.New(), memory.New()}) {
		names = append(names, t.Spec().Name)
	}
	return names
}

func (c *replayCommand) run(cmd *cobra.Command, name string) (err error) {
	recorded, err := hostOf(cmd).readRecording(name)
	if err != nil {
		return err
	}
	header := recorded.Header()
	var host recordedHost
	switch {
	case header.Tool == "":
		return fmt.Errorf("%s is a recording of a conversation: it has no call that could be run again", name)
	case !slices.Contains(replayed(), header.Tool):
		return fmt.Errorf("%s is a recording of the tool %.100q: only built-in tools can be run again",
			name, header.Tool)
	case header.Host != nil && json.Unmarshal(header.Host, &host) != nil:
		return fmt.Errorf("%s: the header is damaged", name)
	}
	if c.cmd.Flags().Changed("root") || c.cmd.Flags().Changed("project") {
		if err := c.compare(cmd.Context(), recorded); err != nil {
			return err
		}
	}
	if own := recordedBy(); header.By != own {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"toolrun: recorded by %.100q, and this is %q: it may ask for things in another order\n", header.By, own)
	}
	call := recorded.Call()
	if c.code != "" {
		if call.Input, err = otherCode(cmd, call, c.code); err != nil {
			return err
		}
	}
	player := recorded.Player()
	record := recordFlags{host: host}
	options := toolrun.Options{Script: code.Options{ScriptName: host.Name}}
	if host.Args != nil || host.Whole {
		options.Script.Args = append([]string{}, host.Args...)
	}
	if host.Whole {
		options.Script.Output = sandbox.Unlimited
	}
	if host.Stdin {
		options.Script.Stdin = record.taped(player.Stdin())
	}
	r, err := open(cmd, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	t, ok := r.Registry().Tool(header.Tool)
	if !ok {
		return fmt.Errorf("there is no tool %s here: toolrun module add %s", header.Tool, header.Tool)
	}
	tools, err := registry.New(append([]tool.Tool{t}, recorded.Tools(nil)...)...)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	env := registry.Env{Project: header.Project, Files: player.Files(), Limits: registry.Limits{Inline: host.Inline}}
	env.Selection.Network = player.Network()
	if host.Whole {
		env.Limits = shellLimits
	}
	env.Selection = env.Selection.Only(append([]string{header.Tool}, namesOf(header.Tools)...)...)
	for id, value := range header.Options {
		env.Selection = env.Selection.WithOption(header.Tool, id, value)
	}
	p := prepared{ctx: cmd.Context(), tools: tools.Using(player.Middleware), env: env}
	return c.play(cmd, r, recorded, player, p, call, host)
}

// play makes the call, and compares what becomes of it with the recording.
func (c *replayCommand) play(cmd *cobra.Command, r *runner, recorded *recording.Recording, player *recording.Player,
	p prepared, call tool.Call, host recordedHost) error {
	p.ctx = sandbox.WithSource(p.ctx, sandbox.Source{Seed: host.Seed, Clock: host.Clock, Tape: player})
	var show display = modelPrinter{cmd.OutOrStdout()}
	if host.Whole {
		printer := newPersonPrinter(cmd)
		show = printer
		if l := languageOf(call.Tool); l != nil {
			printer.quiet = l.Shell.Quiet && !host.Expression
			if host.Expression {
				printer.undefined = l.Shell.Nothing
				p.ctx = code.AsExpression(p.ctx)
			}
		}
	}
	f := callFlags{timeout: c.timeout, json: c.json}
	if err := f.check(cmd, r); err != nil {
		return err
	}
	if err := r.load(p.ctx, call.Tool); err != nil {
		return err
	}
	result, stop := f.show(cmd, p, call, show)
	stop()
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if difference := player.End(result); difference != nil {
		if player.Ended() && result.Code != tool.CodeFailed { // the call has come to its end
			_ = f.print(cmd.OutOrStdout(), result, show)
		}
		return fmt.Errorf("not the same as the recorded run: %w", difference)
	}
	if recorded.Stopped() {
		r.warn(errors.New("the recorded run was stopped, at a point that depends on the machine: " +
			"results are not compared"))
		return f.print(cmd.OutOrStdout(), result, show)
	}
	return f.print(cmd.OutOrStdout(), recorded.Result(), show) // with the durations of then
}

// compare compares the files that the run has read.
func (c *replayCommand) compare(ctx context.Context, recorded *recording.Recording) (err error) {
	c.dir.ReadOnly = c.root != ""
	project, err := c.reading(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, project.Close()) }()
	difference, err := recorded.Compare(project)
	if err == nil && difference != nil {
		err = fmt.Errorf("not the same as for the recorded run: %w", difference)
	}
	return err
}

func (h *Host) readRecording(name string) (*recording.Recording, error) {
	f, err := h.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	recorded, err := recording.Read(f, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return recorded, nil
}

// otherCode returns the input of a call with the code in a file.
func otherCode(cmd *cobra.Command, call tool.Call, file string) (json.RawMessage, error) {
	l := languageOf(call.Tool)
	if l == nil {
		return nil, fmt.Errorf("--code: the tool %s runs no code", call.Tool)
	}
	text, _, err := readCode(cmd, file)
	if err != nil {
		return nil, err
	}
	return program{text: text}.input(l)
}

func namesOf(tools []recording.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}
