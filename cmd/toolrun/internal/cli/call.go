package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// callFlags are the flags of commands that call a tool.
type callFlags struct {
	project projectFlags
	record  recordFlags
	timeout time.Duration
	json    bool
}

func (f *callFlags) add(cmd *cobra.Command, timeout time.Duration) {
	f.project.add(cmd)
	f.project.addLib(cmd)
	f.project.addCheckpoint(cmd)
	f.record.add(cmd)
	f.project.addAsk(cmd)
	usage := "stop the call after this time"
	if timeout == 0 {
		usage += " (default: the tool's own limit)"
	}
	cmd.Flags().DurationVar(&f.timeout, "timeout", timeout, usage)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the whole result as one line of JSON, at the end")
}

func newCallCommand() *cobra.Command {
	var f callFlags
	var chosen selectionFlags
	var servers serverFlags
	var inline int
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON | -]",
		Short: "Call a tool as a model would",
		Long: `Call a tool as a model does. The arguments are a JSON object, given on the
command line or on standard input (-); without any, they are {}. The output is
what the model gets.`,
		Example: `  toolrun call filesystem '{"command": "mkdir", "path": "/drafts"}'` + "\n" +
			`  toolrun call filesystem '{"command": "view", "path": "/"}'` + "\n" +
			`  echo '{"code": "return 6 * 7"}' | toolrun call javascript - --option memory=16`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if inline <= 0 {
				return fmt.Errorf("--inline must be positive, not %d", inline)
			}
			input := argument(args, 1, "")
			if input == "-" {
				data, err := readStdin(cmd.Context(), cmd.InOrStdin(), maxInput)
				if err != nil {
					return err
				}
				input = string(data)
			}
			runner, err := servers.open(cmd, f.project.noted())
			if err != nil {
				return err
			}
			choice, err := chosen.choice(runner.Registry(), args[0])
			if err != nil {
				return errors.Join(err, runner.Close())
			}
			call := tool.Call{Tool: args[0], Input: json.RawMessage(input)}
			return f.dispatch(cmd.Context(), cmd, runner, call, modelPrinter{cmd.OutOrStdout()}, toolrun.SessionOptions{
				Select: choice, Limits: registry.Limits{Inline: inline},
			})
		},
	}
	f.add(cmd, 0)
	chosen.add(cmd)
	servers.add(cmd)
	cmd.Flags().IntVar(&inline, "inline", registry.DefaultInline,
		"keep results over `BYTES` in a file of the project, and print their ends")
	return cmd
}

func (f *callFlags) check(cmd *cobra.Command, r *runner) error {
	if err := f.project.checkAsk(r); err != nil {
		return err
	}
	if f.timeout < 0 || f.timeout == 0 && cmd.Flags().Changed("timeout") {
		return fmt.Errorf("--timeout must be positive, not %v", f.timeout)
	}
	return nil
}

// dispatch calls a tool on the project, shows the call, and closes the runner. The context is the command's, and may
// say more about the call.
func (f *callFlags) dispatch(ctx context.Context, cmd *cobra.Command, r *runner, call tool.Call, d display,
	options toolrun.SessionOptions) (err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := f.check(cmd, r); err != nil {
		return err
	}
	session, err := f.project.session(ctx, r, &options)
	if err != nil {
		return err
	}
	env, err := session.Env(ctx)
	if err != nil {
		return err
	}
	return f.call(ctx, cmd, r, call, env, d)
}

// call calls a tool and shows the call, with a line of progress on standard error. The error is that of the context,
// of starting the engine or of the host; or errToolFailed or an exitError.
func (f *callFlags) call(ctx context.Context, cmd *cobra.Command, r *runner, call tool.Call, env registry.Env,
	d display) error {
	loading := terminal.StartProgress(cmd.ErrOrStderr(), cmd.OutOrStdout())
	loading.Report("preparing "+call.Tool, 0, 0) // which is compiled the first time
	err := r.load(ctx, call.Tool)
	loading.Stop()
	if err != nil {
		return err
	}
	call.ID = newCall(call.Tool)
	p, err := f.record.prepare(ctx, r.host, r.Registry(), call, env)
	if err != nil {
		return err
	}
	result, stopProgress := f.show(cmd, p, call, d)
	recorded := p.end(result)
	stopProgress()
	if p := result.Pending; p != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolrun: waits for approval: toolrun approvals show %s\n", p.Token)
	}
	if result.Code == tool.CodeDisabled {
		fmt.Fprintln(cmd.ErrOrStderr(), "toolrun: "+f.switchedOff(call.Tool))
	}
	if err := ctx.Err(); err != nil {
		if f.json {
			return errors.Join(err, printResult(cmd.OutOrStdout(), result))
		}
		return errors.Join(err, d.interrupted(result))
	}
	err = f.print(cmd.OutOrStdout(), result, d)
	if recorded != nil { // which says more than the exit status of the code
		return recorded
	}
	return err
}

