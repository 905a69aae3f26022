package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// A replCommand is a command of the prompt, such as .help.
type replCommand struct {
	name, usage, short string
	run                func(s *session, ctx context.Context, argument string) error
}

// replCommands returns the commands, in the order of .help.
func replCommands() []replCommand {
	return []replCommand{
		{"call", "TOOL [JSON]", "call a tool as a model would", (*session).callCommand},
		{"tools", "", "list the tools", (*session).toolsCommand},
		{"tool", "NAME", "describe a tool", (*session).toolCommand},
		{"files", "[PATH]", "list a directory of the project", (*session).filesCommand},
		{"reset", "", "forget all variables", (*session).resetCommand},
		{"save", "NAME", "keep a copy of the variables as the session NAME", (*session).saveCommand},
		{"fork", "NAME", "go on in a copy, the session NAME; variables here stay as they are", (*session).forkCommand},
		{"timeout", "[TIME]", "stop entries after this time, such as 5s; 0 means the tool's own limit",
			(*session).timeoutCommand},
		{"json", "[on|off]", "print whole results as JSON", (*session).jsonCommand},
		{"help", "", "show this", (*session).helpCommand},
		{"exit", "", "leave", func(*session, context.Context, string) error { return errLeave }},
	}
}

// command runs a command of the prompt.
func (s *session) command(ctx context.Context, name, argument string) error {
	for _, c := range replCommands() {
		if c.name == name {
			if argument != "" && c.usage == "" {
				return fmt.Errorf(".%s takes no argument", name)
			}
			return c.run(s, ctx, argument)
		}
	}
	return fmt.Errorf("no command named .%s; .help lists them", name)
}

func (s *session) helpCommand(context.Context, string) error {
	out := s.cmd.OutOrStdout()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range replCommands() {
		fmt.Fprintf(table, ".%s\t%s\n", strings.TrimSpace(c.name+" "+c.usage), c.short)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, `
Anything else is `+fmt.Sprintf(s.language().Shell.Entries, s.stay())+`
Ctrl-C stops what is running, or drops what you typed. Ctrl-D leaves. Tab completes.
Lines that begin with a space are not kept in the history.
`)
	return err
}

func (s *session) callCommand(ctx context.Context, argument string) error {
	t, input, _ := strings.Cut(argument, " ")
	if t == "" {
		return errors.New(`say which tool, as in .call filesystem {"command": "view", "path": "/"}`)
	}
	env, err := s.session.Env(ctx)
	if err != nil {
		return err
	}
	call := tool.Call{Tool: t, Input: json.RawMessage(strings.TrimSpace(input))}
	return s.flags.call(ctx, s.cmd, s.runner, call, env, modelPrinter{s.cmd.OutOrStdout()})
}

func (s *session) toolsCommand(ctx context.Context, _ string) error {
	env, err := s.session.Env(ctx)
	if err != nil {
		return err
	}
	c := &listCommand{json: s.flags.json}
	return c.list(s.cmd.OutOrStdout(), s.runner.Registry(), env.Selection)
}

func (s *session) toolCommand(ctx context.Context, name string) error {
	env, err := s.session.Env(ctx)
	if err != nil {
		return err
	}
	c := &listCommand{json: s.flags.json}
	return c.describe(s.cmd.OutOrStdout(), s.runner.Registry(), env.Selection, name)
}

func (s *session) filesCommand(ctx context.Context, name string) error {
	if s.files == nil {
		return errors.New("there are no files here")
	}
	if name == "" {
		name = "/"
	}
	desk, err := s.flags.project.service(s.files)
	if err != nil {
		return err
	}
	out, err := s.flags.project.listing(ctx, desk, name, false)
	if err != nil {
		return err
	}
	return out.print(s.cmd.OutOrStdout(), s.flags.json)
}

func (s *session) timeoutCommand(_ context.Context, text string) error {
	if text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout < 0 {
			return fmt.Errorf("malformed time %q: write 500ms, 5s or 2m", text)
		}
		s.flags.timeout = timeout
	}
	what := "Entries are stopped after the tool's own limit.\n"
	if s.flags.timeout > 0 {
		what = fmt.Sprintf("Entries are stopped after %v.\n", s.flags.timeout)
	}
	return outcome{text: what, data: map[string]string{"timeout": s.flags.timeout.String()}}.print(s.cmd.OutOrStdout(),
		s.flags.json)
}

func (s *session) jsonCommand(_ context.Context, text string) error {
	switch text {
	case "on", "off":
		s.flags.json = text == "on"
	case "":
	default:
		return fmt.Errorf(".json is on or off, not %q", text)
	}
	out := outcome{text: fmt.Sprintf("JSON is %s.\n", onOff(s.flags.json)), data: map[string]bool{"json": s.flags.json}}
	return out.print(s.cmd.OutOrStdout(), s.flags.json)
}
