package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/clientconfig"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/text/filediff"
)

// setupCommand is toolrun setup.
type setupCommand struct {
	name   string
	here   bool
	remove bool
	yes    bool
	json   bool
}

func newSetup() *cobra.Command {
	c := &setupCommand{}
	var names []string
	for _, client := range clientconfig.Clients {
		names = append(names, client.Name)
	}
	cmd := &cobra.Command{
		Use:   "setup CLIENT [-- FLAGS]",
		Short: "Have an MCP client start toolrun mcp",
		Long: `Write toolrun into the configuration of an MCP client, which then starts
"toolrun mcp" with the flags that follow "--". The change of the file is shown
first; nothing else in it changes. --remove takes it back.

CLIENT is ` + strings.Join(names[:4], ", ") + ",\n" + strings.Join(names[4:len(names)-1], ", ") + " or " +
			names[len(names)-1] + `.
With --here, the file is that of the working directory, for clients that have
such files: all who use the directory get the server.`,
		Example: "  toolrun setup claude-code --here -- --root . --ask destructive\n" +
			"  toolrun setup claude-desktop -- --project notes\n" +
			"  toolrun setup codex --remove",
		RunE: c.run,
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) == 0 || (at < 0 && len(args) > 1) || (at >= 0 && at != 1) {
				return errors.New("wrong number of arguments")
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.name, "name", "toolrun", "call the server `NAME`; several can have different flags")
	flags.BoolVar(&c.here, "here", false, "write the file of the working directory instead of the user's")
	flags.BoolVar(&c.remove, "remove", false, "take the server out of the file")
	flags.BoolVar(&c.yes, "yes", false, "do not ask before the file is written")
	addJSON(flags, &c.json)
	return cmd
}

func (c *setupCommand) run(cmd *cobra.Command, args []string) error {
	host := hostOf(cmd)
	client := clientconfig.Find(args[0])
	if client == nil {
		return fmt.Errorf("%q is no client that toolrun knows: see toolrun setup --help", args[0])
	}
	if err := clientconfig.CheckName(c.name); err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	file, err := c.file(host, client)
	if err != nil {
		return err
	}
	before, err := host.readHead(file, maxClientFile+1)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(before) > maxClientFile:
		return fmt.Errorf("%s has more than %d MiB", file, maxClientFile>>20)
	}
	after := before
	if c.remove {
		after, err = client.Remove(before, c.name)
	} else {
		server := clientconfig.Server{Name: c.name}
		if server.Command, err = host.program(); err != nil {
			return err
		}
		if server.Args, err = host.mcpArguments(args[1:]); err != nil {
			return err
		}
		after, err = client.Set(before, server)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	out := outcome{text: file + " is as it should be.\n", data: map[string]any{"file": file, "changed": false}}
	if bytes.Equal(before, after) {
		return out.print(cmd.OutOrStdout(), c.json)
	}
	shown := cmd.OutOrStdout()
	if c.json {
		shown = cmd.ErrOrStderr()
	}
	if err := printDiff(shown, filediff.Compare(before, after, filediff.Unlimited).Unified(file, file)); err != nil {
		return err
	}
	if err := c.agree(cmd); err != nil {
		return err
	}
	if err := replaceFile(file, before, after); err != nil {
		return err
	}
	out = outcome{text: "Written. " + client.Restart + "\n", data: map[string]any{"file": file, "changed": true}}
	return out.print(cmd.OutOrStdout(), c.json)
}

// maxClientFile is how large a client's file can be, in bytes. Some clients keep more than their configuration there.
const maxClientFile = 64 << 20

// file is the client's file. A link is followed: it is not to be replaced.
func (c *setupCommand) file(h *Host, client *clientconfig.Client) (string, error) {
	var file string
	if c.here {
		if client.Project == "" {
			return "", fmt.Errorf("%s has no files for directories: leave --here out", client.Title)
		}
		dir, err := filepath.Abs(h.path("."))
		if err != nil {
			return "", err
		}
		file = filepath.Join(dir, client.Project)
	} else {
		place := clientconfig.Place{OS: runtime.GOOS, Getenv: h.getenv}
		var err error
		if place.Home, place.Config, err = h.dirs().Configs(); err != nil {
			return "", err
		}
		file = client.User(place)
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return file, nil
}

// program is the path by which clients start this program: the one that is found in $PATH if it is the same, which
// stays when a package manager brings another version.
func (h *Host) program() (string, error) {
	program, err := h.executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(filepath.ToSlash(program), "/go-build") {
		return "", errors.New("this program is one of go run, which is gone when it ends: " +
			"install it first, with go install ./cmd/toolrun")
	}
	if found, err := exec.LookPath("toolrun"); err == nil && filepath.IsAbs(found) {
		one, err1 := os.Stat(found)
		other, err2 := os.Stat(program)
		if err1 == nil && err2 == nil && os.SameFile(one, other) {
			return found, nil
		}
	}
	return program, nil
}

// mcpArguments checks the flags of toolrun mcp and returns its arguments, in which paths are absolute: clients start
// servers in any directory.
func (h *Host) mcpArguments(args []string) ([]string, error) {
	mcp := newMCP()
	if err := mcp.ParseFlags(nil); err != nil { // after which it has all its flags
		return nil, err
	}
	flags, out := mcp.Flags(), []string{"mcp"}
	flags.Usage = func() {}
	err := flags.ParseAll(args, func(flag *pflag.Flag, value string) error {
		if flag.Name == "http" {
			return errors.New("a server that is reached by --http is started by nobody: give the client its address")
		}
		path := slices.Contains([]string{"root", "data", "config", "mcp-config", "audit"}, flag.Name)
		if path && !strings.Contains(value, "://") {
			whole, err := filepath.Abs(h.path(value))
			if err != nil {
				return err
			}
			value = whole
		}
		out = append(out, "--"+flag.Name+"="+value)
		return flags.Set(flag.Name, value)
	})
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil, errors.New("see toolrun mcp --help for the flags that can follow --")
	case err != nil:
		return nil, err
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q: toolrun mcp takes none", flags.Arg(0))
	}
	if err := mcp.ValidateFlagGroups(); err != nil {
		return nil, explainFlags(err)
	}
	return out, nil
}

// agree asks whether to write the file, if --yes has not said so.
func (c *setupCommand) agree(cmd *cobra.Command) error {
	if c.yes {
		return nil
	}
	editor := terminal.NewEditor(cmd.InOrStdin(), cmd.ErrOrStderr(), new(terminal.History),
		func(string) (int, []string) { return 0, nil })
	if editor == nil {
		return errors.New("nothing was written, as there is no terminal to ask at: give --yes")
	}
	answer, err := editor.Ask("Write this? yes or no:", false)
	if err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return nil
	}
	return errors.New("nothing was written")
}

// replaceFile replaces a file as a whole, if it still is what it was. Nil is one that does not exist.
func replaceFile(name string, before, after []byte) (err error) {
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), ".toolrun-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(after)
	if err = errors.Join(err, temporary.Chmod(mode), temporary.Close()); err != nil {
		return err
	}
	now, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s has been changed meanwhile, and was left alone", name)
	}
	return os.Rename(temporary.Name(), name)
}
