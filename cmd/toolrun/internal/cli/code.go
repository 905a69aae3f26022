package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
)

// codeFlags are the flags of the commands that run code.
type codeFlags struct {
	eval, print string
	module      bool
	runModule   func(name string) string // the code that does that
	memory      int64                    // MiB
	leastMemory int64                    // bytes
	session     string
	rollback    bool
}

func (f *codeFlags) add(cmd *cobra.Command, leastMemory int64, l code.Shell) {
	f.leastMemory, f.runModule = leastMemory, l.Module
	cmd.Flags().StringVarP(&f.eval, "eval", "e", "", "run `CODE`")
	cmd.Flags().StringVarP(&f.print, "print", "p", "", "print the value of the expression `EXPR`")
	ways := []string{"eval", "print"}
	if l.CommandFlag {
		cmd.Flags().StringVarP(&f.eval, "command", "c", "", "run `CODE`")
		ways = append(ways, "command")
	}
	if l.Module != nil {
		cmd.Flags().BoolVarP(&f.module, "module", "m", false, "run a module: its name comes in place of the file")
		ways = append(ways, "module")
	}
	cmd.MarkFlagsMutuallyExclusive(ways...)
	addSession(cmd, &f.session)
	cmd.Flags().BoolVar(&f.rollback, "rollback", false, "if the code fails, undo what it has changed")
	cmd.Flags().SetInterspersed(false) // what follows the file is for the code
	cmd.Flags().Int64Var(&f.memory, "memory", sandbox.DefaultMemory>>20, "limit the code's memory to this many `MiB`")
}

// addSession adds --session.
func addSession(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "",
		"go on with the variables of the session `NAME`, and leave them for the next call")
}

// A program is what a command is to run.
type program struct {
	text, name string   // name is that of its file, if it has one
	args       []string // for the code
	expression bool
	fromStdin  bool // it is what standard input had
}

// read returns the code that the flags and arguments name.
func (f *codeFlags) read(cmd *cobra.Command, args []string) (program, error) {
	if least, most := f.leastMemory>>20, int64(sandbox.MaxMemory>>20); f.memory < least || f.memory > most {
		return program{}, fmt.Errorf("--memory must be between %d and %d, not %d", least, most, f.memory)
	}
	if hostOf(cmd).Alone && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		// Code can print as much as its memory. That is in memory twice, as what was printed and as the result; garbage
		// must not double it.
		debug.SetMemoryLimit(64<<20 + f.memory<<20/2*5)
	}
	if cmd.Flags().Changed("session") {
		if err := vfs.CheckSession(f.session); err != nil {
			return program{}, err
		}
	}
	switch {
	case cmd.Flags().Changed("eval"), cmd.Flags().Changed("command"):
		return program{text: f.eval, args: args}, nil
	case cmd.Flags().Changed("print") && strings.TrimSpace(f.print) == "":
		return program{}, errors.New("--print needs an expression")
	case cmd.Flags().Changed("print"):
		return program{text: f.print, args: args, expression: true}, nil
	case len(args) == 0:
		return program{}, errors.New("no code: give -e CODE, -p EXPR, a file, or - for standard input")
	case f.module:
		return program{text: f.runModule(args[0]), args: args[1:]}, nil
	}
	text, name, err := readCode(cmd, args[0])
	return program{text: text, name: name, args: args[1:], fromStdin: args[0] == "-"}, err
}

// input is the input of the tool that runs the code.
func (p program) input(l *code.Language) (json.RawMessage, error) {
	if p.text == "" {
		p.text = "\n" // tools refuse no code at all to a model; a file can be empty
	}
	return l.Input(p.text)
}

// newCode makes the command that runs code of a language.
func newCode(l code.Language) *cobra.Command {
	var f callFlags
	var servers serverFlags
	var flags codeFlags
	cmd := &cobra.Command{
		Use:     l.Shell.Command + " [flags] [-e CODE | -p EXPR | FILE | -] [ARGS...]",
		Short:   l.Shell.Short,
		Long:    l.Shell.Long,
		Example: l.Shell.Example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.runCode(cmd, args, &flags, &servers, l)
		},
	}
	flags.add(cmd, max(l.MinMemory, sandbox.MinMemory), l.Shell)
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	return cmd
}

// runCode runs the code that the flags and arguments name.
func (f *callFlags) runCode(cmd *cobra.Command, args []string, flags *codeFlags, servers *serverFlags,
	l code.Language) error {
	if l.Shell.LikeSh && len(args) == 0 && !terminal.IsTerminal(cmd.InOrStdin()) &&
		!slices.ContainsFunc([]string{"eval", "command", "print"}, cmd.Flags().Changed) {
		args = []string{"-"}
	}
	given, err := flags.read(cmd, args)
	if err != nil {
		return err
	}
	if l.Shell.LikeSh && cmd.Flags().Changed("command") && len(given.args) > 0 {
		given.name, given.args = given.args[0], given.args[1:]
	}
	ctx, printer := cmd.Context(), newPersonPrinter(cmd)
	if printer.quiet = l.Shell.Quiet && !given.expression; given.expression {
		printer.undefined = l.Shell.Nothing
		ctx = code.AsExpression(ctx)
	}
	input, err := given.input(&l)
	if err != nil {
		return err
	}
	script := code.Options{ScriptName: given.name, Args: append([]string{}, given.args...),
		Output: sandbox.Unlimited}
	if !given.fromStdin {
		script.Stdin = f.record.taped(cmd.InOrStdin())
	}
	f.record.host.Name, f.record.host.Args, f.record.host.Expression = given.name, given.args, given.expression
	options := f.project.noted()
	options.Script = script
	runner, err := servers.open(cmd, options)
	if err != nil {
		return err
	}
	choose := func(s registry.Selection) registry.Selection {
		s.Session = flags.session
		s = s.WithOption(l.Name, tool.OptionRollback, flags.rollback)
		if cmd.Flags().Changed("memory") {
			s = s.WithOption(l.Name, code.OptionMemory, flags.memory)
		}
		s = s.WithOption(l.Name, code.OptionToolCalls, l.CallsTools || servers.file() != "")
		if of := l.Shell.FileOptions; of != nil {
			for option, value := range of(given.name) {
				s = s.WithOption(l.Name, option, value)
			}
		}
		return s
	}
	return f.dispatch(ctx, cmd, runner, tool.Call{Tool: l.Name, Input: input}, printer,
		toolrun.SessionOptions{IgnoreSettings: true, Select: choose, Limits: shellLimits})
}

// shellLimits are those of code that somebody runs at a shell, who wants to see all of its output.
var shellLimits = registry.Limits{Input: math.MaxInt, Inline: math.MaxInt, Output: math.MaxInt}

// readCode reads the code from a file or from standard input, and says what to call it in stack traces.
func readCode(cmd *cobra.Command, file string) (text, name string, err error) {
	if file == "-" {
		data, err := readStdin(cmd.Context(), cmd.InOrStdin(), maxInput)
		return string(data), "", err
	}
	data, err := readHostFile(hostOf(cmd).open, file, maxInput)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no file named %s; to run code use %s -e '...'", file, cmd.CommandPath())
	}
	return string(data), filepath.Base(file), err
}