// switchedOff says how to use a tool that is switched off. The result, which is for models, calls it unknown.
func (f *callFlags) switchedOff(tool string) string {
	text := "the tool " + tool + " is switched off"
	if flag := f.project.cmd.Flags().Lookup("enable"); flag != nil && flag.Changed {
		return text + ": --enable does not name it"
	}
	if f.project.root != "" {
		return text + ": use --enable " + tool
	}
	return fmt.Sprintf("%s in the project %s: use --enable %s, or toolrun project set --project %[2]s --enable %[3]s",
		text, f.project.id, tool)
}

// show makes a call, and shows what its code prints and its progress until stop is called.
func (f *callFlags) show(cmd *cobra.Command, p prepared, call tool.Call,
	d display) (result tool.Result, stop func()) {
	p.env.Limits.Timeout = f.timeout
	stop = func() {}
	if !f.json {
		progress := terminal.StartProgress(cmd.ErrOrStderr(), cmd.OutOrStdout())
		stop = progress.Stop
		if ask := p.env.Approve; ask != nil {
			p.env.Approve = func(ctx context.Context,
				request registry.ApprovalRequest) (d registry.Decision, err error) {
				progress.Above(func() { d, err = ask(ctx, request) })
				return d, err
			}
		}
		p.env.Progress = func(report tool.Progress) {
			shown := false
			if report.Console != nil && report.CallID == call.ID {
				progress.Above(func() { shown = d.entry(*report.Console) })
			}
			if !shown {
				progress.Report(report.Message, report.Done, report.Total)
			}
		}
	}
	return p.tools.Dispatch(p.ctx, call, p.env), stop
}

// print prints a result on a display, or as JSON. A failure of the host is an error; a failure of the tool is
// errToolFailed.
func (f *callFlags) print(w io.Writer, result tool.Result, d display) error {
	if result.Code == tool.CodeFailed || result.Code == tool.CodeOptions {
		return errors.New(result.Text())
	}
	if !f.json {
		return d.result(result)
	}
	if err := printResult(w, result); err != nil {
		return err
	}
	if result.IsError() {
		return errToolFailed
	}
	return nil
}

// printJSON prints a value as one line of JSON. Indentation would make much of deep values.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// printResult prints a result as printJSON does. Its texts and its data, which can have all that code has printed, are
// written in parts, and not put together before.
func printResult(w io.Writer, result tool.Result) error {
	var large []func() error
	id := rand.Text() // in their place
	result.Content = slices.Clone(result.Content)
	for i := range result.Content {
		if text := result.Content[i].Text; text != "" {
			result.Content[i].Text = id
			large = append(large, func() error { return writeText(w, text) })
		}
	}
	if data, ok := result.Data.(json.RawMessage); ok {
		result.Data = id
		large = append(large, func() error {
			_, err := w.Write(data)
			return err
		})
	}
	raw, err := jsontree.Marshal(result)
	if err != nil {
		return err
	}
	for i, between := range bytes.Split(append(raw, '\n'), []byte(`"`+id+`"`)) {
		if i > 0 {
			if err := large[i-1](); err != nil {
				return err
			}
		}
		if _, err := w.Write(between); err != nil {
			return err
		}
	}
	return nil
}

// writeText writes a text as a string of JSON.
func writeText(w io.Writer, text string) error {
	const most = 64 << 10
	part := []byte{'"'}
	for ; len(text) > most; part = part[:0] {
		n := plaintext.Boundary(text, most)
		part = jsontree.AppendText(part, text[:n])
		if _, err := w.Write(part); err != nil {
			return err
		}
		text = text[n:]
	}
	_, err := w.Write(append(jsontree.AppendText(part, text), '"'))
	return err
}
