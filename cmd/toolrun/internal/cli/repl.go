package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/ownversion"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
)

// Limits of one entry. Each new line of an entry is parsed together with those before it.
const (
	maxEntryLines = 1000
	maxEntryBytes = 256 << 10
)

// errEntryTooLong is for entries that are beyond the limits or never complete.
var errEntryTooLong = errors.New("an entry has at most 1000 lines and 256 KiB: " +
	"put it into a file, and run that with toolrun js, py or sh FILE")

// A session is the state of toolrun repl.
type session struct {
	cmd     *cobra.Command
	flags   callFlags
	servers serverFlags
	lang    string
	runner  *runner
	session *toolrun.Session
	files   vfs.Project // nil if there are none
	replVariables

	// interrupts stop the running entry only. It is nil without a terminal; then an interrupt ends the command.
	interrupts chan os.Signal
	globals    map[string][]string // of the sandbox; nil until needed
	failed     bool
}

func newREPL() *cobra.Command {
	s := &session{}
	s.cmd = &cobra.Command{
		Use:   "repl",
		Short: "Run code and call tools at a prompt",
		Long: `Run what you enter as JavaScript or TypeScript, or with --lang py as Python, or
with --lang sh in the shell, on the files of a project. Variables stay from
entry to entry, as in a notebook, until you leave: .save NAME keeps them as a
session of the project, and --session NAME goes on with one. An entry that fails
leaves the variables of before it.

An expression shows its value ({ } is an object if it can be one); other
JavaScript gives a value with return. An incomplete entry continues on the next
line; a block of Python ends with an empty one. Lines that begin with a dot are
commands: .help lists them. Ctrl-C stops what runs, or drops what you typed;
Ctrl-D leaves. Tab completes commands, tools, paths and the names in the
sandbox.

Entries are kept in $TOOLRUN_HISTORY, by default in toolrun/repl_history (for
other languages in repl_history_python, say) in your state directory. If the
variable is empty, nothing is kept; lines that begin with a space never are.

If standard input or output is not a terminal, there is no prompt, and the exit
status is 1 if an entry failed.`,
		Example: "  toolrun repl\n" +
			"  toolrun repl --root .\n" +
			"  toolrun repl --lang py\n" +
			"  toolrun repl --root . --lang sh\n" +
			"  echo '6 * 7' | toolrun repl --json",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.run() },
	}
	s.flags.add(s.cmd, 0)
	s.servers.add(s.cmd)
	addSession(s.cmd, &s.named)
	s.cmd.Flags().StringVar(&s.lang, "lang", languages[0].Name,
		"run this `LANGUAGE`: "+strings.Join(languageNames(), ", "))
	return s.cmd
}

func (s *session) run() (err error) {
	for _, l := range languages {
		if s.lang == l.Shell.Command {
			s.lang = l.Name
		}
	}
	if s.language() == nil {
		return fmt.Errorf("--lang must be one of %s, not %q", strings.Join(languageNames(), ", "), s.lang)
	}
	options := s.flags.project.noted()
	options.Script = code.Options{ScriptName: "repl", Output: sandbox.Unlimited}
	if s.runner, err = s.servers.open(s.cmd, options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.runner.Close()) }()
	if err := s.flags.check(s.cmd, s.runner); err != nil {
		return err
	}
	if s.session, err = s.flags.project.session(s.cmd.Context(), s.runner, nil); err != nil {
		return err
	}
	if s.files, err = s.session.Files(s.cmd.Context()); err != nil {
		return err
	}
	if err := s.beginVariables(s.cmd); err != nil {
		return err
	}
	if !terminal.IsTerminal(s.cmd.InOrStdin()) || !terminal.IsTerminal(s.cmd.OutOrStdout()) {
		lines := &inputLines{in: s.cmd.InOrStdin(), ended: s.cmd.Context().Done()}
		if err := s.loop(lines.read); err != nil || !s.failed {
			return err
		}
		return errToolFailed
	}
	s.interrupts = make(chan os.Signal, 1)
	defer hostOf(s.cmd).notify(s.interrupts, os.Interrupt)()
	if err := s.interact(); err != nil {
		return err
	}
	return errLeft
}

