package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
)

// codeFlags are the flags of the commands that run code.
type codeFlags struct {
	eval, print string
	memory      int64 // MiB
	leastMemory int64 // bytes
	session     string
	rollback    bool
}

func (f *codeFlags) add(cmd *cobra.Command, leastMemory int64) {
	f.leastMemory = leastMemory
	cmd.Flags().StringVarP(&f.eval, "eval", "e", "", "run `CODE`")
	cmd.Flags().StringVarP(&f.print, "print", "p", "", "print the value of the expression `EXPR`")
	cmd.MarkFlagsMutuallyExclusive("eval", "print")
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

// code is what a command is to run.
type code struct {
	text, name string   // name is that of its file, if it has one
	args       []string // for the code
	expression bool
	fromStdin  bool // it is what standard input had
}

// read returns the code that the flags and arguments name.
func (f *codeFlags) read(cmd *cobra.Command, args []string) (code, error) {
	if least, most := f.leastMemory>>20, int64(sandbox.MaxMemory>>20); f.memory < least || f.memory > most {
		return code{}, fmt.Errorf("--memory must be between %d and %d, not %d", least, most, f.memory)
	}
	if hostOf(cmd).Alone && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		// Code can print as much as its memory. That is in memory twice, as what was printed and as the result; garbage
		// must not double it.
		debug.SetMemoryLimit(64<<20 + f.memory<<20/2*5)
	}
	if cmd.Flags().Changed("session") {
		if err := vfs.CheckSession(f.session); err != nil {
			return code{}, err
		}
	}
	switch {
	case cmd.Flags().Changed("eval"):
		return code{text: f.eval, args: args}, nil
	case cmd.Flags().Changed("print") && strings.TrimSpace(f.print) == "":
		return code{}, errors.New("--print needs an expression")
	case cmd.Flags().Changed("print"):
		return code{text: f.print, args: args, expression: true}, nil
	case len(args) == 0:
		return code{}, errors.New("no code: give -e CODE, -p EXPR, a file, or - for standard input")
	}
	text, name, err := readCode(cmd, args[0])
	return code{text: text, name: name, args: args[1:], fromStdin: args[0] == "-"}, err
}

// input is the input of a tool that runs the code.
func (c code) input() (json.RawMessage, error) {
	if c.text == "" {
		c.text = "\n" // tools refuse no code at all to a model; a file can be empty
	}
	return json.Marshal(map[string]string{"code": c.text})
}

// A codeTool is a tool that runs code of a language.
type codeTool struct {
	name         string
	undefined    string // how the value of an expression is printed that has none
	quiet        bool   // print only what code prints, unless it is an expression
	asExpression func(context.Context) context.Context
}

// runCode runs the code that the flags and arguments name.
func (f *callFlags) runCode(cmd *cobra.Command, args []string, flags *codeFlags, servers *serverFlags,
	t codeTool) error {
	code, err := flags.read(cmd, args)
	if err != nil {
		return err
	}
	ctx, printer := cmd.Context(), newPersonPrinter(cmd)
	if printer.quiet = t.quiet && !code.expression; code.expression {
		printer.undefined = t.undefined
		ctx = t.asExpression(ctx)
	}
	input, err := code.input()
	if err != nil {
		return err
	}
	script := javascript.Options{ScriptName: code.name, Args: append([]string{}, code.args...),
		Output: sandbox.Unlimited}
	if !code.fromStdin {
		script.Stdin = f.record.taped(cmd.InOrStdin())
	}
	f.record.host.Name, f.record.host.Args, f.record.host.Expression = code.name, code.args, code.expression
	runner, err := servers.open(cmd, toolrun.Options{Script: script, PythonScript: python.Options(script),
		Calls: f.project.shared(nil)})
	if err != nil {
		return err
	}
	choose := func(s registry.Selection) registry.Selection {
		s.Session = flags.session
		s = s.WithOption(t.name, tool.OptionRollback, flags.rollback)
		s = s.WithOption(t.name, javascript.OptionMemory, flags.memory) // which each of them calls so
		s = s.WithOption(t.name, javascript.OptionToolCalls, servers.file() != "")
		switch filepath.Ext(code.name) {
		case ".ts", ".mts", ".cts":
			s = s.WithOption(javascript.Name, javascript.OptionLanguage, "typescript")
		}
		return s
	}
	return f.dispatch(ctx, cmd, runner, tool.Call{Tool: t.name, Input: input}, printer,
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