// interact runs the prompt on a terminal.
func (s *session) interact() error {
	out := s.cmd.OutOrStdout()
	if _, err := s.runner.start(s.cmd.Context(), s.lang); err != nil {
		return err
	}
	where := "on the files of " + s.flags.project.name()
	if s.files == nil {
		where = "without files"
		printError(s.cmd.ErrOrStderr(), s.flags.project.noFiles)
	}
	if err := terminal.Print(out, terminal.Bold,
		"toolrun "+ownversion.Get()+": "+s.language().Title+" in a sandbox, "+where+".\n"); err != nil {
		return err
	}
	if _, err := io.WriteString(out, s.stay()+" .help lists commands, Ctrl-D leaves.\n"); err != nil {
		return err
	}
	file := "repl_history"
	if s.lang != languages[0].Name {
		file += "_" + s.lang
	}
	history, err := hostOf(s.cmd).openHistory(file)
	if err != nil {
		printError(s.cmd.ErrOrStderr(), fmt.Errorf("entries are not kept in the history: %w", err))
	}
	if editor := terminal.NewEditor(s.cmd.InOrStdin(), out, history, s.complete); editor != nil {
		return s.loop(editor.ReadLine)
	}
	lines := &inputLines{in: s.cmd.InOrStdin(), prompt: out, interrupts: s.interrupts}
	return s.loop(lines.read)
}

// openHistory opens the history that the environment names, or the one of a language.
func (h *Host) openHistory(name string) (*terminal.History, error) {
	file, given := h.LookupEnv("TOOLRUN_HISTORY")
	if !given {
		dir, err := h.dirs().State()
		if err != nil {
			history, _ := terminal.OpenHistory("")
			return history, err
		}
		file = filepath.Join(dir, name)
	}
	return terminal.OpenHistory(h.path(file))
}

// errLeave is what .exit returns.
var errLeave = errors.New("leave")

// loop runs entries until the input ends.
func (s *session) loop(read func(prompt string) (string, error)) error {
	entry, lines := "", 0
	for {
		prompt := "> "
		if lines > 0 {
			prompt = "... "
		}
		line, err := read(prompt)
		switch {
		case errors.Is(err, terminal.ErrInterrupted):
			entry, lines = "", 0
			continue
		case errors.Is(err, terminal.ErrLineTooLong):
			s.fail(err)
			entry, lines = "", 0
			continue
		case errors.Is(err, io.EOF):
			if entry != "" && s.interrupts == nil { // incomplete; the engine explains why
				s.do(entry)
			}
			return nil
		case err != nil:
			return err
		}
		if entry += line; strings.TrimSpace(entry) == "" {
			entry = ""
			continue
		}
		if lines++; lines >= maxEntryLines || len(entry) > maxEntryBytes {
			s.fail(errEntryTooLong)
			if s.interrupts == nil { // what follows belongs to the same entry
				return nil
			}
			entry, lines = "", 0
			continue
		}
		if s.isIncomplete(context.WithoutCancel(s.cmd.Context()), entry) {
			entry += "\n"
			continue
		}
		if s.do(entry) {
			return nil
		}
		entry, lines = "", 0
		if err := s.cmd.Context().Err(); err != nil && s.interrupts == nil {
			return err
		}
	}
}

// fail reports a failure of the host.
func (s *session) fail(err error) {
	s.failed = true
	printError(s.cmd.ErrOrStderr(), err)
}

// do runs an entry, and reports whether it was the last. An interrupt stops the entry.
func (s *session) do(entry string) (last bool) {
	ctx := s.cmd.Context()
	if s.interrupts != nil {
		select {
		case <-s.interrupts: // drop an earlier one
		default:
		}
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan struct{})
		defer stop()
		defer close(ended)
		go func() {
			select {
			case <-s.interrupts:
				stop()
			case <-ended:
			}
		}()
	}
	var err error
	if name, argument, ok := dotCommand(entry); ok {
		err = s.command(ctx, name, argument)
	} else {
		err = s.script(ctx, entry)
	}
	switch {
	case err == nil:
	case errors.Is(err, errLeave):
		return true
	case errors.Is(err, errToolFailed):
		s.failed = true
	case errors.As(err, new(exitError)):
		s.failed = s.failed || err != exitError(0)
	case ctx.Err() != nil && s.interrupts != nil:
		_ = terminal.Print(s.cmd.ErrOrStderr(), terminal.Dim, "\ninterrupted\n")
	case ctx.Err() == nil:
		s.fail(err)
	}
	return false
}
